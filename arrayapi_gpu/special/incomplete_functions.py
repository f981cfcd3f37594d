"""Regularized incomplete gamma and beta functions and their inverses."""

from __future__ import annotations

from .wrappers import binary, ternary

__all__ = ["betainc", "betaincc", "betainccinv", "betaincinv", "gammainc", "gammaincc", "gammainccinv", "gammaincinv"]

gammainc = binary(
    "gammainc", "a x", "The integral of t**(a - 1) * exp(-t) from 0 to x, over gamma(a), for a, x >= 0.", "DLMF 8.2.4"
)
gammaincc = binary("gammaincc", "a x", "1 - gammainc(a, x), accurate if it is small.", "DLMF 8.2.4")
gammaincinv = binary("gammaincinv", "a y", "The x with gammainc(a, x) = y, for 0 <= y <= 1.", "DLMF 8.12(iv)")
gammainccinv = binary("gammainccinv", "a y", "The x with gammaincc(a, x) = y, for 0 <= y <= 1.", "DLMF 8.12(iv)")
betainc = ternary(
    "betainc",
    "a b x",
    "The integral of t**(a - 1) * (1 - t)**(b - 1) from 0 to x, over beta(a, b), for a, b >= 0 and 0 <= x <= 1.",
    "DLMF 8.17.2",
)
betaincc = ternary("betaincc", "a b x", "1 - betainc(a, b, x), accurate if it is small.", "DLMF 8.17.4")
betaincinv = ternary("betaincinv", "a b y", "The x with betainc(a, b, x) = y, for 0 <= y <= 1.", "DLMF 8.17.2")
betainccinv = ternary("betainccinv", "a b y", "The x with betaincc(a, b, x) = y, for 0 <= y <= 1.", "DLMF 8.17.4")
