"""Every element-wise function on every dtype it accepts, against NumPy: exact ones bit by bit, others within ulps.

Functions that round are compared with NumPy's in a wider dtype, and are at most 4 ulp (float32), 3 ulp (float64) or
1 ulp (float16) from it, as docs/developer/numerics.md promises. One array with ordinary and special values serves a
whole test, so each function and dtype costs one kernel.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import (
    BOOLEAN,
    COMPLEX,
    DTYPES,
    INTEGERS,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    assert_same,
    check_refused,
    check_same,
    sample,
    specials,
    to_host,
)

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
ULPS = {"float16": 1, "float32": 4, "float64": 3}
COMPLEX_ULPS = 8  # of the larger component; the standard sets no bound
WIDER = {
    "float16": "float64",
    "float32": "float64",
    "float64": "longdouble",
    "complex64": "complex128",
    "complex128": "clongdouble",
}

EXACT_UNARY: dict[str, tuple[str, ...]] = {
    "abs": REAL,
    "negative": NUMERIC,
    "positive": NUMERIC,
    "sign": REAL,
    "square": REAL,
    "floor": REAL,
    "ceil": REAL,
    "trunc": REAL,
    "round": NUMERIC,
    "sqrt": REAL_FLOATING,
    "reciprocal": REAL_FLOATING,
    "bitwise_invert": BOOLEAN + INTEGERS,
    "logical_not": BOOLEAN,
    "isnan": NUMERIC,
    "isinf": NUMERIC,
    "isfinite": NUMERIC,
    "signbit": REAL_FLOATING,
    "real": NUMERIC,
    "imag": NUMERIC,
    "conj": NUMERIC,
}
ROUNDED_UNARY = (
    *("exp", "expm1", "log", "log1p", "log2", "log10"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)
EXACT_BINARY: dict[str, tuple[str, ...]] = {
    "add": NUMERIC,
    "subtract": NUMERIC,
    "multiply": REAL,
    "divide": REAL_FLOATING,
    "remainder": REAL,
    "copysign": REAL_FLOATING,
    "nextafter": ("float32", "float64"),
    "bitwise_and": BOOLEAN + INTEGERS,
    "bitwise_or": BOOLEAN + INTEGERS,
    "bitwise_xor": BOOLEAN + INTEGERS,
    "bitwise_left_shift": INTEGERS,
    "bitwise_right_shift": INTEGERS,
    "logical_and": BOOLEAN,
    "logical_or": BOOLEAN,
    "logical_xor": BOOLEAN,
    "equal": DTYPES,
    "not_equal": DTYPES,
    "less": REAL,
    "less_equal": REAL,
    "greater": REAL,
    "greater_equal": REAL,
}
ROUNDED_BINARY = ("atan2", "hypot", "pow")


def rows(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, dtype) for name, dtypes in table.items() for dtype in dtypes]


def everything(dtype: str) -> HostArray:
    """Special values, ordinary ones, and ones of every magnitude; 1,000 or so, not a multiple of a register."""
    parts = [specials(dtype), sample(dtype, 501)]
    if np.dtype(dtype).kind == "f":
        limits = np.finfo(dtype)
        exponents = np.random.default_rng(1).uniform(limits.minexp, limits.maxexp, 501)
        parts.append(np.where(sample("bool", 501), 1, -1) * np.exp2(exponents[:501]))
    return np.concatenate(parts).astype(dtype)


def finite_complex(dtype: str) -> HostArray:
    """Finite complex numbers: on the axes with zeros of both signs (branch cuts), around one, small and large."""
    steps = [0.0, -0.0, 0.25, -0.25, 1.0, -1.0, 3.0, -3.0]
    axes = [complex(re, im) for re in steps for im in steps]
    around = sample(dtype, 301)
    return np.concatenate([np.array(axes, dtype), around, around[:100] * 8, around[:100] / 256]).astype(dtype)


def pairs(dtype: str) -> tuple[HostArray, HostArray]:
    """Every special value with every other, and ordinary values."""
    a, b = (m.ravel() for m in np.meshgrid(specials(dtype), specials(dtype)))
    return np.concatenate([a, sample(dtype, 301, 1)]), np.concatenate([b, sample(dtype, 301, 2)])


@pytest.mark.parametrize(("name", "dtype"), rows(EXACT_UNARY))
def test_exact_unary_functions_are_numpys_bit_by_bit(name: str, dtype: str) -> None:
    check_same(lambda np_, a: getattr(np_, name)(a), everything(dtype))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ROUNDED_UNARY)
def test_rounding_unary_functions_keep_their_ulps(name: str, dtype: str) -> None:
    a = everything(dtype)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(a.astype(WIDER[dtype]))
    got = to_host(getattr(xp, name)(xp.asarray(a)))
    assert got.dtype == dtype
    assert_same(got, exact, ulps=ULPS[dtype], check_dtype=False)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", [*ROUNDED_UNARY, "sqrt", "reciprocal", "square", "sign"])
def test_complex_functions_are_near_numpys(name: str, dtype: str) -> None:
    a = finite_complex(dtype)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(a.astype(WIDER[dtype]))
    # At poles and zeros the standard decides, and tests of the special cases with it.
    regular = np.isfinite(exact)
    got = to_host(getattr(xp, name)(xp.asarray(a)))
    assert got.dtype == dtype
    assert_same(got[regular], exact[regular], ulps=COMPLEX_ULPS, check_dtype=False)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_the_modulus_of_complex_numbers_does_not_overflow_early(dtype: str) -> None:
    real = np.dtype(dtype).type(0).real.dtype.name
    a = np.concatenate([finite_complex(dtype), np.array([3e38 + 1e38j, 1e-30 + 1e-38j], dtype)])
    exact = np.abs(a.astype(WIDER[dtype]))
    assert_same(to_host(xp.abs(xp.asarray(a))), exact, ulps=ULPS[real], check_dtype=False)


@pytest.mark.parametrize(("name", "dtype"), rows(EXACT_BINARY))
def test_exact_binary_functions_are_numpys_bit_by_bit(name: str, dtype: str) -> None:
    check_same(lambda np_, a, b: getattr(np_, name)(a, b), *pairs(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_floor_divide_is_numpys_and_zero_for_zero(dtype: str) -> None:
    check_same(lambda np_, a, b: np_.floor_divide(a, b), *pairs(dtype))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_float_floor_divide_is_numpys_for_finite_numbers(dtype: str) -> None:
    a, b = pairs(dtype)
    finite = np.isfinite(a) & np.isfinite(b)
    check_same(lambda np_, x, y: np_.floor_divide(x, y), a[finite], b[finite])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_float_floor_divide_of_infinities_is_the_floor_of_the_quotient(dtype: str) -> None:
    """The standard's table, not NumPy's NaN."""
    big, a = np.inf, 3.0
    x1 = np.array([big, big, -big, -big, a, -a, a, -a], dtype)
    x2 = np.array([a, -a, a, -a, -big, big, big, -big], dtype)
    expected = np.array([big, -big, -big, big, -0.0, -0.0, 0.0, 0.0], dtype)
    # As floor(x1 / x2), where both signs differ and x2 is infinite the quotient is -0.
    assert_same(to_host(xp.floor_divide(xp.asarray(x1), xp.asarray(x2))), expected)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ROUNDED_BINARY)
def test_rounding_binary_functions_keep_their_ulps(name: str, dtype: str) -> None:
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(a.astype(WIDER[dtype]), b.astype(WIDER[dtype]))
    got = to_host(getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
    assert got.dtype == dtype
    assert_same(got, exact, ulps=ULPS[dtype], check_dtype=False)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_logaddexp_keeps_its_ulps_of_the_larger_number(dtype: str) -> None:
    """Where the sum is near 1 its logarithm is near 0, and an operand's last place decides."""
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        exact = np.logaddexp(a.astype(WIDER[dtype]), b.astype(WIDER[dtype]))
        got = to_host(xp.logaddexp(xp.asarray(a), xp.asarray(b)))
        cancels = np.abs(exact) < np.maximum(np.abs(a), np.abs(b)) / 2
        room = ULPS[dtype] * np.finfo(dtype).eps * np.maximum(np.abs(a), np.abs(b))
        assert np.all(np.abs(got - exact)[cancels] <= room[cancels])
    assert_same(got[~cancels], exact[~cancels], ulps=ULPS[dtype], check_dtype=False)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extremes_of_two_are_numpys(name: str, dtype: str) -> None:
    """Of zeros of both signs NumPy gives either: adding 0 makes them alike."""
    check_same(lambda np_, a, b: getattr(np_, name)(a, b) + 0, *pairs(dtype))


def test_nextafter_of_float16_walks_through_all_of_them() -> None:
    every = np.arange(0, 0x7C01, dtype="uint16").view("float16")  # 0 ... infinity
    up = to_host(xp.nextafter(xp.asarray(every[:-1]), xp.asarray(np.float16(np.inf))))
    assert_same(up, every[1:])
    down = to_host(xp.nextafter(xp.asarray(every[1:]), xp.asarray(np.float16(-np.inf))))
    assert_same(down, every[:-1])


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_nextafter_towards_an_equal_zero_takes_its_sign(dtype: str) -> None:
    zeros = xp.asarray(np.array([0.0, -0.0], dtype))
    assert np.signbit(to_host(xp.nextafter(zeros, xp.flip(zeros)))).tolist() == [True, False]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["multiply", "divide", "pow"])
def test_complex_products_quotients_and_powers_are_near_numpys(name: str, dtype: str) -> None:
    a, b = sample(dtype, 501, 1), sample(dtype, 501, 2)
    exact = getattr(np, name)(a.astype(WIDER[dtype]), b.astype(WIDER[dtype]))
    got = to_host(getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
    assert_same(got, exact, ulps=32 if name == "pow" else COMPLEX_ULPS, check_dtype=False)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers_wrap_as_numpys(dtype: str) -> None:
    a, b = sample(dtype, 301, 1), np.abs(sample(dtype, 301, 2) % 40)
    check_same(lambda np_, x, y: np_.pow(x, y), a, b)


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_a_negative_power_of_an_integer_is_zero_except_of_one_and_minus_one(dtype: str) -> None:
    base = xp.asarray(np.array([-2, -1, -1, 1, 2, 7], dtype))
    exponent = xp.asarray(np.array([-1, -1, -2, -3, -1, -5], dtype))
    assert to_host(xp.pow(base, exponent)).tolist() == [0, -1, 1, 1, 0, 0]


@pytest.mark.parametrize("dtype", NUMERIC)
def test_a_power_of_two_is_a_square(dtype: str) -> None:
    a = sample(dtype, 101)
    check_same(lambda np_, x: x**2, a, ulps=2 if np.dtype(dtype).kind == "c" else 0)


def test_powers_of_booleans_have_one_dtype() -> None:
    """RELIABILITY F: that of NumPy's function; its operator alone has int8 for the power 2."""
    host = np.array([True, False])
    x = xp.asarray(host)
    for n in (0, 1, 2, 3):
        for got in (x**n, xp.pow(x, n), np.power(x, n)):
            assert_same(to_host(got), np.power(host, n))


@pytest.mark.parametrize("dtype", REAL)
def test_clip_limits_to_scalars_and_arrays(dtype: str) -> None:
    a, low, high = sample(dtype, 101), sample(dtype, 101, 3), sample(dtype, 101, 4)
    check_same(lambda np_, x, lo, hi: np_.clip(x, lo, hi), a, low, high)
    check_same(lambda np_, x: np_.clip(x, 1, 5), a)
    check_same(lambda np_, x: np_.clip(x, 1, None), a)
    check_same(lambda np_, x: np_.clip(x, None, 5), a)


def test_clip_keeps_nan_and_the_maximum_wins() -> None:
    a = np.array([np.nan, -5.0, 0.0, 5.0])
    check_same(lambda np_, x: np_.clip(x, 2.0, 1.0), a)
    check_same(lambda np_, x, lo: np_.clip(x, lo, 4.0), a, np.array([0.0, np.nan, 1.0, 1.0]))


def test_clip_without_limits_is_a_copy() -> None:
    x = xp.asarray([1, 2, 3])
    y = xp.clip(x)
    x[0] = 9
    assert y.tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", DTYPES)
def test_where_picks_from_either_array(dtype: str) -> None:
    a, b, c = sample(dtype, 101, 1), sample(dtype, 101, 2), sample("bool", 101)
    check_same(lambda np_, condition, x, y: np_.where(condition, x, y), c, a, b)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_where_takes_scalars(dtype: str) -> None:
    a, c = sample(dtype, 101), sample("bool", 101)
    check_same(lambda np_, condition, x: np_.where(condition, x, 1), c, a)
    check_same(lambda np_, condition, x: np_.where(condition, 1, x), c, a)


# --- promotion ---


@pytest.mark.parametrize("first", DTYPES)
def test_dtypes_promote_as_numpys_without_computing(first: str) -> None:
    for second in DTYPES:
        a, b = np.ones(3, first), np.ones(3, second)
        assert (xp.asarray(a) + xp.asarray(b)).dtype == (a + b).dtype
        assert (xp.asarray(a) * xp.asarray(b)).dtype == (a * b).dtype


MIXED = [
    ("int8", "uint8"),
    ("int64", "float32"),
    ("uint64", "int64"),
    ("bool", "float16"),
    ("float32", "complex128"),
    ("int32", "complex64"),
    ("float64", "float32"),
]


@pytest.mark.parametrize(("first", "second"), MIXED)
def test_mixed_dtypes_have_numpys_values(first: str, second: str) -> None:
    check_same(lambda np_, a, b: np_.add(a, b), sample(first, 101, 1), sample(second, 101, 2))


@pytest.mark.parametrize("name", ["sqrt", "exp", "sin"])
def test_functions_of_floats_take_integers_as_float64(name: str) -> None:
    a = np.array([0, 1, 2, 9], "int32")
    check_same(lambda np_, x: getattr(np_, name)(x), a, ulps=3)


def test_true_division_of_integers_is_float64() -> None:
    check_same(lambda np_, a, b: a / b, np.array([7, -7, 1], "int32"), np.array([2, 2, 0], "int32"))


# --- operators ---

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
BITS = ("and", "or", "xor", "lshift", "rshift")
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, f"{name}_" if name in ("and", "or") else name)
    for name in (*ARITHMETIC, *COMPARISONS, *BITS, "pow")
}
# Python scalars of each kind that a dtype takes without becoming another.
SCALARS: dict[str, tuple[Any, ...]] = {
    "b": (True, False),
    "i": (3, -5),
    "u": (3, 7),
    "f": (3, -1.5),
    "c": (3, -1.5, 0.5 - 2j),
}


def operator_rows(*, comparisons: bool = True) -> Iterator[tuple[str, str]]:
    """Every dtype with the binary operators that take it."""
    for dtype in DTYPES:
        names: tuple[str, ...] = (*ARITHMETIC, "pow")
        if dtype in BOOLEAN:
            names = ("and", "or", "xor")
        elif dtype in INTEGERS:
            names += BITS
        elif dtype in COMPLEX:
            names = ("add", "sub", "mul", "truediv", "pow")
        if comparisons:
            names += COMPARISONS if dtype in REAL else ("eq", "ne")
        yield from ((name, dtype) for name in names)


def room(name: str, *operands: Any) -> float:
    """The ulps that an operator may be off by."""
    dtype = np.result_type(*operands)
    if dtype.kind == "c":
        return {"mul": COMPLEX_ULPS, "truediv": COMPLEX_ULPS, "pow": 32}.get(name, 0)
    return ULPS.get(dtype.name, 0) if name == "pow" else 0


def computed(name: str, *operands: Any) -> HostArray:
    """An operator by NumPy; in a wider dtype, then rounded once, where ours may round differently."""
    dtype = np.result_type(*operands)
    with np.errstate(all="ignore"):
        if room(name, *operands):
            wide = [v.astype(WIDER[dtype.name]) if isinstance(v, np.ndarray) else v for v in operands]
            return np.asarray(OPERATORS[name](*wide)).astype(dtype)
        return np.asarray(OPERATORS[name](*operands))


def operands_of(name: str, dtype: str) -> tuple[HostArray, HostArray]:
    """Two arrays that an operator takes: no negative counts, no fractional powers of negative numbers."""
    a, b = sample(dtype, 101), sample(dtype, 101, 1)
    if name == "pow" and dtype in REAL_FLOATING:
        a = np.abs(a)
    if name in ("lshift", "rshift", "pow") and dtype in INTEGERS:
        b = (b.astype("float64") % 7).astype(dtype)
    return a, b


def scalars(name: str, dtype: str) -> tuple[Any, ...]:
    """Scalars that an operator takes on either side."""
    some = SCALARS[np.dtype(dtype).kind]
    return some[:1] if name in ("lshift", "rshift", "pow") and dtype in REAL else some


@pytest.mark.parametrize(("name", "dtype"), list(operator_rows()))
def test_an_operator_takes_a_python_scalar_on_the_right(name: str, dtype: str) -> None:
    a, _ = operands_of(name, dtype)
    for scalar in scalars(name, dtype):
        got = OPERATORS[name](xp.asarray(a), scalar)
        assert_same(to_host(got), computed(name, a, scalar), ulps=room(name, a, scalar))


@pytest.mark.parametrize(("name", "dtype"), list(operator_rows()))
def test_an_operator_takes_a_python_scalar_on_the_left(name: str, dtype: str) -> None:
    _, b = operands_of(name, dtype)
    for scalar in scalars(name, dtype):
        got = OPERATORS[name](scalar, xp.asarray(b))
        assert_same(to_host(got), computed(name, scalar, b), ulps=room(name, scalar, b))


@pytest.mark.parametrize(("name", "dtype"), list(operator_rows(comparisons=False)))
def test_an_operator_takes_a_python_scalar_in_place(name: str, dtype: str) -> None:
    """What has another dtype than the array is refused, as by NumPy."""
    a, _ = operands_of(name, dtype)
    for scalar in scalars(name, dtype):
        x = same = xp.asarray(a)
        if name == "truediv" and dtype in INTEGERS:
            with pytest.raises(TypeError):
                x /= scalar
            continue
        x = getattr(operator, f"i{name}")(x, scalar)
        assert x is same
        assert_same(to_host(x), computed(name, a, scalar), ulps=room(name, a, scalar))


@pytest.mark.parametrize(("name", "dtype"), list(operator_rows()))
def test_an_operator_takes_two_arrays(name: str, dtype: str) -> None:
    a, b = operands_of(name, dtype)
    got = OPERATORS[name](xp.asarray(a), xp.asarray(b))
    assert_same(to_host(got), computed(name, a, b), ulps=room(name, a, b))


PROMOTING = [("int32", 2.5), ("float32", 1.5 - 2j), ("bool", 3)]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize(("dtype", "scalar"), PROMOTING, ids=str)
def test_a_scalar_of_a_higher_kind_changes_the_dtype(dtype: str, scalar: Any, name: str) -> None:
    a = sample(dtype, 101)
    check_same(lambda _, x: OPERATORS[name](x, scalar), a, ulps=room(name, a, scalar))
    check_same(lambda _, x: OPERATORS[name](scalar, x), a, ulps=room(name, a, scalar))


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_unary_operators_are_numpys(name: str) -> None:
    check_same(lambda _, x: getattr(x, f"__{name}__")(), sample("int32", 101))


@pytest.mark.parametrize("name", [*ARITHMETIC, "pow"])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_in_place_operators_change_the_array_itself(name: str, dtype: str) -> None:
    if dtype == "complex64" and name in ("floordiv", "mod"):
        check_refused(lambda _, x: getattr(x, f"__i{name}__")(x), sample(dtype, 3))
        return

    def program(_: Any, x: Any, y: Any) -> Any:
        same = x
        x = getattr(x, f"__i{name}__")(y)
        assert x is same
        return x

    a, b = np.abs(sample("float32", 101, 1)).astype(dtype), sample(dtype, 101, 2)
    check_same(program, a, b, ulps=32 if dtype == "complex64" else room(name, a, b))


@pytest.mark.parametrize("name", [*BITS, "add", "mul", "floordiv", "mod"])
def test_in_place_operators_with_scalars_keep_integer_dtypes(name: str) -> None:
    check_same(lambda _, x: getattr(x, f"__i{name}__")(3), sample("int16", 101))


def test_in_place_results_of_another_kind_are_refused() -> None:
    for operation in ("__itruediv__", "__iadd__"):
        x = xp.asarray([1, 2, 3])
        with pytest.raises(TypeError, match="int64"):
            getattr(x, operation)(0.5)
        assert x.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("mine", "other"), [("uint32", "int64"), ("bool", "int8"), ("int8", "float16"), ("float64", "complex64")]
)
def test_in_place_operands_of_another_kind_are_refused_as_by_numpy(mine: str, other: str) -> None:
    check_refused(lambda _, x, y: x.__iadd__(y), np.ones(3, mine), np.ones(3, other))


@pytest.mark.parametrize(
    ("mine", "other"), [("int8", "int64"), ("float32", "float64"), ("uint8", "bool"), ("float16", "int8")]
)
def test_in_place_operands_of_the_same_kind_are_converted(mine: str, other: str) -> None:
    check_same(lambda _, x, y: x.__iadd__(y), sample(mine, 20), sample(other, 20, 1))


def test_an_array_does_not_grow_in_place() -> None:
    x = xp.zeros((3,))
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        x += xp.zeros((2, 3))


def test_python_integers_outside_the_dtype_are_refused() -> None:
    check_refused(lambda _, x: x + 300, np.ones(3, "int8"))
    check_refused(lambda _, x: x * -1, np.ones(3, "uint16"))


@pytest.mark.parametrize("scalar", [np.float32(0.1), np.float64(0.1), np.int8(3), np.complex64(1 + 2j), np.bool_(True)])
def test_numpy_scalars_are_operands_on_both_sides(scalar: Any) -> None:
    a = sample("float32", 101)
    check_same(lambda _, x: x + scalar, a)
    check_same(lambda _, x: scalar + x, a)
    check_same(lambda _, x: scalar - x, a)


def test_numpy_arrays_are_operands_on_both_sides() -> None:
    a, b = sample("float32", 101, 1), sample("float32", 101, 2)
    x = xp.asarray(a)
    assert_same(to_host(x - b), a - b)
    assert_same(to_host(b - x), b - a)
    assert_same(to_host(b < x), b < a)


# --- shapes ---

SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((), ()),
    ((), (5,)),
    ((1,), (5,)),
    ((4, 1), (1, 5)),
    ((3, 4, 5), (4, 5)),
    ((3, 1, 5), (4, 1)),
    ((2, 1, 3, 1, 2), (1, 3, 1, 4, 1)),
    ((0,), (1,)),
    ((3, 0), (1, 0)),
    ((3, 1, 0), (4, 1)),
]


@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_operands_broadcast(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    check_same(lambda np_, a, b: np_.subtract(a, b), sample("int32", one, 1), sample("int32", two, 2))
    check_same(lambda np_, a, b: np_.subtract(b, a), sample("int32", one, 1), sample("int32", two, 2))


@pytest.mark.parametrize(("one", "two"), [((3,), (4,)), ((2, 3), (3, 2)), ((0,), (2,))])
def test_shapes_that_do_not_broadcast_are_refused(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    check_refused(lambda np_, a, b: np_.add(a, b), np.zeros(one), np.zeros(two))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (15,), (16,), (17,), (31,), (1000,), (3, 0, 2), (2, 3, 5)])
def test_every_extent_has_its_tail_computed(shape: tuple[int, ...]) -> None:
    check_same(lambda np_, a: np_.negative(a), sample("float32", shape))


@pytest.mark.parametrize("wrong", ["text", None, [1, 2], object()])
def test_operands_that_are_no_arrays_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"sin: got {type(wrong).__name__}; allowed"):
        xp.sin(wrong)
    with pytest.raises(TypeError, match=f"add: got {type(wrong).__name__}; allowed"):
        xp.add(xp.ones(2), wrong)


def test_two_scalars_are_refused_since_they_have_no_device() -> None:
    with pytest.raises(TypeError, match="add: got int and float; allowed: at least one array"):
        xp.add(1, 2.0)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_left_shift", "atan2", "less", "maximum"])
def test_dtypes_outside_the_table_are_refused(name: str) -> None:
    x = xp.asarray(np.ones(3, "complex64"))
    with pytest.raises(TypeError, match=f"{name}: got complex64.*allowed"):
        getattr(xp, name)(x, x)


@pytest.mark.parametrize("limit", ["int8", "uint8", "int16", "int64", "uint64"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64"])
def test_clip_keeps_integers_between_limits_of_any_integer_dtype(dtype: str, limit: str) -> None:
    """Limits take no part in promotion, and do not wrap: outside the dtype they are its nearest number."""
    own, other = np.iinfo(dtype), np.iinfo(limit)
    x = np.array([own.min, 0, 1, 100, own.max], dtype)
    for low, high in ((other.min, other.max), (0, other.max), (other.min, 5), (other.max, other.max)):
        got = xp.clip(xp.asarray(x), xp.asarray(np.array(low, limit)), xp.asarray(np.array(high, limit)))
        near = [min(max(int(bound), int(own.min)), int(own.max)) for bound in (low, high)]
        assert got.dtype == dtype
        assert got.tolist() == [min(max(int(v), near[0]), near[1]) for v in x]


def test_clip_of_integers_with_float_limits_is_numpys() -> None:
    a = np.array([-5, 0, 1, 2, 9], "int16")
    check_same(lambda np_, x: np_.clip(x, 0.5, 2.5), a)
    check_same(lambda np_, x: np_.clip(x, 0.5, None), a.astype("int64"))
    check_same(lambda np_, x, high: np_.clip(x, None, high), a, np.array([0.5, 1, 2, 3, 4]))
    check_same(lambda np_, x: np_.clip(x, 0.5, 2.5), a.astype("float32"))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "complex64", "bool"])
@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_numbers_hold_where_they_are_not_zero(name: str, dtype: str) -> None:
    a = np.array([0, 1, 0, 2, 1]).astype(dtype)
    b = np.array([0.0, np.nan, -0.0, 0.0, 0.5])
    function = getattr(xp, name)
    check_same(lambda np_, x, y: getattr(np_, name)(x, y), a, b)
    check_same(lambda np_, x: getattr(np_, name)(x, 3), a)
    assert_same(to_host(function(xp.asarray(a), b)), getattr(np, name)(a, b))
    check_same(lambda np_, x: np_.logical_not(x), a)
    with pytest.raises(TypeError, match=f"{name}: got str"):
        function(xp.asarray(a), "1")
