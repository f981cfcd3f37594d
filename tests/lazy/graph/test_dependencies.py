"""`lazy/graph/dependencies.py`: which pending values read which memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.graph import dependencies as pending
from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import Storage

pytestmark = pytest.mark.usefixtures("device")


def leaf() -> xp.Array:
    return xp.asarray(np.arange(4.0))


def storage_of(x: xp.Array) -> Storage:
    return evaluate(x._node).storage


def test_readers_are_the_held_values_that_read_the_storage() -> None:
    x, y = leaf(), leaf()
    of_x, of_y, of_both = x + 1, y + 1, x * y
    assert pending.readers(storage_of(x)) == [of_x._node, of_both._node]
    assert pending.readers(storage_of(y)) == [of_y._node, of_both._node]


def test_a_gathered_array_is_read() -> None:
    x, index = leaf(), xp.asarray([1, 0])
    gathered = x[index]
    assert pending.readers(storage_of(x)) == [gathered._node]


def test_a_value_that_another_depends_on_stands_for_it() -> None:
    x = leaf()
    first = x + 1
    second = first * 2
    assert pending.readers(storage_of(x)) == [first._node]
    evaluate(first._node)
    assert pending.readers(storage_of(x)) == []
    assert pending.readers(storage_of(first)) == [second._node]


def test_a_value_that_was_let_go_leaves_its_readers() -> None:
    x = leaf()
    first = x + 1
    second = first * 2
    assert pending.readers(storage_of(x)) == [first._node]
    del first
    assert pending.readers(storage_of(x)) == [second._node]


def test_a_value_that_nobody_holds_reads_nothing() -> None:
    x = leaf()
    kept, lost = x + 1, x + 2
    pending.readers(storage_of(x))
    del lost
    assert pending.readers(storage_of(x)) == [kept._node]


def test_each_value_is_walked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[Node] = []
    register = pending._register

    def counted(node: Node) -> None:
        walked.append(node)
        register(node)

    monkeypatch.setattr(pending, "_register", counted)
    x, y = leaf(), leaf()
    storage_of(x), storage_of(y)
    pending.readers(storage_of(y))
    walked.clear()
    values = [x + k for k in range(10)]
    for _ in range(5):
        y[0] = 1
    assert walked == [value._node for value in values]


def test_values_that_are_computed_or_let_go_are_swept_out() -> None:
    x = leaf()
    pending.readers(storage_of(x))
    computed, held = x + 1, x + 2
    evaluate(computed._node)
    for _ in range(2 * pending.MIN_NOTED):
        x + 3
    assert len(pending.noted) <= pending.MIN_NOTED + 1
    pending.sweep()
    assert [holder() for holder in pending.noted] == [held]


def test_readers_of_a_storage_are_swept_out() -> None:
    x, y = leaf(), leaf()
    for _ in range(4 * pending.MANY_READERS):
        value = x + 1
        y[0] = 0
        del value
    assert len(storage_of(x).readers or ()) <= 2 * pending.MANY_READERS


def test_recent_values_are_pending_and_held() -> None:
    pending.recent(0)
    x = leaf()
    first, computed = x + 1, x + 2
    evaluate(computed._node)
    nested = (x + 3) * 2
    assert pending.recent(0) == [first._node, nested._node]
    evaluate(first._node)
    assert pending.recent(0) == [nested._node], "they are given as long as they are pending"


def test_recent_values_are_not_looked_for_where_all_are_known() -> None:
    x = leaf()
    evaluate((x + 1)._node)
    pending.recent(0)
    value = (x + 1) * 2
    assert pending.recent(2) == []
    other, another = x + 4, x + 5
    assert pending.recent(1) == [other._node, another._node]
    assert value._node.array is None


def test_recent_values_are_found_after_a_write_has_looked_at_them() -> None:
    pending.recent(0)
    x, written = leaf(), leaf()
    first, second = x + 1, x + 2
    written[0] = 3.0
    third = x + 3
    assert pending.recent(0) == [first._node, second._node, third._node]


@pytest.mark.parametrize("known", [0, 2, 9])
def test_recent_values_are_found_after_a_sweep(known: int) -> None:
    pending.recent(0)
    x = leaf()
    first = x + 1
    pending.sweep()
    second = x + 2
    third = x + 3
    pending.sweep()
    assert pending.recent(known) == [first._node, second._node, third._node]


def test_values_that_are_computed_soon_leave_no_notes() -> None:
    x = leaf()
    pending.readers(storage_of(x))
    before = len(pending.noted)
    for _ in range(50):
        xp.compute(x + 1)
    assert len(pending.noted) == before


def test_a_new_value_of_a_handle_stays_noted_when_the_former_is_computed() -> None:
    x = leaf()
    y = x + 1
    node = y._node
    y += x  # another value of the same handle, whose reference is the last note
    evaluate(node)
    assert pending.readers(storage_of(x)) == [y._node]
    x[0] = 100.0
    assert y.to_numpy().tolist() == [1.0, 3.0, 5.0, 7.0]


def test_values_are_noted_while_threads_compute_and_write() -> None:
    x, faults = leaf(), []

    def work(number: int) -> None:
        try:
            own = xp.asarray(np.full(4, float(number)))
            for k in range(200):
                waiting = own + k
                xp.compute(own * 2)
                own[...] = float(number + k + 1)
                if waiting.to_numpy().tolist() != [float(number + k) + k] * 4:
                    faults.append((number, k))
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and pending.readers(storage_of(x)) == []
