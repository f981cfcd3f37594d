"""Cases of the groups `products`, whose shapes memory or a launch decides, and `factorisations` of large matrices.

A product is a family over one extent and a dtype. Its traffic is that of both operands and the result, each once. All
libraries compute them in the standard's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from bench.case import Case, Compute, HostArray
from bench.shapes import LARGE, numbers

Shape = tuple[int, ...]

FLOATS = ("float16", "float32", "float64", "complex64")
TALL, EDGE, STACK = 1 << 20, 8192, 2000  # rows of tall matrices, of square ones, and matrices of a stack
PRODUCTS = 20  # log2 of the elements that times are reported for, whatever a case's inputs are
NARROW = (2, 8, 16, 64)
SMALL = (8, 16, 32, 64, 100)
SQUARE = (30, 100, 300, 1000)


def _matrices(dtype: str, shapes: Sequence[Shape], size: int) -> list[HostArray]:
    """Random numbers in each shape. ``size`` decides nothing. Sums of float16 may be infinite: only the time counts."""
    x = numbers(dtype, LARGE)
    return [x[: prod(shape)].reshape(shape) for shape in shapes]


def _product(xp: Any, a: Any, b: Any) -> Any:
    return a @ b


def _by_columns(xp: Any, a: Any, b: Any) -> Any:
    return a.T @ b


def _family(
    family: str,
    points: Sequence[tuple[int, str]],
    shapes: Callable[[int], tuple[Shape, Shape, Shape]],
    compute: Compute = _product,
    along: str = "extent",
) -> list[Case]:
    """A case a point, of an extent and a dtype; ``shapes``: of both operands and of the result."""
    return [
        Case(
            f"{family}, {n} of {dtype}",
            compute,
            traffic=sum(map(prod, shapes(n))) * np.dtype(dtype).itemsize / (1 << PRODUCTS),
            size=PRODUCTS,
            family=family,
            against=n,
            along=along,
            make=partial(_matrices, dtype, shapes(n)[:2]),
        )
        for n, dtype in points
    ]


def _points(extents: Sequence[int], dtypes: Sequence[str] = FLOATS) -> list[tuple[int, str]]:
    return [(n, dtype) for dtype in dtypes for n in extents]


_VECTORS = _points((EDGE,), (*FLOATS, "int32"))

PRODUCT_CASES: tuple[Case, ...] = (
    *_family("2^20 x n by n x 16", _points(NARROW), lambda n: ((TALL, n), (n, 16), (TALL, 16))),
    *_family("2^20 x 16 by 16 x n", _points(NARROW), lambda n: ((TALL, 16), (16, n), (TALL, n))),
    *_family("n x 2^20 by 2^20 x n", _points((2, 8, 16)), lambda n: ((n, TALL), (TALL, n), (n, n))),
    *_family("n x n by a vector", _VECTORS, lambda n: ((n, n), (n,), (n,))),
    *_family("columns of n x n by a vector", _VECTORS, lambda n: ((n, n), (n,), (n,)), _by_columns),
    *_family(
        f"{STACK:,} of n x n", _points(SMALL, ("float32", "float64", "complex64")), lambda n: ((STACK, n, n),) * 3
    ),
    *_family("n x n by n x n", _points(SQUARE, (*FLOATS, "int32")), lambda n: ((n, n),) * 3),
)


def _definite(n: int, dtype: str, size: int) -> list[HostArray]:
    """A well-conditioned positive definite matrix."""
    x = np.random.default_rng(12).random((n, n))
    return [((x + x.T) / 2 + n * np.eye(n)).astype(dtype)]


_FACTORISATIONS: Mapping[str, Compute] = {
    "cholesky": lambda xp, a: xp.linalg.cholesky(a),
    "solve": lambda xp, a: xp.linalg.solve(a, a[:, :1]),
    "inv": lambda xp, a: xp.linalg.inv(a),
    "det": lambda xp, a: xp.linalg.det(a),
    "qr": lambda xp, a: xp.linalg.qr(a)[1],
    "eigh": lambda xp, a: xp.linalg.eigh(a)[1],
    "svd": lambda xp, a: xp.linalg.svd(a)[0],
}
_SPECTRAL = ("eigh", "svd")  # which take the host, and so OpenCL, seconds for 4,096

FACTORISATION_CASES: tuple[Case, ...] = tuple(
    Case(f"{name} of {n:,}, {dtype}", compute, size=PRODUCTS, make=partial(_definite, n, dtype))
    for dtype in ("float32", "float64")
    for n in (1024, 4096)
    for name, compute in _FACTORISATIONS.items()
    if n == 1024 or name not in _SPECTRAL
)
