"""T25: a number beside an array, in every public function that takes both, is NumPy's number.

A case is a form (a call with an array and a number), a dtype and a hard number. The same call is made with our array
and with NumPy's. Values and dtypes must be equal, floats within a few ulps; where one side raises, the other must, with
an error of the same kind. Where this library deliberately does something else, `RULES` says what and why.
"""

from __future__ import annotations

import inspect
import math
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.names import RENAMED
from arrayapi_gpu.backends.base import Device

from .row import Budget, HostArray, Outcome

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
SMALL = ("bool", "int8", "int16", "uint8", "uint16")  # of which NumPy's functions of floats make float16 and float32
IN_KERNELS = 10  # one of so many cases is computed by kernels, the others by NumPy where `small_on_host` has it


def _limits() -> Iterator[int]:
    """The limits of the integer dtypes, and their neighbours outside."""
    for dtype in DTYPES[1:9]:
        info = np.iinfo(dtype)
        yield from (info.min, info.min - 1, info.max, info.max + 1)


NUMBERS: tuple[Any, ...] = (
    *sorted({0, 1, 2, 3, -1, -2, 7, 300, 2**53, 2**53 + 1, 2**70, -(2**70), 10**400, *map(int, _limits())}),
    True, False, 0.0, -0.0, 0.5, 2.5, -1.5, 255.5, 1e-310, 1e39, -1e300, 2.0**53, 2.0**63, 2.0**64, math.nan, math.inf,
    -math.inf, 1j, 2.5 + 1j, complex(math.nan, math.inf),
    np.bool_(True), np.int8(-1), np.int16(300), np.int32(2), np.int64(-1), np.int64(2**53 + 1), np.int64(2**63 - 1),
    np.uint8(200), np.uint32(2**32 - 1), np.uint64(3), np.uint64(2**63), np.uint64(2**64 - 1), np.float16(2.5),
    np.float16(math.inf), np.float32(0.1), np.float32(3e9), np.float64(2.5), np.float64(300), np.float64(math.nan),
    np.float64(-math.inf), np.complex64(1 + 2j), np.complex128(2),
)  # fmt: skip


class Form(NamedTuple):
    """A call with an array and a number. ``call`` takes the module, `arrayapi_gpu` or `numpy`, the array and the
    number; ``kinds``: the kinds of dtypes that it is for; ``name``: of the function, for the table."""

    text: str
    name: str
    call: Callable[[Any, Any, Any], Any]
    kinds: str = "biufc"


class Case(NamedTuple):
    """A form, a dtype and a number."""

    form: Form
    dtype: str
    number: Any

    def __str__(self) -> str:
        return f"{self.form.text} where x = {example(self.dtype).tolist()!r} of {self.dtype}, n = {shown(self.number)}"


def shown(number: Any) -> str:
    """A number in Python; Python writes no very long ones."""
    return "10**400" if isinstance(number, int) and number > 2**200 else repr(number)


def example(dtype: str) -> HostArray:
    """A few elements of a dtype, the hardest that it holds, in order and NaN last."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray([False, True, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        wide = [2**53, 2**53 + 1] if info.bits == 64 else []
        return np.asarray([info.min, *([-2, -1] if info.min else []), 0, 1, 2, 3, *wide, info.max - 1, info.max], dtype)
    reals = [-math.inf, -1.5, -0.0, 0.5, 1, 2.5, 300, 60000, math.inf, math.nan]
    if kind == "f":
        return np.asarray(reals, dtype)
    return np.asarray([0, -1.5, 2.5, 1j, 3 - 2j, 300], dtype)


# --- forms -----------------------------------------------------------------------------------------------------------

_SIGNS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_IN_PLACE = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "//=": operator.ifloordiv,
    "%=": operator.imod, "**=": operator.ipow, "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor,
    "<<=": operator.ilshift, ">>=": operator.irshift,
}  # fmt: skip


def _operators() -> Iterator[Form]:
    """Operators, reflected, in place, and with a list and a tuple."""
    for sign, function in _SIGNS.items():
        yield Form(f"x {sign} n", sign, lambda m, x, n, f=function: f(x, n))  # type: ignore[misc]
        yield Form(f"n {sign} x", sign, lambda m, x, n, f=function: f(n, x))  # type: ignore[misc]
        yield Form(f"x {sign} [n]", sign, lambda m, x, n, f=function: f(x, [n]))  # type: ignore[misc]
        yield Form(f"(n, n, n) {sign} x[:3]", sign, lambda m, x, n, f=function: f((n, n, n), x[:3]))  # type: ignore[misc]
    for sign, function in _IN_PLACE.items():
        yield Form(f"x {sign} n", sign, lambda m, x, n, f=function: f(m.asarray(x, copy=True), n))  # type: ignore[misc]
        yield Form(f"x {sign} [n]", sign, lambda m, x, n, f=function: f(m.asarray(x, copy=True), [n]))  # type: ignore[misc]
    yield Form("divmod(x, n)", "divmod", lambda m, x, n: divmod(x, n))
    yield Form("divmod(n, x)", "divmod", lambda m, x, n: divmod(n, x))


# Ufuncs of NumPy's with two operands that are no operations of elements alike.
_OTHER_UFUNCS = frozenset(("matmul", "matvec", "vecdot", "vecmat", "divmod"))


def _ufuncs() -> Iterator[Form]:
    """NumPy's ufuncs of two operands, on our arrays, and our functions of their names."""
    for name, ufunc in sorted(vars(np).items()):
        if not isinstance(ufunc, np.ufunc) or ufunc.nin != 2 or ufunc.__name__ != name or name in _OTHER_UFUNCS:
            continue
        yield Form(f"np.{name}(x, n)", name, lambda m, x, n, f=ufunc: f(x, n))  # type: ignore[misc]
        yield Form(f"np.{name}(n, x)", name, lambda m, x, n, f=ufunc: f(n, x))  # type: ignore[misc]
        yield Form(f"np.{name}.outer(x, n)", name, lambda m, x, n, f=ufunc: f.outer(x, n))  # type: ignore[misc]
        ours = RENAMED.get(name, name)
        if ours in xp.__all__:
            yield Form(f"xp.{ours}(x, n)", ours, lambda m, x, n, f=ours, g=name: getattr(m, f if m is xp else g)(x, n))  # type: ignore[misc]
            yield Form(f"xp.{ours}(n, x)", ours, lambda m, x, n, f=ours, g=name: getattr(m, f if m is xp else g)(n, x))  # type: ignore[misc]


def _written(key: Callable[[Any], Any], wrap: Callable[[Any], Any] = lambda n: n) -> Callable[[Any, Any, Any], Any]:
    def call(m: Any, x: Any, n: Any) -> Any:
        y = m.asarray(x, copy=True)
        y[key(m)] = wrap(n)
        return y

    return call


def _changed(change: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """A function that writes into its array."""

    def call(m: Any, x: Any, n: Any) -> Any:
        y = m.asarray(x, copy=True)
        change(m, y, n)
        return y

    return call


def _mask(m: Any, x: Any) -> Any:
    return m.asarray([True, False] * len(x))[: len(x)]


def _both(text: str, name: str, call: Callable[[Any, Any, Any], Any], kinds: str = "biufc") -> list[Form]:
    """A call of a function by its name here and in NumPy: ``m.f`` is ours, or NumPy's; and ``np.f`` of our array."""
    return [
        Form(f"xp.{text}", name, call, kinds),
        Form(f"np.{text}", name, lambda m, x, n: call(_numpy_door(m), x, n), kinds),
    ]


class _Door:
    """NumPy's functions, but for those that make arrays, which are ours."""

    def __getattr__(self, name: str) -> Any:
        return getattr(xp if name in ("asarray", "full", "linspace") else np, name)


def _numpy_door(m: Any) -> Any:
    return _DOOR if m is xp else np


_DOOR = _Door()


def _assignments() -> list[Form]:
    """Keys of every kind, and what else writes a number."""
    forms = {
        "x[1] = n": _written(lambda m: 1),
        "x[1:3] = n": _written(lambda m: slice(1, 3)),
        "x[::2] = n": _written(lambda m: slice(None, None, 2)),
        "x[...] = n": _written(lambda m: ...),
        "x[[0, 2]] = n": _written(lambda m: [0, 2]),
        "x[array] = n": _written(lambda m: m.asarray([0, 2])),
        "x[None, 1] = n": _written(lambda m: (None, 1)),
        "x[:2] = [n, 1]": _written(lambda m: slice(2), lambda n: [n, 1]),
        "x[[0, 2]] = (n, n)": _written(lambda m: [0, 2], lambda n: (n, n)),
        "x[:1] = [n]": _written(lambda m: slice(1), lambda n: [n]),
        "x[x == x] = n": _changed(lambda m, y, n: y.__setitem__(y == y, n)),
        "x[mask] = n": _changed(lambda m, y, n: y.__setitem__(_mask(m, y), n)),
        "x.fill(n)": _changed(lambda m, y, n: y.fill(n)),
    }
    return [Form(text, "setitem", call) for text, call in forms.items()]


def _functions() -> list[Form]:
    """The functions of which no other table knows."""
    real = "biuf"
    flat = np.asarray([0, 1, 2, 2, 5])
    return [
        *_both("where(mask, x, n)", "where", lambda m, x, n: m.where(_mask(m, x), x, n)),
        *_both("where(mask, n, x)", "where", lambda m, x, n: m.where(_mask(m, x), n, x)),
        *_both("clip(x, n, None)", "clip", lambda m, x, n: m.clip(x, n, None), real),
        *_both("clip(x, None, n)", "clip", lambda m, x, n: m.clip(x, None, n), real),
        *_both("clip(x, n, n)", "clip", lambda m, x, n: m.clip(x, n, n), real),
        *_both("searchsorted(x, n)", "searchsorted", lambda m, x, n: m.searchsorted(x, n), real),
        *_both(
            "searchsorted(x, n, side='right')", "searchsorted", lambda m, x, n: m.searchsorted(x, n, side="right"), real
        ),
        *_both("diff(x, prepend=n)", "diff", lambda m, x, n: m.diff(x, prepend=n)),
        *_both("diff(x, append=n)", "diff", lambda m, x, n: m.diff(x, append=n)),
        *_both("isin(x, n)", "isin", lambda m, x, n: m.isin(x, n)),
        *_both("isin(n, x)", "isin", lambda m, x, n: m.isin(n, x)),
        *_both("full_like(x, n)", "full_like", lambda m, x, n: m.full_like(x, n)),
        Form("full(2, n, dtype=x.dtype)", "full", lambda m, x, n: m.full((2,), n, dtype=x.dtype)),
        Form("full(2, n)", "full", lambda m, x, n: m.full((2,), n)),
        Form("asarray(n, dtype=x.dtype)", "asarray", lambda m, x, n: m.asarray(n, dtype=x.dtype)),
        Form("asarray([n, 1], dtype=x.dtype)", "asarray", lambda m, x, n: m.asarray([n, 1], dtype=x.dtype)),
        *_both("pad(x, 1, constant_values=n)", "pad", lambda m, x, n: m.pad(x, 1, constant_values=n)),
        *_both("insert(x, 1, n)", "insert", lambda m, x, n: m.insert(x, 1, n)),
        Form("np.append(x, n)", "append", lambda m, x, n: np.append(x, n)),
        *_both(
            "histogram(small, bins=n)",
            "histogram",
            lambda m, x, n: m.histogram(m.asarray(flat), bins=n if abs(n) < 1000 or n != n else 1000.5),
            "b",
        ),
        *_both(
            "histogram(small, range=(0, n))",
            "histogram",
            lambda m, x, n: m.histogram(m.asarray(flat), range=(0, n)),
            "b",
        ),
        Form(
            "np.digitize(x, [0, n])", "digitize", lambda m, x, n: np.digitize(x, m.asarray([0.0, 2.0])) + (n != n), real
        ),
        *_both(
            "interp(x, points, values, left=n)",
            "interp",
            lambda m, x, n: m.interp(x, m.asarray([0.0, 1, 2]), m.asarray([1.0, 5, 6]), left=n),
            real,
        ),
        *_both(
            "interp(x, points, values, right=n)",
            "interp",
            lambda m, x, n: m.interp(x, m.asarray([0.0, 1, 2]), m.asarray([1.0, 5, 6]), right=n),
            real,
        ),
        Form("linspace(0, n, 3)", "linspace", lambda m, x, n: m.linspace(0, n, 3), "b"),
        Form("linspace(n, 1, 3)", "linspace", lambda m, x, n: m.linspace(n, 1, 3), "b"),
        Form("np.nan_to_num(x, nan=n)", "nan_to_num", lambda m, x, n: np.nan_to_num(x, nan=n), "f"),
        Form("np.nan_to_num(x, posinf=n)", "nan_to_num", lambda m, x, n: np.nan_to_num(x, posinf=n), "f"),
        *_both("trapezoid(x, dx=n)", "trapezoid", lambda m, x, n: m.trapezoid(x, dx=n), "f"),
        *_both("gradient(small, n)", "gradient", lambda m, x, n: m.gradient(m.asarray(flat * 1.0), n), "b"),
        *_both("quantile(small, n)", "quantile", lambda m, x, n: m.quantile(m.asarray(flat * 1.0), n), "b"),
        *_both("nanquantile(small, n)", "quantile", lambda m, x, n: m.nanquantile(m.asarray(flat * 1.0), n), "b"),
        Form("np.array_equal(x, n)", "array_equal", lambda m, x, n: np.array_equal(x[:1], n)),
        Form("np.allclose(x, n)", "isclose", lambda m, x, n: np.allclose(x, n), real),
        Form("np.isclose(x, n)", "isclose", lambda m, x, n: np.isclose(x, n), real),
        Form("np.copyto(x, n)", "copyto", _changed(lambda m, y, n: np.copyto(y, n))),
        Form("np.put(x, [1], n)", "put", _changed(lambda m, y, n: np.put(y, [1], n))),
        Form("np.select([mask], [x], n)", "select", lambda m, x, n: np.select([_mask(m, x)], [x], n)),
        Form("np.choose([0, 1], [x[:2], n])", "select", lambda m, x, n: np.choose(m.asarray([0, 1]), [x[:2], n])),
        Form("np.putmask(x, mask, n)", "put", _changed(lambda m, y, n: np.putmask(y, _mask(m, y), n))),
        Form("np.add.at(x, [0, 0], n)", "add_at", _changed(lambda m, y, n: np.add.at(y, m.asarray([0, 0]), n)), "iuf"),
        Form("np.sum(x, initial=n)", "sum", lambda m, x, n: np.sum(x[1:4], initial=n)),
        Form("np.max(x, initial=n)", "max", lambda m, x, n: np.max(x, initial=n), real),
    ]


def forms() -> list[Form]:
    """All forms."""
    return [*_operators(), *_ufuncs(), *_assignments(), *_functions()]


# Public functions with a parameter that takes a number, which no form has, and why.
LEFT_OUT = {
    "arange": "its numbers are no neighbours of an array; tests/api/standard/test_creation_functions.py",
    "logspace": "linspace, and pow",
    "einsum": "optimize is no number", "from_dlpack": "no number", "from_host": "no number",
    "from_gpudata": "no number", "benchmark": "it takes a function",
    "argpartition": "kth is a place", "partition": "kth is a place", "delete": "obj is a place",
    "nanstd": "ddof is no element", "nanvar": "ddof is no element", "std": "correction is no element",
    "var": "correction is no element",
    "can_cast": "dtypes", "finfo": "a dtype", "iinfo": "a dtype", "isdtype": "a dtype",
    "result_type": "dtypes", "empty": "a shape", "empty_like": "a shape", "ones": "a shape", "ones_like": "a shape",
    "zeros": "a shape", "zeros_like": "a shape", "add_at": "np.add.at", "put_along_axis": "as setitem by indices",
    "nanquantile": "quantile",
}  # fmt: skip


def unlisted() -> set[str]:
    """The public functions with a parameter that takes a number, which are in no table."""
    known = {form.name for form in forms()} | LEFT_OUT.keys()
    found = set()
    for name in xp.__all__:
        function = getattr(xp, name)
        if not inspect.isfunction(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            kind = str(parameter.annotation)
            if parameter.name not in ("dtype", "device") and any(word in kind for word in ("float", "complex", "Any")):
                found.add(name)
    return found - known


# --- what is done otherwise on purpose -------------------------------------------------------------------------------


def beyond(n: Any, dtype: str) -> bool:
    """Whether an integer dtype cannot hold a real number."""
    kind = np.dtype(dtype).kind
    if kind not in "iu" or isinstance(n, (complex, np.complexfloating)):
        return False
    if isinstance(n, (float, np.floating)) and not math.isfinite(n):
        return True
    info = np.iinfo(dtype)
    return not info.min <= int(n) <= info.max


def promoted(dtype: str) -> str:
    """Return the result dtype of an array of ``dtype`` and a Python integer."""
    return "int64" if dtype == "bool" else dtype


def summed(dtype: str) -> str:
    """Return the dtype of a sum of ``dtype``."""
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(np.dtype(dtype).kind, dtype)


def is_long(n: Any) -> bool:
    """Whether a number is a Python integer that neither int64 nor uint64 holds."""
    return isinstance(n, int) and not -(2**63) <= n < 2**64


def is_complex(case: Case) -> bool:
    return case.dtype.startswith("complex") or isinstance(case.number, (complex, np.complexfloating))


def is_integer(case: Case) -> bool:
    """Whether no float is in a case."""
    return case.dtype in DTYPES[:9] and isinstance(case.number, (int, np.integer, np.bool_))


def is_wider(case: Case) -> bool:
    """Whether NumPy's result has another dtype than the array."""
    return is_long(case.number) or bool(np.result_type(np.dtype(case.dtype), case.number) != case.dtype)


def is_negative_integer(n: Any) -> bool:
    return isinstance(n, (int, np.integer)) and bool(n < 0)


REFUSED, GIVEN, OTHER, ERROR = "we raise", "NumPy raises", "another value", "another error"

STORES = frozenset(("setitem", "full", "full_like", "asarray", "pad", "insert"))
ORDERED = frozenset(("<", "<=", ">", ">=", "less", "less_equal", "greater", "greater_equal", "maximum", "minimum"))
COMPARED = frozenset(("==", "!=", "<", "<=", ">", ">=", "equal", "not_equal", "less", "less_equal", "greater",
                      "greater_equal", "logical_and", "logical_or", "logical_xor"))  # fmt: skip
QUOTIENTS = frozenset(("//", "//=", "%", "%=", "divmod", "floor_divide", "remainder", "mod"))
POWERS = frozenset(("**", "**=", "pow", "power"))
SHIFTS = frozenset(("<<", "<<=", "bitwise_left_shift"))
FLOATING = frozenset(("copysign", "hypot", "atan2", "logaddexp", "nextafter", "divide"))
AS_ARRAYS = frozenset(("searchsorted", "diff", "isin", "append", "isclose", "array_equal"))


def name_of(case: Case) -> str:
    return case.form.name


class Rule(NamedTuple):
    """What this library does otherwise: how, for which cases, and why."""

    what: str
    holds: Callable[[Case], bool]
    why: str


RULES: tuple[Rule, ...] = (
    Rule(REFUSED, lambda c: name_of(c) in STORES and beyond(c.number, c.dtype),
         "NumPy casts its own scalars, and Python's in full and pad, in silence"),
    Rule(REFUSED, lambda c: c.form.text == "full(2, n)" and beyond(c.number, "int64"),
         "the default dtype of integers is int64; NumPy makes uint64, or objects"),
    Rule(REFUSED, lambda c: c.dtype == "bool" and isinstance(c.number, (bool, np.bool_)),
         "the standard has no arithmetic of booleans with booleans; NumPy has int8"),
    Rule(REFUSED, lambda c: name_of(c) in STORES and is_complex(c), "NumPy drops imaginary parts of its scalars"),
    Rule(REFUSED, lambda c: name_of(c) in ("copyto", "put") and beyond(c.number, c.dtype),
         "NumPy casts its own scalars in silence"),
    Rule(REFUSED, lambda c: "initial=n" in c.form.text and beyond(c.number, summed(c.dtype) if name_of(c) == "sum"
         else c.dtype), "NumPy casts its own scalars in silence"),
    Rule(REFUSED, lambda c: name_of(c) in ("where", "select", "choose") and beyond(c.number, promoted(c.dtype)),
         "NumPy casts Python's integers in silence"),
    Rule(REFUSED, lambda c: is_long(c.number) and ("n]" in c.form.text or "[n, " in c.form.text or "(n, n"
         in c.form.text or ".outer" in c.form.text or name_of(c) in AS_ARRAYS), "NumPy makes an array of objects"),
    Rule(OTHER, lambda c: is_long(c.number) and (".outer" in c.form.text or name_of(c) == "append"),
         "NumPy makes an array of objects"),
    Rule(ERROR, lambda c: name_of(c) in STORES and is_complex(c), "of NaN, too, the complex number is what is refused"),
    Rule(ERROR, lambda c: name_of(c) == "quantile" and is_complex(c),
         "the error is TypeError; NumPy's depends on the number"),
    Rule(ERROR, lambda c: is_long(c.number), "the error of objects is another one"),
    Rule(REFUSED, lambda c: name_of(c) in ORDERED | {"clip", "max", "fmax", "fmin"} and is_complex(c),
         "the standard has no order of complex numbers"),
    Rule(REFUSED, lambda c: name_of(c) in ("searchsorted", "interp") and is_complex(c),
         "complex numbers have no order"),
    Rule(REFUSED, lambda c: name_of(c) == "gradient" and is_complex(c), "NumPy drops the imaginary part of the result"),
    Rule(REFUSED, lambda c: c.form.text.startswith("xp.") and is_complex(c) and name_of(c) in FLOATING | QUOTIENTS,
         "the standard has these of real numbers"),
    Rule(GIVEN, lambda c: name_of(c) in COMPARED and (c.dtype == "bool" or is_long(c.number) or
                                                  (name_of(c).startswith("logical") and beyond(c.number, "int64"))),
         "NumPy converts Python integers to int64 first; here they are compared, and true or false, as they are"),
    Rule(GIVEN, lambda c: is_long(c.number) and (c.dtype.startswith(("float", "complex")) or name_of(c) == "linspace"),
         "NumPy makes some numbers of this length objects; here they are floats"),
    Rule(GIVEN, lambda c: name_of(c) in STORES and c.dtype == "bool", "what is not 0 is True"),
    Rule(OTHER, lambda c: name_of(c) in POWERS and c.number == 0.5, "NumPy's is sqrt, which is NaN of -inf"),
    Rule(OTHER, lambda c: name_of(c) in POWERS and c.dtype == "bool" and c.number == 2,
         "NumPy's is square, which has int8 of booleans; its power has the dtype of the number"),
    Rule(GIVEN, lambda c: name_of(c) == "clip" and beyond(c.number, c.dtype), "the nearest number is the limit"),
    Rule(OTHER, lambda c: name_of(c) == "isclose" and c.dtype in ("float16", "float32"),
         "NumPy's Python numbers overflow in the precision of the array"),
    Rule(OTHER, lambda c: name_of(c) in ("searchsorted", "isin", "add_at") and c.dtype in ("int64", "uint64")
         and is_integer(c), "int64 beside uint64 is exact; NumPy's are float64"),
    Rule(REFUSED, lambda c: name_of(c) == "histogram" and is_complex(c), "the ends of a range are real"),
    Rule(OTHER, lambda c: name_of(c) == "histogram" and isinstance(c.number, (np.float16, np.float32)),
         "the ends of a range are float64; NumPy's edges are computed in the precision of the range"),
    Rule(GIVEN, lambda c: name_of(c) == "histogram" and beyond(c.number, "int64"),
         "NumPy converts Python integers to int64 first; the ends of a range are floats"),
    Rule(OTHER, lambda c: name_of(c) == "add_at" and c.dtype == "float16" and not isinstance(c.number, np.generic),
         "Python's numbers are float16 here, in which some are infinite"),
    Rule(OTHER, lambda c: name_of(c) == "clip" and is_wider(c), "clip keeps the dtype of x (numerics.md)"),
    Rule(GIVEN, lambda c: name_of(c) in POWERS and is_integer(c),
         "negative powers of integers in arrays are 0; the host does not look"),
    Rule(ERROR, lambda c: name_of(c) in POWERS and is_negative_integer(c.number), "the error is ValueError"),
    Rule(OTHER, lambda c: name_of(c) in QUOTIENTS and not is_integer(c),
         "quotients of floats follow the standard at infinities and zeros"),
    Rule(OTHER, lambda c: c.form.text.startswith("xp.") and name_of(c) in FLOATING and c.dtype in SMALL,
         "integers become float64 in functions of floats; NumPy has float16 and float32 of small ones"),
    Rule(OTHER, lambda c: name_of(c) == "isin" and c.dtype.startswith(("float", "complex")),
         "Python floats are looked for in the precision of the array (standard, mixing arrays with Python scalars)"),
)  # fmt: skip


# --- cases -----------------------------------------------------------------------------------------------------------


def is_endless(case: Case) -> bool:
    """Whether NumPy computes Python's integers of any length, which would fill the memory: no case to compare."""
    return is_long(case.number) and case.form.name in POWERS | SHIFTS


def outcome_of(call: Callable[[], Any]) -> Any:
    """What a call gives, as host arrays in a tuple, or the exception that it raises."""
    try:
        found = call()
    except Exception as error:
        return error
    parts = found if isinstance(found, tuple) else (found,)
    return tuple(part.to_numpy() if isinstance(part, xp.Array) else np.asarray(part) for part in parts)


def kind_of(error: Exception) -> type[Exception]:
    """The kind of an error; of a number that cannot be, OverflowError and ValueError are one."""
    for kind in (TypeError, (ValueError, OverflowError), IndexError):
        if isinstance(error, kind):
            return kind if isinstance(kind, type) else ValueError
    return type(error)


def alike(got: HostArray, right: HostArray, ulps: float) -> bool:
    """Whether values are equal, floats up to so many ulps; of complex numbers, where all parts are finite."""
    if got.shape != right.shape or got.dtype != right.dtype:
        return False
    if right.dtype.kind not in "fc":
        return bool((got == right).all())
    wide = np.result_type(right.dtype, np.float64)
    a, b = got.astype(wide), right.astype(wide)
    limits = np.finfo(right.dtype)
    near = np.abs(a - b) <= ulps * limits.eps * np.abs(b) + 4 * float(limits.smallest_subnormal)
    same = (a == b) | near | ((a != a) & (b != b))
    if right.dtype.kind == "c":
        same |= ~(np.isfinite(a) & np.isfinite(b))
    return bool(same.all())


def ulps_of(case: Case) -> float:
    """Units in the last place by which two good answers may differ. Those of complex powers grow with
    ``|y log x|`` (ACCURACY.md), which is some hundreds here wherever the power is finite."""
    return 4096 if case.form.name in POWERS | {"float_power"} and is_complex(case) else 16


def difference(got: Any, right: Any, ulps: float) -> tuple[str, str] | None:
    """How two outcomes differ, in one of four phrases and in full; None where they do not, floats up to ``ulps``."""
    if isinstance(got, Exception):
        said = f"{type(got).__name__}: {got}"
        if not isinstance(right, Exception):
            return REFUSED, f"{said}; NumPy gives {right}"
        return None if kind_of(got) is kind_of(right) else (ERROR, f"{said}; NumPy: {type(right).__name__}: {right}")
    if isinstance(right, Exception):
        return GIVEN, f"{got}; NumPy: {type(right).__name__}: {right}"
    if len(got) == len(right) and all(alike(a, b, ulps) for a, b in zip(got, right, strict=True)):
        return None
    return OTHER, f"{got} of {[a.dtype.name for a in got]}; NumPy: {right} of {[a.dtype.name for a in right]}"


def cases(seed: int) -> Callable[[int], Case]:
    """The cases by number, in an order in which neighbours have little in common."""
    found = [
        case
        for form in forms()
        for dtype in DTYPES
        if np.dtype(dtype).kind in form.kinds
        for number in NUMBERS
        if not is_endless(case := Case(form, dtype, number))
    ]
    step = next(n for n in range(int(len(found) * 0.618), len(found)) if math.gcd(n, len(found)) == 1)
    return lambda number: found[(seed * 7919 + number) * step % len(found)]


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Make the calls."""
    outcome = Outcome()
    case_of = cases(seed)
    expected = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"), xp.config.set(device=str(device)):
        warnings.simplefilter("ignore")
        theirs = {dtype: example(dtype) for dtype in DTYPES}
        ours = {dtype: xp.asarray(x) for dtype, x in theirs.items()}
        for number in budget:
            case = case_of(number)
            with xp.config.set(small_on_host=number % IN_KERNELS != 0):
                got = outcome_of(lambda: case.form.call(xp, ours[case.dtype], case.number))  # noqa: B023
            right = outcome_of(lambda: case.form.call(np, theirs[case.dtype], case.number))  # noqa: B023
            found = difference(got, right, ulps_of(case))
            if found and any(rule.what == found[0] and rule.holds(case) for rule in RULES):
                expected += 1
            elif found:
                outcome.fault(f"case {number}: {case}: {found[0]}: {found[1]}")
            outcome.done += 1
        for dtype, x in ours.items():
            if not np.array_equal(x.to_numpy(), theirs[dtype], equal_nan=dtype not in ("bool", *DTYPES[1:9])):
                outcome.fault(f"the array of {dtype} was changed: {x}")
    outcome.notes.append(f"{expected} of another outcome than NumPy's on purpose")
    return outcome
