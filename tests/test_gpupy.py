"""What GpuPy had, row by row (docs/ancestors/features.md): each test is named after a row.

Eitzen and Lewis, GpuPy: Transparently and Efficiently Using a GPU for Numerical Computation in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check_same, launches, no_launch

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench.programs.distance_map import distance_map, random_points
from bench.programs.shaded_sphere import render
from conformance.accuracy import gpupy

pytestmark = pytest.mark.usefixtures("device")

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "shaded sphere": lambda space: render(space, 64),
    "distance map": lambda space: distance_map(space, random_points(300, 64), 64),
}


def vector(n: int = 1000) -> xp.Array:
    return xp.asarray(np.random.default_rng(n).random(n, dtype=np.float32), copy=True)


# --- NumPy's interface ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_source_runs_on_numpy_and_here(name: str) -> None:
    expected, got = PROGRAMS[name](np), PROGRAMS[name](xp)
    assert isinstance(got, xp.Array)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=0, atol=8 * float(np.finfo(np.float32).eps))


# --- lazy expression trees --------------------------------------------------------------------------------------------


def test_an_expression_is_computed_when_the_host_reads_it() -> None:
    x = vector()
    with no_launch():
        y = xp.cos(x) * (x + 3.5)
    with launches() as made:
        np.asarray(y)
    assert len(made) == 1


def test_a_slice_computes_only_what_it_needs() -> None:
    x = vector(1 << 20)
    xp.sync(x)
    part = (xp.cos(x) * (x + 3.5))[10:20]
    with launches() as made:
        np.asarray(part)
    # 10 elements are stored: nowhere is there memory for 2^20 of them but that of x, and on GPUs of nothing larger.
    assert sum(launch.bytes for launch in made) <= x.nbytes + 4096
    check_same(lambda space, v: (space.square(v) * 2)[10:20], np.arange(100, dtype=np.float32))


# --- partitioning over the limits of a kernel -------------------------------------------------------------------------


def test_an_expression_of_too_many_operations_is_cut_and_explain_shows_the_parts() -> None:
    def powers(space: Any, x: Any) -> Any:
        y = x
        for k in range(150):
            y = y * x + float(k)
        return y

    host = np.linspace(0, 0.9, 1000, dtype=np.float32)
    with launches() as made:
        y = powers(xp, xp.asarray(host))
        text = xp.explain(y)
        assert made  # what went before was computed when the limit was met
        first = "v0: float32 (1000,), in memory, computed first: the expression has become large"
        assert first in text
        assert text.count("# launch ") == 1
        np.testing.assert_array_equal(np.asarray(y), powers(np, host))
    assert len(made) == 2


def test_an_expression_of_too_many_arrays_is_cut_and_explain_shows_the_parts(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "parameter_bytes", 1024)  # the least that OpenCL promises
    hosts = [np.full(100, k, np.float32) for k in range(150)]
    arrays = [xp.asarray(host, copy=True) for host in hosts]
    total = arrays[0]
    for array in arrays[1:]:
        total = total * 0.5 + array
    text = xp.explain(total)
    assert text.count("# launch ") > 1
    with launches() as made:
        found = np.asarray(total)
    assert len(made) == text.count("# launch ")
    expected = hosts[0]
    for host in hosts[1:]:
        expected = expected * np.float32(0.5) + host
    np.testing.assert_array_equal(found, expected)


def test_explain_forgets_where_memory_came_from_once_it_is_written() -> None:
    x = xp.fft.fft(vector(64))
    xp.compute(x)
    assert " by " in xp.explain(x)
    x[0] = 1
    assert xp.explain(x) == "# v0: complex64 (64,), in memory"


# --- automatic NumPy --------------------------------------------------------------------------------------------------


def test_what_a_device_lacks_is_numpys_and_explain_shows_it(device: Device) -> None:
    x = vector(100)
    y = np.sort_complex(x) + 1
    assert isinstance(y, xp.Array)
    assert y.device is device
    assert "in memory, numpy.sort_complex by NumPy, on host copies" in xp.explain(y)
    np.testing.assert_array_equal(np.asarray(y), np.sort_complex(np.asarray(x)) + 1)


def test_a_library_of_the_host_or_the_device_is_shown() -> None:
    x = xp.reshape(vector(64), (8, 8))
    with launches() as made:
        values = xp.linalg.eigvalsh(x @ x.mT)
    (call,) = [launch for launch in made if launch.library and "eig" in launch.kernel]
    assert f"in memory, {call.kernel} by {call.library}" in xp.explain(values * 2)


# --- Tables I and II --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", gpupy.TABLES)
def test_no_percentile_of_the_errors_is_above_gpupys(device: Device, name: str) -> None:
    """But where both are those of rounding: the arguments are not the paper's."""
    found, theirs = gpupy.percentiles(name, device, 60_000), gpupy.TABLES[name][1]
    assert len(found) == len(gpupy.PERCENTILES)
    assert all(ours <= max(gpupys, 0.5) for ours, gpupys in zip(found, theirs, strict=True))


@pytest.mark.parametrize("name", gpupy.EXACT)
def test_operations_that_compute_nothing_have_no_error(device: Device, name: str) -> None:
    assert gpupy.percentiles(name, device, 6_000) == [0] * len(gpupy.PERCENTILES)


# --- what the paper left to the future --------------------------------------------------------------------------------


def _from_its_factor(space: Any, x: Any) -> Any:
    """A matrix of whole numbers, as the product of its Cholesky factor with its transpose."""
    factor = space.linalg.cholesky(x)
    return space.round(space.matmul(factor, factor.T))


FUTURE: dict[str, Callable[[Any, Any], Any]] = {
    "reductions": lambda space, x: (x.sum(axis=0), x.max(axis=1)),
    "sorting": lambda space, x: space.sort(x, axis=1),
    "advanced indexing": lambda space, x: (x[space.asarray([3, 1])], x[x > 4]),
    "linear algebra": lambda space, x: _from_its_factor(space, space.matmul(x, x.T) + 100 * space.eye(8)),
}


@pytest.mark.parametrize("name", FUTURE)
def test_its_future_work_is_there(name: str) -> None:
    host = np.random.default_rng(7).integers(0, 9, (8, 8)).astype(np.float64)
    check_same(FUTURE[name], host, ulps=8)


def test_arrays_are_mutable_and_slices_share_their_memory() -> None:
    def program(space: Any, x: Any) -> Any:
        y = x[::2]
        x[0] = -1
        y[1] = -2
        return x, y

    check_same(program, np.arange(10, dtype=np.float32))


def test_a_shader_is_compiled_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    compile = type(device).compile

    def counted(self: Device, source: str, name: str) -> Any:
        made.append(name)
        return compile(self, source, name)

    monkeypatch.setattr(type(device), "compile", counted)
    for n in (101, 102, 103):
        xp.sync(xp.sin(vector(n)) * 0.123 - xp.cos(vector(n)))
    assert len(made) <= 1


def test_one_launch_writes_several_results() -> None:
    def both(x: xp.Array) -> tuple[xp.Array, xp.Array]:
        root = xp.sqrt(x + 1)
        return root * 2, root - x

    results = both(vector())
    with launches() as made:
        xp.compute(*results)
    assert len(made) == 1


# --- the distance map -------------------------------------------------------------------------------------------------


def test_the_distance_map_has_numpys_values() -> None:
    points = random_points(500, 512)
    np.testing.assert_array_equal(np.asarray(distance_map(xp, points)), distance_map(np, points))
