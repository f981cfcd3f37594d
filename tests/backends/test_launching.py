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
CURRENT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(POINTER))
FUNCTION, CONTEXT, STREAM = 11, 22, 33


class Driver:
    """A driver with one context, which notes its launches."""

    def __init__(self) -> None:
        self.context, self.status = CONTEXT, 0
        self.launches: list[tuple[Any, ...]] = []
        self._launch, self._current = LAUNCH(self.launch), CURRENT(self.current)
        self.addresses = [ctypes.cast(one, POINTER).value or 0 for one in (self._launch, self._current)]

    def launch(self, function: int, *arguments: Any) -> int:
        *sizes, stream, _, extra = arguments
        assert (extra[0], extra[2], extra[4]) == (1, 2, None)
        nbytes = ctypes.cast(extra[3], ctypes.POINTER(ctypes.c_size_t))[0]
        self.launches.append((function, tuple(sizes), stream, ctypes.string_at(extra[1], nbytes)))
        return self.status

    def current(self, context: Any) -> int:
        context[0] = self.context
        return 0


@pytest.fixture
def driver() -> Iterator[Driver]:
    yield Driver()


def bound(driver: Driver, buffers: int, parameters: bytes, otherwise: Callable[[Any], None]) -> Any:
    from arrayapi_gpu.backends.launching import CudaLaunch

    launch, current = driver.addresses
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
