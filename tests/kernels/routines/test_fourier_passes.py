"""The stages of a pass, and the room that it takes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arrayapi_gpu.kernels.routines.fourier import LONGEST_PASS
from arrayapi_gpu.kernels.routines.fourier_passes import GROUP, LOCAL_MEMORY, WARP, PassSpec, stages


def test_lengths_have_few_stages() -> None:
    assert stages(4096) == (16, 16, 16) and stages(100) == (10, 10) and stages(37) is None and stages(1) == ()
    assert stages(31) == (31,) and stages(34) == (17, 2)


@pytest.mark.parametrize("pair", [np.dtype("c8"), np.dtype("c16")], ids=str)
@pytest.mark.parametrize("convolved", [False, True])
def test_a_pass_has_stages_and_room_for_each_element(pair: np.dtype[np.generic], convolved: bool) -> None:
    most, _ = LONGEST_PASS[pair.itemsize]
    for n in range(2, most + 1):
        if stages(n) is None:
            continue
        for by_rows in (False, True):
            spec = PassSpec(pair, n, "input", "output", convolved, by_rows_in=by_rows, by_rows_out=by_rows)
            assert math.prod(stage.radix for stage in spec.stages) == n ** (1 + convolved)
            assert sum(stage.convolves for stage in spec.stages) == convolved
            room = pair.itemsize // (1 + spec.apart)
            assert spec.rows * (spec.pitch * room + 4 * 8) <= LOCAL_MEMORY
            assert spec.items % WARP == 0 and spec.items <= GROUP
            assert spec.pitch >= n + (n - 1) // 16 or spec.rows == 1
