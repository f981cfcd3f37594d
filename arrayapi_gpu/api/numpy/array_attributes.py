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
    """How an array lies in memory, as in NumPy.

    Flags are attributes such as ``c_contiguous``, or items such as ``flags["C_CONTIGUOUS"]``. A pending array is in C
    order when it is computed. ``writeable`` can be set to False.

    References
    ----------
    NumPy, ``ndarray.flags``.

    Examples
    --------
    >>> x = xp.ones((2, 3))
    >>> x.flags.c_contiguous, x.T.flags["C_CONTIGUOUS"]
    (True, False)
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
    """The elements of an array in C order, as in NumPy.

    Indexing makes a copy. Assigned values are repeated if there are fewer than elements.

    References
    ----------
    NumPy, ``ndarray.flat``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> x.flat[1:3] = 0
    >>> x.tolist()
    [[1, 0], [0, 4]]
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
    """The memory in which the array lies, if it does not show all of it.

    It is an array of one dimension, or None if the array has all elements of its memory. Reading it computes the array.
    Unlike in NumPy it is a new array each time, so ``y.base is x`` is False.

    Examples
    --------
    >>> x = xp.arange(6)
    >>> x.base is None, x[:2].base is None
    (True, False)
    """
    own = memory(self._node)
    count = own.storage.buffer.nbytes // own.dtype.itemsize
    return None if own.size >= count else handle(Array, leaf(own.view(Layout((count,), (1,), 0))))


def _set_flat(self: Array, values: Any) -> None:
    Flat(self)[:] = values


def _setflags(self: Array, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
    """Make the array read-only.

    Parameters
    ----------
    write : bool, optional
        False makes the array read-only; True is allowed if it is writeable.
    align : bool, optional
        True, because elements are always aligned.
    uic : bool, optional
        False, because no array is a copy that is written back.

    Raises
    ------
    ValueError
        For ``write=True`` if the array is read-only, and for other values of ``align`` and ``uic``.

    References
    ----------
    NumPy, ``ndarray.setflags``.

    Examples
    --------
    >>> x = xp.asarray([1, 2])
    >>> x.setflags(write=False)
    >>> x.flags.writeable
    False
    """
    if align is not None and not align:
        raise ValueError("setflags: got align=False; allowed: True, because elements are always aligned; drop align=")
    if uic:
        raise ValueError("setflags: got uic=True; allowed: False, because no array is written back; drop uic=")
    if write is not None:
        Flags(self).writeable = write


def _resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Give the array another shape and number of elements in place.

    The elements stay in C order; zeros are appended if there are more than before. Other arrays that share the memory
    keep it.

    Parameters
    ----------
    *new_shape : int or tuple of int
        The new shape.
    refcheck : bool, default: True
        No effect.

    Raises
    ------
    ValueError
        If the array is read-only.

    See Also
    --------
    arrayapi_gpu.resize : A copy that repeats the elements.

    References
    ----------
    NumPy, ``ndarray.resize``.

    Examples
    --------
    >>> x = xp.asarray([1, 2])
    >>> x.resize((2, 2))
    >>> x.tolist()
    [[1, 2], [0, 0]]
    """
    given = new_shape[0] if len(new_shape) == 1 else new_shape
    shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not Flags(self).writeable:
        raise ValueError("resize: the array is read-only; use numpy.resize(x, shape)")
    resized = zeros((size(shape),), dtype=self.dtype, device=self.device)
    resized[: self.size] = self.ravel()[: resized.size]
    rebind(self, resized.reshape(shape)._node)


def _tofile(self: Array, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Write the elements to a file in C order.

    Parameters
    ----------
    fid : str, path or file
        The file.
    sep : str, default: ''
        The separator of elements as text; without one, the bytes of the elements are written.
    format : str, default: '%s'
        The format of an element as text.

    See Also
    --------
    arrayapi_gpu.save : Write shape and dtype, too.

    References
    ----------
    NumPy, ``ndarray.tofile``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     xp.asarray([1, 2]).tofile(f"{directory}/x.txt", sep=", ")
    ...     print(pathlib.Path(directory, "x.txt").read_text())
    1, 2
    """
    self.to_numpy().tofile(fid, sep, format)


def _dumps(self: Array) -> bytes:
    """Pickle the array.

    Returns
    -------
    bytes
        The pickled array, for `pickle.loads`.

    See Also
    --------
    dump : Pickle the array to a file.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(xp.asarray([1, 2]).dumps()).tolist()
    [1, 2]
    """
    return pickle.dumps(self)


def _dump(self: Array, file: Any) -> None:
    """Pickle the array to a file.

    Parameters
    ----------
    file : str, path or binary file
        The file.

    See Also
    --------
    dumps : Pickle the array to bytes.

    Examples
    --------
    >>> import io, pickle
    >>> file = io.BytesIO()
    >>> xp.asarray([1, 2]).dump(file)
    >>> pickle.loads(file.getvalue()).tolist()
    [1, 2]
    """
    if hasattr(file, "write"):
        pickle.dump(self, file)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened)


def add_attributes() -> None:
    """Add the attributes and methods to `Array`."""
    attributes: dict[str, Any] = {
        "flags": property(Flags, doc=Flags.__doc__),
        "flat": property(Flat, _set_flat, doc=Flat.__doc__),
        "base": property(_base),
    }
    for name, value in attributes.items():
        setattr(Array, name, value)
    for method in (_setflags, _resize, _tofile, _dump, _dumps):
        method.__name__ = method.__name__.strip("_")
        method.__qualname__ = f"Array.{method.__name__}"
        setattr(Array, method.__name__, method)
