"""Triangles of matrices."""

from __future__ import annotations

from ..api.standard import creation_functions
from .array_object import GpuArray


def triu(A: GpuArray, inplace: bool = True) -> GpuArray:
    """The matrix with zeros below its diagonal: ``A`` itself, modified in place, or a copy if ``inplace`` is False.

    ValueError unless A has two axes and is contiguous, in either order. Source: pygpu, ``basic.triu``.
    """
    return _triangle("triu", A, inplace)


def tril(A: GpuArray, inplace: bool = True) -> GpuArray:
    """The matrix with zeros above its diagonal: ``A`` itself, modified in place, or a copy if ``inplace`` is False.

    ValueError unless A has two axes and is contiguous, in either order. Source: pygpu, ``basic.tril``.
    """
    return _triangle("tril", A, inplace)


def _triangle(name: str, a: GpuArray, inplace: bool) -> GpuArray:
    if a.ndim != 2:
        raise ValueError(f"{name} only works for 2d arrays: got {a.ndim} axes")
    if not a.flags.forc:
        raise ValueError(
            f"{name} only works for contiguous arrays: got strides {a.strides} for shape {a.shape}; copy it first"
        )
    target = a if inplace else a.copy()
    target._numbers[...] = getattr(creation_functions, name)(target._numbers)
    return target
