cimport cython

from arrayapi_gpu.lazy.graph.dependencies cimport forget
from arrayapi_gpu.lazy.graph.graph cimport Handle, Node, settle
from arrayapi_gpu.lazy.plan.plan cimport Bound
from arrayapi_gpu.lazy.plan.graph_key cimport Structure, structure_of
from arrayapi_gpu.lazy.run.host_execution cimport computed as computed_on_host, copy_few as copy_now, counts_alone, is_copied
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Signature

@cython.locals(array=GpuArray)
cpdef GpuArray evaluate(Node node)

@cython.locals(array=GpuArray)
cpdef GpuArray _evaluated(Node node)

@cython.locals(holder=Handle, node=Node, nodes=list, left=list)
cpdef list computed_all(tuple holders)

@cython.locals(array=GpuArray, found=GpuArray)
cpdef Node through(Node x, object movement, bint shared, bint fixed=*, object part=*)

cpdef GpuArray memory(Node node)

cpdef object write(Node node, GpuArray out, object group=*)

cdef dict _young
cdef Py_ssize_t _host

@cython.locals(
    key=list, buffers=list, array=GpuArray, signature=Signature, own=tuple, last=Node, args=tuple,
    place=Py_ssize_t, count=Py_ssize_t
)
cdef GpuArray _compute(Node node)

cpdef list _arrays_of(Node node)

@cython.locals(out=GpuArray, offsets=list)
cdef bint _launch_again(Node node, Bound known, list buffers, object scalars, list arrays) except -1

@cython.locals(one=Node, arrays=list)
cdef bint _graph_again(Node node, Bound known, Structure structure) except -1

@cython.locals(structure=Structure, array=GpuArray, key=tuple)
cdef GpuArray _compute_graph(Node node)

@cython.locals(root=Node)
cdef GpuArray _shown(Node node)

cdef object _kept(tuple key, Structure structure)

@cython.locals(root=Node)
cpdef GpuArray _there(Node node)
