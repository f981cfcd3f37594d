"""Values from the host: numbers, nested lists and NumPy arrays that users pass.

Every function that accepts such values converts them by `host_values` or `number`, so all raise the same errors and
cast by the same rule (`memory.dtypes`, "casts").

A host array is a `numpy.ndarray` or a `numpy.memmap`. Other subclasses are refused, because they mean more than their
elements (units, masks, another product), which would be lost: `refuse_subclass` raises the error. Operators return
NotImplemented for the subclasses that `answers_operators` finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...lazy import Handle
from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    INTEGRAL,
    SHORT,
    DType,
    as_dtype,
    cast,
    fit,
    iinfo,
    is_numeric,
    is_ordered,
    is_real_floating,
    promote,
)

PYTHON_SCALARS = (bool, int, float, complex)
Scalar = complex | np.generic  # of Python and of NumPy, in annotations
HOST_ARRAYS = (np.ndarray, np.memmap)

# Dtypes of NumPy's arrays alone, into which any numbers can be converted.
HOST_DTYPES = (np.str_, np.bytes_, np.object_)
HOST_NAMES = (str, bytes, object, "str", "bytes", "object", *HOST_DTYPES)

_ALLOWED = "allowed: numbers, nested lists of numbers, arrays, objects with DLPack or a buffer"


def host_values(name: str, values: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """A host array of a number, a nested list, a NumPy array, or any other value that NumPy converts to numbers.

    ``name``: the function that was called; ``dtype``: the dtype to cast to by the rule of casts, None for the one that
    NumPy chooses. TypeError for values that are not numbers, and for subclasses of ndarray; OverflowError for integers
    that do not fit ``dtype``, or any integer dtype; ValueError for NaN in an integer dtype, for lists of unequal
    lengths, and for masked elements.
    """
    refuse_subclass(name, values, converts=True)
    if dtype is not None and _is_number(values):
        return np.asarray(fit(values, dtype), dtype)
    host = np.asarray(values)
    if not is_numeric(host.dtype):
        host = _unusual(name, values, host, dtype)
    if dtype is None or host.dtype == dtype:
        return host
    if isinstance(values, (list, tuple)) and dtype in INTEGRAL and not _within(host, dtype):
        return _one_by_one(values, host.shape, dtype)
    return cast(host, dtype)


def is_of_host(dtype: Any) -> bool:
    """Whether a dtype is one of strings or objects, which only NumPy's arrays have."""
    return dtype in HOST_NAMES or (isinstance(dtype, np.dtype) and dtype.type in HOST_DTYPES)


def answers_operators(value: Any) -> bool:
    """Whether a value is of a subclass of ndarray with ``__array_ufunc__``, which handles ufuncs and operators."""
    kind = type(value)
    return (
        kind not in HOST_ARRAYS
        and isinstance(value, np.ndarray)
        and kind.__array_ufunc__ is not np.ndarray.__array_ufunc__
    )


def multiplies(value: Any) -> bool:
    """Whether ``@`` takes a value as its other operand."""
    return isinstance(value, (Handle, np.ndarray)) and not answers_operators(value)


def plain(name: str, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The host array itself; TypeError for an array of a subclass (`refuse_subclass`)."""
    refuse_subclass(name, value)
    return value


def refuse_subclass(name: str, value: Any, converts: bool = False) -> None:
    """Raise TypeError for an array of a subclass of ndarray, also in lists and tuples; ValueError for masked elements.

    ``name``: the function that was called; ``converts``: whether it only converts the values, as `asarray` does, and so
    accepts a masked array in which no element is masked.
    """
    kind = type(value)
    if kind in HOST_ARRAYS or not issubclass(kind, (np.ndarray, list, tuple)):
        return
    if not isinstance(value, np.ndarray):
        if any(
            [issubclass(one, (np.ndarray, list, tuple)) and one not in HOST_ARRAYS for one in set(map(type, value))]
        ):
            for item in value:
                refuse_subclass(name, item, converts)
        return
    if isinstance(value, np.ma.MaskedArray):
        if np.any(value.mask):
            raise ValueError(
                f"{name}: got a MaskedArray with masked elements; allowed: arrays without masked elements; use "
                "x.filled(value)"
            )
        if converts:
            return
    own = "x.value or " if hasattr(kind, "value") else ""
    raise TypeError(
        f"{name}: got {kind.__name__}, a subclass of numpy.ndarray, whose meaning would be lost; allowed: "
        f"numpy.ndarray, numpy.memmap; use {own}numpy.asarray(x)"
    )


def _is_number(value: Any) -> bool:
    """Whether a value is a Python scalar, or a NumPy scalar of a supported dtype."""
    if isinstance(value, np.generic):
        return value.dtype in SHORT
    return isinstance(value, PYTHON_SCALARS)


def check_exponent(name: str, dtype: DType, exponent: Any) -> None:
    """Raise ValueError for integers to the power of a negative integer (a Python or NumPy scalar), unless the two
    promote to a floating-point dtype, as uint64 and int64 do."""
    if not isinstance(exponent, (int, np.integer)) or exponent >= 0:
        return
    common = dtype if isinstance(exponent, int) else promote(dtype, exponent.dtype)
    if common in BOOLEAN | INTEGRAL:
        raise ValueError(
            f"{name}: got {dtype} to the power {exponent}; allowed: exponents >= 0, or floating-point dtypes; "
            f"write x.astype(float) ** {exponent}"
        )


def number(name: str, argument: str, value: Any) -> int | float | complex:
    """An argument as one number: a Python or NumPy scalar, or the element of a 0-dimensional array. TypeError
    otherwise. ``name``: the function; ``argument``: the argument's name."""
    if isinstance(value, PYTHON_SCALARS):
        return value
    if getattr(value, "ndim", None) == 0 and is_numeric(getattr(value, "dtype", None)):
        one: int | float | complex = value.item()
        return one
    raise TypeError(
        f"{name}: got {type(value).__name__} for {argument}; allowed: a number, or a 0-dimensional array; use x[0]"
    )


def real_number(name: str, argument: str, value: Any) -> float:
    """An argument as one real number (`number`), as a float. OverflowError for an integer too large for float64."""
    one = number(name, argument, value)
    if isinstance(one, (complex, np.complexfloating)):
        raise TypeError(f"{name}: got {one!r} for {argument}; allowed: a real number; take its real part with .real")
    try:
        return float(one)
    except OverflowError:
        raise OverflowError(
            f"{name}: got an integer of {one.bit_length()} bits for {argument}; allowed: the range of float64"  # type: ignore[union-attr]
        ) from None


def _unusual(name: str, values: Any, host: np.ndarray[Any, Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    """The numbers of a value for which NumPy finds no numeric dtype: Python integers of more than 64 bits, or an
    error."""
    if isinstance(values, (np.ndarray, np.generic)):
        as_dtype(host.dtype)  # raises the error
    for value in _leaves(values):
        if not isinstance(value, (*PYTHON_SCALARS, np.number, np.bool_)):
            raise TypeError(f"{name}: got {type(value).__name__}; {_ALLOWED}; convert an iterable with list(...)")
    if dtype in INTEGRAL:
        return host
    if dtype is None:
        largest = max((v for v in _leaves(values) if isinstance(v, int)), key=abs, default=0)
        raise OverflowError(
            f"{name}: got an integer of {largest.bit_length()} bits; allowed: -2**63 to 2**64 - 1; write it as a float"
        )
    try:
        return np.asarray(values, np.complex128 if dtype in COMPLEX_FLOATING else np.float64)
    except OverflowError:
        raise OverflowError(
            f"{name}: got an integer that is out of bounds for {dtype}; use a larger dtype, or floats"
        ) from None


def _leaves(values: Any) -> Iterator[Any]:
    """The numbers of a nested list, in order."""
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves(value)
    elif isinstance(values, np.ndarray):
        yield from values.flat
    else:
        yield values


def _within(host: np.ndarray[Any, Any], dtype: DType) -> bool:
    """Whether NumPy converted a list without rounding, and all values fit the integer dtype."""
    if not is_ordered(host.dtype) or host.dtype == bool:
        return bool(host.dtype != object)
    low, high = iinfo(dtype).min, iinfo(dtype).max
    if is_real_floating(host.dtype):  # integers mixed with floats are rounded from 2**53 on
        low, high = max(low, 1 - 2**53), min(high, 2**53 - 1)
    smallest, largest = (host.min().item(), host.max().item()) if host.size else (low, low)
    return low <= smallest and largest <= high


def _one_by_one(values: Any, shape: tuple[int, ...], dtype: DType) -> np.ndarray[Any, Any]:
    out = np.empty(shape, dtype)
    out.reshape(-1)[:] = list(_fitted(values, dtype))
    return out


def _fitted(values: Any, dtype: DType) -> Iterator[Any]:
    """The numbers of a nested list in a dtype, in order; host arrays in the list are cast by the rule for arrays."""
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _fitted(value, dtype)
    elif isinstance(values, (*PYTHON_SCALARS, np.generic)):
        yield fit(values, dtype)
    else:
        yield from cast(np.asarray(values), dtype).flat
