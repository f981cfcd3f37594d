"""Launches through the C interfaces of CUDA and OpenCL, on functions that stand for the drivers'."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from arrayapi_gpu import compiled

pytestmark = pytest.mark.skipif(compiled.missing != "", reason="the Python form has another way")

UINT, POINTER = ctypes.c_uint, ctypes.c_void_p
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, *[UINT] * 7, POINTER, POINTER, ctypes.POINTER(POINTER))
MULTIPLY = ctypes.CFUNCTYPE(
    ctypes.c_int, POINTER, *[ctypes.c_int] * 5, POINTER, *[POINTER, ctypes.c_int, ctypes.c_int, ctypes.c_longlong] * 2,
    POINTER, POINTER, ctypes.c_int, ctypes.c_int, ctypes.c_longlong, *[ctypes.c_int] * 3,
)  # fmt: skip
SYNCHRONIZE = ctypes.CFUNCTYPE(ctypes.c_int, POINTER)
CURRENT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(POINTER))
FUNCTION, CONTEXT, STREAM = 11, 22, 33


class Driver:
    """A driver with one context, which notes its launches."""

    def __init__(self) -> None:
        self.context, self.status = CONTEXT, 0
        self.launches: list[tuple[Any, ...]] = []
        self._functions = LAUNCH(self.launch), CURRENT(self.current), MULTIPLY(self.multiply), SYNCHRONIZE(self.wait)
        self.addresses = [ctypes.cast(one, POINTER).value or 0 for one in self._functions]

    def launch(self, function: int, *arguments: Any) -> int:
        *sizes, stream, _, extra = arguments
        assert (extra[0], extra[2], extra[4]) == (1, 2, None)
        nbytes = ctypes.cast(extra[3], ctypes.POINTER(ctypes.c_size_t))[0]
        self.launches.append((function, tuple(sizes), stream, ctypes.string_at(extra[1], nbytes)))
        return self.status

    def multiply(self, *arguments: Any) -> int:
        self.launches.append(arguments)
        return self.status

    def wait(self, stream: int) -> int:
        self.launches.append((stream,))
        return self.status

    def current(self, context: Any) -> int:
        context[0] = self.context
        return 0


@pytest.fixture
def driver() -> Iterator[Driver]:
    yield Driver()


def stream(driver: Driver) -> Any:
    from arrayapi_gpu.backends.launching import CudaQueue

    launch, current, _, synchronize = driver.addresses
    return CudaQueue(launch, current, synchronize, CONTEXT, STREAM)


def bound(driver: Driver, buffers: int, parameters: bytes, otherwise: Callable[[Any], None]) -> Any:
    from arrayapi_gpu.backends.launching import DirectLaunch

    return DirectLaunch(stream(driver), None, FUNCTION, 4, 256, buffers, parameters, otherwise)


def buffer(handle: int) -> Any:
    return SimpleNamespace(handle=handle)


def test_a_launch_has_the_addresses_and_the_parameters(driver: Driver) -> None:
    missed: list[Any] = []
    launch = bound(driver, 2, b"parameters", missed.append)
    launch([buffer(1), buffer(2**63)])
    launch([buffer(3), buffer(4)])
    for (function, sizes, stream, given), (one, two) in zip(driver.launches, [(1, 2**63), (3, 4)], strict=True):
        assert (function, sizes, stream) == (FUNCTION, (4, 1, 1, 256, 1, 1, 0), STREAM)
        assert given == one.to_bytes(8, "little") + two.to_bytes(8, "little") + b"parameters"
    assert missed == []


def test_a_stream_takes_launches_of_any_numbers(driver: Driver) -> None:
    """As many bytes as a kernel of CUDA has for its arguments; more are refused, as are groups beyond 32 bits."""
    own = stream(driver)
    assert own.launch(FUNCTION, 3, 64, (buffer(1), buffer(2)), b"numbers")
    assert own.launch(FUNCTION, 1, 32, [buffer(5)] * 512, b"")
    assert not own.launch(FUNCTION, 1, 32, [buffer(5)] * 512, b"1")
    assert not own.launch(FUNCTION, 2**32, 32, [buffer(5)], b"") and not own.launch(FUNCTION, 1, 2**32, [], b"")
    (_, sizes, _, given), (_, _, _, most) = driver.launches
    assert sizes == (3, 1, 1, 64, 1, 1, 0) and given == bytes([1, *[0] * 7, 2, *[0] * 7]) + b"numbers"
    assert most == bytes([5, *[0] * 7]) * 512


def test_another_context_and_an_error_take_the_other_way(driver: Driver) -> None:
    missed: list[Any] = []
    launch = bound(driver, 1, b"", missed.append)
    one = [buffer(1)]
    driver.context = CONTEXT + 1
    launch(one)
    assert (len(driver.launches), missed) == (0, [one])
    driver.context, driver.status = CONTEXT, 2
    launch(one)
    assert (len(driver.launches), missed) == (1, [one, one])


def test_another_number_of_buffers_takes_the_other_way(driver: Driver) -> None:
    missed: list[Any] = []
    bound(driver, 2, b"", missed.append)([buffer(1)])
    assert (driver.launches, len(missed)) == ([], 1)


def test_launches_that_are_not_direct_take_the_other_way(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrayapi_gpu.backends import launching

    missed: list[Any] = []
    launch = bound(driver, 1, b"", missed.append)
    monkeypatch.setattr(launching, "direct", False)
    launch([buffer(1)])
    assert (driver.launches, len(missed)) == ([], 1)


def test_a_handle_that_is_no_address_raises(driver: Driver) -> None:
    launch = bound(driver, 1, b"", lambda others: None)
    with pytest.raises((TypeError, OverflowError)):
        launch([buffer(-1)])
    with pytest.raises(TypeError):
        launch([SimpleNamespace(handle="text")])
    assert driver.launches == []


NUMBERS = (1, 0, 5, 6, 7, 8, 80, 9, 90, 10, 100, 2, 0, 68, -1)


def product(driver: Driver, otherwise: Callable[..., None]) -> Any:
    from arrayapi_gpu.backends.launching import CudaProduct

    return CudaProduct(stream(driver), driver.addresses[2], 44, NUMBERS, (1000, 1001), 4, (0, 3, 0), otherwise)


@pytest.mark.parametrize(("offsets", "first", "second"), [(None, 0, 12), ([0, 5, 6], 24, 20)])
def test_a_product_has_the_addresses_and_the_numbers(driver: Driver, offsets: Any, first: int, second: int) -> None:
    missed: list[Any] = []
    product(driver, lambda *arguments: missed.append(arguments))([buffer(100), buffer(200), buffer(300)], offsets)
    assert not missed
    assert driver.launches == [
        (44, 1, 0, 5, 6, 7, 1000, 300 + first, 0, 8, 80, 200 + second, 0, 9, 90, 1001, 100, 0, 10, 100, 2, 68, -1)
    ]


@pytest.mark.parametrize("what", ["another context", "an error", "not direct"])
def test_a_product_that_fails_is_computed_otherwise(driver: Driver, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrayapi_gpu.backends import launching

    missed: list[Any] = []
    again = product(driver, lambda *arguments: missed.append(arguments))
    driver.context, driver.status = CONTEXT + (what == "another context"), int(what == "an error")
    monkeypatch.setattr(launching, "direct", what != "not direct")
    buffers = [buffer(100), buffer(200), buffer(300)]
    again(buffers, None)
    assert missed == [(buffers, None)]
    assert len(driver.launches) == (what == "an error")


@pytest.mark.parametrize("what", ["done", "another context", "an error", "not direct"])
def test_a_wait_reports_whether_it_waited(driver: Driver, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrayapi_gpu.backends import launching

    wait = stream(driver).wait
    driver.context, driver.status = CONTEXT + (what == "another context"), int(what == "an error")
    monkeypatch.setattr(launching, "direct", what != "not direct")
    assert wait() is (what == "done")
    assert driver.launches == ([(STREAM,)] if what in ("done", "an error") else [])


# OpenCL

SIZES = ctypes.POINTER(ctypes.c_size_t)
SET = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, UINT, ctypes.c_size_t, POINTER)
ENQUEUE = ctypes.CFUNCTYPE(
    ctypes.c_int, POINTER, POINTER, UINT, SIZES, SIZES, SIZES, UINT, POINTER, ctypes.POINTER(POINTER)
)
KERNEL, QUEUE, EVENT, DEPTH = 44, 55, 66, 10


class Loader:
    """A loader that notes arguments and launches. ``fails``: the call that returns an error."""

    def __init__(self, device: Queue) -> None:
        self.device, self.fails = device, ""
        self.arguments: dict[int, bytes] = {}
        self.launches: list[tuple[int, ...]] = []
        self._functions = SET(self.set), ENQUEUE(self.enqueue)
        self.addresses = [ctypes.cast(one, POINTER).value or 0 for one in self._functions]

    def set(self, kernel: int, number: int, size: int, value: int) -> int:
        assert kernel == KERNEL and self.device.is_locked()
        self.arguments[number] = ctypes.string_at(value, size)
        return int(self.fails == f"argument {number}")

    def enqueue(
        self, queue: int, kernel: int, dimensions: int, offsets: Any, items: Any, group: Any, waits: int, *last: Any
    ) -> int:
        assert not offsets and self.device.is_locked()
        self.launches.append((queue, kernel, dimensions, items[0], group[0], waits))
        if last[1]:  # it is asked for an event
            last[1][0] = EVENT
        return int(self.fails == "launch")


class Queue:
    """What a launch asks of an `OpenCLDevice`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._queued = self._done = self._used = 0
        self._few, self._last = True, ""
        self._queue = SimpleNamespace(int_ptr=QUEUE)
        self.exposed: set[int] = set()
        self.computes_on_host = True
        self._timer: object | None = None

    def is_locked(self) -> bool:
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    @property
    def noted(self) -> tuple[int, int, bool, str]:
        """What it knows of its queue."""
        return self._queued, self._used, self._few, self._last


class Broken(Queue):
    """The class of a device that no longer works."""


@pytest.fixture
def loader() -> Iterator[Loader]:
    yield Loader(Queue())


def own_event(handle: int, retain: bool) -> str:
    return f"event {handle}, {retain}"


def queued(
    loader: Loader,
    buffers: int,
    parameters: bytes,
    otherwise: Callable[[Any], None],
    few: bool = True,
    event: Callable[[int, bool], str] | None = own_event,
) -> Any:
    from arrayapi_gpu.backends.launching import DirectLaunch, OpenCLQueue

    device: Any = loader.device
    argument, enqueue = loader.addresses
    queue = OpenCLQueue(argument, enqueue, device, DEPTH, 4 if few else 3, event)
    return DirectLaunch(queue, None, KERNEL, 4, 256, buffers, parameters, otherwise)


def memory(handle: int, nbytes: int = 100) -> Any:
    return SimpleNamespace(handle=SimpleNamespace(int_ptr=handle), nbytes=nbytes)


def pointer(handle: int) -> bytes:
    return handle.to_bytes(8, "little")


def test_a_launch_sets_the_buffers_and_the_parameters(loader: Loader) -> None:
    missed: list[Any] = []
    launch = queued(loader, 2, b"parameters", missed.append)
    for one, two in ((1, 2**63 - 1), (3, 4)):
        launch([memory(one), memory(two)])
        assert loader.arguments == {0: pointer(one), 1: pointer(two), 2: b"parameters"}
    assert loader.launches == [(QUEUE, KERNEL, 1, 1024, 256, 0)] * 2
    assert missed == [] and not loader.device.is_locked()


def test_no_parameters_are_no_argument(loader: Loader) -> None:
    queued(loader, 1, b"", lambda others: None)([memory(1)])
    assert loader.arguments == {0: pointer(1)}


def test_the_device_notes_what_was_queued(loader: Loader) -> None:
    """One thing more, the bytes where the host computes, whether there were few groups, and the event, which is not
    retained once more."""
    device = loader.device
    queued(loader, 2, b"", lambda others: None)([memory(1), memory(2)])
    assert device.noted == (1, 200, True, f"event {EVENT}, False")
    device.computes_on_host = False
    queued(loader, 2, b"", lambda others: None, few=False)([memory(1), memory(2)])
    assert device.noted == (2, 200, False, f"event {EVENT}, False")


def test_a_launch_has_no_event_where_the_device_needs_none(loader: Loader) -> None:
    queued(loader, 1, b"", lambda others: None)([memory(1)])
    queued(loader, 1, b"", lambda others: None, event=None)([memory(1)])
    assert len(loader.launches) == 2 and loader.device._last is None


@pytest.mark.parametrize("fails", ["argument 0", "argument 1", "argument 2", "launch"])
def test_an_error_takes_the_other_way(loader: Loader, fails: str) -> None:
    missed: list[Any] = []
    launch = queued(loader, 2, b"parameters", missed.append)
    loader.fails = fails
    both = [memory(1), memory(2)]
    launch(both)
    assert missed == [both] and len(loader.launches) == (fails == "launch")
    assert loader.device._last == "" and not loader.device.is_locked()
    loader.fails = ""
    launch(both)
    assert len(missed) == 1 and loader.device._last == f"event {EVENT}, False"


def breaks(device: Queue) -> None:
    device.__class__ = Broken


OTHERWISE: dict[str, Callable[[Queue], Any]] = {
    "other code can use memory": lambda device: device.exposed.add(1),
    "the queue is full": lambda device: setattr(device, "_queued", DEPTH),
    "launches are timed": lambda device: setattr(device, "_timer", object()),
    "the device no longer works": breaks,
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_what_needs_more_takes_the_other_way(loader: Loader, case: str) -> None:
    missed: list[Any] = []
    launch = queued(loader, 1, b"", missed.append)
    OTHERWISE[case](loader.device)
    before = loader.device.noted
    launch([memory(1)])
    assert (len(missed), loader.launches, loader.arguments) == (1, [], {})
    assert loader.device.noted == before


def test_a_launch_that_waited_for_the_device_looks_at_it_again(loader: Loader) -> None:
    """The device gets another queue, with profiling, in another thread."""
    missed: list[Any] = []
    launch = queued(loader, 1, b"", missed.append)
    thread = threading.Thread(target=launch, args=([memory(1)],))
    with loader.device._lock:
        thread.start()
        thread.join(0.05)
        assert thread.is_alive()
        loader.device._timer = object()
    thread.join()
    assert (len(missed), loader.launches) == (1, [])


def test_other_numbers_of_buffers_take_the_other_way(loader: Loader) -> None:
    missed: list[Any] = []
    queued(loader, 2, b"", missed.append)([memory(1)])
    for number in (512, 513):
        queued(loader, number, b"", missed.append)([memory(1)] * number)
    assert [len(others) for others in missed] == [1, 513]
    assert len(loader.arguments) == 512 and len(loader.launches) == 1


def test_launches_of_opencl_that_are_not_direct(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrayapi_gpu.backends import launching

    missed: list[Any] = []
    launch = queued(loader, 1, b"", missed.append)
    monkeypatch.setattr(launching, "direct", False)
    launch([memory(1)])
    assert (loader.launches, len(missed)) == ([], 1)


class Moved:
    """Memory that moves back when its handle is asked for."""

    nbytes = 100

    def __init__(self, back: Callable[[], Any]):
        self.back = back

    @property
    def handle(self) -> Any:
        self.back()
        return SimpleNamespace(int_ptr=7)


def test_memory_is_back_before_an_argument_is_set(loader: Loader) -> None:
    """To bring it back may launch the same kernel."""
    launch = queued(loader, 2, b"", lambda others: None)
    launch([memory(1), Moved(lambda: launch([memory(8), memory(9)]))])
    assert loader.arguments == {0: pointer(1), 1: pointer(7)}
    assert len(loader.launches) == loader.device._queued == 2


def test_memory_that_cannot_come_back_raises(loader: Loader) -> None:
    def full() -> None:
        raise MemoryError("full")

    missed: list[Any] = []
    launch = queued(loader, 2, b"", missed.append)
    with pytest.raises(MemoryError, match="full"):
        launch([memory(1), Moved(full)])
    assert (loader.arguments, loader.launches, missed) == ({}, [], [])
    assert loader.device.noted == (0, 0, True, "") and not loader.device.is_locked()


def test_launches_keep_no_references(loader: Loader) -> None:
    launch = queued(loader, 2, b"parameters", lambda others: None)
    both = [memory(1), memory(2)]
    objects = [*both, *[one.handle for one in both], both, loader.device, loader.device._lock]
    before = [sys.getrefcount(one) for one in objects]
    for _ in range(10000):
        loader.device._done = loader.device._queued
        launch(both)
    assert [sys.getrefcount(one) for one in objects] == before


SORTED = {
    "one element": [1.0],
    "distinct": [-2.0, -1.0, 3.0],
    "one zero": [-1.0, 0.0, 2.0],
    "one zero at the end": [-1.0, -0.0],
    "two zeros": [-1.0, -0.0, 0.0, 2.0],
    "two equal zeros": [0.0, 0.0],
    "NaN": [1.0, 2.0, float("nan")],
    "NaN alone": [float("nan")],
    "infinities": [float("-inf"), float("-inf"), 1.0, float("inf")],
}


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("name", SORTED)
def test_equal_elements_of_different_bits_are_found(name: str, size: int) -> None:
    from arrayapi_gpu.backends.launching import all_differ

    elements = SORTED[name]
    memory = (ctypes.c_float if size == 4 else ctypes.c_double) * len(elements)
    buffer = SimpleNamespace(handle=ctypes.addressof(own := memory(*elements)))
    assert all_differ(buffer, len(own), size) is (name in {*SORTED} - {*list(SORTED)[4:8]})
