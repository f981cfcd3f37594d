"""The mutation rule: whoever has a pending expression on memory that is written to sees the old values."""

from __future__ import annotations

from collections.abc import Callable
from operator import iadd, setitem
from typing import Any

import numpy as np
import pytest
from support import assert_same, check_same, launches, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import KernelBuildError

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(12.0).reshape(3, 4)


def test_an_expression_sees_the_values_of_the_time_it_was_written() -> None:
    x = xp.asarray(A)
    before = x * 10
    x += 1
    after = x * 10
    x[0] = -1
    assert_same(to_host(before), A * 10)
    assert_same(to_host(after), (A + 1) * 10)


def test_a_pending_reduction_sees_the_old_values_too() -> None:
    x = xp.asarray(A)
    total, largest = xp.sum(x, axis=0), xp.max(x * 2)
    x[...] = 0
    assert_same(to_host(total), A.sum(axis=0))
    assert float(largest) == 22


def test_views_see_what_is_written_to_their_array_and_the_other_way() -> None:
    def program(_: Any, x: Any) -> Any:
        row, column, turned = x[1], x[:, 1], x.T
        x += 1
        row *= 2
        column -= 5
        turned[0] = 9
        return x, row, column, turned

    check_same(program, A)


def test_an_array_that_was_rebound_leaves_its_old_memory_alone() -> None:
    x = xp.asarray(A)
    copy = x + 0
    x += 1
    view = x[0]
    x += 1
    assert_same(to_host(view), A[0] + 2)
    assert_same(to_host(copy), A)


def test_a_view_of_a_pending_array_follows_it() -> None:
    x = xp.asarray(A) * 2
    view = x[::2]
    x += 1
    view += 10
    expected = A * 2 + 1
    expected[::2] += 10
    assert_same(to_host(x), expected)


def test_two_names_of_one_array_are_one_array() -> None:
    x = y = xp.asarray(A)
    y += 1
    x[0] = 7
    assert x is y
    assert_same(to_host(y[0]), np.full(4, 7.0))


# Each writes what another reads: ``old`` is the array itself here, and with NumPy, which does not look into
# every overlap, a copy.
OVERLAPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "shift right": lambda _, x, old: setitem(x, slice(1, None), old[:-1]),
    "shift left": lambda _, x, old: setitem(x, slice(-1), old[1:]),
    "reverse": lambda _, x, old: setitem(x, ..., old[::-1]),
    "reverse in place": lambda _, x, old: iadd(x[...], old[::-1]),
    "strided": lambda _, x, old: setitem(x, slice(None, None, 2), old[:20]),
    "strided apart": lambda _, x, old: setitem(x, slice(None, None, 2), old[1::2] * 2),
    "shift an expression": lambda _, x, old: setitem(x, slice(1, None), old[:-1] * 2 + old[1:]),
    "shift in place": lambda _, x, old: iadd(x[1:], old[:-1]),
    "one for all": lambda _, x, old: setitem(x, ..., old[3]),
    "gathered": lambda _, x, old: setitem(x, slice(0, 3), old[[2, 1, 0]]),
    "scattered": lambda _, x, old: setitem(x, [0, 1, 2], old[1:4]),
    "masked": lambda _, x, old: setitem(x, x > 3, old[old > 3][::-1]),
    "scattered by itself": lambda np_, x, old: setitem(x, np_.astype(old[:5], np_.int64), old[5:10]),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_a_source_that_overlaps_its_destination_is_read_first(name: str) -> None:
    def program(np_: Any, x: Any) -> Any:
        OVERLAPS[name](np_, x, x.copy() if np_ is np else x)
        return x

    check_same(program, np.arange(40.0))


@pytest.mark.parametrize("shape", [(4, 4), (33, 33), (200, 200)])
def test_an_array_takes_its_own_transpose(shape: tuple[int, ...]) -> None:
    def assign(_: Any, x: Any) -> Any:
        x[...] = x.T
        return x

    def add(_: Any, x: Any) -> Any:
        view = x[...]
        view += x.T
        return x

    check_same(assign, sample("float32", shape))
    check_same(add, sample("float32", shape))


def test_an_in_place_operation_through_a_view_is_one_launch() -> None:
    x, y = xp.asarray(A), xp.asarray(A)
    view = x[1:]
    with launches() as made:
        view *= y[1:] + 1
    assert len(made) == 1


def test_writing_computes_only_what_reads_the_memory() -> None:
    x, y = xp.asarray(A), xp.asarray(A)
    of_x, of_y = x + 1, y + 1
    with launches() as made:
        x[0, 0] = 5
    assert len(made) == 2
    assert_same(to_host(of_x), A + 1)
    assert_same(to_host(of_y), A + 1)


NEW: dict[str, Callable[[xp.Array], xp.Array]] = {
    "copy": lambda x: x.copy(),
    "astype": lambda x: xp.astype(x, xp.float64),
    "asarray": lambda x: xp.asarray(x, copy=True),
    "positive": lambda x: +x,
    "conj": lambda x: xp.conj(x),
    "clip": lambda x: xp.clip(x),
    "sum over no axis": lambda x: xp.sum(x, axis=()),
    "max over no axis": lambda x: xp.max(x, axis=()),
    "mean over no axis": lambda x: xp.mean(x, axis=()),
    "roll by nothing": lambda x: xp.roll(x, 0),
    "repeat once": lambda x: xp.repeat(x, 1, axis=0),
    "tile once": lambda x: xp.tile(x, (1, 1)),
    "concat of one": lambda x: xp.concat([x]),
    "stack of one": lambda x: xp.stack([x])[0],
    "reshape with a copy": lambda x: xp.reshape(x, x.shape, copy=True),
    "tril": lambda x: xp.tril(x, k=10),
    "meshgrid": lambda x: xp.meshgrid(x[0], x[1])[0],
    "where": lambda x: xp.where(x == x, x, x),
    "flatten": lambda x: x.flatten(),
    "diff of none": lambda x: xp.diff(x, n=0),
    "gather": lambda x: x[[0, 1, 2]],
    "mask": lambda x: x[x == x],
}


@pytest.mark.parametrize("pending", [False, True], ids=["in memory", "pending"])
@pytest.mark.parametrize("name", NEW)
def test_functions_give_arrays_of_their_own(name: str, pending: bool) -> None:
    """Writing to the one never changes the other, whether the argument was computed or not."""
    x = xp.asarray(A) + 1 if pending else xp.asarray(A + 1)
    y = NEW[name](x)
    expected = to_host(NEW[name](xp.asarray(A + 1)))
    x[0] = -5
    assert_same(to_host(y), expected)
    x = xp.asarray(A) + 1 if pending else xp.asarray(A + 1)
    y = NEW[name](x)
    y[0] = -5
    assert_same(to_host(x), A + 1)


def test_a_broadcast_view_is_not_written_to() -> None:
    x = xp.broadcast_to(xp.asarray([1.0, 2.0]), (3, 2))
    with pytest.raises(ValueError, match="broadcast view"):
        x[0] = 1
    with pytest.raises(ValueError, match="broadcast view"):
        x += 1


def test_a_scatter_does_not_write_to_a_broadcast_view_either() -> None:
    x = xp.broadcast_to(xp.asarray([1.0, 2.0]), (3, 2))
    with pytest.raises(ValueError, match="broadcast view"):
        x[[0, 1]] = 1


def test_a_view_of_elements_that_repeat_in_another_way_is_not_written_to() -> None:
    x = xp.broadcast_to(xp.asarray([[1.0], [2.0]]), (2, 3))
    with pytest.raises(ValueError, match="broadcast view"):
        x.T[...] = 1


def test_the_values_of_a_write_stay_free_to_change() -> None:
    x, y = xp.zeros((4,)), xp.ones((4,))
    x[...] = y
    y[...] = 5
    assert x.tolist() == [1] * 4


def test_host_reads_see_all_writes_before_them() -> None:
    x = xp.zeros((1000,), dtype=xp.int64)
    view = x[::2]
    for _ in range(100):
        view += 1
    assert_same(to_host(x), np.tile([100, 0], 500))


# --- memory that somebody saw, and nobody sees any more


def _in_memory() -> Any:
    x = xp.asarray(A) + 0
    xp.compute(x)
    return x


VIEWS: dict[str, Callable[[Any], Any]] = {
    "a row": lambda x: x[1],
    "reversed": lambda x: x[::-1],
    "a view of a view": lambda x: x.T[1:],
    "a capsule": xp.from_dlpack,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_write_goes_to_memory_that_somebody_sees(name: str) -> None:
    x = _in_memory()
    view = VIEWS[name](x)
    x += 1
    x[x > 3] = 0
    wanted = A + 1
    wanted[wanted > 3] = 0
    assert_same(to_host(x), wanted)
    assert_same(to_host(view), VIEWS[name](wanted) if name != "a capsule" else wanted)


@pytest.mark.parametrize("name", VIEWS)
def test_memory_that_nobody_else_sees_any_more_is_not_written(name: str) -> None:
    x = _in_memory()
    VIEWS[name](x)
    with launches() as made:
        x += 1
        x[x > 3] = 0
        x *= 2
        xp.compute(x)
    assert len(made) == 1
    wanted = A + 1
    wanted[wanted > 3] = 0
    assert_same(to_host(x), wanted * 2)


def test_a_pending_value_sees_the_memory_by_its_view() -> None:
    x = _in_memory()
    later = x[1] * 2
    x += 1
    assert_same(to_host(later), A[1] * 2)
    assert_same(to_host(x), A + 1)


def test_a_view_that_outlives_its_array_owns_the_memory() -> None:
    x = _in_memory()
    x = x[1:]
    with launches() as made:
        x -= 1
        xp.compute(x * 2)
    assert len(made) == 1
    assert_same(to_host(x), A[1:] - 1)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::-1],
        lambda x: x[:, 1:],
        lambda x: x.T,
        lambda x: x[::2],
        lambda x: x[1:],
        lambda x: x[0],
        lambda x: x[:, ::-1].T,
        lambda x: x[1:2].T,
    ],
)
@pytest.mark.parametrize("keep", [False, True])
def test_reshape_copies_where_numpy_s_does_after_a_view_outlived_its_array(
    view: Callable[[Any], Any], keep: bool
) -> None:
    x, expected = _in_memory(), A.copy()
    kept = (x, expected) if keep else None
    x, expected = view(x), view(expected)
    for array in (x, expected):
        array -= 1
    x *= 2
    expected *= 2
    flat, expected_flat = xp.reshape(x, (-1,)), np.reshape(expected, -1)
    x[...] = 9
    expected[...] = 9
    assert_same(to_host(flat), expected_flat)
    del kept


def test_an_address_that_was_given_away_stays_that_of_the_array() -> None:
    x = _in_memory()
    storage = x._node.array.storage
    x.device.address(storage.buffer)
    x[0]  # somebody has seen the memory
    del storage
    x += 1
    assert x._node.array is not None


def test_the_host_s_view_follows(host_shared: None) -> None:
    x = _in_memory()
    host = np.asarray(x)
    x[x < 5] = 0
    assert_same(host, np.where(A < 5, 0, A))


# --- launches of writes


@pytest.mark.parametrize("key", [1, slice(1, None), (slice(None), 2), ..., (2, 3)])
def test_an_operator_into_a_part_is_one_launch(key: Any) -> None:
    x = _in_memory()
    with launches() as made:
        x[key] += 1
    wanted = A.copy()
    wanted[key] += 1
    assert len(made) == 1
    assert_same(to_host(x), wanted)


def test_what_is_written_to_its_own_place_may_not_be_read_only() -> None:
    x = xp.broadcast_to(xp.asarray([1.0, 2.0]), (3, 2))
    with pytest.raises(ValueError, match="broadcast view"):
        x[...] = x


def test_a_mask_and_what_it_selects_are_one_launch() -> None:
    x = _in_memory()
    view = x[1:]  # so that the memory is written
    condition = xp.asarray(A) < 5
    with launches() as made:
        x[condition] = 0
    assert len(made) == 1
    assert_same(to_host(x), np.where(A < 5, 0, A))
    assert_same(to_host(view), np.where(A < 5, 0, A)[1:])


@pytest.mark.parametrize(
    "mask", [[True, False, True], A % 2 == 1, True, False], ids=["rows", "elements", "all", "none"]
)
@pytest.mark.parametrize("value", [-1, [2.5]], ids=["a number", "an array"])
def test_a_mask_of_the_first_axes_selects_what_lies_below(mask: Any, value: Any) -> None:
    def program(m: Any, x: Any, mask: Any) -> Any:
        x[mask] = value if isinstance(value, int) else m.asarray(value)
        pending = x * 2
        pending[mask] = value if isinstance(value, int) else m.asarray(value)
        return x, pending

    check_same(program, A, np.asarray(mask))


def test_what_a_write_needs_and_what_reads_the_memory_are_computed_together() -> None:
    """As scikit-learn's `svd_flip` does."""
    x = _in_memory()
    whole = x[...]
    places = xp.argmax(xp.abs(x), axis=1)
    signs = xp.sign(xp.take(xp.reshape(x + 0, (-1,)), places + xp.arange(3) * 4))
    x *= signs[:, None]
    assert_same(to_host(places), np.argmax(np.abs(A), axis=1))
    assert_same(to_host(whole), A * np.sign(A[:, -1:]))


def test_a_number_goes_to_places_in_any_order() -> None:
    places = np.asarray([[0, 2, 2], [1, 0, 2]])

    def program(m: Any, x: Any, places: Any) -> Any:
        x[places] = 7
        x[places, 1] = m.asarray(8.0)
        return x

    check_same(program, A, places)


def test_a_reader_that_fails_is_named_where_its_memory_is_written() -> None:
    """The line of a write has no mistake of its own. Without the reader it works."""
    x = xp.asarray(np.arange(300_000.0))
    reader = xp.ElementwiseKernel("T x", "T y", "y = unknown_function(x)", "mistaken")(x)
    with pytest.raises(KernelBuildError) as caught:
        x[0] = 5
    assert any("an array that was not computed yet" in note for note in caught.value.__notes__)
    del reader, caught
    x[0] = 5
    assert float(x[0]) == 5
