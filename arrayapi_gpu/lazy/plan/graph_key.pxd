cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node

cdef class Structure:
    cdef public list key, nodes, arrays, scalars, shapes, siblings, needs
    cdef public bint related
    cdef public dict numbers

cpdef structure_of(Node top)

@cython.locals(key=list, nodes=list, scalars=list, numbers=dict, node=Node, child=Node, shape=tuple, args=tuple)
cpdef bint _walk(Structure found, Py_ssize_t first) except -1
