cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Signature

cdef class Structure:
    cdef public list key, nodes, arrays, scalars, shapes, siblings, needs, followed
    cdef public bint related
    cdef public dict numbers
    cdef public Py_ssize_t own

    @cython.locals(nodes=list, own=Py_ssize_t, places=dict, readers=list, place=Py_ssize_t)
    cpdef list inner(self, list followed)

@cython.locals(found=Structure)
cpdef Structure structure_of(Node top)

@cython.locals(
    key=list, nodes=list, scalars=list, numbers=dict, node=Node, child=Node, shape=tuple, args=tuple, place=Py_ssize_t
)
cpdef bint _walk(Structure found, Py_ssize_t first) except -1

cpdef Structure complete(Structure found)

@cython.locals(nodes=list, arrays=list, own=Py_ssize_t, array=GpuArray)
cdef Structure _with_siblings(Structure found)

@cython.locals(array=GpuArray, node=Node)
cdef object _meet(object argument, Structure found)

@cython.locals(stack=list, visited=set, place=Py_ssize_t, reader=Py_ssize_t, node=Node)
cdef bint _is_inner(Py_ssize_t number, list nodes, list readers) except -1

@cython.locals(signature=Signature)
cdef object _read(GpuArray array, Structure found)

@cython.locals(nodes=list, numbers=dict, shapes=list, other=Node)
cdef bint _add_siblings(Structure found, list others) except -1

@cython.locals(memories=set, array=GpuArray)
cdef bint _share_memory(list arrays) except -1

@cython.locals(
    first=dict, arrays=list, key=list, number=Py_ssize_t, before=Py_ssize_t, array=GpuArray, other=GpuArray
)
cdef object _relate(Structure found, bint moves)
