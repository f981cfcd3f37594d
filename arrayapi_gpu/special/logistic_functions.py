"""Logistic functions and entropies: expressions of exponentials and logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..api.core.array_object import Array
from ..api.standard.creation_functions import on_device_of
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

entr = unary(
    "entr", {"x": "Real numbers; -infinity for negative ones, 0 for 0."},
    "Compute the entropy -x * log(x).",
    "C. E. Shannon (1948)", ("xp.asarray([0.0, 0.5, 1.0])", "[ 0.          0.34657359 -0.        ]"),
)  # fmt: skip
expit = unary(
    "expit", {"x": "Real numbers."},
    "Compute the logistic function 1 / (1 + exp(-x)).",
    "P.-F. Verhulst (1845)", ("xp.asarray([-2.0, 0.0, 2.0])", "[0.11920292 0.5        0.88079708]"),
)  # fmt: skip
kl_div = binary(
    "kl_div", {"x": "Numbers of at least 0.", "y": "Numbers of at least 0."},
    "Compute the Kullback-Leibler divergence x * log(x / y) - x + y.\n\n"
    "It is y if x is 0 and y is not negative, and infinite for other x and y that are not positive.",
    "S. Kullback and R. A. Leibler (1951)", ("xp.asarray([0.0, 0.5]), 0.25", "[0.25       0.09657359]"),
)  # fmt: skip
log_expit = unary(
    "log_expit", {"x": "Real numbers."},
    "Compute the logarithm of expit(x), accurate for all x.",
    "P.-F. Verhulst (1845)", ("xp.asarray([-800.0, 0.0])", "[-8.00000000e+02 -6.93147181e-01]"),
)  # fmt: skip
logit = unary(
    "logit", {"x": "Numbers from 0 to 1; NaN for others."},
    "Compute the x whose expit is given, log(x / (1 - x)).",
    "J. Berkson (1944)", ("xp.asarray([0.1, 0.5])", "[-2.19722458  0.        ]"),
)  # fmt: skip
rel_entr = binary(
    "rel_entr", {"x": "Numbers of at least 0.", "y": "Numbers of at least 0."},
    "Compute the relative entropy x * log(x / y).\n\n"
    "It is 0 if x is 0 and y is not negative, and infinite for other x and y that are not positive.",
    "S. Kullback and R. A. Leibler (1951)", ("xp.asarray([0.0, 0.5]), 0.25", "[0.         0.34657359]"),
)  # fmt: skip


def _complex_sinc(x: Array) -> Array:
    """`sinc` of complex numbers. The nearest integer is subtracted before the multiplication by pi, which is
    rounded."""
    nearest = round(real(x))
    sign = 1.0 - 2.0 * remainder(nearest, 2.0)
    quotient = divide(sign * sin(math.pi * (x - nearest)), math.pi * where(equal(x, 0.0), 1.0, x))
    return where(equal(x, 0.0), 1.0, quotient)


def _product_of(logarithm: Callable[[Array], Array]) -> Callable[..., Array]:
    """The function of complex numbers that computes x * logarithm(y), and 0 if x is 0 and y is not NaN."""

    def function(*operands: Array | complex) -> Array:
        array, dtype = next(one for one in operands if isinstance(one, Array)), result_type(*operands)
        x, y = [astype(on_device_of(array, one, "xlogy"), dtype) for one in operands]
        return where(logical_and(equal(x, 0.0), logical_not(isnan(y))), 0.0, multiply(x, logarithm(y)))

    return function


sinc = unary(
    "sinc", {"x": "Real or complex numbers."},
    "Compute sin(pi * x) / (pi * x), and 1 for 0.",
    "NumPy, ``sinc``", ("xp.asarray([0.0, 0.5, 1.5])", "[ 1.          0.63661977 -0.21220659]"), _complex_sinc,
)  # fmt: skip
xlog1py = binary(
    "xlog1py", {"x": "Real or complex numbers.", "y": "Real or complex numbers."},
    "Compute x * log1p(y), and 0 if x is 0 and y is not NaN.",
    "C. E. Shannon (1948)", ("xp.asarray([0.0, 2.0]), xp.asarray([-1.0, 1.0])", "[0.         1.38629436]"),
    _product_of(log1p),
)  # fmt: skip
xlogy = binary(
    "xlogy", {"x": "Real or complex numbers.", "y": "Real or complex numbers."},
    "Compute x * log(y), and 0 if x is 0 and y is not NaN.",
    "C. E. Shannon (1948)", ("xp.asarray([0.0, 2.0]), xp.asarray([0.0, 2.0])", "[0.         1.38629436]"),
    _product_of(log),
)  # fmt: skip
