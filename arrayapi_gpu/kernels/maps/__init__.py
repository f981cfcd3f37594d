"""Kernels over elements: `elementwise`, with `elementwise_tiling` for transposed operands, `copy`, and writing to
computed places (`scatter`, `scatter_add`). `scratch` is memory by which groups of one launch know of each other. It
imports `kernels.core`.
"""
