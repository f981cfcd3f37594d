"""Kernels: text, compilation and launch. Its rooms, which import only from earlier ones: `core`, `loops`,
`maps`, `reductions`, `ordering`, `user`, `host`, `routines`, `native`. `functions` has the device functions in C.
"""
