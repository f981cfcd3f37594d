"""User kernels as functions: `kernel_functions` and `raw_kernel_functions`, both based on `kernel_calls`, and arrays of
structures (`record_functions`). This room imports `api.standard`.
"""
