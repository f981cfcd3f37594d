"""The 14 dtypes: names, kinds, promotion and limits.

A dtype is a native `numpy.dtype`; the public namespace offers NumPy's scalar types: ``xp.float32``
is ``numpy.float32``. Sources: the standard's chapters "Data types", "Type promotion rules" and
"Data type functions"; where the standard leaves mixed kinds open, NumPy 2 decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import c_float
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

DType: TypeAlias = np.dtype[Any]

_NAMES: Final = {
    "b8": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}

# The short names that stand in kernels, and back.
DTYPE_OF: Final[Mapping[str, DType]] = {short: np.dtype(name) for short, name in _NAMES.items()}
SHORT: Final[Mapping[DType, str]] = {dtype: short for short, dtype in DTYPE_OF.items()}
DTYPES: Final[tuple[DType, ...]] = tuple(SHORT)


def _kind(letters: str) -> frozenset[DType]:
    return frozenset(dtype for dtype in DTYPES if dtype.kind in letters)


BOOLEAN: Final = _kind("b")
SIGNED: Final = _kind("i")
UNSIGNED: Final = _kind("u")
INTEGRAL: Final = _kind("iu")
REAL_FLOATING: Final = _kind("f")
COMPLEX_FLOATING: Final = _kind("c")
REAL: Final = _kind("iuf")
NUMERIC: Final = _kind("iufc")

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

# The dtype of the real and imaginary parts.
COMPONENT: Final[Mapping[DType, DType]] = {
    DTYPE_OF["c64"]: DTYPE_OF["f32"],
    DTYPE_OF["c128"]: DTYPE_OF["f64"],
}

# What a device without float64 has in the place of a dtype to which promotion leads.
NARROWER: Final[Mapping[DType, DType]] = {
    DTYPE_OF["f64"]: DTYPE_OF["f32"],
    DTYPE_OF["c128"]: DTYPE_OF["c64"],
}

# The dtype of sum, prod and the cumulative functions when none is asked for.
ACCUMULATOR: Final[Mapping[DType, DType]] = {
    dtype: DTYPE_OF[{"b": "i64", "i": "i64", "u": "u64"}.get(dtype.kind, short)]
    for dtype, short in SHORT.items()
}


def defaults(has_float64: bool) -> Mapping[str, DType]:
    """Default dtypes of a device, by the standard's names ("Inspection": default_dtypes)."""
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
    # By NumPy's type codes: two of its C integers have the same width, and both scalar types count.
    **{np.dtype(code).type: DTYPES[DTYPES.index(np.dtype(code))] for code in "?bhilqBHILQefdFD"},
}

_ALLOWED: Final = (
    f"allowed are {', '.join(_NAMES.values())}, as a numpy.dtype, a scalar type or a name"
)


def as_dtype(spec: object) -> DType:
    """The native dtype that ``spec`` names.

    ``spec``: a numpy dtype of any byte order, a NumPy scalar type, a name as NumPy reads it
    ("float32"; "f4" counts bytes, unlike our short names), or one of the Python types bool, int,
    float, complex. TypeError for anything else, None included.
    """
    try:
        return _SPECS[spec]
    except (KeyError, TypeError):
        return _unusual_dtype(spec)


def _unusual_dtype(spec: object) -> DType:
    # Only dtypes and names: NumPy would read None as float64 and foreign classes as object.
    try:
        dtype = np.dtype(spec) if isinstance(spec, np.dtype | str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    native = None if dtype is None else _SPECS.get(dtype.newbyteorder("="))
    if native is None:
        raise TypeError(f"not a dtype of this library: {spec!r}; {_ALLOWED}")
    return native


_PROMOTE: Final[Mapping[tuple[DType, DType], DType]] = {
    (a, b): _SPECS[np.promote_types(a, b)] for a in DTYPES for b in DTYPES
}


def promote(a: DType, b: DType) -> DType:
    """The dtype that holds both ("Type promotion rules").

    Mixed kinds, which the standard leaves open, are as in NumPy; no pair fails.
    """
    return _PROMOTE[a, b]


# What stands for a weak Python scalar of each type in a call of NumPy: its value never matters.
_WEAK: Final[Mapping[type, bool | int | float | complex]] = {
    bool: False,
    int: 0,
    float: 0.0,
    complex: 0j,
}


def result_type(*operands: object) -> DType:
    """The dtype of an operation on ``operands``: dtypes, and Python scalars or their types.

    bool, int, float and complex (types or values) are weak: beside an array's dtype they only raise
    its kind ("Mixing arrays with Python scalars"), so float with float32 gives float32, float with
    int8 the default float64, and complex with float32 complex64. Scalars alone give the default
    dtype of the highest kind. A NumPy scalar counts as its dtype. TypeError for no operands and for
    anything else.
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
    samples: list[Any] = [_sample(kind) for kind in kinds]
    return _SPECS[np.result_type(*samples)]


def _sample(kind: type) -> object:
    """What makes NumPy see an operand of a type: a dtype, or a weak scalar."""
    if issubclass(kind, np.dtype):
        return as_dtype(kind.type)
    if not issubclass(kind, np.generic):  # numpy.float64 is a float, yet not weak
        for weak, value in _WEAK.items():
            if issubclass(kind, weak):
                return value
    return as_dtype(kind)


def can_cast(from_: DType, to: DType) -> bool:
    """Whether promotion leads from one dtype to the other ("Data type functions": can_cast)."""
    return _PROMOTE[from_, to] == to


def isdtype(dtype: DType, kind: object) -> bool:
    """Whether ``dtype`` is of a kind ("Data type functions": isdtype).

    ``kind``: a name of the standard (a key of `KINDS`), a dtype, or a tuple of kinds, any of which
    may hold. ValueError for an unknown name, TypeError for what is neither name nor dtype.
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
    """Limits of a floating dtype; of its components for a complex one. ValueError for others."""
    real = COMPONENT.get(dtype, dtype)
    if real not in REAL_FLOATING:
        raise ValueError(f"finfo: {dtype} is no dtype of real or complex floating kind")
    info = np.finfo(real)
    return FloatInfo(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=real,
    )


@cache
def iinfo(dtype: DType) -> IntegerInfo:
    """Limits of an integer dtype. ValueError for others."""
    if dtype not in INTEGRAL:
        raise ValueError(f"iinfo: {dtype} is no dtype of signed or unsigned integer kind")
    info = np.iinfo(dtype)
    return IntegerInfo(bits=int(info.bits), max=int(info.max), min=int(info.min), dtype=dtype)


# --- casts ---------------------------------------------------------------------------------------
# The one rule for numbers that a dtype does not hold, whichever function they come through:
#
# * a Python integer that an integer dtype does not hold raises OverflowError;
# * a floating-point number, Python's too, loses its fraction and saturates, and NaN gives 0;
# * integer arrays and NumPy's integer scalars wrap: they keep their low bits;
# * a complex number becomes no real one (TypeError); whatever is not 0 becomes True;
# * beyond the largest floating-point number there is infinity.
#
# `fit` holds it for one number and `cast` for host arrays; ``functions/cast.c`` for arrays on devices.

_LIMITS: Final[Mapping[DType, tuple[int, int]]] = {
    dtype: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in INTEGRAL
}


def fit(value: Any, dtype: DType) -> Any:
    """A Python or NumPy scalar as the Python scalar that is exact in a dtype, by the rule of casts.

    >>> fit(2.7, DTYPE_OF["i8"]), fit(1e9, DTYPE_OF["i8"]), fit(np.int64(300), DTYPE_OF["i8"])
    (2, 127, 44)

    OverflowError for a Python integer that ``dtype`` does not hold; TypeError for a complex number
    where ``dtype`` is neither complex nor bool.
    """
    limits = _LIMITS.get(dtype)
    if limits is not None:
        low, high = limits
        if type(value) is int and low <= value <= high:
            return value
        return _fit_integer(value, dtype, low, high)
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind == "f":
        if isinstance(value, complex | np.complexfloating):
            raise _no_real(dtype)
        return _rounded(value, dtype)
    value = complex(value)
    part = COMPONENT[dtype]
    return complex(_rounded(value.real, part), _rounded(value.imag, part))


def _fit_integer(value: Any, dtype: DType, low: int, high: int) -> int:
    if isinstance(value, float | np.floating):
        number = float(value)
        if number != number:
            return 0
        return low if number <= low else high if number >= high else int(number)
    if isinstance(value, complex | np.complexfloating):
        raise _no_real(dtype)
    if isinstance(value, np.integer):
        return (int(value) - low) % (high - low + 1) + low
    if not low <= value <= high:
        raise OverflowError(
            f"Python integer {_shown(value)} is out of bounds for {dtype}: {low} ... {high}; "
            "use a wider dtype, for example with astype"
        )
    return int(value)


def _shown(value: int) -> str:
    """An integer for a message; Python writes no very long ones."""
    return str(value) if value.bit_length() < 256 else f"of {value.bit_length()} bits"


def _rounded(value: Any, dtype: DType) -> float:
    """A real number as the nearest one of a floating-point dtype."""
    try:
        number = float(value)
    except OverflowError:
        limit = np.finfo(dtype).max
        raise OverflowError(f"Python integer {_shown(value)} is out of bounds for {dtype}: up to {limit}") from None
    if dtype.itemsize == 8:
        return number
    if dtype.itemsize == 4:
        return c_float(number).value
    with np.errstate(over="ignore"):
        return float(np.float16(number))


def cast(host: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """A host array in another dtype, by the rule of casts; itself where it has that dtype.

    TypeError for complex numbers where ``dtype`` is neither complex nor bool.
    """
    if host.dtype == dtype:
        return host
    check_cast(host.dtype, dtype)
    with np.errstate(all="ignore"):
        result = host.astype(dtype)
        limits = _LIMITS.get(dtype)
        if host.dtype.kind == "f" and limits is not None:
            # A limit that the floating-point dtype lacks is rounded outwards, where no number lies.
            low, high = np.asarray(limits, host.dtype)
            result = np.where(host >= high, limits[1], np.where(host > low, result, limits[0]))
            result = np.where(host != host, 0, result).astype(dtype)
    return result


def check_cast(source: DType, target: DType) -> None:
    """Raise TypeError for a cast from complex numbers to a dtype that is neither complex nor bool."""
    if source.kind == "c" and target.kind not in "cb":
        raise _no_real(target)


def _no_real(dtype: DType) -> TypeError:
    return TypeError(
        f"cast to {dtype}: got a complex number; allowed: real numbers; take real(), imag() or abs() first"
    )
