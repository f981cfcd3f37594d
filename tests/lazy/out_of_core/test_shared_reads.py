"""Values that are computed while a host operand is read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.out_of_core.jobs import Job, Output, Segments
from arrayapi_gpu.lazy.out_of_core.shared_reads import run, together
from arrayapi_gpu.memory.boxes import whole

SHAPE = 3000, 24

# How the elements lie in the host's memory, of which the first has them in C order.
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in C order": lambda a: a,
    "in Fortran order": np.asfortranarray,
    "reversed": lambda a: a[::-1].copy()[::-1],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "a part of the columns": lambda a: np.concatenate([a, a], axis=1)[:, : SHAPE[1]],
    "another byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "one row for all": lambda a: np.broadcast_to(a[:1], a.shape),
}

# Values that need two others first, or more.
NEEDS: dict[str, Callable[[Any], Any]] = {
    "scores": lambda x: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0),
    "scores by all": lambda x: (x - xp.mean(x)) / (xp.std(x) + xp.max(x)),
    "between least and largest": lambda x: (x - xp.min(x, axis=0)) / (xp.max(x, axis=0) - xp.min(x, axis=0)),
    "of halves": lambda x: x - xp.max(x[:1500], axis=0) - xp.max(x[1500:], axis=0),
    "of other parts": lambda x: x - xp.max(x[1:], axis=0) - xp.sum(x[:-7], axis=0),
    "of the flipped": lambda x: x - xp.sum(xp.flip(x, axis=0), axis=0) - xp.sum(x, axis=0),
    "of the rolled": lambda x: x - xp.max(xp.roll(x, 5, axis=0), axis=0) - xp.min(x, axis=0),
    "of products": lambda x: x - xp.sum(x * x, axis=0) - xp.prod(x, axis=0),
    "of columns and of all": lambda x: x - xp.sum(x, axis=0) - xp.max(x) - xp.argmax(x, axis=0),
    "of rows": lambda x: x - xp.sum(x, axis=1, keepdims=True) - xp.max(x, axis=0),
    "one after the other": lambda x: x - xp.max(x - xp.mean(x, axis=0), axis=0) - xp.std(x, axis=0),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", NEEDS)
def test_values_of_a_sweep_are_those_of_an_array_on_the_device(
    device: Device, name: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 15)
    twin = apart_twin(device) if device.host_shared else device
    number = list(NEEDS).index(name) + list(LAYOUTS).index(layout)
    twin = scalar_twin(twin) if number % 2 else twin
    host = LAYOUTS[layout](sample("float32", SHAPE, number))
    found = to_host(NEEDS[name](xp.from_host(host, device=twin)))
    assert_same(found, to_host(NEEDS[name](xp.asarray(host.astype(np.float32), device=twin))))


@pytest.mark.parametrize("name", NEEDS)
def test_fusion_changes_no_value_of_a_sweep(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reduction of some segments was computed as if they were all elements: memory behind them was read."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 15)
    host = sample("float32", SHAPE, list(NEEDS).index(name))
    with xp.config.set(fusion=False):
        found = to_host(NEEDS[name](xp.from_host(host, device=device)))
    assert_same(found, to_host(NEEDS[name](xp.from_host(host, device=device))))


class Source:
    """An array that gives boxes by slices, and counts the elements that it gave."""

    def __init__(self, host: Any):
        self.host, self.shape, self.dtype, self.given = host, host.shape, host.dtype, 0

    def __getitem__(self, box: tuple[slice, ...]) -> Any:
        found = self.host[box]
        self.given += found.size
        return found


# How often all elements are read, at most: in sweeps, of which some need what others found, and for the result.
READS = {
    "scores": 3,
    "scores by all": 3,
    "between least and largest": 2,
    "of products": 2,
    "of columns and of all": 2,
    "of rows": 2,
    "one after the other": 3,
}


@pytest.mark.parametrize("name", READS)
def test_sources_are_read_once_for_a_sweep(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source may have to decompress what it gives. A unit that two steps of a sweep share is read twice."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 15)
    twin = apart_twin(device) if device.host_shared else device
    source = Source(sample("float32", SHAPE, list(READS).index(name)))
    found = to_host(NEEDS[name](xp.from_host(source, device=twin)))
    assert source.given / source.host.size < READS[name] + 0.5
    assert_same(found, to_host(NEEDS[name](xp.asarray(source.host, device=twin))))


def test_jobs_along_one_memory_are_worth_one_sweep(device: Device) -> None:
    x, y = (xp.from_host(sample("float32", SHAPE, seed), device=device) for seed in (1, 2))

    def segments(value: Any) -> Segments:
        return Segments(value._node, whole(value.shape), 1)

    total, most = segments(xp.sum(x, axis=0)), segments(xp.max(x * 2, axis=0))
    rows = Job(xp.sum(x, axis=1)._node, whole(SHAPE[:1]), 0, 100)
    half, other, back = (
        segments(xp.max(x[:1500], axis=0)),
        segments(xp.sum(y, axis=0)),
        segments(xp.sum(x[::-1], axis=0)),
    )
    assert together([total, half, most, other, rows, back]) == [[total, most, rows], [half], [other], [back]]
    host = sample("float32", SHAPE, 1)
    outs = [np.empty(job.node.shape, job.node.dtype) for job in (total, most, rows)]
    for job, out in zip((total, most, rows), outs, strict=True):
        job.output = Output(out)
    steps = list(run([total, most, rows]))
    for job in (total, most, rows):
        job.output.finish()
    np.testing.assert_allclose(outs[2], host.sum(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(outs[1], (host * 2).max(0))
    for job in (total, most, rows):
        taken = [units for step in steps for one, number, *units in step if one is job]
        assert [start for start, _ in taken] == [0, *[stop for _, stop in taken[:-1]]] and taken[-1][1] == job.units


@pytest.mark.parametrize("steps", [*range(88, 100), 150, 190, 191, 192, 193])
@pytest.mark.parametrize("name", ["sum", "max"])
def test_reductions_of_expressions_about_as_large_as_one_launch_takes(
    device: Device, monkeypatch: pytest.MonkeyPatch, name: str, steps: int
) -> None:
    """Two operations a step, and one: each weight about the largest that an expression may have."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 16)
    host = np.asarray(sample("float32", (3000, 40)))
    host = np.where(np.isfinite(host), host, 1).astype(np.float32)
    x, y = xp.from_host(host), xp.asarray(host)
    for _ in range(steps):
        x, y = x * 0.5 + 1, y * 0.5 + 1
    assert_same(to_host(getattr(xp, name)(x)), to_host(getattr(xp, name)(y)))
    x, y = xp.from_host(host), xp.asarray(host)
    for _ in range(steps):
        x, y = x + 1, y + 1
    assert_same(to_host(getattr(xp, name)(x, axis=0)), to_host(getattr(xp, name)(y, axis=0)))
