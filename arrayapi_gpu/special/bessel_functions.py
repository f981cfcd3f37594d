"""Bessel functions and modified Bessel functions of orders 0 and 1, of real arguments."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]

j0 = unary("j0", "x", "The Bessel function of the first kind of order 0.", "DLMF 10.2.2")
j1 = unary("j1", "x", "The Bessel function of the first kind of order 1.", "DLMF 10.2.2")
y0 = unary("y0", "x", "The Bessel function of the second kind of order 0; NaN for negative numbers.", "DLMF 10.2.3")
y1 = unary("y1", "x", "The Bessel function of the second kind of order 1; NaN for negative numbers.", "DLMF 10.2.3")
i0 = unary("i0", "x", "The modified Bessel function of the first kind of order 0.", "DLMF 10.25.2")
i0e = unary("i0e", "x", "exp(-abs(x)) i0(x), which does not overflow.", "DLMF 10.25.2")
i1 = unary("i1", "x", "The modified Bessel function of the first kind of order 1.", "DLMF 10.25.2")
i1e = unary("i1e", "x", "exp(-abs(x)) i1(x), which does not overflow.", "DLMF 10.25.2")
k0 = unary(
    "k0", "x", "The modified Bessel function of the second kind of order 0; NaN for negative numbers.", "DLMF 10.27.4"
)
k0e = unary("k0e", "x", "exp(x) k0(x), which does not underflow.", "DLMF 10.27.4")
k1 = unary(
    "k1", "x", "The modified Bessel function of the second kind of order 1; NaN for negative numbers.", "DLMF 10.27.4"
)
k1e = unary("k1e", "x", "exp(x) k1(x), which does not underflow.", "DLMF 10.27.4")
