"""Routines of linear algebra and Fourier transforms: `routines` computes one by its name, by own kernels or a library.
It imports `kernels.core`, `kernels.maps` and `kernels.host`.
"""
