"""Routines of linear algebra and Fourier transforms: `routine_table` computes one by its name, with own kernels or a
library. `fourier` decides how a transform is computed, `fourier_passes` has its kernels, with the text of `butterflies`
for few elements, and `fourier_tables` their roots of unity; `matrices` has the kernels of small matrices, and
`factorisations` those of large ones. It imports `kernels.core`, `kernels.maps`, `kernels.reductions` and
`kernels.host`.
"""
