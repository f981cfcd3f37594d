"""Planning: which launches compute a value. Nothing here computes or allocates.

`plan` has the plan as data, and `planner` makes it: it asks `fuse` for the group of nodes that one launch computes, or
the nodes to compute first. `pushdown` hands views down to the leaves of an expression, `concatenations` computes
expressions part by part, `unroll` writes short reductions as expressions. `graph_key` is the key by which the plan of a
graph is found again. The room imports `lazy.graph`.
"""
