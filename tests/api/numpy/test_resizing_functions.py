"""Adding and removing elements: `insert`, `delete` and `resize` beside NumPy's, and the memory that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import LAYOUTS, assert_same, check_refused, check_same, launches, lay_out, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.resizing_functions import PIECES
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

pytestmark = pytest.mark.usefixtures("device")

DTYPES = ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64")
DRAWN = st.integers(0, 2**32 - 1)


def host(rng: np.random.Generator) -> tuple[Any, int | None, int]:
    """An array, an axis of it or None, and the length of that."""
    shape = tuple(rng.integers(0, 6, rng.integers(1, 4)).tolist())
    if rng.random() < 0.2:
        shape = (*shape[:-1], 3 * PIECES)
    x = sample(str(rng.choice(DTYPES)), shape)
    axis = None if rng.random() < 0.3 else int(rng.integers(-len(shape), len(shape)))
    return x, axis, x.size if axis is None else shape[axis]


def places(rng: np.random.Generator, n: int) -> Any:
    """What names places of an axis of n elements, seldom one that is not there."""
    beyond = int(rng.random() < 0.1)
    some = rng.integers(-n, n + beyond, rng.integers(0, 3 * PIECES)) if n else np.zeros(0, np.int64)
    kinds: list[Any] = [
        int(rng.integers(-n - 1, n + 2)),
        slice(*[None if rng.random() < 0.3 else int(rng.integers(-n - 1, n + 2)) or 1 for _ in range(3)]),
        some[:3].tolist(),
        rng.random(n) < 0.5,
        some,
    ]
    return kinds[rng.integers(len(kinds))]


@given(DRAWN)
def test_delete_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, axis, n = host(rng)
    obj = places(rng, n)
    try:
        np.delete(x, obj, axis)
    except IndexError:
        check_refused(lambda space, x: space.delete(x, obj, axis), x)
    else:
        check_same(lambda space, x, obj: space.delete(x, obj, axis), x, obj)


@given(DRAWN)
def test_insert_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, axis, n = host(rng)
    obj = places(rng, n)
    count = (
        np.zeros(n)[obj].size
        if isinstance(obj, slice)
        else np.sum(obj)
        if np.ndim(obj) == 1 and np.asarray(obj).dtype == bool
        else np.size(obj)
    )
    shape = [x.size] if axis is None else list(x.shape)
    shape[0 if axis is None else axis] = int(rng.choice([1, count]))
    values = 1 if rng.random() < 0.2 else sample(str(x.dtype), tuple(shape))
    try:
        np.insert(x, obj, values, axis)
    except (IndexError, ValueError):
        check_refused(lambda space, x, values: space.insert(x, obj, values, axis), x, values)
    else:
        check_same(lambda space, x, values: space.insert(x, obj, values, axis), x, values)


@given(DRAWN)
def test_resize_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, _, _ = host(rng)
    shape = tuple(rng.integers(0, 12, rng.integers(0, 4)).tolist())
    check_same(lambda space, x: space.resize(x, shape), x)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_strides_do_not_matter(layout: str, axis: int | None) -> None:
    values = sample("float32", (6, 7))
    x = lay_out(values, layout)
    assert np.array_equal(to_host(xp.delete(x, [1, 4], axis)), np.delete(values, [1, 4], axis))
    assert np.array_equal(to_host(xp.insert(x, 2, 5, axis)), np.insert(values, 2, 5, axis))
    assert np.array_equal(to_host(xp.resize(x, (5, 9))), np.resize(values, (5, 9)))


def test_one_place_takes_several_values_and_a_list_of_one_place_a_column() -> None:
    check_same(lambda space, x, v: space.insert(x, 1, v, axis=1), sample("float32", (3, 2)), np.ones((3, 1), "float32"))
    check_same(lambda space, x, v: space.insert(x, [1], v, axis=1), sample("float32", (3, 2)), np.ones((3, 1), "f4"))


def test_values_take_the_dtype_of_the_array() -> None:
    check_same(lambda space, x, v: space.insert(x, 1, v), np.arange(3), np.asarray([7.9, -7.9]))
    with pytest.raises(OverflowError):
        xp.insert(xp.asarray([1], dtype=xp.int8), 0, 300)
    with pytest.raises(TypeError):
        xp.insert(xp.asarray([1.0]), 0, 1j)


def test_results_are_new_arrays() -> None:
    x = xp.asarray([1, 2, 3])
    for y in (xp.delete(x, []), xp.insert(x, [], 0), xp.resize(x, 3), xp.delete(x, slice(1, None)), xp.resize(x, 2)):
        y[0] = 9
    assert x.tolist() == [1, 2, 3]


# --- indices on the device --------------------------------------------------------------------------------------------


def test_indices_and_masks_of_the_device_name_places_too() -> None:
    values = sample("int32", (5, 40))
    x, some = xp.asarray(values), np.asarray([3, -1, 3, 0])
    assert np.array_equal(to_host(xp.delete(x, xp.asarray(some), axis=1)), np.delete(values, some, axis=1))
    mask = np.arange(40) % 3 == 0
    assert np.array_equal(to_host(xp.delete(x, xp.asarray(mask), axis=1)), np.delete(values, mask, axis=1))
    assert np.array_equal(to_host(xp.insert(x, xp.asarray(some), 0, axis=1)), np.insert(values, some, 0, axis=1))


# --- memory -----------------------------------------------------------------------------------------------------------

SHAPE = (64, 48, 64)
CHANGES: dict[str, Callable[[xp.Array, int], xp.Array]] = {
    "delete a place": lambda x, axis: xp.delete(x, 5, axis),
    "delete a part": lambda x, axis: xp.delete(x, slice(3, 11), axis),
    "delete some places": lambda x, axis: xp.delete(x, [1, 7, 30], axis),
    "insert a number": lambda x, axis: xp.insert(x, 5, 1.5, axis),
    "insert an array": lambda x, axis: xp.insert(x, 5, x[:8, :8, :8][(slice(None),) * axis + (0,)][0, 0], axis),
    "insert at some places": lambda x, axis: xp.insert(x, [1, 7, 30], 1.5, axis),
    "grow": lambda x, axis: xp.pad(x, [(0, 9 * (k == axis)) for k in range(3)]),
    "shrink": lambda x, axis: x[(slice(None),) * axis + (slice(40),)].copy(),
    "repeat": lambda x, axis: xp.resize(x, tuple(n * (2 if k == axis else 1) for k, n in enumerate(SHAPE))),
}


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_allocated_but_the_result(device: Device, change: str, axis: int) -> None:
    x = xp.asarray(sample("float32", SHAPE), copy=True)
    xp.sync(CHANGES[change](x, axis))  # what is made once, such as kernels and scratch memory
    pool = device.pool
    pool.trim()
    before = pool.live + pool.cached
    result = CHANGES[change](x, axis)
    xp.sync(result)
    assert pool.live + pool.cached - before <= result.nbytes * 9 / 8 + 4096


# Launches on CPUs and on GPUs. On GPUs pieces of so few elements are joined at once: an expression over them takes
# one launch more. A number that is inserted takes none.
PIECEWISE: dict[str, tuple[int, int, Callable[[xp.Array], xp.Array]]] = {
    "delete a place": (2, 3, lambda x: xp.delete(x, 5) * 2 + 1),
    "insert at two places": (5, 6, lambda x: xp.insert(x, [5, 9], 1.0) * 2 + 1),
    "repeat thrice": (3, 1, lambda x: xp.resize(x, (3, 1 << 16))),
    "repeat 64 times": (1, 1, lambda x: xp.resize(x[: 1 << 12], (64, 1 << 12))),
}


@pytest.mark.parametrize("name", PIECEWISE)
def test_a_launch_writes_a_piece_and_what_is_computed_with_it(device: Device, name: str) -> None:
    x = xp.asarray(sample("float32", (1 << 16,)), copy=True)
    on_cpus, on_gpus, change = PIECEWISE[name]
    with launches() as made:
        xp.sync(change(x))
    assert len(made) == (on_gpus if device.is_gpu else on_cpus)


def test_a_number_takes_no_launch_where_pieces_are_joined_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "PARTS_FROM", (1 << 26, 1 << 26))
    x = xp.asarray(sample("float32", (1 << 16,)), copy=True)
    with launches() as made:
        y = xp.insert(x, [5, 9], 1.0)
    assert len(made) == 5
    assert_same(to_host(y), np.insert(to_host(x), [5, 9], 1.0))


def test_many_places_are_taken_at_once() -> None:
    x = xp.asarray(sample("float32", (1 << 16,)), copy=True)
    many = list(range(0, 8 * PIECES, 2))
    for change in ("delete", "insert"):
        with launches() as made:
            xp.sync(xp.delete(x, many) if change == "delete" else xp.insert(x, many, 0.5))
        assert len(made) <= 8


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[type[Exception], Callable[[xp.Array], Any]]] = {
    "delete: got index 4": (IndexError, lambda x: xp.delete(x, 4, axis=0)),
    "delete: got index -5": (IndexError, lambda x: xp.delete(x, [0, -5], axis=0)),
    "delete: got indices of float64": (IndexError, lambda x: xp.delete(x, [0.5], axis=0)),
    "delete: got indices of float32": (IndexError, lambda x: xp.delete(x, x, axis=0)),
    "delete: got a mask of shape (2,)": (ValueError, lambda x: xp.delete(x, [True, False], axis=0)),
    "delete: got a mask of shape (4, 3)": (ValueError, lambda x: xp.delete(x, x > 0, axis=0)),
    "insert: got index 5": (IndexError, lambda x: xp.insert(x, 5, 0, axis=0)),
    "insert: got indices of shape (1, 2)": (ValueError, lambda x: xp.insert(x, [[1, 2]], 0, axis=0)),
    "insert: got a mask of shape ()": (ValueError, lambda x: xp.insert(x, True, 0, axis=0)),
    "resize: got new_shape=(2, -1)": (ValueError, lambda x: xp.resize(x, (2, -1))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    error, call = REFUSED[what]
    with pytest.raises(error) as raised:
        call(xp.asarray(sample("float32", (4, 3))))
    assert str(raised.value).startswith(what)


@pytest.mark.parametrize("name", ["insert", "delete", "resize"])
def test_numpys_function_is_ours(name: str) -> None:
    x = xp.asarray(sample("float32", (4, 3)), copy=True)
    args = {"insert": (1, 2.0), "delete": (1,), "resize": ((5, 2),)}[name]
    with xp.config.set(host_transfers="error"):
        assert isinstance(getattr(np, name)(x, *args), xp.Array)
