cimport cython

from arrayapi_gpu.kernels.core.ops cimport Op, Rule
from arrayapi_gpu.lazy.build.heavy cimport heavy
from arrayapi_gpu.lazy.graph.dependencies cimport note
from arrayapi_gpu.lazy.graph.graph cimport Handle, Node, constant, leaf, new_node
from arrayapi_gpu.lazy.run.evaluate cimport evaluate, through, write
from arrayapi_gpu.memory.gpuarray cimport GpuArray

cdef Py_ssize_t _most

@cython.locals(new=Handle)
cpdef Handle handle(type cls, Node node)

@cython.locals(node=Node, rule=Rule, weight=Py_ssize_t)
cpdef Node unary(Op op, Node x)

cpdef Node broadcast(Node x, tuple shape)

cpdef Node viewed(Node x, object movement)

cpdef Node view(Node x, object movement, bint fixed=*)

cpdef Node reshaped(Node x, tuple shape)

cpdef Node repeated(Node x, tuple ones, tuple block, tuple shape)

cpdef Node binary(Op op, object x, object y)

@cython.locals(node=Node, table=dict, rule=Rule, weight=Py_ssize_t, shape=tuple)
cpdef Node of_two(Op op, Node x, Node y)

@cython.locals(node=Node, table=dict, rule=Rule, weight=Py_ssize_t)
cpdef Node with_scalar(Op op, Node x, object y)

@cython.locals(table=dict, rule=Rule, weight=Py_ssize_t)
cpdef Node scalar_first(Op op, object x, Node y)

@cython.locals(weight=Py_ssize_t)
cpdef Node apply(Op op, Rule rule, tuple args, tuple shape, object device)

@cython.locals(argument=Node, weight=Py_ssize_t)
cpdef Node step(object operation, tuple args, object dtype, tuple shape)

@cython.locals(node=Node, weight=Py_ssize_t)
cpdef Node element(Node place)

@cython.locals(args=tuple)
cpdef Node original(Node x)

@cython.locals(args=tuple, views=tuple)
cpdef Node uncopied(Node x)

@cython.locals(args=tuple, node=Node)
cpdef Node roll(Node x, object op)

@cython.locals(
    first=Node, part=Node, own=tuple, shape=tuple, length=Py_ssize_t, offset=Py_ssize_t, apart=Py_ssize_t, out=GpuArray,
    target=GpuArray, streamed=bint
)
cpdef Node concat(object parts, Py_ssize_t axis)

@cython.locals(first=Node, part=Node)
cpdef Node stacked(object parts, Py_ssize_t axis)

@cython.locals(first=Node, own=tuple, count=Py_ssize_t, n=Py_ssize_t)
cpdef Node _together(object parts, Py_ssize_t axis, tuple shape)
