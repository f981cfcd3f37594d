"""Matrices of every condition: well, singular, near overflow, subnormal and others, of any dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .residuals import adjoint

HostArray = np.ndarray[Any, Any]


class Draw(NamedTuple):
    """Numbers for matrices of a shape and a dtype."""

    rng: np.random.Generator
    shape: tuple[int, ...]
    info: Any  # np.finfo
    pairs: bool  # complex numbers

    def normal(self, *shape: int) -> HostArray:
        x: HostArray = self.rng.standard_normal(shape)
        return x + 1j * self.rng.standard_normal(shape) if self.pairs else x

    def whole(self, *shape: int) -> HostArray:
        x: HostArray = self.rng.integers(-3, 4, shape).astype("float64")
        return x + 1j * self.rng.integers(-3, 4, shape) if self.pairs else x


def _well(draw: Draw) -> HostArray:
    return draw.normal(*draw.shape)


def _ill(draw: Draw) -> HostArray:
    """Singular values from 1 to eps / 8."""
    *stack, rows, columns = draw.shape
    least = min(rows, columns)
    left, right = (np.linalg.qr(draw.normal(*stack, n, n))[0] for n in (rows, columns))
    values = np.geomspace(1, float(draw.info.eps) / 8, least) if least > 1 else np.ones(least)
    return np.asarray((left[..., :least] * values) @ right[..., :least, :])


def _graded(draw: Draw) -> HostArray:
    steps = 8.0 if draw.info.bits > 32 else 1.0
    return np.asarray(draw.normal(*draw.shape) * 2.0 ** (-steps * np.arange(draw.shape[-1])))


def _deficient(draw: Draw) -> HostArray:
    """About half of the rank; exact, so that elimination may meet zeros."""
    *stack, rows, columns = draw.shape
    rank = max(1, min(rows, columns) // 2) if rows and columns else 0
    return np.asarray(draw.whole(*stack, rows, rank) @ draw.whole(*stack, rank, columns))


def _zero_column(draw: Draw) -> HostArray:
    x = draw.normal(*draw.shape)
    x[..., -1:] = 0
    return x


def _zero(draw: Draw) -> HostArray:
    return np.zeros(draw.shape, complex if draw.pairs else float)


def _signed_zeros(draw: Draw) -> HostArray:
    x = draw.normal(*draw.shape)
    return np.where(draw.rng.random(draw.shape) < 0.4, -0.0 * abs(x), x)


def _eye(draw: Draw) -> HostArray:
    return np.asarray(np.eye(draw.shape[-2], draw.shape[-1]))


def _repeated(draw: Draw) -> HostArray:
    """Columns or rows of reflections: all singular values are 1, and eigenvalues are 1 or -1."""
    *stack, rows, columns = draw.shape
    n = max(rows, columns)
    v = draw.normal(*stack, n, 1)
    v = v / np.sqrt(np.sum(abs(v) ** 2, axis=-2, keepdims=True))
    return np.asarray((np.eye(n) - 2 * v @ adjoint(v))[..., :rows, :columns])


def _triangular(draw: Draw) -> HostArray:
    return np.asarray(np.triu(draw.normal(*draw.shape)) + _eye(draw))


def _diagonal(draw: Draw) -> HostArray:
    """With zeros and repetitions, in no order."""
    return np.asarray(_eye(draw) * draw.whole(*draw.shape[:-2], 1, draw.shape[-1]))


class Condition(NamedTuple):
    """How matrices with elements near 1 are made, and the exponent of the power of two that scales them."""

    make: Callable[[Draw], HostArray]
    exponent: Callable[[Any], int] = lambda info: 0
    regular: bool = True  # far enough from singular that nothing may raise, also of a small dtype
    singular: bool = False  # elimination meets a zero in exact arithmetic and by rounding


def _subnormal(info: Any) -> int:
    return int(info.minexp) - 2


def _tiny(info: Any) -> int:
    return int(info.minexp) + 4


def _huge(info: Any) -> int:
    return int(info.maxexp - 4 - info.bits // 8)


CONDITIONS: dict[str, Condition] = {
    "well": Condition(_well),
    "ill": Condition(_ill, regular=False),
    "graded": Condition(_graded, regular=False),
    "deficient": Condition(_deficient, regular=False),
    "zero column": Condition(_zero_column, regular=False, singular=True),
    "zero": Condition(_zero, regular=False, singular=True),
    "signed zeros": Condition(_signed_zeros, regular=False),
    "repeated": Condition(_repeated),
    "triangular": Condition(_triangular, regular=False),
    "diagonal": Condition(_diagonal, regular=False),
    "subnormal": Condition(_well, _subnormal, regular=False),
    "tiny": Condition(_well, _tiny),
    "huge": Condition(_well, _huge),
}


def conditioned(name: str, dtype: str, shape: tuple[int, ...], form: str = "any") -> HostArray:
    """A stack of matrices of a condition. ``form``: "any", "hermitian" or "positive", the last two square; those are
    positive definite only if the condition is not a singular one."""
    condition, info = CONDITIONS[name], np.finfo(dtype)
    draw = Draw(np.random.default_rng([*shape, len(name)]), shape, info, np.dtype(dtype).kind == "c")
    with np.errstate(all="ignore"):
        x = condition.make(draw)
        if form == "hermitian":
            x = (x + adjoint(x)) / 2
        elif form == "positive":
            x = x @ adjoint(x) / max(1, shape[-1])
            if condition.regular:
                x = x + 0.25 * np.eye(shape[-1])
        scale = (
            2.0 ** condition.exponent(info) if info.bits < 64 else np.ldexp(np.longdouble(1), condition.exponent(info))
        )
        return np.asarray((x * scale).astype(dtype))
