cimport cython

from arrayapi_gpu.memory.gpuarray cimport GpuArray

cdef class FixedLaunch:
    cdef object _device, _kernel, _name, _items, _group, _parameters
    cdef Py_ssize_t _begun
    cdef list _idle
    @cython.locals(array=GpuArray, buffers=list)
    cpdef object run(self, object arrays, object moved)
    cdef object _start(self, list buffers)

cdef class BoundKernel:
    cdef object _device, _kernel, _report, _groups, _group, _parameters, _head, _offsets, _tail, _scalars, _bound
    cpdef object run(self, list buffers, object scalars, object offsets=*)
    cdef bytes _packed(self, object scalars, object offsets)
