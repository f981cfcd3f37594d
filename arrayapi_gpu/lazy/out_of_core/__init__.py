"""Arrays larger than the device's memory: values made of host operands, computed block by block.

`streaming` is the entry point. `blocks` writes a box of a value as an expression over blocks of its host operands,
`shared_reads` computes several values while one operand is read once, and `progress` prints how far it has come. It
imports `lazy.build`.
"""
