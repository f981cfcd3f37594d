"""Arrays in memory of other libraries (`dlpack_functions`, `gpudata_functions`) and transfers between devices
(`devices`). `dlpack_table` has DLPack's C functions; it exists in the compiled form alone. This room imports
`api.core`.
"""
