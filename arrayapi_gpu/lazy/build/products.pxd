cimport cython

from arrayapi_gpu.lazy.build.build cimport step
from arrayapi_gpu.lazy.graph.graph cimport Node

@cython.locals(own=tuple, other=tuple, batch=tuple, columns=bint)
cpdef Node product(Node a, Node b)
