cdef class LibraryLaunch:
    cdef object _copies, _report, _product
    cpdef object run(self, list buffers, object scalars, object offsets=*)
