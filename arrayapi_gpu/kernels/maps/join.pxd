cimport cython

from arrayapi_gpu.memory.gpuarray cimport GpuArray

@cython.locals(array=GpuArray, joined=list, sizes=list, offsets=list)
cpdef object join(GpuArray out, object arrays, object rows)
