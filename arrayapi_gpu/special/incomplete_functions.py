"""Regularized incomplete gamma and beta functions and their inverses."""

from __future__ import annotations

from .wrappers import binary, ternary

__all__ = ["betainc", "betaincc", "betainccinv", "betaincinv", "gammainc", "gammaincc", "gammainccinv", "gammaincinv"]

gammainc = binary(
    "gammainc", {"a": "The shape, at least 0.", "x": "The upper end of the integral, at least 0."},
    "Compute the lower incomplete gamma function, regularized.\n\n"
    "It is the integral of t**(a - 1) * exp(-t) from 0 to x, divided by gamma(a).",
    "DLMF 8.2.4", ("2.0, xp.asarray([0.5, 1.0, 5.0])", "[0.09020401 0.26424112 0.95957232]"),
)  # fmt: skip
gammaincc = binary(
    "gammaincc", {"a": "The shape, at least 0.", "x": "The upper end of the integral, at least 0."},
    "Compute 1 - gammainc(a, x), accurate if it is small.",
    "DLMF 8.2.4", ("2.0, xp.asarray([0.5, 1.0, 50.0])", "[9.09795990e-01 7.35758882e-01 9.83662422e-21]"),
)  # fmt: skip
gammaincinv = binary(
    "gammaincinv", {"a": "The shape, at least 0.", "y": "Numbers from 0 to 1."},
    "Compute the x with gammainc(a, x) = y.",
    "DLMF 8.12(iv)", ("2.0, xp.asarray([0.1, 0.5])", "[0.53181161 1.67834699]"),
)  # fmt: skip
gammainccinv = binary(
    "gammainccinv", {"a": "The shape, at least 0.", "y": "Numbers from 0 to 1."},
    "Compute the x with gammaincc(a, x) = y.",
    "DLMF 8.12(iv)", ("2.0, xp.asarray([0.1, 0.5])", "[3.88972017 1.67834699]"),
)  # fmt: skip
betainc = ternary(
    "betainc", {
        "a": "The first shape, at least 0.",
        "b": "The second shape, at least 0.",
        "x": "The upper end of the integral, from 0 to 1.",
    },
    "Compute the incomplete beta function, regularized.\n\n"
    "It is the integral of t**(a - 1) * (1 - t)**(b - 1) from 0 to x, divided by beta(a, b).",
    "DLMF 8.17.2", ("2.0, 3.0, xp.asarray([0.2, 0.5])", "[0.1808 0.6875]"),
)  # fmt: skip
betaincc = ternary(
    "betaincc", {
        "a": "The first shape, at least 0.",
        "b": "The second shape, at least 0.",
        "x": "The upper end of the integral, from 0 to 1.",
    },
    "Compute 1 - betainc(a, b, x), accurate if it is small.",
    "DLMF 8.17.4", ("2.0, 3.0, xp.asarray([0.2, 0.5])", "[0.8192 0.3125]"),
)  # fmt: skip
betaincinv = ternary(
    "betaincinv", {
        "a": "The first shape, at least 0.",
        "b": "The second shape, at least 0.",
        "y": "Numbers from 0 to 1.",
    },
    "Compute the x with betainc(a, b, x) = y.",
    "DLMF 8.17.2", ("2.0, 3.0, xp.asarray([0.1, 0.5])", "[0.14255932 0.38572757]"),
)  # fmt: skip
betainccinv = ternary(
    "betainccinv", {
        "a": "The first shape, at least 0.",
        "b": "The second shape, at least 0.",
        "y": "Numbers from 0 to 1.",
    },
    "Compute the x with betaincc(a, b, x) = y.",
    "DLMF 8.17.4", ("2.0, 3.0, xp.asarray([0.1, 0.5])", "[0.67953942 0.38572757]"),
)  # fmt: skip
