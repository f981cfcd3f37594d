"""The public namespace. Its rooms, each of which imports from those before it: `core`, `exchange`, `standard`,
`kernels`, `numpy`. `registrations` tells other libraries of our arrays.
"""
