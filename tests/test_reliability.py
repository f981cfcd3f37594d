"""What was once found wrong, by its finding: B wrong values, C hangs and crashes, D memory and time.

Each test is the reproducer of a finding. What can hang runs in a process of its own, with a time limit.
"""

from __future__ import annotations

import dis
import gc
import os
import subprocess
import sys
import textwrap
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError, Kernel as BackEndKernel
from conformance.campaign import faults
from conformance.campaign.memory import LIMIT, limited
from conformance.campaign.programs import own

ROOT = Path(__file__).parents[1]
HEAD = """
import faulthandler
faulthandler.dump_traceback_later({seconds}, exit=True)
import numpy as np
import arrayapi_gpu as xp
x = xp.asarray(np.arange(1000, dtype=np.float32))
(x + 1).to_numpy()
"""


def run(device: Device, body: str, seconds: int = 60) -> str:
    """Run a program on a device in a process of its own, and return what it prints."""
    environment = {**os.environ, "ARRAYAPI_GPU_DEVICE": str(device)}
    code = HEAD.format(seconds=seconds) + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds + 30
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shares(device: Device) -> None:
    """Leave out devices whose memory the host does not see."""
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory")


# --- B1: memory shared with the host shows laziness (every function: test_exposed_memory.py) ----------------------


LAZY: dict[str, Callable[[Any], Any]] = {
    "gather": lambda x: x[xp.asarray([1, 0, 2])],
    "mask": lambda x: x[x > 1],
    "concat": lambda x: xp.concat([x, x]),
    "stack": lambda x: xp.stack([x, x]),
    "take": lambda x: xp.take(x, xp.asarray([2, 0])),
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.asarray([2, 0, 1])),
    "roll": lambda x: xp.roll(x, 1),
    "repeat": lambda x: xp.repeat(x, 2),
    "tile": lambda x: xp.tile(x, (2,)),
    "searchsorted": lambda x: xp.searchsorted(x, xp.asarray([2.5])),
    "var": lambda x: xp.var(x),
    "clip": lambda x: xp.clip(x, 1.5, 2.5),
    "reshape": lambda x: xp.reshape(x, (3, 1), copy=True),
    "count_nonzero": lambda x: xp.count_nonzero(x),
    "sort": lambda x: xp.sort(x),
    "argsort": lambda x: xp.argsort(x),
}


@pytest.mark.parametrize("exported", [False, True], ids=["adopted", "exported"])
@pytest.mark.parametrize("name", LAZY)
def test_b1_a_result_is_of_the_values_at_the_call(name: str, exported: bool, device: Device) -> None:
    shares(device)
    values = np.array([1.0, 2.0, 3.0], np.float32)
    expected = LAZY[name](xp.asarray(values)).to_numpy()
    x = xp.asarray(values, copy=True) if exported else xp.asarray(values, copy=False)
    host = np.from_dlpack(x) if exported else values
    y = LAZY[name](x)
    host[:] = [0, -7, -8]
    assert np.array_equal(y.to_numpy(), expected)


def _whole(y: Any, x: Any) -> None:
    y[:] = x


def _places(y: Any, x: Any) -> None:
    y[xp.asarray([2, 0, 1])] = x


def _mask(y: Any, x: Any) -> None:
    y[xp.asarray([True, False, True])] = x[:2]


def _add(y: Any, x: Any) -> None:
    y += x


@pytest.mark.parametrize("write", [_whole, _places, _mask, _add])
def test_b1_what_was_assigned_is_of_the_values_at_the_call(write: Callable[[Any, Any], None], device: Device) -> None:
    shares(device)
    values, target = np.array([1.0, 2.0, 3.0], np.float32), np.array([5.0, 6.0, 7.0], np.float32)
    y, expected = xp.asarray(target), xp.asarray(target)
    write(expected, xp.asarray(values))
    write(y, xp.asarray(values, copy=False))
    values[:] = -7
    assert np.array_equal(y.to_numpy(), expected.to_numpy())


def test_b1_an_export_that_is_gone_leaves_an_expression_lazy(device: Device) -> None:
    """Memory is exposed as long as a host object holds the view, not for ever."""
    shares(device)
    x = xp.asarray(np.arange(1000, dtype=np.float32))

    def launches() -> int:
        with xp.record() as made:
            y = x * 2
            xp.sync((y + 1) * (y - 3))
        return len(made)

    before = launches()
    view = np.asarray(x, copy=False)
    assert view[1] == 1
    del view
    gc.collect()
    assert launches() == before


# --- B2: interrupts (at every moment: row T22 of the campaign) ----------------------------------------------------


class Interrupt(BaseException):
    """What a signal handler raises."""


@contextmanager
def injected(device: Device, kind: str, left: int, error: Callable[[], BaseException] | None = None) -> Iterator[Any]:
    """Let a call of the driver fail, or an interrupt arrive just before it."""
    injector = faults.Injector()
    with pytest.MonkeyPatch.context() as patch:
        faults.inject(device, injector, patch.setattr)
        if error is not None:
            injector.raises = error
        injector.arm(kind, left, 1)
        try:
            yield injector
        finally:
            injector.disarm()


def test_b2_an_interrupted_launch_leaves_no_stale_value(device: Device) -> None:
    x = xp.asarray(np.arange(6, dtype=np.float32))
    xp.sync((x + 1) * 2)
    for step in range(1, 6):
        y = x + step
        z = y * 2
        with injected(device, "launch", 0, Interrupt), pytest.raises(Interrupt):
            z.to_numpy()
        assert np.array_equal(y.to_numpy(), np.arange(6) + step)
        assert np.array_equal(z.to_numpy(), 2 * (np.arange(6) + step))


# --- B3: launches that the driver refuses (every call of the driver: row T19) -------------------------------------


def has_driver(device: Device) -> None:
    """Skip a test of launches that a driver refuses. Without a driver memory alone may lack (row T19)."""
    if device.name == "native":
        pytest.skip("it has no driver that could refuse a launch")


def test_b3_a_value_whose_launch_was_refused_is_right_or_raises(device: Device) -> None:
    has_driver(device)
    x = xp.asarray(np.arange(6, dtype=np.float32))
    xp.sync(x * 7)  # so that the kernel is there, and other values lie where the result will be
    y = x * 3
    with injected(device, "launch", 0) as injector, suppress(DeviceError):
        assert np.array_equal(y.to_numpy(), np.arange(6) * 3)
    assert injector.fired == 1
    assert np.array_equal(y.to_numpy(), np.arange(6) * 3)


def test_b3_a_write_through_a_view_says_that_it_failed(device: Device) -> None:
    has_driver(device)
    x = xp.asarray(np.zeros(6, np.float32))
    view, values = x[2:], xp.asarray(np.ones(4, np.float32))
    xp.sync(x, values)
    with injected(device, "launch", 0), pytest.raises(DeviceError):
        view[:] = values
    assert x.tolist() == [0.0] * 6
    view[:] = values
    assert x.tolist() == [0.0] * 2 + [1.0] * 4


def test_b3_no_launch_runs_on_what_a_refused_launch_did_not_write(device: Device) -> None:
    has_driver(device)
    x = xp.asarray(np.arange(6, dtype=np.float32))
    with xp.config.set(fusion=False):
        xp.sync((x + 1) * 2)
        y = x + 5
        z = y * 2
        with injected(device, "launch", 0) as injector, suppress(DeviceError):
            assert np.array_equal(z.to_numpy(), (np.arange(6) + 5) * 2)
        assert injector.fired == 1
        assert np.array_equal(z.to_numpy(), (np.arange(6) + 5) * 2)


# --- B4: overlap of views with different item sizes ---------------------------------------------------------------


OVERLAPS: dict[str, str] = {
    "a wider view of the whole": "b.view(xp.uint16)[:] = own(b[:32])",
    "a wider view, added": "w = b.view(xp.uint16); w += own(b[32:])",
    "a narrower view": "w = b.view(xp.uint32); b[:16] = own(w)",
    "a narrower view, backwards": "w = b.view(xp.uint16); b[10:42] = own(w[::-1])",
    "a part of a wider view": "b.view(xp.uint16)[5:15] = own(b[3:13])",
    "a narrower view, subtracted": "w = b.view(xp.uint16)[:20]; n = b[30:50]; w -= own(n)",
}


@pytest.mark.parametrize("text", OVERLAPS.values(), ids=OVERLAPS)
def test_b4_overlap_is_a_matter_of_bytes(text: str, device: Device) -> None:
    host = np.arange(64, dtype=np.uint8)
    b = xp.asarray(host)
    exec(text, {"xp": xp, "b": b, "own": own})
    exec(text, {"xp": np, "b": host, "own": own})
    assert np.array_equal(b.to_numpy(), host)


# --- B5: the output of C code -------------------------------------------------------------------------------------


def test_b5_what_c_code_writes_is_kept_or_refused(device: Device) -> None:
    y = xp.zeros((2, 3))
    host = np.asarray(y)
    if device.host_shared:
        host[...] = 5
        assert np.all(y.to_numpy() == 5)
    else:
        assert not host.flags.writeable


def test_b5_scipy_writes_into_our_array(device: Device) -> None:
    shares(device)
    ndimage: Any = pytest.importorskip("scipy.ndimage")
    values = np.arange(6.0).reshape(2, 3)
    y = xp.zeros((2, 3))
    ndimage.uniform_filter(xp.asarray(values), 3, output=y)
    assert np.array_equal(y.to_numpy(), ndimage.uniform_filter(values, 3))


# --- C1: fork beside busy threads; C4: a pool of forked processes (all ways: row T13) -----------------------------

fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

BUSY = """
import os, threading, time
def busy():
    while True:
        (x * 2 + xp.sum(x)).to_numpy()
for _ in range(3):
    threading.Thread(target=busy, daemon=True).start()
time.sleep(0.3)
"""


@fork
def test_c1_the_child_of_a_fork_beside_busy_threads_raises(device: Device) -> None:
    if device.name == "native":
        pytest.skip("it works in the child: test_native.py")
    body = """
    for _ in range(5):
        child = os.fork()
        if not child:
            try:
                (x + 3).to_numpy()
            except xp.backends.base.DeviceError as error:
                os._exit(0 if "spawn" in str(error) else 2)
            os._exit(3)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.01)
        else:
            os.kill(child, 9)
            raise SystemExit("the child hangs")
        assert status == 0, status
    print("raised", flush=True)
    os._exit(0)
    """
    assert run(device, BUSY + textwrap.dedent(body)) == "raised\n"


@fork
def test_c4_a_pool_of_forked_processes_reports_an_error(device: Device) -> None:
    if device.name == "native":
        pytest.skip("it works in the child: test_native.py")
    body = """
    import multiprocessing, os
    def first(a):
        return float(a[0])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.apply_async(first, (x,)).get(timeout=10)
        except multiprocessing.TimeoutError:
            raise SystemExit("neither a result nor an error")
        except xp.backends.base.DeviceError as error:
            assert "spawn" in str(error)
            print("reported", flush=True)
    """
    assert run(device, body) == "reported\n"


# --- C2: an interrupt leaves a lock held --------------------------------------------------------------------------


def interruptible(frame: types.FrameType, before: dict[types.FrameType, str]) -> bool:
    """Whether the interpreter may raise an exception of a signal handler here: after calls, and where loops go on."""
    previous = before.get(frame, "")
    before[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return previous.startswith(("CALL", "JUMP_BACKWARD", "RESUME"))


def interrupted(action: Callable[[], object], place: int) -> bool:
    """Raise an exception at one of the places where a signal handler may, and tell whether there is such a place."""
    left, before = place, dict[types.FrameType, str]()

    def trace(frame: types.FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        if "arrayapi_gpu" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and interruptible(frame, before):
            left -= 1
            if left < 0:
                sys.settrace(None)
                raise Interrupt
        return trace

    previous = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # Python 3.12 tells of steps where a frame had asked before
    sys.settrace(trace)
    try:
        action()
    except Interrupt:
        return True
    finally:
        sys.settrace(previous)
    return False


def test_b2_wherever_an_interrupt_comes_values_are_right(device: Device) -> None:
    x = xp.asarray(np.arange(6, dtype=np.float32))
    more, place = True, 0
    while more:
        y = x + place
        z = y * 2
        more = interrupted(z.to_numpy, place)
        assert np.array_equal(y.to_numpy(), np.arange(6) + place), place
        assert np.array_equal(z.to_numpy(), (np.arange(6) + place) * 2), place
        place += 1
    assert place > 10


def test_c2_wherever_an_interrupt_comes_other_threads_compute_afterwards(device: Device) -> None:
    x = xp.asarray(np.arange(6, dtype=np.float32))
    found: list[Any] = []

    def compute() -> None:
        found.append((xp.sort(x) * 2 + 1).to_numpy())

    compute()
    more, place = True, 0
    while more:
        more = interrupted(lambda: (xp.sort(x) * 2 + 1).to_numpy(), place)
        thread = threading.Thread(target=compute, daemon=True)
        thread.start()
        thread.join(30)
        assert not thread.is_alive(), f"an exception at place {place} leaves a lock held"
        place += 1
    assert place > 10 and all(np.array_equal(got, np.arange(6) * 2 + 1) for got in found)


def test_c2_an_interrupt_does_not_vanish_in_a_destructor(device: Device) -> None:
    """The destructor of memory runs no code of Python's, where an exception could be raised and be ignored."""
    del device
    from arrayapi_gpu.backends.base import Buffer

    assert not isinstance(getattr(Buffer, "__del__", None), types.FunctionType)


# --- D1: in place where memory is short ---------------------------------------------------------------------------


IN_PLACE: dict[str, str] = {
    "add": "z += 1", "scale": "z *= 3", "twice": "z += 1; z *= 2", "set": "z[:] = 5", "add and set": "z += 1; z[:] = 5",
    "by itself": "z -= z", "a part": "z[1:] = 7", "read between": "z += 1; read(z); z += 1",
}  # fmt: skip


@pytest.mark.parametrize("text", IN_PLACE.values(), ids=IN_PLACE)
def test_d1_an_array_of_more_than_half_of_the_memory_changes_in_place(text: str, device: Device) -> None:
    host = np.arange(LIMIT * 5 // 8 // 4, dtype=np.float32)
    with limited(device, LIMIT):
        z = xp.asarray(host)
        exec(text, {"z": z, "read": lambda a: a.to_numpy()})
        got = z.to_numpy()
        del z
    exec(text, {"z": host, "read": lambda a: a})
    assert np.array_equal(got, host)


# --- D2: kernels are let go (the memory of the process: row T11) --------------------------------------------------


def test_d2_kernels_have_a_bound(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrayapi_gpu.kernels.core import tuning
    from conformance.campaign.growth import distinct

    def alive() -> int:
        gc.collect()
        return sum(issubclass(type(thing), BackEndKernel) for thing in gc.get_objects())  # a proxy may be dead

    monkeypatch.setattr(tuning, "GENERATION", (8, 8))  # at most twice as many kernels are kept
    x, y = (xp.asarray(np.arange(10, dtype=np.float32)) for _ in range(2))
    before = alive()
    for number in range(60):
        xp.sync(eval(distinct(number), {"xp": xp, "x": x, "y": y}))
    assert alive() <= before + 30


# --- D3: a write costs time by the pending values that read its memory --------------------------------------------


def test_d3_a_write_does_not_walk_all_pending_values(device: Device) -> None:
    """Counted in lines of Python, which do not depend on the machine."""
    x, other = xp.asarray(np.zeros(10, np.float32)), xp.asarray(np.ones(10, np.float32))
    view = x[2:]
    view[0] = 1

    def lines() -> int:
        count = 0

        def trace(frame: types.FrameType, event: str, argument: Any) -> Any:
            nonlocal count
            count += event == "line"
            return trace

        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            view[0] = 2
        finally:
            sys.settrace(previous)
        return count

    few = lines()
    pending = [other + number for number in range(2000)]
    view[0] = 3  # the first write after them may look once at what is new
    assert lines() <= few + 100
    assert float(pending[-1][0]) == 2000
