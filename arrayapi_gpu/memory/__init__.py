"""Arrays in memory, and how they are exchanged.

`dtypes` has the dtypes and their promotion, `layout` shapes and strides, `boxes` parts of arrays, `gpuarray` the array
in device memory, `dlpack` its exchange, and `page_locks` host memory that devices copy quickly. The room imports
`backends`.
"""
