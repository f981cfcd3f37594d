"""Users' kernels as functions: `kernel_functions` and `raw_kernel_functions`, over `kernel_calls`, and
`record_functions`. It imports `api.standard`.
"""
