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
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
# Not part of the standard: bfloat16, if ml_dtypes is installed.
OPTIONAL = {dtype.name: dtype.type for dtype in dtypes.DTYPES if dtype.isbuiltin != 1}


def _dtype_of(value: Any) -> np.dtype[Any]:
    return value.dtype if isinstance(value, (Array, np.ndarray)) else as_dtype(value)


@by_name
def astype(x: Array, dtype: Any, /, *, copy: builtins.bool = True, device: Device | str | None = None) -> Array:
    """An array with the elements of ``x`` in another dtype.

    Floating-point numbers out of the range of an integer dtype saturate, and NaN becomes 0; integers wrap; complex
    numbers are not converted to real ones (TypeError). ``copy``: False returns ``x`` itself if the dtype is the same.
    ``device``: the device of the result. A NumPy array is accepted too, because libraries call ``astype`` on operands
    that they mix with arrays. Source: standard, ``astype``.
    """
    if type(x) is not Array:
        x = _taken(x, get_device(device))
    wanted = as_dtype(dtype)
    if x.dtype in COMPLEX_FLOATING and wanted not in COMPLEX_FLOATING | BOOLEAN:
        raise TypeError(f"astype: got {x.dtype} and {wanted}; allowed: complex dtypes; use real(x), imag(x) or abs(x)")
    if device is not None and get_device(device) != x.device:
        x = x.to_device(device)
    supported(wanted, x.device)
    if x.dtype == wanted:
        return copied(x) if copy else x
    return handle(Array, lazy.astype(x._node, wanted))


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
    """Whether ``from_``, a dtype or an array, can be cast to dtype ``to`` by the rules of type promotion.

    Source: standard, ``can_cast``."""
    return dtypes.can_cast(_dtype_of(from_), as_dtype(to))


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating-point dtype, or of an array's dtype: bits, eps, max, min, smallest_normal, dtype.

    TypeError for other dtypes. Source: standard, ``finfo``.
    """
    return dtypes.finfo(_dtype_of(type))


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer dtype, or of an array's dtype: bits, max, min, dtype.

    TypeError for other dtypes. Source: standard, ``iinfo``.
    """
    return dtypes.iinfo(_dtype_of(type))


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a dtype is of a kind.

    ``kind``: a dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
    "numeric", or a tuple of these. Source: standard, ``isdtype``.
    """
    return dtypes.isdtype(as_dtype(dtype), kind)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype to which arrays, dtypes and Python scalars promote. Source: standard, ``result_type``."""
    operands = [v.dtype if isinstance(v, (Array, np.ndarray)) else v for v in arrays_and_dtypes]
    return dtypes.result_type(*operands)
