"""Logistic functions and entropies: expressions of exponentials and logarithms."""

from __future__ import annotations

from .wrappers import binary, unary

__all__ = ["entr", "expit", "kl_div", "log_expit", "logit", "rel_entr", "sinc", "xlog1py", "xlogy"]

entr = unary("entr", "x", "-x * log(x); 0 for 0 and -infinity below.", "C. E. Shannon (1948)")
expit = unary("expit", "x", "The logistic function: 1 / (1 + exp(-x)).", "P.-F. Verhulst (1845)")
kl_div = binary(
    "kl_div", "x y", "x * log(x / y) - x + y; y where x is 0 and y is not negative, else infinity outside x, y > 0.",
    "S. Kullback and R. A. Leibler (1951)",
)  # fmt: skip
log_expit = unary("log_expit", "x", "The logarithm of expit(x), with all digits.", "P.-F. Verhulst (1845)")
logit = unary("logit", "x", "The inverse of expit: log(x / (1 - x)), NaN outside 0 to 1.", "J. Berkson (1944)")
rel_entr = binary(
    "rel_entr", "x y", "x * log(x / y); 0 where x is 0 and y is not negative, else infinity outside x, y > 0.",
    "S. Kullback and R. A. Leibler (1951)",
)  # fmt: skip
sinc = unary("sinc", "x", "sin(pi * x) / (pi * x), and 1 at 0.", "NumPy, ``sinc``")
xlog1py = binary("xlog1py", "x y", "x * log1p(y), and 0 where x is 0 and y is no NaN.", "C. E. Shannon (1948)")
xlogy = binary("xlogy", "x y", "x * log(y), and 0 where x is 0 and y is no NaN.", "C. E. Shannon (1948)")
