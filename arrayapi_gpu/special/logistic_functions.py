"""Logistic functions and entropies: expressions of exponentials and logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..api.core.array_object import Array
from ..api.standard.creation_functions import beside
from ..api.standard.data_type_functions import astype, result_type
from ..api.standard.elementwise_functions import (
    divide,
    equal,
    isnan,
    log,
    log1p,
    logical_and,
    logical_not,
    multiply,
    real,
    remainder,
    round,
    sin,
)
from ..api.standard.searching_functions import where
from .wrappers import binary, unary

__all__ = ["entr", "expit", "kl_div", "log_expit", "logit", "rel_entr", "sinc", "xlog1py", "xlogy"]

entr = unary("entr", "x", "-x * log(x); 0 for 0 and -infinity below.", "C. E. Shannon (1948)")
expit = unary("expit", "x", "The logistic function: 1 / (1 + exp(-x)).", "P.-F. Verhulst (1845)")
kl_div = binary(
    "kl_div", "x y",
    "x * log(x / y) - x + y; y where x is 0 and y is not negative, otherwise infinity outside x, y > 0.",
    "S. Kullback and R. A. Leibler (1951)",
)  # fmt: skip
log_expit = unary("log_expit", "x", "The logarithm of expit(x), with all digits.", "P.-F. Verhulst (1845)")
logit = unary("logit", "x", "The inverse of expit: log(x / (1 - x)), NaN outside 0 to 1.", "J. Berkson (1944)")
rel_entr = binary(
    "rel_entr", "x y", "x * log(x / y); 0 where x is 0 and y is not negative, otherwise infinity outside x, y > 0.",
    "S. Kullback and R. A. Leibler (1951)",
)  # fmt: skip


def _complex_sinc(x: Array) -> Array:
    """`sinc` of complex numbers. The nearest whole number is taken off before pi, which is rounded, multiplies."""
    nearest = round(real(x))
    sign = 1.0 - 2.0 * remainder(nearest, 2.0)
    quotient = divide(sign * sin(math.pi * (x - nearest)), math.pi * where(equal(x, 0.0), 1.0, x))
    return where(equal(x, 0.0), 1.0, quotient)


def _product_of(logarithm: Callable[[Array], Array]) -> Callable[..., Array]:
    """The function of complex numbers that is x * logarithm(y), and 0 where x is 0 and y is no NaN."""

    def function(*operands: Array | complex) -> Array:
        array, dtype = next(one for one in operands if isinstance(one, Array)), result_type(*operands)
        x, y = [astype(beside(array, one, "xlogy"), dtype) for one in operands]
        return where(logical_and(equal(x, 0.0), logical_not(isnan(y))), 0.0, multiply(x, logarithm(y)))

    return function


sinc = unary("sinc", "x", "sin(pi * x) / (pi * x), and 1 at 0.", "NumPy, ``sinc``", _complex_sinc)
xlog1py = binary(
    "xlog1py", "x y", "x * log1p(y), and 0 where x is 0 and y is no NaN.", "C. E. Shannon (1948)", _product_of(log1p)
)
xlogy = binary(
    "xlogy", "x y", "x * log(y), and 0 where x is 0 and y is no NaN.", "C. E. Shannon (1948)", _product_of(log)
)
