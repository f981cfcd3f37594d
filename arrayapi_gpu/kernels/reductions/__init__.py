"""Kernels that combine elements: `reduce` in the order of `reduce_schedule`, segment by segment in `reduce_passes`;
`rows`, whose text is made in `rows_text`, reduces rows within a larger expression; `matmul`. It imports `kernels.maps`.
"""
