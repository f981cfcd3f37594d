"""Kinds of values in texts of C: the knowledge about their types, and the kinds of the results of operators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPE_OF, FLOATING, INTEGRAL, SIGNED, UNSIGNED, promote

Kind = Any  # of a value: its dtype, `ANY_NUMBER`, `OTHER` or a `Pointer`
ANY_NUMBER = "a number of any dtype"
OTHER = "a type without numbers here: a structure, a vector"
INT32, FLOAT32 = DTYPE_OF["i32"], DTYPE_OF["f32"]
_RANKS = tuple(DTYPE_OF[short] for short in ("i32", "u32", "i64", "u64"))


class Pointer(NamedTuple):
    """The kind of a pointer or an array."""

    to: Kind


def computed_kind(dtype: np.dtype[Any]) -> Kind:
    """Return the kind of a number of a dtype: half precision is computed as float."""
    return FLOAT32 if dtype in FLOATING and dtype.itemsize == 2 else dtype


def literal(text: str) -> np.dtype[Any]:
    """Return the dtype of a literal number in a text."""
    body = text.lower()
    is_hex = body.startswith("0x")
    if "." in body or (is_hex and "p" in body) or (not is_hex and ("e" in body or body.endswith("f"))):
        return FLOAT32 if body.endswith("f") else DTYPE_OF["f64"]
    digits = body.rstrip("ul")
    octal = digits[0] == "0" and digits != "0" and not is_hex
    number = int(digits, 16 if is_hex else 8 if octal else 10)
    unsigned, long = "u" in body[len(digits) :], "l" in body[len(digits) :]
    for dtype in _RANKS:
        is_allowed = dtype in UNSIGNED if unsigned else dtype in SIGNED or is_hex or octal
        if is_allowed and number <= np.iinfo(dtype).max and not (long and dtype.itemsize == 4):
            return dtype
    return _RANKS[-1]


def is_float(kind: Kind) -> bool:
    return isinstance(kind, np.dtype) and kind in FLOATING


def is_integer(kind: Kind) -> bool:
    return isinstance(kind, np.dtype) and kind in INTEGRAL


def is_no_number(kind: Kind) -> bool:
    return kind is OTHER or isinstance(kind, Pointer) or (isinstance(kind, np.dtype) and kind in COMPLEX_FLOATING)


def element(kind: Kind) -> Kind:
    return kind.to if isinstance(kind, Pointer) else kind


def promoted(kind: Kind) -> Kind:
    """Return the kind after C's promotion: at least an int."""
    narrow = isinstance(kind, np.dtype) and (kind in BOOLEAN or (kind in INTEGRAL and kind.itemsize < 4))
    return INT32 if narrow else kind


def common(one: Kind, other: Kind) -> Kind:
    """Return the kind in which C computes with two values."""
    one, other = promoted(one), promoted(other)
    for kind in (one, other):
        if not isinstance(kind, np.dtype):
            if kind is ANY_NUMBER and isinstance(one, np.dtype | str) and isinstance(other, np.dtype | str):
                return OTHER if OTHER in (one, other) else ANY_NUMBER
            return kind
    if one in INTEGRAL and other in INTEGRAL:
        return max(one, other, key=_RANKS.index)
    if one in INTEGRAL or other in INTEGRAL:
        return other if one in INTEGRAL else one
    return promote(one, other)
