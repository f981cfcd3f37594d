"""Routines of linear algebra and Fourier transforms: `routine_table` computes one by its name, with own kernels or a
library. `fourier` has the kernels of transforms, and `butterflies` their text for few elements; `matrices` has the
kernels of small matrices, and `factorisations` those of large ones. It imports `kernels.core`, `kernels.maps`,
`kernels.reductions` and `kernels.host`.
"""
