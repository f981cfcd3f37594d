"""Error functions and the normal distribution."""

from __future__ import annotations

from .wrappers import unary

__all__ = ["erf"]

erf = unary("erf", "x", "The error function: 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.", "DLMF 7.2.1")
