"""The dtypes: names, kinds, promotion, limits and casts.

A dtype is a native `numpy.dtype`. The public namespace offers NumPy's scalar types: ``xp.float32`` is
``numpy.float32``. bfloat16 is that of ml_dtypes, where it is installed. Sources: the standard's chapters "Data types",
"Type promotion rules" and "Data type functions"; where the standard leaves mixed kinds open, NumPy 2 decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import c_float
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..backends.base import HostArray

DType: TypeAlias = np.dtype[Any]


class Properties(NamedTuple):
    """The properties of a dtype. Other dtypes are named by their short names."""

    name: str
    kind: str  # b: bool, i: signed, u: unsigned, f: real floating, c: complex floating
    packed: str  # format characters of `struct` for a scalar parameter of a kernel
    computes_in: str = ""  # a wider dtype, in which sums, factorisations and transforms are computed
    stored_as: str = ""  # an integer dtype, as which elements are copied: conversions may change a NaN
    component: str = ""  # the dtype of real and imaginary parts
    narrower: str = ""  # the result of promotion in its place on a device without float64
    standard: bool = True  # the standard has it


# By the short names that stand in kernels.
_TABLE: Final = {
    "b8": Properties("bool", "b", "i"),
    "i8": Properties("int8", "i", "i"),
    "i16": Properties("int16", "i", "i"),
    "i32": Properties("int32", "i", "i"),
    "i64": Properties("int64", "i", "q"),
    "u8": Properties("uint8", "u", "I"),
    "u16": Properties("uint16", "u", "I"),
    "u32": Properties("uint32", "u", "I"),
    "u64": Properties("uint64", "u", "Q"),
    "bf16": Properties("bfloat16", "f", "f", computes_in="f32", stored_as="u16", standard=False),
    "f16": Properties("float16", "f", "f", computes_in="f32", stored_as="u16", standard=False),
    "f32": Properties("float32", "f", "f"),
    "f64": Properties("float64", "f", "d", narrower="f32"),
    "c64": Properties("complex64", "c", "ff", component="f32"),
    "c128": Properties("complex128", "c", "dd", component="f64", narrower="c64"),
}
try:
    import ml_dtypes
except ImportError:
    del _TABLE["bf16"]

# The short names that stand in kernels, and back.
DTYPE_OF: Final[Mapping[str, DType]] = {short: np.dtype(row.name) for short, row in _TABLE.items()}
SHORT: Final[Mapping[DType, str]] = {dtype: short for short, dtype in DTYPE_OF.items()}
DTYPES: Final[tuple[DType, ...]] = tuple(SHORT)
PROPERTIES: Final[Mapping[DType, Properties]] = {DTYPE_OF[short]: row for short, row in _TABLE.items()}


def _kind(letters: str) -> frozenset[DType]:
    return frozenset(dtype for dtype, row in PROPERTIES.items() if row.kind in letters)


BOOLEAN: Final = _kind("b")
SIGNED: Final = _kind("i")
UNSIGNED: Final = _kind("u")
INTEGRAL: Final = _kind("iu")
REAL_FLOATING: Final = _kind("f")
COMPLEX_FLOATING: Final = _kind("c")
FLOATING: Final = _kind("fc")
REAL: Final = _kind("iuf")
NUMERIC: Final = _kind("iufc")
DISCRETE: Final = _kind("biu")
ORDERED: Final = _kind("biuf")
BFLOAT16: Final = frozenset(dtype for short, dtype in DTYPE_OF.items() if short == "bf16")  # none without ml_dtypes

# The kinds by the standard's names: `isdtype`, and "Inspection": dtypes.
KINDS: Final[Mapping[str, frozenset[DType]]] = {
    "bool": BOOLEAN,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGRAL,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX_FLOATING,
    "numeric": NUMERIC,
}


def _column(name: str) -> Mapping[DType, DType]:
    """Return the dtypes of a column of the table, by the dtypes that have one there."""
    return {dtype: DTYPE_OF[short] for dtype, row in PROPERTIES.items() if (short := getattr(row, name))}


# See `Properties`.
COMPONENT: Final = _column("component")
NARROWER: Final = _column("narrower")
COMPUTES_IN: Final[Mapping[DType, DType]] = {**{dtype: dtype for dtype in DTYPES}, **_column("computes_in")}
STORED_AS: Final = _column("stored_as")

# The dtype of sum, prod and the cumulative functions when none is asked for.
ACCUMULATOR: Final[Mapping[DType, DType]] = {
    dtype: DTYPE_OF[{"b": "i64", "i": "i64", "u": "u64"}.get(row.kind, SHORT[dtype])]
    for dtype, row in PROPERTIES.items()
}


def defaults(has_float64: bool) -> Mapping[str, DType]:
    """Return the default dtypes of a device, by the standard's names ("Inspection": default_dtypes)."""
    real, pair = ("f64", "c128") if has_float64 else ("f32", "c64")
    return MappingProxyType(
        {
            "real floating": DTYPE_OF[real],
            "complex floating": DTYPE_OF[pair],
            "integral": DTYPE_OF["i64"],
            "indexing": DTYPE_OF["i64"],
        }
    )


DEFAULTS: Final = defaults(True)

_PYTHON: Final[Mapping[type, DType]] = {
    bool: DTYPE_OF["b8"],
    int: DEFAULTS["integral"],
    float: DEFAULTS["real floating"],
    complex: DEFAULTS["complex floating"],
}

_SPECS: Final[Mapping[Any, DType]] = {
    **_PYTHON,
    **{dtype: dtype for dtype in DTYPES},
    **{dtype.name: dtype for dtype in DTYPES},
    **{dtype.type: dtype for dtype in DTYPES},
    # By NumPy's type codes: two of its C integers have the same width, and both scalar types count.
    **{np.dtype(code).type: DTYPES[DTYPES.index(np.dtype(code))] for code in "?bhilqBHILQefdFD"},
}

_ALLOWED: Final = f"allowed are {', '.join(dtype.name for dtype in DTYPES)}, as a numpy.dtype, a scalar type or a name"


def as_dtype(spec: object) -> DType:
    """Return the native dtype that ``spec`` names.

    ``spec``: a numpy dtype of any byte order, a NumPy scalar type, a name as NumPy reads it
    ("float32"; "f4" counts bytes, unlike the short names of kernels), or one of the Python types bool, int,
    float, complex. TypeError for anything else, None included.
    """
    try:
        return _SPECS[spec]
    except (KeyError, TypeError):
        return _unusual_dtype(spec)


def same_kind(a: DType, b: DType) -> bool:
    """Return whether two dtypes are of one kind: boolean, signed, unsigned, real floating or complex floating."""
    return PROPERTIES[a].kind == PROPERTIES[b].kind


# Questions about the dtype of a host array, which may have a byte order or a width that no array of this library has.


def is_numeric(dtype: Any) -> bool:
    """Return whether elements of a host array's dtype are numbers or booleans."""
    return isinstance(dtype, np.dtype) and (dtype.kind in "biufc" or dtype in SHORT)


def is_ordered(dtype: DType) -> bool:
    """Return whether elements of a host array's dtype are real numbers or booleans of NumPy."""
    return dtype.kind in "biuf"


def is_discrete(dtype: DType) -> bool:
    """Return whether elements of a host array's dtype are integers or booleans."""
    return dtype.kind in "biu"


def is_integral(dtype: DType) -> bool:
    """Return whether elements of a host array's dtype are integers."""
    return dtype.kind in "iu"


def is_real_floating(dtype: DType) -> bool:
    """Return whether elements of a host array's dtype are real floating-point numbers of NumPy."""
    return dtype.kind == "f"


def _unusual_dtype(spec: object) -> DType:
    # Only dtypes and names: NumPy would read None as float64 and foreign classes as object.
    try:
        dtype = np.dtype(spec) if isinstance(spec, np.dtype | str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    native = None if dtype is None else _SPECS.get(dtype.newbyteorder("="))
    if native is None:
        is_shape = isinstance(spec, (int, tuple, list))
        advice = "; write a shape as one tuple, and reshape for views of another shape" if is_shape else ""
        raise TypeError(f"not a dtype of this library: {spec!r}; {_ALLOWED}{advice}")
    return native


_FLOAT16, _FLOAT32 = np.dtype("f2"), np.dtype("f4")


def _common(samples: list[Any]) -> DType:
    """Return the common dtype of dtypes and weak scalars, as in NumPy.

    bfloat16 follows float16, and with it gives float32, which holds both. (NumPy refuses it with wider integers.)
    """
    if BFLOAT16.isdisjoint(samples):
        return _SPECS[np.result_type(*samples)]
    substitute = _FLOAT32 if _FLOAT16 in samples else _FLOAT16
    result = np.result_type(*[substitute if sample in BFLOAT16 else sample for sample in samples])
    return DTYPE_OF["bf16"] if result == _FLOAT16 else _SPECS[result]


_PROMOTE: Final[Mapping[tuple[DType, DType], DType]] = {(a, b): _common([a, b]) for a in DTYPES for b in DTYPES}


def promote(a: DType, b: DType) -> DType:
    """Return the dtype that holds both ("Type promotion rules").

    Mixed kinds, which the standard leaves open, give the same dtypes as in NumPy; no pair fails.
    """
    return _PROMOTE[a, b]


# They stand for weak Python scalars of each type in a call of NumPy; their values do not matter.
_WEAK: Final[Mapping[type, bool | int | float | complex]] = {bool: False, int: 0, float: 0.0, complex: 0j}


def result_type(*operands: object) -> DType:
    """Return the dtype of an operation on ``operands``: dtypes, and Python scalars or their types.

    bool, int, float and complex (types or values) are weak: together with an array's dtype they only raise its kind
    ("Mixing arrays with Python scalars"), so float with float32 gives float32, float with int8 the default float64, and
    complex with float32 complex64. Scalars alone give the default dtype of the highest kind. A NumPy scalar counts as
    its dtype. TypeError for no operands and for other objects.
    """
    # By type alone, NumPy's dtypes too (Float32DType): this is asked for every node of a graph.
    kinds = tuple(map(type, operands))
    if type in kinds:
        kinds = tuple(each if isinstance(each, type) else type(each) for each in operands)
    return _result_type(*kinds)


@lru_cache(maxsize=4096)
def _result_type(*kinds: type) -> DType:
    if not kinds:
        raise TypeError("result_type: at least one array, dtype or Python scalar is needed")
    return _common([_sample(kind) for kind in kinds])


def _sample(kind: type) -> object:
    """Return the operand for NumPy that stands for a type: a dtype, or a weak scalar."""
    if issubclass(kind, np.dtype):
        return as_dtype(kind.type)
    if not issubclass(kind, np.generic):  # numpy.float64 is a float, yet not weak
        for weak, value in _WEAK.items():
            if issubclass(kind, weak):
                return value
    return as_dtype(kind)


def can_cast(from_: DType, to: DType) -> bool:
    """Return whether promotion leads from one dtype to the other ("Data type functions": can_cast)."""
    return _PROMOTE[from_, to] == to


def isdtype(dtype: DType, kind: object) -> bool:
    """Return whether ``dtype`` is of a kind ("Data type functions": isdtype).

    ``kind``: a name of the standard (a key of `KINDS`), a dtype, or a tuple of kinds, of any of them.
    ValueError for an unknown name, TypeError for an object that is neither name nor dtype.
    """
    if isinstance(kind, tuple):
        # A list, not a generator: every member is checked, whichever holds first.
        return any([isdtype(dtype, each) for each in kind])
    if isinstance(kind, str):
        if kind not in KINDS:
            allowed = ", ".join(map(repr, KINDS))
            raise ValueError(f"isdtype: unknown kind {kind!r}; allowed are {allowed}")
        return dtype in KINDS[kind]
    return dtype == as_dtype(kind)


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a real floating dtype ("Data type functions": finfo)."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype ("Data type functions": iinfo)."""

    bits: int
    max: int
    min: int
    dtype: DType


@cache
def finfo(dtype: DType) -> FloatInfo:
    """Return limits of a floating dtype, or of the components of a complex one. ValueError for others."""
    real = COMPONENT.get(dtype, dtype)
    if real not in REAL_FLOATING:
        raise ValueError(f"finfo: {dtype} is not a floating-point dtype; for the limits of integers, call iinfo")
    info = _limits(real)
    return FloatInfo(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=real,
    )


def _limits(real: DType) -> Any:
    """Return the limits of a real floating dtype, from NumPy or ml_dtypes."""
    finfo: Any = ml_dtypes.finfo if real in BFLOAT16 else np.finfo
    return finfo(real)


@cache
def iinfo(dtype: DType) -> IntegerInfo:
    """Return limits of an integer dtype. ValueError for others."""
    if dtype not in INTEGRAL:
        raise ValueError(f"iinfo: {dtype} is not an integer dtype; for the limits of floating-point dtypes, call finfo")
    info = np.iinfo(dtype)
    return IntegerInfo(bits=int(info.bits), max=int(info.max), min=int(info.min), dtype=dtype)


# --- casts ---------------------------------------------------------------------------------------
# One rule for numbers that a dtype does not hold, in all functions:
#
# * a number, Python's or a NumPy scalar, alone or in a list, loses its fraction in an integer dtype; one that the
#   dtype does not hold raises OverflowError, infinity too, and NaN ValueError;
# * elements of arrays, also of those without dimensions, never raise: those of floating-point dtypes lose their
#   fraction and saturate, and NaN gives 0; those of integer dtypes wrap, so their low bits remain;
# * a complex number does not become a real one (TypeError); numbers other than 0 become True;
# * numbers beyond the largest floating-point number become infinity.
#
# `fit` has the rule for a number, `cast` for host arrays, and ``functions/cast.c`` for arrays on devices.

_LIMITS: Final[Mapping[DType, tuple[int, int]]] = {
    dtype: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in INTEGRAL
}


class NoValueError(ValueError):
    """The error of a call without a value, for which NumPy's function of the same name must not be called instead."""


def fit(value: Any, dtype: DType) -> Any:
    """Return the Python scalar that a Python or NumPy scalar becomes in a dtype, by the rule of casts.

    >>> fit(2.7, DTYPE_OF["i8"]), fit(np.int64(3), DTYPE_OF["f32"]), fit(0.1, DTYPE_OF["b8"])
    (2, 3.0, True)

    OverflowError for a number that an integer dtype does not hold, and for a Python integer above the largest float64;
    ValueError for NaN in an integer dtype; TypeError for a complex number where ``dtype`` is neither complex nor bool.
    """
    limits = _LIMITS.get(dtype)
    if limits is not None:
        low, high = limits
        if type(value) is int and low <= value <= high:
            return value
        return _fit_integer(value, dtype, low, high)
    if dtype in BOOLEAN:
        return bool(value)
    if dtype in REAL_FLOATING:
        if isinstance(value, complex | np.complexfloating):
            raise _no_real(dtype)
        return _rounded(value, dtype)
    value = complex(value)
    part = COMPONENT[dtype]
    return complex(_rounded(value.real, part), _rounded(value.imag, part))


def _fit_integer(value: Any, dtype: DType, low: int, high: int) -> int:
    if isinstance(value, complex | np.complexfloating):
        raise _no_real(dtype)
    if value != value:
        raise NoValueError(
            f"{dtype} has no NaN; allowed: {low} ... {high}; replace NaN first, or use a floating-point dtype"
        )
    try:
        whole = int(value)
    except OverflowError:  # infinity
        whole = high + 1
    if not low <= whole <= high:
        raise OverflowError(
            f"number {_shown(value)} is out of bounds for {dtype}: {low} ... {high}; "
            f"use a {'wider' if -(2**63) <= whole < 2**64 else 'floating-point'} dtype, for example with astype"
        )
    return whole


def holds(value: Any, dtype: DType) -> bool:
    """Return whether a dtype holds a Python or NumPy scalar exactly.

    >>> holds(2, DTYPE_OF["u8"]), holds(2.5, DTYPE_OF["u8"]), holds(0.1, DTYPE_OF["f32"])
    (True, False, False)
    """
    try:
        kept = fit(value, dtype)
    except (TypeError, ValueError, OverflowError):
        return False
    return bool(kept == value or (kept != kept and value != value))


def _shown(value: Any) -> str:
    """Return a number for a message; Python does not write very long integers."""
    many = isinstance(value, int) and value.bit_length() >= 256
    return f"of {value.bit_length()} bits" if many else str(value)


def _rounded(value: Any, dtype: DType) -> float:
    """Return the nearest number of a floating-point dtype."""
    try:
        number = float(value)
    except OverflowError:
        limit = _limits(dtype).max
        raise OverflowError(f"Python integer {_shown(value)} is out of bounds for {dtype}: up to {limit}") from None
    if dtype.itemsize == 8:
        return number
    if dtype.itemsize == 4:
        return c_float(number).value
    with np.errstate(over="ignore"):
        return float(cast(np.asarray(number), dtype))


def cast(host: HostArray, dtype: DType) -> HostArray:
    """Return a host array in another dtype, by the rule of casts; itself where it has that dtype.

    TypeError for complex numbers where ``dtype`` is neither complex nor bool.
    """
    if host.dtype == dtype:
        return host
    check_cast(host.dtype, dtype)
    with np.errstate(all="ignore"):
        result = (_rounded_to_odd(host) if dtype in BFLOAT16 else host).astype(dtype)
        limits = _LIMITS.get(dtype)
        if host.dtype in REAL_FLOATING and limits is not None:
            # A limit that the floating-point dtype lacks is rounded outwards, where no number lies.
            low, high = np.asarray(limits, host.dtype)
            result = np.where(host >= high, limits[1], np.where(host > low, result, limits[0]))
            result = np.where(host != host, 0, result).astype(dtype)
    return result


def _rounded_to_odd(host: HostArray) -> HostArray:
    """Return numbers as float32 for a second rounding, to bfloat16, which takes the first one into account.

    Numbers that float32 does not hold are rounded towards zero, and then their last bits are set. Source: S. Boldo and
    G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    """
    if np.can_cast(host.dtype, _FLOAT32):
        return host
    if host.dtype in INTEGRAL:
        size = np.abs(host.astype(np.int64)).astype(np.uint64) if host.dtype in SIGNED else host.astype(np.uint64)
        nearest = size.astype(_FLOAT32)
        inside = nearest < 2.0**64
        back = np.where(inside, nearest, 0).astype(np.uint64)
        inexact, above = inside & (back != size), back > size
    else:
        size = np.abs(host)
        nearest = size.astype(_FLOAT32)
        inexact, above = np.isfinite(size) & (nearest != size), nearest > size
    odd = (nearest.view(np.uint32) - (inexact & above)).astype(np.uint32) | inexact
    result: HostArray = np.copysign(odd.astype(np.uint32).view(_FLOAT32), np.where(host < 0, -1, 1))
    return result


def check_cast(source: DType, target: DType) -> None:
    """Raise TypeError for a cast from complex numbers to a dtype that is neither complex nor bool."""
    if source in COMPLEX_FLOATING and target not in COMPLEX_FLOATING | BOOLEAN:
        raise _no_real(target)


def _no_real(dtype: DType) -> TypeError:
    return TypeError(
        f"cast to {dtype}: got a complex number; allowed: real numbers; take real(), imag() or abs() first"
    )
