"""Cumulative distribution functions and their inverses, computed from incomplete gamma and beta functions."""

from __future__ import annotations

from .wrappers import binary, ternary

__all__ = [
    "bdtr",
    "bdtrc",
    "chdtr",
    "chdtrc",
    "chdtri",
    "fdtr",
    "fdtrc",
    "fdtri",
    "nbdtr",
    "pdtr",
    "pdtrc",
    "stdtr",
    "stdtrit",
]

_BOOK = "Abramowitz and Stegun, Handbook of Mathematical Functions, "

chdtr = binary(
    "chdtr", {"v": "The degrees of freedom, more than 0.", "x": "The argument, at least 0."},
    "Compute the cumulative chi-square distribution.",
    _BOOK + "26.4", ("3.0, xp.asarray([1.0, 5.0])", "[0.19874804 0.82820286]"),
)  # fmt: skip
chdtrc = binary(
    "chdtrc", {"v": "The degrees of freedom, more than 0.", "x": "The argument, at least 0."},
    "Compute 1 - chdtr(v, x), accurate if it is small.",
    _BOOK + "26.4", ("3.0, xp.asarray([1.0, 100.0])", "[8.01251957e-01 1.55415943e-21]"),
)  # fmt: skip
chdtri = binary(
    "chdtri", {"v": "The degrees of freedom, more than 0.", "p": "The probability, from 0 to 1."},
    "Compute the x with chdtrc(v, x) = p.",
    _BOOK + "26.4", ("3.0, xp.asarray([0.05, 0.5])", "[7.8147279  2.36597388]"),
)  # fmt: skip
stdtr = binary(
    "stdtr", {"df": "The degrees of freedom, more than 0.", "t": "The argument."},
    "Compute the cumulative distribution of Student's t.",
    _BOOK + "26.7", ("3.0, xp.asarray([-1.0, 0.0, 2.0])", "[0.19550111 0.5        0.93033702]"),
)  # fmt: skip
stdtrit = binary(
    "stdtrit", {"df": "The degrees of freedom, more than 0.", "p": "The probability, from 0 to 1."},
    "Compute the t with stdtr(df, t) = p.",
    _BOOK + "26.7", ("3.0, xp.asarray([0.5, 0.975])", "[0.         3.18244631]"),
)  # fmt: skip
fdtr = ternary(
    "fdtr", {
        "dfn": "The degrees of freedom of the numerator, more than 0.",
        "dfd": "The degrees of freedom of the denominator, more than 0.",
        "x": "The argument, at least 0.",
    },
    "Compute the cumulative F distribution.",
    _BOOK + "26.6", ("2.0, 10.0, xp.asarray([1.0, 4.0])", "[0.59812243 0.94707785]"),
)  # fmt: skip
fdtrc = ternary(
    "fdtrc", {
        "dfn": "The degrees of freedom of the numerator, more than 0.",
        "dfd": "The degrees of freedom of the denominator, more than 0.",
        "x": "The argument, at least 0.",
    },
    "Compute 1 - fdtr(dfn, dfd, x), accurate if it is small.",
    _BOOK + "26.6", ("2.0, 10.0, xp.asarray([1.0, 40.0])", "[4.01877572e-01 1.69350878e-05]"),
)  # fmt: skip
fdtri = ternary(
    "fdtri", {
        "dfn": "The degrees of freedom of the numerator, more than 0.",
        "dfd": "The degrees of freedom of the denominator, more than 0.",
        "p": "The probability, from 0 to 1.",
    },
    "Compute the x with fdtr(dfn, dfd, x) = p.",
    _BOOK + "26.6", ("2.0, 10.0, xp.asarray([0.5, 0.95])", "[0.74349177 4.10282102]"),
)  # fmt: skip
bdtr = ternary(
    "bdtr", {
        "k": "The number of successes, rounded down, from 0 to n.",
        "n": "The number of trials.",
        "p": "The probability of a success, from 0 to 1.",
    },
    "Compute the probability of at most k successes in n trials.",
    _BOOK + "26.5.24", ("xp.asarray([0.0, 2.0]), 5.0, 0.3", "[0.16807 0.83692]"),
)  # fmt: skip
bdtrc = ternary(
    "bdtrc", {
        "k": "The number of successes, rounded down, from 0 to n.",
        "n": "The number of trials.",
        "p": "The probability of a success, from 0 to 1.",
    },
    "Compute 1 - bdtr(k, n, p), accurate if it is small.",
    _BOOK + "26.5.24", ("xp.asarray([0.0, 2.0]), 5.0, 0.3", "[0.83193 0.16308]"),
)  # fmt: skip
nbdtr = ternary(
    "nbdtr", {
        "k": "The number of failures, at least 0.",
        "n": "The number of successes, more than 0.",
        "p": "The probability of a success, from 0 to 1.",
    },
    "Compute the probability of at most k failures before n successes.",
    _BOOK + "26.5.26", ("xp.asarray([0.0, 2.0]), 3.0, 0.5", "[0.125 0.5  ]"),
)  # fmt: skip
pdtr = binary(
    "pdtr", {"k": "The number, rounded down, at least 0.", "m": "The mean, at least 0."},
    "Compute the cumulative Poisson distribution.",
    _BOOK + "26.4.21", ("xp.asarray([0.0, 2.0]), 1.5", "[0.22313016 0.80884683]"),
)  # fmt: skip
pdtrc = binary(
    "pdtrc", {"k": "The number, rounded down, at least 0.", "m": "The mean, at least 0."},
    "Compute 1 - pdtr(k, m), accurate if it is small.",
    _BOOK + "26.4.21", ("xp.asarray([0.0, 20.0]), 1.5", "[7.76869840e-01 2.33722107e-17]"),
)  # fmt: skip
