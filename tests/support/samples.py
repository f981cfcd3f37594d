"""Values to compute with: every dtype's ordinary and extreme ones."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import cycle
from typing import Any

import numpy as np

HostArray = np.ndarray[Any, Any]

BOOLEAN = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
REAL_FLOATING = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = REAL_FLOATING + COMPLEX
REAL = INTEGERS + REAL_FLOATING
NUMERIC = INTEGERS + FLOATING
DTYPES = BOOLEAN + NUMERIC


def sample(dtype: str, shape: int | tuple[int, ...], seed: int = 0) -> HostArray:
    """Ordinary values: integers of the whole range, floats of both signs around one, repeatable."""
    rng = np.random.default_rng([seed, DTYPES.index(dtype)])
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True))
    if kind == "c":
        return np.asarray(rng.normal(size=shape) * 2 + 2j * rng.normal(size=shape)).astype(dtype)
    return np.asarray(rng.normal(size=shape) * 2).astype(dtype)


def in_turn(items: Iterable[Any], others: Iterable[Any], count: int) -> list[tuple[Any, Any]]:
    """Pairs of each item with ``count`` of the others, which take turns: all of these are met, not all pairs."""
    one_after_the_other = cycle(others)
    return [(item, next(one_after_the_other)) for item in items for _ in range(count)]


def few(dtype: str, shape: int | tuple[int, ...], seed: int = 0) -> HostArray:
    """Few different values, so that many are equal."""
    values = np.asarray(sample("int8", shape, seed) % 5)
    return (values + 1j * (values // 2)).astype(dtype) if dtype in COMPLEX else values.astype(dtype)


def specials(dtype: str) -> HostArray:
    """The values at which functions go wrong: extremes, zeros of both signs, infinities, NaN, halves."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        near = {0, 1, 2, 3, 7, info.bits - 1, info.bits, info.max, info.max - 1, info.min, info.min + 1}
        if kind == "i":
            near |= {-1, -2, -3, -7}
        return np.array(sorted(near), dtype)
    if kind == "f":
        limits = np.finfo(dtype)
        positive = [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 10.5, math.inf]
        positive += [float(limits.eps), float(limits.smallest_normal), float(limits.smallest_subnormal)]
        positive += [float(limits.max), float(limits.max) / 2]
        return np.array([*positive, *[-v for v in positive], math.nan], dtype)
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, math.inf, -math.inf, math.nan]
    return np.array([complex(re, im) for re in parts for im in parts], dtype)
