cimport cython

cdef class Block:
    cdef public object address, give, handle, host, nbytes, views
    cdef public list home

cdef class Memory:
    cdef object __weakref__
    cdef public object block, exposure, give, handle, nbytes
    cdef public bint aligned

@cython.locals(block=Block)
cdef object _returned(Memory memory)

cdef type _plain

@cython.locals(own=Memory, block=Block)
cpdef object taken(list home, object nbytes)
