cdef class BoundKernel:
    cdef object _device, _kernel, _report, _groups, _group, _parameters, _head, _offsets, _tail, _scalars, _bound
    cpdef object run(self, list buffers, object scalars, object offsets=*)
    cdef bytes _packed(self, object scalars, object offsets)
