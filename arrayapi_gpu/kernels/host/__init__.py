"""Computation on the host in place of kernels: `on_host` is NumPy's table of operations, `host_launch` runs bodies with
it, and `host_library` calls LAPACK and other libraries, those of Fourier transforms through `host_transforms`. It
imports `kernels.core` and `kernels.reductions`.
"""
