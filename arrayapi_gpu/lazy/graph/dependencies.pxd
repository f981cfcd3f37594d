cimport cython

from arrayapi_gpu.lazy.graph.graph cimport Handle, Node

cdef list _noted
cdef Py_ssize_t _limit

cdef Py_ssize_t _asked
cdef bint _searching

cpdef object note(Handle holder)

@cython.locals(holder=Handle)
cpdef object forget(Node node)

@cython.locals(count=Py_ssize_t, handle=Handle)
cpdef list recent(Py_ssize_t own)

@cython.locals(found=list, handle=Handle)
cdef list _still_pending(list holders)
