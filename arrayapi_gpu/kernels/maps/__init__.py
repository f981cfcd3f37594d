"""Kernels over elements: `elementwise`, with `elementwise_tiling` for transposed operands and `packed_rows` for short
rows, `copy`, `join` for many arrays, and writing to computed places (`scatter`, `scatter_passes` where places may
repeat, `scatter_add`). `scratch` has memory through which groups of one launch hand results to each other. It imports
`kernels.core`.
"""
