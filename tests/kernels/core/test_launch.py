"""Kernels and their launches: compiled once, listed where somebody listens, and made again on other buffers."""

from __future__ import annotations

import asyncio
import logging
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from contextvars import copy_context
from functools import partial
from typing import Any

import numpy as np
import pytest
from support import launches, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.events import Event, note
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core.dialect import Parameters
from arrayapi_gpu.kernels.core.launch import REMEMBERED_LAUNCHES, BoundKernel, FixedKernel, compiled, launch_kernel
from arrayapi_gpu.kernels.core.traffic import Traffic
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload

MOVED = Traffic(40, 2)
TEXT = "KERNEL void scale(GLOBAL M_f32* x, const Parameters p) { x[GID] = x[GID] * p.s0; }\n"


def made(device: RecordingDevice) -> list[tuple[int, int, bytes]]:
    """Groups, work-items of a group and parameters of the launches."""
    return [(args[1], args[2], args[4]) for verb, args in device.calls if verb == "launch"]


def bound(device: Device) -> tuple[BoundKernel, Parameters]:
    """A launch over 100 work-items with a size, an offset and a scalar."""
    parameters = Parameters([("n", "i64"), ("o0", "i64"), ("s0", "f32")])
    kernel = compiled(device, parameters.text() + "\n" + TEXT, "scale")
    return BoundKernel(device, kernel, "scale", 100, 64, parameters, [100], [0], [], MOVED), parameters


def test_a_text_is_compiled_once_a_device() -> None:
    first, second = RecordingDevice("recording:launch:0"), RecordingDevice("recording:launch:1")
    assert compiled(first, TEXT, "scale") is compiled(first, TEXT, "scale")
    assert compiled(second, TEXT, "scale") is not compiled(first, TEXT, "scale")
    assert [device.kernels_compiled for device in (first, second)] == [1, 1]


def test_the_compiler_gets_the_functions_that_the_text_calls() -> None:
    device = RecordingDevice("recording:launch:2")
    compiled(device, "KERNEL void k(GLOBAL M_f32* x) { x[0] = square_f32(x[0]); }\n", "k")
    ((source, name),) = [args for verb, args in device.calls if verb == "compile"]
    assert name == "k" and source.startswith("FN R_f32 square_f32(")


@pytest.mark.parametrize(("items", "groups"), [(1, 1), (64, 1), (65, 2), (1000, 16)])
def test_work_items_are_rounded_up_to_whole_groups(items: int, groups: int) -> None:
    device = RecordingDevice()
    launch_kernel(device, device.compile(TEXT, "scale"), "scale", items, [], b"", MOVED)
    assert made(device) == [(groups, 64, b"")]


@pytest.mark.parametrize("items", [0, -1])
def test_nothing_is_launched_for_no_work_items(items: int) -> None:
    device = RecordingDevice()
    with launches() as listed:
        launch_kernel(device, device.compile(TEXT, "scale"), "scale", items, [], b"", MOVED)
    assert not listed and not made(device)


def test_a_fixed_kernel_is_launched_with_its_parameters_packed() -> None:
    device = RecordingDevice("recording:launch:3")
    kernel = FixedKernel(device, "scale", Parameters([("n", "i64"), ("s0", "f32")]), TEXT, {"SIZE": 8, "WHOLE": True})
    ((source, _),) = [args for verb, args in device.calls if verb == "compile"]
    assert source.startswith("#define SIZE 8\n#define WHOLE 1\ntypedef struct {S_i64 n; S_f32 s0;} Parameters;\n")
    kernel.run("scale", 20, [empty(device, np.dtype("float32"), (3,))], (3, 0.5), 8)
    assert made(device) == [(3, 8, struct.pack("<qf4x", 3, 0.5))]


def fixed(device: Device) -> FixedKernel:
    return FixedKernel(device, "scale", Parameters([("s0", "f32")]), TEXT)


def test_a_fixed_kernel_is_launched_with_the_values_of_each_call() -> None:
    """Values that are equal but have other bits are others, as are other numbers of work-items."""
    device = RecordingDevice("recording:launch:4")
    kernel, array = fixed(device), empty(device, np.dtype("float32"), (4,))
    calls = [(64, 0.0), (64, 0.0), (64, -0.0), (128, 0.0), (64, 0.0), (0, 0.0), (64, -0.0)]
    for items, scalar in calls:
        kernel.run("scale", items, [array], (scalar,))
    assert made(device) == [(items // 64, 64, struct.pack("<f", scalar)) for items, scalar in calls if items]


def test_a_repeated_launch_of_a_fixed_kernel_uses_the_arrays_of_each_call(device: Device) -> None:
    """Also where something listens to some of the calls, and where many others come between."""
    kernel, arrays = fixed(device), [upload(device, np.full(64, k, "f4")) for k in range(1, 8)]
    others = upload(device, np.ones(64, "f4"))
    for number, array in enumerate(arrays):
        with launches() if number == 3 else nullcontext():
            kernel.run("scale", 64, [array], (2.0,))
        for other in range(REMEMBERED_LAUNCHES * (number == 5)):
            kernel.run("scale", 64, [others], (float(other),))
    assert [set(array.download().tolist()) for array in arrays] == [{2.0 * k} for k in range(1, 8)]


class BindingDevice(RecordingDevice):
    """A device whose bound launches run something meanwhile, and count those that overlap."""

    meanwhile: Callable[[], None] | None = None
    inside = twice = binds = 0

    def bind(self, *facts: Any) -> Callable[[Any], None]:
        self.binds += 1
        launch = super().bind(*facts)

        def repeat(buffers: Any) -> None:
            self.twice += self.inside
            self.inside += 1
            meanwhile, self.meanwhile = self.meanwhile, None
            try:
                if meanwhile is not None:
                    meanwhile()
                launch(buffers)
            finally:
                self.inside -= 1

        return repeat


def refuse() -> None:
    raise MemoryError


def test_a_bound_launch_of_a_fixed_kernel_does_not_run_twice_at_once() -> None:
    """One that comes while it runs is a launch of its own: of another thread, or of a destructor."""
    device = BindingDevice("recording:launch:5")
    kernel, array = fixed(device), empty(device, np.dtype("float32"), (4,))
    again = partial(kernel.run, "scale", 64, [array], (2.0,))

    def in_a_thread() -> None:
        thread = threading.Thread(target=again)
        thread.start()
        thread.join()

    for number in range(6):
        device.meanwhile = again if number == 3 else in_a_thread if number == 4 else None
        again()
    assert (device.binds, device.twice, len(made(device))) == (1, 0, 8)


def test_a_bound_launch_that_fails_is_made_again() -> None:
    device = BindingDevice("recording:launch:6")
    kernel, array = fixed(device), empty(device, np.dtype("float32"), (4,))
    for number in range(6):
        device.meanwhile = refuse if number == 3 else None
        with pytest.raises(MemoryError) if number == 3 else nullcontext():
            kernel.run("scale", 64, [array], (2.0,))
    assert len(made(device)) == 5


def test_threads_repeat_a_launch_of_a_fixed_kernel(device: Device) -> None:
    """Each thread scales its own array."""
    kernel = fixed(device)
    arrays = [upload(device, np.full(64, k, "f4")) for k in range(1, 5)]

    def repeat(array: GpuArray) -> None:
        for _ in range(100):
            kernel.run("scale", 64, [array], (-1.0,))

    threads = [threading.Thread(target=repeat, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(array.download().tolist()) for array in arrays] == [{float(k)} for k in range(1, 5)]


def test_a_launch_is_listed_with_work_items_and_bytes() -> None:
    device = RecordingDevice()
    with launches() as listed:
        launch_kernel(device, device.compile(TEXT, "scale"), "scale", 100, [device.alloc(40)], b"", MOVED)
    (event,) = listed
    assert (event.kernel, event.device, event.items, event.read, event.written) == (
        "scale",
        "recording:0:0",
        100,
        40,
        2,
    )


def test_recordings_may_be_nested_and_name_what_ran(device: Device) -> None:
    x = xp.asarray(np.ones((30, 40), "float32"))
    with launches() as outer:
        xp.compute(x + 1)
        with launches() as inner:
            xp.compute(xp.sum(x))
    assert [len(outer), len(inner)] == [2, 1]
    assert outer[1] == inner[0]
    assert "add" in outer[0].kernel
    assert "sum" in inner[0].kernel
    assert inner[0].device == str(device)


def test_nothing_is_listed_outside_the_block() -> None:
    with launches() as listed:
        pass
    note(Event("k", "d", 1, 1))
    assert not listed


def test_records_that_nest_and_overlap_list_what_is_launched_in_each() -> None:
    one, two, three = (Event(name, "d", 1, 1) for name in "abc")
    with xp.record() as outer:
        with xp.record() as inner:
            note(one)
        with xp.record() as second:
            note(two)
        note(three)
    assert (outer, inner, second) == ([one, two, three], [one], [two])
    stack, other = ExitStack(), ExitStack()
    first = stack.enter_context(xp.record())
    note(one)
    second = other.enter_context(xp.record())
    note(two)
    stack.close()  # the one that began first
    note(three)
    other.close()
    note(one)
    assert (first, second) == ([one, two], [two, three])


def test_a_record_lists_what_its_thread_launches_and_the_tasks_that_are_made_there() -> None:
    entries = {name: Event(name, "d", 1, 1) for name in ("here", "thread", "task", "to_thread", "copy", "late")}

    def say(name: str) -> None:
        note(entries[name])

    async def tasks() -> None:
        async def task(name: str) -> None:
            await asyncio.sleep(0)
            say(name)

        with xp.record() as listed:
            within = asyncio.ensure_future(task("task"))
            await asyncio.to_thread(say, "to_thread")
            await within
        with xp.record() as other:
            after = asyncio.ensure_future(task("late"))
        await after  # which ends when the block has ended
        assert {*listed} == {entries["task"], entries["to_thread"]} and not other

    with xp.record() as listed:
        say("here")
        for target in (partial(say, "thread"), partial(copy_context().run, say, "copy")):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
    inherits = getattr(sys.flags, "thread_inherit_context", False)
    assert listed == [entries[name] for name in ("here", "thread", "copy") if inherits or name != "thread"]
    asyncio.run(tasks())


def test_records_of_two_threads_have_their_own_launches(device: Device) -> None:
    """With barriers: each thread launches while the other one records."""
    meet = threading.Barrier(2, timeout=60)
    found: dict[int, int] = {}

    def work(number: int) -> None:
        x = xp.asarray(np.arange(5, dtype=np.float32), device=device)
        meet.wait()
        with xp.record() as listed:
            for _ in range(number):
                meet.wait()
                xp.compute(x + 1)
            for _ in range(5 - number):
                meet.wait()
        found[number] = len(listed)

    threads = [threading.Thread(target=work, args=(number,)) for number in (2, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {2: 2, 5: 5}


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (Event("k", "d", 3, 8, 4), "d k: 3 items, 12 bytes"),
        (Event("det", "d", 9, 72, 0, "LAPACK", True), "d det by LAPACK, on host copies: 9 items, 72 bytes"),
    ],
)
def test_launches_are_logged_where_that_is_asked_for(entry: Event, line: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), config.set(debug=2):
        note(entry)
    assert line in caplog.text


def test_a_bound_launch_takes_the_scalars_of_each_call() -> None:
    device = RecordingDevice()
    again, parameters = bound(device)
    for scalar in (2.0, 2.0, 0.0, -0.0):
        again.run([device.alloc(400)], [scalar])
    assert made(device) == [(2, 64, parameters.pack([100, 0, scalar])) for scalar in (2.0, 2.0, 0.0, -0.0)]


def test_a_bound_launch_takes_other_offsets_once() -> None:
    device = RecordingDevice()
    again, parameters = bound(device)
    for offsets in (None, [7], None):
        again.run([device.alloc(400)], [1.0], offsets)
    assert [told for _, _, told in made(device)] == [parameters.pack([100, offset, 1.0]) for offset in (0, 7, 0)]


def test_a_bound_launch_uses_the_buffers_of_each_call(device: Device) -> None:
    again, _ = bound(device)
    arrays: list[Any] = [np.full(128, k, "f4") for k in (1, 2, 3)]
    for host, scalar in zip(arrays, (2.0, 2.0, 5.0), strict=True):
        buffer = device.alloc(512)
        device.upload(buffer, 0, host)
        again.run([buffer], [scalar])
        device.download(buffer, 0, host)
    assert [set(host.tolist()) for host in arrays] == [{2.0}, {4.0}, {15.0}]


def test_results_do_not_depend_on_who_listens(device: Device) -> None:
    x = xp.asarray(np.arange(5.0), device=device)
    quiet = to_host(x * 3 + 1)
    with launches():
        assert to_host(x * 3 + 1).tolist() == quiet.tolist() == [1, 4, 7, 10, 13]
