"""Running: from pending values to arrays in memory.

`evaluate` is the entry point. `run` is the loop that runs plans, `compile` runs a launch the first time, and `launches`
finds a launch that ran before. `launchers` has the ways to launch a group, and `meanwhile` computes one that has no
kernel yet. `host_execution` lets NumPy compute few elements, and `ownership` says which memory may be written again.
`nonfinite` finds the operation that made NaN (`config.nan`). The room imports `lazy.plan` and `lazy.graph`.
"""
