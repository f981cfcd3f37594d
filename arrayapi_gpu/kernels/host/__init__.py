"""Computation on the host in place of kernels: `on_host` is NumPy's table of operations, `host_launch` runs bodies with
it, and `host_library` calls LAPACK and other libraries, those of Fourier transforms through `host_transforms`.
`host_matrices` has NumPy's functions of matrices, `host_factors` L U and triangles. It imports `kernels.core` and
`kernels.reductions`.
"""
