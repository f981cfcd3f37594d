"""Associative operations with an identity, which reduce and accumulate arrays: one row each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPUTES_IN, FLOATING, REAL_FLOATING, SHORT, UNSIGNED, iinfo


@dataclass(frozen=True, eq=False)
class Monoid:
    """An associative operation with an identity.

    ``function`` is the device function, without its dtype, that combines two values. A monoid that is ``indexed`` gives
    the position of the winner in the reduced index; its function returns whether the first value beats the second.
    ``neutral`` is the identity: a number, or the least or the greatest value of the dtype. A monoid that is ``rounded``
    rounds floating-point numbers: they are combined in blocks, and floats of 16 bits in a wider dtype. ``texts``: the
    definition of a function that is not the library's. A monoid that ``commutes`` may combine two values in either
    order; one that ``crosses`` has a third argument in its function: whether a segment of a scan begins with the second
    value.
    """

    name: str
    function: str
    neutral: Literal[0, 1, "least", "greatest"]
    rounded: bool = False
    indexed: bool = False
    texts: tuple[str, ...] = ()
    commutes: bool = True
    crosses: bool = False

    @property
    def of_nothing(self) -> float:
        """The value of an empty reduction; NaN where it has none."""
        return self.neutral if isinstance(self.neutral, int) else math.nan

    def rounds(self, dtype: np.dtype[Any]) -> bool:
        """Return whether combining values of a dtype rounds, so that the order matters."""
        return self.rounded and dtype in FLOATING

    def in_any_order(self, dtype: np.dtype[Any]) -> bool:
        """Return whether values of a dtype may be combined in any order, because the result has the same bits."""
        return self.commutes and not self.indexed and dtype not in FLOATING

    def folds(self, dtype: np.dtype[Any]) -> bool:
        """Return whether a compiler may change the combination of the identity, as a constant, with values of a dtype.

        Intel's makes x of the complex product 1 * x - 0 * y, which has another sign of zero or a NaN. Kernels that
        differ in their loops have different bits then.
        """
        return self.neutral == 1 and dtype in COMPLEX_FLOATING

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the dtype in which values are combined that are written in ``dtype``."""
        return COMPUTES_IN[dtype] if self.rounded else dtype

    def identity(self, dtype: np.dtype[Any]) -> str:
        """Return the C literal (dialect word) of the identity."""
        short = SHORT[dtype]
        if isinstance(self.neutral, int):
            value = str(self.neutral)
        elif dtype in BOOLEAN:
            value = "0" if self.neutral == "least" else "1"
        elif dtype in REAL_FLOATING:
            value = "-INFINITY" if self.neutral == "least" else "INFINITY"
        else:
            value = _integer(iinfo(dtype).min if self.neutral == "least" else iinfo(dtype).max, dtype)
        return f"C_{short}({value}, 0)" if dtype in COMPLEX_FLOATING else f"SPLAT_{short}({value})"


@dataclass(frozen=True, eq=False)
class UserMonoid(Monoid):
    """A user's monoid. ``literal``: the identity in the dialect, in the dtype of accumulators; ``value``: the identity
    in Python; ``shown``: its reduction in Python."""

    literal: str = ""
    value: complex = 0
    shown: str = ""

    @property
    def of_nothing(self) -> Any:
        return self.value

    def identity(self, dtype: np.dtype[Any]) -> str:
        return self.literal

    def in_any_order(self, dtype: np.dtype[Any]) -> bool:
        """Return False, because nobody knows whether the user's function is exactly associative."""
        return False


def _integer(value: int, dtype: np.dtype[Any]) -> str:
    if dtype in UNSIGNED:
        return f"{value}UL"
    return f"({value + 1}L - 1)" if value < 0 else f"{value}L"


SUM = Monoid("sum", "add", 0, rounded=True)
PROD = Monoid("prod", "multiply", 1, rounded=True)
MIN = Monoid("min", "minimum", "greatest")
MAX = Monoid("max", "maximum", "least")
ANY = Monoid("any", "logical_or", 0)
ALL = Monoid("all", "logical_and", 1)
ARGMIN = Monoid("argmin", "less", "greatest", indexed=True)
ARGMAX = Monoid("argmax", "greater", "least", indexed=True)
