"""The programs of the benchmark give NumPy's values, fused and unfused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.plans import plans_compared

import arrayapi_gpu as xp
from bench.programs import monte_carlo
from bench.programs.cases import PROGRAMS
from bench.programs.program import Program

pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture(autouse=True)
def _explained() -> Iterator[None]:
    """What is launched is what `explain` shows."""
    with plans_compared():
        yield


def values(found: Any) -> list[Any]:
    return [np.asarray(value) for value in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_a_program_gives_the_values_of_numpy(program: Program) -> None:
    hosts = program.inputs(np.random.default_rng(3), program.small)
    expected = values(program.compute(np, *[host.copy() for host in hosts]))
    found = values(program.compute(xp, *[xp.asarray(host, copy=True) for host in hosts]))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4 * (np.abs(other).max() if other.size else 1))


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_a_program_has_the_same_bits_unfused(program: Program) -> None:
    hosts = program.inputs(np.random.default_rng(4), program.small)
    fused = values(program.compute(xp, *[xp.asarray(host, copy=True) for host in hosts]))
    with xp.config.set(fusion=False):
        unfused = values(program.compute(xp, *[xp.asarray(host, copy=True) for host in hosts]))
    for one, other in zip(fused, unfused, strict=True):
        assert one.tobytes() == other.tobytes()


def test_names_are_unique() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 28


# Launches of a program, once its kernels are there, wherever its limit is one of the planner's.
LAUNCHES = {"Black-Scholes, two results": 1}


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_program_takes_so_many_launches(name: str) -> None:
    (program,) = [program for program in PROGRAMS if program.name == name]
    operands = [xp.asarray(host, copy=True) for host in program.inputs(np.random.default_rng(5), program.small)]
    with xp.record() as launches:
        values(program.compute(xp, *operands))
    assert len(launches) == LAUNCHES[name], [launch.kernel for launch in launches]


@pytest.mark.parametrize("name", ["pi", "black_scholes"])
def test_a_monte_carlo_estimate_stores_no_samples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    getattr(monte_carlo, name)(xp.random.default_rng(2), 10**6)  # so that the kernels have their scratch memory
    rng = xp.random.default_rng(1)
    with xp.record() as launches:
        found = getattr(monte_carlo, name)(rng, 10**6)
    expected, spread = {"pi": (np.pi, 0.9), "black_scholes": (monte_carlo.exact(), 16)}[name]
    assert abs(found - expected) < 5 * spread / 1000
    assert sum(launch.bytes for launch in launches) < 10**5
    monte_carlo.main(["--paths", "1000"])
    assert "peak memory" in capsys.readouterr().out
