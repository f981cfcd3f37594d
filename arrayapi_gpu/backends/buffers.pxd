cimport cython

cdef class Block:
    cdef public object address, give, handle, home, host, nbytes, views

cdef class Memory:
    cdef object __weakref__
    cdef public object block, exposure, give, handle, nbytes
    cdef public bint aligned

@cython.locals(own=Memory, block=Block)
cpdef object taken(list home, object nbytes)
