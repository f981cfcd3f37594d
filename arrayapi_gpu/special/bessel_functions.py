"""Bessel functions and modified Bessel functions of orders 0 and 1, of real arguments."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]

j0 = unary(
    "j0", {"x": "Real numbers."},
    "Compute the Bessel function of the first kind of order 0.",
    "DLMF 10.2.2", ("xp.asarray([0.0, 1.0, 5.0])", "[ 1.          0.76519769 -0.17759677]"),
)  # fmt: skip
j1 = unary(
    "j1", {"x": "Real numbers."},
    "Compute the Bessel function of the first kind of order 1.",
    "DLMF 10.2.2", ("xp.asarray([0.0, 1.0, 5.0])", "[ 0.          0.44005059 -0.32757914]"),
)  # fmt: skip
y0 = unary(
    "y0", {"x": "Real numbers; NaN for negative ones, -infinity for 0."},
    "Compute the Bessel function of the second kind of order 0.",
    "DLMF 10.2.3", ("xp.asarray([1.0, 5.0])", "[ 0.08825696 -0.30851763]"),
)  # fmt: skip
y1 = unary(
    "y1", {"x": "Real numbers; NaN for negative ones, -infinity for 0."},
    "Compute the Bessel function of the second kind of order 1.",
    "DLMF 10.2.3", ("xp.asarray([1.0, 5.0])", "[-0.78121282  0.14786314]"),
)  # fmt: skip
i0 = unary(
    "i0", {"x": "Real numbers."},
    "Compute the modified Bessel function of the first kind of order 0.",
    "DLMF 10.25.2", ("xp.asarray([0.0, 1.0])", "[1.         1.26606588]"),
)  # fmt: skip
i0e = unary(
    "i0e", {"x": "Real numbers."},
    "Compute exp(-abs(x)) * i0(x), which does not overflow.",
    "DLMF 10.25.2", ("xp.asarray([0.0, 1.0, 1000.0])", "[1.         0.46575961 0.01261724]"),
)  # fmt: skip
i1 = unary(
    "i1", {"x": "Real numbers."},
    "Compute the modified Bessel function of the first kind of order 1.",
    "DLMF 10.25.2", ("xp.asarray([0.0, 1.0])", "[0.        0.5651591]"),
)  # fmt: skip
i1e = unary(
    "i1e", {"x": "Real numbers."},
    "Compute exp(-abs(x)) * i1(x), which does not overflow.",
    "DLMF 10.25.2", ("xp.asarray([0.0, 1.0, 1000.0])", "[0.         0.20791042 0.01261093]"),
)  # fmt: skip
k0 = unary(
    "k0", {"x": "Real numbers; NaN for negative ones, infinity for 0."},
    "Compute the modified Bessel function of the second kind of order 0.",
    "DLMF 10.27.4", ("xp.asarray([0.5, 1.0])", "[0.92441907 0.42102444]"),
)  # fmt: skip
k0e = unary(
    "k0e", {"x": "Real numbers; NaN for negative ones, infinity for 0."},
    "Compute exp(x) * k0(x), which does not underflow.",
    "DLMF 10.27.4", ("xp.asarray([1.0, 1000.0])", "[1.14446308 0.03962832]"),
)  # fmt: skip
k1 = unary(
    "k1", {"x": "Real numbers; NaN for negative ones, infinity for 0."},
    "Compute the modified Bessel function of the second kind of order 1.",
    "DLMF 10.27.4", ("xp.asarray([0.5, 1.0])", "[1.65644112 0.60190723]"),
)  # fmt: skip
k1e = unary(
    "k1e", {"x": "Real numbers; NaN for negative ones, infinity for 0."},
    "Compute exp(x) * k1(x), which does not underflow.",
    "DLMF 10.27.4", ("xp.asarray([1.0, 1000.0])", "[1.63615349 0.03964813]"),
)  # fmt: skip
