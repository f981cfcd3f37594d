"""libgpuarray's own tests of its Python module, of 2019, with ``pygpu`` pointed at ours.

The suite is copied, and what has changed since then in NumPy, nose and six is put right in the copy: `suite.REPAIRS`.
"""
