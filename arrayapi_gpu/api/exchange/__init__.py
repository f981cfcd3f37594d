"""Functions that bring memory in from elsewhere: `dlpack_functions`, `gpudata_functions`, `devices`. It imports
`api.core`.
"""
