"""NumPy's API beyond the standard: functions with NumPy's names, its protocols (`numpy_protocols`, `numpy_ufuncs`), and
the execution of NumPy's functions on host copies (`through_host`). This room imports all other rooms of `api`.
"""
