"""Data type functions (standard, chapters "Data type functions" and "Data types")."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ... import lazy
from ...backends import get_device
from ...backends.base import Device
from ...lazy import handle
from ...memory import dtypes
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, FloatInfo, IntegerInfo, as_dtype
from ..core.arguments import by_name, refused, supported
from ..core.array_object import Array, copied, operand

__all__ = [
    "astype", "bool", "can_cast", "complex64", "complex128", "finfo", "float16", "float32", "float64", "iinfo", "int8",
    "int16", "int32", "int64", "isdtype", "result_type", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

# As in NumPy, the namespace's dtypes are NumPy's scalar types, and `Array.dtype` is a `numpy.dtype`.
bool = np.bool_
int8 = np.int8
int16 = np.int16
int32 = np.int32
int64 = np.int64
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
float16 = np.float16
float32 = np.float32
float64 = np.float64
complex64 = np.complex64
complex128 = np.complex128
# Not part of the standard: bfloat16, if ml_dtypes is installed.
OPTIONAL = {dtype.name: dtype.type for dtype in dtypes.DTYPES if dtype.isbuiltin != 1}


def _dtype_of(value: Any) -> np.dtype[Any]:
    return value.dtype if isinstance(value, (Array, np.ndarray)) else as_dtype(value)


@by_name
def astype(x: Array, dtype: Any, /, *, copy: builtins.bool = True, device: Device | str | None = None) -> Array:
    """Convert an array to another dtype.

    Floating-point numbers out of the range of an integer dtype become the nearest number in it, and NaN becomes 0.
    Integers wrap.

    Parameters
    ----------
    x : Array
        An array of any dtype. A NumPy array is copied to the device first.
    dtype : dtype
        The dtype of the result.
    copy : bool
        Whether to copy if `x` has that dtype already. False returns `x` itself.
    device : Device, str or None
        The device of the result. None is that of `x`.

    Returns
    -------
    Array
        An array of that dtype, of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is complex and the dtype is real, or if the device does not support the dtype.

    See Also
    --------
    asarray, can_cast, Array.astype

    References
    ----------
    Array API standard, chapter "Data type functions": ``astype``.

    Examples
    --------
    >>> print(xp.astype(xp.asarray([1.5, -2.5, 300.0]), xp.int8))
    [  1  -2 127]
    >>> print(xp.astype(xp.asarray([0, 1, 2]), xp.bool))
    [False  True  True]
    """
    if type(x) is not Array:
        x = _taken(x, get_device(device))
    wanted, own = as_dtype(dtype), x.dtype
    if own in COMPLEX_FLOATING and wanted not in COMPLEX_FLOATING | BOOLEAN:
        raise TypeError(f"astype: got {own} and {wanted}; allowed: complex dtypes; use real(x), imag(x) or abs(x)")
    if device is not None and get_device(device) != x.device:
        x = x.to_device(device)
    node = x._node
    supported(wanted, node.device)
    if own is wanted or own == wanted:
        return copied(x) if copy else x
    return handle(Array, lazy.astype(node, wanted))


def _taken(x: Any, device: Device) -> Array:
    """A NumPy array, copied to the device. TypeError for anything else."""
    node = operand(device, x) if isinstance(x, np.ndarray) else NotImplemented
    if node is NotImplemented:
        raise refused("astype", x)
    return handle(Array, node)


def floating(x: Array) -> Array:
    """``x``; if it is of integers or booleans, in the default floating-point dtype of its device."""
    if x.dtype in dtypes.FLOATING:
        return x
    return handle(Array, lazy.astype(x._node, dtypes.defaults("f64" in x.device.dtypes)["real floating"]))


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Return whether type promotion can convert a dtype to another one.

    Parameters
    ----------
    from_ : dtype or Array
        The dtype to convert.
    to : dtype
        The dtype of the result.

    Returns
    -------
    bool
        True if both promote to `to`.

    See Also
    --------
    result_type, astype

    References
    ----------
    Array API standard, chapter "Data type functions": ``can_cast``.

    Examples
    --------
    >>> xp.can_cast(xp.int32, xp.int64)
    True
    >>> xp.can_cast(xp.float64, xp.float32)
    False
    """
    return dtypes.can_cast(_dtype_of(from_), as_dtype(to))


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a floating-point dtype.

    Parameters
    ----------
    type : dtype or Array
        A floating-point dtype, or an array of one. For complex dtypes the limits are those of the real dtype of the
        same precision.

    Returns
    -------
    FloatInfo
        An object with the attributes `bits`, `eps`, `max`, `min`, `smallest_normal` and `dtype`.

    Raises
    ------
    ValueError
        For other dtypes.

    See Also
    --------
    iinfo

    References
    ----------
    Array API standard, chapter "Data type functions": ``finfo``.

    Examples
    --------
    >>> xp.finfo(xp.float32).bits
    32
    >>> print(xp.finfo(xp.float64).eps)
    2.220446049250313e-16
    """
    return dtypes.finfo(_dtype_of(type))


def iinfo(type: Any, /) -> IntegerInfo:
    """Return the limits of an integer dtype.

    Parameters
    ----------
    type : dtype or Array
        An integer dtype, or an array of one.

    Returns
    -------
    IntegerInfo
        An object with the attributes `bits`, `max`, `min` and `dtype`.

    Raises
    ------
    ValueError
        For other dtypes.

    See Also
    --------
    finfo

    References
    ----------
    Array API standard, chapter "Data type functions": ``iinfo``.

    Examples
    --------
    >>> info = xp.iinfo(xp.int8)
    >>> info.min, info.max
    (-128, 127)
    """
    return dtypes.iinfo(_dtype_of(type))


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Return whether a dtype is of a kind.

    Parameters
    ----------
    dtype : dtype
        The dtype.
    kind : dtype, str or tuple
        A dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
        "numeric", or a tuple of these.

    Returns
    -------
    bool
        True if the dtype is of that kind, or of one of those in the tuple.

    Raises
    ------
    ValueError
        For the name of an unknown kind.

    See Also
    --------
    can_cast, finfo

    References
    ----------
    Array API standard, chapter "Data type functions": ``isdtype``.

    Examples
    --------
    >>> xp.isdtype(xp.int32, "integral")
    True
    >>> xp.isdtype(xp.float32, (xp.float64, "bool"))
    False
    """
    return dtypes.isdtype(as_dtype(dtype), kind)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype to which arrays, dtypes and numbers promote.

    Parameters
    ----------
    *arrays_and_dtypes : Array, dtype, bool, int, float or complex
        The operands. A Python number counts by its kind alone: an int next to an array of int8 promotes to int8.

    Returns
    -------
    dtype
        The dtype, a `numpy.dtype`.

    See Also
    --------
    can_cast

    References
    ----------
    Array API standard, chapter "Data type functions": ``result_type``.

    Examples
    --------
    >>> xp.result_type(xp.int32, xp.float32)
    dtype('float64')
    >>> xp.result_type(xp.asarray([1], dtype=xp.int8), 7)
    dtype('int8')
    """
    operands = [v.dtype if isinstance(v, (Array, np.ndarray)) else v for v in arrays_and_dtypes]
    return dtypes.result_type(*operands)
