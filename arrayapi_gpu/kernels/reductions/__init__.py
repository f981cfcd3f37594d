"""Kernels that combine elements: `reduce` in the order of `reduce_schedule`, segment by segment in `reduce_passes`, and
few elements by `short`; `coordinates` are those of several reduced axes. `rows`, whose text is made in `rows_text`,
reduces rows within a larger expression. `matmul` multiplies matrices: by the device's library, with explicit
vectors, by `tiles`, or by `fragments`; all in `pieces` of the summed index, or with `epilogues`. It imports
`kernels.maps`.
"""
