"""NumPy's functions over our arrays give what they give over NumPy's, with arguments by name, by position, or None."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(12.0).reshape(3, 4)[::-1] * 1.5
I = np.array([[2, 0], [1, 1], [0, 2]])  # noqa: E741

ARANGE: Any = np.arange  # whose types, and signature, have no dtype by position, which it takes

# Given an array of ours or NumPy's, and what makes another one of the same library.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "sort of all": lambda x, of: np.sort(x, axis=None),
    "sort": lambda x, of: np.sort(x, 0, "stable"),
    "sort, defaults given": lambda x, of: np.sort(x, axis=-1, kind=None, stable=None),
    "argsort of all": lambda x, of: np.argsort(x, axis=None),
    "argsort by name": lambda x, of: np.argsort(x, kind="stable", axis=1),
    "concatenate flat": lambda x, of: np.concatenate([x, x], axis=None),
    "concatenate with NumPy's": lambda x, of: np.concatenate([A, x]),
    "cumsum of all": lambda x, of: np.cumsum(x, axis=None),
    "cumsum, defaults given": lambda x, of: np.cumsum(x, None, None, None),
    "cumprod of all": lambda x, of: np.cumprod(x, axis=None),
    "cumulative_sum": lambda x, of: np.cumulative_sum(x, axis=0, include_initial=True),
    "take of all": lambda x, of: np.take(x, of(I), axis=None),
    "take": lambda x, of: np.take(x, of(I), axis=0),
    "take by a list": lambda x, of: np.take(x, [1, 2]),
    "take_along_axis of all": lambda x, of: np.take_along_axis(x, of(np.array([3, 1])), axis=None),
    "take_along_axis": lambda x, of: np.take_along_axis(x, of(I), axis=1),
    "sum, defaults given": lambda x, of: np.sum(x, axis=None, dtype=None, out=None),
    "max of all": lambda x, of: np.max(x, None),
    "amax of all": lambda x, of: np.amax(x, axis=None),
    "argmax of all": lambda x, of: np.argmax(x, axis=None),
    "count_nonzero of all": lambda x, of: np.count_nonzero(x, axis=None, keepdims=True),
    "flip of all": lambda x, of: np.flip(x, None),
    "roll of all": lambda x, of: np.roll(x, 1, axis=None),
    "repeat of all": lambda x, of: np.repeat(x, 2, axis=None),
    "squeeze": lambda x, of: np.squeeze(x[None], axis=None),
    "arange by position": lambda x, of: ARANGE(2, 9, 2, "float32", like=x),
    "arange by name": lambda x, of: np.arange(9, step=2, dtype="int16", like=x),
    "arange up to": lambda x, of: np.arange(4.5, like=x),
    "transpose": lambda x, of: np.transpose(x, None),
    "all of all": lambda x, of: np.all(x, axis=None, keepdims=True),
    "mean": lambda x, of: np.mean(x, axis=None),
    "var of all": lambda x, of: np.var(x, None, ddof=1),
    "std": lambda x, of: np.std(x, axis=0, correction=1),
    "where alone": lambda x, of: np.where(x > 4),
    "where with a number": lambda x, of: np.where(x > 4, x.astype("float32"), 0),
    "where of integers": lambda x, of: np.where(of(I), 1, 0),
    "where with NumPy's": lambda x, of: np.where(x > 4, A, x),
    "nonzero": lambda x, of: np.nonzero(x),
    "swapaxes of one axis": lambda x, of: np.swapaxes(x, 0, 0),
    "swapaxes": lambda x, of: np.swapaxes(x, -1, 0),
    "moveaxis by lists": lambda x, of: np.moveaxis(x, [0], [1]),
    "roll by lists": lambda x, of: np.roll(x, [1, 2], axis=[0, 1]),
    "tile by a number": lambda x, of: np.tile(x, 2),
    "expand_dims by a list": lambda x, of: np.expand_dims(x, axis=[0, 1]),
    "fft, defaults given": lambda x, of: np.fft.fft(x, n=None, norm=None),
    "fftn, defaults given": lambda x, of: np.fft.fftn(x, s=None, axes=None, norm=None),
    "vector_norm of all": lambda x, of: np.linalg.vector_norm(x, axis=None),
    "clip from above": lambda x, of: np.clip(x, None, 3),
    "clip by names": lambda x, of: np.clip(x, a_max=3, a_min=None),
    "clip by new names": lambda x, of: np.clip(x, max=3),
    "clip of integers": lambda x, of: np.clip(x.astype("int64"), 0.5, 2.5),
    "clip of small integers": lambda x, of: np.clip(x.astype("int8"), 0.5, None),
    "clip of float32": lambda x, of: np.clip(x.astype("float32"), 0.5, 2.5),
    "around": lambda x, of: np.around(x, 0),
    "searchsorted": lambda x, of: np.searchsorted(x[2], x[1], sorter=None),
    "zeros_like": lambda x, of: np.zeros_like(x, dtype=None, order="K"),
    "full_like": lambda x, of: np.full_like(x, 3, dtype="int8"),
    "meshgrid": lambda x, of: np.meshgrid(x[0], x[1], indexing="ij"),
    "tensordot": lambda x, of: np.tensordot(x, x, axes=2),
    "dot with NumPy's": lambda x, of: np.dot(A, x.T),
    "outer with NumPy's": lambda x, of: np.outer(A, x),
    "hstack with NumPy's": lambda x, of: np.hstack([A, x]),
    "add with a list": lambda x, of: np.add([1, 2, 3, 4], x),
    "array_equal": lambda x, of: np.array_equal(x, A, equal_nan=True),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpys_functions_mean_what_they_mean(name: str) -> None:
    expected = CALLS[name](A, np.asarray)
    got = CALLS[name](xp.asarray(A), xp.asarray)
    if not isinstance(expected, (tuple, list)):
        expected, got = (expected,), (got,)
    for one, other in zip(got, expected, strict=True):
        host = to_host(one) if isinstance(one, xp.Array) else np.asarray(one)
        assert_same(host, np.asarray(other), ulps=4 if name in ("std", "var of all", "fftn, defaults given") else 0)


SHORTS = ("int8", "uint8", "int16", "int32", "uint64", "float16", "float32", "float64")


@pytest.mark.parametrize("dtype", SHORTS)
@pytest.mark.parametrize("limit", SHORTS)
def test_limits_promote_as_in_numpy(dtype: str, limit: str) -> None:
    """In NumPy's function and the method; that of the standard has the dtype of the array."""
    host, low, high = np.array([1, 5, 100], dtype), np.array(2, limit), np.array([90, 4, 90], limit)
    x, least, most = (xp.asarray(value) for value in (host, low, high))
    wanted = np.clip(host, low, high)
    calls: list[Any] = [
        np.clip(x, least, most), np.clip(x, low, high), x.clip(least, most), np.clip(host, least, most),
        NUMPY.clip(x, min=least, max=most),
    ]  # fmt: skip
    for got in calls:
        assert_same(to_host(got), wanted)
    assert_same(to_host(np.clip(x, None, most)), np.clip(host, None, high))


CHOOSING: dict[str, Any] = {
    "sort": lambda x, kind: np.sort(x, kind=kind),
    "argsort": lambda x, kind: np.argsort(x, kind=kind),
    "partition": lambda x, kind: np.partition(x, 1, kind=kind),
    "argpartition": lambda x, kind: np.argpartition(x, 1, kind=kind)[1:2],
    "isin": lambda x, kind: np.isin(x, x[:1], kind=kind),
}


@pytest.mark.parametrize("name", CHOOSING)
@pytest.mark.parametrize("kind", [None, "stable", "heapsort", "introselect", "table", "sort", "", "zz", 3])
def test_algorithms_that_numpy_does_not_have_are_errors(name: str, kind: Any) -> None:
    host = np.array([3, 1, 2])
    try:
        wanted = CHOOSING[name](host, kind)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error), match="kind"):
            CHOOSING[name](xp.asarray(host), kind)
    else:
        assert_same(to_host(CHOOSING[name](xp.asarray(host), kind)), wanted)


NUMPY: Any = np  # whose types may be those of another release
DESCENDS = "descending" in str(inspect.signature(np.sort))  # from NumPy 2.5 on


@pytest.mark.skipif(not DESCENDS, reason="this NumPy sorts upwards alone")
@pytest.mark.parametrize("name", ["sort", "argsort"])
@pytest.mark.parametrize("descending", [True, False, None])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_sorts_downwards(name: str, descending: bool | None, axis: int | None) -> None:
    host = np.array([[2, np.nan, 1, 2], [np.inf, 1, -0.0, 0]])
    options = {"axis": axis, "stable": True, "descending": descending}
    x = xp.asarray(host)
    with xp.config.set(host_transfers="error"):
        got = getattr(NUMPY, name)(x, **options)
    assert_same(to_host(got), getattr(NUMPY, name)(host, **options))
    with pytest.raises(ValueError, match="kind"):
        getattr(NUMPY, name)(x, kind="stable", descending=descending or False)


halved = np.frompyfunc(lambda a: float(a) / 2, 1, 1)
powers = np.frompyfunc(lambda a: (a, a * a), 1, 2)
add = np.frompyfunc(lambda a, b: float(a) - float(b), 2, 1)  # not what NumPy has under this name

# Ufuncs that are not NumPy's. `frompyfunc` gives objects, for which we have no dtype.
OTHER_UFUNCS: dict[str, Callable[[Any, Any], Any]] = {
    "call": lambda x, of: halved(x),
    "two results": lambda x, of: powers(x),
    "of a name of NumPy's": lambda x, of: add(x, 1),
    "with NumPy's": lambda x, of: add(A, x),
    "reduce": lambda x, of: add.reduce(x, axis=1),
    "accumulate": lambda x, of: add.accumulate(x),
    "outer": lambda x, of: add.outer(x, x[0]),
    "out": lambda x, of: halved(x, out=of(np.zeros(A.shape)), casting="unsafe"),
    "where": lambda x, of: halved(x, out=of(np.ones(A.shape)), where=of(A > 4), casting="unsafe"),
}


@pytest.mark.parametrize("name", OTHER_UFUNCS)
def test_ufuncs_that_are_not_numpys_go_through_the_host(name: str) -> None:
    expected = OTHER_UFUNCS[name](A, np.asarray)
    got = OTHER_UFUNCS[name](xp.asarray(A), xp.asarray)
    assert isinstance(got, xp.Array) == (name in ("out", "where"))
    np.testing.assert_array_equal(np.asarray(got, dtype=float), np.asarray(expected, dtype=float))


def test_swapping_an_axis_with_itself_is_a_view() -> None:
    x = xp.asarray(A)
    np.swapaxes(x, 0, 0)[0, 0] = -1.0
    assert float(x[0, 0]) == -1


def test_numbers_beside_arrays_stay_weak_with_out() -> None:
    x, out = xp.asarray([0.1, 0.2], dtype=xp.float32), xp.empty(2, dtype=xp.float64)
    np.add(x, 0.7, out=out)  # type: ignore[call-overload]
    assert out.tolist() == to_host(x + 0.7).tolist()
    np.add(1, 2, out=out)  # type: ignore[call-overload]
    assert out.tolist() == [3, 3]


UNSAFE = [("float64", "int64"), ("float32", "uint8"), ("int64", "uint64"), ("complex64", "float64"), ("int8", "bool")]
SAFE = [("int64", "int8"), ("float64", "float32"), ("bool", "int8"), ("int64", "float16"), ("float32", "complex64")]


@pytest.mark.parametrize(("source", "target"), [*UNSAFE, *SAFE])
@pytest.mark.parametrize("whose", ["NumPy's", "ours"])
def test_results_go_into_arrays_by_numpys_rule(whose: str, source: str, target: str) -> None:
    """NumPy's default, "same_kind": for ``out=``, and for NumPy's arrays in place."""
    x, host = xp.ones(3, dtype=source), np.full(3, 1, target)
    out: Any = host if whose == "NumPy's" else xp.asarray(host)
    if (source, target) in UNSAFE:
        with pytest.raises(TypeError, match=f"{source}.*{target}"):
            np.multiply(x, x, out=out)
        assert out.tolist() == host.tolist()
    else:
        assert np.multiply(x, x, out=out) is out
        assert out.dtype == target and out.tolist() == [1, 1, 1]


def test_numpys_arrays_in_place_do_not_truncate() -> None:
    host = np.arange(3)
    with pytest.raises(TypeError, match=r"float64.*int64"):
        host += xp.ones(3)
    assert host.tolist() == [0, 1, 2]
    real = np.zeros(3, "float32")
    real += xp.ones(3)
    assert real.tolist() == [1, 1, 1]


INTEGRAL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def extremes(dtype: str) -> Any:
    if dtype == "bool":
        return np.array([True, False])
    info = np.iinfo(dtype)
    return np.array([info.min, info.min + 1, 0, 5, info.max - 1, info.max], dtype)


@pytest.mark.parametrize("one", INTEGRAL)
def test_isclose_of_integers_does_not_wrap(one: str) -> None:
    """Against Python's integers. Distances are rounded once, to float64."""
    for other, (rtol, atol) in itertools.product(INTEGRAL, [(0, 0), (0, 1), (1e-5, 1e-8), (0.25, 0), (0, 2.0**40)]):
        x, y = (v.ravel() for v in np.meshgrid(extremes(one), extremes(other)))
        expected = [abs(int(a) - int(b)) <= atol + rtol * abs(int(b)) for a, b in zip(x, y, strict=True)]
        got = np.isclose(xp.asarray(x), xp.asarray(y), rtol=rtol, atol=atol)
        assert to_host(got).tolist() == expected, (other, rtol, atol)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "options",
    [{}, {"equal_nan": True}, {"rtol": 0.25}, {"atol": 1.0, "rtol": 0}, {"atol": np.linspace(0, 2, 49)}],
    ids=["plain", "equal_nan", "rtol", "atol", "atol as an array"],
)
def test_isclose_of_floats_is_numpys(dtype: str, options: dict[str, Any]) -> None:
    values = np.array([1, np.nan, np.inf, -np.inf, 0.0, 1e-9, 1.0000001], dtype)
    x, y = (v.ravel() for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = np.isclose(x, y, **options)
        close = np.allclose(x, y, **options)
    ours: Any = (xp.asarray(x), xp.asarray(y))
    assert to_host(np.isclose(*ours, **options)).tolist() == expected.tolist()
    assert np.allclose(*ours, **options) is close
    assert np.allclose(ours[0], ours[0], equal_nan=True) is True


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128", "int32", "bool"])
def test_nan_to_num_writes_into_the_array_without_copy(dtype: str) -> None:
    """RELIABILITY D: the values that NumPy gives, in the array itself and in views."""
    host = np.array([1, 2, np.nan, np.inf, -np.inf, 0])
    if np.dtype(dtype).kind == "c":
        host = (host[::-1] + np.zeros(6, complex)).astype(dtype)
        host.imag = [np.inf, 0, 1, np.nan, -np.inf, np.nan]
    else:
        host = (host if np.dtype(dtype).kind == "f" else np.arange(6)).astype(dtype)
    cases: list[dict[str, Any]] = [{}, {"nan": 5.0}, {"posinf": 3}, {"neginf": -7.5, "nan": 2}, {"nan": np.nan}]
    for options in cases:
        for copy in (True, False):
            theirs, ours = host.copy(), xp.asarray(host)
            expected, got = np.nan_to_num(theirs, copy=copy, **options), np.nan_to_num(ours, copy=copy, **options)
            np.testing.assert_array_equal(got.to_numpy(), expected, strict=True)
            np.testing.assert_array_equal(ours.to_numpy(), theirs)
            assert (got is ours) == (expected is theirs)
    ours = xp.asarray(host)
    np.nan_to_num(ours[1:], copy=False)
    np.testing.assert_array_equal(ours.to_numpy()[1:], np.nan_to_num(host[1:]))


def test_out_by_position() -> None:
    """What NumPy computes on the host is written into our array, also where ``out`` has no name in the call."""
    numpy: Any = np
    out = xp.zeros((4,))
    assert numpy.cumsum(xp.arange(4.0), None, None, out) is out
    assert out.tolist() == [0.0, 1.0, 3.0, 6.0]
    out = xp.zeros(())
    assert numpy.median(xp.arange(4.0), None, out) is out
    assert float(out) == 1.5


# --- arrays like one of ours

LIKE: dict[str, Callable[[xp.Array, Any], Any]] = {
    "empty_like": lambda x, dtype: np.empty_like(x, dtype=dtype),
    "full_like": lambda x, dtype: np.full_like(x, 0, dtype=dtype),
    "ones_like": lambda x, dtype: np.ones_like(x, dtype),
    "zeros_like": lambda x, dtype: np.zeros_like(x, dtype, "F", False, (3, 2)),
    "zeros": lambda x, dtype: np.zeros((2,), dtype=dtype, like=x),
    "ones": lambda x, dtype: np.ones(2, dtype, like=x),
    "full": lambda x, dtype: np.full(2, 0, dtype=dtype, like=x),
    "asarray": lambda x, dtype: np.asarray([0, 1], dtype=dtype, like=x),
}
FOREIGN_DTYPES = {
    "fields": [("vals", "f8"), ("arg", "i8")],  # dask asks for it, and takes a dictionary after a TypeError
    "text": "U3",
    "objects": object,
    "long double": np.longdouble,
}


@pytest.mark.skipif(np.dtype(np.longdouble) == np.float64, reason="long double is float64 here")
@pytest.mark.parametrize("dtype", FOREIGN_DTYPES)
@pytest.mark.parametrize("name", LIKE)
def test_what_is_like_an_array_of_ours_is_one_or_refused(name: str, dtype: str) -> None:
    x = xp.ones((2, 3))
    assert isinstance(LIKE[name](x, "float32"), xp.Array)
    with pytest.raises(TypeError, match=rf"numpy\.{name}: got dtype .*; allowed: .*; pass x"):
        LIKE[name](x, FOREIGN_DTYPES[dtype])
