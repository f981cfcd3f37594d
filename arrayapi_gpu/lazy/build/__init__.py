"""Building: what every function and operator calls to make a node.

`build` has operations, `reductions`, `scans`, `sorts`, `products` and `routines` what has kernels of its own, `gathers`
and `compaction` the selection of elements, and `moments` variances. Errors of dtypes and shapes are raised here. It
imports `lazy.run`, since some functions need values at once.
"""
