"""Products of vectors and matrices: ``alpha * op(A) @ op(B) + beta * C``, in the dtype of the arrays."""

from __future__ import annotations

from typing import Any

from ..api.core.array_object import Array
from ..api.standard.linear_algebra_functions import matmul, matrix_transpose, vecdot
from ..memory.dtypes import FLOATING
from .array_object import GpuArray, new
from .gpuarray import empty


def dot(X: GpuArray, Y: GpuArray, Z: GpuArray | None = None, overwrite_z: bool = False) -> GpuArray:
    """The inner product of two vectors, 0-dimensional: ``Z`` if ``overwrite_z``, otherwise a new array.

    TypeError unless X and Y are vectors, ValueError if their lengths or the dtypes differ. Source: pygpu, ``blas.dot``.
    """
    _check("dot", X=(X, 1), Y=(Y, 1), Z=(Z, 0))
    out = empty((), X.dtype, context=X.context) if Z is None else Z if overwrite_z else Z.copy("A")
    _fit("dot", X=(X, Y.shape))
    out._numbers[...] = vecdot(X._numbers, Y._numbers)
    return out


def gemv(
    alpha: float, A: GpuArray, X: GpuArray, beta: float = 0.0, Y: GpuArray | None = None, trans_a: bool = False,
    overwrite_y: bool = False,
) -> GpuArray:  # fmt: skip
    """``alpha * A @ X + beta * Y``: in ``Y`` if ``overwrite_y``, otherwise in a new array.

    ``trans_a``: whether A is transposed. TypeError unless A is a matrix and X a vector; ValueError if shapes do not
    match, if dtypes differ, and for a nonzero ``beta`` without Y. Source: pygpu, ``blas.gemv``.
    """
    _check("gemv", A=(A, 2), X=(X, 1), Y=(Y, 1))
    product = matmul(_turned(A, trans_a), _other("gemv", _turned(A, trans_a), X, X._numbers))
    return _combined("gemv", alpha, product, beta, Y, overwrite_y, A)


def gemm(
    alpha: float, A: GpuArray, B: GpuArray, beta: float, C: GpuArray | None = None, trans_a: bool = False,
    trans_b: bool = False, overwrite_c: bool = False,
) -> GpuArray:  # fmt: skip
    """``alpha * A @ B + beta * C``: in ``C`` if ``overwrite_c``, otherwise in a new array.

    ``trans_a``, ``trans_b``: whether A and B are transposed. TypeError unless all are matrices; ValueError if shapes do
    not match, if dtypes differ, and for a nonzero ``beta`` without C. Source: pygpu, ``blas.gemm``.

    >>> a = array([[1.0, 2.0], [3.0, 4.0]], context=ctx)
    >>> numpy.asarray(gemm(1.0, a, a, 0.0))
    array([[ 7., 10.],
           [15., 22.]])
    """
    _check("gemm", A=(A, 2), B=(B, 2), C=(C, 2))
    product = matmul(_turned(A, trans_a), _other("gemm", _turned(A, trans_a), B, _turned(B, trans_b)))
    return _combined("gemm", alpha, product, beta, C, overwrite_c, A)


def ger(alpha: float, X: GpuArray, Y: GpuArray, A: GpuArray | None = None, overwrite_a: bool = False) -> GpuArray:
    """``A + alpha * outer(X, Y)``, or ``alpha * outer(X, Y)`` without A: in ``A`` if ``overwrite_a``, otherwise in a
    new array.

    TypeError unless X and Y are vectors, ValueError if the shape of A does not match, or if dtypes differ.
    Source: pygpu, ``blas.ger``.
    """
    _check("ger", X=(X, 1), Y=(Y, 1), A=(A, 2))
    product = X._numbers[:, None] * Y._numbers[None, :]
    return _combined("ger", alpha, product, float(A is not None), A, overwrite_a, X)


def gemmBatch_3d(
    alpha: float, A: GpuArray, B: GpuArray, beta: float, C: GpuArray | None = None, trans_a: bool = False,
    trans_b: bool = False, overwrite_c: bool = False,
) -> GpuArray:  # fmt: skip
    """The `gemm` of each of the matrices along the first axis of stacks.

    TypeError unless all have three axes; otherwise errors as in `gemm`. Source: pygpu, ``blas.gemmBatch_3d``.
    """
    _check("gemmBatch_3d", A=(A, 3), B=(B, 3), C=(C, 3))
    _fit("gemmBatch_3d", A=(A, (B.shape[0], *A.shape[1:])))
    product = matmul(_turned(A, trans_a), _other("gemmBatch_3d", _turned(A, trans_a), B, _turned(B, trans_b)))
    return _combined("gemmBatch_3d", alpha, product, beta, C, overwrite_c, A)


_RANKS = {0: "a scalar", 1: "a vector", 2: "a matrix", 3: "a batch of matrices"}


def _check(name: str, **operands: tuple[Any, int]) -> None:
    """Raise TypeError unless each operand is an array of its number of axes, ValueError if dtypes differ."""
    first = next(iter(operands.values()))[0]
    for letter, (x, rank) in operands.items():
        if x is None and letter == list(operands)[-1]:
            continue
        if not isinstance(x, GpuArray):
            raise TypeError(f"{name}: {letter} is {type(x).__name__}; allowed: a GpuArray")
        if x.ndim != rank:
            raise TypeError(f"{name}: {letter} is not {_RANKS[rank]}: it has {x.ndim} axes; allowed: {rank}")
        if x.dtype != first.dtype or x.dtype not in FLOATING:
            raise ValueError(f"{name}: {letter} has dtype {x.dtype}; allowed: one floating-point dtype for all")


def _fit(name: str, **operands: tuple[GpuArray, tuple[int, ...]]) -> None:
    for letter, (x, shape) in operands.items():
        if x.shape != shape:
            raise ValueError(f"{name}: {letter} has shape {x.shape}; allowed: {shape}")


def _turned(x: GpuArray, transposed: bool) -> Array:
    return matrix_transpose(x._numbers) if transposed else x._numbers


def _other(name: str, a: Array, b: GpuArray, turned: Array) -> Array:
    """The second operand of a product. ValueError if its shape does not match."""
    inner = turned.shape[0] if turned.ndim == 1 else turned.shape[-2]
    if a.shape[-1] != inner:
        raise ValueError(f"{name}: shapes {a.shape} and {turned.shape} do not fit: {a.shape[-1]} is not {inner}")
    del b
    return turned


def _combined(
    name: str, alpha: float, product: Array, beta: float, c: GpuArray | None, overwrite: bool, like: GpuArray
) -> GpuArray:
    """``alpha * product + beta * c``: in ``c`` if ``overwrite``, otherwise in a new array."""
    scaled = product if alpha == 1 else product * float(alpha)
    if c is None:
        if beta != 0:
            raise ValueError(f"{name}: the array that beta={beta} multiplies is not provided and beta != 0; pass it")
        return new(None, scaled, like.context)
    _fit(name, last=(c, product.shape))
    out = c if overwrite else c.copy("A")
    out._numbers[...] = scaled if beta == 0 else scaled + (c._numbers if beta == 1 else c._numbers * float(beta))
    return out


__all__ = ["dot", "gemm", "gemmBatch_3d", "gemv", "ger"]
