"""Values of users' kernels that are computed in registers, and the operations on them, with the types of C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPONENT,
    DTYPE_OF,
    FLOATING,
    INTEGRAL,
    SHORT,
    UNSIGNED,
    promote,
)
from ..core.library import available
from ..core.ops import OPS, SPECIAL, Op, Rule

BOOL, INT32, INT64, UINT32, UINT64, FLOAT32, FLOAT64 = (
    DTYPE_OF[short] for short in ("b8", "i32", "i64", "u32", "u64", "f32", "f64")
)
_RANKS = (INT32, UINT32, INT64, UINT64)

# The names in C of this library's functions, where they differ.
ALIASES = {
    "fabs": "abs", "min": "minimum", "max": "maximum", "lgamma": "gammaln", "tgamma": "gamma",
    "rint": "round", "nearbyint": "round",
}  # fmt: skip
# Device functions that are not functions of the namespace, by the number of their operands.
OF_C = {"fmod": 2, "fmin": 2, "fmax": 2, "fma": 3, "rsqrt": 1}
QUOTIENT = 4  # the cost of these, and of quotients of integers
_BINARY = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "<": "less", "<=": "less_equal", ">": "greater",
    ">=": "greater_equal", "==": "equal", "!=": "not_equal", "&": "bitwise_and", "|": "bitwise_or",
    "^": "bitwise_xor", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift",
}  # fmt: skip
CONSTANTS = {
    "M_PI": ("3.14159265358979323846", FLOAT64), "M_E": ("2.7182818284590452354", FLOAT64),
    "M_PI_2": ("1.57079632679489661923", FLOAT64), "M_SQRT2": ("1.41421356237309504880", FLOAT64),
    "M_LN2": ("0.69314718055994530942", FLOAT64), "INFINITY": ("INFINITY", FLOAT32), "NAN": ("NAN", FLOAT32),
    "true": ("1", BOOL), "false": ("0", BOOL),
}  # fmt: skip


class Unsupported(Exception):
    """The body needs an operation that registers do not have, or that is unknown here."""


@dataclass(frozen=True)
class Value:
    """A value: C text, which gives a register, and its dtype."""

    code: str
    dtype: np.dtype[Any]


def known_function(name: str) -> Op | str | None:
    """Return the operation, or the device function, that a name means in users' kernels; None for a user's own name."""
    single = name[:-1] if name.endswith("f") else name
    for word in (name, single):
        word = ALIASES.get(word, word)
        if word in OF_C:
            return word
        op = OPS.get(word) or SPECIAL.get(word)
        if op is not None and op.name == word:
            return op
    return None


class Values:
    """The operations on values, typed as C types them; ``cost``: the total cost of those that were made.

    ``double``: the dtype of floating-point numbers without a suffix.
    """

    def __init__(self, double: np.dtype[Any]):
        self._double = double
        self.cost = 0  # as `ops` counts

    def call(self, name: str, function: Op | str | None, operands: Sequence[Value]) -> Value:
        """Return the call of a function that `known_function` has found, or of one of `_chosen`."""
        if function is None:
            return self._chosen(name, operands)
        if isinstance(function, Op):
            _check_count(name, function.arity, operands)
            return self.apply(function, operands)
        _check_count(name, OF_C[function], operands)
        dtype = self._floating(operands)
        if dtype in COMPLEX_FLOATING:
            raise TypeError(f"{name}: got {dtype}; allowed: real numbers")
        self.cost += QUOTIENT
        words = ", ".join(self.cast(operand, dtype).code for operand in operands)
        return Value(f"{function}_{SHORT[dtype]}({words})", dtype)

    def _chosen(self, name: str, operands: Sequence[Value]) -> Value:
        """clamp(x, low, high) and where(condition, x, y)."""
        _check_count(name, 3, operands)
        if name == "clamp":
            x, low, high = operands
            return self.apply(OPS["minimum"], [self.apply(OPS["maximum"], [x, low]), high])
        if name == "select":
            raise Unsupported(name)
        mask, one, other = operands
        return self.where(self.as_bool(mask).code, one, other)

    def operate(self, sign: str, one: Value, other: Value) -> Value:
        if sign in ("<<", ">>"):
            one = self.promoted(one)
            self.check_integer(sign, one, other)
            other = self.cast(other, one.dtype)
            return self.apply(OPS[_BINARY[sign]], [one, other])
        dtype = self.common(one, other)
        if sign in ("&", "|", "^", "%"):
            self.check_integer(sign, one, other)
        if sign in ("/", "%") and dtype in INTEGRAL:
            self.cost += QUOTIENT
            word = "quotient" if sign == "/" else "rest"
            words = f"{self.cast(one, dtype).code}, {self.cast(other, dtype).code}"
            return Value(f"{word}_{SHORT[dtype]}({words})", dtype)
        if sign in ("<", "<=", ">", ">=") and dtype in COMPLEX_FLOATING:
            raise TypeError(f"{sign}: got {dtype}; allowed: real numbers; complex ones have no order")
        return self.apply(OPS[_BINARY[sign]], [self.cast(one, dtype), self.cast(other, dtype)])

    def apply(self, op: Op, operands: Sequence[Value]) -> Value:
        """Return an operation on its operands' common dtype."""
        dtype = operands[0].dtype
        for operand in operands[1:]:
            dtype = dtype if dtype == operand.dtype else self.common(Value("", dtype), operand)
        dtype = self._wide(dtype)
        rule: Rule | None = op.rules.get((dtype, dtype) if op.arity == 2 else dtype)
        if rule is not None and rule.narrower is not None and self._double == FLOAT32:
            rule = rule.narrower
        if rule is None or rule.function not in available():
            raise TypeError(f"{op.name}: got {dtype}; allowed: {op.accepts} dtypes; cast with (float) or another type")
        self.cost += rule.cost
        words = [self.cast(operand, wanted).code for operand, wanted in zip(operands, rule.args, strict=True)]
        return Value(f"{rule.function}({', '.join(words)})", rule.result)

    def _wide(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """A value as float, if C has no type of its width."""
        return FLOAT32 if dtype in FLOATING and dtype.itemsize == 2 else dtype

    def promoted(self, value: Value) -> Value:
        """Return a value after C's promotion: at least an int, or a float."""
        dtype = self._wide(value.dtype)
        if dtype in BOOLEAN or (dtype in INTEGRAL and dtype.itemsize < 4):
            dtype = INT32
        return self.cast(value, dtype)

    def common(self, one: Value, other: Value) -> np.dtype[Any]:
        """Return the dtype in which C computes with two values."""
        first, second = (self.promoted(value).dtype for value in (one, other))
        if first in INTEGRAL and second in INTEGRAL:
            return max(first, second, key=_RANKS.index)
        if first in INTEGRAL or second in INTEGRAL:
            return first if second in INTEGRAL else second
        return promote(first, second)

    def _floating(self, operands: Iterable[Value]) -> np.dtype[Any]:
        dtypes = [self.promoted(operand).dtype for operand in operands]
        found = self._double if all(dtype in INTEGRAL for dtype in dtypes) else FLOAT32
        for dtype in dtypes:
            found = promote(found, dtype) if dtype in FLOATING else found
        return found

    def as_bool(self, value: Value) -> Value:
        return self.cast(value, BOOL)

    def cast(self, value: Value, dtype: np.dtype[Any]) -> Value:
        if value.dtype == dtype:
            return value
        self.cost += 1
        if value.dtype in COMPLEX_FLOATING and dtype not in COMPLEX_FLOATING | BOOLEAN:
            raise TypeError(f"got {value.dtype} where {dtype} is wanted; take its part with real() or imag(), or abs()")
        return replace(value, code=f"cast_{SHORT[value.dtype]}_{SHORT[dtype]}({value.code})", dtype=dtype)

    def check_integer(self, what: str, *values: Value) -> None:
        for value in values:
            if value.dtype not in INTEGRAL | BOOLEAN:
                hint = "; use fmod" if what == "%" else ""
                raise TypeError(f"{what}: got {value.dtype}; allowed: integers{hint}")

    def number(self, text: str) -> Value:
        body = text.lower()
        is_hex = body.startswith("0x")
        if "." in body or (is_hex and "p" in body) or (not is_hex and ("e" in body or body.endswith("f"))):
            return self._floating_number(body)
        digits = body.rstrip("ul")
        octal = len(digits) > 1 and digits[0] == "0" and not is_hex
        try:
            number = int(digits, 16 if is_hex else 8 if octal else 10)
        except ValueError:  # 09 is no number of C
            raise Unsupported(text) from None
        unsigned, long = "u" in body[len(digits) :], "l" in body[len(digits) :]
        for dtype in (UINT32, UINT64) if unsigned else _RANKS if is_hex or octal else (INT32, INT64, UINT64):
            if number <= np.iinfo(dtype).max and not (long and dtype.itemsize == 4):
                suffix = "U" * (dtype in UNSIGNED) + "L" * (dtype.itemsize == 8)
                return Value(f"C_{SHORT[dtype]}({number}{suffix})", dtype)
        raise TypeError(f"the number {text} has more than 64 bits")

    def _floating_number(self, text: str) -> Value:
        digits = text.rstrip("fl")
        if text.endswith("f") or self._double == FLOAT32:
            digits += "" if set(".ep") & set(digits) else ".0"
            return Value(f"C_f32({digits}f)", FLOAT32)
        return Value(f"C_f64({digits})", FLOAT64)

    def constant(self, name: str) -> Value:
        """Return a constant of C."""
        text, dtype = CONSTANTS[name]
        dtype = self._double if dtype == FLOAT64 else dtype
        return Value(f"C_{SHORT[dtype]}({text}{'f' if dtype == FLOAT32 and text[0].isdigit() else ''})", dtype)

    def unary(self, sign: str, value: Value) -> Value:
        """Return the operation of a sign: -, +, ! or ~."""
        if sign == "!":
            return Value(f"logical_not_b8({self.as_bool(value).code})", BOOL)
        value = self.promoted(value)
        if sign == "~":
            self.check_integer("~", value)
        name = {"-": "negative", "~": "bitwise_invert"}.get(sign)
        return Value(f"{name}_{SHORT[value.dtype]}({value.code})", value.dtype) if name else value

    def part(self, name: str, value: Value) -> Value:
        """Return a part of a complex number, by the name of a member."""
        part = {"re": "real", "im": "imag", "real": "real", "imag": "imag"}.get(name)
        if part is None or value.dtype not in COMPLEX_FLOATING:
            raise Unsupported("a member")
        return Value(f"{part}_{SHORT[value.dtype]}({value.code})", COMPONENT[value.dtype])

    def where(self, mask: str, one: Value, other: Value) -> Value:
        """Return one of two values, given the register that decides."""
        dtype = one.dtype if one.dtype == other.dtype else self.common(one, other)
        words = f"{mask}, {self.cast(one, dtype).code}, {self.cast(other, dtype).code}"
        return Value(f"where_{SHORT[dtype]}({words})", dtype)


def _check_count(name: str, wanted: int, operands: Sequence[Value]) -> None:
    if len(operands) != wanted:
        raise TypeError(f"{name}: got {len(operands)} operands; allowed: {wanted}")
