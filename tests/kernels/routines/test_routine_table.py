"""Which computes a routine: own kernels where they take it, otherwise a library."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.routines import routine_table
from arrayapi_gpu.memory.gpuarray import upload


@pytest.mark.parametrize("taken", [True, False])
def test_a_library_computes_what_own_kernels_do_not(
    device: Device, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, other = (upload(device, np.eye(3) * k) for k in (2, 5))
    monkeypatch.setitem(routine_table.OWN_ROUTINES, "inv", lambda operands, options: (other,) if taken else None)
    (found,) = routine_table.compute("inv", x)
    assert found.download()[0, 0] == (5 if taken else 0.5)
