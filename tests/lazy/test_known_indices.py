"""What is known of an index array: that it was checked is remembered, and forgotten when it may have changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, to_host

import arrayapi_gpu as xp

N = 300


def taken(x: xp.Array, index: xp.Array) -> int:
    """How many launches ``x[index]`` takes; its values are NumPy's."""
    with launches() as made:
        result = x[index]
        xp.sync(result)
    assert_same(to_host(result), to_host(x)[to_host(index)])
    return len(made)


def places(n: int = N, dtype: str = "int64") -> xp.Array:
    index: xp.Array = xp.asarray(np.random.default_rng(3).integers(-n, n, 500).astype(dtype)) + 0
    return index


def test_an_array_is_checked_once() -> None:
    x, index = xp.asarray(sample("float32", N)), places()
    xp.sync(index)
    first = taken(x, index)
    assert taken(x, index) == 1 < first
    longer, shorter = xp.asarray(sample("float32", N + 1)), x[: N - 1]
    assert taken(longer, index) == 1
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 299"):
        shorter[index]


def test_positions_that_functions_give_need_no_check() -> None:
    x = xp.asarray(sample("float32", N))
    order = xp.argsort(x)
    xp.sync(order)
    assert taken(x, order) == 1
    (found,) = xp.nonzero(x > 0)
    assert taken(x, found) == 1
    matrix = xp.asarray(sample("float32", (20, 30)))
    rows, columns = xp.nonzero(matrix > 0)
    with launches() as made:
        result = matrix[rows, columns]
        xp.sync(result)
    assert len(made) == 1
    assert_same(to_host(result), to_host(matrix)[to_host(rows), to_host(columns)])
    with pytest.raises(IndexError):
        matrix[xp.asarray([29]), columns[:1]], matrix[columns, rows]


def _through_a_view(index: xp.Array) -> None:
    view = index[::2]
    view[0] = N


def _through_an_older_view(index: xp.Array) -> None:
    view = index[1:]
    taken(xp.zeros(N), index)
    view[0] = N


def _by_an_index(index: xp.Array) -> None:
    index[xp.asarray([7, 8])] = N


def _by_a_mask(index: xp.Array) -> None:
    index[index == index] = N


def _in_place(index: xp.Array) -> None:
    index += N


def _in_place_with_a_view(index: xp.Array) -> None:
    view = index[:]
    index += N
    del view


def _by_another_library(index: xp.Array) -> None:
    host = np.from_dlpack(index) if index.device.host_shared else None
    if host is None:
        index[0] = N
    else:
        host[0] = N


WRITES: dict[str, Callable[[Any], None]] = {
    "an element": lambda index: index.__setitem__(3, N),
    "a slice": lambda index: index.__setitem__(slice(3, 5), N),
    "a view": _through_a_view,
    "an older view": _through_an_older_view,
    "an index": _by_an_index,
    "a mask": _by_a_mask,
    "in place": _in_place,
    "in place, with a view": _in_place_with_a_view,
    "another library": _by_another_library,
}


@pytest.mark.parametrize("name", WRITES)
def test_what_was_known_is_forgotten_when_the_array_changes(name: str) -> None:
    x, index = xp.asarray(sample("float32", N)), places()
    taken(x, index)
    WRITES[name](index)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 300"):
        x[index]
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 300"):
        x[index] = 0


@pytest.mark.parametrize("name", WRITES)
def test_positions_that_functions_give_may_be_changed(name: str) -> None:
    x = xp.asarray(sample("float32", N))
    order = xp.argsort(x)
    WRITES[name](order)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 300"):
        x[order]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_indices_of_other_dtypes_need_no_copy(dtype: str) -> None:
    x = xp.asarray(sample("float32", 100))
    index = xp.astype(xp.arange(90), getattr(xp, dtype))
    xp.sync(index)
    taken(x, index)
    assert taken(x, index) == 1


def test_a_pending_gather_reads_what_the_index_was() -> None:
    x, index = xp.asarray(sample("float32", N)), places()
    was = to_host(index).copy()
    taken(x, index)
    picked = x[index]
    index[0] = 5
    other = x[index]
    index += 1
    assert_same(to_host(picked), to_host(x)[was])
    was[0] = 5
    assert_same(to_host(other), to_host(x)[was])
