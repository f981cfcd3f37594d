from arrayapi_gpu.memory.gpuarray cimport GpuArray

cpdef object assign(GpuArray out, GpuArray source)
