"""Jobs: which boxes they read, block by block, and what they make of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.out_of_core.blocks import Parts
from arrayapi_gpu.lazy.out_of_core.jobs import Job, Output
from arrayapi_gpu.lazy.out_of_core.streaming import blocks_of
from arrayapi_gpu.memory.boxes import shape_of

HOST = sample("float32", (3000, 24))

VALUES: dict[str, Callable[[Any], Any]] = {
    "places": lambda x: x * 2,
    "segments of a reduction": lambda x: xp.sum(x, axis=0),
    "segments of a scan": lambda x: xp.cumulative_sum(xp.reshape(x, (2, -1)), axis=1, include_initial=True),
    "parts of a product": lambda x: xp.sign(x).T @ xp.sign(x),  # exact, because a library's order is its own
    "a merged sort": lambda x: xp.sort(xp.reshape(x, (-1,)), descending=True),
}


def _units(job: Job) -> Iterator[tuple[int, int, int]]:
    for number in range(job.passes):
        for first in range(0, job.units, job.step):
            yield number, first, min(first + job.step, job.units)


@pytest.mark.parametrize("name", VALUES)
def test_each_kind_computes_a_value_from_its_blocks(device: Device, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block is read alone, in order, and no block reads all."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 14)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    monkeypatch.setattr(tuning, "PRODUCT_PART", 512)
    value = VALUES[name](xp.from_host(HOST, device=device))._node
    output = Output(out := np.empty(value.shape, value.dtype))
    found = blocks_of(value)
    assert found.needs == [] and sum(len(list(_units(job))) for job in found.jobs) > 2
    for job in found.jobs:
        job.output = output
        for units in _units(job):
            reads = job.reads(*units)
            assert sum(int(np.prod(shape_of(box))) for _, box in reads) < HOST.size
            job.take(*units, Parts(value).parts(reads))
    output.finish()
    monkeypatch.undo()
    assert_same(out, VALUES[name](xp.asarray(HOST, device=device)).to_numpy())
