"""Transforms as nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, HostArray
from arrayapi_gpu.lazy.run import evaluate

A = sample("float32", (6, 40))


def close(got: Any, expected: HostArray) -> None:
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(to_host(got), expected, 1e-4, 1e-4)


def test_arrays_are_transformed_when_their_values_are_needed(device: Device) -> None:
    with no_launch():
        x = xp.fft.rfft(xp.asarray(A) * 2, axis=0)
    close(x, np.fft.rfft(A * 2, axis=0))


def test_a_graph_with_a_transform_in_its_middle_is_planned_once(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, plan = [], evaluate._planned

    def counted(*arguments: Any, **named: Any) -> Any:
        planned.append(arguments[0].shape)
        return plan(*arguments, **named)

    monkeypatch.setattr(evaluate, "_planned", counted)
    counts = []
    with xp.config.set(small_on_host=False):
        for seed in range(6):
            a = sample("float32", (6, 40), seed)
            x = xp.asarray(a)
            result = xp.fft.irfft(xp.fft.rfft(x + 1) * 0.5) - x
            close(result, np.fft.irfft(np.fft.rfft(a + 1) * np.float32(0.5)) - a)
            counts.append(len(planned))
    assert counts[2:] == counts[2:3] * 4


def test_an_operand_that_is_written_later_is_transformed_before(device: Device) -> None:
    x = xp.asarray(A)
    y = xp.fft.fft(x)
    x[:] = 0
    close(y, np.fft.fft(A))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_no_axes_give_a_copy_that_is_complex(device: Device, dtype: str) -> None:
    host = sample(dtype, 40_000)
    x = xp.asarray(host)
    y = xp.fft.fftn(x, axes=())
    y[0] = 5
    assert_same(to_host(x), host)
    assert_same(to_host(y)[1:], host.astype("complex64")[1:])


@pytest.mark.parametrize("axis", [0, 1])
def test_host_operands_are_transformed_in_blocks(device: Device, axis: int) -> None:
    x = xp.from_host(A, device=device)
    close(xp.fft.fft(x * 2, axis=axis), np.fft.fft(A * 2, axis=axis))
