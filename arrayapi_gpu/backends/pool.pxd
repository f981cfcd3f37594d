from arrayapi_gpu.backends.buffers cimport taken
