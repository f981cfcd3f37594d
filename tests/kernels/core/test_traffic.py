"""The bytes of the arguments of a launch."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.traffic import Traffic, elements, traffic_of
from arrayapi_gpu.memory.gpuarray import empty
from arrayapi_gpu.memory.layout import Layout, broadcast


@pytest.mark.parametrize(
    ("shape", "strides", "count"),
    [
        ((), (), 1),
        ((3, 4), (4, 1), 12),
        ((3, 4), (0, 1), 4),
        ((3, 4), (0, 0), 1),
        ((0, 4), (0, 1), 0),
        ((5,), (-2,), 5),
    ],
)
def test_elements_that_are_broadcast_count_once(shape: tuple[int, ...], strides: tuple[int, ...], count: int) -> None:
    assert elements(shape, strides) == count


def test_bytes_are_read_and_written() -> None:
    device = RecordingDevice()
    out, x, table = (
        empty(device, np.dtype(dtype), shape) for dtype, shape in (("f8", (2, 3)), ("f4", (3,)), ("i2", (9,)))
    )
    wide = x.view(broadcast(x.layout, (2, 3)))
    index = Layout((2, 3), (1, 0), 0)
    assert traffic_of([out], [wide, index], [table], out.size) == Traffic(3 * 4 + 6 * 2, 6 * 8)
