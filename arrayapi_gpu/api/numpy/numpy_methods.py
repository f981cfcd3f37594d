"""NumPy's methods that equal NumPy's functions: ``x.cumsum(axis=0)`` is ``numpy.cumsum(x, axis=0)``.

They take NumPy's arguments, and dispatch by `numpy_protocols` as the functions do. Methods that modify the array write
to it. Reductions are functions of this namespace.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...memory.dtypes import INTEGRAL
from ..core.array_object import Array
from ..core.memory_order import axes_in_order, put_first
from .rounding import built_in, rounded

# For each method its summary, the arguments after the array, the result, and an example with what it prints.
FUNCTIONS = {
    "argpartition": (
        "Find the indices that move the smallest elements along an axis to its front.",
        "kth, axis, kind, order", "Indices, int64.", "xp.asarray([7, 1, 5, 2]).argpartition(1)[:2]", "[1 3]",
    ),
    "argsort": (
        "Find the indices that sort the array along an axis.",
        "axis, kind, order, stable", "Indices, int64.", "xp.asarray([3, 1, 2]).argsort()", "[1 2 0]",
    ),
    "choose": (
        "Choose each element from the array whose number it is.",
        "choices, out, mode", "The chosen elements.", "xp.asarray([0, 1, 0]).choose([[1, 2, 3], [7, 8, 9]])", "[1 8 3]",
    ),
    "clip": (
        "Limit the elements to a range.",
        "min, max, out", "The limited elements.", "xp.asarray([1, 5, 9]).clip(2, 6)", "[2 5 6]",
    ),
    "compress": (
        "Select sub-arrays along an axis by a vector of booleans.",
        "condition, axis, out", "A copy of the selection.",
        "xp.asarray([7, 8, 9]).compress([True, False, True])", "[7 9]",
    ),
    "cumprod": (
        "Compute cumulative products along an axis.",
        "axis, dtype, out", "The products.", "xp.asarray([1, 2, 3, 4]).cumprod()", "[ 1  2  6 24]",
    ),
    "cumsum": (
        "Compute cumulative sums along an axis.",
        "axis, dtype, out", "The sums.", "xp.asarray([1, 2, 3, 4]).cumsum()", "[ 1  3  6 10]",
    ),
    "diagonal": (
        "View the diagonals of matrices.",
        "offset, axis1, axis2", "A read-only view.", "xp.asarray([[1, 2], [3, 4]]).diagonal()", "[1 4]",
    ),
    "dot": (
        "Compute the dot product with another array.",
        "b, out", "The product.", "xp.asarray([1, 2]).dot(xp.asarray([3, 4]))", "11",
    ),
    "nonzero": (
        "Find the indices of the elements that are not zero.",
        "", "A tuple with a vector of indices, int64, for each axis.", "xp.asarray([0, 3, 5]).nonzero()[0]", "[1 2]",
    ),
    "put": (
        "Assign values to elements at indices of the flattened array, in place.",
        "ind, v, mode", "", "x.put([0, 2], 9)", "[9 2 9]",
    ),
    "repeat": (
        "Repeat the elements along an axis.",
        "repeats, axis", "The longer array.", "xp.asarray([1, 2]).repeat(2)", "[1 1 2 2]",
    ),
    "searchsorted": (
        "Find the indices at which values keep the sorted array in order.",
        "v, side, sorter", "Indices, int64.", "xp.asarray([1, 3, 5]).searchsorted(xp.asarray([2, 5]))", "[1 2]",
    ),
    "swapaxes": (
        "Swap two axes.",
        "axis1, axis2", "A view.", "xp.asarray([[1, 2], [3, 4]]).swapaxes(0, 1)[0]", "[1 3]",
    ),
    "take": (
        "Select elements or sub-arrays by their indices along an axis.",
        "indices, axis, out, mode", "A copy of the selection.",
        "xp.asarray([5, 6, 7]).take(xp.asarray([2, 0]))", "[7 5]",
    ),
    "trace": (
        "Sum the diagonals of matrices.",
        "offset, axis1, axis2, dtype, out", "The sums.", "xp.asarray([[1, 2], [3, 4]]).trace()", "5",
    ),
}  # fmt: skip

# For each reduction its summary, the result, and the result for [[1, 2], [3, 4]] along axis 0.
REDUCTIONS = {
    "sum": ("Sum the elements along axes.", "The sums.", "[4 6]"),
    "prod": ("Multiply the elements along axes.", "The products.", "[3 8]"),
    "min": ("Find the smallest elements along axes.", "The smallest elements.", "[1 2]"),
    "max": ("Find the largest elements along axes.", "The largest elements.", "[3 4]"),
    "mean": ("Compute the mean along axes.", "The means.", "[2. 3.]"),
    "var": ("Compute the variance along axes.", "The variances.", "[1. 1.]"),
    "std": ("Compute the standard deviation along axes.", "The standard deviations.", "[1. 1.]"),
    "any": ("Test whether any element along axes is true or not zero.", "Booleans.", "[ True  True]"),
    "all": ("Test whether all elements along axes are true or not zero.", "Booleans.", "[ True  True]"),
    "argmin": ("Find the index of the smallest element along an axis.", "Indices, int64.", "[0 0]"),
    "argmax": ("Find the index of the largest element along an axis.", "Indices, int64.", "[1 1]"),
}
MEANS = ("mean", "var", "std")  # NumPy allows integer dtypes for these


def _reduction(name: str, function: Callable[..., Array]) -> Callable[..., Array]:
    def method(self: Array, axis: Any = None, *args: Any, **options: Any) -> Array:
        options.update(zip(after, args, strict=False))
        chosen = numpys if name in MEANS and "dtype" in options else function
        return chosen(self, axis=axis, **options)

    numpys = getattr(np, name)
    after = [p.name for p in inspect.signature(numpys).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][2:]
    summary, result, prints = REDUCTIONS[name]
    kind, which = ("int", "axis") if name.startswith("arg") else ("int or tuple of int", "axes")
    axis_of = f"axis : {kind}, optional\n    The {which}; by default all elements are reduced.\n"
    example = f">>> print(xp.asarray([[1, 2], [3, 4]]).{name}(axis=0))\n{prints}\n"
    return _named(method, name, _described(name, summary, axis_of, ", ".join(after), result, example))


def _of_numpy(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def method(self: Array, *args: Any, **options: Any) -> Any:
        if name == "compress":  # its array is the second argument
            return function(args[0], self, *args[1:], **options)
        return function(self, *args, **options)

    summary, arguments, result, call, prints = FUNCTIONS[name]
    shown = f">>> print({call})\n{prints}\n"
    if not result:
        shown = f">>> x = xp.asarray([1, 2, 3])\n>>> {call}\n>>> print(x)\n{prints}\n"
    return _named(method, name, _described(name, summary, "", arguments, result, shown))


def _described(name: str, summary: str, first: str, others: str, result: str, example: str) -> str:
    """The docstring of a method. ``first``: the description of its first argument; ``others``: names of others."""
    arguments = f"The other arguments of `numpy.{name}`, in this order: {others}." if others else "No arguments."
    kind = "None" if not result else "tuple of Array" if "tuple" in result else "Array"
    return (
        f"{summary}\n\nParameters\n----------\n{first}*args : Any\n    {arguments}\n**options : Any\n"
        f"    Arguments by name, as in `numpy.{name}`.\n\nReturns\n-------\n{kind}\n"
        f"    {result or 'The array is changed.'}\n\nSee Also\n--------\n"
        f"numpy.{name} : The function, with all its arguments.\n\nExamples\n--------\n{example}"
    )


def _round(self: Array, decimals: int = 0, out: Any = None) -> Any:
    """Round the elements to a number of decimals, halves to even.

    Parameters
    ----------
    decimals : int, default: 0
        The elements become multiples of ``10**-decimals``.
    out : Array, optional
        The array to write to.

    Returns
    -------
    Array
        The rounded elements in the dtype of the array, or ``out``.

    Raises
    ------
    TypeError
        For booleans.

    See Also
    --------
    numpy.round : The function.

    Examples
    --------
    >>> print(xp.asarray([1.25, 2.75, 0.5]).round(1), xp.asarray(1234).round(-2))
    [1.2 2.8 0.5] 1200
    """
    return rounded(self, decimals) if out is None else np.round(self, decimals, out=out)


def _sort(self: Array, axis: int = -1, **options: Any) -> None:
    """Sort the array along an axis in place.

    Parameters
    ----------
    axis : int, default: -1
        The axis.
    **options : Any
        Arguments of `numpy.sort`, by name, such as ``kind`` and ``stable``.

    See Also
    --------
    arrayapi_gpu.sort : A sorted copy.

    Examples
    --------
    >>> x = xp.asarray([3, 1, 2])
    >>> x.sort()
    >>> print(x)
    [1 2 3]
    """
    self[...] = np.sort(self, axis=axis, **options)


def _partition(self: Array, kth: Any, axis: int = -1, **options: Any) -> None:
    """Move the smallest elements along an axis to its front, in place.

    Parameters
    ----------
    kth : int or sequence of int
        The indices of elements that must be at their sorted positions.
    axis : int, default: -1
        The axis.
    **options : Any
        The arguments ``kind`` and ``order`` of `numpy.partition`, by name.

    See Also
    --------
    arrayapi_gpu.partition : The same as a copy.

    Examples
    --------
    >>> x = xp.asarray([3, 1, 2])
    >>> x.partition(0)
    >>> print(x[0])
    1
    """
    self[...] = np.partition(self, kth, axis=axis, **options)


def _fill(self: Array, value: Any) -> None:
    """Assign one value to all elements.

    Parameters
    ----------
    value : scalar or Array
        The value, which is cast to the dtype of the array.

    Examples
    --------
    >>> x = xp.zeros(3)
    >>> x.fill(1.5)
    >>> print(x)
    [1.5 1.5 1.5]
    """
    self[...] = value


def _tobytes(self: Array, order: str | None = "C") -> bytes:
    r"""Copy the bytes of the elements to the host.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, default: 'C'
        The order of the elements: "C", the last axis changes fastest; "F", the first one does; "A", "F" if the array is
        in Fortran order and not in C order, otherwise "C"; "K" is the same as "C".

    Returns
    -------
    bytes
        The elements.

    Examples
    --------
    >>> xp.asarray([1, 258], dtype=xp.uint16).tobytes()
    b'\x01\x00\x02\x01'
    """
    axes = axes_in_order("tobytes", self._node, "C" if order in ("K", "k") else order)
    host: np.ndarray[Any, Any] = put_first(self, axes).to_numpy()
    return host.tobytes()


def _bytes(self: Array) -> bytes:
    """The bytes of the elements in C order, because Python would take integers for bytes. As in NumPy, a single integer
    is a number of zeros."""
    return bytes(int(self)) if not self.ndim and self.dtype in INTEGRAL else _tobytes(self)


def _conjugate(self: Array) -> Array:
    """Compute the complex conjugates of the elements.

    Returns
    -------
    Array
        The conjugates; the array itself if it is real.

    See Also
    --------
    arrayapi_gpu.conj : The function.

    Examples
    --------
    >>> print(xp.asarray([1 + 2j, 3j]).conjugate())
    [1.-2.j 0.-3.j]
    """
    return self.conj()


def _divmod(self: Array, other: Any) -> tuple[Any, Any]:
    """The quotient and the remainder, as `numpy.divmod` has them."""
    return np.divmod(self, other)


def _rdivmod(self: Array, other: Any) -> tuple[Any, Any]:
    """The quotient and the remainder of a number or array by this array, as `numpy.divmod` has them."""
    return np.divmod(other, self)


def _named(method: Callable[..., Any], name: str, says: str | None) -> Callable[..., Any]:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Array.{name}", says
    return method


def add_methods(namespace: dict[str, Any]) -> None:
    """Add the methods to `Array`; ``namespace``: the names of this package, whose reductions they call."""
    for name in FUNCTIONS:
        setattr(Array, name, _of_numpy(name))
    for name in REDUCTIONS:
        setattr(Array, name, _reduction(name, namespace[name]))
    own: dict[str, Callable[..., Any]] = {
        "round": _round, "__round__": built_in, "sort": _sort, "partition": _partition, "fill": _fill,
        "tobytes": _tobytes, "__bytes__": _bytes, "conjugate": _conjugate, "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
    }  # fmt: skip
    for name, method in own.items():
        setattr(Array, name, _named(method, name, method.__doc__))
