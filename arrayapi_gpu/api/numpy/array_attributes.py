"""Attributes of NumPy's arrays that are objects of their own: ``flags``, ``flat`` and ``base``; and methods for
files."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ...lazy import handle, is_fixed, leaf, memory, rebind
from ...memory.layout import Layout, size
from ..core.array_object import Array
from ..core.memory_order import is_in_order
from ..standard.creation_functions import zeros
from .resizing_functions import resize

# The flags, in the order in which NumPy prints them, and the short names of NumPy's keys.
FLAGS: Final = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
SHORT_FLAGS: Final = {
    "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous", "O": "owndata",
    "W": "writeable", "A": "aligned", "X": "writebackifcopy", "B": "behaved", "CA": "carray", "FA": "farray",
}  # fmt: skip


class Flags:
    """How an array lies in memory, as in NumPy: attributes such as ``c_contiguous``, or ``flags["C_CONTIGUOUS"]``.

    A pending array is in C order when it is computed. ``writeable`` can be set to False.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return is_in_order(self._array._node, "C")

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie in Fortran order without gaps."""
        return is_in_order(self._array._node, "F")

    @property
    def owndata(self) -> bool:
        """Whether the array shows all of its memory (`base`)."""
        return _base(self._array) is None

    @property
    def writeable(self) -> bool:
        """Whether elements can be assigned to."""
        node = self._array._node
        return not (is_fixed(node) if node.array is None else node.array.readonly)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        if value and not self.writeable:
            raise ValueError("flags: got writeable=True for a read-only array; allowed: False; use x.copy()")
        if not value:
            memory(self._array._node).fixed = True

    @property
    def aligned(self) -> bool:
        """True: elements are always aligned."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """False: no array is a copy that is written back."""
        return False

    @property
    def behaved(self) -> bool:
        """Whether the array is aligned and writeable."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Whether the array is behaved and in C order."""
        return self.behaved and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether the array is behaved and in Fortran order, and not in C order."""
        return self.behaved and self.fnc

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Whether the array is in Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Whether the array is in C or Fortran order."""
        return self.f_contiguous or self.c_contiguous

    def __getitem__(self, key: str) -> bool:
        name = SHORT_FLAGS.get(key, key.lower())
        if not isinstance(getattr(Flags, name, None), property):
            raise KeyError(f"flags: got {key!r}; allowed: {', '.join(map(str.upper, FLAGS))}")
        return bool(getattr(self, name))

    def __setitem__(self, key: str, value: bool) -> None:
        if SHORT_FLAGS.get(key, key.lower()) != "writeable":
            raise KeyError(f"flags: got {key!r}; allowed: WRITEABLE")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "".join([f"  {name.upper()} : {getattr(self, name)}\n" for name in FLAGS])


class Flat:
    """The elements of an array in C order, as in NumPy: ``x.flat[3]``, ``x.flat[mask] = 0``, ``for e in x.flat``.

    Indexing makes a copy. Assigned values are repeated if there are fewer than elements.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    @property
    def base(self) -> Array:
        """The array."""
        return self._array

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Array]:
        return iter(self._array.ravel())

    def __getitem__(self, key: Any) -> Array:
        return self._array.ravel()[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        array, flat = self._array, self._array.flatten()
        given = value if isinstance(value, Array) else np.asarray(value)
        if given.ndim and (count := flat[key].size) != given.size:
            given = resize(given, (count,)) if isinstance(given, Array) else np.resize(given, count)
        flat[key] = given.ravel() if given.ndim else value
        array[...] = flat.reshape(array.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._array.ravel().__array__(dtype, copy)

    def __eq__(self, other: object) -> Any:
        return self._array.ravel() == (other._array.ravel() if isinstance(other, Flat) else other)

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Array:
        """The elements in one dimension, as a copy."""
        return self._array.flatten()


def _base(self: Array) -> Array | None:
    """The memory in which the array lies, in one dimension; None if the array has all elements of it.

    Computes the array. Unlike in NumPy it is a new array, so ``y.base is x`` is False.
    """
    own = memory(self._node)
    count = own.storage.buffer.nbytes // own.dtype.itemsize
    return None if own.size >= count else handle(Array, leaf(own.view(Layout((count,), (1,), 0))))


def _set_flat(self: Array, values: Any) -> None:
    Flat(self)[:] = values


def _setflags(self: Array, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
    """Make the array read-only if ``write`` is False. ValueError for True if it is read-only, and for a false ``align``
    or a true ``uic``."""
    if align is not None and not align:
        raise ValueError("setflags: got align=False; allowed: True, because elements are always aligned; drop align=")
    if uic:
        raise ValueError("setflags: got uic=True; allowed: False, because no array is written back; drop uic=")
    if write is not None:
        Flags(self).writeable = write


def _resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Give the array another shape and number of elements in place: elements in C order, then zeros.

    Other arrays that share the memory keep it, so ``refcheck`` has no effect. ValueError for a read-only array.
    """
    given = new_shape[0] if len(new_shape) == 1 else new_shape
    shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not Flags(self).writeable:
        raise ValueError("resize: the array is read-only; use numpy.resize(x, shape)")
    resized = zeros((size(shape),), dtype=self.dtype, device=self.device)
    resized[: self.size] = self.ravel()[: resized.size]
    rebind(self, resized.reshape(shape)._node)


def _tofile(self: Array, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Write the elements to a file in C order, as bytes, or as text if there is a separator."""
    self.to_numpy().tofile(fid, sep, format)


def _dumps(self: Array) -> bytes:
    """The array pickled, as bytes."""
    return pickle.dumps(self)


def _dump(self: Array, file: Any) -> None:
    """Pickle the array to a file: a path, or a binary file."""
    if hasattr(file, "write"):
        pickle.dump(self, file)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened)


def add_attributes() -> None:
    """Add the attributes and methods to `Array`."""
    attributes: dict[str, Any] = {
        "flags": property(Flags, doc="How the array lies in memory (`Flags`)."),
        "flat": property(Flat, _set_flat, doc="The elements in C order (`Flat`)."),
        "base": property(_base),
    }
    for name, value in attributes.items():
        setattr(Array, name, value)
    for method in (_setflags, _resize, _tofile, _dump, _dumps):
        method.__name__ = method.__name__.strip("_")
        method.__qualname__ = f"Array.{method.__name__}"
        setattr(Array, method.__name__, method)
