"""VkFFT for OpenCL's GPUs, by itself where pyvkfft is installed, and by a stand-in that has its interface."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support import scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device

pytest.importorskip("pyopencl")
opencl_library: Any = importlib.import_module("arrayapi_gpu.backends.opencl_library")


class StandIn:
    """`pyvkfft.opencl.VkFFTApp`, by NumPy. Plans for rows of 13 cannot be made, launches for rows of 14 fail."""

    made = 0

    def __init__(self, shape: Any, dtype: Any, queue: Any, ndim: int, inplace: bool, norm: int):
        assert dtype == np.complex64 and (ndim, inplace, norm) == (1, False, 1)
        if shape[1] == 13:
            raise RuntimeError("no plan")
        StandIn.made += 1

    def fft(self, source: Any, target: Any) -> None:
        if source.shape[1] == 14:
            raise RuntimeError("no launch")
        target.set(np.fft.fft(source.get(), axis=1))

    def ifft(self, source: Any, target: Any) -> None:
        target.set(np.fft.ifft(source.get(), axis=1))


@pytest.fixture(params=["stand-in", "pyvkfft"])
def gpu(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A driver of OpenCL as that of a GPU, with short rows for VkFFT."""
    if not device.name.startswith("opencl"):
        pytest.skip("for OpenCL")
    if request.param == "pyvkfft":
        pytest.importorskip("pyvkfft.opencl", exc_type=ImportError)
    else:
        module: Any = ModuleType("pyvkfft.opencl")
        module.VkFFTApp = StandIn
        monkeypatch.setitem(sys.modules, "pyvkfft", ModuleType("pyvkfft"))
        monkeypatch.setitem(sys.modules, "pyvkfft.opencl", module)
    twin = device if device.is_gpu else scalar_twin(device)
    backends.register(twin)
    monkeypatch.setattr(twin, "host_shared", False)
    for verb in ("queue_work",):
        monkeypatch.setattr(twin, verb, getattr(device, verb), raising=False)
    monkeypatch.setattr(twin, "library", opencl_library.OpenCLLibrary(twin))
    monkeypatch.setattr(opencl_library, "LENGTHS_OF_VKFFT", range(10, 20))
    monkeypatch.setattr(opencl_library, "ELEMENTS_FOR_VKFFT", 40)
    return twin


def computed(gpu: Device, name: str, x: Any, **options: Any) -> list[str]:
    """The libraries of the launches of a transform, whose values are compared with NumPy's."""
    own = xp.asarray(x, device=gpu)
    with xp.record() as made:
        found = getattr(xp.fft, name)(own, **options)
        xp.sync(found)
    host = np.asarray(found)
    expected = getattr(np.fft, name)(np.asarray(x).astype(np.complex128), **options)
    assert np.linalg.norm(host - expected) <= 2e-6 * np.linalg.norm(expected)
    return [one.library for one in made if one.kernel in (name, f"{name}n", "transform")]


def sample(*shape: int) -> Any:
    rng = np.random.default_rng(4)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


def test_long_rows_are_vkffts(gpu: Device) -> None:
    for name in ("fft", "ifft"):
        assert computed(gpu, name, sample(4, 12)) == ["VkFFT"]
        assert computed(gpu, name, sample(2, 3, 16)) == ["VkFFT"]


@pytest.mark.parametrize(
    ("x", "options"),
    [
        (sample(3, 12), {}),
        (sample(8, 8), {}),
        (sample(12, 12), {"axis": 0}),
        (sample(4, 12), {"n": 11}),
        (sample(4, 12), {"norm": "ortho"}),
        (sample(4, 12).real, {}),
    ],
    ids=["few elements", "short", "another axis", "cut", "norm", "real"],
)
def test_others_are_ours(gpu: Device, x: Any, options: dict[str, Any]) -> None:
    assert "VkFFT" not in computed(gpu, "fft", x, **options)


def test_operands_that_do_not_begin_their_memory_are_ours(gpu: Device) -> None:
    whole = xp.asarray(sample(5, 12), device=gpu)
    xp.sync(whole)
    with xp.record() as made:
        found = xp.fft.fft(whole[1:])
        xp.sync(found)
    assert made[-1].library != "VkFFT"
    np.testing.assert_allclose(np.asarray(found), np.fft.fft(sample(5, 12)[1:]), atol=1e-4)


def test_ours_compute_where_plans_and_launches_fail(gpu: Device, request: pytest.FixtureRequest) -> None:
    if not hasattr(sys.modules["pyvkfft.opencl"], "VkFFTApp") or sys.modules["pyvkfft.opencl"].VkFFTApp is not StandIn:
        pytest.skip("the stand-in fails")
    for n in (13, 14):
        for _ in range(2):
            assert "VkFFT" not in computed(gpu, "fft", sample(4, n))


def test_plans_are_kept_and_bounded(gpu: Device) -> None:
    library: Any = gpu.library
    for rows in range(5, 5 + opencl_library.VKFFT_PLANS + 3):
        computed(gpu, "fft", sample(rows, 10))
    assert len(library._plans) == opencl_library.VKFFT_PLANS
    before = dict(library._plans)
    computed(gpu, "fft", sample(5 + opencl_library.VKFFT_PLANS + 2, 10))
    assert library._plans == before
    library.release()
    assert not library._plans


def test_it_has_no_products(gpu: Device) -> None:
    library: Any = gpu.library
    assert library.products == frozenset()
    with pytest.raises(NotImplementedError):
        library.multiply(None, None, None)


def test_it_is_asked_for_where_pyvkfft_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencl_library, "find_spec", lambda name: None)
    assert not opencl_library.installed()


def test_routines_of_two_operands_are_left_to_others(gpu: Device) -> None:
    a, b = xp.asarray(np.eye(40) * 2, device=gpu), xp.asarray(np.ones(40), device=gpu)
    np.testing.assert_array_equal(np.asarray(xp.linalg.solve(a, b)), np.full(40, 0.5))
