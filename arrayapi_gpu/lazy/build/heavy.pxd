cimport cython

from arrayapi_gpu.kernels.core.ops cimport Op, Rule
from arrayapi_gpu.lazy.graph.graph cimport Node, new_node, share, sketch_of

cdef Py_ssize_t _most
cdef Py_ssize_t _host

@cython.locals(operands=list, operand=Node, weight=Py_ssize_t, shared=bint, node=Node)
cpdef Node heavy(Op op, Rule rule, tuple args, tuple shape)
