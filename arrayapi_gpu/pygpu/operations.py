"""Splitting and joining arrays, by functions with NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .dtypes import upcast
from .gpuarray import GpuArray, GpuContext, _concatenate, _split, asarray


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis out of bounds: got {axis} for {ndim} axes")
    return axis % ndim


def _one_or_all(arrays: list[GpuArray]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays


def atleast_1d(*arys: Any) -> Any:
    """The array with at least one axis; a list for several arrays. Source: pygpu, ``operations.atleast_1d``."""
    return _one_or_all([x if x.ndim else x.reshape((1,)) for x in map(asarray, arys)])


def atleast_2d(*arys: Any) -> Any:
    """The array with at least two axes; a vector becomes a row. A list for several arrays.
    Source: pygpu, ``operations.atleast_2d``."""
    return _one_or_all([x if x.ndim > 1 else x.reshape((1, x.size)) for x in map(asarray, arys)])


def atleast_3d(*arys: Any) -> Any:
    """The array with at least three axes; (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1). A list for several arrays.

    Source: pygpu, ``operations.atleast_3d``.
    """
    arrays = map(asarray, arys)
    return _one_or_all([x if x.ndim > 2 else x.reshape(((1,) * (2 - x.ndim) + x.shape + (1, 1))[:3]) for x in arrays])


def split(ary: GpuArray, indices_or_sections: Any, axis: int = 0) -> list[GpuArray]:
    """A list of parts of an array along an axis, as views.

    ``indices_or_sections``: the number of equal parts, or the indices at which to split. ValueError if the parts would
    not be equal, and for an axis out of bounds. Source: pygpu, ``operations.split``.

    >>> [x.shape for x in split(zeros((6,), context=ctx), 3)]
    [(2,), (2,), (2,)]
    """
    if not hasattr(indices_or_sections, "__len__"):
        length = ary.shape[_axis(axis, ary.ndim)]
        if int(indices_or_sections) <= 0 or length % int(indices_or_sections):
            raise ValueError(
                f"array split does not result in an equal division: {length} elements in {indices_or_sections} parts"
            )
    return array_split(ary, indices_or_sections, axis)


def array_split(ary: GpuArray, indices_or_sections: Any, axis: int = 0) -> list[GpuArray]:
    """A list of parts of an array along an axis, as in `split`; if the parts cannot be equal, the first ones have one
    more element.

    ValueError for a number of parts below 1. Source: pygpu, ``operations.array_split``.
    """
    place = _axis(axis, ary.ndim)
    if hasattr(indices_or_sections, "__len__"):
        return _split(ary, list(indices_or_sections), place)
    parts = int(indices_or_sections)
    if parts <= 0:
        raise ValueError(f"number of sections must be larger than 0: got {parts}")
    each, extra = divmod(ary.shape[place], parts)
    return _split(ary, [each * k + min(k, extra) for k in range(1, parts)], place)


def hsplit(ary: GpuArray, indices_or_sections: Any) -> list[GpuArray]:
    """The `split` along the second axis, or the only one. ValueError for 0 axes.
    Source: pygpu, ``operations.hsplit``."""
    if not ary.ndim:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, axis=min(1, ary.ndim - 1))


def vsplit(ary: GpuArray, indices_or_sections: Any) -> list[GpuArray]:
    """The `split` along the first axis. ValueError for fewer than two axes. Source: pygpu, ``operations.vsplit``."""
    if ary.ndim < 2:
        raise ValueError(f"vsplit only works on arrays of 2 or more dimensions: got {ary.ndim}")
    return split(ary, indices_or_sections, axis=0)


def dsplit(ary: GpuArray, indices_or_sections: Any) -> list[GpuArray]:
    """The `split` along the third axis. ValueError for fewer than three axes. Source: pygpu, ``operations.dsplit``."""
    if ary.ndim < 3:
        raise ValueError(f"dsplit only works on arrays of 3 or more dimensions: got {ary.ndim}")
    return split(ary, indices_or_sections, axis=2)


def concatenate(arys: Sequence[Any], axis: int = 0, context: GpuContext | None = None) -> GpuArray:
    """The arrays joined along an axis, in the dtype to which all promote, of the class of the first array.

    ValueError without arrays, for an axis out of bounds, and if shapes differ along other axes.
    Source: pygpu, ``operations.concatenate``.
    """
    if not len(arys):
        raise ValueError("concatenation of zero-length sequences is impossible")
    arrays = [x if isinstance(x, GpuArray) else asarray(x, context=context) for x in arys]
    place, where = _axis(axis, arrays[0].ndim), arrays[0].context if context is None else context
    dtypes = {x.dtype for x in arrays}  # promotion of a structure with itself may change the offsets of its fields
    return _concatenate(arrays, place, dtypes.pop() if len(dtypes) == 1 else upcast(*dtypes), type(arrays[0]), where)


def vstack(tup: Sequence[Any], context: GpuContext | None = None) -> GpuArray:
    """The arrays joined along the first axis, each with at least two axes. Errors as in `concatenate`.

    Source: pygpu, ``operations.vstack``.
    """
    return concatenate([atleast_2d(a) for a in tup], 0, context)


def hstack(tup: Sequence[Any], context: GpuContext | None = None) -> GpuArray:
    """The arrays joined along the second axis, or the only one. Errors as in `concatenate`.

    Source: pygpu, ``operations.hstack``.
    """
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if not arrays or arrays[0].ndim == 1 else 1, context)


def dstack(tup: Sequence[Any], context: GpuContext | None = None) -> GpuArray:
    """The arrays joined along a third axis. Errors as in `concatenate`. Source: pygpu, ``operations.dstack``."""
    return concatenate([atleast_3d(a) for a in tup], 2, context)
