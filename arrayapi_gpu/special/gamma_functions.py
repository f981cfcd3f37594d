"""Gamma functions and their relatives."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["digamma", "gamma", "gammaln", "loggamma", "psi"]

gamma = unary("gamma", "x", "The gamma function; NaN at negative whole numbers.", "DLMF 5.2.1")
gammaln = unary("gammaln", "x", "The logarithm of the absolute value of gamma(x).", "DLMF 5.2.1")
loggamma = unary("loggamma", "z", "The logarithm of gamma(z); NaN for z < 0, where gamma has both signs.", "DLMF 5.2.1")
psi = unary("psi", "x", "The digamma function: the derivative of the logarithm of gamma(x).", "DLMF 5.2.2")
digamma = psi
