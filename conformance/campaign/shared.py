"""T18: memory shared with the host shows no laziness, and no DLPack producer can hurt.

The first part is the table of exposure.py, which covers every public function and every form of assignment. The second
part makes capsules with random wrong fields, as a faulty library would: each is refused by an exception, or it is
harmless and its values are right, and its deleter is called at most once.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from . import exposure
from .row import Budget, Outcome

REFUSALS = (BufferError, TypeError, ValueError, AttributeError, OverflowError, MemoryError)


class DLTensor(ctypes.Structure):
    """DLTensor of the DLPack specification."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned of the DLPack specification."""

    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor),
    )  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)

# Fields and what a faulty producer may put there. Each is wrong for every consumer.
WRONG: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("data", (0,)),
    ("device_type", (0, 2, 7, 99, -1)),
    ("ndim", (-1, -(2**31), 65, 2**31 - 1)),
    ("code", (3, 4, 7, 255)),
    ("bits", (0, 1, 7, 24, 128, 255)),
    ("lanes", (0, 2, 65535)),
    ("major", (2, 2**32 - 1)),
    ("shape", (0,)),
    ("extent", (-1, -(2**63), 2**62, 2**40)),
    ("stride", (2**61, -(2**63))),
    ("byte_offset", (2**63, 2**64 - 1)),
    ("name", (0, 1, 2)),
    ("capsule", (0, 1, 2)),
    ("device", (0, 1, 2)),
)


class Producer:
    """A producer of the numbers 0 to 3, (2, 2) of float32, with one field that is wrong."""

    def __init__(self, field: str, value: int):
        self.memory = np.arange(4, dtype=np.float32)
        self.shape = (ctypes.c_int64 * 2)(2, 2)
        self.strides = (ctypes.c_int64 * 2)(2, 1)
        self.deleted = 0
        self.deleter = DELETER(self._delete)
        tensor = DLTensor(
            self.memory.ctypes.data, 1, 0, 2, 2, 32, 1, ctypes.addressof(self.shape), ctypes.addressof(self.strides), 0
        )
        self.managed = Versioned(1, 0, None, ctypes.cast(self.deleter, ctypes.c_void_p), 0, tensor)
        self.name = b"dltensor_versioned"
        self.field, self.value = field, value
        if field == "extent":
            self.shape[0] = value
            self.shape[1] = 2**40 if value > 0 else 2
        elif field == "stride":
            self.strides[0] = value
        elif field == "name":
            self.name = (b"used_dltensor_versioned", b"dltensor", b"tensor")[value]
        elif field == "major":
            self.managed.major = value
        elif field not in ("capsule", "device"):
            setattr(self.managed.tensor, field, value)

    def _delete(self, _: int) -> None:
        self.deleted += 1

    def __dlpack__(self, **_: Any) -> Any:
        if self.field == "capsule":
            return (None, 3, "a capsule")[self.value]
        return new_capsule(ctypes.addressof(self.managed), self.name, None)

    def __dlpack_device__(self) -> Any:
        return (None, (1,), ("a", "b"))[self.value] if self.field == "device" else (1, 0)


def hostile(rng: np.random.Generator, alive: list[Producer]) -> str | None:
    """Import from a faulty producer, and return what is wrong."""
    field, values = WRONG[int(rng.integers(len(WRONG)))]
    value = values[int(rng.integers(len(values)))]
    if (field, value) == ("name", 1):  # the older struct begins with the tensor, so this one would be garbage
        return None
    producer = Producer(field, value)
    alive.append(producer)  # a deleter may be called at any time
    copy = (None, False, True)[int(rng.integers(3))]
    what = f"a producer whose {field} is {value}, copy={copy}"
    try:
        xp.from_dlpack(producer, copy=copy)
    except REFUSALS:
        pass
    else:
        return f"{what}: no exception"
    gc.collect(0)
    return f"{what}: its deleter was called {producer.deleted} times" if producer.deleted > 1 else None


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run the whole table, where the device shares its memory, and hostile producers."""
    outcome = Outcome()
    alive: list[Producer] = []
    with xp.config.set(device=str(device)):
        if not device.host_shared:
            outcome.notes.append("without the table: this device does not share the host's memory")
        else:
            outcome.faults.extend(f"{name} has no row in exposure.py" for name in sorted(exposure.missing()))
            table = list(exposure.checks(device))
            order = np.random.default_rng(seed).permutation(len(table))
            for number in budget:
                if number >= len(table):
                    break
                name, check = table[order[number]]
                try:
                    wrong = check()
                except Exception as error:
                    wrong = f"{name}: {type(error).__name__}: {error}"
                if wrong:
                    outcome.fault(wrong)
                outcome.done += 1
            outcome.notes.append(f"{outcome.done} of {len(table)} cases of shared memory")
        producers = 0
        for number in Budget(max(100, budget.count // 10), 10.0):
            wrong = hostile(np.random.default_rng([seed, number]), alive)
            if wrong:
                outcome.fault(f"producer {number}: {wrong}")
            producers += 1
        x = xp.from_dlpack(np.arange(3, dtype=np.float32))
        if (x * 2).tolist() != [0.0, 2.0, 4.0]:
            outcome.fault("after them an import gives wrong values")
    outcome.notes.append(f"{producers} hostile producers")
    if not device.host_shared:
        outcome.done += producers
    return outcome
