"""What NumPy has beyond the standard: functions of its names, its protocols (`numpy_protocols`, `numpy_ufuncs`), and
the way through the host (`through_host`). It imports all of the rooms of `api`.
"""
