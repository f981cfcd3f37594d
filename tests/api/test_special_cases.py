"""Special cases of the standard (2025.12, element-wise functions) that the official suite cannot read, so never runs.

`REAL_CASES` and `COMPLEX_CASES` have a row for each sentence that has this form: the function, what the operands are,
what the result is. Operands are classes of numbers, of which every combination is tried. In a result ``a`` and ``b``
are the two operands, or the parts of a complex one. Other sentences are tests of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import COMPLEX, REAL_FLOATING, assert_same, check_same, sample, specials, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
Result = Callable[[float, float], Any]
inf, nan = math.inf, math.nan


def numbers(word: str, dtype: str) -> list[float]:
    """The numbers that a class stands for; words joined by ``|`` stand for all of theirs."""
    limits = np.finfo(dtype)
    positive = [float(limits.smallest_normal), 0.25, 0.75, 1.0, 2.5, 100.0, float(limits.max) / 4]
    negative = [-v for v in positive]
    classes = {
        "positive": positive,
        "negative": negative,
        "+0": [0.0],
        "-0": [-0.0],
        "+inf": [inf],
        "-inf": [-inf],
        "nan": [nan],
        "-nan": [math.copysign(nan, -1)],
    }
    classes["zero"] = classes["+0"] + classes["-0"]
    classes["inf"] = classes["+inf"] + classes["-inf"]
    classes["nonzero"] = positive + negative
    classes["finite"] = classes["zero"] + classes["nonzero"]
    classes["any"] = classes["finite"] + classes["inf"] + classes["nan"]
    return list(itertools.chain.from_iterable(classes[part] for part in word.split("|")))


def signed(size: float, sign: float) -> float:
    return math.copysign(size, sign)


# Of real operands a and b.
REAL_CASES: list[tuple[str, str, str, Result]] = [
    ("hypot", "inf", "any", lambda a, b: inf),
    ("hypot", "any", "inf", lambda a, b: inf),
    ("hypot", "zero", "any", lambda a, b: abs(b)),
    ("hypot", "any", "zero", lambda a, b: abs(a)),
    ("hypot", "finite|nan", "nan", lambda a, b: nan),
    ("hypot", "nan", "finite|nan", lambda a, b: nan),
    ("copysign", "finite|inf", "negative|-inf", lambda a, b: -abs(a)),
    ("copysign", "finite|inf", "-0", lambda a, b: -abs(a)),
    ("copysign", "finite|inf", "+0", lambda a, b: abs(a)),
    ("copysign", "finite|inf", "positive|+inf", lambda a, b: abs(a)),
    ("copysign", "finite|inf", "-nan", lambda a, b: -abs(a)),
    ("copysign", "finite|inf", "nan", lambda a, b: abs(a)),
    ("equal", "finite", "finite", lambda a, b: a == b),
    ("not_equal", "finite", "finite", lambda a, b: a != b),
]

# Of a complex operand a + bj.
COMPLEX_CASES: list[tuple[str, str, str, Result]] = [
    ("abs", "inf", "any", lambda a, b: inf),
    ("abs", "any", "inf", lambda a, b: inf),
    ("abs", "zero", "any", lambda a, b: abs(b)),
    ("abs", "any", "zero", lambda a, b: abs(a)),
    ("abs", "nan", "finite", lambda a, b: nan),
    ("abs", "finite", "nan", lambda a, b: nan),
    ("abs", "nan", "nan", lambda a, b: nan),
    ("isfinite", "nan", "any", lambda a, b: False),
    ("isfinite", "any", "nan", lambda a, b: False),
    ("isfinite", "inf", "any", lambda a, b: False),
    ("isfinite", "any", "inf", lambda a, b: False),
    ("isfinite", "finite", "finite", lambda a, b: True),
    ("isinf", "inf", "any", lambda a, b: True),
    ("isinf", "finite|nan", "inf", lambda a, b: True),
    ("isinf", "finite|nan", "finite|nan", lambda a, b: False),
    ("isnan", "nan", "any", lambda a, b: True),
    ("isnan", "any", "nan", lambda a, b: True),
    ("isnan", "finite|inf", "finite|inf", lambda a, b: False),
    ("sign", "nan", "any", lambda a, b: (nan, nan)),
    ("sign", "any", "nan", lambda a, b: (nan, nan)),
    ("sqrt", "any", "+inf", lambda a, b: (inf, inf)),
    ("sqrt", "-inf", "positive", lambda a, b: (0.0, inf)),
    ("tanh", "+inf", "positive", lambda a, b: (1.0, 0.0)),
    ("tanh", "nan", "nonzero|inf", lambda a, b: (nan, nan)),
    # cis(b) is cos(b) + j sin(b): an infinity or a zero in that direction.
    ("exp", "+inf", "nonzero", lambda a, b: (signed(inf, math.cos(b)), signed(inf, math.sin(b)))),
    ("exp", "-inf", "finite", lambda a, b: (signed(0, math.cos(b)), signed(0, math.sin(b) if b else b))),
    ("expm1", "+inf", "nonzero", lambda a, b: (signed(inf, math.cos(b)), signed(inf, math.sin(b)))),
    ("expm1", "-inf", "finite", lambda a, b: (-1.0, signed(0, math.sin(b) if b else b))),
    ("cosh", "+inf", "nonzero", lambda a, b: (signed(inf, math.cos(b)), signed(inf, math.sin(b)))),
    ("sinh", "+inf", "positive", lambda a, b: (signed(inf, math.cos(b)), signed(inf, math.sin(b)))),
]


def rows(cases: list[tuple[str, str, str, Result]], name: str, dtype: str) -> tuple[HostArray, HostArray, list[Any]]:
    """Operands of every sentence about a function, as arrays of the dtype, and the results."""
    pairs: list[tuple[float, float]] = []
    results = []
    for function, one, other, result in cases:
        if function == name:
            some = list(itertools.product(numbers(one, dtype), numbers(other, dtype)))
            pairs += some
            # In the dtype, as the function sees them.
            values = [(float(np.dtype(dtype).type(a)), float(np.dtype(dtype).type(b))) for a, b in some]
            results += [result(a, b) for a, b in values]
    a, b = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    return a, b, results


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ["hypot", "copysign", "equal", "not_equal"])
def test_real_operands(name: str, dtype: str) -> None:
    a, b, results = rows(REAL_CASES, name, dtype)
    got = to_host(getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
    assert_same(got, np.array(results, got.dtype))


def join(re: HostArray, im: HostArray) -> HostArray:
    """Complex numbers of these parts; ``re + 1j * im`` would lose infinities and signs of zeros."""
    z: HostArray = np.empty(re.shape, np.result_type(re.dtype, np.complex64))
    z.real, z.imag = re, im
    return z


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", sorted({name for name, *_ in COMPLEX_CASES}))
def test_complex_operands(name: str, dtype: str) -> None:
    real = "float32" if dtype == "complex64" else "float64"
    a, b, results = rows(COMPLEX_CASES, name, real)
    got = to_host(getattr(xp, name)(xp.asarray(join(a, b))))
    expected = np.array(results)
    if got.dtype.kind == "c":
        expected = join(expected[:, 0].astype(real), expected[:, 1].astype(real))
    assert_same(got, expected.astype(got.dtype))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_the_sign_bit_of_copysign_is_seen_on_nan_too(dtype: str) -> None:
    """Of a NaN only the sign changes, by every kind of second operand."""
    signs = np.array([-3.0, -0.0, 0.0, 3.0, -inf, inf, nan, math.copysign(nan, -1)], dtype)
    for value in (nan, math.copysign(nan, -1)):
        got = to_host(xp.copysign(xp.asarray(np.full(signs.shape, value, dtype)), xp.asarray(signs)))
        assert np.isnan(got).all()
        assert np.signbit(got).tolist() == [True, True, False, False, True, False, False, True]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_hypot_knows_neither_order_nor_sign(dtype: str) -> None:
    a, b = (m.ravel() for m in np.meshgrid(specials(dtype), np.concatenate([specials(dtype), sample(dtype, 40)])))
    x, y = xp.asarray(a), xp.asarray(b)
    once = to_host(xp.hypot(x, y))
    for other in (xp.hypot(y, x), xp.hypot(x, -y), xp.hypot(-x, y), xp.hypot(-x, -y)):
        assert_same(to_host(other), once)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_hypot_does_not_underflow_early(dtype: str) -> None:
    """Only subnormal results of subnormal operands may be lost (and here they are not)."""
    tiny = float(np.finfo(dtype).smallest_normal)
    a = np.array([3 * tiny, 5 * tiny, tiny, tiny / 2], dtype)
    b = np.array([4 * tiny, 12 * tiny, 0, tiny / 2], dtype)
    got = to_host(xp.hypot(xp.asarray(a), xp.asarray(b)))
    assert_same(got, np.hypot(a.astype("longdouble"), b.astype("longdouble")), ulps=1, check_dtype=False)


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *COMPLEX])
def test_reciprocal_is_one_divided_by_the_number(dtype: str) -> None:
    """Bit by bit, special values included; NumPy's complex division has other infinities, so ours is the measure."""
    x = xp.asarray(np.concatenate([specials(dtype), sample(dtype, 101)]))
    quotient = xp.divide(xp.ones_like(x), x)
    assert_same(to_host(xp.reciprocal(x)), to_host(quotient), ulps=4 if dtype in COMPLEX else 0)


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *COMPLEX])
def test_square_is_the_number_times_itself(dtype: str) -> None:
    x = xp.asarray(np.concatenate([specials(dtype), sample(dtype, 101)]))
    assert_same(to_host(xp.square(x)), to_host(x * x))
    assert_same(to_host(x**2), to_host(x * x))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_clip_is_nan_wherever_a_limit_is(dtype: str) -> None:
    a = np.array([1.0, -1.0, inf, nan, 0.0], dtype)
    low, high = np.array([nan, -2, nan, -1, 0], dtype), np.array([2, nan, nan, 1, 0], dtype)
    got = to_host(xp.clip(xp.asarray(a), xp.asarray(low), xp.asarray(high)))
    assert_same(got, np.array([nan, nan, nan, nan, 0], dtype))


PARTS = (0.0, -0.0, 1.5, -2.0, inf, -inf, nan)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_sums_are_sums_of_the_parts(dtype: str) -> None:
    """Signs of zeros too: -0 + -0 is -0, and any other sum of zeros is +0."""
    real = "float32" if dtype == "complex64" else "float64"
    grid = join(*(m.ravel().astype(real) for m in np.meshgrid(PARTS, PARTS)))
    z, w = np.repeat(grid, grid.size), np.tile(grid, grid.size)
    with np.errstate(invalid="ignore"):
        assert_same(to_host(xp.add(xp.asarray(z), xp.asarray(w))), join(z.real + w.real, z.imag + w.imag))
        assert_same(to_host(xp.subtract(xp.asarray(z), xp.asarray(w))), join(z.real - w.real, z.imag - w.imag))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_part_that_is_nan_makes_complex_numbers_differ(dtype: str) -> None:
    z = sample(dtype, 4)
    z[1] = complex(nan, 1)
    z[2] = complex(1, nan)
    check_same(lambda np_, x: (np_.equal(x, x), np_.not_equal(x, x)), z)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["multiply", "divide"])
def test_products_and_quotients_of_real_numbers_as_complex_ones_are_real(name: str, dtype: str) -> None:
    """The tables of the standard: the products of the parts, added up."""
    a, b = sample("float32", 101, 1), sample("float32", 101, 2)
    got = to_host(getattr(xp, name)(xp.asarray(a.astype(dtype)), xp.asarray(b.astype(dtype))))
    exact = getattr(np, name)(a.astype("float64"), b.astype("float64"))
    assert_same(got.real, exact, ulps=2, check_dtype=False)
    assert not got.imag.any()
