"""Fourier transforms of the host: by ducc0 or SciPy where one is installed, otherwise by NumPy.

SciPy and ducc0 use all processors (`config.threads`) and transform float32 and complex64 in single precision, in a
third of NumPy's time or less. The library is chosen at the first transform and stays the same in a process.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...backends.base import HostArray
from ...backends.host_memory import processors
from ...config import config
from ...memory.dtypes import COMPLEX_FLOATING, COMPONENT, DTYPE_OF, promote

TRANSFORM_LIBRARIES = ("ducc0", "scipy", "numpy")  # the first that is installed computes
BY_ONE_THREAD = 1 << 14  # elements: fewer are transformed by one thread


@cache
def library() -> str:
    """Return the library of the host's transforms, one of `TRANSFORM_LIBRARIES`."""
    return next(name for name in TRANSFORM_LIBRARIES if find_spec(name) is not None)


def transform(
    name: str,
    x: HostArray,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: HostArray | None = None,
) -> HostArray:
    """Return the transform ``name``, one of NumPy's "fftn", "ifftn", "rfftn" and "irfftn", with its arguments. ``out``:
    memory for the result, which is returned if the library can use it."""
    found: HostArray
    chosen = library()
    if chosen == "ducc0" and x.size:
        found = _by_ducc(name, x, s, axes, norm or "backward", out)
        return found if out is None else out
    if chosen == "scipy":
        x = _prepared(name, x, x.ndim if axes is None else len(axes))
    if axes is not None and len(axes) == 1:  # functions of one axis take less time before they begin
        where: dict[str, Any] = {"n": None if s is None else s[0], "axis": axes[0]}
        name = name[:-1]
    else:
        where = {"s": s, "axes": axes}
        if s is not None and tuple(s) != default_lengths(name, x.shape, range(x.ndim) if axes is None else axes):
            out = None  # NumPy would use it for intermediate results of other shapes
    if chosen == "scipy":
        found = getattr(_module("scipy.fft"), name)(x, **where, norm=norm, workers=_threads(x.size))
        return found
    found = getattr(np.fft, name)(x, **where, norm=norm, out=out)
    return found if out is None else out


def result_of(
    name: str, dtype: np.dtype[Any], shape: tuple[int, ...], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: str | None = None,
) -> tuple[np.dtype[Any], tuple[int, ...]]:  # fmt: skip
    """Return the dtype and the shape of a transform."""
    pair = promote(dtype, DTYPE_OF["c64"])
    places = tuple(range(len(shape))) if axes is None else tuple(axes)
    lengths = [*shape]
    for axis, n in zip(places, default_lengths(name, shape, places) if s is None else s, strict=True):
        lengths[axis] = n
    if name == "rfftn":
        lengths[places[-1]] = lengths[places[-1]] // 2 + 1
    return COMPONENT[pair] if name == "irfftn" else pair, tuple(lengths)


def default_lengths(name: str, shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """Return the lengths of the transforms along whole axes."""
    lengths = [shape[axis] for axis in axes]
    if name == "irfftn":
        lengths[-1] = 2 * (lengths[-1] - 1)
    return tuple(lengths)


def _threads(elements: int) -> int:
    return (config.threads or processors()) if elements >= BY_ONE_THREAD else 1


@cache
def _module(name: str) -> Any:
    return importlib.import_module(name)


def _by_ducc(
    name: str, x: HostArray, s: Sequence[int] | None, axes: Sequence[int] | None, norm: str, out: HostArray | None
) -> HostArray:
    ducc = _module("ducc0.fft")
    places = tuple(range(x.ndim)) if axes is None else tuple(axes)
    lengths = default_lengths(name, x.shape, places) if s is None else tuple(s)
    real_out = name == "irfftn"
    inverse = name in ("ifftn", "irfftn")
    scaled = 1 if norm == "ortho" else 2 if (norm == "backward") == inverse else 0  # 1: by the root, 2: by the number
    options = {"forward": not inverse, "inorm": scaled, "nthreads": _threads(x.size), "out": out}
    extents = [*lengths[:-1], lengths[-1] // 2 + 1] if real_out else lengths
    for axis, n in zip(places, extents, strict=True):
        x = _resized(x, axis, n)
    x = _prepared(name, x, len(places))
    if name == "rfftn":
        return ducc.r2c(x, places, **options)  # type: ignore[no-any-return]
    if not real_out:
        return ducc.c2c(x, places, **options)  # type: ignore[no-any-return]
    return ducc.c2r(x, places, lengths[-1], **options)  # type: ignore[no-any-return]


def _prepared(name: str, x: HostArray, axes: int) -> HostArray:
    """An operand for ducc0 or SciPy, whose results then have the same bits for all strides, and zeros NumPy's signs."""
    if axes > 1:  # ducc0, which SciPy has since 1.18, takes axes in the order of their strides, and bits depend on that
        x = np.ascontiguousarray(x)
    if name != "rfftn" and x.dtype not in COMPLEX_FLOATING:
        x = x.astype(promote(x.dtype, DTYPE_OF["c64"]))
    return x


def _resized(x: HostArray, axis: int, n: int) -> HostArray:
    """An array that is cut, or padded with zeros, along an axis."""
    extent = x.shape[axis]
    if n == extent:
        return x
    if n < extent:
        return x[(slice(None),) * axis + (slice(n),)]
    padded = np.zeros((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype)
    padded[(slice(None),) * axis + (slice(extent),)] = x
    return padded


HOST_TRANSFORMS: dict[str, Callable[..., HostArray]] = {
    name: partial(transform, name) for name in ("fftn", "ifftn", "irfftn", "rfftn")
}
