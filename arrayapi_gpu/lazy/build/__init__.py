"""Building: every function and operator of the namespace makes its nodes here.

`build` has operations, `heavy` those whose operands weigh too much, `joining` concatenations of values in memory, and
`operators` the class of arrays with operators. `reductions`, `scans`, `sorts`, `products`, `transforms` and `routines`
have operations with kernels of their own, `gathers` and `compaction` select elements, and `moments` has means and
variances. Errors of dtypes and shapes are raised here. The room imports `lazy.run`, because some functions need values
at once.
"""
