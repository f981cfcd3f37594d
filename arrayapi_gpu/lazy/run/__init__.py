"""Running: from pending values to arrays in memory.

`evaluate` is the entry point. `launches` finds a launch that was made before, `replay` all launches of a graph,
`host_execution` lets NumPy compute few elements, and `ownership` says which memory may be written again. It imports
`lazy.plan` and `lazy.graph`.
"""
