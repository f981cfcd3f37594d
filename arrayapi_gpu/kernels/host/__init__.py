"""What the host computes in place of a kernel: `on_host` is NumPy's table of operations, `host_launch` runs bodies with
it, and `host_library` calls LAPACK and other libraries. It imports `kernels.core` and `kernels.reductions`.
"""
