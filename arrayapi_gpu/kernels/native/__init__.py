"""Loops of the host's processor, compiled ahead of time: `loops` writes their text, `ahead` finds them in the library
that was built, and `blocks` computes bodies with them, block by block (blocks.c). It imports `kernels.core`.
"""
