"""The exponential integral, the sine and the cosine integral."""

from __future__ import annotations

from ..api.core.array_object import Array
from .wrappers import HOME, is_complex, through_scipy, unary

__all__ = ["exp1", "sici"]

exp1 = unary(
    "exp1", "x", "The integral of exp(-t) / t from x on: infinite of 0, NaN of negative numbers.", "DLMF 6.2.1", "SciPy"
)
_si = unary("sine_integral", "x", "The first result of `sici`.", "DLMF 6.2.9")
_ci = unary("cosine_integral", "x", "The second result of `sici`.", "DLMF 6.2.11")
_by_scipy = through_scipy("sici", "x")


def sici(x: Array, /) -> tuple[Array, Array]:
    """The integral of sin(t) / t from 0 to x, and gamma + log(abs(x)) + that of (cos(t) - 1) / t.

    Two arrays of the shape of `x`, element by element, in its dtype; integers and booleans count as the default
    floating-point dtype. SciPy computes complex numbers, on host copies.
    Source: SciPy, ``special.sici``; DLMF 6.2.9, 6.2.11.
    """
    if is_complex(x):
        both: tuple[Array, Array] = _by_scipy(x)
        return both
    return _si(x), _ci(x)


sici.__module__ = HOME
