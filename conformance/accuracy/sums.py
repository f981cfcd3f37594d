"""Errors of sums, of what is made of them, and of matrix products.

A sum may cancel, so its error is measured beside the sum of the absolute values: in units of u = eps / 2, the error of
one rounding, times sum(|x|); of a matrix product times the product of the absolute values. An element that passes d
additions adds at most d u, and at random rather sqrt(d) u: the bounds hold for trees of sums and are missed by adding a
long array one element after the other. The references are `math.fsum`, correctly rounded, and products in longdouble.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

HostArray = np.ndarray[Any, Any]

SIZES = ((1, 17, 1000, 1 << 18), (1, 17, 5000))  # in full and in quick
PRODUCTS = (((33, 7, 65), (100, 1000, 90), (8, 20000, 8)), ((33, 7, 65), (20, 1000, 20)))


@dataclass
class Sum:
    """One measured function: errors in u times the size of what was added."""

    function: str
    dtype: str
    source: str
    bound: str
    worst: float = 0.0
    at: str = ""
    broken: bool = False


def _numbers(dtype: np.dtype[Any], shape: tuple[int, ...], kind: str) -> HostArray:
    rng = np.random.default_rng([len(kind), dtype.itemsize])

    def part() -> HostArray:
        if kind == "positive":
            return np.asarray(rng.random(shape))
        if kind == "cancelling":
            return np.asarray(rng.normal(size=shape))
        return np.asarray(rng.normal(size=shape) * np.exp2(rng.uniform(-8, 8, shape)))

    scale = 0.01 if dtype == np.float16 else 1.0
    return np.asarray(scale * (part() + 1j * part()) if dtype.kind == "c" else scale * part()).astype(dtype)


def _parts(a: HostArray) -> tuple[HostArray, ...]:
    return (a.real, a.imag) if a.dtype.kind == "c" else (a,)


def _sum(x: HostArray) -> tuple[HostArray, HostArray]:
    rows = [row.tolist() for row in x.reshape(-1, x.shape[-1])]
    exact = [math.fsum(row) for row in rows]
    return np.array(exact), np.array([math.fsum(map(abs, row)) for row in rows])


def _mean(x: HostArray) -> tuple[HostArray, HostArray]:
    exact, size = _sum(x)
    return exact / x.shape[-1], size / x.shape[-1]


def _var(x: HostArray) -> tuple[HostArray, HostArray]:
    wide = x.astype(np.longdouble)
    exact = np.mean((wide - np.mean(wide, axis=-1, keepdims=True)) ** 2, axis=-1).ravel()
    return exact, exact


def _std(x: HostArray) -> tuple[HostArray, HostArray]:
    exact = np.sqrt(_var(x)[0])
    return exact, exact


def _cumulative(x: HostArray) -> tuple[HostArray, HostArray]:
    wide = x.astype(np.longdouble)
    return np.cumsum(wide, axis=-1).ravel(), np.cumsum(np.abs(wide), axis=-1).ravel()


_STATISTICS: dict[str, tuple[float, Callable[[HostArray], tuple[HostArray, HostArray]]]] = {
    "sum": (16, _sum),
    "mean": (16, _mean),
    "var": (16, _var),
    "std": (16, _std),
    "cumulative_sum": (64, _cumulative),
}

_REAL_ONLY = ("var", "std")


def measure(dtype: str, sources: dict[str, Any], quick: bool) -> Iterator[Sum]:
    """One row a function and source; a source computes (function, array, along rows or columns)."""
    for function, (bound, reference) in _STATISTICS.items():
        if dtype.startswith("c") and function in _REAL_ONLY:
            continue
        rows = {source: Sum(function, dtype, source, f"{bound:g}") for source in sources}
        for kind, length in product(("positive", "cancelling", "wide"), SIZES[quick]):
            x = _numbers(np.dtype(dtype), (7, length) if length < 10000 else (1, length), kind)
            exact = [reference(part) for part in _parts(x)]
            columns = np.ascontiguousarray(x.T)
            for source, compute in sources.items():
                _note(rows[source], _parts(compute(function, x, 1)), exact, bound, f"{kind}, rows of {length}")
                got = compute(function, columns, 0).T
                _note(rows[source], _parts(got), exact, bound, f"{kind}, columns of {length}")
        yield from rows.values()


def measure_products(dtype: str, sources: dict[str, Any], quick: bool) -> Iterator[Sum]:
    """The same for matrix products, with the square root of the inner length for a bound."""
    rows = {source: Sum("matmul", dtype, source, "2 sqrt(n) + 2") for source in sources}
    for m, n, k in PRODUCTS[quick]:
        for kind in ("positive", "cancelling"):
            a = _numbers(np.dtype(dtype), (m, n), kind)
            b = _numbers(np.dtype(dtype), (k, n), kind).T
            wide: Any = np.clongdouble if a.dtype.kind == "c" else np.longdouble
            size = (np.abs(a.astype(wide)) @ np.abs(b.astype(wide))).ravel()
            exact = [(part.ravel(), size) for part in _parts(a.astype(wide) @ b.astype(wide))]
            for source, compute in sources.items():
                got = compute("matmul", a, b)
                _note(rows[source], _parts(got), exact, 2 * math.sqrt(n) + 2, f"{kind}, {m} x {n} x {k}")
    yield from rows.values()


def _note(
    row: Sum, got: tuple[HostArray, ...], exact: list[tuple[HostArray, HostArray]], bound: float, what: str
) -> None:
    info = np.finfo(got[0].dtype)
    for part, (true, size) in zip(got, exact, strict=True):
        unit = float(info.eps) / 2 * size.astype(np.float64) + float(info.smallest_subnormal)
        error = np.abs(part.ravel().astype(np.longdouble) - true).astype(np.float64) / unit
        worst = float(np.max(error))
        row.broken |= not worst <= bound
        if not worst <= row.worst:
            row.worst, row.at = worst, what
