"""Order statistics and statistics that ignore NaN, beside NumPy's."""

from __future__ import annotations

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


def test_quantiles_of_infinities_and_of_one_element() -> None:
    host = np.array([-np.inf, np.inf, np.inf, 1.0])
    assert float(xp.quantile(xp.asarray(host), 0.9)) == np.inf
    assert float(xp.median(xp.asarray([7], dtype=xp.int8))) == 7


def test_what_is_refused() -> None:
    x = xp.asarray([1.0, float("nan")])
    with pytest.raises(ValueError, match=r"q=1\.5"):
        xp.quantile(x, 1.5)
    with pytest.raises(ValueError, match="weibull"):
        xp.quantile(x, 0.5, method="weibull")
    with pytest.raises(ValueError, match="shape"):
        xp.quantile(xp.zeros((0,)), 0.5)
    with pytest.raises(ValueError, match="q=1j"):
        xp.quantile(x, 1j)
    with pytest.raises(TypeError, match="complex"):
        xp.median(xp.asarray([1j]))
    with pytest.raises(ValueError, match="all elements are NaN"):
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
