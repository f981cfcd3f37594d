"""Loops of the host's processor, compiled ahead of time: `loops` writes their text, `ready_kernels` finds the kernels
that no loop replaces, `build_loops` compiles both, `walks` says in which order elements are computed, `steps` finds the
loops of a body, `block_programs` computes bodies and reductions with them, block by block (blocks.c), and `partners`
has kernels of an OpenCL driver in their place. It imports `kernels.core`,
`kernels.maps`, `kernels.reductions` and `kernels.ordering`.
"""
