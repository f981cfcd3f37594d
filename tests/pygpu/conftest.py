"""`ctx`: the context of each device; `rng`: random numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.pygpu.gpuarray import GpuContext


@pytest.fixture
def ctx(device: Device) -> GpuContext:
    return pygpu.init(re.sub("^([a-z]+):", r"\1", str(device)))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)
