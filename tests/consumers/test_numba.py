"""Numba: its functions take `np.asarray(x)`, its kernels for CUDA take our arrays by ``__cuda_array_interface__``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

numba = pytest.importorskip("numba")

pytestmark = pytest.mark.usefixtures("device")

HOST = np.arange(24.0).reshape(4, 6)


@numba.njit  # type: ignore[untyped-decorator]
def doubled(a: Any) -> None:
    for index in np.ndindex(a.shape):
        a[index] *= 2


VIEWS: dict[str, Any] = {
    "whole": np.s_[:],
    "rows": np.s_[1:3],
    "steps": np.s_[::2, 1::3],
    "backwards": np.s_[::-1, ::-1],
    "a column": np.s_[:, 2:3],
}


@pytest.mark.parametrize("name", VIEWS)
def test_compiled_functions_work_in_the_memory(name: str, device: Device) -> None:
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    x, host = xp.asarray(HOST), HOST.copy()
    doubled(np.asarray(x[VIEWS[name]]))
    doubled(host[VIEWS[name]])
    np.testing.assert_array_equal(x.to_numpy(), host)


def test_compiled_functions_read_copies_elsewhere() -> None:
    total = numba.njit(lambda a: a.sum())(np.asarray(xp.asarray(HOST)))
    assert total == HOST.sum()


@pytest.fixture
def cuda(device: Device) -> Any:
    """numba.cuda, where the device shares its memory by the interface, and numba finds CUDA."""
    if device.exchange is None:
        pytest.skip(f"{device} has no __cuda_array_interface__")
    found = pytest.importorskip("numba.cuda")
    if not found.is_available():
        pytest.skip("numba finds no CUDA")
    try:
        found.jit("void(float32[:])")(lambda x: None)
    except AttributeError as error:  # a function of NumPy's that is gone
        pytest.skip(f"this Numba is older than NumPy {np.__version__}: {error}")
    return found


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float32", "float64", "complex64"])
def test_kernels_work_in_the_memory(name: str, dtype: str, cuda: Any) -> None:
    host = HOST.astype(dtype)
    x = xp.asarray(host)

    @cuda.jit  # type: ignore[untyped-decorator]
    def added(a: Any) -> None:
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] += 1

    view = x[VIEWS[name]]
    taken = cuda.as_cuda_array(view)
    assert taken.dtype == dtype and taken.shape == view.shape
    added[(1, 1), (8, 8)](taken)
    cuda.synchronize()
    host[VIEWS[name]] += 1
    np.testing.assert_array_equal(x.to_numpy(), host)
    assert xp.asarray(taken).strides == view.strides


def test_arrays_of_numba_come_in_without_a_copy(cuda: Any) -> None:
    there = cuda.to_device(HOST)
    x = xp.asarray(there)
    x[0, 0] = -1
    xp.sync(x)
    assert there.copy_to_host()[0, 0] == -1
