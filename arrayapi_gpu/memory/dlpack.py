"""DLPack: capsules out and in, by versions 1.x and by the older, unversioned form.

NumPy makes the capsules that go out and takes over those that come in: its deleters are C code, which works also while
an exception is raised, in foreign threads, and when the interpreter ends. This module does the rest: a capsule that
comes in is read and checked before it is trusted, and an exported one gets the device of its memory. Sources: the
DLPack specification (dlpack.h), and the standard's chapter "Data interchange mechanisms".
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from ..backends.base import HostArray
from ..backends.exposures import Exposure
from .dtypes import BFLOAT16, BOOLEAN, COMPLEX_FLOATING, DTYPES, REAL_FLOATING, SIGNED, STORED_AS, UNSIGNED, DType
from .gpuarray import GpuArray
from .layout import contiguous_strides

CPU = (1, 0)  # kDLCPU
VERSION = (1, 0)  # requested from a producer
# kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged: memory that the host may read.
HOST_DEVICES = frozenset({1, 3, 11, 13})
READ_ONLY, IS_COPIED = 1, 2  # flags of a versioned capsule

MAX_DIMENSIONS = 64  # NumPy's
ADDRESSES = 2**56 if sys.maxsize > 2**32 else 2**32  # no process has memory beyond

# Type codes of the specification; bfloat16 has its own.
_CODES = {BOOLEAN: 6, SIGNED: 0, UNSIGNED: 1, REAL_FLOATING: 2, COMPLEX_FLOATING: 5, BFLOAT16: 4}
CODE_OF = {dtype: code for kind, code in _CODES.items() for dtype in kind}
_DTYPES = {(code, 8 * dtype.itemsize): dtype for dtype, code in CODE_OF.items()}


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


# Separate prototypes, because all code shares those on `ctypes.pythonapi` itself.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class CopyNeeded(BufferError, ValueError):
    """An error of ``copy=False`` where a copy is needed: the standard names both classes, in two sentences."""


def _open(capsule: Any) -> tuple[_Tensor, _Versioned | None]:
    """Return the tensor in a capsule, and the versioned struct around it if there is one."""
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        # The fields behind the version may mean something else in another major version.
        if managed.major != VERSION[0]:
            raise BufferError(
                f"DLPack: a capsule of version {managed.major}.{managed.minor}; allowed: 1.x and unversioned ones"
            )
        return managed.tensor, managed
    if _is_valid(capsule, b"dltensor"):
        return _Tensor.from_address(_pointer(capsule, b"dltensor")), None
    raise BufferError(
        f"DLPack: got {type(capsule).__name__} {capsule!r:.80}; "
        'allowed: a capsule named "dltensor" or "dltensor_versioned" that was not consumed yet'
    )


def capsule_of(host: np.ndarray[Any, Any], max_version: Any, *, copied: bool = False, copy: bool = False) -> Any:
    """Return a kDLCPU capsule of a host array, versioned if the consumer's ``max_version`` is 1.0 or more.

    ``copied``: the array is a copy already, which the capsule must state. ``copy``: the array must be copied now.
    BufferError for read-only memory in the older form, which cannot state that.
    """
    return _capsule_of(host, host.dtype, copied, max_version=max_version, copy=True if copy else None)[0]


def _capsule_of(host: HostArray, dtype: DType, copied: bool, **options: Any) -> tuple[Any, _Tensor]:
    """Return NumPy's capsule of elements of a dtype, which NumPy need not know, and the tensor in the capsule."""
    capsule = host.view(STORED_AS.get(dtype, dtype)).__dlpack__(**options)
    tensor, managed = _open(capsule)
    tensor.dtype.code = CODE_OF[dtype]
    if copied and managed is not None:
        managed.flags |= IS_COPIED
    return capsule, tensor


def interface_of(array: GpuArray, address: int) -> dict[str, Any]:
    """Return the array interface, version 3, of memory whose first element is at ``address``."""
    return {
        "version": 3,
        "shape": array.shape,
        "typestr": array.dtype.str,
        "strides": tuple(step * array.dtype.itemsize for step in array.strides),
        "data": (address if array.size else 0, array.readonly),
    }


def shadow_of(owner: Any, interface: dict[str, Any]) -> HostArray:
    """Return an array of the memory that an array interface, version 3, describes; ``owner`` keeps the memory alive."""
    return np.asarray(_Described(owner, interface))


class _Described:
    """An object that NumPy takes for an array because of its interface."""

    def __init__(self, owner: Any, interface: dict[str, Any]):
        self._alive = owner
        self.__array_interface__ = {key: interface[key] for key in ("shape", "typestr", "data")}
        self.__array_interface__ |= {"version": 3, "strides": interface.get("strides")}


def device_capsule(array: GpuArray, exposure: Exposure, address: int, max_version: Any, *, copied: bool = False) -> Any:
    """Return a capsule of device memory from the driver's ``address`` on; it keeps the memory's exposure alive."""
    device, offset = array.storage.device, array.offset * array.dtype.itemsize
    if device.exchange is not None:  # the offset can be added to its addresses, which every consumer understands
        address, offset = address + offset, 0
    shadow = shadow_of(exposure, interface_of(array, address))
    capsule, tensor = _capsule_of(shadow, array.dtype, copied, max_version=max_version)
    tensor.device_type, tensor.device_id = device.dlpack
    tensor.byte_offset = offset
    return capsule


class Offer:
    """A capsule as `numpy.from_dlpack` and this library's want it presented: the method of an object on a device."""

    def __init__(self, capsule: Any, device: tuple[int, int] = CPU):
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def offered(capsule: Any) -> Offer:
    """Return the offer of a capsule on the device that it names. BufferError for anything but a valid capsule."""
    tensor, _ = _open(capsule)
    return Offer(capsule, (tensor.device_type, tensor.device_id))


def described(address: int) -> tuple[DType, tuple[int, ...]]:
    """Return the dtype and the shape of the tensor at an address. BufferError for invalid ones."""
    return _dtype_and_shape(_Tensor.from_address(address))


def read(capsule: Any) -> tuple[np.ndarray[Any, Any], bool]:
    """Consume a capsule: return its host array, and whether that is a copy made for this call.

    The array calls the producer's deleter when the memory is not used any more. It is read-only if the producer
    demands it, and for the unversioned form, in which no producer can. BufferError for anything that is not valid host
    memory; the capsule is unchanged then.
    """
    tensor, managed = _open(capsule)
    if tensor.device_type not in HOST_DEVICES:
        raise BufferError(
            f"DLPack: memory of device {(tensor.device_type, tensor.device_id)}; allowed: host memory, (1, 0)"
        )
    return _consumed(capsule, tensor, _checked(tensor)), _is_copied(managed)


def read_device(capsule: Any, device: tuple[int, int]) -> tuple[HostArray, bool]:
    """As `read`, for memory of a device: the "host array" has its address, and its elements must not be read."""
    tensor, managed = _open(capsule)
    place = tensor.device_type, tensor.device_id
    if place != device:
        raise BufferError(f"DLPack: memory of device {place}; the producer promised {device}")
    dtype = _checked(tensor)
    copied = _is_copied(managed)
    tensor.device_type, tensor.device_id = CPU
    try:
        return _consumed(capsule, tensor, dtype), copied
    finally:
        tensor.device_type, tensor.device_id = place


def _is_copied(managed: _Versioned | None) -> bool:
    return managed is not None and bool(managed.flags & IS_COPIED)


def _consumed(capsule: Any, tensor: _Tensor, dtype: DType) -> HostArray:
    """Return NumPy's array of a capsule with elements of a dtype, which NumPy need not know."""
    code = tensor.dtype.code
    tensor.dtype.code = CODE_OF[STORED_AS.get(dtype, dtype)]
    try:
        host: HostArray = np.from_dlpack(Offer(capsule)).view(dtype)
        return host
    finally:
        tensor.dtype.code = code


def _dtype_and_shape(tensor: _Tensor) -> tuple[DType, tuple[int, ...]]:
    kind = tensor.dtype
    dtype = _DTYPES.get((kind.code, kind.bits))
    if dtype is None or kind.lanes != 1:
        raise BufferError(
            f"DLPack: elements of type code {kind.code}, {kind.bits} bits, {kind.lanes} lanes; "
            f"allowed: {', '.join(map(str, DTYPES))}"
        )
    ndim = tensor.ndim
    if not 0 <= ndim <= MAX_DIMENSIONS or (ndim and not tensor.shape):
        raise BufferError(f"DLPack: {ndim} axes; allowed: 0 ... {MAX_DIMENSIONS}, and a shape")
    shape = tuple(tensor.shape[:ndim])
    if any(n < 0 for n in shape):
        raise BufferError(f"DLPack: shape {shape}; allowed: extents of 0 and more")
    return dtype, shape


def _checked(tensor: _Tensor) -> DType:
    """Return the dtype of a valid tensor; BufferError for an invalid one."""
    dtype, shape = _dtype_and_shape(tensor)
    ndim = len(shape)
    strides = tuple(tensor.strides[:ndim]) if ndim and tensor.strides else contiguous_strides(shape)
    if 0 in shape:
        return dtype
    if not tensor.data:
        raise BufferError(f"DLPack: no memory (NULL) for an array of shape {shape}")
    reach = [(n - 1) * step * dtype.itemsize for n, step in zip(shape, strides, strict=True)]
    first = tensor.data + tensor.byte_offset
    low = first + sum(step for step in reach if step < 0)
    high = first + sum(step for step in reach if step > 0) + dtype.itemsize
    if low <= 0 or high > ADDRESSES:
        raise BufferError(f"DLPack: shape {shape} with strides {strides} leaves the memory of a process")
    return dtype
