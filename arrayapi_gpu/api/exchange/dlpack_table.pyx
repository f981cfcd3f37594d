"""DLPack's table of C functions: other libraries take arrays, and make them, without Python code in between.

A consumer finds the table, in a capsule, on the type of an array (``__dlpack_c_exchange_api__``). The functions follow
the rules of `Array.__dlpack__` and `from_dlpack` and call their parts. An array in memory is exported without Python
frames, except for those of `depart` and, on devices without streams, `Device.wait`. This module exists in the compiled
form alone. Source: DLPack 1.3 (dlpack.h), ``DLPackExchangeAPI``.

No function waits for work of a device with streams: the consumer works in the stream that `_stream_of` gives it, after
the work queued there. On other devices the array is computed when a function returns, since they have no stream to give.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t

from arrayapi_gpu.lazy.graph.graph cimport Handle, Node
from arrayapi_gpu.memory.gpuarray cimport GpuArray, Storage

from arrayapi_gpu.api.core.arguments import supported
from arrayapi_gpu.api.core.array_object import Array
from arrayapi_gpu.api.core.exports import capsule as capsule_of
from arrayapi_gpu.api.exchange.dlpack_functions import from_dlpack
from arrayapi_gpu.backends import devices, get_device
from arrayapi_gpu.backends.base import KDL_CPU, Block, FixedBuffer
from arrayapi_gpu.lazy import evaluate, expose
from arrayapi_gpu.memory.dlpack import CODE_OF, READ_ONLY, VERSION, described, offered
from arrayapi_gpu.memory.gpuarray import empty
from arrayapi_gpu.memory.layout import contiguous_strides

cdef extern from "Python.h":
    int Py_IsInitialized() nogil
    void PyErr_Fetch(PyObject** kind, PyObject** value, PyObject** traceback)
    void PyErr_Restore(PyObject* kind, PyObject* value, PyObject* traceback)


cdef struct Tensor:  # DLTensor
    void* data
    int32_t device_type, device_id
    int32_t ndim
    uint8_t code, bits
    uint16_t lanes
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

cdef struct Managed:  # DLManagedTensorVersioned
    uint32_t major, minor
    void* manager
    void (*deleter)(Managed*) noexcept nogil
    uint64_t flags
    Tensor tensor

ctypedef void (*SetError)(void* context, const char* kind, const char* message) noexcept nogil

cdef struct Table:  # DLPackExchangeAPI
    uint32_t major, minor
    void* previous
    int (*allocate)(Tensor* prototype, Managed** out, void* context, SetError fail) noexcept nogil
    int (*from_object)(void* given, Managed** out) except -1
    int (*to_object)(Managed* managed, void** out) except -1
    int (*borrow)(void* given, Tensor* out) except -1
    int (*stream_of)(int32_t device_type, int32_t device_id, void** out) except -1

cdef const char* OFFERED = "dltensor_versioned"
cdef const char* CONSUMED = "used_dltensor_versioned"
cdef int MAJOR = 1, MINOR = 3


# --- out -------------------------------------------------------------------------------------------------------------

cdef Node _node_of(object given):
    if not isinstance(given, Array):
        raise TypeError(f"DLPack: got {type(given).__name__}; allowed: arrays of arrayapi_gpu")
    return (<Handle>given)._node


cdef bint _goes_backwards(GpuArray array) except -1:
    """Whether a non-empty array has a negative stride; `exports.capsule` copies such arrays, and says why."""
    cdef Py_ssize_t step
    if array.size:
        for step in array.strides:
            if step < 0:
                return True
    return False


cdef uintptr_t _address(object device, object buffer, object exposure) except? 0:
    """The address of a buffer, as the field data of DLPack has it, after its work is done or, in streams, queued."""
    block = buffer.block
    if device.host_shared:
        if type(block) is Block and block.address is not None:  # neither borrowed memory nor memory that has moved
            device.wait()
            return block.address
        return device.host_view(buffer, exposure).__array_interface__["data"][0]
    if device.exchange is not None:
        return buffer.handle if type(buffer) is FixedBuffer else device.address(buffer)
    address = device.address(buffer)
    device.wait()
    return address


cdef int _describe(Tensor* tensor, GpuArray array, object exposure, int64_t* extents) except -1:
    """Fill in a tensor. ``extents``: room for shape and strides, which lives as long as the tensor."""
    cdef Storage storage = array.storage
    cdef Py_ssize_t ndim = len(array.shape), axis
    cdef uint64_t itemsize = array.dtype.itemsize, offset = array.offset * itemsize
    device = storage.device
    strides = array.strides if array.size else contiguous_strides(array.shape)
    for axis in range(ndim):
        extents[axis] = array.shape[axis]
        extents[ndim + axis] = strides[axis]
    tensor.device_type, tensor.device_id = device.dlpack
    tensor.ndim, tensor.shape, tensor.strides = <int32_t>ndim, extents, extents + ndim
    tensor.code, tensor.bits, tensor.lanes = CODE_OF[array.dtype], <uint8_t>(8 * itemsize), 1
    tensor.data, tensor.byte_offset = NULL, 0
    if not array.size:
        return 0
    tensor.data = <void*>_address(device, storage.buffer, exposure)
    if device.host_shared or device.exchange is not None:  # an address to which the offset can be added
        tensor.data = <char*>tensor.data + offset
    else:
        tensor.byte_offset = offset
    return 0


cdef Managed* _managed(GpuArray array, object exposure) except NULL:
    """A tensor that keeps the memory's exposure alive until its deleter is called."""
    cdef Managed* managed = <Managed*>PyMem_RawMalloc(sizeof(Managed) + 2 * len(array.shape) * sizeof(int64_t))
    if managed == NULL:
        raise MemoryError("DLPack: no memory for the description of an array")
    try:
        _describe(&managed.tensor, array, exposure, <int64_t*>(managed + 1))
    except BaseException:
        PyMem_RawFree(managed)
        raise
    managed.major, managed.minor, managed.deleter = MAJOR, MINOR, _release
    managed.flags = READ_ONLY if array.fixed or array.storage.readonly else 0
    Py_INCREF(exposure)
    managed.manager = <void*>exposure
    return managed


cdef void _release(Managed* managed) noexcept nogil:
    """The deleter of `_managed`: any thread may call it, also without the GIL."""
    if Py_IsInitialized():  # otherwise the objects are gone
        with gil:
            Py_DECREF(<object>managed.manager)
    PyMem_RawFree(managed)


cdef Managed* _taken_from(object capsule) except NULL:
    """The tensor of a capsule, which is consumed."""
    cdef Managed* managed = <Managed*>PyCapsule_GetPointer(capsule, OFFERED)
    PyCapsule_SetName(capsule, CONSUMED)
    return managed


cdef int _from_object(void* given, Managed** out) except -1:
    """An array as a tensor that the consumer owns: the memory itself, or a copy if a stride is negative."""
    node = _node_of(<object>given)
    memory = evaluate(node)
    if _goes_backwards(memory):
        stream = None if node.device.exchange is None else -1
        out[0] = _taken_from(capsule_of(node, stream, VERSION, None, None))
    else:
        memory, exposure = expose(node)
        out[0] = _managed(memory, exposure)
    return 0


cdef int _borrow(void* given, Tensor* out) except -1:
    """An array as a tensor that the array owns, for use until the consumer returns. Nothing tells when that is, so the
    memory stays exposed. BufferError for an array that is read-only, which such a tensor cannot say, and for negative
    strides."""
    cdef GpuArray memory
    node = _node_of(<object>given)
    memory = evaluate(node)
    if memory.fixed or memory.storage.readonly:
        raise BufferError("DLPack: the array is read-only, which a borrowed tensor cannot state; take a managed tensor")
    if _goes_backwards(memory):
        raise BufferError(f"DLPack: the array has negative strides {memory.strides}; copy it first")
    memory, exposure = expose(node)
    memory.storage.exposure = exposure
    if memory._extents is None:
        memory._extents = PyBytes_FromStringAndSize(NULL, 2 * len(memory.shape) * sizeof(int64_t))
    return _describe(out, memory, exposure, <int64_t*>PyBytes_AS_STRING(memory._extents))


cdef object _device_of(int32_t device_type, int32_t device_id):
    """The device of this library that uses the memory of a device of DLPack; the default device if it does."""
    place = device_type, device_id
    for device in (get_device(None), *devices()):
        if device.dlpack == place:
            return device
    raise BufferError(
        f"DLPack: memory of device {place}; allowed: {', '.join(sorted({str(device.dlpack) for device in devices()}))}"
    )


cdef int _stream_of(int32_t device_type, int32_t device_id, void** out) except -1:
    """The stream in which arrays of a device are computed, and in which a consumer must work; NULL without streams."""
    out[0] = NULL
    if device_type != KDL_CPU:
        exchange = _device_of(device_type, device_id).exchange
        if exchange is not None:
            out[0] = <void*><uintptr_t>exchange.stream
    return 0


cdef Managed* _allocated(Tensor* prototype) except NULL:
    dtype, shape = described(<uintptr_t>prototype)
    device = _device_of(prototype.device_type, prototype.device_id)
    cdef GpuArray array = empty(device, supported(dtype, device), shape)
    return _managed(array, array.storage.expose())


cdef int _allocate(Tensor* prototype, Managed** out, void* context, SetError fail) noexcept with gil:
    """An uninitialised tensor with the dtype, the shape and the device of another one. A consumer may call it without
    the GIL, so errors go through a function of its own."""
    out[0] = NULL
    try:
        out[0] = _allocated(prototype)
        return 0
    except BaseException as error:
        kind, message = type(error).__name__.encode(), str(error).encode("utf-8", "replace")
        fail(context, kind, message)
        return -1


# --- in --------------------------------------------------------------------------------------------------------------

cdef enum Owner:
    UNDECIDED, ARRAY, CALLER

cdef struct Import:
    Managed managed  # a copy, which is consumed in place of the original
    Managed* original
    Owner owner
    bint gone  # the copy is used no more


cdef void _drop(Managed* managed) noexcept nogil:
    """The deleter of a copy. Until it is decided who owns the original, that is only noted."""
    cdef Import* own = <Import*>managed
    if own.owner == UNDECIDED:
        own.gone = True
    else:
        _settle(own)


cdef void _settle(Import* own) noexcept nogil:
    if own.owner == ARRAY and own.original.deleter != NULL:
        own.original.deleter(own.original)
    PyMem_RawFree(own)


cdef void _drop_capsule(object capsule) noexcept:
    cdef PyObject* kind = NULL
    cdef PyObject* value = NULL
    cdef PyObject* traceback = NULL
    if PyCapsule_IsValid(capsule, OFFERED):  # it was not consumed
        PyErr_Fetch(&kind, &value, &traceback)
        _drop(<Managed*>PyCapsule_GetPointer(capsule, OFFERED))
        PyErr_Restore(kind, value, traceback)


cdef int _to_object(Managed* managed, void** out) except -1:
    """An array of a tensor, by `from_dlpack`. The array owns the tensor then; after an error the caller still does, and
    TVM deletes it then."""
    out[0] = NULL
    if managed == NULL:
        raise ValueError("DLPack: no tensor (NULL)")
    cdef Import* own = <Import*>PyMem_RawMalloc(sizeof(Import))
    if own == NULL:
        raise MemoryError("DLPack: no memory for the description of an array")
    own.managed, own.original, own.owner, own.gone = managed[0], managed, UNDECIDED, False
    own.managed.deleter = _drop
    try:
        x = from_dlpack(offered(PyCapsule_New(own, OFFERED, _drop_capsule)))
        own.owner = ARRAY
        Py_INCREF(x)
        out[0] = <void*>x
        return 0
    except BaseException:
        own.owner = CALLER
        raise
    finally:
        if own.gone:
            _settle(own)


# ---------------------------------------------------------------------------------------------------------------------

cdef Table _table
_table.major, _table.minor, _table.previous = MAJOR, MINOR, NULL
_table.allocate = _allocate
_table.from_object = _from_object
_table.to_object = _to_object
_table.borrow = _borrow
_table.stream_of = _stream_of

table = PyCapsule_New(&_table, "dlpack_exchange_api", NULL)
