"""Kernels: text, compilation and launch. Its rooms, each of which imports from those before it: `core`, `maps`,
`reductions`, `ordering`, `user`, `host`. `functions` has the device functions in C.
"""
