"""Reductions over all elements, leading, inner and middle axes."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from bench.case import Case


def _softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def _standardise(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True)


def cases(size: int) -> list[Case]:
    """Return the cases for about `size` float32 elements; three dimensions are 4 : 1 : 4."""
    x = np.random.default_rng(0).random(size, dtype=np.float32)
    side = isqrt(size)
    flat, square = x, x[: side * side].reshape(side, side)
    edge = int((size / 16) ** (1 / 3) + 1e-6)
    cube = x[: 16 * edge**3].reshape(4 * edge, edge, 4 * edge)
    return [
        Case("sum(x)", lambda xp, x: xp.sum(x), (flat,), flat.nbytes, (2, 2), numexpr="sum(a)"),
        Case("sum(X, axis=0)", lambda xp, x: xp.sum(x, axis=0), (square,), square.nbytes),
        Case("sum(X, axis=1)", lambda xp, x: xp.sum(x, axis=1), (square,), square.nbytes),
        Case("sum(X3, axis=1)", lambda xp, x: xp.sum(x, axis=1), (cube,), cube.nbytes),
        Case("argmax(x)", lambda xp, x: xp.argmax(x), (flat,), flat.nbytes),
        Case("mean(x)", lambda xp, x: xp.mean(x), (flat,), flat.nbytes),
        Case("var(x)", lambda xp, x: xp.var(x), (flat,), flat.nbytes),
        Case("softmax of rows", _softmax, (square,), 2 * square.nbytes),
        Case("standardised rows", _standardise, (square,), 2 * square.nbytes),
        Case("sum(x * x + 1)", lambda xp, x: xp.sum(x * x + 1), (flat,), flat.nbytes),
    ]
