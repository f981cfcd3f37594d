"""Events: who gets them, and their times by the clocks of queues."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends import events
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.events import HOST_TIMER, Event, EventKind, Report, listeners, listening, note, start
from arrayapi_gpu.backends.recording import RecordingDevice


class Listed(list[Event]):
    """A listener."""

    def add(self, event: Event) -> None:
        self.append(event)


def test_nothing_begins_while_nothing_listens() -> None:
    assert not listeners and start(RecordingDevice()) is None


def test_an_event_has_the_times_of_the_host_and_of_the_work() -> None:
    device, found = RecordingDevice(), Listed()
    with listening(found):
        began = start(device, "k")
        time.sleep(0.001)
        assert began is not None
        note(Event("k", device.name, 1), began)
    (event,) = found
    assert event.timer is HOST_TIMER and event.host[0] <= event.start <= event.start + event.seconds <= event.host[1]
    assert event.seconds >= 0.001


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Event("add", "d", 3, 8, 4), ("add", 12)),
        (Event("det", "d", 3, 8, 4, "LAPACK"), ("det by LAPACK", 12)),
        (Event("det", "d", 3, 0, 0, "LAPACK", copied=True), ("det by LAPACK, on host copies", 0)),
    ],
)
def test_an_event_has_a_label_and_bytes(event: Event, expected: tuple[str, int]) -> None:
    assert (event.label, event.bytes) == expected
    assert event.seconds == event.throughput == 0, "nobody has measured it"


def test_a_compilation_reaches_the_listeners_of_all_threads() -> None:
    here, there = Listed(), Listed()
    meet = threading.Barrier(2, timeout=60)

    def listen() -> None:
        with listening(there):
            meet.wait()
            meet.wait()

    thread = threading.Thread(target=listen)
    thread.start()
    meet.wait()
    with listening(here):
        for kind in EventKind:
            note(Event("k", "d", 1, kind=kind))
    meet.wait()
    thread.join()
    assert [event.kind for event in here] == [*EventKind]
    assert [event.kind for event in there] == [EventKind.COMPILATION]


def test_a_report_is_made_again_and_again() -> None:
    device, found = RecordingDevice(), Listed()
    report = Report("k", device, 5, (8, 4), "BLAS")
    with listening(found):
        for _ in range(2):
            began = report.start()
            assert began is not None
            report.note(began)
    assert [(one.kernel, one.items, one.read, one.written, one.library) for one in found] == [
        ("k", 5, 8, 4, "BLAS")
    ] * 2


def test_devices_have_their_usual_queues_behind_the_last_block(device: Device) -> None:
    x = xp.asarray(np.ones(100_000, np.float32))
    queue = getattr(device, "_queue", None)
    with xp.record() as outer:
        with xp.record():
            xp.sync(x + 1)
        xp.sync(x + 2)
    assert not listeners and not events._timers
    assert getattr(device, "_queue", None) is queue or queue is None
    assert [event.seconds > 0 for event in outer] == [True, True]


def test_times_of_launches_are_in_order_and_inside_the_block(device: Device) -> None:
    x = xp.asarray(np.ones(300_000, np.float32))
    xp.sync(x * 2)
    began = time.perf_counter()
    with xp.record() as made:
        for number in range(4):
            xp.sync(x * number)
    ended = time.perf_counter()
    assert len(made) == 4
    slack = 1e-3  # between the clocks of the device and of the host
    times = [(event.start, event.start + event.seconds) for event in made]
    assert began - slack <= times[0][0] and times[-1][1] <= ended + slack
    for (_, end), (begin, _) in pairwise(times):
        assert end <= begin + slack


@pytest.mark.parametrize("form", ["whole", "columns", "broadcast", "reduction", "gather", "two results"])
def test_bytes_are_those_of_the_arguments(device: Device, form: str) -> None:
    host = np.arange(1_000_000, dtype=np.float32).reshape(1000, 1000)
    x, row = xp.asarray(host), xp.asarray(host[0].copy())
    at = xp.asarray(np.arange(0, 1000, 2, dtype=np.int64))
    made: Any
    with xp.record() as made:
        if form == "whole":
            xp.sync(x + x * 2)
            expected = 4_000_000, 4_000_000
        elif form == "columns":
            xp.sync(x[:, ::4] + 1)
            expected = 1_000_000, 1_000_000
        elif form == "broadcast":
            xp.sync(x + row)
            expected = 4_004_000, 4_000_000
        elif form == "reduction":
            xp.sync(xp.sum(x))
            expected = 4_000_000, 4
        elif form == "gather":
            xp.sync(xp.take(row, at) + 1)
            expected = 500 * 12, 2000
        else:
            one, other = x + 1, x * 3
            xp.compute(one + other)
            expected = 4_000_000, 12_000_000
    if form == "reduction":  # in two passes
        work = [event for event in made if event.read]  # not the zeros of new scratch memory
        assert work[0].read == expected[0] and work[-1].written == expected[1]
    elif form == "gather" and len(made) == 1 and made[0].library == "NumPy":
        assert made[0].written == expected[1]
    elif form == "two results" and len(made) > 1:
        assert sum(event.written for event in made) == expected[1]
    else:
        assert [(event.read, event.written) for event in made[-1:]] == [expected]
