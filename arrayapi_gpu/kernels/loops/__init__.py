"""Bodies by loops that were compiled ahead of time: `loops` writes their text, `walks` says in which order elements are
computed, `steps` finds the loops of a body, and `block_programs` computes bodies with them, block by block (blocks.c),
and reductions of them (folds.c). It imports `kernels.core`.
"""
