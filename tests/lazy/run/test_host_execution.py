"""Small graphs are computed by NumPy, with the bits of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.run.evaluate import evaluate, plans

HostArray = np.ndarray[Any, Any]

pytestmark = pytest.mark.usefixtures("host_shared")


@pytest.fixture(autouse=True)
def on_host() -> Iterator[None]:
    with config.set(small_on_host=True):
        yield


def both_ways(compute: Callable[[], Any]) -> tuple[HostArray, list[str]]:
    """A value that NumPy computed, which is that of the kernels; and what computed it."""
    with config.set(small_on_host=False):
        expected = to_host(compute())
    plans.clear()  # a plan that was kept would launch kernels again
    with xp.record() as made:
        got = to_host(compute())
    assert_same(got, expected)
    return got, [launch.library for launch in made]


EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "operations": lambda x, y: xp.where((x + y) * 2 > 1, x / y, -y),
    "a value twice": lambda x, y: (z := x + y) * z - z,
    "a view": lambda x, y: (x + y)[1:, ::-1] * 2,
    "views of one value": lambda x, y: (z := x * y)[1:] - z[:-1],
    "a view of a view": lambda x, y: (x + y)[1:][:, 2] - 1,
    "an element": lambda x, y: (x - y)[1, 2],
    "a permutation": lambda x, y: xp.permute_dims(x + y, (1, 0)) + xp.permute_dims(y, (1, 0)),
    "a reshape": lambda x, y: xp.reshape(x + y, (-1,)) * 3,
    "a reshape of a permutation": lambda x, y: xp.reshape(xp.permute_dims(x + y, (1, 0)), (-1,)) * 3,
    "a broadcast": lambda x, y: (x + 1)[:, None, :] * (y + 1)[None],
    "a roll": lambda x, y: xp.roll(x + y, (1, -2), axis=(0, 1)) * 2,
    "a concatenation": lambda x, y: xp.concat([x, y + 1], axis=1) * 2,
    "a stack": lambda x, y: xp.max(xp.stack([x, y, x + y]), axis=0),
    "a sum": lambda x, y: xp.sum((x + y) * x, axis=0),
    "a sum that is broadcast": lambda x, y: x - xp.sum(x, axis=1, keepdims=True),
    "a variance": lambda x, y: xp.var(x + y, axis=1),
    "a mean": lambda x, y: xp.mean(x),
    "a maximum": lambda x, y: xp.max(x, axis=0) - xp.min(y),
    "positions": lambda x, y: xp.argmax(x, axis=1),
    "a count": lambda x, y: xp.count_nonzero(x > y, axis=0),
    "truth": lambda x, y: xp.any(x > y, axis=0) | xp.all(x < y),
    "a range": lambda x, y: xp.arange(7) * 2 + 1,
    "a triangle": lambda x, y: xp.tril(x + 1),
    "an identity": lambda x, y: xp.eye(4, 5) + 1,
    "a constant": lambda x, y: xp.full((3, 4), 2.5) - 1,
    "a cast": lambda x, y: xp.astype(x * 100, xp.int8),
    "elements at places": lambda x, y: xp.take(x, xp.asarray([2, 0, 2]), axis=0) + 1,
    "a selection": lambda x, y: x[x > y],
    "rows at places": lambda x, y: x[xp.asarray([1, -1])],
    "elements of nothing": lambda x, y: xp.sum(x[:0], axis=0) + 1,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_has_the_bits_of_the_kernels(device: Device, name: str, dtype: str) -> None:
    if dtype == "int16" and name in ("operations", "a variance", "a mean"):
        pytest.skip("its division gives floats: float64 is tested")
    x, y = xp.asarray(sample(dtype, (4, 5), 1)), xp.asarray(sample(dtype, (4, 5), 2))
    _, libraries = both_ways(lambda: EXPRESSIONS[name](x, y))
    assert device.loops is not None or set(libraries) <= {"NumPy"}


def test_an_operation_with_bits_of_its_own_has_a_kernel_for_itself_alone(device: Device) -> None:
    by_numpy(device)
    x = xp.asarray(sample("float64", 100))
    with config.set(small_on_host=False):
        to_host(xp.exp(x))
    compiled = device.kernels_compiled
    assert [name == "NumPy" for name in both_ways(lambda: xp.exp(x + 1))[1]] == [True, False]
    assert [name == "NumPy" for name in launched(lambda: xp.exp((x + 1) * x) * 2)] == [True, False, True]
    assert [name == "NumPy" for name in launched(lambda: xp.sum(xp.exp(x - 1)))] == [True, False, True]
    assert device.kernels_compiled <= compiled + 1  # that of the expression which kernels alone computed


def by_numpy(device: Device) -> None:
    """Skip a test of NumPy's part on devices whose loops do it."""
    if device.loops is not None:
        pytest.skip("its loops compute the values that NumPy computes elsewhere")


def launched(compute: Callable[[], Any]) -> list[str]:
    """What computes a value: libraries, or nothing for kernels."""
    with xp.record() as made:
        to_host(compute())
    return [launch.library for launch in made]


def test_several_operations_with_bits_of_their_own_are_fused(device: Device) -> None:
    x = xp.asarray(sample("float64", 100))
    assert both_ways(lambda: xp.exp(x + 1) * xp.sin(x))[1] == [""]


@pytest.mark.parametrize("name", ["square", "cast_f64"])
def test_a_kernel_of_a_user_is_launched_whatever_its_name(device: Device, name: str) -> None:
    """It may have the name of an operation that NumPy computes."""
    by_numpy(device)
    cube = xp.ElementwiseKernel("float64 x", "float64 y", "y = x * x * x", name)
    x = xp.asarray(sample("float64", 10))
    got, libraries = both_ways(lambda: cube(x) + 1)
    assert libraries == ["", "NumPy"]
    assert_same(got, to_host(x) * to_host(x) * to_host(x) + 1)


def test_a_kernel_of_its_own_below_an_expression_is_launched(device: Device) -> None:
    by_numpy(device)
    x = xp.asarray(sample("float64", 100))
    assert both_ways(lambda: xp.cumulative_sum(x) * 2 + 1)[1][-1] == "NumPy"


def test_more_elements_are_computed_by_kernels(device: Device) -> None:
    x = xp.asarray(sample("float64", tuning.ON_HOST + 1))
    for function in (lambda: x + 1, lambda: xp.max(x)):
        assert "NumPy" not in both_ways(function)[1]


def test_a_held_value_that_is_met_is_kept(device: Device) -> None:
    x = xp.asarray(sample("float64", 100))
    inner = x + 1
    outer = inner * 2
    to_host(outer)
    with xp.record() as made:
        to_host(inner)
    assert not made


def test_a_view_and_its_root_are_one_memory(device: Device) -> None:
    root = xp.asarray(sample("float64", 9)) + 1
    view, other = root[2:], root[::2]
    to_host(view * 2)
    view[0] = 100
    assert float(root[2]) == float(other[1]) == 100


@pytest.mark.parametrize("value", [5.0, [1.0, 2.0, 3.0]], ids=["one", "several"])
@pytest.mark.parametrize(
    "key",
    [
        np.array([True, False, True, True, False]),
        np.array([4, 0, -2]),
        (np.array([True, False, True, True, False]), slice(1, 4)),
        (slice(None), np.array([3, 1, 3])),
        (np.array([[0], [4]]), np.array([0, 3, 2])),
    ],
    ids=["mask", "places", "mask and slice", "places twice", "places of both axes"],
)
def test_assignments_are_numpys(device: Device, key: Any, value: Any) -> None:
    expected = sample("float64", (5, 5))
    x = xp.asarray(expected)
    pending = x + 1
    before = expected + 1
    if isinstance(value, list) and isinstance(key, np.ndarray):
        value = np.array(value)[:, None]
    items = tuple(xp.asarray(k) if isinstance(k, np.ndarray) else k for k in (key if type(key) is tuple else (key,)))
    with xp.record() as made:
        x[items] = xp.asarray(value)
        xp.compute(x)
    expected[key] = value
    if device.loops is None:  # loops compute the values
        assert {launch.library for launch in made} == {"NumPy"}
    assert_same(to_host(x), expected)
    assert_same(to_host(pending), before)


def test_an_assignment_from_the_array_itself_reads_it_first(device: Device) -> None:
    expected = np.arange(9.0)
    x = xp.asarray(expected)
    x[xp.asarray([0, 1, 2, 3])] = x[1:5]
    assert to_host(x).tolist() == [1, 2, 3, 4, 4, 5, 6, 7, 8]
    x[x < 4] = x[2:5][::-1]
    assert to_host(x).tolist() == [4, 4, 3, 4, 4, 5, 6, 7, 8]
    x[:] = xp.asarray([1.0, 2, 3, 4, 4, 5, 6, 7, 8])
    x[1:] = x[:-1] + x[1:]
    assert to_host(x).tolist() == [1, 3, 5, 7, 8, 9, 11, 13, 15]


def test_errors_are_those_of_the_kernels_way(device: Device) -> None:
    x = xp.asarray(np.arange(5.0))
    for key in (np.array([5]), np.array([-6]), np.array([True, False])):
        with pytest.raises(IndexError, match=r"index.* allowed: "):
            x[xp.asarray(key)]
        with pytest.raises(IndexError, match=r"index.* allowed: "):
            x[xp.asarray(key)] = 1
    with pytest.raises(ValueError, match="could not be broadcast"):
        x[xp.asarray([0, 1])] = xp.asarray([1.0, 2.0, 3.0])
    assert to_host(x).tolist() == [0, 1, 2, 3, 4]


def test_exposed_memory_is_read_when_the_value_is_made(device: Device) -> None:
    host = np.arange(5.0)
    x = xp.asarray(host, copy=False)
    y = x + 1
    host[:] = 7
    assert to_host(y).tolist() == [1, 2, 3, 4, 5]
    assert to_host(x + 1).tolist() == [8] * 5


def test_explain_says_what_numpy_computes(device: Device) -> None:
    by_numpy(device)
    x = xp.asarray(np.arange(5.0))
    words = "by NumPy while the device rests"
    for expression in (x * 2 + 1, xp.sum(x), x / xp.sum(x * x)):
        assert words in xp.explain(expression)
        with config.set(small_on_host=False):
            assert words not in xp.explain(expression)
    lines = [line for line in xp.explain(xp.exp(x * 2) + 1).splitlines() if line.startswith("# launch")]
    assert [words in line for line in lines] == [True, False, True]  # all but the exponential


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("shape", [(3, 4), (3, 0)])
def test_indices_outside_are_refused_as_kernels_refuse_them(device: Device, dtype: str, shape: tuple[int, ...]) -> None:
    x = xp.zeros(shape, device=device)
    index = np.asarray([0, np.iinfo(dtype).max, 1], dtype)
    for key in (index, xp.asarray(index, device=device)):
        with config.set(small_on_host=True):
            with pytest.raises(IndexError, match=str(np.iinfo(dtype).max)):
                x[key]
            with pytest.raises(IndexError, match=str(np.iinfo(dtype).max)):
                x[key] = 1.0


@pytest.mark.parametrize("dtype", ["bool", "int64"])
def test_a_key_may_be_a_view_with_elements_of_its_own(device: Device, dtype: str) -> None:
    """The value below it, which is held, too, stays pending."""
    host = np.asarray([1, 0, *[1] * 98], dtype)
    below = xp.asarray(host, device=device) | xp.asarray(host, device=device)
    key = below[:2]
    with config.set(small_on_host=False):
        evaluate(key._node)
    assert key._node.array is None and below._node.array is None
    x, y = xp.asarray(np.arange(2.0), copy=True), np.arange(2.0)
    x[key], y[host[:2]] = xp.asarray(np.asarray(7.0)), 7.0
    assert_same(to_host(x), y)
    assert_same(to_host(x[key]), y[host[:2]])


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3,), (0,), (2, 1), (3, 2), (1, 2), (1, 1, 2)], ids=str)
@pytest.mark.parametrize(
    "key",
    [np.array([0, 2]), np.array([[0], [2]]), np.array([True, False, True]), np.array([], np.int64)],
    ids=["places", "a column of places", "a mask", "no places"],
)
def test_the_shape_of_a_constant_must_fit_the_key(device: Device, key: Any, shape: tuple[int, ...]) -> None:
    expected, x = np.array([1.0, 2.0, 3.0]), xp.asarray([1.0, 2.0, 3.0])
    try:
        expected[key] = np.full(shape, 7.0)
    except (ValueError, TypeError) as error:  # TypeError for a mask and values of several axes
        with pytest.raises(type(error), match="shape"):
            x[xp.asarray(key)] = xp.full(shape, 7.0)
    else:
        x[xp.asarray(key)] = xp.full(shape, 7.0)
    assert_same(to_host(x), expected)
