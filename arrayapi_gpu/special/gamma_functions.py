"""The gamma function and related functions."""

from __future__ import annotations

from .wrappers import binary, unary

__all__ = ["beta", "betaln", "binom", "digamma", "gamma", "gammaln", "loggamma", "psi"]

beta = binary(
    "beta", "a b",
    "gamma(a) * gamma(b) / gamma(a + b); 0 if one operand is infinite and the other positive and finite.",
    "DLMF 5.12.1",
)  # fmt: skip
betaln = binary("betaln", "a b", "The logarithm of the absolute value of beta(a, b).", "DLMF 5.12.1")
binom = binary(
    "binom", "n k",
    "The binomial coefficient gamma(n + 1) / (gamma(k + 1) * gamma(n - k + 1)); NaN if n is a negative integer; "
    "infinite if n is infinite and k is a positive integer.",
    "DLMF 1.2.6",
)  # fmt: skip
gamma = unary("gamma", "x", "The gamma function; NaN at negative integers.", "DLMF 5.2.1", "SciPy")
gammaln = unary("gammaln", "x", "The logarithm of the absolute value of gamma(x).", "DLMF 5.2.1")
loggamma = unary(
    "loggamma",
    "z",
    "The logarithm of gamma(z); NaN for real z < 0, where gamma may be negative.",
    "DLMF 5.2.1",
    "SciPy",
)
psi = unary("psi", "x", "The digamma function: the derivative of the logarithm of gamma(x).", "DLMF 5.2.2", "SciPy")
digamma = psi
