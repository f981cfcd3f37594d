cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Node

@cython.locals(key=tuple, reference=object, sums=Node)
cpdef Node total(Node x, tuple axes, bint keepdims)

cpdef Node _total(Node x, tuple axes, bint keepdims)

@cython.locals(shape=tuple)
cpdef tuple _way(Node x, tuple axes)

cpdef Node over(Node total, double count)

@cython.locals(squares=Node)
cpdef Node _squared_deviations(Node x, tuple axes, bint keepdims, Node summed)

cpdef Node _squares(Node distance)
