"""`benchmark`: seconds on the host and on the device, as arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")


def test_seconds_are_arrays_with_a_number_for_each_call() -> None:
    x = xp.asarray(np.ones(200_000, np.float32))

    def double(array: Any, factor: float = 2.0) -> Any:
        return array * factor

    measured = xp.benchmark(double, x, 3.0, repeats=4)
    assert measured.seconds.shape == measured.host.shape == measured.device.shape == (4,)
    assert (measured.seconds >= measured.host).all() and (measured.device > 0).all()
    assert (measured.launches, measured.bytes) == (1, 1_600_000)
    assert measured.throughput == pytest.approx(measured.bytes / np.median(measured.seconds))
    assert "double" in measured.name


RESULTS: dict[str, Any] = {
    "an array": lambda x: x + 1,
    "a tuple": lambda x: (x + 1, x * 2),
    "a dict of lists": lambda x: {"a": [x + 1]},
    "a number": lambda x: float(xp.sum(x)),
    "nothing": lambda x: None,
}


@pytest.mark.parametrize("name", RESULTS)
def test_arrays_in_a_result_are_computed(name: str) -> None:
    measured = xp.benchmark(RESULTS[name], xp.asarray(np.ones(100_000)), repeats=1)
    assert (measured.launches > 0) is (name != "nothing")
    assert str(measured).splitlines()[1].split() == ["time", "median", "least", "most", "calls"]


def test_it_prints_itself_in_notebooks(device: Device) -> None:
    measured = xp.benchmark(lambda: xp.arange(1000) + 1, repeats=2)
    printed: list[str] = []
    measured._repr_pretty_(SimpleNamespace(text=printed.append), False)
    assert printed == [str(measured)] == [repr(measured)]
    assert measured._repr_html_().count("<tr>") == 4


@pytest.mark.parametrize("repeats", [0, -1])
def test_a_wrong_number_of_calls_is_an_error(repeats: int) -> None:
    with pytest.raises(ValueError, match=rf"benchmark: got repeats={repeats}; allowed: integers >= 1"):
        xp.benchmark(lambda: None, repeats=repeats)


def test_without_a_number_there_are_some_calls() -> None:
    assert 5 <= len(xp.benchmark(lambda: None).seconds) <= 1000
