"""Set functions against NumPy: every dtype, and NaN, which equals nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, apart_twin, assert_same, check_same, few, in_turn, launches, posing_as_gpu, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard import set_functions
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique_values_of_every_dtype(dtype: str) -> None:
    a = few(dtype, (30, 7))
    x = xp.asarray(a)
    result = xp.unique_all(x)
    expected = np.unique_all(a)
    for name in ("values", "indices", "inverse_indices", "counts"):
        assert_same(to_host(getattr(result, name)), getattr(expected, name))
    assert_same(to_host(xp.unique_values(x)), expected.values)
    counted, inverse = xp.unique_counts(x), xp.unique_inverse(x)
    assert_same(to_host(counted.values), expected.values)
    assert_same(to_host(counted.counts), expected.counts)
    assert_same(to_host(inverse.values), expected.values)
    assert_same(to_host(inverse.inverse_indices), expected.inverse_indices)


INTEGERS = [name for name in DTYPES if np.dtype(name).kind in "iu"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("extent", [1, 100, 5000, 2**31])
def test_unique_integers_of_any_range(dtype: str, extent: int) -> None:
    """Short ranges, whose numbers are marked, and long ones, at both ends of what the dtype has."""
    limits = np.iinfo(dtype)
    extent = min(extent, int(limits.max) - int(limits.min) + 1)
    offsets = np.random.default_rng(extent).integers(0, extent, (60, 50))
    for low in (int(limits.min), int(limits.max) - extent + 1):
        a = (offsets.astype(object) + low).astype(dtype)
        x = xp.asarray(a)
        expected = np.unique_inverse(a)
        assert_same(to_host(xp.unique_values(x)), expected.values)
        inverse = xp.unique_inverse(x)
        assert_same(to_host(inverse.values), expected.values)
        assert_same(to_host(inverse.inverse_indices), expected.inverse_indices)


def test_unique_integers_of_a_view_and_an_expression() -> None:
    a = few("int32", (30, 7))
    x = xp.asarray(a)
    assert_same(to_host(xp.unique_values(x[::-2, 1:].T)), np.unique(a[::-2, 1:]))
    assert_same(to_host(xp.unique_values(x * 3 - 7)), np.unique(a * 3 - 7))


def test_unique_integers_as_far_apart_as_can_be() -> None:
    """The difference of both ends is no int64."""
    a = np.array([2**63 - 1, -(2**63), 5, 2**63 - 1])
    assert_same(to_host(xp.unique_values(xp.asarray(a))), np.unique(a))


@pytest.mark.parametrize(("dtype", "n"), [("float32", 1), ("float32", 900), ("float32", 1500), ("int32", 1500)])
def test_unique_on_a_gpu(device: Device, dtype: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one group sorts; more than it does; and a short range."""
    if device.loops is not None:
        pytest.skip("kernels of GPUs: on the drivers")
    monkeypatch.setattr(tuning, "PER_ITEM", dict.fromkeys(tuning.PER_ITEM, 4))
    monkeypatch.setattr(tuning, "NETWORK_OWN", 4)
    a = few(dtype, n)
    if dtype == "float32":
        a[::7], a[::11] = np.arange(len(a[::7])), np.nan
    x = xp.asarray(a, device=posing_as_gpu(device))
    values, counts = np.unique(a, return_counts=True, equal_nan=False)
    assert_same(to_host(xp.unique_values(x)), values)
    for found, expected in zip(xp.unique_counts(x), (values, counts), strict=True):
        assert_same(to_host(found), expected)


def test_every_nan_is_unique() -> None:
    x = xp.asarray([np.nan, 1.0, np.nan, 1.0])
    values, counts = xp.unique_counts(x)
    assert to_host(counts).tolist() == [2, 1, 1]
    assert np.isnan(to_host(values)[1:]).all()


@pytest.mark.parametrize("shape", [(0,), (), (1,), (2, 0)])
def test_unique_of_little_and_nothing(shape: tuple[int, ...]) -> None:
    a = np.ones(shape)
    result, expected = xp.unique_all(xp.asarray(a)), np.unique_all(a)
    for one, other in zip(result, expected, strict=True):
        assert_same(to_host(one), other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("m", [0, 1, 5, 200])
def test_isin_of_every_dtype(dtype: str, m: int) -> None:
    a, b = sample(dtype, (40, 3)), sample(dtype, m, 1)
    b[: m // 2] = a.ravel()[: m // 2]
    check_same(lambda np_, x, y: np_.isin(x, y), a, b)
    check_same(lambda np_, x, y: np_.isin(x, y, invert=True), a, b)


@pytest.mark.parametrize("m", [3, 5, 15])
def test_isin_of_a_value_that_is_not_computed_is_an_expression(device: Device, m: int) -> None:
    """Among few values on GPUs, as on CPUs: it fuses, and takes operands that are larger than the device."""
    twin, host = posing_as_gpu(device), few("int32", (300, 20))
    among = xp.asarray(np.arange(m, dtype="int32"), device=twin)
    x = xp.asarray(host, device=twin)
    with launches() as listed:
        found = xp.isin(x + 1, among)
    assert not listed
    assert_same(to_host(found), np.isin(host + 1, np.arange(m)))
    streamed = xp.isin(xp.from_host(host, device=twin), among)
    assert streamed._node.streamed
    assert_same(to_host(streamed), np.isin(host, np.arange(m)))


def test_isin_takes_scalars() -> None:
    a = few("int32", 20)
    check_same(lambda np_, x: np_.isin(x, 3), a)
    check_same(lambda np_, x: np_.isin(3, x), a)


# Values without a dtype beside arrays of every kind, among them such as the array's dtype does not hold.
PYTHON_VALUES = [2, 1.5, [1.5, 2.0], [-255, 300, 2], [2, 2**40], [-1], [True], [], [[1.5], [2]]]


@pytest.mark.parametrize(("dtype", "values"), in_turn(DTYPES, PYTHON_VALUES, 4), ids=str)
def test_isin_takes_python_values_as_they_are(dtype: str, values: Any) -> None:
    a = np.array([0, 1, 2, 3, 44, 1], dtype)
    check_same(lambda np_, x: np_.isin(x, values), a)
    check_same(lambda np_, x: np_.isin(values, x), a)


@pytest.mark.parametrize("value", [0.1, [0.1, 2.0]])
def test_isin_takes_floats_in_the_precision_of_the_array(value: Any) -> None:
    x = xp.asarray([0.1, 2.5], dtype=xp.float32)
    assert to_host(xp.isin(x, value)).tolist() == [True, False]


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([None]), "a", None, [None]], ids=repr)
def test_isin_refuses_what_is_no_number(values: Any) -> None:
    x = xp.asarray([1, 2])
    for pair in ((x, values), (values, x)):
        with pytest.raises(TypeError, match="allowed"):
            xp.isin(*pair)


def test_nan_is_in_nothing() -> None:
    check_same(lambda np_, x: np_.isin(x, x), np.array([1.0, np.nan]))


@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_many_different_values_of_host_operands_are_sorted_in_host_memory(
    monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    host = (np.random.default_rng(2).random(5000) * 1e6).astype(dtype)
    if dtype == "float32":
        host[::100] = np.nan
    real, calls = xp.concat, []

    def full(arrays: Any, **options: Any) -> Any:
        if arrays[0].dtype == dtype:
            calls.append(len(arrays))
            raise MemoryError("no room")
        return real(arrays, **options)

    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 12)
    monkeypatch.setattr(set_functions, "concat", full)
    found = to_host(xp.unique_values(xp.from_host(host)))
    assert calls
    np.testing.assert_array_equal(found, np.unique(host, equal_nan=False))


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex128", "int32"])
def test_numpys_unique_counts_nan_once(dtype: str) -> None:
    """RELIABILITY A12: NaNs are one value by default, each a value with ``equal_nan=False``, as in the standard."""
    numpy: Any = np
    nan = np.nan
    for values in ([3, nan, 1, nan, 1, nan], [nan], [1, 2, 1], [], [[nan, 2], [nan, 2]]):
        host = np.nan_to_num(values).astype(dtype) if dtype == "int32" else np.array(values, dtype)
        if dtype == "complex128" and host.size:
            host.flat[0] = complex(1, nan)
        x = xp.asarray(host)
        options: list[dict[str, Any]] = [
            {}, {"return_counts": True}, {"return_index": True, "return_inverse": True, "return_counts": True},
            {"sorted": True}, {"axis": 0},
        ]  # fmt: skip
        for more in options:
            for equal_nan in ({}, {"equal_nan": False}):
                if "axis" in more and not host.size:
                    continue
                if dtype == "complex128" and equal_nan.get("equal_nan") is False:
                    continue  # NumPy has an order of its own
                expected, got = (numpy.unique(v, **more, **equal_nan) for v in (host, x))
                several = isinstance(expected, tuple)
                for one, other in zip(expected if several else [expected], got if several else [got], strict=True):
                    assert other.dtype == one.dtype
                    np.testing.assert_array_equal(
                        other.to_numpy(), one, err_msg=f"{values} {more} {equal_nan}", strict=True
                    )
        assert xp.unique_values(x).size == np.unique_values(host).size


@pytest.mark.parametrize("m", [3, 15, 16, 40])
def test_isin_refuses_arrays_of_two_devices(device: Device, m: int) -> None:
    """However many values there are, which decides how they are compared."""
    other = apart_twin(device) if device.host_shared else xp.asarray(0, device="cpu").device
    x, values = xp.arange(50, device=device), xp.arange(m, device=other)
    with pytest.raises(ValueError, match="isin: operands are on different devices"):
        xp.isin(x, values)
    with pytest.raises(ValueError, match="isin: operands are on different devices"):
        xp.isin(values, x)
