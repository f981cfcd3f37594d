"""Types that a checker finds for lines of a user: mypy reads this file as `make lint` does all others.

Each mistake at the end must be reported, because an unused ``type: ignore`` is an error, too.
"""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import Array, debug

x = xp.arange(6.0)
y = xp.reshape(x, (2, 3))

# Operators, with arrays and numbers on both sides
assert_type(x + 1, Array)
assert_type(1 - x, Array)
assert_type(x * x, Array)
assert_type(2 / x, Array)
assert_type(x // 2, Array)
assert_type(x % 2, Array)
assert_type(x**2, Array)
assert_type(y @ y.mT, Array)
assert_type(-x, Array)
assert_type(+x, Array)
assert_type(abs(x), Array)
assert_type(x < 2, Array)
assert_type(x >= y, Array)
assert_type(x == 1, Array)
assert_type(x != 1, Array)
assert_type((x > 1) & (x < 3), Array)
assert_type(~(x > 1), Array)
assert_type(divmod(x, 2), tuple[Array, Array])
x += 1
assert_type(x, Array)

# Attributes and methods of the class, and those that are added when the namespace is made
assert_type(x.shape, tuple[int, ...])
assert_type(x.ndim, int)
assert_type(x.size, int)
assert_type(y.T, Array)
assert_type(y.mT, Array)
assert_type(x[0], Array)
assert_type(x[x > 1], Array)
assert_type(x.sum(), Array)
assert_type(y.mean(0), Array)
assert_type(y.std(axis=0, ddof=1), Array)
assert_type(y.max(axis=(0, 1), keepdims=True), Array)
assert_type(x.argmax(), Array)
assert_type(x.argsort(), Array)
assert_type(x.clip(0, 1), Array)
assert_type(x.cumsum(), Array)
assert_type(x.round(2), Array)
assert_type(x.dot(x), Array)
assert_type(x.nonzero(), tuple[Array, ...])
assert_type(x.tobytes(), bytes)
assert_type(x.to_device("cpu"), Array)
assert_type(float(x[0]), float)
assert_type(int(x[0]), int)
assert_type(bool(x[0] > 1), bool)

# Functions
assert_type(xp.exp(x), Array)
assert_type(xp.sum(y, axis=0), Array)
assert_type(xp.where(x > 1, x, 0.0), Array)
assert_type(xp.concat([x, x]), Array)
assert_type(xp.sort(x), Array)
assert_type(xp.nonzero(x), tuple[Array, ...])
assert_type(xp.unique_all(x).values, Array)
assert_type(xp.linalg.svd(y).U, Array)
assert_type(xp.linalg.solve(y, y), Array)
assert_type(xp.fft.fft(xp.astype(x, xp.complex64)), Array)
assert_type(xp.special.gamma(x), Array)
assert_type(xp.random.default_rng(0).random(3), Array)
assert_type(xp.pi, float)
assert_type(debug.explain(x).arrays, dict[str, Array])


def after_a_mistake() -> int:
    """Code after a misspelt name is reachable, so its mistakes are found."""
    xp.sun(x)  # type: ignore[attr-defined]
    return "text"  # type: ignore[return-value]


# Mistakes
xp.percentle(x, 90)  # type: ignore[attr-defined]
x.sume()  # type: ignore[attr-defined]
print(x.shap)  # type: ignore[attr-defined]
x.cuda()  # type: ignore[attr-defined]
xp.sum()  # type: ignore[call-arg]
xp.sum(x, dim=0)  # type: ignore[call-arg]
xp.sum(x, 0)  # type: ignore[call-arg]
xp.exp(x, x)  # type: ignore[call-arg]
xp.exp("text")  # type: ignore[arg-type]
xp.reshape(x)  # type: ignore[call-arg]
xp.zeros("text")  # type: ignore[arg-type]
xp.linalg.slove(y, y)  # type: ignore[attr-defined]
xp.fft.fff(x)  # type: ignore[attr-defined]
x.sum(axis="0")  # type: ignore[arg-type]
x.round("2")  # type: ignore[arg-type]
x.device = "cpu"  # type: ignore[assignment]
x.shape = "text"  # type: ignore[assignment]
xp.concat(x)  # type: ignore[arg-type]
wrong: int = x.sum()  # type: ignore[assignment]
text: str = x + 1  # type: ignore[assignment]
numbers: np.ndarray[Any, Any] = xp.exp(x)  # type: ignore[assignment]
xp.config.fusoin = True  # type: ignore[attr-defined]
