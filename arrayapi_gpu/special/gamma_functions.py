"""Gamma functions and their relatives."""

from __future__ import annotations

from .wrappers import binary, unary

__all__ = ["beta", "betaln", "binom", "digamma", "gamma", "gammaln", "loggamma", "psi"]

beta = binary(
    "beta", "a b", "gamma(a) * gamma(b) / gamma(a + b); 0 where one is infinite and the other positive and finite.",
    "DLMF 5.12.1",
)  # fmt: skip
betaln = binary("betaln", "a b", "The logarithm of the absolute value of beta(a, b).", "DLMF 5.12.1")
binom = binary(
    "binom", "n k",
    "gamma(n + 1) / (gamma(k + 1) * gamma(n - k + 1)); NaN where n is a negative whole number, infinite where n is and "
    "k is a positive whole number.",
    "DLMF 1.2.6",
)  # fmt: skip
gamma = unary("gamma", "x", "The gamma function; NaN at negative whole numbers.", "DLMF 5.2.1", "SciPy")
gammaln = unary("gammaln", "x", "The logarithm of the absolute value of gamma(x).", "DLMF 5.2.1")
loggamma = unary(
    "loggamma", "z", "The logarithm of gamma(z); NaN for z < 0, where gamma has both signs.", "DLMF 5.2.1", "SciPy"
)
psi = unary("psi", "x", "The digamma function: the derivative of the logarithm of gamma(x).", "DLMF 5.2.2", "SciPy")
digamma = psi
