"""The benchmark's programs of scikit-learn and SciPy: NumPy's values, without transfers that nobody asked for."""

from __future__ import annotations

import numpy as np
import pytest

import arrayapi_gpu as xp
from bench.programs.consumers import CONSUMERS
from bench.programs.program import Program

pytest.importorskip("sklearn")
pytest.importorskip("scipy")

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("program", CONSUMERS, ids=[program.name for program in CONSUMERS])
def test_a_program_stays_on_the_device_and_gives_the_values_of_numpy(program: Program) -> None:
    hosts = program.inputs(np.random.default_rng(3), program.small)
    expected = program.compute(np, *hosts)
    arrays = [xp.asarray(host, copy=True) for host in hosts]
    with xp.config.set(host_transfers="error"):
        found = program.compute(xp, *arrays)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for one, other in pairs:
        assert isinstance(one, xp.Array)
        assert (one.dtype, one.shape, one.device) == (other.dtype, other.shape, arrays[0].device)
        np.testing.assert_allclose(one.to_numpy(), other, rtol=2e-3, atol=2e-4 * np.abs(other).max())
