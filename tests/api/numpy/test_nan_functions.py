"""Order statistics and statistics that ignore NaN, beside NumPy's."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

DTYPES = ["float32", "float64", "int32", "bool"]
SIMPLE = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "median", "nanmedian"]
AXES: list[Any] = [None, 0, -1, (0, 2), (0, 1, 2)]


def sample(dtype: str, shape: tuple[int, ...] = (5, 4, 7), seed: int = 3) -> Any:
    """Some elements are NaN, all of one row, and none of another."""
    rng = np.random.default_rng(seed)
    host = rng.integers(-9, 9, shape).astype(dtype)
    if host.dtype.kind == "f":
        host += rng.random(shape).astype(dtype)
        host[rng.random(shape) < 0.2] = np.nan
        host[1, 2], host[3, 1] = np.nan, 2.5
    return host


def expect(name: str, host: Any, *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return getattr(np, name)(host, *args, **options)


def check(got: xp.Array, expected: Any) -> None:
    assert got.shape == np.shape(expected)
    assert got.dtype == expected.dtype
    tolerance = 1e-5 if got.dtype == xp.float32 else 1e-12
    np.testing.assert_allclose(to_host(got), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SIMPLE)
def test_along_any_axes(name: str, dtype: str) -> None:
    host = sample(dtype)
    for axis in AXES:
        for keepdims in (False, True):
            got = getattr(xp, name)(xp.asarray(host), axis, keepdims=keepdims)
            check(got, expect(name, host, axis, keepdims=keepdims))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["nancumsum", "nancumprod", "nanargmax", "nanargmin"])
def test_along_one_axis(name: str, dtype: str) -> None:
    host = sample(dtype)
    if "arg" in name and host.dtype.kind == "f":
        host[1, 2] = 0.5
    for axis in (None, 0, 1):
        if "arg" in name and dtype.startswith("float") and np.isnan(host).all(axis=axis).any():
            continue
        check(getattr(xp, name)(xp.asarray(host), axis), expect(name, host, axis))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles(name: str, method: str) -> None:
    host = sample("float64")
    for q in (0.3, 0.0, 1.0, [0.1, 0.5, 0.77]):
        for axis in AXES:
            got = getattr(xp, name)(xp.asarray(host), q, axis, method=method)
            check(got, expect(name, host, np.asarray(q), axis, method=method))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint8", "int8"])
@pytest.mark.parametrize("method", ["lower", "higher", "nearest"])
def test_quantiles_of_integers_that_are_elements_are_integers(method: str, dtype: str) -> None:
    """They were float64, which does not hold the element."""
    top = np.iinfo(dtype).max
    host = np.asarray([[top, top - 2, 3, top - 4], [1, top, 0, top - 1]], dtype)
    for q in (0, 0.3, 0.5, [0.0, 0.5, 1.0]):
        for axis in (None, 0, 1):
            for function in (np.quantile, np.nanquantile):
                got = function(xp.asarray(host), q, axis=axis, method=method)  # type: ignore[call-overload]
                expected = np.asarray(function(host, q, axis=axis, method=method))  # type: ignore[call-overload]
                assert got.dtype == expected.dtype and np.array_equal(got.to_numpy(), expected)


def test_quantiles_of_infinities_and_of_one_element() -> None:
    host = np.array([-np.inf, np.inf, np.inf, 1.0])
    assert float(xp.quantile(xp.asarray(host), 0.9)) == np.inf
    assert float(xp.median(xp.asarray([7], dtype=xp.int8))) == 7


SPECIAL = (0.0, 1.5, -2.0, np.inf, -np.inf, np.nan)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_of_infinities_and_nan(name: str, count: int) -> None:
    """RELIABILITY A3: every row of special values, as NumPy's."""
    host = np.array(list(itertools.product(SPECIAL, repeat=count)))
    for dtype in ("float64", "float32", "float16"):
        rows = host.astype(dtype)
        for namespace in (xp, np):
            got = getattr(namespace, name)(xp.asarray(rows), axis=1)
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.to_numpy(), expect(name, rows, axis=1))
    cube = host[: 6**count // 2 * 2].reshape(2, -1, count)
    for axis in ((1, 2), (0, 2), None):
        got = getattr(xp, name)(xp.asarray(cube), axis=axis, keepdims=True).to_numpy()
        np.testing.assert_array_equal(got, expect(name, cube, axis, keepdims=True))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint64", "bool"])
def test_medians_of_the_largest_numbers(dtype: str) -> None:
    """The sum of the middle elements overflows where NumPy's does: not that of float16."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        host = np.array([[np.finfo(dtype).max] * 2, [np.finfo(dtype).smallest_subnormal, 0]], dtype)
    else:
        host = np.array(
            [[1, 0], [1, 1]] if kind == "b" else [[np.iinfo(dtype).max] * 2, [np.iinfo(dtype).min, 3]], dtype
        )
    for axis in (0, 1, None):
        expected = expect("median", host, axis)
        for name in ("median", "nanmedian"):  # NumPy's nanmedian of few float16 overflows
            got = getattr(np, name)(xp.asarray(host), axis)
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got.to_numpy(), expected)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_of_infinities_and_nan(name: str, method: str) -> None:
    """As NumPy's, but for its NaN at an infinite element and between equal ones."""
    q = np.array([0.0, 0.2, 0.25, 1 / 3, 0.5, 0.6, 0.75, 1.0])
    for count in (1, 2, 3, 4):
        host = np.array(list(itertools.product(SPECIAL, repeat=count)))
        got = getattr(xp, name)(xp.asarray(host), q, axis=1, method=method).to_numpy()
        expected = expect(name, host, q, axis=1, method=method)
        ends = [expect(name, host, q, axis=1, method=end) for end in ("lower", "higher")]
        expected = np.where(ends[0] == ends[1], ends[0], expected)
        np.testing.assert_array_equal(got, expected)


def test_permission_to_overwrite_is_taken() -> None:
    """RELIABILITY D; what the array holds afterwards is not promised, as in NumPy."""
    host = sample("float64")
    for name, more in (
        ("median", ()), ("nanmedian", ()), ("quantile", (0.3,)), ("percentile", (30,)), ("nanquantile", (0.3,)),
        ("nanpercentile", (30,)),
    ):  # fmt: skip
        for options in ({}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}):
            got = getattr(np, name)(xp.asarray(host), *more, overwrite_input=True, **options)
            check(got, expect(name, host, *more, **options))
    numpy: Any = np
    check(numpy.median(xp.asarray(host), None, None, True), expect("median", host))
    check(
        numpy.quantile(xp.asarray(host), 0.3, None, None, True, "weibull"),
        expect("quantile", host, 0.3, method="weibull"),
    )


def test_what_is_refused() -> None:
    x = xp.asarray([1.0, float("nan")])
    with pytest.raises(ValueError, match=r"q=1\.5"):
        xp.quantile(x, 1.5)
    with pytest.raises(ValueError, match="weibull"):
        xp.quantile(x, 0.5, method="weibull")
    with pytest.raises(ValueError, match="shape"):
        xp.quantile(xp.zeros((0,)), 0.5)
    with pytest.raises(TypeError, match="q of complex128"):
        xp.quantile(x, 1j)
    with pytest.raises(TypeError, match="complex"):
        xp.median(xp.asarray([1j]))
    with pytest.raises(ValueError, match="got slices with only NaN"):
        xp.nanargmax(xp.asarray([float("nan")]))


def test_numpys_functions_stay_on_the_device() -> None:
    host = sample("float64")
    x = xp.asarray(host)
    with xp.config.set(host_transfers="error"):
        for name in [*SIMPLE, "nancumsum", "nanargmax"]:
            if name == "nanargmax":
                host = np.nan_to_num(host)
                x = xp.asarray(host)
            check(getattr(np, name)(x), expect(name, host))
        quantile: Any = np.quantile
        check(quantile(x, 0.25, axis=1), expect("quantile", host, 0.25, axis=1))


IGNORING = [*SIMPLE, "nancumsum", "nancumprod", "nanargmax", "nanargmin"]
INFINITE = [
    [np.inf], [np.nan, np.inf], [0, 1, np.inf, -np.inf], [1, np.inf], [-np.inf, np.nan, 2], [np.inf, np.inf, np.nan],
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", IGNORING)
def test_infinities_are_not_missing(name: str, dtype: str) -> None:
    for numbers in INFINITE:
        host = np.array(numbers, dtype)
        np.testing.assert_array_equal(getattr(xp, name)(xp.asarray(host)), expect(name, host), str(numbers))
        if name in ("nanmean", "nanvar", "nanstd"):
            got = getattr(xp, name)(xp.asarray(host + 0j))
            np.testing.assert_array_equal(np.isnan(got), np.isnan(expect(name, host + 0j)), str(numbers))


@pytest.mark.parametrize("name", ["mean", "std", "var", "nanmean", "nanstd", "nanvar"])
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_means_have_floating_point_dtypes(name: str, dtype: str) -> None:
    with pytest.raises(TypeError, match=f"^{name}: got dtype={dtype}; allowed: floating-point dtypes"):
        getattr(xp, name)(xp.asarray([1.0, 2.0]), dtype=dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_dtypes_of_quantiles(name: str, dtype: str) -> None:
    """Quantiles that are elements have the dtype of the array, whatever q is."""
    host = np.arange(7).astype(dtype)
    fractions: list[Any] = [0.5, 1, [0.5], [0.25, 0.5], [0, 1], np.float32(0.5), np.asarray([0.5], "float32")]
    for method in ("lower", "higher", "nearest", "linear", "midpoint"):
        for q in fractions:
            if dtype == "int8" and method in ("linear", "midpoint"):  # NumPy's dtype depends on the values of q
                continue
            got = getattr(xp, name)(xp.asarray(host), q, method=method)
            expected = getattr(np, name)(host, q, method=method)
            assert got.dtype == expected.dtype, (method, q)
            np.testing.assert_array_equal(got, expected)
