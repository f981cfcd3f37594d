"""Side queues: what a copy uses is kept until it is done, whatever comes in between."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from arrayapi_gpu.backends.side_queue import SideQueue


class Driver(SideQueue):
    """A queue whose copies are done when the test says so."""

    def __init__(self) -> None:
        super().__init__(threading.RLock())
        self.done: set[int] = set()
        self.queued: list[str] = []

    def begin(self, target: Any, source: Any, offset: int) -> Any:
        self.queued.append(f"copy from byte {offset}")
        return len(self.queued)

    def happened(self, event: Any) -> bool:
        return event in self.done

    def join(self, event: Any, device: Any) -> None:
        self.queued.append(f"join {event}")

    def wait(self, event: Any) -> None:
        self.done |= set(range(event + 1))

    def finish(self) -> None:
        self.queued.append("finish")


class Memory:
    """Memory that a copy uses."""


def used(queue: Driver, begin: Callable[[], Any]) -> tuple[Any, weakref.ref[Memory]]:
    memory = Memory()
    return queue.copy(begin, (memory,)), weakref.ref(memory)


def test_memory_is_kept_until_the_copy_is_done() -> None:
    queue = Driver()
    transfer, memory = used(queue, lambda: 1)
    assert not queue.release() and memory() is not None
    transfer.join()
    transfer.wait()
    assert queue.queued == ["join 1"] and memory() is None
    assert not queue.release()


def test_a_copy_keeps_both_ends_and_what_else_it_is_given() -> None:
    queue, ends = Driver(), (Memory(), Memory(), Memory())
    references = [weakref.ref(end) for end in ends]
    transfer = queue.carry(ends[0], ends[1], 7, ends[2])  # type: ignore[arg-type]
    del ends
    assert queue.queued == ["copy from byte 7"] and None not in [reference() for reference in references]
    transfer.wait()
    assert [reference() for reference in references] == [None] * 3


def test_copies_are_let_go_in_their_order() -> None:
    queue = Driver()
    (_, first), (_, second) = used(queue, lambda: 1), used(queue, lambda: 2)
    queue.done.add(2)
    queue.release()
    assert first() is not None and second() is not None
    queue.done.add(1)
    used(queue, lambda: 3)  # looks, too
    assert first() is None and second() is None


def test_what_nobody_waits_for_is_kept() -> None:
    queue = Driver()
    transfer, memory = used(queue, lambda: 1)
    del transfer
    assert memory() is not None
    queue.done.add(1)
    queue.release()
    assert memory() is None


def test_an_interrupted_copy_is_kept_until_the_queue_is_empty() -> None:
    queue = Driver()

    def begin() -> Any:
        raise KeyboardInterrupt  # behind the copy, before its event is known

    memory = Memory()
    reference = weakref.ref(memory)
    with pytest.raises(KeyboardInterrupt):
        queue.copy(begin, (memory,))
    del memory
    assert reference() is not None and queue.queued == []
    queue.release()
    assert queue.queued == ["finish"] and reference() is None


def test_a_copy_within_another_one_takes_nothing_from_it() -> None:
    """As a destructor that runs meanwhile may copy."""
    queue = Driver()

    def begin() -> int:
        used(queue, lambda: 1)
        return 2

    _, memory = used(queue, begin)
    queue.done.add(1)
    queue.release()
    assert memory() is not None
    queue.done.add(2)
    queue.release()
    assert memory() is None
