"""Kernels in which the order of elements counts: `scan`, `scan_passes`, `sort`, `search`, `distinct`, `compact`.
`by_numpy` has the same functions for devices without a compiler. It imports `kernels.maps`.
"""
