cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node, settle
from arrayapi_gpu.lazy.plan.graph_key cimport Structure, structure_of
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Signature

@cython.locals(array=GpuArray)
cpdef GpuArray evaluate(Node node)

@cython.locals(
    key=list, arrays=list, buffers=list, scalars=list, array=GpuArray, argument=object, own=tuple, held=Node
)
cdef GpuArray _compute(Node node)

@cython.locals(signature=Signature, out=GpuArray, item=GpuArray, offsets=list)
cdef bint _launch_again(Node node, object known, list buffers, list arrays, list scalars) except -1

@cython.locals(structure=Structure, array=GpuArray, item=GpuArray, own=list, key=tuple)
cdef GpuArray _compute_graph(Node node)

@cython.locals(root=Node)
cpdef GpuArray _there(Node node)
