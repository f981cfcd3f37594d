"""Docstrings of the element-wise functions: `described` writes them from `TEXTS` and from the table of operations.

`TEXTS` has the facts that the table of operations does not: the summary, special values, related functions, an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from ...kernels.core.ops import Op
from ...memory.dtypes import DTYPE_OF

F = TypeVar("F", bound=Callable[..., Any])

# One dtype of each kind, which stands for the others: an operation treats all dtypes of a kind alike.
ONE_OF_EACH: Final = {"boolean": "b8", "integer": "i32", "real floating-point": "f32", "complex": "c64"}
BOOL, FLOAT64 = DTYPE_OF["b8"], DTYPE_OF["f64"]


Text = tuple[str, str, str] | tuple[str, str, str, str]  # summary, section "See Also", examples, details

TEXTS: Final[Mapping[str, Text]] = {
    "abs": (
        "Return the absolute value of each element.",
        "sign, negative, hypot",
        ">>> print(xp.abs(xp.asarray([-2, 0, 3])))\n[2 0 3]\n>>> print(xp.abs(xp.asarray([3 + 4j])))\n[5.]",
        "For complex numbers this is the modulus. The smallest number of a signed integer dtype stays\n"
        "negative, because its absolute value does not fit.",
    ),
    "acos": (
        "Return the inverse cosine of each element, in radians.",
        "cos, asin, atan",
        ">>> print(xp.acos(xp.asarray([1.0, 0.0, -1.0])))\n[0.         1.57079633 3.14159265]",
        "Real results lie between 0 and pi. They are NaN for real numbers outside of [-1, 1]; convert to a\n"
        "complex dtype for complex results.",
    ),
    "acosh": (
        "Return the inverse hyperbolic cosine of each element.",
        "cosh, asinh, atanh",
        ">>> print(xp.acosh(xp.asarray([1.0, 2.0])))\n[0.        1.3169579]",
        "Real results are 0 or positive. They are NaN for real numbers less than 1.",
    ),
    "add": (
        "Return the sum of two arrays, element by element.",
        "subtract, sum",
        ">>> x = xp.asarray([1, 2, 3])\n>>> print(xp.add(x, 10))\n[11 12 13]\n>>> print(x + x)\n[2 4 6]",
        "This is the operator ``x1 + x2``. Integers wrap on overflow. The sum of booleans is their logical\nor.",
    ),
    "asin": (
        "Return the inverse sine of each element, in radians.",
        "sin, acos, atan",
        ">>> print(xp.asin(xp.asarray([-1.0, 0.0, 1.0])))\n[-1.57079633  0.          1.57079633]",
        "Real results lie between -pi/2 and pi/2. They are NaN for real numbers outside of [-1, 1]; convert\n"
        "to a complex dtype for complex results.",
    ),
    "asinh": (
        "Return the inverse hyperbolic sine of each element.",
        "sinh, acosh, atanh",
        ">>> print(xp.asinh(xp.asarray([-1.0, 0.0, 1.0])))\n[-0.88137359  0.          0.88137359]",
    ),
    "atan": (
        "Return the inverse tangent of each element, in radians.",
        "tan, atan2",
        ">>> print(xp.atan(xp.asarray([0.0, 1.0, xp.inf])))\n[0.         0.78539816 1.57079633]",
        "Real results lie between -pi/2 and pi/2.",
    ),
    "atan2": (
        "Return the angle of the point (`x2`, `x1`), in radians.",
        "atan, hypot",
        ">>> y, x = xp.asarray([0.0, 1.0, 0.0, -1.0]), xp.asarray([1.0, 1.0, -1.0, 0.0])\n"
        ">>> print(xp.atan2(y, x))\n"
        "[ 0.          0.78539816  3.14159265 -1.57079633]",
        "`x1` is the ordinate, `x2` the abscissa. The angle lies between -pi and pi; the signs of zeros\n"
        "count, so the angle of (-1, -0.0) is -pi.",
    ),
    "atanh": (
        "Return the inverse hyperbolic tangent of each element.",
        "tanh, asinh, acosh",
        ">>> print(xp.atanh(xp.asarray([-1.0, 0.0, 0.5])))\n[      -inf 0.         0.54930614]",
        "The results for -1 and 1 are infinite. They are NaN for other real numbers outside of (-1, 1).",
    ),
    "bitwise_and": (
        "Return the bitwise and of two arrays, element by element.",
        "bitwise_or, bitwise_xor, logical_and",
        ">>> print(xp.bitwise_and(xp.asarray([5, 6]), 3))\n[1 2]",
        "This is the operator ``x1 & x2``. For booleans it is the logical and.",
    ),
    "bitwise_invert": (
        "Return the bitwise complement of each element.",
        "bitwise_xor, logical_not",
        ">>> print(xp.bitwise_invert(xp.asarray([0, 1, -3])))\n"
        "[-1 -2  2]\n"
        ">>> print(~xp.asarray([True, False]))\n"
        "[False  True]",
        "This is the operator ``~x``. For booleans it is the logical not.",
    ),
    "bitwise_left_shift": (
        "Return the elements of `x1`, shifted left by `x2` bits.",
        "bitwise_right_shift",
        ">>> print(xp.bitwise_left_shift(xp.asarray([1, 2, 3]), 4))\n[16 32 48]",
        "This is the operator ``x1 << x2``. The result is 0 if `x2` is the number of bits of the dtype or\nmore.",
    ),
    "bitwise_or": (
        "Return the bitwise or of two arrays, element by element.",
        "bitwise_and, bitwise_xor, logical_or",
        ">>> print(xp.bitwise_or(xp.asarray([5, 6]), 3))\n[7 7]",
        "This is the operator ``x1 | x2``. For booleans it is the logical or.",
    ),
    "bitwise_right_shift": (
        "Return the elements of `x1`, shifted right by `x2` bits.",
        "bitwise_left_shift",
        ">>> print(xp.bitwise_right_shift(xp.asarray([16, 7, -8]), 2))\n[ 4  1 -2]",
        "This is the operator ``x1 >> x2``. The sign is kept: if `x2` is the number of bits of the dtype or\n"
        "more, the result is -1 for negative numbers, otherwise 0.",
    ),
    "bitwise_xor": (
        "Return the bitwise exclusive or of two arrays, element by element.",
        "bitwise_and, bitwise_or, logical_xor",
        ">>> print(xp.bitwise_xor(xp.asarray([5, 6]), 3))\n[6 5]",
        "This is the operator ``x1 ^ x2``. For booleans it is the logical exclusive or.",
    ),
    "ceil": (
        "Return the smallest integer that is not less than each element.",
        "floor, trunc, round",
        ">>> print(xp.ceil(xp.asarray([-1.5, 0.2, 2.0])))\n[-1.  1.  2.]",
        "Integers are returned as they are. NaN and infinities stay.",
    ),
    "copysign": (
        "Return the magnitudes of `x1` with the signs of `x2`.",
        "sign, signbit, abs",
        ">>> print(xp.copysign(xp.asarray([1.0, -2.0, 3.0]), xp.asarray([-1.0, 1.0, -0.0])))\n[-1.  2. -3.]",
        "The sign of a zero and that of NaN count, too.",
    ),
    "cos": (
        "Return the cosine of each element, an angle in radians.",
        "sin, tan, acos",
        ">>> print(xp.cos(xp.asarray([0.0, 1.0, xp.pi])))\n[ 1.          0.54030231 -1.        ]",
        "The results for infinities are NaN.",
    ),
    "cosh": (
        "Return the hyperbolic cosine of each element.",
        "sinh, tanh, acosh",
        ">>> print(xp.cosh(xp.asarray([-1.0, 0.0, 1.0])))\n[1.54308063 1.         1.54308063]",
    ),
    "divide": (
        "Return the quotient of two arrays, element by element.",
        "floor_divide, remainder, reciprocal",
        ">>> print(xp.divide(xp.asarray([1, 2, 3]), 4))\n"
        "[0.25 0.5  0.75]\n"
        ">>> print(xp.asarray([1.0, 0.0]) / 0)\n"
        "[inf nan]",
        "This is the operator ``x1 / x2``. Division by zero gives an infinity, and 0 / 0 gives NaN, without a\n"
        "warning.",
    ),
    "equal": (
        "Return whether the elements of two arrays are equal.",
        "not_equal, isin",
        ">>> print(xp.equal(xp.asarray([1, 2, 3]), xp.asarray([1, 0, 3])))\n[ True False  True]",
        "This is the operator ``x1 == x2``. NaN equals nothing. Integers of different dtypes are compared by\nvalue.",
    ),
    "exp": (
        "Return e to the power of each element.",
        "expm1, log",
        ">>> print(xp.exp(xp.asarray([-xp.inf, 0.0, 1.0])))\n[0.         1.         2.71828183]",
        "The result is infinite if it is too large for the dtype.",
    ),
    "expm1": (
        "Return e to the power of each element, minus 1.",
        "exp, log1p",
        ">>> print(xp.expm1(xp.asarray([1e-10, 0.0, 1.0])))\n[1.00000000e-10 0.00000000e+00 1.71828183e+00]",
        "The result is accurate near zero, where ``exp(x) - 1`` loses digits.",
    ),
    "floor": (
        "Return the largest integer that is not greater than each element.",
        "ceil, trunc, round, floor_divide",
        ">>> print(xp.floor(xp.asarray([-1.5, 0.2, 2.0])))\n[-2.  0.  2.]",
        "Integers are returned as they are. NaN and infinities stay.",
    ),
    "floor_divide": (
        "Return the quotient of two arrays, rounded down.",
        "divide, remainder, floor",
        ">>> print(xp.floor_divide(xp.asarray([7, -7]), 2))\n[ 3 -4]",
        "This is the operator ``x1 // x2``. An integer divided by zero gives 0; a float divided by zero gives\n"
        "an infinity, or NaN for 0 // 0.",
    ),
    "greater": (
        "Return whether the elements of `x1` are greater than those of `x2`.",
        "less_equal, maximum",
        ">>> print(xp.greater(xp.asarray([1, 2, 3]), 2))\n[False False  True]",
        "This is the operator ``x1 > x2``. It is false if either operand is NaN.",
    ),
    "greater_equal": (
        "Return whether the elements of `x1` are greater than or equal to those of `x2`.",
        "less, maximum",
        ">>> print(xp.greater_equal(xp.asarray([1, 2, 3]), 2))\n[False  True  True]",
        "This is the operator ``x1 >= x2``. It is false if either operand is NaN.",
    ),
    "hypot": (
        "Return the length of the hypotenuse of right-angled triangles.",
        "abs, atan2, linalg.vector_norm",
        ">>> print(xp.hypot(xp.asarray([3.0, 1e200]), xp.asarray([4.0, 1e200])))\n[5.00000000e+000 1.41421356e+200]",
        "This is ``sqrt(x1**2 + x2**2)``, without overflow of the squares. It is infinite if either operand\n"
        "is, even if the other is NaN.",
    ),
    "less": (
        "Return whether the elements of `x1` are less than those of `x2`.",
        "greater_equal, minimum",
        ">>> print(xp.less(xp.asarray([1, 2, 3]), 2))\n[ True False False]",
        "This is the operator ``x1 < x2``. It is false if either operand is NaN.",
    ),
    "less_equal": (
        "Return whether the elements of `x1` are less than or equal to those of `x2`.",
        "greater, minimum",
        ">>> print(xp.less_equal(xp.asarray([1, 2, 3]), 2))\n[ True  True False]",
        "This is the operator ``x1 <= x2``. It is false if either operand is NaN.",
    ),
    "log": (
        "Return the natural logarithm of each element.",
        "log1p, log2, log10, exp",
        ">>> print(xp.log(xp.asarray([0.0, 1.0, xp.e])))\n[-inf   0.   1.]",
        "The logarithm of 0 is -inf. It is NaN for negative real numbers; convert to a complex dtype for\n"
        "complex results.",
    ),
    "log10": (
        "Return the logarithm of each element to base 10.",
        "log, log2",
        ">>> print(xp.log10(xp.asarray([0.1, 1.0, 1000.0])))\n[-1.  0.  3.]",
        "The logarithm of 0 is -inf. It is NaN for negative real numbers.",
    ),
    "log1p": (
        "Return the natural logarithm of 1 plus each element.",
        "log, expm1",
        ">>> print(xp.log1p(xp.asarray([1e-10, 0.0, 1.0])))\n[1.00000000e-10 0.00000000e+00 6.93147181e-01]",
        "The result is accurate near zero, where ``log(1 + x)`` loses digits. It is -inf for -1, and NaN for\n"
        "smaller real numbers.",
    ),
    "log2": (
        "Return the logarithm of each element to base 2.",
        "log, log10",
        ">>> print(xp.log2(xp.asarray([0.5, 1.0, 1024.0])))\n[-1.  0. 10.]",
        "The logarithm of 0 is -inf. It is NaN for negative real numbers.",
    ),
    "logaddexp": (
        "Return the logarithm of the sum of two exponentials.",
        "exp, log, special.logsumexp",
        ">>> print(xp.logaddexp(xp.asarray([0.0, -1000.0]), xp.asarray([0.0, -1000.0])))\n"
        "[ 6.93147181e-01 -9.99306853e+02]",
        "This is ``log(exp(x1) + exp(x2))``, without overflow or underflow of the exponentials.",
    ),
    "logical_and": (
        "Return whether the elements of both arrays are true.",
        "logical_or, logical_xor, bitwise_and, all",
        ">>> print(xp.logical_and(xp.asarray([True, True, False]), xp.asarray([2, 0, 1])))\n[ True False False]",
        "Numbers are true unless they are zero.",
    ),
    "logical_not": (
        "Return whether each element is false.",
        "logical_and, bitwise_invert",
        ">>> print(xp.logical_not(xp.asarray([0.0, 1.5, xp.nan])))\n[ True False False]",
        "Numbers are false if they are zero.",
    ),
    "logical_or": (
        "Return whether an element of either array is true.",
        "logical_and, logical_xor, bitwise_or, any",
        ">>> print(xp.logical_or(xp.asarray([True, False, False]), xp.asarray([0, 0, 1])))\n[ True False  True]",
        "Numbers are true unless they are zero.",
    ),
    "logical_xor": (
        "Return whether exactly one of two elements is true.",
        "logical_and, logical_or, bitwise_xor",
        ">>> print(xp.logical_xor(xp.asarray([True, True, False]), xp.asarray([2, 0, 1])))\n[False  True  True]",
        "Numbers are true unless they are zero.",
    ),
    "maximum": (
        "Return the larger of the elements of two arrays.",
        "minimum, max, clip",
        ">>> print(xp.maximum(xp.asarray([1.0, 5.0, xp.nan]), 3.0))\n[ 3.  5. nan]",
        "The result is NaN if either element is.",
    ),
    "minimum": (
        "Return the smaller of the elements of two arrays.",
        "maximum, min, clip",
        ">>> print(xp.minimum(xp.asarray([1.0, 5.0, xp.nan]), 3.0))\n[ 1.  3. nan]",
        "The result is NaN if either element is.",
    ),
    "multiply": (
        "Return the product of two arrays, element by element.",
        "divide, matmul, prod",
        ">>> print(xp.multiply(xp.asarray([1, 2, 3]), xp.asarray([[1], [10]])))\n[[ 1  2  3]\n [10 20 30]]",
        "This is the operator ``x1 * x2``. Integers wrap on overflow. The product of booleans is their\nlogical and.",
    ),
    "negative": (
        "Return the negative of each element.",
        "abs, positive",
        ">>> print(xp.negative(xp.asarray([1, -2])))\n[-1  2]\n>>> print(-xp.asarray([1], dtype=xp.uint8))\n[255]",
        "This is the operator ``-x``. Unsigned integers wrap.",
    ),
    "nextafter": (
        "Return the next number of the dtype after `x1` in the direction of `x2`.",
        "finfo",
        ">>> x = xp.nextafter(xp.asarray(1.0), xp.asarray(2.0))\n>>> print(float(x - 1))\n2.220446049250313e-16",
        "The result is `x2` if both are equal, and NaN if either is NaN.",
    ),
    "not_equal": (
        "Return whether the elements of two arrays differ.",
        "equal",
        ">>> print(xp.not_equal(xp.asarray([1, 2, 3]), xp.asarray([1, 0, 3])))\n[False  True False]",
        "This is the operator ``x1 != x2``. NaN differs from everything, itself included. Integers of\n"
        "different dtypes are compared by value.",
    ),
    "positive": (
        "Return a copy of an array.",
        "negative, Array.copy",
        ">>> print(xp.positive(xp.asarray([1, -2])))\n[ 1 -2]",
        "This is the operator ``+x``.",
    ),
    "reciprocal": (
        "Return the reciprocal of each element.",
        "divide",
        ">>> print(xp.reciprocal(xp.asarray([1, 2, 4])))\n"
        "[1.   0.5  0.25]\n"
        ">>> print(xp.reciprocal(xp.asarray([0.0])))\n"
        "[inf]",
        "The reciprocal of a real zero is an infinity. In contrast to NumPy, integers give floats.",
    ),
    "remainder": (
        "Return the remainder of the division of two arrays.",
        "floor_divide, divide",
        ">>> print(xp.remainder(xp.asarray([7, -7, 7]), xp.asarray([3, 3, -3])))\n[ 1  2 -2]",
        "This is the operator ``x1 % x2``. The result has the sign of `x2`. It is 0 for integers divided by\n"
        "zero, and NaN for floats divided by zero.",
    ),
    "round": (
        "Return the nearest integer to each element.",
        "floor, ceil, trunc, Array.round",
        ">>> print(xp.round(xp.asarray([0.5, 1.5, -2.7])))\n[ 0.  2. -3.]",
        "Halves are rounded to even integers. Of complex numbers both parts are rounded. Integers are\n"
        "returned as they are.",
    ),
    "sign": (
        "Return the sign of each element: -1, 0 or 1.",
        "signbit, copysign, abs",
        ">>> print(xp.sign(xp.asarray([-2.5, 0.0, 3.0])))\n"
        "[-1.  0.  1.]\n"
        ">>> print(xp.sign(xp.asarray([3 + 4j])))\n"
        "[0.6+0.8j]",
        "For complex numbers this is ``x / abs(x)``, and 0 for zero. The sign of NaN is NaN.",
    ),
    "signbit": (
        "Return whether the sign bit of each element is set.",
        "sign, copysign",
        ">>> print(xp.signbit(xp.asarray([-1.0, -0.0, 0.0])))\n[ True  True False]",
        "It is set for negative numbers, for -0.0, and for some NaNs.",
    ),
    "sin": (
        "Return the sine of each element, an angle in radians.",
        "cos, tan, asin",
        ">>> print(xp.sin(xp.asarray([0.0, 1.0, xp.pi / 2])))\n[0.         0.84147098 1.        ]",
        "The results for infinities are NaN.",
    ),
    "sinh": (
        "Return the hyperbolic sine of each element.",
        "cosh, tanh, asinh",
        ">>> print(xp.sinh(xp.asarray([-1.0, 0.0, 1.0])))\n[-1.17520119  0.          1.17520119]",
    ),
    "sqrt": (
        "Return the square root of each element.",
        "square, pow, hypot",
        ">>> print(xp.sqrt(xp.asarray([4.0, 2.0])))\n"
        "[2.         1.41421356]\n"
        ">>> print(xp.sqrt(xp.asarray([-4 + 0j])))\n"
        "[0.+2.j]",
        "Results for real numbers are correctly rounded. They are NaN for negative real numbers; convert to a\n"
        "complex dtype for complex results.",
    ),
    "square": (
        "Return the square of each element.",
        "sqrt, pow, multiply",
        ">>> print(xp.square(xp.asarray([1, -2, 3])))\n[1 4 9]",
        "Integers wrap on overflow.",
    ),
    "subtract": (
        "Return the difference of two arrays, element by element.",
        "add, negative, diff",
        ">>> print(xp.subtract(xp.asarray([5, 6, 7]), xp.asarray([1, 2, 3])))\n[4 4 4]",
        "This is the operator ``x1 - x2``. Integers wrap on overflow.",
    ),
    "tan": (
        "Return the tangent of each element, an angle in radians.",
        "sin, cos, atan",
        ">>> print(xp.tan(xp.asarray([0.0, 1.0])))\n[0.         1.55740772]",
        "The results for infinities are NaN.",
    ),
    "tanh": (
        "Return the hyperbolic tangent of each element.",
        "sinh, cosh, atanh",
        ">>> print(xp.tanh(xp.asarray([-xp.inf, 0.0, 1.0])))\n[-1.          0.          0.76159416]",
    ),
    "trunc": (
        "Return the integer part of each element, rounded towards zero.",
        "floor, ceil, round",
        ">>> print(xp.trunc(xp.asarray([-1.5, 0.2, 2.0])))\n[-1.  0.  2.]",
        "Integers are returned as they are. NaN and infinities stay.",
    ),
}


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _taken(kinds: tuple[str, ...]) -> str:
    """The dtypes of these kinds, in words."""
    return "any dtype" if len(kinds) == len(ONE_OF_EACH) else f"{_listed([*kinds], 'or')} dtype"


def _refused(kinds: tuple[str, ...]) -> str:
    """The sentence of "Raises" on the dtypes of other kinds."""
    others = [kind for kind in ONE_OF_EACH if kind not in kinds]
    return f"For {_listed(others, 'and')} dtypes; use `astype` to convert.\n    " if others else ""


def _result(op: Op, keys: dict[str, Any]) -> str:
    """The sentence on the dtype of the result; ``keys``: those of the rules, by the kind of their dtypes."""
    own = "that of `x`" if op.arity == 1 else "the one to which `x1` and `x2` promote"
    results = {kind: op.rules[key].result for kind, key in keys.items()}
    if all(result == BOOL for result in results.values()):
        return "Its dtype is bool."
    if results.get("integer") == FLOAT64:
        one = "integers and booleans" if op.arity == 1 else "two operands of integers or booleans"
        return f"Its dtype is {own};\n    for {one}, float64 (float32 on a device without float64)."
    if results.get("complex") not in (None, DTYPE_OF["c64"]):
        return f"Its dtype is {own};\n    for complex numbers, the real dtype of the same precision."
    return f"Its dtype is {own}."


def described(function: F, op: Op, truth: bool = False) -> F:
    """The function with its name, and its docstring if `TEXTS` has the name. ``truth``: operands of any dtype are
    converted to booleans."""
    name = op.name
    function.__name__ = function.__qualname__ = name
    text = TEXTS.get(name)
    if text is None:  # a part of a function that has a docstring
        return function
    keys: dict[str, Any] = {}
    for kind, short in ONE_OF_EACH.items():
        key: Any = DTYPE_OF[short] if op.arity == 1 else (DTYPE_OF[short],) * 2
        if key in op.rules:
            keys[kind] = key
    kinds = tuple(ONE_OF_EACH if truth else keys)
    refused = "" if truth else _refused(kinds)
    if op.arity == 1:
        parameters = f"x : Array\n    Of {_taken(kinds)}."
        raises = f"TypeError\n    {refused}If `x` is not an array."
        shape = "the shape of `x`"
    else:
        parameters = f"x1, x2 : Array or number\n    Of {_taken(kinds)}. At least one is an array."
        raises = (
            f"TypeError\n    {refused}If neither operand is an array.\n"
            "ValueError\n    If the shapes do not broadcast, or the arrays are on different devices."
        )
        shape = "the shape to which `x1` and `x2` broadcast"
    summary, related, examples = text[:3]
    details = f"{text[3]}\n\n" if len(text) == 4 else ""
    function.__doc__ = (
        f"{summary}\n\n{details}Parameters\n----------\n{parameters}\n\nReturns\n-------\nArray\n"
        f"    An array of {shape}.\n    {_result(op, keys)}\n\nRaises\n------\n{raises}\n\n"
        f"See Also\n--------\n{related}\n\nReferences\n----------\n"
        f'Array API standard, chapter "Element-wise functions": ``{name}``.\n\n'
        f"Examples\n--------\n{examples}\n"
    )
    return function
