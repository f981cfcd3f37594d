from cpython.weakref cimport PyWeakref_NewRef

from arrayapi_gpu.lazy.graph.graph cimport Handle, Node

cdef list _noted
cdef Py_ssize_t _limit

cpdef object note(Handle holder)
