"""Error functions and the normal distribution."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["erf", "erfc", "erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"]

erf = unary(
    "erf", {"x": "Real or complex numbers."},
    "Compute the error function.\n\nIt is 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.",
    "DLMF 7.2.1", ("xp.asarray([0.0, 0.5, 2.0])", "[0.         0.52049988 0.99532227]"), "SciPy",
)  # fmt: skip
erfc = unary(
    "erfc", {"x": "Real or complex numbers."},
    "Compute 1 - erf(x), accurate if it is small.",
    "DLMF 7.2.2", ("xp.asarray([0.0, 0.5, 10.0])", "[1.00000000e+00 4.79500122e-01 2.08848758e-45]"), "SciPy",
)  # fmt: skip
erfcinv = unary(
    "erfcinv", {"y": "Numbers from 0 to 2; NaN for others."},
    "Compute the x with erfc(x) = y.",
    "DLMF 7.17.1", ("xp.asarray([0.5, 1.0])", "[0.47693628 0.        ]"),
)  # fmt: skip
erfcx = unary(
    "erfcx", {"x": "Real or complex numbers."},
    "Compute exp(x**2) * erfc(x), which does not underflow.",
    "DLMF 7.2.3", ("xp.asarray([0.0, 100.0])", "[1.         0.00564161]"), "SciPy",
)  # fmt: skip
erfinv = unary(
    "erfinv", {"y": "Numbers from -1 to 1; NaN for others."},
    "Compute the x with erf(x) = y.",
    "DLMF 7.17.1", ("xp.asarray([-0.5, 0.0, 0.9])", "[-0.47693628  0.          1.16308715]"),
)  # fmt: skip
log_ndtr = unary(
    "log_ndtr", {"x": "Real or complex numbers."},
    "Compute the logarithm of ndtr(x), accurate in both tails.",
    "DLMF 7.18.1", ("xp.asarray([-40.0, 0.0])", "[-8.04608442e+02 -6.93147181e-01]"), "SciPy",
)  # fmt: skip
ndtr = unary(
    "ndtr", {"x": "Real or complex numbers."},
    "Compute the cumulative normal distribution.\n\nIt is erfc(-x / sqrt(2)) / 2.",
    "DLMF 7.2.2", ("xp.asarray([-1.0, 0.0, 1.96])", "[0.15865525 0.5        0.9750021 ]"), "SciPy",
)  # fmt: skip
ndtri = unary(
    "ndtri", {"y": "Probabilities from 0 to 1; NaN for others."},
    "Compute the x with ndtr(x) = y.",
    "DLMF 7.17.1", ("xp.asarray([0.5, 0.975])", "[0.         1.95996398]"),
)  # fmt: skip
