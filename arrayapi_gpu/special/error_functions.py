"""Error functions and the normal distribution."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["erf", "erfc", "erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"]

erf = unary(
    "erf", "x", "The error function: 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.", "DLMF 7.2.1", "SciPy"
)
erfc = unary(
    "erfc",
    "x",
    "The complementary error function: 1 - erf(x), with all digits where it is small.",
    "DLMF 7.2.2",
    "SciPy",
)
erfcinv = unary(
    "erfcinv", "y", "The inverse of erfc: x with erfc(x) = y, for y from 0 to 2; otherwise NaN.", "DLMF 7.17.1"
)
erfcx = unary("erfcx", "x", "The scaled complementary error function: exp(x**2) * erfc(x).", "DLMF 7.2.3", "SciPy")
erfinv = unary(
    "erfinv", "y", "The inverse of erf: x with erf(x) = y, for y from -1 to 1; otherwise NaN.", "DLMF 7.17.1"
)
log_ndtr = unary("log_ndtr", "x", "The logarithm of ndtr(x), with all digits in both tails.", "DLMF 7.18.1", "SciPy")
ndtr = unary(
    "ndtr", "x", "The distribution function of the normal distribution: erfc(-x / sqrt(2)) / 2.", "DLMF 7.2.2", "SciPy"
)
ndtri = unary("ndtri", "y", "The inverse of ndtr: x with ndtr(x) = y, for y from 0 to 1; otherwise NaN.", "DLMF 7.17.1")
