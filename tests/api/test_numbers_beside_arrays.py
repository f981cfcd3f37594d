"""Numbers beside arrays, and pairs of integer dtypes that none holds: NumPy's answers, through every door.

Each test goes through a table; `conformance/campaign/numbers.py` goes through all functions at random.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from support import INTEGERS, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.kernels.core.ops import COMPARISONS

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("error")]

SIGNED, UNSIGNED = INTEGERS[:4], INTEGERS[4:]
assert np.dtype(SIGNED[3]) == np.int64 and np.dtype(UNSIGNED[3]) == np.uint64

# Pairs that float64 does not tell apart, and others.
LEFT = np.asarray([2**53, 2**53 + 1, 2**63 - 1, 2**63 - 1, -1, -(2**63), 0, 5], "int64")
RIGHT = np.asarray([2**53 + 1, 2**53, 2**63, 2**63 - 1, 2**64 - 1, 2**63, 0, 4], "uint64")

Compare = Callable[[str, Any, Any], Any]

DOORS: dict[str, Compare] = {
    "operator": lambda name, a, b: COMPARISONS[name](a, b),
    "xp": lambda name, a, b: getattr(xp if isinstance(a, xp.Array) else np, name)(a, b),
    "np": lambda name, a, b: getattr(np, name)(a, b),
    "fused": lambda name, a, b: COMPARISONS[name](a * (b == b), b) & (a == a),
    "of elements": lambda name, a, b: [bool(COMPARISONS[name](x, y)) for x, y in zip(a, b, strict=True)],
    "beside NumPy scalars": lambda name, a, b: [np.asarray(COMPARISONS[name](a, y)).tolist() for y in np.asarray(b)],
    "NumPy scalars first": lambda name, a, b: [np.asarray(COMPARISONS[name](x, b)).tolist() for x in np.asarray(a)],
}


@pytest.fixture(autouse=True)
def on_host() -> Iterator[None]:
    """Most of these tests are of rules, not of kernels, of which they would compile hundreds."""
    with xp.config.set(small_on_host=True):
        yield


@pytest.mark.parametrize("door", DOORS)
def test_int64_and_uint64_are_compared_exactly(door: str) -> None:
    for name, (a, b) in product(COMPARISONS, ((LEFT, RIGHT), (RIGHT, LEFT))):
        got, expected = DOORS[door](name, xp.asarray(a), xp.asarray(b)), DOORS[door](name, a, b)
        assert np.array_equal(np.asarray(got), np.asarray(expected)), (name, a.dtype)


def codes(a: Any, b: Any) -> Any:
    """All six comparisons, as a number of six bits, which one kernel computes."""
    return sum(((compare(a, b) * 1) << k for k, compare in enumerate(COMPARISONS.values())), start=0)


@pytest.mark.parametrize("small", [True, False], ids=["on host", "kernels"])
@pytest.mark.parametrize("dtype", SIGNED)
def test_signed_integers_and_uint64_are_compared_exactly(dtype: str, small: bool) -> None:
    if not small and dtype == "int16":
        return  # the kernel is that of int32, with another cast
    limits = np.iinfo(dtype)
    host = np.asarray([limits.min, -1, 0, 1, limits.max], dtype)
    others = [0, 1, int(limits.max), int(limits.max) + 1, 2**53 + 1, 2**63, 2**64 + limits.min, 2**64 - 1]
    with xp.config.set(small_on_host=small):
        x, y = xp.asarray(host)[:, None], xp.asarray(np.asarray(others, "uint64"))
        assert codes(x, y).tolist() == [[codes(int(k), n) for n in others] for k in host]
        assert codes(y, x).tolist() == [[codes(n, int(k)) for n in others] for k in host]


OUTSIDE = [-1, 300, -129, 2**31, 2**63, 2**64, -(2**70), 10**400]


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
def test_python_integers_outside_the_dtype_are_compared(dtype: str) -> None:
    limits = np.iinfo("int8" if dtype == "bool" else dtype)
    host = np.asarray([max(limits.min, -5), 0, 1, limits.max], "int64" if dtype == "bool" else dtype).astype(dtype)
    x = xp.asarray(host)
    for (name, compare), n in product(COMPARISONS.items(), OUTSIDE):
        expected = [compare(int(k), n) for k in host]
        for got in (compare(x, n), getattr(xp, name)(x, n), getattr(np, name)(x, n)):
            assert got.dtype == "bool" and got.tolist() == expected, (name, n)
        assert compare(n, x).tolist() == getattr(xp, name)(n, x).tolist() == [compare(n, int(k)) for k in host]
    assert 300 not in x[:3] and (-1 not in x or np.dtype(dtype).kind == "i")


def test_other_operations_refuse_python_integers_outside_the_dtype() -> None:
    x = xp.asarray([1, 2], dtype=xp.uint8)
    for function in (xp.add, xp.maximum, xp.bitwise_and, xp.floor_divide):
        for arguments in ((x, 300), (-1, x)):
            with pytest.raises(OverflowError, match="out of bounds for uint8"):
                function(*arguments)
    for compare in (operator.eq, operator.lt):
        with pytest.raises(OverflowError, match="too large to convert to float"):
            compare(xp.ones(2), 10**400)


def mixed() -> Iterator[tuple[Any, Any]]:
    yield from ((LEFT, RIGHT), (RIGHT, LEFT), (LEFT, RIGHT[:3]), (RIGHT, LEFT[2:]), (LEFT.astype("int8"), RIGHT))


@pytest.mark.parametrize("times", [1, 5])
def test_isin_and_array_equal_are_exact(times: int) -> None:
    """``times``: isin looks for many values in another way than for few."""
    for a, b in mixed():
        many = np.concatenate([b + np.asarray(k, b.dtype) * 100 for k in range(times)])
        values = {int(k) for k in many}
        for invert in (False, True):
            got = xp.isin(xp.asarray(a), xp.asarray(many), invert=invert)
            assert got.tolist() == [(int(k) in values) != invert for k in a]
        assert np.isin(xp.asarray(a), xp.asarray(many)).tolist() == [int(k) in values for k in a]
    x = xp.asarray(RIGHT)
    assert xp.isin(x, -1).tolist() == xp.isin(x, [-1, -5]).tolist() == [False] * 8  # type: ignore[arg-type]
    assert xp.isin(xp.asarray(LEFT), 2**63 - 1).tolist() == (LEFT == 2**63 - 1).tolist()
    assert not np.array_equal(xp.asarray([2**53]), xp.asarray([2**53 + 1], dtype=xp.uint64))
    assert np.array_equal(xp.asarray([2**53 + 1]), xp.asarray([2**53 + 1], dtype=xp.uint64))


def same(call: Callable[[Any, Any], Any], x: np.ndarray[Any, Any]) -> None:
    """Whether a call gives NumPy's values and dtype, of the modules and of NumPy's function on our array."""
    expected = call(np, x)
    for module in (xp, np):
        got = call(module, xp.asarray(x))
        assert got.dtype == expected.dtype and np.array_equal(to_host(got), expected, equal_nan=True), (module, got)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_promotes_numbers(side: Any) -> None:
    arrays = [np.asarray([1, 2, 3, 4]), np.asarray([1, 7, 250], "uint8"), np.asarray([0, 5, 2**63], "uint64"),
              np.asarray([0.1, 0.2], "float32"), np.asarray([-np.inf, 0.5, np.nan])]  # fmt: skip
    for x in arrays:
        for n in (2.5, np.nan, np.inf, 300, -1, 2, 0.1, True, np.float32(0.1), np.int8(-1), np.uint64(2**63), 2**63):
            same(lambda m, x, n=n: m.searchsorted(x, n, side=side), x)  # type: ignore[misc]
    for dtype in ("int64", "uint64"):  # among integers that are no floats
        x = np.asarray([2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2], dtype)
        for number in (2.0**53, 2.0**53 + 2, np.float64(2**53), np.dtype(dtype).type(2**53 + 1)):
            same(lambda m, x, n=number: m.searchsorted(x, n, side=side), x)  # type: ignore[misc]
    with pytest.raises(OverflowError, match="searchsorted: got an integer of 65 bits"):
        xp.searchsorted(xp.asarray([1, 2]), 2**64)


def test_numbers_that_diff_joins_promote() -> None:
    arrays = [np.asarray([3, 1], "uint8"), np.asarray([3, 1]), np.asarray([1, 2], "float32"), np.asarray([True, False]),
              np.asarray([[1, 2], [3, 5]], "int16")]  # fmt: skip
    for x in arrays:
        for n in (0, 0.5, -1, 300, True, np.nan, 1j, np.uint8(7), np.float32(0.1), 2**63):
            same(lambda m, x, n=n: m.diff(x, prepend=n), x)  # type: ignore[misc]
            same(lambda m, x, n=n: m.diff(x, append=n, axis=0), x)  # type: ignore[misc]
            same(lambda m, x, n=n: m.diff(x, prepend=n, append=[n] if x.ndim == 1 else 2), x)  # type: ignore[misc]


@pytest.mark.parametrize("bins", [2.5, 2.0, np.float64(3), 1j])
def test_numbers_of_bins_are_integers(bins: Any) -> None:
    for histogram in (xp.histogram, np.histogram):
        with pytest.raises(TypeError, match="integer"):
            histogram(xp.asarray([1, 2, 3]), bins=bins)


POWERS: dict[str, Callable[[Any, Any], Any]] = {
    "x ** n": lambda x, n: x**n,
    "x **= n": lambda x, n: operator.ipow(x, n),
    "pow(x, n)": lambda x, n: pow(x, n),
    "xp.pow": lambda x, n: xp.pow(x, n),
    "np.power": lambda x, n: np.power(x, n),
    "np.pow": lambda x, n: np.pow(x, n),
}


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool"])
@pytest.mark.parametrize("door", POWERS)
def test_integers_have_no_negative_powers(door: str, dtype: str) -> None:
    for n in (-1, -2, -(2**70), np.int8(-1), np.int64(-3)):
        x = xp.ones(2, dtype=dtype)
        if dtype == "uint64" and isinstance(n, np.integer):  # both promote to float64
            continue
        with pytest.raises((ValueError, OverflowError) if door.startswith("np") else ValueError):
            POWERS[door](x, n)
        assert x.tolist() == [1, 1]


def test_arrays_of_negative_exponents_give_0_through_every_door() -> None:
    x, n = xp.asarray([2, 3, 1, -1]), xp.asarray([-1, -2, -3, -1])
    for power in POWERS.values():
        assert power(x.copy(), n).tolist() == [0, 0, 1, -1]
        assert power(x.copy(), xp.asarray(-1)).tolist() == [0, 0, 1, -1]
    assert (xp.asarray([2, 4], dtype=xp.uint64) ** np.int64(-1)).tolist() == [0.5, 0.25]
    assert (2**n).tolist() == [0, 0, 0, 0] and (x**-1.0).tolist() == [0.5, 1 / 3, 1, -1]


SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")},
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "pow": lambda x, y: x**y if isinstance(y, (list, tuple)) else abs(y) ** [0, 1, 2],
}
LISTS: list[Any] = [[0, 1, 2], (3, 4, 5), [0.5, 1, 2], [True, 1, 2.5], [[1, 2, 3], [4, 5, 6]], [np.int8(3)], (7,)]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
@pytest.mark.parametrize("sign", SIGNS)
def test_operators_take_lists_and_tuples_of_numbers(sign: str, dtype: str) -> None:
    host = np.asarray([1, 2, 4], dtype)
    for values in LISTS:
        for call in (lambda x, v: SIGNS[sign](x, v), lambda x, v: SIGNS[sign](v, x)):
            with np.errstate(all="ignore"):
                expected, got = call(host, values), call(xp.asarray(host), values)  # type: ignore[no-untyped-call]
            assert got.dtype == expected.dtype, values
            assert np.allclose(to_host(got), expected, rtol=1e-6, equal_nan=True), values


def test_lists_beside_arrays_in_place_and_with_arrays_in_them() -> None:
    x = xp.asarray([1, 2, 3])
    x += [1, 2, 3]
    x *= (2, 2, 2)
    assert x.tolist() == [4, 8, 12]
    assert (x - [x[0], x[1], 2]).tolist() == [0, 0, 10]
    assert operator.add([x[0], 1, 1], x).tolist() == [8, 9, 13]
    assert (x == [4, 0, 12]).tolist() == [True, False, True]
    with pytest.raises(TypeError, match="in-place add"):
        x += [0.5, 0.5, 0.5]
    for ragged in ([[1], [1, 2]], [[1, 2], 3]):
        with pytest.raises(ValueError, match="inhomogeneous"):
            operator.add(x, ragged)
        with pytest.raises(ValueError, match="inhomogeneous"):
            assert x == ragged
    with pytest.raises(ValueError, match="broadcast"):
        operator.add(x, [1, 2])
    with pytest.raises(TypeError, match="unsupported operand"):
        operator.add(x, ["a"])
    assert bool(x == ["a"]) is False and bool(x != ["a"]) is True  # Python's answer where there are no numbers


def test_what_full_takes() -> None:
    assert xp.full((2,), np.bool_(True), dtype=xp.uint64).tolist() == [1, 1]
    assert xp.full((2,), np.float32(2.5), dtype=xp.int8).tolist() == [2, 2]
    assert xp.full((2,), np.int8(3)).dtype == "int8"


def test_matrix_products_take_lists_and_tuples() -> None:
    host = np.asarray([[1, 2], [3, 4]])
    x = xp.asarray(host)
    for values in ([1, 2], (0.5, 1), [[1, 2], [3, 4]]):
        assert np.array_equal(to_host(x @ values), host @ values)
        assert np.array_equal(to_host(operator.matmul(values, x)), values @ host)
    x @= [[0, 1], [1, 0]]
    assert x.tolist() == [[2, 1], [4, 3]]
    with pytest.raises(TypeError, match="unsupported operand"):
        operator.matmul(x, ["a"])
