"""Arrays larger than the device's memory: values made of host operands, computed block by block.

`streaming` is the entry point, and says in which blocks a value is computed. `jobs` computes each kind of value from
its blocks, `shared_reads` has the loop that runs jobs, `blocks` writes a box of a value as an expression over blocks of
its host operands, and `progress` prints how many blocks are done. The room imports `lazy.build` and the rooms below
that.
"""
