"""Indexing against NumPy, reading and writing: every kind of key, alone and mixed, on every layout."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from support import DTYPES, INTEGERS, LAYOUTS, assert_same, check_refused, lay_out, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
A = np.arange(3 * 4 * 5, dtype="int32").reshape(3, 4, 5)
MASK = sample("bool", A.shape)
ROWS = np.array([True, False, True])
COLUMNS = np.array([False, True, True, False])
LAST = np.array([True, False, True, True, False])
FIRST, SECOND = np.array([2, 0, -1]), np.array([[1], [-4], [0]])

BASIC: list[Any] = [
    0,
    -1,
    (),
    ...,
    None,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(-1, 0, -2),
    slice(5, 1),
    slice(0, 100, 2),
    (1, 2, 3),
    (1, ..., 3),
    (..., 0),
    (slice(None), 2),
    (slice(None, None, 2), slice(3, None, -1), slice(1, 4)),
    (None, 0, None, ..., None),
    (slice(0, 0), 1),
    np.int8(1),
    (np.uint64(2), np.int64(-1)),
    np.array(1),
    (slice(np.int64(1), np.int64(3)),),
]

# Keys with arrays: integers and masks in every position, beside slices, None and Ellipsis.
ADVANCED: list[Any] = [
    FIRST,
    [0, 2],
    [[0, 2], [1, 1]],
    [],
    (FIRST, FIRST),
    (FIRST, SECOND),
    (FIRST, SECOND, 0),
    (FIRST, 0),
    (0, FIRST),
    (0, slice(None), FIRST),
    (FIRST, slice(None), FIRST),
    (slice(None), FIRST),
    (slice(None), FIRST, FIRST),
    (slice(None), SECOND, slice(1, 3)),
    (..., FIRST),
    (..., SECOND),
    (..., FIRST, FIRST),
    (FIRST, ..., 1),
    (FIRST, ...),
    (None, FIRST),
    (FIRST, None),
    (FIRST, None, FIRST),
    (FIRST, None, slice(None), FIRST),
    (slice(None), None, FIRST, None),
    (slice(None, None, -1), FIRST, slice(None, None, -2)),
    (..., None, FIRST),
    (FIRST, slice(0, 0)),
    (np.zeros((0,), "int64"),),
    (np.zeros((2, 0), "int64"), slice(1, 2)),
    (np.zeros((1, 3), "int64"), np.zeros((2, 1), "int64"), np.int64(1)),
    MASK,
    ROWS,
    (ROWS,),
    (ROWS, ...),
    (..., LAST),
    (slice(None), COLUMNS),
    (slice(None), COLUMNS, 1),
    (slice(None), MASK[0]),
    (0, MASK[0]),
    (MASK[:, :, 0], slice(1, 4)),
    (ROWS, slice(None), [0, 3]),
    (ROWS, slice(None), LAST & [True, True, True, False, False]),
    (ROWS, 0),
    (ROWS, [1, 2]),
    (None, ROWS),
    (ROWS, None),
    (slice(None), COLUMNS, None, slice(2)),
    ([True, False, True],),
    np.zeros(3, bool),
    np.zeros_like(MASK),
    True,
    False,
    (True, 0),
    (..., np.bool_(True)),
    (False, FIRST[:1]),
    (True, FIRST),
    (None, True, ...),
]


def text(key: Any) -> str:
    return " ".join(repr(key).replace("array", "").split())[:60]


def ours(key: Any) -> Any:
    """The key with our arrays for NumPy's."""
    if isinstance(key, tuple):
        return tuple(ours(item) for item in key)
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=text)
def test_reading_is_numpys(key: Any) -> None:
    assert_same(to_host(xp.asarray(A)[key]), np.asarray(A[key]))


@pytest.mark.parametrize("key", ADVANCED, ids=text)
def test_keys_may_hold_our_arrays(key: Any) -> None:
    assert_same(to_host(xp.asarray(A)[ours(key)]), A[key])


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=text)
def test_writing_a_scalar_is_numpys(key: Any) -> None:
    x, a = xp.asarray(A), A.copy()
    x[key], a[key] = -7, -7
    assert_same(to_host(x), a)


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=text)
def test_writing_an_array_is_numpys(key: Any) -> None:
    x, a = xp.asarray(A), A.copy()
    values = -1 - np.arange(a[key].size, dtype="int32").reshape(a[key].shape)
    a[key] = values
    x[ours(key)] = xp.asarray(values)
    assert_same(to_host(x), a)


@pytest.mark.parametrize("key", [ADVANCED[k] for k in (5, 11, 14, 20, 30, 35, 41)], ids=text)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_read_and_written_through_arrays(layout: str, key: Any) -> None:
    x, a = lay_out(A, layout), A.copy()
    assert_same(to_host(x[key]), a[key])
    values = -1 - np.arange(a[key].size, dtype="int32").reshape(a[key].shape)
    x[key], a[key] = xp.asarray(values), values
    assert_same(to_host(x), a)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_and_masks_have_any_layout(layout: str) -> None:
    x, a = xp.asarray(A), A.copy()
    x[lay_out(MASK, layout)] = 0
    a[MASK] = 0
    x[1:] = lay_out(A[:2], layout)
    a[1:] = A[:2]
    x[:, FIRST] = lay_out(A[:, :3], layout)
    a[:, FIRST] = A[:, :3]
    assert_same(to_host(x), a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_read_and_written(dtype: str) -> None:
    a = sample(dtype, (40, 3))
    x, places = xp.asarray(a), np.array([39, 0, 17, -40])
    assert_same(to_host(x[places]), a[places])
    assert_same(to_host(x[1:30:4]), a[1:30:4])
    values = sample(dtype, (4, 3), 1)
    x[places], a[places] = xp.asarray(values), values
    x[5:7], a[5:7] = xp.asarray(values[:1]), values[:1]
    assert_same(to_host(x), a)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_integer_dtype_is_an_index(dtype: str) -> None:
    places = np.array([2, 0, 1, 1], dtype)
    assert_same(to_host(xp.asarray(A)[xp.asarray(places)]), A[places])
    assert_same(to_host(xp.asarray(A)[:, xp.asarray(places)]), A[:, places])


@pytest.mark.parametrize("n", [1, 15, 16, 17, 1000])
def test_masks_of_every_length_pick_in_order(n: int) -> None:
    a, mask = np.arange(n), sample("bool", n)
    assert_same(to_host(xp.asarray(a)[xp.asarray(mask)]), a[mask])


@pytest.mark.parametrize("wanted", [False, True])
def test_a_mask_without_dimensions_may_be_pending(wanted: bool) -> None:
    one = xp.asarray(np.array([1.0]))[0]
    mask = xp.less(0.5, one) if wanted else xp.less(2, one)
    assert_same(to_host(xp.asarray(A)[mask]), A[np.bool_(wanted)])


KEYS_OF_NUMBERS: dict[str, Callable[[Any, tuple[int, ...]], Any]] = {
    "true": lambda m, shape: m.ones(shape, dtype=m.bool),
    "false": lambda m, shape: m.zeros(shape, dtype=m.bool),
    "all true, computed": lambda m, shape: m.asarray(np.zeros(shape)) < 1,
    "listed indices": lambda m, shape: ([0],) * len(shape),
    "indices": lambda m, shape: (m.arange(1),) * len(shape),
    "the same index": lambda m, shape: (m.zeros((2,), dtype=m.int64),) * len(shape),
}


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3,), (2, 3), (0,)])
@pytest.mark.parametrize("key", KEYS_OF_NUMBERS)
@pytest.mark.parametrize("value", ["a number", "an array without dimensions", "an array of one element"])
def test_numbers_are_written_where_keys_of_numbers_alone_select(shape: tuple[int, ...], key: str, value: str) -> None:
    if "ind" in key and 0 in shape:
        pytest.skip("nothing has an index there")
    results = []
    for m in (np, xp):
        x: Any = m.ones(shape)
        written: Any = {"a number": 5.0, "an array without dimensions": m.asarray(5.0)}.get(value)
        x[KEYS_OF_NUMBERS[key](m, shape)] = m.full((1,) if shape else (), 5.0) if written is None else written
        results.append(x)
    assert_same(to_host(results[1]), results[0])


# --- several values for one place ---


@pytest.mark.parametrize("n", [3, 16, 40, 1000])
def test_of_several_values_for_one_place_the_last_stays(n: int) -> None:
    places = np.arange(n) % 7
    x = xp.zeros((7,), dtype=xp.int64)
    x[xp.asarray(places)] = xp.arange(n)
    a = np.zeros(7, "int64")
    a[places] = np.arange(n)
    assert_same(to_host(x), a)


def test_the_last_value_stays_in_several_dimensions_too() -> None:
    a, x = np.zeros((3, 4, 5), "int64"), xp.zeros((3, 4, 5), dtype=xp.int64)
    i, j = np.array([[0, 0, 2]] * 5), np.array([[1, 1, 3]] * 5)
    values = np.arange(5 * 3 * 5).reshape(5, 3, 5)
    a[i, j], x[i, j] = values, xp.asarray(values)
    assert_same(to_host(x), a)
    a[..., i], x[..., i] = 1 + np.arange(180).reshape(3, 4, 5, 3), 1 + xp.reshape(xp.arange(180), (3, 4, 5, 3))
    assert_same(to_host(x), a)


def test_augmented_assignment_through_places_counts_each_once() -> None:
    x, a = xp.zeros((4,)), np.zeros(4)
    x[[1, 1, 2]] += 1
    a[[1, 1, 2]] += 1
    assert_same(to_host(x), a)


# --- what is written ---

VALUES: list[Any] = [
    5,
    True,
    2.5,
    [1, 2, 3, 4, 5],
    [[1], [2], [3], [4]],
    np.float64(2.5),
    np.arange(5),
    np.ones((1, 1, 4, 5), "int8"),
    np.array(3, "uint8"),
    np.arange(5, dtype=">i2"),
]


@pytest.mark.parametrize("value", VALUES, ids=text)
@pytest.mark.parametrize("key", [1, (slice(None), slice(None)), [0, 2], (ROWS,)], ids=text)
def test_values_broadcast_and_are_converted(key: Any, value: Any) -> None:
    if np.ndim(value) == 4 and isinstance(key, (list, tuple)):
        key = 1
    x, a = xp.asarray(A), A.copy()
    x[key], a[key] = value, value
    assert_same(to_host(x), a)


def test_a_view_of_the_array_itself_may_be_written_to_it() -> None:
    x, a = xp.arange(20), np.arange(20)
    x[1:], a[1:] = x[:-1], a[:-1].copy()
    x[::2], a[::2] = xp.flip(x)[::2], np.flip(a)[::2].copy()
    x[[0, 1, 2]], a[[0, 1, 2]] = x[[2, 1, 0]], a[[2, 1, 0]]
    x[x > 10], a[a > 10] = x[x > 10] + 1, a[a > 10] + 1
    assert_same(to_host(x), a)


def test_pending_values_are_computed_before_their_operands_change() -> None:
    x = xp.arange(6)
    pending, view = x * 10, x[2:4]
    gathered = x[xp.asarray([0, 2])] + 1
    x[2] = 99
    x[[0, 3]] = -1
    assert pending.tolist() == [0, 10, 20, 30, 40, 50]
    assert gathered.tolist() == [1, 3]
    assert view.tolist() == [99, -1]


def test_an_index_array_may_change_after_it_was_used() -> None:
    x, places = xp.arange(5) * 10, xp.asarray([1, 2])
    picked = x[places]
    places[0] = 4
    assert picked.tolist() == [10, 20]


def test_integers_are_views_and_lists_are_copies() -> None:
    x = xp.asarray(A)
    row, copy = x[0], x[[0]]
    x[0, 0, 0] = 1234
    assert int(row[0, 0]) == 1234
    assert int(copy[0, 0, 0]) == 0
    row[0, 1] = 55
    assert int(x[0, 0, 1]) == 55


def test_a_gather_is_fused_with_what_follows() -> None:
    x, places = xp.asarray(np.arange(100.0)), xp.asarray([5, 7, 99])
    with xp.record() as made:
        host = to_host(xp.sqrt(x[places] * 2 + 1))
    assert_same(host, np.sqrt(np.array([5.0, 7.0, 99.0]) * 2 + 1))
    # One reads the indices to check them, one computes.
    assert len(made) <= 2


def test_basic_indexing_of_arrays_in_memory_launches_nothing() -> None:
    x = xp.asarray(A)
    with no_launch():
        x[1, ::2]
        x[..., None, -1]
        x[()]


# --- errors ---

OUTSIDE: list[Any] = [
    3,
    -4,
    (0, 0, 5),
    (0, 0, 0, 0),
    [0, 3],
    [-4],
    (slice(None), [4]),
    (..., [5]),
    ([0, 1], [0, 1, 2]),
    (..., ...),
    (FIRST, FIRST, FIRST, FIRST),
    np.ones(2, bool),
    np.ones((3, 5), bool),
    (slice(None), np.ones(3, bool)),
    np.ones((3, 4, 5, 1), bool),
    (ROWS, COLUMNS, [0, 1, 2]),
    (ROWS, slice(None), LAST),
    (False, FIRST),
    10**30,
    -(10**30),
]


@pytest.mark.parametrize("key", OUTSIDE, ids=text)
def test_keys_that_numpy_refuses_are_index_errors(key: Any) -> None:
    check_refused(lambda _, x: x[key], A)
    x = xp.asarray(A)
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 0
    assert_same(to_host(x), A)


@pytest.mark.parametrize("key", [1.0, "a", [0.5], np.array([1.0]), (0, 1j), object, {1: 2}], ids=text)
def test_keys_that_are_no_index_are_index_errors(key: Any) -> None:
    x = xp.asarray(A)
    with pytest.raises(IndexError, match="allowed"):
        x[key]
    with pytest.raises(IndexError, match="allowed"):
        x[key] = 0


def test_an_index_outside_names_axis_size_and_index() -> None:
    x = xp.asarray(A)
    for key in (7, (slice(None), 7), xp.asarray([0, 7]), (slice(None), xp.asarray([0, 7]))):
        with pytest.raises(IndexError, match=r"index 7 is out of bounds for axis [01] with size [34]"):
            x[key]


@pytest.mark.parametrize("value", [np.zeros(4), np.zeros((2, 5)), np.zeros((2, 3, 4, 5)), [1, 2]], ids=text)
@pytest.mark.parametrize("key", [1, [0, 1], ROWS], ids=text)
def test_values_of_another_shape_are_refused(key: Any, value: Any) -> None:
    x = xp.asarray(A)
    with pytest.raises(ValueError, match=r"setitem: shapes .* could not be broadcast together"):
        x[key] = value
    assert_same(to_host(x), A)


def test_complex_values_do_not_go_into_real_arrays() -> None:
    x = xp.zeros((3,))
    with pytest.raises(TypeError, match=r"cast to float64: got a complex number.*take real"):
        x[0] = 1j


def test_python_integers_that_do_not_fit_are_refused() -> None:
    x = xp.zeros((3,), dtype=xp.int8)
    with pytest.raises(OverflowError, match="300"):
        x[0] = 300


# --- any key at all ---


@given(st.data())
def test_random_basic_keys_are_numpys(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    a = np.arange(np.prod(shape), dtype="int32").reshape(shape)
    x = xp.asarray(a)
    assert_same(to_host(x[key]), np.asarray(a[key]))
    x[key], a[key] = -1, -1
    assert_same(to_host(x), a)


@given(st.data())
def test_random_integer_array_keys_are_numpys(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=5))
    places = data.draw(
        hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    )
    spaced = data.draw(st.booleans()) and len(places) < len(shape)
    key: Any = (
        (slice(None), *places)
        if spaced and all(np.all(p < n) and np.all(p >= -n) for p, n in zip(places, shape[1:], strict=False))
        else places
    )
    a = np.arange(np.prod(shape), dtype="int32").reshape(shape)
    x = xp.asarray(a)
    assert_same(to_host(x[key]), np.asarray(a[key]))


# --- keys of all kinds

SHAPE = (2, 3, 4)
KINDS: dict[str, Any] = {
    "int": 1, "slice": slice(None, None, -1), "...": ..., "None": None, "list": [0, 1], "0-d": np.asarray(1),
    "mask": np.array([True, False]),
}  # fmt: skip


def keys_of_all_kinds() -> list[tuple[Any, ...]]:
    """Every key of up to four items, whose masks are as long as their axes."""
    found = []
    for kinds in itertools.chain(*[itertools.product(KINDS, repeat=length) for length in range(1, 5)]):
        key: list[Any] = []
        for place, kind in enumerate(kinds):
            rest = sum(other not in ("...", "None") for other in kinds[place:])
            axis = len(SHAPE) - rest if "..." in kinds[:place] else sum(item is not None for item in key)
            n = SHAPE[axis] if 0 <= axis < len(SHAPE) else 2
            key.append(np.arange(n) < 2 if kind == "mask" else KINDS[kind])
        found.append(tuple(key))
    return found


def test_keys_of_all_kinds_give_what_numpy_gives() -> None:
    """Shapes, values, assignments, in-place operators and add_at, of 2,800 keys; NumPy computes: it takes seconds."""
    host = np.arange(24).reshape(SHAPE)
    for key in keys_of_all_kinds():
        ours = tuple([xp.asarray(item) if isinstance(item, np.ndarray) else item for item in key])
        with xp.config.set(small_on_host=1):
            x, right = xp.asarray(host), host.copy()
            try:
                expected = right[key]
            except IndexError:
                with pytest.raises(IndexError):
                    x[ours]
                continue
            np.testing.assert_array_equal(x[ours].to_numpy(), expected, strict=True, err_msg=str(key))
            values = np.arange(expected.size).reshape(expected.shape)
            right[key], x[ours] = values, xp.asarray(values)
            right[key] += 3
            x[ours] += 3
            np.testing.assert_array_equal(x.to_numpy(), right, err_msg=str(key))
            if any(isinstance(item, (list, np.ndarray)) for item in key):
                np.add.at(right, key, 2)
                xp.add_at(x, ours, 2)
                np.testing.assert_array_equal(x.to_numpy(), right, err_msg=str(key))


PARTED: list[tuple[Any, ...]] = [
    (slice(None), [0, 1, 2], ..., [0, 1, 2]),
    (slice(None), 1, ..., [0, 2]),
    (slice(None), np.arange(3) > 0, ..., [0, 2]),
    ([0, 1], ..., slice(1), 1),
    ([0, 1], ..., [0, 1], 1),
]


@pytest.mark.parametrize("key", PARTED, ids=str)
def test_an_ellipsis_for_no_axis_parts_index_arrays(key: tuple[Any, ...]) -> None:
    """The same by kernels."""
    host = np.arange(24).reshape(SHAPE)
    x = xp.asarray(host)
    assert_same(to_host(x[key]), host[key])
    values = np.arange(host[key].size).reshape(host[key].shape)
    x[key] = xp.asarray(values)
    host[key] = values
    x[key] += 1
    host[key] += 1
    assert_same(to_host(x), host)


# --- what is assigned through a mask


@pytest.mark.parametrize("small", [0, 1])
@pytest.mark.parametrize("shape", [(4,), (5000,), (2, 3), (50, 100)], ids=str)
def test_what_a_mask_takes_does_not_depend_on_the_size(shape: tuple[int, ...], small: int) -> None:
    count = int(np.prod(shape))
    masks = {
        "some": (np.arange(count) % 2 == 0).reshape(shape),
        "none": np.zeros(shape, np.bool_),
        "rows": np.arange(shape[0]) % 2 == 0,
    }
    for name, mask in masks.items():
        k = int(mask.sum())
        taken = (k,) if mask.ndim == len(shape) else (k, *shape[1:])
        shapes = [(), (1,), (1, 1), taken, (1, *taken), (1, 1, *taken), (k, 1), (k + 1,), (2, *taken), shape]
        for of_values, key in itertools.product(shapes, [(mask,), (mask, ...)]):
            if name == "none" and 0 in of_values and of_values[0] == 2:
                continue  # NumPy takes any shape without elements where the mask selects none
            host, x = np.zeros(shape), xp.zeros(shape)
            values = np.arange(1.0, 1.0 + np.prod(of_values)).reshape(of_values)
            ours = tuple([xp.asarray(item) if item is mask else item for item in key])
            told = f"{name}, {of_values}, {len(key)}"
            with xp.config.set(small_on_host=small):
                try:
                    host[key if len(key) > 1 else mask] = values
                except (TypeError, ValueError):
                    with pytest.raises((TypeError, ValueError)):
                        x[ours if len(key) > 1 else ours[0]] = xp.asarray(values)
                else:
                    x[ours if len(key) > 1 else ours[0]] = xp.asarray(values)
                np.testing.assert_array_equal(x.to_numpy(), host, err_msg=told)


# --- one element is a value


def test_elements_are_values() -> None:
    x = xp.asarray([1, 2, 3])
    x[0], x[1] = x[1], x[0]
    assert x.tolist() == [2, 1, 3]
    t = x[2]
    x[2] = 99
    assert int(t) == 3
    t += 1
    assert int(t) == 4 and x.tolist() == [2, 1, 99]


ELEMENTS: dict[str, Any] = {
    "an int": 1, "a negative one": -2, "NumPy's": np.int8(1), "0-d": lambda: xp.asarray(1),
    "0-d of NumPy": np.asarray(1),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize("pending", [False, True], ids=["in memory", "pending"])
def test_integers_for_all_axes_give_a_value(name: str, pending: bool) -> None:
    index = ELEMENTS[name]
    index = index() if callable(index) else index
    for shape in ((3,), (3, 3)):
        host = np.arange(1, 1 + np.prod(shape)).reshape(shape)
        x = xp.asarray(host)
        x = x + 0 if pending else x
        key = (index,) * len(shape)
        value, view = x[key], x[(*map(int, key), ...)]
        x[...] = 0
        assert int(value) == host[tuple(map(int, key))] and int(view) == 0
        value[...] = 7
        assert int(value) == 7 and not xp.any(x)
    zero = xp.asarray(5)
    value, view = zero[()], zero[...]
    zero[...] = 6
    assert (int(value), int(view)) == (5, 6)


def test_programs_that_move_elements_are_right() -> None:
    host = np.random.default_rng(0).integers(0, 1000, 60)
    x = xp.asarray(host)
    random.Random(0).shuffle(x)  # type: ignore[arg-type]
    assert sorted(x.tolist()) == sorted(host.tolist())
    for i in range(1, 60):  # insertion sort
        value, j = x[i], i
        while j and x[j - 1] > value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value
    assert x.tolist() == sorted(host.tolist())
    largest = x[0]
    for i in range(60):
        largest = x[i] if x[i] > largest else largest
        x[i] = -1
    assert int(largest) == host.max()


def test_an_element_in_place_is_one_launch() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    xp.compute(x)
    x[1] += 5.0
    for index in (1, xp.asarray(1), (1,)):
        xp.compute(index if isinstance(index, xp.Array) else x)
        with xp.record() as made:
            x[index] += 5.0
        assert len(made) == 1
    with xp.record() as made:
        x[0] = x[2]
    assert len(made) == 1 and x.tolist() == [3.0, 22.0, 3.0]


def test_a_value_that_was_written_where_it_was_read_is_still_that_value() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    t = x[0]
    more = t + 10.0
    t += 1.0
    x[0] = t
    assert (float(t), float(more), x.tolist()) == (2.0, 11.0, [2.0, 2.0, 3.0])
    x[0] = 50.0
    assert float(t) == 2.0


def test_rows_by_arrays_of_no_dimensions_are_copies() -> None:
    x = xp.asarray(A)
    row = x[xp.asarray(1)]
    x[1] = 0
    assert_same(to_host(row), A[1])


# --- views without elements


@pytest.mark.parametrize("small", [0, 1])
def test_views_without_elements_may_begin_anywhere(small: int) -> None:
    with xp.config.set(small_on_host=small):
        for shape in ((4, 0, 8), (0,), (3, 0), (0, 5), (2, 2, 0)):
            x = xp.asarray(np.ones(shape))
            for steps in itertools.product((1, -1), repeat=len(shape)):
                for offset in (0, 1):
                    key = tuple([slice(offset, None, step) if step > 0 else slice(None, None, step) for step in steps])
                    view, right = x[key], np.ones(shape)[key]
                    for got, wanted in ((view + 1, right + 1), (view[..., None] * 2, right[..., None] * 2)):
                        assert_same(to_host(got), wanted)
                    view[...] = 5
                    assert_same(to_host(xp.sum(view, axis=0)), right.sum(axis=0))
                    if right.shape[0]:
                        assert_same(to_host(view[xp.asarray([0])]), right[[0]])
        t = xp.asarray(np.ones((50, 20)))
        t = t[t[:, 0] > 2]
        assert (t[:, 15] + 1).shape == (0,) and (t[:, 15] > 0).tolist() == []


def test_a_view_that_is_assigned_to_its_place_changes_nothing(device: Device) -> None:
    """So ``x[key] += y`` writes once."""
    x = xp.asarray(np.arange(12.0).reshape(3, 4))
    storage = x._node.array.storage  # type: ignore[union-attr]
    before = storage.writes
    for key in (slice(1, 3), (slice(None), slice(1, 3)), (slice(None, None, 2), slice(None, None, -1))):
        x[key] = x[key]
    assert storage.writes == before
    x[1:, 1:] = x[:-1, :-1]
    expected = np.arange(12.0).reshape(3, 4)
    expected[1:, 1:] = expected[:-1, :-1].copy()
    assert np.array_equal(x.to_numpy(), expected)
    shared = [] if device.is_gpu else [xp.asarray(_frozen(), copy=False)]
    for fixed in (xp.broadcast_to(x[0], (3, 4)), *shared):
        with pytest.raises(ValueError):
            fixed[1:] = fixed[1:]


def _frozen() -> np.ndarray[Any, Any]:
    host = np.arange(4.0)
    host.flags.writeable = False
    return host
