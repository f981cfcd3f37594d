"""Types of arguments and of ufuncs for type checkers, which read them in the stubs of this room; no other code does.

At run time all ufuncs are of the class `ufuncs.ufunc`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypedDict, Unpack

import numpy as np

from .. import Array
from .ufuncs import ufunc


class HasArray(Protocol):
    """A value that NumPy converts to an array, such as a data frame."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


Number = complex | np.number[Any] | np.bool | Array
Values = Array | np.ndarray[Any, Any] | np.generic | complex | list[Any] | tuple[Any, ...] | range | HasArray
Axis = SupportsIndex | Sequence[SupportsIndex] | None
Shape = SupportsIndex | Sequence[SupportsIndex] | Array | np.ndarray[Any, Any]
Out = Array | np.ndarray[Any, Any] | tuple[Array | np.ndarray[Any, Any] | None, ...] | None


class Options(TypedDict, total=False):
    """The keywords of a call of a ufunc."""

    where: Values
    casting: str
    order: str
    dtype: Any
    subok: bool
    signature: Any


class GeneralizedOptions(Options, total=False):
    """The keywords of a call of a ufunc of vectors and matrices."""

    axes: Sequence[Any]
    axis: int
    keepdims: bool


class UnaryUfunc(ufunc):
    """A ufunc of one operand."""

    def __call__(self, x: Values, /, out: Out = None, **options: Unpack[Options]) -> Array:
        """The ufunc of each element."""
        raise NotImplementedError


class BinaryUfunc(ufunc):
    """A ufunc of two operands."""

    def __call__(self, x1: Values, x2: Values, /, out: Out = None, **options: Unpack[Options]) -> Array:
        """The ufunc of each pair of elements."""
        raise NotImplementedError


class GeneralizedUfunc(ufunc):
    """A ufunc of two vectors or matrices."""

    def __call__(self, x1: Values, x2: Values, /, out: Out = None, **options: Unpack[GeneralizedOptions]) -> Array:
        """The ufunc of the last axes."""
        raise NotImplementedError


class UnaryUfuncOfPairs(ufunc):
    """A ufunc of one operand with two results."""

    def __call__(
        self, x: Values, out1: Out = None, out2: Out = None, /, *, out: Out = None, **options: Unpack[Options]
    ) -> tuple[Array, Array]:
        """The results for each element."""
        raise NotImplementedError


class BinaryUfuncOfPairs(ufunc):
    """A ufunc of two operands with two results."""

    def __call__(
        self, x1: Values, x2: Values, out1: Out = None, out2: Out = None, /, *, out: Out = None,
        **options: Unpack[Options],
    ) -> tuple[Array, Array]:  # fmt: skip
        """The results for each pair of elements."""
        raise NotImplementedError
