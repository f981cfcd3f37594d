"""Element-wise functions (standard, chapter "Element-wise functions").

Every function here is a row of ``kernels.core.ops``, which lists its accepted dtypes and result dtypes. A call builds a
node, which is computed later, fused with its neighbours. All functions raise TypeError for dtypes that are not in the
row, and ValueError for shapes that do not broadcast and for operands on different devices.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ... import lazy
from ...kernels.core.ops import OPS
from ...lazy import SQUARED, Node, constant, handle, of_array, of_two_arrays
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, FLOATING, INTEGRAL, DType, iinfo, same_kind
from ..core.arguments import of_arrays
from ..core.array_object import Array, operand
from ..core.host_values import PYTHON_SCALARS, check_exponent

__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert",
    "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "cos",
    "cosh", "divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot", "imag",
    "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter", "not_equal",
    "positive", "pow", "real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square",
    "subtract", "tan", "tanh", "trunc",
]  # fmt: skip

BOOL = DTYPE_OF["b8"]


class Unary(Protocol):
    def __call__(self, x: Array, /) -> Array: ...


class Binary(Protocol):
    def __call__(self, x1: Array | complex, x2: Array | complex, /) -> Array: ...


def operands(name: str, *values: Any) -> list[Any]:
    """The operands as nodes and Python scalars. TypeError unless one is an array, and for unknown types."""
    device = next((x._node.device for x in values if isinstance(x, Array)), None)
    if device is None:
        came = " and ".join(type(x).__name__ for x in values)
        raise TypeError(f"{name}: got {came}; allowed: at least one array; use asarray")
    found = [operand(device, x, name) for x in values]
    for x, value in zip(found, values, strict=True):
        if x is NotImplemented:
            raise TypeError(
                f"{name}: got {type(value).__name__}; allowed: arrays, Python and NumPy scalars; use asarray"
            )
    return found


def node_of(name: str, x: Any) -> Node:
    """The node of an operand. TypeError unless it is an array."""
    if not isinstance(x, Array):
        raise TypeError(f"{name}: got {type(x).__name__}; allowed: an arrayapi_gpu array; use asarray")
    return x._node


def _unary(name: str, says: str) -> Unary:
    op = OPS[name]

    def function(x: Array, /) -> Array:
        found = of_array(op, x)
        return handle(Array, lazy.unary(op, node_of(name, x))) if found is None else found

    described: Unary = _described(function, name, says)
    return described


def _binary(name: str, says: str) -> Binary:
    op = OPS[name]

    def function(x1: Array | complex, x2: Array | complex, /) -> Array:
        found = of_two_arrays(op, x1, x2)
        return handle(Array, lazy.binary(op, *operands(name, x1, x2))) if found is None else found

    described: Binary = _described(function, name, says)
    return described


def _truth(x: Any) -> Any:
    """The operand as booleans: numbers are true unless they are zero."""
    if isinstance(x, Array):
        return x if x.dtype == BOOL else handle(Array, lazy.astype(x._node, BOOL))
    if isinstance(x, (np.ndarray, np.generic)):
        return x.astype(bool)
    return bool(x) if isinstance(x, PYTHON_SCALARS) else x


def _logical_not(says: str) -> Unary:
    def function(x: Array, /) -> Array:
        return handle(Array, lazy.unary(OPS["logical_not"], node_of("logical_not", _truth(x))))

    described: Unary = _described(function, "logical_not", says, "all")
    return described


def _logical(name: str, says: str) -> Binary:
    op = OPS[name]

    def function(x1: Array | complex, x2: Array | complex, /) -> Array:
        return handle(Array, lazy.binary(op, *operands(name, _truth(x1), _truth(x2))))

    described: Binary = _described(function, name, says, "all")
    return described


def _described(function: Any, name: str, says: str, accepts: str | None = None) -> Any:
    op = OPS[name]
    shapes = " after broadcasting", ", ValueError for shapes that do not broadcast"
    where, unlike = shapes if op.arity == 2 else ("", "")
    others = "other dtypes" if accepts is None else "operands that are not arrays"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{says}\n\nComputed element by element{where}; accepts {accepts or op.accepts} dtypes. TypeError for "
        f"{others}{unlike}.\n"
        f'Source: standard, chapter "Element-wise functions", ``{name}``.'
    )
    return function


abs = _unary("abs", "The absolute values of x; for complex numbers the modulus, in the real dtype.")
acos = _unary("acos", "The inverse cosine of x, an angle in radians.")
acosh = _unary("acosh", "The inverse hyperbolic cosine of x.")
add = _binary("add", "The sum x1 + x2.")
asin = _unary("asin", "The inverse sine of x, an angle in radians.")
asinh = _unary("asinh", "The inverse hyperbolic sine of x.")
atan = _unary("atan", "The inverse tangent of x, an angle in radians.")
atan2 = _binary("atan2", "The angle of the point (x2, x1) in radians, from -pi to pi.")
atanh = _unary("atanh", "The inverse hyperbolic tangent of x.")
bitwise_and = _binary("bitwise_and", "The bitwise and of x1 and x2.")
bitwise_left_shift = _binary("bitwise_left_shift", "x1 shifted left by x2 bits; 0 if x2 is the width or more.")
bitwise_invert = _unary("bitwise_invert", "The bitwise complement of x.")
bitwise_or = _binary("bitwise_or", "The bitwise or of x1 and x2.")
bitwise_right_shift = _binary(
    "bitwise_right_shift", "x1 shifted right by x2 bits, keeping the sign; 0 or -1 if x2 is the width or more."
)
bitwise_xor = _binary("bitwise_xor", "The bitwise exclusive or of x1 and x2.")
copysign = _binary("copysign", "The magnitude of x1 with the sign of x2.")
cos = _unary("cos", "The cosine of the angle x, in radians.")
cosh = _unary("cosh", "The hyperbolic cosine of x.")
divide = _binary("divide", "The quotient x1 / x2.")
equal = _binary("equal", "Whether x1 == x2.")
exp = _unary("exp", "The exponential e**x.")
expm1 = _unary("expm1", "exp(x) - 1, accurate near zero.")
floor_divide = _binary("floor_divide", "The largest integer <= x1 / x2; 0 for integers divided by 0.")
greater = _binary("greater", "Whether x1 > x2.")
greater_equal = _binary("greater_equal", "Whether x1 >= x2.")
hypot = _binary("hypot", "sqrt(x1**2 + x2**2), without intermediate overflow.")
less = _binary("less", "Whether x1 < x2.")
less_equal = _binary("less_equal", "Whether x1 <= x2.")
log = _unary("log", "The natural logarithm of x.")
log10 = _unary("log10", "The logarithm of x to base 10.")
log1p = _unary("log1p", "log(1 + x), accurate near zero.")
log2 = _unary("log2", "The logarithm of x to base 2.")
logaddexp = _binary("logaddexp", "log(exp(x1) + exp(x2)), without intermediate overflow.")
logical_and = _logical("logical_and", "Whether both x1 and x2 are true; numbers are true unless they are zero.")
logical_not = _logical_not("Whether x is false; numbers are false if they are zero.")
logical_or = _logical("logical_or", "Whether x1 or x2 or both are true; numbers are true unless they are zero.")
logical_xor = _logical(
    "logical_xor", "Whether exactly one of x1 and x2 is true; numbers are true unless they are zero."
)
maximum = _binary("maximum", "The larger of x1 and x2; NaN if either is NaN.")
minimum = _binary("minimum", "The smaller of x1 and x2; NaN if either is NaN.")
multiply = _binary("multiply", "The product x1 * x2.")
negative = _unary("negative", "The negation -x; unsigned integers wrap.")
nextafter = _binary("nextafter", "The next representable number after x1 towards x2.")
not_equal = _binary("not_equal", "Whether x1 != x2.")
positive = _unary("positive", "A copy of x.")
reciprocal = _unary("reciprocal", "The reciprocal 1 / x.")
remainder = _binary("remainder", "x1 - floor(x1 / x2) * x2, with the sign of x2; 0 for integers divided by 0.")
sign = _unary("sign", "The sign of x: -1, 0 or 1; x / abs(x) for complex numbers.")
signbit = _unary("signbit", "Whether the sign bit of x is set, also for -0 and NaN.")
sin = _unary("sin", "The sine of the angle x, in radians.")
sinh = _unary("sinh", "The hyperbolic sine of x.")
sqrt = _unary("sqrt", "The square root of x, correctly rounded for real numbers.")
square = _unary("square", "The square x * x.")
subtract = _binary("subtract", "The difference x1 - x2.")
tan = _unary("tan", "The tangent of the angle x, in radians.")
tanh = _unary("tanh", "The hyperbolic tangent of x.")
ceil = _unary("ceil", "The smallest integer >= x.")
floor = _unary("floor", "The largest integer <= x.")
round = _unary("round", "The integer nearest to x, halves to even; for complex numbers in each component.")
trunc = _unary("trunc", "The integer part of x, rounded towards zero.")
_conj = _unary("conj", "The complex conjugate of x.")
_isfinite = _unary("isfinite", "Whether the number is neither infinite nor NaN.")
_isinf = _unary("isinf", "Whether the number is infinite.")
_isnan = _unary("isnan", "Whether the number is NaN.")


@of_arrays
def isfinite(x: Array, /) -> Array:
    """Whether each element is neither infinite nor NaN; true for integers. Source: standard, ``isfinite``."""
    return _isfinite(x) if x.dtype in FLOATING else _everywhere(True, x)


@of_arrays
def isinf(x: Array, /) -> Array:
    """Whether each element is infinite; false for integers. Source: standard, ``isinf``."""
    return _isinf(x) if x.dtype in FLOATING else _everywhere(False, x)


@of_arrays
def isnan(x: Array, /) -> Array:
    """Whether each element is NaN; false for integers. Source: standard, ``isnan``."""
    return _isnan(x) if x.dtype in FLOATING else _everywhere(False, x)


def _everywhere(value: bool, x: Array) -> Array:
    return handle(Array, constant(value, BOOL, x.shape, x.device))


@of_arrays
def conj(x: Array, /) -> Array:
    """The complex conjugate of each element; a copy if ``x`` is real. Source: standard, ``conj``."""
    return _conj(x) if x.dtype in COMPLEX_FLOATING else positive(x)


@of_arrays
def imag(x: Array, /) -> Array:
    """The imaginary part of each element, in the real dtype, as a view; read-only zeros if ``x`` is real.

    Source: standard, ``imag``.
    """
    return x.imag


@of_arrays
def real(x: Array, /) -> Array:
    """The real part of each element, in the real dtype, as a view; ``x`` itself if it is real.

    Source: standard, ``real``.
    """
    return x.real


def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    """``x1`` raised to the power ``x2``, element by element after broadcasting; accepts numeric dtypes.

    ValueError for integers to the power of a negative integer scalar. If an array of integer exponents contains
    negative ones, these powers are 0, or 1 or -1 for the bases 1 and -1. Source: standard, ``pow``.
    """
    x, y = operands("pow", x1, x2)
    if isinstance(x, Node):
        check_exponent("pow", x.dtype, x2)
        if type(y) is int and y == 2 and x.dtype in SQUARED:
            return handle(Array, lazy.unary(OPS["square"], x))
    return handle(Array, lazy.binary(OPS["pow"], x, y))


@of_arrays
def clip(x: Array, /, min: Array | complex | None = None, max: Array | complex | None = None) -> Array:
    """The elements of ``x`` limited to the range from ``min`` to ``max``; ``max`` if min > max, and NaN if any of the
    three is NaN.

    ``min``, ``max``: arrays that broadcast with ``x``, numbers, or None for no limit. The result has the dtype of
    ``x``; if a limit is of another kind (a float for integers), the dtype to which both promote, as in NumPy. An
    integer limit out of the range of the dtype of ``x`` is replaced by the nearest number in it.
    Source: standard, ``clip``.
    """
    node = x._node
    for name, bound in (("maximum", min), ("minimum", max)):
        if bound is not None:
            _, limit = operands("clip", x, bound)
            node = lazy.binary(OPS[name], node, _narrowed(limit, x.dtype))
    return positive(x) if node is x._node else handle(Array, node)


def _narrowed(limit: Any, dtype: DType) -> Any:
    """A limit, a node or a Python number, in the dtype of the limited array if both are integers or both floats, so
    that the limit does not affect promotion. An integer limit out of range is replaced by the nearest number in
    range."""
    if not isinstance(limit, Node):
        if type(limit) is not int or dtype not in INTEGRAL:
            return limit
        wanted = iinfo(dtype)
        return wanted.min if limit < wanted.min else wanted.max if limit > wanted.max else limit
    if limit.dtype in INTEGRAL and dtype in INTEGRAL:
        own, wanted = iinfo(limit.dtype), iinfo(dtype)
        if own.min < wanted.min:
            limit = lazy.binary(OPS["maximum"], limit, wanted.min)
        if own.max > wanted.max:
            limit = lazy.binary(OPS["minimum"], limit, wanted.max)
        return lazy.astype(limit, dtype)
    return lazy.astype(limit, dtype) if same_kind(limit.dtype, dtype) else limit
