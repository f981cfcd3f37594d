"""Planning: which launches compute a value. Nothing here computes or allocates.

`fuse` gives the group of nodes that one launch computes, or the nodes to compute first. `pushdown` hands views down to
the leaves of an expression, `concatenations` computes expressions part by part, `unroll` writes short reductions as
expressions. `graph_key` is the key by which a graph that was planned before is found. It imports `lazy.graph`.
"""
