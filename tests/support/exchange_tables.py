"""Tables of DLPack's C functions, of any library, called as a consumer in C calls them."""

from __future__ import annotations

import ctypes
from typing import Any

from arrayapi_gpu.memory import dlpack

NAME = "__dlpack_c_exchange_api__"

POINTER = ctypes.c_void_p
DELETER = ctypes.PYFUNCTYPE(None, POINTER)  # called with the GIL
FOREIGN_DELETER = ctypes.CFUNCTYPE(None, POINTER)  # called without it
SET_ERROR = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_char_p, ctypes.c_char_p)

_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.POINTER(POINTER), POINTER, SET_ERROR)  # without the GIL
_FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(POINTER))
_TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, POINTER, ctypes.POINTER(ctypes.py_object))
_BORROW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, POINTER)
_STREAM_OF = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(POINTER))

_pointer = ctypes.PYFUNCTYPE(POINTER, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class _Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", POINTER),
        ("allocate", POINTER),
        ("from_object", POINTER),
        ("to_object", POINTER),
        ("borrow", POINTER),
        ("stream_of", POINTER),
    ]


class ExchangeTable:
    """The functions of a class of arrays. Errors of Python are raised, as `ctypes.PYFUNCTYPE` does."""

    def __init__(self, of: type):
        table = _Table.from_address(_pointer(getattr(of, NAME), b"dlpack_exchange_api"))
        self.version, self.previous = (table.major, table.minor), table.previous
        self._allocate = _ALLOCATE(table.allocate)
        self._from_object = _FROM_OBJECT(table.from_object)
        self._to_object = _TO_OBJECT(table.to_object)
        self._borrow = _BORROW(table.borrow)
        self._stream_of = _STREAM_OF(table.stream_of)

    def from_object(self, x: Any) -> Tensor:
        """An array as a tensor that the caller owns."""
        out = POINTER()
        assert self._from_object(x, ctypes.byref(out)) == 0
        return Tensor(out.value)

    def to_object(self, address: int | None) -> Any:
        """An array of a tensor, which it owns."""
        out = ctypes.py_object()
        assert self._to_object(address, ctypes.byref(out)) == 0
        x = out.value
        _drop_reference(x)  # the one that the function has given, besides our own
        return x

    def borrow(self, x: Any) -> Any:
        """An array as a tensor that the array owns."""
        tensor = dlpack._Tensor()
        assert self._borrow(x, ctypes.addressof(tensor)) == 0
        return tensor

    def allocate(self, prototype: Any) -> Tensor | tuple[str, str]:
        """A new tensor, or the kind and the message of an error."""
        out, errors = POINTER(), []

        def note(context: int, kind: bytes, message: bytes) -> None:
            errors.append((context, kind.decode(), message.decode()))

        status = self._allocate(ctypes.addressof(prototype), ctypes.byref(out), 77, SET_ERROR(note))
        if status == 0:
            assert out.value and not errors
            return Tensor(out.value)
        assert status == -1 and out.value is None
        ((context, kind, message),) = errors
        assert context == 77
        return kind, message

    def stream_of(self, device_type: int, device_id: int) -> int | None:
        """The stream in which arrays of a device are computed."""
        out = POINTER(99)
        assert self._stream_of(device_type, device_id, ctypes.byref(out)) == 0
        return out.value


_drop_reference = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))


class Tensor:
    """A managed tensor that a caller owns, at an address."""

    def __init__(self, address: int | None):
        assert address
        self.address = address
        self.managed = dlpack._Versioned.from_address(address)

    @property
    def fields(self) -> Any:
        """Its DLTensor."""
        return self.managed.tensor

    def delete(self) -> None:
        """Call the deleter, with the GIL."""
        DELETER(self.managed.deleter)(self.address)

    def delete_without_gil(self) -> None:
        FOREIGN_DELETER(self.managed.deleter)(self.address)


def extents(tensor: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape and the strides of a DLTensor."""
    return tuple(tensor.shape[: tensor.ndim]), tuple(tensor.strides[: tensor.ndim])


def place(tensor: Any) -> tuple[int, int]:
    """The device of a DLTensor."""
    return tensor.device_type, tensor.device_id
