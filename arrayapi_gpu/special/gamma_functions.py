"""The gamma function and related functions."""

from __future__ import annotations

from .wrappers import Binary, Unary, binary, unary

__all__ = ["beta", "betaln", "binom", "digamma", "gamma", "gammaln", "loggamma", "psi"]

beta: Binary = binary(
    "beta", {"a": "Real numbers.", "b": "Real numbers."},
    "Compute the beta function gamma(a) * gamma(b) / gamma(a + b).\n\n"
    "It is 0 if one operand is infinite and the other positive and finite.",
    "DLMF 5.12.1", ("xp.asarray([1.0, 2.0]), 3.0", "[0.33333333 0.08333333]"),
)  # fmt: skip
betaln: Binary = binary(
    "betaln", {"a": "Real numbers.", "b": "Real numbers."},
    "Compute the logarithm of the absolute value of beta(a, b).\n\n"
    "The error is small against 1 + log(1 + max(a, b)), so a result near 0 has few digits.",
    "DLMF 5.12.1", ("xp.asarray([1.0, 200.0]), 300.0", "[  -5.70378247 -337.98011307]"),
)  # fmt: skip
binom: Binary = binary(
    "binom", {"n": "Real numbers; NaN for negative integers.", "k": "Real numbers."},
    "Compute the binomial coefficient, also of real numbers.\n\n"
    "It is gamma(n + 1) / (gamma(k + 1) * gamma(n - k + 1)), infinite if n is infinite and k a positive integer.",
    "DLMF 1.2.6", ("5.0, xp.asarray([0.0, 1.0, 2.0])", "[ 1.  5. 10.]"),
)  # fmt: skip
gamma: Unary = unary(
    "gamma", {"x": "Real or complex numbers; NaN for negative integers."},
    "Compute the gamma function.",
    "DLMF 5.2.1", ("xp.asarray([0.5, 1.0, 5.0])", "[ 1.77245385  1.         24.        ]"), "SciPy",
)  # fmt: skip
gammaln: Unary = unary(
    "gammaln", {"x": "Real numbers."},
    "Compute the logarithm of the absolute value of gamma(x).",
    "DLMF 5.2.1", ("xp.asarray([0.5, 1.0, 500.0])", "[5.72364943e-01 0.00000000e+00 2.60511585e+03]"),
)  # fmt: skip
loggamma: Unary = unary(
    "loggamma", {"z": "Real or complex numbers; NaN for real ones below 0, where gamma may be negative."},
    "Compute the logarithm of gamma(z).",
    "DLMF 5.2.1", ("xp.asarray([0.5, 1.0, 500.0])", "[5.72364943e-01 0.00000000e+00 2.60511585e+03]"), "SciPy",
)  # fmt: skip
psi: Unary = unary(
    "psi", {"x": "Real or complex numbers."},
    "Compute the digamma function, the derivative of the logarithm of gamma.",
    "DLMF 5.2.2", ("xp.asarray([0.5, 1.0, 5.0])", "[-1.96351003 -0.57721566  1.50611767]"), "SciPy",
)  # fmt: skip
digamma: Unary = psi
