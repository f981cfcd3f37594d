"""Users' kernels: expressions, functions and whole kernels in C are parsed, checked and translated into the dialect.

`user_expressions` parses one-line operations, on the numbers of `user_values`, `user_functions` functions, `raw_text`
whole kernels; `user_operators` types their operators with the types of `user_kinds`, and `number_functions` has the
functions that must not be contracted. `user_parameters` parses parameters; `user_launch` starts kernels. It imports
`kernels.core`.
"""
