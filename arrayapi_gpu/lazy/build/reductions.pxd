cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node

@cython.locals(shape=tuple)
cpdef Node reduction(object monoid, Node x, tuple axes, bint keepdims, object dtype)
