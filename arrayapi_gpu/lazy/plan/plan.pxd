cdef class Launch:
    cdef public object kind, device, work, reason, bound
    cdef public tuple key
    cdef public list fresh, operands, slots, scalars, settles, frees

cdef class Plan:
    cdef public list launches, nodes, literals, times
    cdef public bint kept
