"""Every function of `arrayapi_gpu.numpy` gives NumPy's value, dtype and shape, for the calls of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support.numpy_calls import FFT, FUNCTIONS, LINALG, OPERANDS

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice

pytestmark = pytest.mark.usefixtures("device")

CALLS = [(name, f"np.{name}", call) for name, calls in FUNCTIONS.items() for call in calls]
CALLS += [(name, f"np.linalg.{name}", call) for name, calls in LINALG.items() for call in calls]
CALLS += [(name, f"np.fft.{name}", call) for name, calls in FFT.items() for call in calls]
NEAR = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}


def plain(value: Any) -> Any:
    """A result with host arrays in place of arrays."""
    if isinstance(value, xp.Array):
        return value.to_numpy()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, list):
        assert isinstance(got, list) and len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    elif isinstance(expected, (numpy.ndarray, numpy.generic, bool, int, float, complex)):
        one, other = numpy.asarray(got), numpy.asarray(expected)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        near = NEAR.get(other.dtype.name, 1e-11)
        if other.dtype.kind in "fc":
            numpy.testing.assert_allclose(one, other, rtol=near, atol=near)
        else:
            assert (one == other).all()
    else:
        assert got == expected


def value(source: str, namespace: Any, make: Any) -> Any:
    names = {name: make(host.copy()) for name, host in OPERANDS.items()}
    return plain(eval(source, {"np": namespace, **names}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "function", "call"), CALLS, ids=[call.format(f) for _, f, call in CALLS])
def test_values(name: str, function: str, call: str) -> None:
    source = call.format(function)
    expected = value(source, numpy, numpy.asarray)
    same(value(source, np, np.asarray), expected)
    if "order" in source or "'F'" in source or ".T" in source:
        return
    same(value(source, np, lambda host: host), expected)  # NumPy's arrays


@pytest.mark.parametrize(
    "source",
    [
        "np.sum([0, 1])",
        "np.sqrt(4)",
        "np.stack([[1, 2], [3, 4]], 1)",
        "np.dot([1], [2])",
        "np.asarray([1])",
        "np.zeros(3)",
    ],
)
def test_results_are_arrays(source: str) -> None:
    assert isinstance(eval(source), xp.Array)


def test_numbers_do_not_decide_dtypes() -> None:
    x = np.array([1, 2], "float32")
    for y in (np.clip(x, 0, 1.5), np.where(x > 1, x, 0.0), np.add(x, 1.0), np.nan_to_num(x, nan=1.0)):
        assert y.dtype == "float32"
    assert np.append(x, 5).dtype == numpy.append(numpy.array([1, 2], "float32"), 5).dtype


def test_lists_go_to_the_device_of_the_arrays(device: Any) -> None:
    x = np.asarray([1.0, 2.0], device=device)
    assert np.dot([3, 4], x).device == device and np.concatenate([[1.0], x]).device == device


@pytest.mark.parametrize(
    "source",
    [
        "np.add(x, y)", "np.hypot(x, y)", "np.fmax(x, y)", "np.divmod(x, y)", "np.add.outer(x, y)", "np.gcd(i, y)",
        "numpy.add(x, y)", "np.add([x, y], 1)", "np.concatenate([x, y])", "np.stack([x, y])", "np.array([x, y])",
        "np.sum([x, y])", "np.sort_complex([x, y])", "np.where(x > 1, x, y)", "np.dot(x, y)", "np.correlate(x, y)",
        "np.einsum('i,i', x, y)", "np.linalg.solve(np.diag(x), y)", "np.union1d(x, y)", "np.digitize(x, y)",
        "np.searchsorted(x, y)", "np.interp(x, y, y)", "np.isclose(x, y)", "np.copyto(x, y)", "np.convolve(x, y)",
        "np.apply_along_axis(np.add, 0, x, y)", "np.add(x, 1, y)", "np.add(x, 1, where=y > 0)",
        "np.select([x > 0], [y])", "np.sum(x, where=y > 0)",
    ],
)  # fmt: skip
def test_operands_of_two_devices_are_refused(source: str) -> None:
    """As in the standard's namespace, because a copy from one to the other must be seen in the program."""
    x, y = xp.ones(3), xp.ones(3, device=RecordingDevice("recording:numpy"))
    names = {"x": x, "y": y, "i": xp.ones(3, dtype="int64"), "np": np, "numpy": numpy}
    with pytest.raises(ValueError, match="operands are on different devices"):
        eval(source, names)


def test_values_that_devices_do_not_have_stay_numpys() -> None:
    for x in (np.array(["a", "b"]), np.array(["2020-01-01"], "datetime64[D]"), np.array([1, None]), np.zeros(2, "g")):
        assert isinstance(x, numpy.ndarray)
    assert np.sort(np.array(["b", "a"])).tolist() == ["a", "b"]
    assert np.concatenate([np.array(["b"]), np.array(["a"])]).tolist() == ["b", "a"]


def test_masked_arrays_stay_numpys() -> None:
    masked = np.ma.masked_greater([1.0, 2.0, 9.0], 5)
    assert float(np.mean(masked)) == 1.5 and isinstance(np.sqrt(masked), numpy.ma.MaskedArray)
    assert isinstance(np.sort(np.ma.array([2, 1])), numpy.ma.MaskedArray)
    with pytest.raises(ValueError, match=r"use x\.filled\(value\)"):
        np.concatenate([masked, np.ones(1)])


def test_transfers_are_refused() -> None:
    x = np.arange(3.0)
    with xp.config.set(host_transfers="error"):
        with pytest.raises(TypeError, match=r"numpy\.sort_complex is not implemented on the device"):
            np.sort_complex(x)
        assert np.unwrap([0.0, 1.0]).tolist() == [0, 1]  # nothing is copied from the device
        assert float(np.percentile(x, 50)) == 1


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("np.reshape([1, 2, 3], (2, 2))", ValueError),
        ("np.concatenate([[1], [[2]]])", ValueError),
        ("np.sum([1, 2], axis=3)", numpy.exceptions.AxisError),
        ("np.sum()", TypeError),
        ("np.sum([1], frobnicate=1)", TypeError),
        ("np.dot([1, 2], [1, 2, 3])", ValueError),
        ("np.linalg.inv([[1.0, 2], [2, 4]])", numpy.linalg.LinAlgError),
        ("np.take([1, 2], 5)", IndexError),
        ("np.dot([1.5], [1], out=np.zeros((), int))", ValueError),
        ("np.add([1.5], 1, out=np.zeros(1, int))", TypeError),
        ("np.sum([[1, 2]], 0, out=np.zeros(3))", ValueError),
    ],
)
def test_errors_are_numpys(source: str, error: type[Exception]) -> None:
    for namespace in (numpy, np):
        with pytest.raises(error):
            eval(source, {"np": namespace})


def test_functions_say_where_they_compute() -> None:
    assert np.sum.__name__ == "sum" and np.sum.__doc__ and "by `arrayapi_gpu.sum`" in np.sum.__doc__
    assert "host copies" in (np.sort_complex.__doc__ or "")
    assert np.linalg.inv.__module__ == "arrayapi_gpu.numpy.linalg"


def test_arguments_by_name() -> None:
    assert np.arange(start=1, stop=4).tolist() == np.arange(1, stop=4).tolist() == [1, 2, 3]  # type: ignore[call-arg]
    assert np.arange(stop=2).tolist() == [0, 1]  # type: ignore[call-arg]
    assert np.zeros(shape=(2, 1)).shape == (2, 1)
    with pytest.raises(TypeError):
        np.zeros()  # type: ignore[call-arg]


NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "append": lambda m, x: m.append(x, 1.5),
    "clip": lambda m, x: m.clip(x, 1, 2.5),
    "full_like": lambda m, x: m.full_like(x, 2.5),
    "interp": lambda m, x: m.interp(1.5, x, x),
    "linspace": lambda m, x: m.linspace(0, x, 3),
    "maximum": lambda m, x: m.maximum(x, 1.5),
    "nan_to_num": lambda m, x: m.nan_to_num(x, nan=1.5),
    "nanpercentile": lambda m, x: m.nanpercentile(x, 50),
    "nanquantile": lambda m, x: m.nanquantile(x, 0.5),
    "outer": lambda m, x: m.outer(x, 2.5),
    "percentile": lambda m, x: m.percentile(x, 50.0),
    "percentile of several": lambda m, x: m.percentile(x, [25, 50]),
    "power": lambda m, x: m.power(x, 2),
    "quantile": lambda m, x: m.quantile(x, 0.5),
    "searchsorted": lambda m, x: m.searchsorted(x, 1.5),
    "select": lambda m, x: m.select([x > 1], [x], 2.5),
    "where": lambda m, x: m.where(x > 1, x, 2.5),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_a_number_with_an_array_leaves_the_dtype_that_numpy_leaves(device: Device, name: str, dtype: str) -> None:
    host = numpy.asarray([1, 2, 4], dtype)
    expected = numpy.asarray(NUMBERS[name](numpy, host))
    found = numpy.asarray(NUMBERS[name](np, np.array(host)))
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == "float16" else 1e-6)


AS_IN_NUMPY = """
np.average(np.array([60000, 30000], "f2"), weights=[1, 2])
np.average(np.array([60000, 30000], "f2"), weights=np.array([1, 0.5], "f4"))
np.average(np.array([1, 2], "f4"), weights=np.array([1, 2]))
np.average(np.array([1, 2], "f4"), weights=np.array([1, 2], "f4"))
np.average(np.array([1, 2], "i1"), weights=np.array([1, 2], "f4"))
np.average(np.array([True, False]), weights=np.array([True, True]))
np.average(np.array([1, 2], "f4"), weights=[1j, 2])
np.average(np.array([[1.0, 2], [3, 4]]), -1, [1, 3], True)[1]
np.average(np.array([[1.0, 2], [3, 4]]), 0, returned=True)[1]
np.average(np.array([[1.0, 2], [3, 4]]), axis=(0, 1), weights=[[0, 1], [2, 3]], keepdims=True)
np.average(np.array([[1.0, 2], [3, 4]]), axis=(1, 0), weights=[[0, 1], [2, 3]])
np.average(np.array([1.0, 2]), weights=[0, 0])
np.average(np.array([[1.0, 2], [3, 4]]), axis=0, weights=[[0, 1], [0, 1]])
np.average(np.array([[1.0, 2], [3, 4]]), weights=[1, 2])
np.average(np.array([[1.0, 2], [3, 4]]), axis=1, weights=[1, 2, 3])
np.linalg.cond(np.zeros((2, 2)), 1)
np.linalg.cond(np.zeros((2, 2)), -1)
np.linalg.cond(np.zeros((2, 2)), np.inf)
np.linalg.cond(np.ones((3, 2)), 1)
np.linalg.cond(np.eye(2, dtype=bool), -1)
np.linalg.cond(np.array([[1, np.nan], [0, 1]]), 1)
np.linalg.cond(np.array([[[1.0, 2], [3, 4]], [[0, 0], [0, 0]]]), 1)
np.take(np.arange(3.0), [])
np.take(np.arange(6.0).reshape(2, 3), [[]], 1)
np.arange(3.0).take(())
np.bincount([])
np.bincount([], minlength=3)
np.ix_([], [0])[0]
np.put(np.arange(3.0), [], [])
np.full(2, 2**63)
np.full(2, 2**64 - 1)
np.full(2, 2**63 - 1)
np.divmod(np.array([1.0, -1, 0.0, -0.0, np.inf, np.nan]), -np.inf)[0]
np.divmod(np.array([1.0, -1, 0.0, -0.0, np.inf, np.nan]), np.inf)[0]
""".strip().splitlines()


@pytest.mark.parametrize("source", AS_IN_NUMPY)
@pytest.mark.filterwarnings("ignore")
def test_results_and_errors_are_numpys(device: Device, source: str) -> None:
    try:
        expected = eval(source, {"np": numpy})
    except Exception as error:
        with pytest.raises(type(error)):
            eval(source, {"np": np})
        return
    found = eval(source, {"np": np})
    if expected is None:
        assert found is None
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-6)
    if expected.dtype.kind == "f":
        numpy.testing.assert_array_equal(numpy.signbit(found)[found == 0], numpy.signbit(expected)[expected == 0])


def test_the_rank_of_least_squares_is_a_number(device: Device) -> None:
    rank = np.linalg.lstsq(np.eye(2), np.ones(2))[2]
    assert type(rank) is numpy.int32 and f"{rank}" == "2"
