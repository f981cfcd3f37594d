cimport cython

from arrayapi_gpu.backends.pool cimport Pool

cdef class Storage:
    cdef object __weakref__
    cdef public object device, buffer, exposure, indices, origin, readers, repeats
    cdef public Py_ssize_t weight, writes
    cdef public bint shared, readonly
    cpdef object changes(self)

cdef class Signature:
    cdef public object device, dtype
    cdef public tuple shape, strides
    cdef public bint met, moved
    cdef public object nbytes, size, weight
    cdef list _home
    @cython.locals(storage=Storage, array=GpuArray, pool=Pool)
    cpdef GpuArray empty(self)
    cpdef GpuArray fresh(self)

cdef class GpuArray:
    cdef public Storage storage
    cdef public object dtype, size, offset
    cdef public tuple shape, strides
    cdef public Signature signature
    cdef public bint contiguous, fixed
    cdef bytes _extents  # shape and strides as numbers of C, for `api.exchange.dlpack_table`
    @cython.locals(view=GpuArray)
    cpdef GpuArray view(self, object layout, object dtype=*)
    @cython.locals(start=Py_ssize_t, stop=Py_ssize_t, step=Py_ssize_t, length=Py_ssize_t, view=GpuArray)
    cpdef GpuArray rows(self, object item)
    @cython.locals(n=Py_ssize_t, view=GpuArray)
    cpdef GpuArray row(self, object index)
    @cython.locals(
        start=Py_ssize_t, stop=Py_ssize_t, length=Py_ssize_t, n=Py_ssize_t, stride=Py_ssize_t, axis=Py_ssize_t, lengths=list, steps=list, view=GpuArray
    )
    cpdef GpuArray part(self, tuple key)
    @cython.locals(storage=Storage, view=GpuArray)
    cdef GpuArray _another(self)

@cython.locals(storage=Storage, signature=Signature)
cpdef object numpy_view(GpuArray array)

cdef dict _found

@cython.locals(signature=Signature, key=tuple)
cpdef Signature signature_of(object device, object dtype, tuple shape, tuple strides=*, Py_ssize_t phase=*)

@cython.locals(signature=Signature, storage=Storage)
cpdef GpuArray empty(object device, object dtype, tuple shape, Py_ssize_t offset=*)
