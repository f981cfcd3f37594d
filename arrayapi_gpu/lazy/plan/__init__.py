"""Planning: which launches compute a value. This room computes and allocates nothing.

`plan` has the plan as data, and `planner` makes it: it asks `fuse` for the group of nodes that one launch computes, or
for the nodes to compute first. `pushdown` pushes views down to the leaves of an expression, `concatenations` divides
expressions into parts, `kernel_arguments` groups that need too many arguments, and `unroll` makes short reductions
expressions. `merged_launches` lets a product and what follows it be one launch. `graph_key` has the key under which
the plan of a graph is kept. The room imports `lazy.graph`.
"""
