"""Reductions along axes by an expression that combines two values, and the maximum with its index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.kernels.kernel_functions import ReductionKernel as StandardReduction
from ..api.standard.manipulation_functions import permute_dims, reshape
from ..api.standard.searching_functions import argmax
from ..api.standard.statistical_functions import max as maximum
from ..backends.base import KernelBuildError
from ._elemwise import _value, arg as Declared, in_dialect
from .array_object import GpuArray, new
from .context import GpuContext, ensure_context
from .dtypes import parse_c_arg_backend
from .errors import GpuArrayException, translated
from .tools import Argument, ArrayArg, ScalarArg

_FLOAT16 = np.dtype("float16")


def parse_c_args(arguments: str) -> tuple[Argument, ...]:
    """The arguments that a comma-separated list of C declarations describes. Errors as in `dtypes.parse_c_arg_backend`.

    Source: pygpu, ``reduction.parse_c_args``.
    """
    return tuple(parse_c_arg_backend(each, ScalarArg, ArrayArg) for each in arguments.split(","))


def massage_op(operation: str) -> str:
    """The expression with elements ``a[i]`` replaced by ``a[0]``. Source: pygpu, ``reduction.massage_op``."""
    return re.sub(r"\b([a-zA-Z_]\w*)\[i\]", r"\1[0]", operation)


class ReductionKernel:
    """A reduction of the values of ``map_expr``, an expression of elements ``x[i]`` and numbers.

    ``reduce_expr``: an expression that combines two values ``a`` and ``b``; it must be associative, because the order
    of combination is undefined; ``neutral``: the neutral element; ``redux``: whether each axis is reduced;
    ``arguments``: C declarations such as "float *x, float y", or a list of `ArrayArg` and `ScalarArg`; by default one
    array of ``dtype_out``.

    ValueError if no axis is reduced, for several arguments without ``map_expr``, and without an array;
    NotImplementedError for float16. Source: pygpu, ``reduction.ReductionKernel``.

    >>> k = ReductionKernel(ctx, "float32", "0", "a + b", [True], "x[i] * x[i]", "float *x")
    >>> numpy.asarray(k(array([1, 2, 3], dtype="float32", context=ctx)))
    array(14., dtype=float32)
    """

    def __init__(
        self,
        context: GpuContext,
        dtype_out: Any,
        neutral: str,
        reduce_expr: str,
        redux: Sequence[bool],
        map_expr: str | None = None,
        arguments: str | Sequence[Argument] | None = None,
        preamble: str = "",
        init_nd: int | None = None,
    ):
        del init_nd
        self.context: GpuContext = ensure_context(context)
        self.neutral: str
        self.reduce_expr: str
        self.preamble: str
        self.neutral, self.reduce_expr, self.preamble = str(neutral), reduce_expr, preamble
        self.redux: tuple[bool, ...] = tuple(map(bool, redux))
        if not any(self.redux):
            raise ValueError(f"Reduction is along no axes: redux is {self.redux}; allowed: at least one True")
        self.dtype_out: np.dtype[Any] = np.dtype(dtype_out)
        if arguments is None:
            self.arguments: tuple[Argument, ...] = (ArrayArg(self.dtype_out, "_reduce_input"),)
        else:
            self.arguments = parse_c_args(arguments) if isinstance(arguments, str) else tuple(arguments)
        if _FLOAT16 in (self.dtype_out, *(each.dtype for each in self.arguments)):
            raise NotImplementedError("float16 not supported for the reduction interface; use astype('float32')")
        if not any(each.isarray() for each in self.arguments):
            raise ValueError("ReductionKernel can only be used with functions that have at least one vector argument.")
        if map_expr is None and len(self.arguments) != 1:
            raise ValueError(
                "Don't know what to do with more than one argument. Specify map_expr to explicitly state what you want."
            )
        self.operation: str = f"{self.arguments[0].name}[i]" if map_expr is None else map_expr
        self.expression: str = massage_op(self.operation)
        self._kernel = _kernel(
            ", ".join(f"{each.dtype} {each.name}" for each in self.arguments),
            f"{self.dtype_out} reduced",
            re.sub(r"\b([a-zA-Z_]\w*)\s*\[\s*(?:i|0)\s*\]", r"\1", self.operation),
            reduce_expr,
            self.neutral,
            in_dialect(preamble),
        )

    @translated
    def __call__(self, *args: Any, broadcast: bool | None = None, out: GpuArray | None = None) -> GpuArray:
        """The reduction of arrays of one shape; ``broadcast``: whether axes of one element are repeated.

        TypeError for arguments that do not fit the declarations, and for an ``out`` of another shape or dtype;
        ValueError for shapes that do not match.
        """
        if len(args) != len(self.arguments):
            raise TypeError(f"ReductionKernel: got {len(args)} arguments; allowed: {len(self.arguments)}")
        declared = [Declared(each.name, each.dtype, True, scalar=not each.isarray()) for each in self.arguments]
        values = [_value(each, value) for each, value in zip(declared, args, strict=True)]
        shapes = [value.shape for value in values if isinstance(value, Array)]
        if any(len(shape) != len(self.redux) for shape in shapes):
            raise ValueError(f"Array order differs: the shapes {shapes}; allowed: {len(self.redux)} axes, as redux has")
        if not broadcast and len(set(shapes)) > 1:
            raise ValueError(f"Array shape differs: {shapes}; pass broadcast=True")
        axes = tuple(axis for axis, reduced in enumerate(self.redux) if reduced)
        try:
            result = self._kernel(*values, axis=axes)
            result._memory()  # at once, so that errors of the compiler are raised here
        except (KernelBuildError, NotImplementedError) as error:
            raise GpuArrayException(f"ReductionKernel: {error}") from error
        if out is None:
            return new(None, result, self.context)
        if out.shape != result.shape or out.dtype != self.dtype_out:
            raise TypeError(
                f"Out array is not of expected type (expected {result.shape} {self.dtype_out}, got {out.shape} "
                f"{out.dtype})"
            )
        out._numbers[...] = result
        return out


@lru_cache(maxsize=1024)
def _kernel(
    inputs: str, result: str, operation: str, reduce_expr: str, neutral: str, preamble: str
) -> StandardReduction:
    return StandardReduction(inputs, result, operation, reduce_expr, "reduced = a", neutral, "reduk", preamble=preamble)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """One axis, several or all (None) as nonnegative numbers. ValueError for an axis out of bounds."""
    axes = tuple(range(ndim)) if axis is None else tuple(axis) if isinstance(axis, list | tuple) else (axis,)
    if any(not -ndim <= each < ndim for each in axes):
        raise ValueError(f"axis out of bounds: got {axes} for {ndim} axes")
    return tuple(each % ndim for each in axes)


def reduce1(
    ary: GpuArray, op: str | None, neutral: str, out_type: Any, axis: Any = None, out: GpuArray | None = None,
    oper: str | None = None,
) -> GpuArray:  # fmt: skip
    """The reduction of an array along axes: ``out`` if it is given, otherwise a new array of ``out_type``.

    ``op``: a binary C operator; ``oper``: an expression of ``a`` and ``b`` to use instead; ``neutral``: the neutral
    element. ValueError for an axis out of bounds, TypeError for an ``out`` of another shape or dtype,
    NotImplementedError for float16. Source: pygpu, ``reduction.reduce1``.

    >>> numpy.asarray(reduce1(array([[1, 5], [7, 3]], context=ctx), None, "-100", "int64", 0, oper="a > b ? a : b"))
    array([7, 5])
    """
    reduced = _axes(axis, ary.ndim)
    kernel = ReductionKernel(
        ary.context, out_type, neutral, f"a {op} b" if oper is None else oper,
        [each in reduced for each in range(ary.ndim)], arguments=[ArrayArg(ary.dtype, "a")],
    )  # fmt: skip
    result = kernel(ary, out=out)
    return result if out is not None else new(type(ary), result._array, ary.context)


@translated
def maxandargmax(a: GpuArray, axis: Any = None) -> tuple[GpuArray, GpuArray]:
    """The maxima along axes, and the index (uint64) of the first maximum among the reduced elements.

    Indices are in C order of the reduced axes, in the order of ``axis``. ValueError for an axis that is out of bounds
    or repeated, and if there are no elements. Source: libgpuarray, ``GpuArray_maxandargmax``.

    >>> x = array([[1, 5, 2], [7, 3, 0]], context=ctx)
    >>> [numpy.asarray(y).tolist() for y in maxandargmax(x, (1, 0))]
    [7, 1]
    """
    axes = _axes(axis, a.ndim)
    if len(set(axes)) != len(axes) or not axes:
        raise ValueError(f"maxandargmax: got axes {axes}; allowed: one or more distinct axes, each once")
    kept = tuple(each for each in range(a.ndim) if each not in axes)
    shape = tuple(a.shape[each] for each in kept)
    flat = reshape(permute_dims(a._numbers, (*kept, *axes)), (*shape, -1 if a.size else 0))
    if not flat.shape[-1]:
        raise ValueError(f"maxandargmax: no element along axes {axes} of shape {a.shape}; allowed: 1 element or more")
    places = argmax(flat, axis=-1).astype("uint64")
    return new(type(a), maximum(flat, axis=-1), a.context), new(type(a), places, a.context)
