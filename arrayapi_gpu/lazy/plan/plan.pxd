from arrayapi_gpu.memory.gpuarray cimport Signature

cdef class Bound:
    cdef public object kernel, run
    cdef public Signature signature
    cdef public bint moved
    cdef public tuple order

cdef class Launch:
    cdef public object kind, device, work, reason
    cdef public Bound bound
    cdef public tuple key
    cdef public list fresh, operands, slots, scalars, settles, frees

cdef class Plan:
    cdef public list launches, nodes, literals, times
    cdef public bint kept
