cimport cython

from arrayapi_gpu.kernels.core.operation cimport Operation
from arrayapi_gpu.kernels.core.ops cimport Rule
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Storage

cdef class Node:
    cdef object __weakref__
    cdef public Operation op
    cdef public Rule rule
    cdef public object dtype, device, array, handle, readers, sketch, sums, views  # array: also a promised one
    cdef public tuple args, shape
    cdef public Py_ssize_t weight
    cdef public Py_ssize_t met

cdef class Handle:
    cdef object __weakref__
    cdef public Node _node

cdef class Source:
    cdef public Node node

@cython.locals(node=Node)
cpdef Node new_node(
    Operation op, tuple args, Rule rule, object dtype, tuple shape, object device, Py_ssize_t weight
)

@cython.locals(node=Node, storage=Storage)
cpdef Node leaf(GpuArray array)

@cython.locals(storage=Storage)
cpdef object settle(Node node, GpuArray array)

cpdef Node constant(object value, object dtype, tuple shape, object device)

cpdef object sketch_of(object operands)

@cython.locals(queue=list, visited=set, node=Node, child=Node)
cpdef bint share(object operands) except -1

@cython.locals(node=Node, bits=object)
cdef object _union(object nodes)

@cython.locals(stack=list, node=Node, child=Node)
cdef object _sketch(Node top)

cdef object _memory_bits(Storage storage)
