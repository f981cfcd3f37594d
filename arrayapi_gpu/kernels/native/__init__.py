"""Loops of the host's processor, compiled ahead of time: `loops` writes their text, `build_loops` compiles it, and
`block_programs` computes bodies and reductions with them, block by block (blocks.c). It imports `kernels.core` and
`kernels.reductions`.
"""
