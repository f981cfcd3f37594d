"""The public namespace, in five rooms: `core`, `exchange`, `standard`, `kernels`, `numpy`. Each imports only from those
before it. `registrations` registers the array class with other libraries.
"""
