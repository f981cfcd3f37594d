cimport cython

from arrayapi_gpu.backends.buffers cimport Block, Memory

cdef class _View:
    cdef object _dtype, _strides
    cdef tuple _shape
    @cython.locals(own=Memory, block=Block)
    cdef object of(self, object buffer, object offset)

cdef class _Product:
    cdef _View _out, _a, _b
    cdef object _offsets
