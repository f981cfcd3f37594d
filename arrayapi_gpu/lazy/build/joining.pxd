cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node
from arrayapi_gpu.memory.gpuarray cimport GpuArray

@cython.locals(part=Node, array=GpuArray, arrays=list)
cpdef list arrays_of(object parts)

@cython.locals(first=GpuArray, array=GpuArray, own=tuple, out=GpuArray, stacked=GpuArray, equal=bint)
cpdef Node joined(object arrays, Py_ssize_t axis, tuple shape)
