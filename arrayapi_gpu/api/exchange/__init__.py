"""Arrays in memory of other libraries (`dlpack_functions`, `gpudata_functions`) and transfers between devices
(`devices`). This room imports `api.core`.
"""
