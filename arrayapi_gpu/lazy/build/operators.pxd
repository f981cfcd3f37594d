cimport cython

from arrayapi_gpu.kernels.core.ops cimport Op
from arrayapi_gpu.lazy.build.build cimport binary, element, handle, of_two, scalar_first, unary, with_scalar
from arrayapi_gpu.lazy.graph.graph cimport Handle, Node, leaf
from arrayapi_gpu.memory.gpuarray cimport GpuArray

cdef class Operators(Handle):
    pass

@cython.locals(node=Node, array=GpuArray, view=Node)
cpdef object selected(Operators x, object key)

@cython.locals(array=Operators)
cpdef object of_array(Op op, object x)

@cython.locals(first=Operators, second=Operators)
cpdef object of_two_arrays(Op op, object x, object y)

@cython.locals(second=Operators)
cdef object _plain(Op op, Node x, object other)
cdef object _reflected(Op op, Node x, object other)
cdef object _rare(Op op, Node x, object other, bint reflected)
cdef object _in_place(Op op, Operators x, object other)
