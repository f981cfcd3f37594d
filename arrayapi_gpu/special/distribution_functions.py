"""Distribution functions of statistics and their inverses, by incomplete gamma and beta functions."""

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

chdtr = binary("chdtr", "v x", "The chi-square distribution with v degrees of freedom, up to x.", _BOOK + "26.4")
chdtrc = binary("chdtrc", "v x", "1 - chdtr(v, x), accurate where that is small.", _BOOK + "26.4")
chdtri = binary("chdtri", "v p", "x with chdtrc(v, x) = p.", _BOOK + "26.4")
stdtr = binary("stdtr", "df t", "Student's t distribution with df degrees of freedom, up to t.", _BOOK + "26.7")
stdtrit = binary("stdtrit", "df p", "t with stdtr(df, t) = p.", _BOOK + "26.7")
fdtr = ternary("fdtr", "dfn dfd x", "The F distribution with dfn and dfd degrees of freedom, up to x.", _BOOK + "26.6")
fdtrc = ternary("fdtrc", "dfn dfd x", "1 - fdtr(dfn, dfd, x), accurate where that is small.", _BOOK + "26.6")
fdtri = ternary("fdtri", "dfn dfd p", "x with fdtr(dfn, dfd, x) = p.", _BOOK + "26.6")
bdtr = ternary("bdtr", "k n p", "The probability of at most floor(k) of n events of probability p.", _BOOK + "26.5.24")
bdtrc = ternary("bdtrc", "k n p", "1 - bdtr(k, n, p), accurate where that is small.", _BOOK + "26.5.24")
nbdtr = ternary(
    "nbdtr", "k n p", "The probability of at most k failures before n events of probability p.", _BOOK + "26.5.26"
)
pdtr = binary("pdtr", "k m", "The probability of at most floor(k) events where m are expected.", _BOOK + "26.4.21")
pdtrc = binary("pdtrc", "k m", "1 - pdtr(k, m), accurate where that is small.", _BOOK + "26.4.21")
