"""Launches through CUDA's C interface, on functions that stand for the driver's."""

from __future__ import annotations

import ctypes
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


def bound(driver: Driver, buffers: int, parameters: bytes, otherwise: Callable[[Any], None]) -> Any:
    from arrayapi_gpu.backends.launching import CudaLaunch

    launch, current, *_ = driver.addresses
    return CudaLaunch(launch, current, FUNCTION, CONTEXT, STREAM, 4, 256, buffers, parameters, otherwise)


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

    _, current, multiply, _ = driver.addresses
    return CudaProduct(multiply, current, 44, CONTEXT, NUMBERS, (1000, 1001), 4, (0, 3, 0), otherwise)


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

    *_, synchronize = driver.addresses
    wait = launching.CudaWait(synchronize, driver.addresses[1], CONTEXT, STREAM)
    driver.context, driver.status = CONTEXT + (what == "another context"), int(what == "an error")
    monkeypatch.setattr(launching, "direct", what != "not direct")
    assert wait() is (what == "done")
    assert driver.launches == ([(STREAM,)] if what in ("done", "an error") else [])
