"""The exponential integral, the sine integral and the cosine integral."""

from __future__ import annotations

from ..api.core.array_object import Array
from .wrappers import HOME, is_complex, through_scipy, unary

__all__ = ["exp1", "sici"]

exp1 = unary(
    "exp1", "x", "The integral of exp(-t) / t from x to infinity; infinite at 0, NaN below.", "DLMF 6.2.1", "SciPy"
)
_si = unary("sine_integral", "x", "The first result of `sici`.", "DLMF 6.2.9")
_ci = unary("cosine_integral", "x", "The second result of `sici`.", "DLMF 6.2.11")
_by_scipy = through_scipy("sici", "x")


def sici(x: Array, /) -> tuple[Array, Array]:
    """The sine integral and the cosine integral of each element of ``x``: the integral of sin(t) / t from 0 to x, and
    gamma + log(abs(x)) + the integral of (cos(t) - 1) / t from 0 to x.

    Both arrays have the shape and dtype of ``x``; integers and booleans are converted to the default floating-point
    dtype. For complex numbers SciPy computes the result on host copies.
    Source: SciPy, ``special.sici``; DLMF 6.2.9, 6.2.11.
    """
    if is_complex(x):
        both: tuple[Array, Array] = _by_scipy(x)
        return both
    return _si(x), _ci(x)


sici.__module__ = HOME
