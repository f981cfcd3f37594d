cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node, settle
from arrayapi_gpu.lazy.plan.plan cimport Bound, Launch, Plan
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Signature

@cython.locals(
    nodes=list, memory=list, scalars=list, launch=Launch, one=Signature, given=Py_ssize_t, number=Py_ssize_t,
    slot=Py_ssize_t, array=GpuArray, times=list, bound=Bound, node=Node
)
cpdef object run(Plan plan, object graph)

@cython.locals(root=Node)
cdef object _settle(Node node, GpuArray array)

cdef GpuArray _run_step(Launch launch, list memory, Py_ssize_t given)

@cython.locals(array=GpuArray, shape=tuple, strides=tuple, whole=bint)
cpdef object made(object item, list memory, Py_ssize_t given)

@cython.locals(array=GpuArray)
cpdef GpuArray run_step(object step, object operands, Signature result)

@cython.locals(key=list, own=tuple, operand=GpuArray, array=GpuArray, buffers=list, offsets=list, known=Bound)
cdef GpuArray _launched_again(object step, object operands, Signature result)
