"""The graph: what a value is, before anybody computes it.

`graph` has nodes and the handles that users hold, `views` views of pending values, `movements` the functions that make
views, `expressions` values as Python, `dependencies` which pending values read which memory, `host_operands` values
that stay in host memory, `device_transfers` arrays on their way between devices, `failures` values that cannot be
computed any more, and `value_ranges` bounds of integers. It imports `kernels.core` and what lies below that.
"""
