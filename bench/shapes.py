"""Cases of the group `shapes`: narrow dtypes, short rows, odd extents, many operands, scatters and searches.

Each family is a sweep over dtypes or extents, so that no point is chosen for what it shows. All libraries compute them
in the standard's words. The last elements of 2^size are left out where the extents do not divide it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import prod
from typing import Any

import numpy as np

from bench.case import Case, Compute, HostArray

ROWS = (2, 3, 5, 10, 16, 31, 64, 100)
NARROW = ("bool", "int8", "uint16", "float16", "int32", "float32", "float64", "complex64")
SORTED = ("int8", "uint16", "float16", "int32", "float32", "int64", "float64")
LARGE, SORTS, BYTES = 26, 24, 28  # log2 of the elements, of one byte where as many bytes are moved as of others
MANY = (2, 16, 64, 256)  # operands
SOUGHT = (10, 1000, 10**4, 10**6)  # values among which others are sought


@cache
def numbers(dtype: str, size: int) -> HostArray:
    """Random numbers: small integers, booleans, numbers in [0, 1), of 2^size elements."""
    source, kind = np.random.default_rng(7), np.dtype(dtype)
    if kind.kind in "biu":
        return source.integers(0, 2 if kind.kind == "b" else 100, 1 << size, dtype=kind)
    if kind.kind == "c":
        return source.random(2 << size, dtype=np.float32).view(np.complex64).astype(kind, copy=False)
    return source.random(1 << size, dtype=np.float32).astype(kind, copy=False)


def _shaped(dtype: str, shape: tuple[int, ...], copies: int, size: int) -> list[HostArray]:
    """Arrays of a shape. The extent -1 is as long as 2^size elements allow."""
    x = numbers(dtype, size)
    each = abs(prod(shape))
    return [x[: len(x) // each * each if -1 in shape else each].reshape(shape)] * copies


def _bytes(dtype: str) -> int:
    return np.dtype(dtype).itemsize


def _sweep(
    family: str,
    compute: Compute,
    points: Sequence[tuple[float, str, str, tuple[int, ...]]],
    moved: Callable[[str], float],
    size: int = LARGE,
    copies: int = 1,
    along: str = "extent",
) -> list[Case]:
    """A case a point: its place in the sweep, its title, its dtype, and the shape of its inputs."""
    return [
        Case(
            f"{family}, {title}",
            compute,
            traffic=moved(dtype),
            size=size,
            family=family,
            against=place,
            along=along,
            make=partial(_shaped, dtype, shape, copies),
        )
        for place, title, dtype, shape in points
    ]


def _by_dtype(
    family: str,
    compute: Compute,
    moved: Callable[[str], float],
    dtypes: Sequence[str] = NARROW,
    shape: tuple[int, ...] = (-1,),
    size: int = LARGE,
    copies: int = 1,
) -> list[Case]:
    points = [(_bytes(dtype), dtype, dtype, shape) for dtype in dtypes]
    return _sweep(family, compute, points, moved, size, copies, "bytes of an element")


def _by_row(
    family: str,
    compute: Compute,
    written: Callable[[int], float],
    dtype: str = "float32",
    shape: Callable[[int], tuple[int, ...]] = lambda n: (-1, n),
    size: int = LARGE,
) -> list[Case]:
    """A case a length of rows; ``written``: elements of the result for each of the input, in the input's bytes."""

    def at(n: int) -> list[Case]:
        moved = _bytes(dtype) * (1 + written(n))
        return _sweep(family, compute, [(n, str(n), dtype, shape(n))], lambda _: moved, size, along="elements of a row")

    return [case for n in ROWS for case in at(n)]


def _softmax(axis: int) -> Compute:
    def compute(xp: Any, x: Any) -> Any:
        e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
        return e / xp.sum(e, axis=axis, keepdims=True)

    return compute


def _life(xp: Any, x: Any) -> Any:
    around = sum(xp.roll(x, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return xp.astype((around == 3) | ((x == 1) & (around == 2)), x.dtype)


def _planes(xp: Any, x: Any) -> Any:
    return xp.astype(xp.permute_dims(x, (2, 0, 1)), xp.float32) / 255


def _copied(axes: tuple[int, ...]) -> Compute:
    """A copy in the order of the axes, which reshaping makes of any library's array."""

    def compute(xp: Any, x: Any) -> Any:
        return xp.reshape(xp.permute_dims(x, axes), (-1,))

    return compute


def _reversed(xp: Any, x: Any) -> Any:
    return xp.flip(x, axis=(0, 1)) + 1


def _pieces(count: int, dtype: str, size: int) -> list[HostArray]:
    return list(numbers(dtype, size).reshape(count, -1))


def _operands(family: str, compute: Compute) -> list[Case]:
    return [
        Case(
            f"{family}, {count} of {dtype}",
            compute,
            traffic=2 * _bytes(dtype),
            size=LARGE,
            family=family,
            against=count,
            along="arrays",
            make=partial(_pieces, count, dtype),
        )
        for count, dtype in [*((count, "float32") for count in MANY), (64, "int8"), (64, "float64")]
    ]


def _permuted(dtype: str, size: int) -> list[HostArray]:
    x = numbers(dtype, size)
    return [np.zeros_like(x), x, np.random.default_rng(3).permutation(1 << size)]


def _scattered(xp: Any, z: Any, x: Any, i: Any) -> Any:
    z[i] = x
    return z


_UPDATED = {"jax": lambda xp, z, x, i: z.at[i].set(x)}  # JAX's arrays do not change


def _sought(count: int, dtype: str, size: int) -> list[HostArray]:
    source = np.random.default_rng(5)
    most = min(4 * count, np.iinfo(dtype).max)
    return [source.integers(0, most, 1 << size, dtype=dtype), np.sort(source.integers(0, most, count, dtype=dtype))]


def _searches(family: str, compute: Compute, dtypes: Sequence[str] = ("int32", "int8")) -> list[Case]:
    return [
        Case(
            f"{family}, {count} of {dtype}",
            compute,
            size=22,
            family=family,
            against=count,
            make=partial(_sought, count, dtype),
        )
        for dtype in dtypes
        for count in SOUGHT
    ]


def _twice(dtype: str) -> float:
    return 2 * _bytes(dtype)


_REAL = tuple(dtype for dtype in NARROW if dtype not in ("bool", "complex64"))
_EXTENTS, _SIZES = (127, 256, 511), ("int8", "float32", "float64")
_CUBES = [(n, f"{n} x {n} of {dtype}", dtype, (-1, n, n)) for n in _EXTENTS for dtype in _SIZES]

SHAPES: tuple[Case, ...] = (
    # one and two bytes
    *_by_dtype("x + x", lambda xp, x: x + x, _twice, NARROW[1:]),
    *_by_dtype("x < y", lambda xp, x, y: x < y, lambda d: 2 * _bytes(d) + 1, _REAL, copies=2),
    *_by_dtype("copy of x", lambda xp, x: xp.asarray(x, copy=True), _twice),
    *_by_dtype("roll", lambda xp, x: xp.roll(x, 1), _twice),
    *_by_dtype("max", lambda xp, x: xp.max(x), _bytes, _REAL),
    *_by_dtype("sum", lambda xp, x: xp.sum(x), _bytes, NARROW[1:]),
    *_by_dtype("any", lambda xp, x: xp.any(x != 0), _bytes, _REAL),
    *_by_dtype("all of x", lambda xp, x: xp.all(x == x), _bytes, ("bool",)),
    *_by_dtype("sum over axis 0", lambda xp, x: xp.sum(x, axis=0), _bytes, NARROW[1:], (-1, 4096)),
    *_by_dtype("max over axis 1", lambda xp, x: xp.max(x, axis=1), _bytes, _REAL, (-1, 4096)),
    *_by_dtype("sum over axes 0, 2", lambda xp, x: xp.sum(x, axis=(0, 2)), _bytes, NARROW[1:], (-1, 64, 1024)),
    *_by_dtype("cumulative_sum", lambda xp, x: xp.cumulative_sum(x, dtype=x.dtype), _twice, _REAL),
    *_by_dtype("sum of x != 0", lambda xp, x: xp.sum(x != 0), _bytes, _REAL),
    *_by_dtype("mean as float32", lambda xp, x: xp.mean(xp.astype(x, xp.float32)), _bytes, _REAL),
    *_by_dtype("life", _life, _twice, ("int8", "uint16", "int32"), (4096, -1), 24),
    *_by_dtype("bytes to planes", _planes, lambda d: _bytes(d) + 4, ("uint8", "uint16"), (-1, 1024, 3)),
    # short rows
    *_by_row("sum of rows", lambda xp, x: xp.sum(x, axis=-1), lambda n: 1 / n),
    *_by_row("sum of rows of complex64", lambda xp, x: xp.sum(x, axis=-1), lambda n: 1 / n, "complex64"),
    *_by_row("max of rows of int8", lambda xp, x: xp.max(x, axis=-1), lambda n: 1 / n, "int8", size=BYTES),
    *_by_row("argmax of rows", lambda xp, x: xp.argmax(x, axis=-1), lambda n: 2 / n),
    *_by_row("norms of rows", lambda xp, x: xp.linalg.vector_norm(x, axis=-1), lambda n: 1 / n),
    *_by_row("softmax of rows", _softmax(-1), lambda n: 1),
    *_by_row("softmax of columns", _softmax(1), lambda n: 1, shape=lambda n: (-1, n, 32)),
    *_by_row("sum of the middle axis", lambda xp, x: xp.sum(x, axis=1), lambda n: 1 / n, shape=lambda n: (-1, n, 32)),
    *_by_row("sum of the first axis", lambda xp, x: xp.sum(x, axis=0), lambda n: 1 / n, shape=lambda n: (n, -1)),
    *_by_row("cumulative_sum of rows", lambda xp, x: xp.cumulative_sum(x, axis=-1), lambda n: 1),
    *_by_row("cumulative_prod of rows", lambda xp, x: xp.cumulative_prod(x, axis=-1), lambda n: 1),
    *_by_row("sort of rows", lambda xp, x: xp.sort(x, axis=-1), lambda n: 1, size=SORTS),
    *_by_row("argsort of rows", lambda xp, x: xp.argsort(x, axis=-1), lambda n: 2, size=SORTS),
    # odd extents
    *_sweep("axes reversed", _copied((2, 1, 0)), _CUBES, _twice),
    *_sweep("axes 1, 0, 2", _copied((1, 0, 2)), _CUBES, _twice),
    *_sweep("axes 0, 2, 1", _copied((0, 2, 1)), _CUBES, _twice),
    *_sweep("flipped", _reversed, [(n, str(n), "float32", (-1, n)) for n in (127, 511, 4096)], _twice),
    # many operands
    *_operands("concat", lambda xp, *x: xp.concat(x)),
    *_operands("stack", lambda xp, *x: xp.stack(x)),
    *_operands("stack in the last axis", lambda xp, *x: xp.stack(x, axis=-1)),
    *_by_dtype("tile", lambda xp, x: xp.tile(x, (4, 4)), lambda d: 17 * _bytes(d), ("int8", "float32"), (1024, -1), 22),
    *_by_dtype("repeat", lambda xp, x: xp.repeat(x, 3), lambda d: 4 * _bytes(d), ("int8", "float32"), (-1,), 24),
    # scatters
    *(
        Case(
            f"z[i] = x, {dtype}",
            _scattered,
            size=24,
            family="z[i] = x",
            against=_bytes(dtype),
            make=partial(_permuted, dtype),
            instead=_UPDATED,
        )
        for dtype in ("int8", "float16", "float32", "float64", "complex64")
    ),
    # searches
    *_searches("isin", lambda xp, x, y: xp.isin(x, y)),
    *_searches("searchsorted", lambda xp, x, y: xp.searchsorted(y, x)),
    *(
        case
        for size in (10, 16, 22)
        for case in _sweep(
            f"unique_values of 2^{size}",
            lambda xp, x: xp.unique_values(x),
            [(_bytes(dtype), dtype, dtype, (-1,)) for dtype in ("int8", "int32", "float32")],
            lambda d: 0,
            size,
        )
    ),
    *_by_dtype("sort", lambda xp, x: xp.sort(x), lambda d: 0, SORTED, size=22),
    *_by_dtype("argsort", lambda xp, x: xp.argsort(x), lambda d: 0, SORTED, size=22),
)
