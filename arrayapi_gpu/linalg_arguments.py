"""Checks of the arguments of `linalg` and `linalg_extras`, and the dtypes in which these compute."""

from __future__ import annotations

from typing import Any

from . import lazy
from .api.core.arguments import refused
from .api.core.array_object import Array
from .lazy import handle, routine
from .memory.dtypes import BOOLEAN, COMPONENT, COMPUTES_IN, INTEGRAL, NUMERIC, DType, defaults


def floating_array(name: str, x: Array) -> Array:
    """``x`` in a floating-point dtype. TypeError for booleans, and unless ``x`` is an array."""
    if not isinstance(x, Array):
        raise refused(name, x)
    if x.dtype in BOOLEAN:
        raise TypeError(f"{name}: got bool; allowed: numeric dtypes; convert with astype")
    if x.dtype in INTEGRAL:
        return cast(x, defaults("f64" in x.device.dtypes)["real floating"])
    return x


def matrices_of(name: str, x: Array) -> Array:
    x = floating_array(name, x)
    if x.ndim < 2:
        raise ValueError(f"{name}: the array has shape {x.shape}; allowed: 2 axes or more; use reshape or expand_dims")
    return x


_FOR_ANY = "pinv or lstsq to solve, svd to decompose"  # for matrices that are not square


def square_matrices(name: str, x: Array) -> Array:
    x = matrices_of(name, x)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: the matrices have shape {x.shape[-2:]}; allowed: square matrices; use {_FOR_ANY}")
    return x


def numeric_pair(name: str, x1: Array, x2: Array) -> None:
    for x in (x1, x2):
        if not isinstance(x, Array):
            raise TypeError(f"{name}: got {type(x).__name__}; allowed: arrayapi_gpu arrays; use asarray")
        if x.dtype not in NUMERIC:
            raise TypeError(f"{name}: got {x.dtype}; allowed: numeric dtypes; convert with astype")
    if x1.device is not x2.device:
        raise lazy.different_devices(name, x1.device, x2.device)


def cast(x: Array, dtype: DType) -> Array:
    """``x`` in another dtype; the same expression if it has that dtype already."""
    return handle(Array, lazy.astype(x._node, dtype))


def widened(x: Array) -> Array:
    """``x`` in the dtype of the computation; the caller rounds once, at the end."""
    return cast(x, COMPUTES_IN[x.dtype])


def real_dtype(x: Array) -> DType:
    return COMPONENT.get(x.dtype, x.dtype)


def computed(name: str, *operands: Array, **options: Any) -> list[Array]:
    return [handle(Array, node) for node in routine(name, *[x._node for x in operands], **options)]
