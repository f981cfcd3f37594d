from arrayapi_gpu.memory.gpuarray cimport GpuArray

cpdef object assign(GpuArray out, GpuArray source)

cpdef object copied_few(GpuArray source, GpuArray out)
