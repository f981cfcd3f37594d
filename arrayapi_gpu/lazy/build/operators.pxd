from arrayapi_gpu.kernels.core.ops cimport Op
from arrayapi_gpu.lazy.build.build cimport binary, handle, of_two, scalar_first, unary, with_scalar
from arrayapi_gpu.lazy.graph.graph cimport Handle, Node

cdef class Operators(Handle):
    pass

cdef object _plain(Op op, Node x, object other)
cdef object _reflected(Op op, Node x, object other)
cdef object _rare(Op op, Node x, object other, bint reflected)
cdef object _in_place(Op op, Operators x, object other)
