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

chdtr = binary("chdtr", "v x", "The cumulative chi-square distribution with v degrees of freedom at x.", _BOOK + "26.4")
chdtrc = binary("chdtrc", "v x", "1 - chdtr(v, x), accurate if it is small.", _BOOK + "26.4")
chdtri = binary("chdtri", "v p", "The x with chdtrc(v, x) = p.", _BOOK + "26.4")
stdtr = binary(
    "stdtr", "df t", "The cumulative Student's t distribution with df degrees of freedom at t.", _BOOK + "26.7"
)
stdtrit = binary("stdtrit", "df p", "The t with stdtr(df, t) = p.", _BOOK + "26.7")
fdtr = ternary(
    "fdtr", "dfn dfd x", "The cumulative F distribution with dfn and dfd degrees of freedom at x.", _BOOK + "26.6"
)
fdtrc = ternary("fdtrc", "dfn dfd x", "1 - fdtr(dfn, dfd, x), accurate if it is small.", _BOOK + "26.6")
fdtri = ternary("fdtri", "dfn dfd p", "The x with fdtr(dfn, dfd, x) = p.", _BOOK + "26.6")
bdtr = ternary(
    "bdtr", "k n p", "The probability of at most floor(k) successes in n trials of probability p.", _BOOK + "26.5.24"
)
bdtrc = ternary("bdtrc", "k n p", "1 - bdtr(k, n, p), accurate if it is small.", _BOOK + "26.5.24")
nbdtr = ternary(
    "nbdtr", "k n p", "The probability of at most k failures before n successes of probability p.", _BOOK + "26.5.26"
)
pdtr = binary("pdtr", "k m", "The cumulative Poisson distribution with mean m at floor(k).", _BOOK + "26.4.21")
pdtrc = binary("pdtrc", "k m", "1 - pdtr(k, m), accurate if it is small.", _BOOK + "26.4.21")
