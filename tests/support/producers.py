"""Producers of DLPack capsules: of an array, and made field by field, as a foreign library in C would."""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np

from arrayapi_gpu.memory import dlpack

CPU = (1, 0)


class Unversioned(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", dlpack._Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


class Producer:
    """Four float32 numbers in a (2, 2) array, unless a field says otherwise.

    It stays alive for as long as anybody may call its deleter: for ever.
    """

    alive: ClassVar[list[Producer]] = []

    def __init__(self, *, versioned: bool = True, name: bytes | None = None, **wrong: Any):
        self.alive.append(self)
        self.memory = np.arange(4, dtype="float32")
        self.shape = (ctypes.c_int64 * 2)(2, 2)
        self.strides = (ctypes.c_int64 * 2)(2, 1)
        self.deleted = 0
        self.device = CPU
        self.deleter = DELETER(self._delete)
        self.managed: Any = dlpack._Versioned(1, 0) if versioned else Unversioned()
        self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        tensor = self.managed.tensor
        tensor.data, tensor.device_type, tensor.ndim = self.memory.ctypes.data, 1, 2
        tensor.dtype = dlpack._DataType(2, 32, 1)
        tensor.shape, tensor.strides = self.shape, self.strides
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")
        for field, value in wrong.items():
            owner = self.managed if field in ("major", "flags", "deleter") else tensor
            setattr(owner, field, value)

    def _delete(self, _: int) -> None:
        self.deleted += 1

    def __dlpack__(self, **_: Any) -> Any:
        return new_capsule(ctypes.addressof(self.managed), self.name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OldProducer(Producer):
    """One that has never heard of our arguments."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return super().__dlpack__()


class Producing:
    """Gives the capsules of an array, as another library does."""

    def __init__(self, x: Any):
        self.x = x

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()  # type: ignore[no-any-return]


def name_of(capsule: Any) -> str:
    """The name of a capsule."""
    return repr(capsule).split('"')[1]
