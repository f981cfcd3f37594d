"""Iteration over vectors: the elements are values, as x[i] is, and the host reads them many at a time."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import LAYOUTS, lay_out, sample
from support.samples import DTYPES, REAL

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import COMPARISONS
from arrayapi_gpu.lazy.mutation import iteration as elements

pytestmark = pytest.mark.usefixtures("device")

N = 7


def vector(dtype: str) -> np.ndarray[Any, Any]:
    """Values of a dtype, NaNs and zeros of both signs among them where it has some."""
    host = sample(dtype, N)
    if host.dtype.kind in "fc":
        host[2], host[3], host[4] = np.nan, 0.0, -0.0
    return host


def launches_of(function: Callable[[], Any]) -> int:
    with xp.record() as made:
        function()
    return len(made)


# --- the same as x[i]

STATES: dict[str, Callable[[np.ndarray[Any, Any]], xp.Array]] = {
    **{name: (lambda a, name=name: lay_out(a, name)) for name in LAYOUTS},  # type: ignore[misc]
    "pending": lambda a: xp.where(xp.asarray([True] * N), xp.asarray(a), xp.asarray(a[::-1].copy())),
    "a view of a pending value": lambda a: xp.roll(xp.asarray(np.repeat(a, 2)), 2)[::2][[*range(1, N), 0]],
    "read-only": lambda a: xp.broadcast_to(xp.asarray(a)[None], (1, N))[0],
    "adopted": lambda a: xp.from_dlpack(a.copy()),
}


@pytest.mark.parametrize("dtype", [*DTYPES])
@pytest.mark.parametrize("state", STATES)
def test_elements_are_those_of_the_index(state: str, dtype: str) -> None:
    host = vector(dtype)
    x, y = STATES[state](host), STATES[state](host)
    for one, other, right in zip(x, [y[i] for i in range(N)], host, strict=True):
        assert type(one) is xp.Array and one.shape == () and one.dtype == other.dtype == host.dtype
        assert one.device is other.device
        np.testing.assert_array_equal(one.item(), right.item())
        np.testing.assert_array_equal(one.to_numpy(), other.to_numpy())
        np.testing.assert_array_equal((one + one).to_numpy(), (other + other).to_numpy())


CONSTANTS: dict[str, Callable[[], xp.Array]] = {
    "ones": lambda: xp.ones(5),
    "full": lambda: xp.full((5,), 3, dtype=xp.int8),
    "arange": lambda: xp.arange(5),
    "arange of floats": lambda: xp.arange(0.5, 5.0),
    "linspace": lambda: xp.linspace(0, 1, 5),
    "nothing": lambda: xp.zeros(0),
    "one": lambda: xp.asarray([True]),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_what_is_not_in_memory_has_elements(name: str) -> None:
    x = CONSTANTS[name]()
    assert [v.item() for v in x] == x.tolist()
    assert all(v.dtype == x.dtype and v.shape == () for v in x)


def test_rows_of_matrices_are_views() -> None:
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    first, _ = x
    first[...] = 7.0
    assert x.tolist() == [[7, 7, 7], [3, 4, 5]]
    with pytest.raises(TypeError, match="0-dimensional"):
        iter(xp.asarray(1.0))


# --- an element is a value, whoever writes

put: Any = operator.setitem
add: Any = operator.iadd
multiply: Any = operator.imul

WRITES: dict[str, Callable[[Any, list[Any]], Any]] = {
    "an element of the array": lambda x, parts: put(x, 1, 9.0),
    "a slice": lambda x, parts: put(x, slice(None, None, 2), 9.0),
    "a mask": lambda x, parts: put(x, x > 1.0, 9.0),
    "indices": lambda x, parts: put(x, xp.asarray([0, 2]), 9.0),
    "in place": lambda x, parts: add(x, 1.0),
    "through the element": lambda x, parts: put(parts[1], ..., 9.0),
    "the element in place": lambda x, parts: multiply(parts[1], 5.0),
    "add_at": lambda x, parts: xp.add_at(x, xp.asarray([1, 1]), 2.0),
    "fill": lambda x, parts: x.fill(3.0),
    "sort": lambda x, parts: x.sort(),
    "out": lambda x, parts: np.negative(x, out=x),
    "the host": lambda x, parts: put(np.asarray(x, copy=False), 1, 9.0),
    "the host, by DLPack": lambda x, parts: put(np.from_dlpack(x), 1, 9.0),
    "another view": lambda x, parts: put(x[::-1], slice(0, 2), 9.0),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("read", ["before", "after", "both"])
@pytest.mark.parametrize("got", ["by iteration", "by index"])
def test_elements_keep_their_values(name: str, read: str, got: str, device: Device) -> None:
    if "host" in name and not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    values = [4.0, 1.0, 2.0, 3.0]
    x, y = (xp.asarray(values) for _ in range(2))
    parts = list(x) if got == "by iteration" else [x[i] for i in range(4)]
    if read != "after":
        assert [float(v) for v in parts] == values
        assert max(parts) is parts[0]
    WRITES[name](x, parts)
    WRITES[name](y, [xp.asarray(v) for v in values])
    own = {"through the element": 9.0, "the element in place": 5.0}
    values[1] = own.get(name, values[1])
    if read != "before":
        assert [float(v) for v in parts] == values
        assert [bool(v > parts[2]) for v in parts] == [v > values[2] for v in values]
    assert [v.item() for v in parts] == values
    assert x.tolist() == y.tolist() == ([4.0, 1.0, 2.0, 3.0] if name in own else x.tolist())
    WRITES["fill"](x, parts)  # another time
    assert [v.item() for v in parts] == values


def test_elements_of_a_block_are_copied_together() -> None:
    n = 2 * elements.NEIGHBOURS
    x = xp.asarray(np.arange(float(n)))
    xp.compute(x)
    parts = list(x)
    assert launches_of(lambda: x.__setitem__(3, 7.0)) <= 3
    assert launches_of(lambda: [float(v) for v in parts]) == 0
    assert [float(v) for v in parts] == list(range(n))
    assert launches_of(lambda: x.__setitem__(4, 7.0)) == 1


def test_a_write_to_an_element_after_the_block_was_copied_changes_it_alone() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    first, second, third = x
    x[0] = 9.0
    second += 5.0
    first[...] = 8.0
    assert [float(v) for v in (first, second, third)] == [8.0, 7.0, 3.0]
    assert x.tolist() == [9.0, 2.0, 3.0] and [float(v) for v in x] == [9.0, 2.0, 3.0]


def test_results_do_not_follow() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    first, second, _ = x
    less, total, greatest = first < second, first + second, max(x) + 0
    x[0] = 10.0
    assert (bool(less), float(total), float(greatest)) == (True, 3.0, 3.0)
    assert first < second and x.tolist() == [10.0, 2.0, 3.0]


def test_elements_are_those_of_the_moment() -> None:
    x, y = xp.asarray([1.0, 2.0, 3.0]), xp.asarray([1.0, 2.0, 3.0])
    seen, expected = [], []
    for i, (v, _) in enumerate(zip(x, range(3), strict=True)):
        seen.append(float(v))
        expected.append(float(y[i]))
        x[2] = y[2] = 7.0
        x *= 2.0
        y *= 2.0
    assert seen == expected


# --- what is quick

BUILTINS: dict[str, Callable[[Any], Any]] = {
    "max": max,
    "min": min,
    "sorted": sorted,
    "list": list,
    "float": lambda x: [float(v) for v in x],
    "comparison": lambda x: [bool(v > 1) for v in x],
    "comparison on the left": lambda x: [bool(v <= 2) for v in x],
    "equality": lambda x: [v == x[0] for v in x],
    "count": lambda x: list(x).count(3),
    "if": lambda x: [1 if v else 0 for v in x],
    "next": lambda x: next(v for v in x if v > 0),
    "any": any,
    "all": all,
    "sum": lambda x: sum(x),
}


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", BUILTINS)
def test_builtins_are_pythons(name: str, dtype: str) -> None:
    host = np.array([3, 1, 2, 5, 0, 3, 1], dtype)
    x = xp.asarray(host)
    xp.compute(x)
    got, expected = BUILTINS[name](x), BUILTINS[name](host)
    parts = got if isinstance(got, list) else [got]
    assert [v.item() if isinstance(v, xp.Array) else v for v in parts] == (
        expected if isinstance(expected, list) else [expected]
    )
    assert all(v.dtype == dtype for v in parts if isinstance(v, xp.Array) and v.dtype != bool)


@pytest.mark.parametrize("name", [name for name in BUILTINS if name not in ("equality", "sum")])
def test_builtins_launch_nothing(name: str) -> None:
    x = xp.asarray([3.0, 1.0, 2.0, 5.0, 3.0])
    xp.compute(x)
    assert launches_of(lambda: BUILTINS[name](x)) == 0


COMPARED = ["==", "!=", "<", "<=", ">", ">="]
SIGNS = dict(zip(COMPARED, COMPARISONS.values(), strict=True))
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 0.1, 1e-45, 5e-324, 65504.0, -2.5]


@pytest.mark.parametrize("sign", COMPARED)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_special_values_are_compared_as_on_the_device(sign: str, dtype: str) -> None:
    host = np.array(SPECIAL).astype(dtype)
    x = xp.asarray(host)
    compare: Any = SIGNS[sign]
    for one, a in zip(x, host, strict=True):
        assert [bool(compare(one, other)) for other in x] == [bool(compare(a, b)) for b in host]
        assert [bool(compare(one, b)) for b in SPECIAL] == [
            bool(compare(a, np.asarray(b).astype(dtype))) for b in SPECIAL
        ]


PAIRS = [("int64", "float64"), ("uint64", "int8"), ("int32", "float32"), ("uint8", "int8"), ("bool", "int64")]


@pytest.mark.parametrize("sign", COMPARED)
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_operands_of_two_dtypes_are_compared_as_on_the_device(one: str, other: str, sign: str) -> None:
    first, second = (np.array([0, 1, 100, 2**53 + 1]).astype(kind) for kind in (one, other))
    compare: Any = SIGNS[sign]
    x, y = xp.asarray(first), xp.asarray(second)
    try:
        expected = compare(x, y).tolist()
    except TypeError:
        pytest.skip("the standard leaves these two out")
    assert [bool(compare(a, b)) for a, b in zip(x, y, strict=True)] == expected


def test_complex_numbers_are_compared() -> None:
    x = xp.asarray([1 + 1j, 1 - 1j, complex(np.nan, 0)])
    assert [bool(v == v) for v in x] == [True, True, False]
    assert [bool(v != x[0]) for v in x] == [False, True, True]


def test_long_vectors_are_read_in_blocks() -> None:
    n = 2 * elements.NEIGHBOURS + 3
    x = xp.asarray(np.arange(n)[::-1].copy())
    assert [int(v) for v in x] == list(range(n - 1, -1, -1))
    assert int(min(x)) == 0 and int(max(x)) == n - 1


def test_threads_share_elements() -> None:
    x = xp.asarray(np.arange(100.0))
    parts = list(x)
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(20):
            if [float(v) for v in parts] != list(range(100)) or float(max(parts)) != 99:
                wrong.append(parts)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
