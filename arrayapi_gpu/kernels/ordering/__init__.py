"""Kernels in which the order of elements counts: `scan`, `scan_passes`, `sort`, `search`, `distinct`, `compact`.
It imports `kernels.maps`.
"""
