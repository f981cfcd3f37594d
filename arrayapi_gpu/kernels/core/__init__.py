"""The parts of every kernel.

`operation` has the methods of all operations, `ops` is the table of element-wise ones, `monoid` that of reductions,
`body` the program for one element, `dialect` the C in which kernels are written, `library` its device functions,
`texts` kernels in C files. `schedule` divides work, `staging` that of short rows, `specialise` decides which layouts
get kernels of their own, `tuning` has the measured numbers, `launch` compiles and starts kernels, `traffic` counts the
bytes that they read and write, `store` keeps them, and `borrowing` lets loops compute while kernels are compiled. It
imports no other room of `kernels`.
"""
