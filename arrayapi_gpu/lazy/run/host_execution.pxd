from arrayapi_gpu.lazy.graph.graph cimport Node
from arrayapi_gpu.memory.gpuarray cimport GpuArray

cpdef bint is_few(Node node) except -1
cpdef GpuArray computed(Node top, GpuArray out=*)
