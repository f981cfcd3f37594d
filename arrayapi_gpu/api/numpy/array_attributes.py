"""Attributes of NumPy's arrays that are objects of their own: ``flags``, ``flat`` and ``base``; and methods for
files."""

from __future__ import annotations

import pickle
from typing import Any

from ...lazy import rebind
from ...memory.layout import size
from ..core.array_object import Array
from ..core.flags_and_flat import Flags, Flat, base
from ..standard.creation_functions import zeros


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
        "base": property(base),
    }
    for name, value in attributes.items():
        setattr(Array, name, value)
    for method in (_setflags, _resize, _tofile, _dump, _dumps):
        method.__name__ = method.__name__.strip("_")
        method.__qualname__ = f"Array.{method.__name__}"
        setattr(Array, method.__name__, method)
