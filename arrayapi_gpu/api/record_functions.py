"""Arrays of structures: NumPy's structured dtypes in device memory, for users' whole kernels.

A field is an array of the namespace. It is a view where its elements lie at multiples of their size; else a copy.
Source: pygpu, "arrays of structures".
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..backends import get_device
from ..backends.base import Device
from ..lazy.build import handle
from ..lazy.evaluate import memory
from ..lazy.graph import leaf
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, upload
from ..memory.layout import contiguous_strides
from .arguments import supported
from .array_object import Array
from .creation_functions import asarray
from .manipulation_functions import broadcast_to, reshape

__all__ = ["Records"]

UINT8 = DTYPE_OF["u8"]


class Records:
    """An array of structures.

    ``values``: a NumPy array of a structured dtype, which is copied, or such a dtype, for zeros of ``shape``. Fields
    are numbers, or arrays of numbers. ``records["name"]`` is a field, an array of the shape of the records and then of
    the field; ``records["name"] = value`` writes it. In the text of a `RawKernel` or a `GpuKernel` a pointer to a type
    that C has not, ``record *x``, is given records; their structure gets that name, and members those of the fields.

    Raises TypeError for other dtypes, KeyError for a field that is not there. Source: NumPy, pygpu.

    >>> import arrayapi_gpu as xp
    >>> import numpy as np
    >>> points = xp.Records(np.dtype([("mass", "f8"), ("place", "f4", 3)]), (2,))
    >>> points["mass"] = 1.5
    >>> points["mass"].tolist(), points["place"].shape
    ([1.5, 1.5], (2, 3))
    """

    __slots__ = ("_memory", "dtype", "shape")

    def __init__(self, values: Any, shape: int | tuple[int, ...] | None = None, *, device: Any = None):
        if isinstance(values, np.ndarray):
            dtype, self.shape = values.dtype, values.shape
        else:
            dtype = np.dtype(values)
            self.shape = (shape,) if isinstance(shape, int) else tuple(shape or ())
        place = get_device(device)
        self.dtype = dtype
        _check(dtype, place)
        count = prod(self.shape)
        host = np.zeros((count, dtype.itemsize), np.uint8)
        if isinstance(values, np.ndarray) and count:
            host[...] = np.frombuffer(values.tobytes(), np.uint8).reshape(host.shape)
        array = upload(place, host)
        array.storage.shared = True  # fields are views of it
        self._memory = handle(Array, leaf(array))

    @property
    def device(self) -> Device:
        """The device that has the memory."""
        return self._memory._node.device

    @property
    def memory(self) -> Array:
        """The bytes: a row for each structure."""
        return self._memory

    @property
    def size(self) -> int:
        """How many structures there are."""
        return prod(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of records without dimensions; use size")
        return int(self.shape[0])

    def __getitem__(self, name: str) -> Array:
        """A field."""
        dtype, offset, inner = self._field(name)
        shape = (*self.shape, *inner)
        if offset % dtype.itemsize == 0 and self.dtype.itemsize % dtype.itemsize == 0:
            own = memory(self._memory._node)
            apart = self.dtype.itemsize // dtype.itemsize
            strides = (*[step * apart for step in contiguous_strides(self.shape)], *contiguous_strides(inner))
            first = (own.offset + offset) // dtype.itemsize
            return handle(Array, leaf(GpuArray(own.storage, dtype, shape, strides, first)))
        return reshape(self._bytes(offset, dtype.itemsize * prod(inner)).copy().view(dtype), shape)

    def __setitem__(self, name: str, value: Any) -> None:
        """Write a field."""
        dtype, offset, inner = self._field(name)
        if offset % dtype.itemsize == 0 and self.dtype.itemsize % dtype.itemsize == 0:
            self[name][...] = value
            return
        shape = (*self.shape, *inner)
        given = asarray(value, device=self.device).astype(dtype)
        rows = reshape(broadcast_to(given, shape), (self.size, prod(inner))).copy()
        self._bytes(offset, dtype.itemsize * prod(inner))[...] = rows.view(UINT8)

    def _bytes(self, offset: int, count: int) -> Array:
        return self._memory[:, offset : offset + count]

    def _field(self, name: str) -> tuple[np.dtype[Any], int, tuple[int, ...]]:
        fields = self.dtype.fields
        assert fields is not None, "checked"
        if name not in fields:
            raise KeyError(f"{name!r}: the records have {', '.join(map(repr, fields))}")
        dtype, offset = fields[name][:2]
        return dtype.base, offset, dtype.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A copy on the host. ValueError where none may be made."""
        if copy is False:
            raise ValueError("Records: they are copied to the host; allowed: copy=None, copy=True")
        host = np.asarray(self._memory).tobytes()
        found = np.frombuffer(bytearray(host), self.dtype, count=self.size).reshape(self.shape)
        return found if dtype is None else found.astype(dtype)

    def __repr__(self) -> str:
        return f"Records({np.asarray(self)!r}, device={str(self.device)!r})"

    def definition(self, name: str) -> str:
        """The structure in C, named ``name``, with NumPy's places of fields."""
        fields = self.dtype.fields
        assert fields is not None, "checked"
        members, at, natural = [], 0, 1
        for field, (dtype, offset, *_) in sorted(fields.items(), key=lambda item: item[1][1]):
            if offset > at:
                members.append(f"M_u8 pad_{at}[{offset - at}];")
            alignment = dtype.base.itemsize // (2 if dtype.base.kind == "c" else 1)
            natural = max(natural, alignment) if offset % alignment == 0 else self.dtype.itemsize + 1
            extents = "".join(f"[{extent}]" for extent in dtype.shape)
            members.append(f"M_{SHORT[dtype.base]} {field}{extents};")
            at = offset + dtype.itemsize
        if at < self.dtype.itemsize:
            members.append(f"M_u8 pad_{at}[{self.dtype.itemsize - at}];")
        packed = "__attribute__((packed)) " if self.dtype.itemsize % natural else ""
        return f"typedef struct {packed}{{ {' '.join(members)} }} {name};"


def _check(dtype: np.dtype[Any], device: Device) -> None:
    if dtype.fields is None:
        raise TypeError(f"Records: got {dtype}; allowed: a structured dtype of NumPy; use asarray for numbers")
    ends = 0
    for name, (field, offset, *_) in sorted(dtype.fields.items(), key=lambda item: item[1][1]):
        if field.base not in SHORT or not name.isidentifier() or offset < ends:
            raise TypeError(
                f"Records: got {field} at byte {offset} as {name!r}; allowed: numbers and arrays of numbers, one after "
                "the other, with names of C, in the byte order of this machine"
            )
        supported(field.base, device)
        ends = offset + field.itemsize
