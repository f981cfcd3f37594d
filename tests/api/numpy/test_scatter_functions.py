"""Extras that write to places of an array, or count them, beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(17)
A = rng.normal(size=(5, 6))
I = rng.integers(0, 5, 12)  # noqa: E741
COUNTED = rng.integers(0, 9, 40)
MASK = A > 0

# A key, and what is added there.
ADDED: dict[str, tuple[Any, Any]] = {
    "integers": (I, rng.normal(size=(12, 6))),
    "negative integers": (I - 5, 1.5),
    "two vectors": ((I, I % 3), rng.normal(size=12)),
    "a vector and a slice": ((I, slice(None, None, -2)), rng.normal(size=3)),
    "a list": ([0, 0, 4], 2),
    "a mask": (MASK, rng.normal(size=int(MASK.sum()))),
    "a slice": (slice(1, 4), rng.normal(size=6)),
    "a number": (2, 1.0),
    "everything": (..., A),
    "no places": (I[:0], 1.0),
}


def ours(value: Any) -> Any:
    """Arrays, in tuples too, as ours."""
    if isinstance(value, tuple):
        return tuple(map(ours, value))
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("host", [False, True], ids=["arrays", "host arrays"])
@pytest.mark.parametrize("name", ADDED)
def test_add_at(name: str, host: bool) -> None:
    key, value = ADDED[name]
    x, expected = xp.asarray(A), A.copy()
    np.add.at(expected, key, value)
    xp.add_at(x, key if host else ours(key), value if host else ours(value))
    assert_same(to_host(x), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint64", "int64"])
@pytest.mark.parametrize("how", [list, np.asarray, xp.asarray, float, int, np.float64, np.int16])
def test_what_is_added_has_numpys_dtype(dtype: str, how: Any) -> None:
    """Host values are not cast to the array's dtype first; sums that do not go into it are refused, as ``+=`` does."""
    value = [1.5, 100.25, -3.0] if how in (list, np.asarray, xp.asarray) else 100.25
    expected = np.arange(3).astype(dtype)
    x = xp.asarray(expected)
    host = (np.asarray if how in (list, xp.asarray) else how)(value)
    if not np.can_cast((expected + host).dtype, dtype, "same_kind"):
        with pytest.raises(TypeError, match="add_at: the sums have dtype"):
            xp.add_at(x, xp.asarray([0, 2, 0]), how(value))
        return
    xp.add_at(x, xp.asarray([0, 2, 0]), how(value))
    np.add.at(expected, [0, 2, 0], host)
    assert_same(to_host(x), expected)


def test_numpys_ufunc_at_is_add_at() -> None:
    x, expected = xp.asarray(A), A.copy()
    with xp.config.set(host_transfers="error"):
        np.add.at(x, xp.asarray(I), 1.5)
    np.add.at(expected, I, 1.5)
    assert_same(to_host(x), expected)


def test_pending_readers_of_the_array_have_the_old_values() -> None:
    x = xp.asarray(A)
    later, view = x * 2, x[1:]
    xp.add_at(x, xp.asarray([1, 1]), x[0])  # what is added is read from the array itself
    assert_same(to_host(later), A * 2)
    expected = A.copy()
    np.add.at(expected, [1, 1], A[0])
    assert_same(to_host(view), expected[1:])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_put_along_axis(axis: int) -> None:
    order, x, expected = np.argsort(A, axis=axis), xp.asarray(A), A.copy()
    values = rng.normal(size=A.shape)
    np.put_along_axis(expected, order, values, axis)
    xp.put_along_axis(x, xp.asarray(order), xp.asarray(values), axis=axis)
    assert_same(to_host(x), expected)
    xp.put_along_axis(x, xp.asarray(order[:1, :1]), 7, axis=axis)
    np.put_along_axis(expected, order[:1, :1], 7, axis)
    assert_same(to_host(x), expected)
    xp.put_along_axis(x, indices=xp.asarray(order[:1]), values=8, axis=axis)  # by NumPy's names
    np.put_along_axis(expected, order[:1], 8, axis)
    assert_same(to_host(x), expected)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "uint16", "bool"])
@pytest.mark.parametrize("minlength", [0, 4, 20])
def test_bincount(dtype: str, minlength: int) -> None:
    host = COUNTED.astype(dtype)
    assert_same(to_host(xp.bincount(xp.asarray(host), minlength=minlength)), np.bincount(host, minlength=minlength))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool"])
def test_bincount_with_weights(dtype: str) -> None:
    weights = (9 * rng.normal(size=40)).astype(dtype)
    got = xp.bincount(xp.asarray(COUNTED), xp.asarray(weights), 12)
    assert_same(to_host(got), np.bincount(COUNTED, weights, 12))


@pytest.mark.parametrize("minlength", [0, 3])
def test_bincount_of_nothing(minlength: int) -> None:
    nothing = COUNTED[:0]
    assert_same(
        to_host(xp.bincount(xp.asarray(nothing), minlength=minlength)), np.bincount(nothing, minlength=minlength)
    )
    for weights in (np.zeros(0, "float32"), np.ones(1)):  # NumPy counts, then
        assert_same(
            to_host(xp.bincount(xp.asarray(nothing), xp.asarray(weights), minlength)),
            np.bincount(nothing, weights, minlength),
        )


REFUSED: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "add_at: got list": (TypeError, lambda x: xp.add_at([1.0], xp.asarray([0]), 1.0)),  # type: ignore[arg-type]
    "add_at: the sums have dtype float64": (TypeError, lambda x: xp.add_at(xp.asarray([1]), xp.asarray([0]), x[0])),
    "add_at: got bool and bool": (TypeError, lambda x: xp.add_at(x > 0, xp.asarray([0]), True)),
    "add_at: shapes (2,) of the value and (3,)": (
        ValueError, lambda x: xp.add_at(x[0], xp.asarray([0, 1, 1]), xp.asarray([1.0, 2.0])),
    ),
    "index 5 is out": (IndexError, lambda x: xp.add_at(x, xp.asarray([5]), 1.0)),
    "put_along_axis: got indices with 1 axes": (ValueError, lambda x: xp.put_along_axis(x, xp.asarray([0]), 1.0)),
    "bincount: got float64": (TypeError, xp.bincount),
    "bincount: got integers that are negative": (ValueError, lambda x: xp.bincount(xp.asarray([1, -1]))),
    "bincount: got integers that are negative or above": (
        ValueError, lambda x: xp.bincount(xp.asarray([2**63, 1], dtype=xp.uint64)),
    ),
    "bincount: got weights of shape (5, 6)": (ValueError, lambda x: xp.bincount(xp.asarray([1, 2]), x)),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    error, call = REFUSED[what]
    x = xp.asarray(A)
    with pytest.raises(error) as raised:
        call(x)
    assert str(raised.value).startswith(what)
    assert_same(to_host(x), A)


@pytest.mark.parametrize("values", [[2**63 - 1, 4], [2**63 - 1], [-1, 3], [-(2**63), 2**63 - 1]])
def test_integers_that_cannot_be_counted_are_refused(values: list[int]) -> None:
    """NumPy's own bincount writes beyond its memory for the first two."""
    with pytest.raises((ValueError, MemoryError)):
        xp.compute(xp.bincount(xp.asarray(values, dtype=xp.int64)))


def test_a_negative_minlength_has_no_effect() -> None:
    assert xp.bincount(xp.asarray([1, 0, 1]), minlength=-1).to_numpy().tolist() == [1, 2]


@pytest.mark.parametrize("least", [2.5, None, "3"])
def test_a_minlength_is_an_integer(least: Any) -> None:
    with pytest.raises(TypeError):
        xp.bincount(xp.asarray([1, 0, 1]), minlength=least)
