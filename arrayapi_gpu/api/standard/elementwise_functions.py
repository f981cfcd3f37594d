"""Element-wise functions (standard, chapter "Element-wise functions").

Every function here is a row of ``kernels.core.ops``, which lists its accepted dtypes and result dtypes. A call builds a
node, which is computed later, fused with its neighbours. All functions raise TypeError for dtypes that are not in the
row, and ValueError for shapes that do not broadcast and for operands on different devices. `elementwise_texts` has
their docstrings.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ... import lazy
from ...kernels.core.ops import OPS
from ...lazy import SQUARED, Node, constant, handle, of_array, of_two_arrays
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, FLOATING, INTEGRAL, DType, iinfo, same_kind
from ..core.arguments import by_name, of_arrays
from ..core.array_object import Array, operand
from ..core.host_values import PYTHON_SCALARS, Scalar, check_exponent
from .elementwise_texts import described

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
    def __call__(self, x1: Array | Scalar, x2: Array | Scalar, /) -> Array: ...


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


def _unary(name: str) -> Unary:
    op = OPS[name]

    def function(x: Array, /) -> Array:
        found = of_array(op, x)
        return handle(Array, lazy.unary(op, node_of(name, x))) if found is None else found

    return described(function, op)


def _binary(name: str) -> Binary:
    op = OPS[name]

    def function(x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
        found = of_two_arrays(op, x1, x2)
        return handle(Array, lazy.binary(op, *operands(name, x1, x2))) if found is None else found

    return described(function, op)


def _truth(x: Any) -> Any:
    """The operand as booleans: numbers are true unless they are zero."""
    if isinstance(x, Array):
        return x if x.dtype == BOOL else handle(Array, lazy.astype(x._node, BOOL))
    if isinstance(x, (np.ndarray, np.generic)):
        return x.astype(bool)
    return bool(x) if isinstance(x, PYTHON_SCALARS) else x


def _logical_not() -> Unary:
    op = OPS["logical_not"]

    def function(x: Array, /) -> Array:
        return handle(Array, lazy.unary(op, node_of("logical_not", _truth(x))))

    return described(function, op, truth=True)


def _logical(name: str) -> Binary:
    op = OPS[name]

    def function(x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
        return handle(Array, lazy.binary(op, *operands(name, _truth(x1), _truth(x2))))

    return described(function, op, truth=True)


abs: Unary = _unary("abs")
acos: Unary = _unary("acos")
acosh: Unary = _unary("acosh")
add: Binary = _binary("add")
asin: Unary = _unary("asin")
asinh: Unary = _unary("asinh")
atan: Unary = _unary("atan")
atan2: Binary = _binary("atan2")
atanh: Unary = _unary("atanh")
bitwise_and: Binary = _binary("bitwise_and")
bitwise_left_shift: Binary = _binary("bitwise_left_shift")
bitwise_invert: Unary = _unary("bitwise_invert")
bitwise_or: Binary = _binary("bitwise_or")
bitwise_right_shift: Binary = _binary("bitwise_right_shift")
bitwise_xor: Binary = _binary("bitwise_xor")
copysign: Binary = _binary("copysign")
cos: Unary = _unary("cos")
cosh: Unary = _unary("cosh")
divide: Binary = _binary("divide")
equal: Binary = _binary("equal")
exp: Unary = _unary("exp")
expm1: Unary = _unary("expm1")
floor_divide: Binary = _binary("floor_divide")
greater: Binary = _binary("greater")
greater_equal: Binary = _binary("greater_equal")
hypot: Binary = _binary("hypot")
less: Binary = _binary("less")
less_equal: Binary = _binary("less_equal")
log: Unary = _unary("log")
log10: Unary = _unary("log10")
log1p: Unary = _unary("log1p")
log2: Unary = _unary("log2")
logaddexp: Binary = _binary("logaddexp")
logical_and: Binary = _logical("logical_and")
logical_not: Unary = _logical_not()
logical_or: Binary = _logical("logical_or")
logical_xor: Binary = _logical("logical_xor")
maximum: Binary = _binary("maximum")
minimum: Binary = _binary("minimum")
multiply: Binary = _binary("multiply")
negative: Unary = _unary("negative")
nextafter: Binary = _binary("nextafter")
not_equal: Binary = _binary("not_equal")
positive: Unary = _unary("positive")
reciprocal: Unary = _unary("reciprocal")
remainder: Binary = _binary("remainder")
sign: Unary = _unary("sign")
signbit: Unary = _unary("signbit")
sin: Unary = _unary("sin")
sinh: Unary = _unary("sinh")
sqrt: Unary = _unary("sqrt")
square: Unary = _unary("square")
subtract: Binary = _binary("subtract")
tan: Unary = _unary("tan")
tanh: Unary = _unary("tanh")
ceil: Unary = _unary("ceil")
floor: Unary = _unary("floor")
round: Unary = by_name(_unary("round"))
trunc: Unary = _unary("trunc")
_conj: Unary = _unary("conj")
_isfinite: Unary = _unary("isfinite")
_isinf: Unary = _unary("isinf")
_isnan: Unary = _unary("isnan")


@of_arrays
def isfinite(x: Array, /) -> Array:
    """Return whether each element is neither infinite nor NaN.

    A complex number is finite if both of its parts are.

    Parameters
    ----------
    x : Array
        Of any dtype. Integers and booleans are finite.

    Returns
    -------
    Array
        An array of bool of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    isinf, isnan

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``isfinite``.

    Examples
    --------
    >>> print(xp.isfinite(xp.asarray([1.0, -xp.inf, xp.nan])))
    [ True False False]
    """
    return _isfinite(x) if x.dtype in FLOATING else _everywhere(True, x)


@of_arrays
def isinf(x: Array, /) -> Array:
    """Return whether each element is infinite.

    A complex number is infinite if one of its parts is.

    Parameters
    ----------
    x : Array
        Of any dtype. Integers and booleans are not infinite.

    Returns
    -------
    Array
        An array of bool of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    isfinite, isnan

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``isinf``.

    Examples
    --------
    >>> print(xp.isinf(xp.asarray([1.0, -xp.inf, xp.nan])))
    [False  True False]
    """
    return _isinf(x) if x.dtype in FLOATING else _everywhere(False, x)


@of_arrays
def isnan(x: Array, /) -> Array:
    """Return whether each element is NaN.

    A complex number is NaN if one of its parts is.

    Parameters
    ----------
    x : Array
        Of any dtype. Integers and booleans are not NaN.

    Returns
    -------
    Array
        An array of bool of the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    isfinite, isinf

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``isnan``.

    Examples
    --------
    >>> print(xp.isnan(xp.asarray([1.0, -xp.inf, xp.nan])))
    [False False  True]
    """
    return _isnan(x) if x.dtype in FLOATING else _everywhere(False, x)


def _everywhere(value: bool, x: Array) -> Array:
    return handle(Array, constant(value, BOOL, x.shape, x.device))


@of_arrays
def conj(x: Array, /) -> Array:
    """Return the complex conjugate of each element.

    Parameters
    ----------
    x : Array
        Of any dtype.

    Returns
    -------
    Array
        An array of the shape and dtype of `x`; a copy of `x` if it is not complex.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    real, imag

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``conj``.

    Examples
    --------
    >>> print(xp.conj(xp.asarray([1 + 2j, 3 - 1j])))
    [1.-2.j 3.+1.j]
    """
    return _conj(x) if x.dtype in COMPLEX_FLOATING else positive(x)


@of_arrays
def imag(x: Array, /) -> Array:
    """Return the imaginary part of each element.

    Parameters
    ----------
    x : Array
        Of any dtype.

    Returns
    -------
    Array
        A view of the imaginary parts, in the real dtype of the same precision. If `x` is not complex, a read-only
        array of zeros of its dtype.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    real, conj

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``imag``.

    Examples
    --------
    >>> print(xp.imag(xp.asarray([1 + 2j, 3 - 1j])))
    [ 2. -1.]
    """
    return x.imag


@of_arrays
def real(x: Array, /) -> Array:
    """Return the real part of each element.

    Parameters
    ----------
    x : Array
        Of any dtype.

    Returns
    -------
    Array
        A view of the real parts, in the real dtype of the same precision; `x` itself if it is not complex.

    Raises
    ------
    TypeError
        If `x` is not an array.

    See Also
    --------
    imag, conj

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``real``.

    Examples
    --------
    >>> print(xp.real(xp.asarray([1 + 2j, 3 - 1j])))
    [1. 3.]
    """
    return x.real


def pow(x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
    """Return the elements of `x1`, raised to the powers `x2`.

    This is the operator ``x1 ** x2``. The power 0 of everything is 1. A negative real number to the power of a number
    that is not an integer is NaN. Integers wrap on overflow.

    Parameters
    ----------
    x1, x2 : Array or number
        Of numeric dtypes. At least one is an array. In an array of integer exponents, the powers of negative ones are
        0, or 1 or -1 for the bases 1 and -1.

    Returns
    -------
    Array
        An array of the shape to which `x1` and `x2` broadcast, and of the dtype to which they promote.

    Raises
    ------
    TypeError
        If both operands are booleans, or if neither operand is an array.
    ValueError
        If integers are raised to the power of a negative integer scalar, if the shapes do not broadcast, or if the
        arrays are on different devices.

    See Also
    --------
    square, sqrt, exp

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``pow``.

    Examples
    --------
    >>> print(xp.pow(xp.asarray([1, 2, 3]), 2))
    [1 4 9]
    >>> print(xp.asarray([4.0, 9.0]) ** 0.5)
    [2. 3.]
    """
    x, y = operands("pow", x1, x2)
    if isinstance(x, Node):
        check_exponent("pow", x.dtype, x2)
        if type(y) is int and y == 2 and x.dtype in SQUARED:
            return handle(Array, lazy.unary(OPS["square"], x))
    return handle(Array, lazy.binary(OPS["pow"], x, y))


@of_arrays
def clip(x: Array, /, min: Array | Scalar | None = None, max: Array | Scalar | None = None) -> Array:
    """Limit the elements of an array to a range.

    Parameters
    ----------
    x : Array
        Of any dtype.
    min : Array, number or None
        The lower limit, or None for no limit. It must broadcast with `x`. An integer limit out of the range of the
        dtype of `x` is replaced by the nearest number in it.
    max : Array, number or None
        The upper limit, in the same way. If it is less than `min`, the result is `max`.

    Returns
    -------
    Array
        An array of the dtype of `x`. If a limit is of another kind, such as a float for integers, the dtype is the one
        to which both promote. The result is NaN if an element or its limit is NaN.

    Raises
    ------
    TypeError
        If `x` is not an array, or if it is complex and a limit is given.
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    maximum, minimum

    References
    ----------
    Array API standard, chapter "Element-wise functions": ``clip``.

    Examples
    --------
    >>> print(xp.clip(xp.asarray([-3, 0, 7]), 0, 5))
    [0 0 5]
    >>> print(xp.clip(xp.asarray([-3, 0, 7]), max=xp.asarray([0, -1, 8])))
    [-3 -1  7]
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
