"""Logistic functions and entropies: expressions of exponentials and logarithms."""

from __future__ import annotations

from .wrappers import binary, unary

__all__ = ["expit", "xlogy"]

expit = unary("expit", "x", "The logistic function: 1 / (1 + exp(-x)).", "DLMF 4.28.8, (1 + tanh(x / 2)) / 2")
xlogy = binary("xlogy", "x y", "x * log(y), and 0 where x is 0 and y is no NaN.", "Shannon (1948)")
