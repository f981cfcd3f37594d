"""The graph: values before they are computed.

`graph` has nodes and the handles that users hold. The kinds of operations are `views` (with `movements`, the functions
that make views), `reduction`, `roll` and `concat`. `expressions` writes values as Python. `dependencies` records which
pending values read which memory. `host_operands` has values that stay in host memory, `device_transfers` arrays on
their way between devices, `failures` values that cannot be computed any more, and `value_ranges` bounds of integers.
The room imports `kernels.core`, `kernels.reductions` and the rooms below them.
"""
