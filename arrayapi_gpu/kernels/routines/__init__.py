"""Routines of linear algebra and Fourier transforms: `routines` computes one by its name, by own kernels or a library.
`matrices` has the kernels of small matrices. It imports `kernels.core`, `kernels.maps` and `kernels.host`.
"""
