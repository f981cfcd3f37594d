"""The domains of parameters: ValueError for numbers on the host out of their domain; NaN for those in device arrays.

Device arrays are not checked, because a check would wait for the device. If a parameter is NaN, samples are NaN, or 0
for integers. NaN on the host raises ValueError where it does in NumPy: for parameters of discrete distributions.

Each function returns its parameters: one as it is, several as a tuple.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.standard.data_type_functions import astype
from ..api.standard.searching_functions import where
from ..memory.dtypes import REAL_FLOATING, defaults, is_ordered, is_real_floating

MOST_COUNTED = 2**53  # float64 represents all integers up to this one


def not_negative(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers below 0."""
    return _within(name, parameters, lambda x: x >= 0, "0 or more", nan=True)


def positive(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers <= 0."""
    return _within(name, parameters, lambda x: x > 0, "more than 0", nan=True)


def probability(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers outside [0, 1], and NaN."""
    return _within(name, parameters, lambda x: (x >= 0) & (x <= 1), "0 up to 1")


def probability_below_1(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers outside [0, 1), and NaN."""
    return _within(name, parameters, lambda x: (x >= 0) & (x < 1), "0 up to 1, except for 1")


def probability_above_0(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers outside (0, 1], and NaN."""
    return _within(name, parameters, lambda x: (x > 0) & (x <= 1), "0 up to 1, except for 0")


def between_0_and(name: str, limit: float, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers outside [0, ``limit``], and NaN."""
    return _within(name, parameters, lambda x: (x >= 0) & (x <= limit), f"0 up to {limit:.6g}")


def above_1(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for numbers <= 1, and NaN."""
    return _within(name, parameters, lambda x: x > 1, "more than 1")


def counts(name: str, **parameters: Any) -> Any:
    """The parameters. ValueError for counts that are negative, above 2^53, or NaN."""
    return _within(name, parameters, lambda x: (x >= 0) & (x <= MOST_COUNTED), "0 up to 2^53")


def _within(
    name: str, parameters: dict[str, Any], inside: Callable[[Any], Any], allowed: str, nan: bool = False
) -> Any:  # fmt: skip
    found: list[Any] = []
    for word, value in parameters.items():
        is_ours = isinstance(value, Array)
        found.append(_array_within(value, inside) if is_ours else _host_within(name, word, value, inside, allowed, nan))
    return found[0] if len(found) == 1 else tuple(found)


def _array_within(x: Array, inside: Callable[[Any], Any]) -> Array:
    if x.dtype not in REAL_FLOATING:
        x = astype(x, defaults("f64" in x.device.dtypes)["real floating"])
    return where(inside(x), x, math.nan)


def _host_within(name: str, word: str, value: Any, inside: Callable[[Any], Any], allowed: str, nan: bool) -> Any:
    host = np.asarray(value)
    if not is_ordered(host.dtype):  # integers above 64 bits, and bfloat16; `sampling` refuses other dtypes
        try:
            host = host.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            return value
    wrong = ~np.asarray(inside(host))
    if nan and is_real_floating(host.dtype):
        wrong &= ~np.isnan(host)
    if wrong.any():
        raise ValueError(f"{name}: {word} is {host[wrong].flat[0]}; allowed: {allowed}")
    return value
