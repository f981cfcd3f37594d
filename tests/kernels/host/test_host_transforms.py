"""Transforms of the host by each library: NumPy's values, dtypes and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.host import host_transforms
from arrayapi_gpu.kernels.host.host_transforms import BY_ONE_THREAD, HOST_TRANSFORMS, TRANSFORM_LIBRARIES, result_of

CASES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((12,), {}),
    ((6, 8, 10), {}),
    ((17, 9), {"axes": (0, 1), "s": (20, 6)}),
    ((17, 9), {"axes": (1, 0), "s": (19, 30)}),
    ((5, 12), {"axes": (0,), "norm": "ortho"}),
    ((6, 8), {"norm": "forward"}),
    ((0, 8), {"axes": (1,)}),
]


@pytest.fixture(params=TRANSFORM_LIBRARIES)
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    pytest.importorskip(name)
    monkeypatch.setattr(host_transforms, "library", lambda: name)
    return name


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(("shape", "options"), CASES, ids=str)
@pytest.mark.parametrize("name", HOST_TRANSFORMS)
def test_values_are_numpys(chosen: str, name: str, shape: tuple[int, ...], options: dict[str, Any], dtype: str) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal(shape)
    if dtype[0] == "c":
        if name == "rfftn":
            pytest.skip("of real numbers")
        x = x + 1j * rng.standard_normal(shape)
    found = HOST_TRANSFORMS[name](x.astype(dtype), **options)
    expected = getattr(np.fft, name)(x.astype(dtype), **options)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    wide = getattr(np.fft, name)(x.astype(dtype).astype("complex128" if dtype[0] == "c" else "float64"), **options)
    error = 4e-7 if dtype in ("float32", "complex64") else 1e-15
    assert np.linalg.norm((found - wide).ravel()) <= error * np.linalg.norm(wide.ravel())


def test_the_first_installed_library_computes() -> None:
    host_transforms.library.cache_clear()
    found = host_transforms.library()
    for name in TRANSFORM_LIBRARIES[: TRANSFORM_LIBRARIES.index(found)]:
        with pytest.raises(ImportError):
            __import__(name)


def test_threads_are_those_of_the_configuration() -> None:
    assert host_transforms._threads(BY_ONE_THREAD) >= 1
    with config.set(threads=3):
        assert [host_transforms._threads(elements) for elements in (BY_ONE_THREAD - 1, BY_ONE_THREAD)] == [1, 3]


@pytest.mark.parametrize(("shape", "options"), CASES, ids=str)
@pytest.mark.parametrize("name", HOST_TRANSFORMS)
def test_a_result_may_be_given_memory(chosen: str, name: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    x = np.random.default_rng(3).standard_normal(shape).astype("float32" if name == "rfftn" else "complex64")
    expected = HOST_TRANSFORMS[name](x, **options)
    dtype, extents = result_of(name, x.dtype, x.shape, **options)
    assert (dtype, extents) == (expected.dtype, expected.shape)
    out = np.empty(extents, dtype)
    found = HOST_TRANSFORMS[name](x, **options, out=out)
    assert found.tobytes() == expected.tobytes()
    assert (found is out) == (chosen != "scipy" and (chosen == "ducc0" or "s" not in options))
