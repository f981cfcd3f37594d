"""Element-wise functions: contiguous, strided, broadcast, transposed."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from bench.case import Case


def expression(xp: Any, x: Any, y: Any) -> Any:
    """Eleven operations that want to be one kernel."""
    d = x - y
    return xp.sqrt(d * d + 1) * xp.exp(-x) + xp.where(x > y, 2 * x, y / 2)


EXPRESSION = "sqrt((a - b) * (a - b) + 1) * exp(-a) + where(a > b, 2 * a, b / 2)"


def cases(size: int) -> list[Case]:
    """Return the cases for about `size` float32 elements, square ones in two dimensions."""
    source = np.random.default_rng(0)
    x, y = (source.random(size, dtype=np.float32) for _ in range(2))
    side = isqrt(size)
    square = x[: side * side].reshape(side, side)
    n, m = x.nbytes, square.nbytes
    return [
        Case("x + y", lambda xp, x, y: x + y, (x, y), 3 * n, (2, 1.3), numexpr="a + b"),
        Case("exp(sin(x))", lambda xp, x: xp.exp(xp.sin(x)), (x,), 2 * n, (2.3, 5), numexpr="exp(sin(a))"),
        Case("x ** x", lambda xp, x: x**x, (x,), 2 * n, (1, 2), numexpr="a ** a"),
        Case("expression", expression, (x, y), 3 * n, (15, 15), numexpr=EXPRESSION),
        Case("x[::2] + y[::2]", lambda xp, x, y: x[::2] + y[::2], (x, y), 5 * n // 2),
        Case("X + Y[0]", lambda xp, x, y: x + y[0], (square, square), 2 * m),
        # A copy may keep the order of the axes; reshaping may not.
        Case("copy of X.T", lambda xp, x: xp.reshape(x.T, (-1,)), (square,), 2 * m, (1, 1)),
        Case("X + X.T", lambda xp, x: x + x.T, (square,), 2 * m),
    ]
