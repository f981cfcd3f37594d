from arrayapi_gpu.backends.buffers cimport taken

cdef class Pool:
    cdef object __weakref__
    cdef public object alloc, usual, spilling, lock, peak
    cdef public object _name, _memory, _max_alloc, _create, _drain, _destroy, _reclaim, _knob, _held
    cdef public dict _free
    cpdef list home(self, object nbytes)
    cpdef object buffer(self, object nbytes, list home)
