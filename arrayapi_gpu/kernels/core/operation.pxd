cdef class Operation:
    pass
