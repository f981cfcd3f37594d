cimport cython

from arrayapi_gpu.kernels.maps.copy cimport copied_few
from arrayapi_gpu.lazy.graph.graph cimport Node
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Storage

cpdef bint is_few(Node node) except -1
cpdef GpuArray computed(Node top, GpuArray out=*)
cpdef bint is_copied(Node node) except -1

@cython.locals(own=Storage, other=Storage)
cpdef object copy_few(GpuArray source, GpuArray target, bint counted)

cpdef bint counts_alone(Node node) except -1
