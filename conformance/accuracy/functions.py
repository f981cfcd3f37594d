"""The functions, their exact results, and the bounds of their errors.

float16 and float32: NumPy in float64, whose functions err by at most a few ulps of float64, 2**-27 ulp of float32.
`+ - * /`, square roots and reciprocals of p bits, computed in 2p + 2 bits or more and rounded again, are correctly
rounded (S. A. Figueroa, When is double rounding innocuous?, 1995): float64 has 53 bits, so they are exact references.
float64 and complex numbers: mpmath, with as many bits as it takes for the first 80 to stand; its functions of signed
zeros, infinities and NaN are NumPy's, of which longdouble does not overflow where float64 does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

from conformance.accuracy import meter, operands

HostArray = np.ndarray[Any, Any]

REAL = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")

# Ulps; of complex numbers, of the larger part of the exact result.
BOUNDS = {"float16": 1.0, "float32": 4.0, "float64": 3.0, "complex64": 4.0, "complex128": 4.0}


@dataclass(frozen=True)
class Function:
    """A function by its name in the standard: what NumPy and mpmath say, and what its errors are measured by.

    ``rounded``: its results must be the correctly rounded ones. ``exact``: they are numbers of the dtype, or truth
    values, and NumPy's in the same dtype are the reference. ``scale``: see `meter.from_wide`. ``reach``: of operands,
    see `operands.complex_numbers`. ``room``: ulps beyond the bound that complex operands are given.
    """

    name: str
    numpy: Callable[..., HostArray]
    mpmath: Callable[..., Any] | None = None
    arity: int = 1
    rounded: bool = False
    exact: bool = False
    scale: Callable[..., HostArray] | None = None
    reach: float = math.inf
    room: Callable[..., HostArray] | None = None


def _of_parts(function: Callable[..., HostArray]) -> Callable[..., HostArray]:
    """A function of real numbers for each part of complex ones; ``1j *`` would not keep zeros and infinities."""

    def apply(*operands: HostArray) -> HostArray:
        result: HostArray = np.empty(operands[0].shape, operands[0].dtype)
        result.real = function(*(z.real for z in operands))
        result.imag = function(*(z.imag for z in operands))
        return result

    return apply


def _floor_divide(a: HostArray, b: HostArray) -> HostArray:
    """NumPy's with infinite operands as the standard has them: a / b, rounded down."""
    at_infinity = np.isinf(a) | np.isinf(b)
    return np.where(at_infinity, np.floor(a / b), np.floor_divide(a, b))


def _nextafter(a: HostArray, b: HostArray) -> HostArray:
    """Of two zeros NumPy's float16 gives the first, C and the standard the second."""
    return np.where((a == 0) & (b == 0), b, np.nextafter(a, b))


def _floor_divide_fraction(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(a // b)


def _remainder_fraction(a: Fraction, b: Fraction) -> Fraction:
    return a % b


def _fraction(function: Callable[[Fraction, Fraction], Fraction]) -> Callable[[Any, Any], Fraction]:
    return lambda a, b: function(_as_fraction(a), _as_fraction(b))


def _as_fraction(x: Any) -> Fraction:
    sign, mantissa, exponent, _ = x._mpf_
    size: Fraction = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if sign else size


def _logaddexp(a: Any, b: Any) -> Any:
    return max(a, b) + mpmath.log1p(mpmath.exp(min(a, b) - max(a, b)))


def _operand_scale(a: HostArray, b: HostArray) -> HostArray:
    """log(exp(a) + exp(b)) can be far smaller than a and b, and its last digits are theirs then."""
    high = np.maximum(a, b).astype(np.float64)
    return np.where(np.isfinite(high), np.minimum(np.abs(high), 1), 0)


def _power_room(x: HostArray, y: HostArray) -> HostArray:
    """exp(y log(x)): an error of log(x) grows by |y|."""
    x, y = x.astype(np.clongdouble), y.astype(np.clongdouble)
    room: HostArray = 4 * np.abs(y * np.log(x)).astype(np.float64)
    return room


def _atanh(z: Any) -> Any:
    """mpmath's own loses the digits of small parts."""
    return (mpmath.log1p(z) - mpmath.log1p(-z)) / 2


def _log2(x: Any) -> Any:
    return mpmath.log(x) / mpmath.log(2)


_ELEMENTARY = [
    Function("sqrt", np.sqrt, mpmath.sqrt, rounded=True),
    Function("exp", np.exp, mpmath.exp),
    Function("expm1", np.expm1, mpmath.expm1),
    Function("log", np.log, mpmath.log),
    Function("log1p", np.log1p, mpmath.log1p),
    Function("log2", np.log2, _log2),
    Function("log10", np.log10, mpmath.log10),
    Function("sin", np.sin, mpmath.sin),
    Function("cos", np.cos, mpmath.cos),
    Function("tan", np.tan, mpmath.tan),
    Function("asin", np.arcsin, mpmath.asin),
    Function("acos", np.arccos, mpmath.acos),
    Function("atan", np.arctan, mpmath.atan),
    Function("sinh", np.sinh, mpmath.sinh),
    Function("cosh", np.cosh, mpmath.cosh),
    Function("tanh", np.tanh, mpmath.tanh),
    Function("asinh", np.arcsinh, mpmath.asinh),
    Function("acosh", np.arccosh, mpmath.acosh),
    Function("atanh", np.arctanh, mpmath.atanh),
]

REAL_FUNCTIONS = [
    Function("add", np.add, lambda a, b: a + b, 2, rounded=True),
    Function("subtract", np.subtract, lambda a, b: a - b, 2, rounded=True),
    Function("multiply", np.multiply, lambda a, b: a * b, 2, rounded=True),
    Function("divide", np.divide, lambda a, b: a / b, 2, rounded=True),
    Function("square", np.square, lambda a: a * a, rounded=True),
    Function("reciprocal", np.reciprocal, lambda a: 1 / a, rounded=True),
    Function("remainder", np.remainder, _fraction(_remainder_fraction), 2, rounded=True),
    Function("floor_divide", _floor_divide, _fraction(_floor_divide_fraction), 2),
    *_ELEMENTARY,
    Function("pow", np.power, mpmath.power, 2),
    Function("atan2", np.arctan2, mpmath.atan2, 2),
    Function("hypot", np.hypot, mpmath.hypot, 2),
    Function("logaddexp", np.logaddexp, _logaddexp, 2, scale=_operand_scale),
    Function("abs", np.abs, exact=True),
    Function("negative", np.negative, exact=True),
    Function("positive", np.positive, exact=True),
    Function("sign", np.sign, exact=True),
    Function("floor", np.floor, exact=True),
    Function("ceil", np.ceil, exact=True),
    Function("trunc", np.trunc, exact=True),
    Function("round", np.rint, exact=True),
    Function("copysign", np.copysign, arity=2, exact=True),
    Function("nextafter", _nextafter, arity=2, exact=True),
    Function("maximum", np.maximum, arity=2, exact=True),
    Function("minimum", np.minimum, arity=2, exact=True),
    Function("equal", np.equal, arity=2, exact=True),
    Function("not_equal", np.not_equal, arity=2, exact=True),
    Function("less", np.less, arity=2, exact=True),
    Function("less_equal", np.less_equal, arity=2, exact=True),
    Function("greater", np.greater, arity=2, exact=True),
    Function("greater_equal", np.greater_equal, arity=2, exact=True),
    Function("signbit", np.signbit, exact=True),
    Function("isnan", np.isnan, exact=True),
    Function("isinf", np.isinf, exact=True),
    Function("isfinite", np.isfinite, exact=True),
]

# Operands whose exponentials overflow are left out, and those of products whose parts' products do.
_REACH = {"exp": 11, "expm1": 11, "sin": 11, "cos": 11, "sinh": 11, "cosh": 11, "tan": 11, "tanh": 11}
_COMPLEX_OWN: dict[str, Callable[..., Any]] = {"atanh": _atanh, "atan": lambda z: _atanh(z * 1j) / 1j}

COMPLEX_FUNCTIONS = [
    Function("add", np.add, lambda a, b: a + b, 2),
    Function("subtract", np.subtract, lambda a, b: a - b, 2),
    Function("multiply", np.multiply, lambda a, b: a * b, 2, reach=0.49),
    Function("divide", np.divide, lambda a, b: a / b, 2),
    Function("square", np.square, lambda a: a * a, reach=0.49),
    Function("reciprocal", np.reciprocal, lambda a: 1 / a),
    Function("abs", np.abs, abs),
    Function("sign", np.sign, lambda z: z / abs(z)),
    *(
        Function(f.name, f.numpy, _COMPLEX_OWN.get(f.name, f.mpmath), reach=_REACH.get(f.name, math.inf))
        for f in _ELEMENTARY
    ),
    Function("pow", np.power, mpmath.power, 2, reach=5, room=_power_room),
    Function("real", np.real, exact=True),
    Function("imag", np.imag, exact=True),
    Function("conj", np.conj, exact=True),
    Function("positive", np.positive, exact=True),
    Function("negative", np.negative, exact=True),
    Function("round", _of_parts(np.rint), exact=True),
    Function("equal", np.equal, arity=2, exact=True),
    Function("not_equal", np.not_equal, arity=2, exact=True),
    Function("isnan", np.isnan, exact=True),
    Function("isinf", np.isinf, exact=True),
    Function("isfinite", np.isfinite, exact=True),
]


def arguments(function: Function, dtype: np.dtype[Any], count: int) -> tuple[HostArray, ...]:
    """The operands to measure a function at, about ``count`` of each."""
    if dtype.kind == "f":
        return operands.pairs(dtype, count) if function.arity == 2 else (operands.real(dtype, count),)
    info = np.finfo(dtype)
    reach = function.reach * float(info.maxexp) if function.reach < 1 else function.reach
    drawn = [operands.complex_numbers(dtype, count, seed, reach) for seed in range(function.arity)]
    if function.arity == 1:
        return (drawn[0],)
    length = min(z.size for z in drawn)
    return drawn[0][:length], np.random.default_rng(5).permutation(drawn[1][:length])


def exact_real(function: Function, x: Sequence[HostArray]) -> meter.Exact:
    """The exact results of a function of real numbers."""
    dtype = x[0].dtype
    with np.errstate(all="ignore"):
        scale = function.scale(*x) if function.scale else None
        if function.exact:
            return meter.from_wide(function.numpy(*x), dtype)
        if dtype != np.float64:
            return meter.from_wide(function.numpy(*(a.astype(np.float64) for a in x)), dtype, scale)
        wide = function.numpy(*(a.astype(np.longdouble) for a in x))
    assert function.mpmath is not None
    # mpmath has no signed zeros; functions of zero are exact in NumPy, or an angle that longdouble gives well enough.
    number = np.isfinite(wide) & (wide != 0) & np.all([np.isfinite(a) & (a != 0) for a in x], axis=0)
    rows = zip(*(map(mpmath.mpf, a[number].tolist()) for a in x), strict=True)
    values = [meter.settled(function.mpmath, row) for row in rows]
    return meter.joined(
        meter.from_wide(wide, dtype),
        meter.from_exact(values, dtype, None if scale is None else scale[number].tolist()),
        number,
    )


def exact_complex(function: Function, z: Sequence[HostArray]) -> tuple[meter.Exact, ...]:
    """The exact results of a function of finite complex numbers: real and imaginary parts, or real numbers alone."""
    part = np.dtype(f"f{z[0].itemsize // 2}")
    assert function.mpmath is not None
    rows = zip(*([mpmath.mpc(w.real, w.imag) for w in a.tolist()] for a in z), strict=True)
    values = [meter.settled(function.mpmath, row) for row in rows]
    if function.name == "abs":
        return (meter.from_exact(values, part),)
    return (meter.from_exact([w.real for w in values], part), meter.from_exact([w.imag for w in values], part))


# Where NumPy departs from C99, or C99 and the standard leave much open: the tests of the library have the rows of the
# standard's tables for these.
OWN_SPECIALS = ("add", "subtract", "multiply", "divide", "square", "reciprocal", "sign", "expm1", "pow", "abs")

_CORNERS = (0.0, -0.0, 1.0, -2.5, 0.5, math.inf, -math.inf, math.nan)


def special_operands(function: Function, dtype: np.dtype[Any]) -> tuple[HostArray, ...]:
    """Zeros, infinities and NaN, all with all."""
    if dtype.kind == "f":
        values = operands.specials(dtype)
    else:
        re, im = np.meshgrid(_CORNERS, _CORNERS)
        values = np.empty(re.size, dtype)
        values.real, values.imag = re.ravel(), im.ravel()
    if function.arity == 1:
        return (values,)
    one, other = np.meshgrid(values, values)
    return one.ravel(), other.ravel()


def wrong_complex_specials(function: Function, z: Sequence[HostArray], got: HostArray) -> HostArray:
    """Where results of special operands are NaN, infinite or zero and NumPy's are not, or have another sign.

    Signs count where C99 gives them: not beside a NaN, and those of zeros not where an operand is infinite.
    """
    with np.errstate(all="ignore"):
        expected = function.numpy(*(a.astype(np.clongdouble) for a in z))
    clear = ~np.isnan(expected)
    finite = np.all([np.isfinite(a) for a in z], axis=0)
    wrong = np.zeros(got.shape, bool)
    for a, b in ((got.real, expected.real), (got.imag, expected.imag)):
        wrong |= (np.isnan(a) != np.isnan(b)) | (np.isinf(a) != np.isinf(b)) | ((a == 0) != (b == 0))
        signed = clear & (np.isinf(b) | ((b == 0) & finite))
        wrong |= signed & (np.signbit(a) != np.signbit(b))
    return wrong
