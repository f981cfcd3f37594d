"""Arrays of structures: NumPy's structured dtypes in device memory, for user kernels.

A field is an array of the namespace: a view if its elements are aligned to their size, a copy otherwise. Structures are
copied and assigned as arrays of words, which are arrays of the namespace, too. Source: pygpu, "arrays of structures".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...backends import get_device
from ...backends.base import Device
from ...kernels.user.raw_text import memory_type
from ...lazy import handle, leaf, memory
from ...memory.dtypes import COMPONENT, DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, upload
from ...memory.layout import basic_index, contiguous_strides
from ..core.arguments import supported
from ..core.array_object import Array
from ..standard.manipulation_functions import concat

__all__ = ["Records"]

UINT8 = DTYPE_OF["u8"]
UNSIGNED_WORDS = DTYPE_OF["u64"], DTYPE_OF["u32"], DTYPE_OF["u16"], UINT8


class Records:
    """An array of structures.

    ``records["name"]`` is a field: records, or an array whose shape is that of the records followed by that of the
    field; ``records["name"] = value`` assigns to it. Integers, slices, ``...`` and None select views. To these, records
    or values that NumPy converts to structures can be assigned.

    Parameters
    ----------
    values : numpy.ndarray or dtype
        An array of a structured dtype, which is copied; or such a dtype, for zeros. Fields are numbers, structures, or
        arrays of these.
    shape : int or tuple of int, optional
        The shape of zeros; by default one structure.
    device : Device or str, optional
        The device; by default the default device.

    Raises
    ------
    TypeError
        For other dtypes.
    KeyError
        For an unknown field.
    IndexError
        For an index out of bounds.

    See Also
    --------
    RawKernel, GpuKernel : Kernels that take records for a pointer to a type that the text does not define.

    References
    ----------
    NumPy, structured arrays; pygpu, arrays of structures.

    Examples
    --------
    >>> import numpy
    >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("place", "f4", 3)]), (2,))
    >>> points["mass"] = 1.5
    >>> points[1] = (2.5, (1, 2, 3))
    >>> points["mass"].tolist(), points["place"].shape
    ([1.5, 2.5], (2, 3))
    """

    __slots__ = ("_own",)

    def __init__(self, values: Any, shape: int | tuple[int, ...] | None = None, *, device: Any = None):
        place = get_device(device)
        if isinstance(values, np.ndarray):
            dtype, extents = values.dtype, values.shape
        else:
            dtype, extents = np.dtype(values), (shape,) if isinstance(shape, int) else tuple(shape or ())
        check_structured(dtype, place)
        bytes_of_all = np.zeros(prod(extents) * dtype.itemsize, np.uint8)
        if isinstance(values, np.ndarray) and values.size:
            bytes_of_all[...] = np.frombuffer(values.tobytes(), np.uint8)
        storage = upload(place, bytes_of_all).storage
        storage.shared = True  # because fields are views of it
        self._own = GpuArray(storage, dtype, extents, contiguous_strides(extents))

    # --- attributes

    @property
    def device(self) -> Device:
        """The device that holds the memory.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.device == xp.asarray(0).device
        True
        """
        return self._own.storage.device

    @property
    def dtype(self) -> np.dtype[Any]:
        """The structured dtype of the elements.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.dtype.names
        ('mass', 'charge')
        """
        return self._own.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.shape
        (2,)
        """
        return self._own.shape

    @property
    def ndim(self) -> int:
        """The number of axes.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.ndim
        1
        """
        return len(self._own.shape)

    @property
    def size(self) -> int:
        """The number of structures.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.size
        2
        """
        return self._own.size

    @property
    def itemsize(self) -> int:
        """The size of one structure in bytes.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.itemsize
        12
        """
        return int(self._own.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """The size of all structures in bytes.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.nbytes
        24
        """
        return self._own.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes to step along each axis.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.strides
        (12,)
        """
        return tuple(step * self.itemsize for step in self._own.strides)

    @property
    def offset(self) -> int:
        """The bytes from the start of `gpudata` to the first structure.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points[1:].offset
        12
        """
        return self._own.offset * self.itemsize

    @property
    def gpudata(self) -> Any:
        """The driver's buffer that holds the structures.

        After it has been read, other code may read and write the memory as long as the buffer lives.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> buffer = points.gpudata
        """
        return self.words().gpudata

    def _memory(self) -> GpuArray:
        return self._own

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of records without dimensions; use size")
        return self.shape[0]

    def words(self) -> Array:
        """View the memory as unsigned integers.

        Returns
        -------
        Array
            The words, with a last axis for those of one structure.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.words().shape, str(points.words().dtype)
        ((2, 3), 'uint32')
        """
        own = self._own
        kind = next(kind for kind in UNSIGNED_WORDS if own.dtype.itemsize % kind.itemsize == 0)
        times = own.dtype.itemsize // kind.itemsize
        strides = (*[step * times for step in own.strides], 1)
        return _array(GpuArray(own.storage, kind, (*own.shape, times), strides, own.offset * times))

    # --- elements

    def __getitem__(self, key: Any) -> Any:
        """The field ``key``, or the view that integers, slices, ``...`` and None select."""
        if not isinstance(key, str):
            items = key if isinstance(key, tuple) else (key,)
            return records_of(self._own.view(basic_index(self._own.layout, items)))
        dtype, offset, inner = self._field(key)
        shape = (*self.shape, *inner)
        if self._is_view(dtype, offset):
            apart = self.dtype.itemsize // dtype.itemsize
            strides = (*[step * apart for step in self._own.strides], *contiguous_strides(inner))
            first = (self._own.offset * self.itemsize + offset) // dtype.itemsize
            return of_memory(GpuArray(self._own.storage, dtype, shape, strides, first))
        copy = memory(self._bytes(offset, dtype.itemsize * prod(inner)).copy()._node)
        return of_memory(GpuArray(copy.storage, dtype, shape, contiguous_strides(shape)))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to a field, or to structures."""
        if not isinstance(key, str):
            self[key].words()[...] = self._words_of(value)
            return
        dtype, offset, inner = self._field(key)
        if self._is_view(dtype, offset):
            self[key][...] = value
            return
        field = self[key]  # a copy
        field[...] = value
        own = field._memory()
        count = dtype.itemsize * prod(inner)
        given = GpuArray(own.storage, UINT8, (*self.shape, count), contiguous_strides((*self.shape, count)))
        self._bytes(offset, count)[...] = _array(given)

    def _words_of(self, value: Any) -> Array:
        """The structures to assign, as `words`. TypeError for records of another dtype, ValueError for another
        device."""
        if getattr(value, "dtype", self.dtype) != self.dtype:
            raise TypeError(f"Records: got {value.dtype}; allowed: {self.dtype}, the dtype of these records")
        if not isinstance(value, Records):
            value = Records(np.asarray(value, self.dtype), device=self.device)
        if value.device is not self.device:
            raise ValueError(
                f"Records: got records on {value.device}; allowed: records on {self.device}; use to_device"
            )
        found: Array = value.words()
        return found

    def has_view(self, name: str) -> bool:
        """Test whether a field is a view, and not a copy.

        It is a view if its elements are aligned to their size.

        Parameters
        ----------
        name : str
            The name of the field.

        Returns
        -------
        bool
            Whether it is a view.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.has_view("charge"), points.has_view("mass")
        (True, False)
        """
        return self._is_view(*self._field(name)[:2])

    def _is_view(self, dtype: np.dtype[Any], offset: int) -> bool:
        """Whether all elements of a field are aligned to their size."""
        return offset % dtype.itemsize == 0 and self.dtype.itemsize % dtype.itemsize == 0

    def _bytes(self, offset: int, count: int) -> Array:
        """The bytes of a field, along the last axis."""
        own, size = self._own, self.dtype.itemsize
        strides = (*[step * size for step in own.strides], 1)
        return _array(GpuArray(own.storage, UINT8, (*own.shape, count), strides, own.offset * size + offset))

    def _field(self, name: str) -> tuple[np.dtype[Any], int, tuple[int, ...]]:
        fields = self.dtype.fields
        assert fields is not None, "checked"
        if name not in fields:
            raise KeyError(f"{name!r}: no such field; allowed: {', '.join(map(repr, fields))}")
        dtype, offset = fields[name][:2]
        return dtype.base, offset, dtype.shape

    # --- copies

    def copy(self) -> Records:
        """Copy the structures.

        Returns
        -------
        Records
            A copy in C order.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.copy().shape
        (2,)
        """
        return self._of_words(self.words().copy(), self.shape)

    def take(self, indices: Any) -> Records:
        """Copy the structures at indices along the first axis.

        Parameters
        ----------
        indices : int, slice, sequence of int or Array
            The indices.

        Returns
        -------
        Records
            The selected structures.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points["charge"] = xp.asarray([7, 8])
        >>> points.take(xp.asarray([1, 0, 1]))["charge"].tolist()
        [8, 7, 8]
        """
        words = self.words()[indices]
        return self._of_words(words, words.shape[:-1])

    def to_device(self, device: Any) -> Records:
        """Copy the structures to another device.

        Parameters
        ----------
        device : Device or str
            The device.

        Returns
        -------
        Records
            The copy; these records themselves if they are there already.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.to_device(points.device) is points
        True
        """
        place = get_device(device)
        if place is self.device:
            return self
        check_structured(self.dtype, place)
        return self._of_words(self.words().copy().to_device(place), self.shape)

    def _of_words(self, words: Array, shape: tuple[int, ...]) -> Records:
        """Records of a shape with a copy of `words`."""
        own = memory(words._node)
        own.storage.shared = True
        return records_of(GpuArray(own.storage, self.dtype, shape, contiguous_strides(shape)))

    # --- on the host

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Copy the structures to the host.

        Returns
        -------
        numpy.ndarray
            The structures.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.to_numpy()["mass"].sum().item()
        0.0
        """
        host = np.asarray(self.words().to_numpy())
        return np.frombuffer(bytearray(host.tobytes()), self.dtype, count=self.size).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A NumPy array with a copy of the structures. ValueError for ``copy=False``."""
        if copy is False:
            raise ValueError("Records: copy=False, but records must be copied to the host; drop copy=False")
        found = self.to_numpy()
        return found if dtype is None else found.astype(dtype)

    def __repr__(self) -> str:
        return f"Records({np.asarray(self)!r}, device={str(self.device)!r})"

    def definition(self, name: str) -> str:
        """Write the definition of the structure in C.

        Parameters
        ----------
        name : str
            The name of the type.

        Returns
        -------
        str
            A ``typedef`` with the offsets of NumPy's dtype.

        Examples
        --------
        >>> import numpy
        >>> points = xp.Records(numpy.dtype([("mass", "f8"), ("charge", "i4")]), (2,))
        >>> points.definition("point").startswith("typedef struct")
        True
        """
        return f"typedef {structure(self.dtype)[0]} {name};"


def records_of(array: GpuArray) -> Records:
    """Records that share existing memory."""
    made = Records.__new__(Records)
    made._own = array
    return made


def of_memory(array: GpuArray) -> Array | Records:
    """The array that shares this memory, or the records if its elements are structures."""
    return _array(array) if array.dtype.fields is None else records_of(array)


def joined(parts: Sequence[Records], axis: int) -> Records:
    """Records of one dtype joined along an axis. ValueError if shapes differ along other axes."""
    words = concat([part.words() for part in parts], axis=axis)
    return parts[0]._of_words(words, words.shape[:-1])


def _array(array: GpuArray) -> Array:
    return handle(Array, leaf(array))


def structure(dtype: np.dtype[Any]) -> tuple[str, int]:
    """The structure in C, without a name, and its alignment in bytes."""
    fields = dtype.fields
    assert fields is not None, "checked"
    members, at, natural = [], 0, 1
    for field, (kind, offset, *_) in sorted(fields.items(), key=lambda item: item[1][1]):
        if offset > at:
            members.append(f"M_u8 pad_{at}[{offset - at}];")
        if kind.base.fields is None:
            word, alignment = memory_type(kind.base, True), COMPONENT.get(kind.base, kind.base).itemsize
        else:
            word, alignment = structure(kind.base)
        natural = max(natural, alignment) if offset % alignment == 0 else dtype.itemsize + 1
        extents = "".join(f"[{extent}]" for extent in kind.shape)
        members.append(f"{word} {field}{extents};")
        at = offset + kind.itemsize
    if at < dtype.itemsize:
        members.append(f"M_u8 pad_{at}[{dtype.itemsize - at}];")
    if dtype.itemsize % natural:
        return f"struct __attribute__((packed)) {{ {' '.join(members)} }}", 1
    return f"struct {{ {' '.join(members)} }}", natural


def check_structured(dtype: np.dtype[Any], device: Device) -> None:
    """Raise TypeError unless a dtype is a structure of numbers that the device supports."""
    if dtype.fields is None:
        raise TypeError(f"Records: got {dtype}; allowed: a structured dtype of NumPy; use asarray for numbers")
    ends = 0
    for name, (field, offset, *_) in sorted(dtype.fields.items(), key=lambda item: item[1][1]):
        known = field.base in SHORT or field.base.fields is not None
        if not known or not name.isidentifier() or offset < ends:
            raise TypeError(
                f"Records: got {field} at byte {offset} as {name!r}; allowed: numbers, structures and arrays of these "
                "that do not overlap, with names valid in C, in the byte order of this machine"
            )
        if field.base.fields is None:
            supported(field.base, device)
        else:
            check_structured(field.base, device)
        ends = offset + field.itemsize
