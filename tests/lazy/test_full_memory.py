"""In-place operations where memory is too short for a second array of that size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError
from arrayapi_gpu.lazy import evaluate

Make = Callable[[], xp.Array]

N = 1 << 16
A = np.arange(N, dtype=np.float64)


@pytest.fixture
def make(device: Device, monkeypatch: pytest.MonkeyPatch) -> Callable[[], xp.Array]:
    """Makes an array of two thirds of the memory."""

    def function() -> xp.Array:
        array = xp.asarray(A, device=device)
        xp.sync(array)
        device.trim()
        monkeypatch.setattr(device.pool, "_memory", device.pool._held + A.nbytes // 2)
        return array

    return function


def test_an_array_that_nobody_else_sees_is_computed_in_its_own_memory(make: Make) -> None:
    z = make()
    z += 1
    z *= 2
    assert_same(to_host(z), (A + 1) * 2)


def test_a_pending_array_can_be_written_to(make: Make) -> None:
    z = make()
    z += 1
    z[:] = 5
    z[0] = 3
    assert (float(z[0]), float(z[1]), float(xp.sum(z))) == (3.0, 5.0, 5.0 * N - 2)


def test_a_pending_array_can_be_reduced(make: Make) -> None:
    z = make()
    z += 1
    assert float(xp.sum(z)) == (A + 1).sum()
    assert float(z[-1]) == N


def test_an_operand_that_somebody_reads_is_left_alone(make: Make) -> None:
    """The other value needs memory that there is not, so the error is raised, and nothing is lost."""
    z = make()
    other = z * 2
    z += 1
    with pytest.raises(MemoryError):
        to_host(z)
    with pytest.raises(MemoryError):
        to_host(other)
    del z
    assert_same(to_host(other), A * 2)


def test_an_operand_that_somebody_holds_is_left_alone(make: Make) -> None:
    z = make()
    result = z + 1
    for _ in range(2):
        with pytest.raises(MemoryError):
            to_host(result)
    assert_same(to_host(z), A)


def test_an_operand_that_is_read_elsewhere_is_left_alone(make: Make) -> None:
    """A gather reads other elements than those that are written."""
    z = make()
    index = xp.arange(2, device=z.device)
    z += xp.sum(z[index])
    assert_same(to_host(z), A + 1)


def test_an_interrupted_computation_in_place_says_that_values_are_lost(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    z = make()
    z += 1
    launch = evaluate._launch

    def interrupted(*arguments: object) -> object:
        launch(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(evaluate, "_launch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            to_host(z)
    for _ in range(2):
        with pytest.raises(DeviceError, match="lost"):
            to_host(z)
