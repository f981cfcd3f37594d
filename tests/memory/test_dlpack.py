"""DLPack: capsules are consumed once, nothing leaks, and no producer can hurt us."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
from typing import Any

import numpy as np
import pytest
from support import DTYPES, run_on, to_host
from support.producers import CPU, Producer, name_of

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory import dlpack

pytestmark = pytest.mark.usefixtures("host_shared")

HostArray = np.ndarray[Any, Any]


def consume(capsule: Any) -> HostArray:
    return dlpack.read(capsule)[0]


# --- what a consumer owes the producer -----------------------------------------------------------


@pytest.mark.parametrize("versioned", [False, True])
def test_the_deleter_is_called_once_when_the_array_is_gone(device: Device, versioned: bool) -> None:
    producer = Producer(versioned=versioned)
    x = xp.from_dlpack(producer)
    y = x[1]
    del x
    gc.collect()
    device.wait()
    assert producer.deleted == 0  # y still looks at it
    assert to_host(y).tolist() == [2, 3]
    del y
    gc.collect()
    device.wait()
    assert producer.deleted == 1


def test_the_deleter_is_called_when_the_copy_is_made() -> None:
    producer = Producer()
    x = xp.from_dlpack(producer, copy=True)
    gc.collect()
    assert producer.deleted == 1
    assert to_host(x).tolist() == [[0, 1], [2, 3]]


def test_a_deleter_may_be_missing() -> None:
    producer = Producer(deleter=None)
    x = xp.from_dlpack(producer)
    assert to_host(x).tolist() == [[0, 1], [2, 3]]


def test_a_capsule_is_consumed_once() -> None:
    capsule = Producer().__dlpack__()
    consume(capsule)
    assert name_of(capsule).startswith("used_")
    with pytest.raises(BufferError, match="consumed"):
        consume(capsule)


# --- hostile producers ---------------------------------------------------------------------------

SHAPES = {
    "negative": (ctypes.c_int64 * 2)(2, -1),
    "huge": (ctypes.c_int64 * 2)(2**62, 2**62),
    "long": (ctypes.c_int64 * 2)(2**60, 1),
}
STRIDES = {
    "absurd": (ctypes.c_int64 * 2)(2**62, 1),
    "below zero": (ctypes.c_int64 * 2)(-(2**62), 1),
    "under the memory": (ctypes.c_int64 * 2)(-(2**50), 1),
}
HOSTILE: dict[str, dict[str, Any]] = {
    "foreign name": {"name": b"tensor"},
    "consumed already": {"name": b"used_dltensor_versioned"},
    "unversioned name of a versioned struct": {"name": b"dltensor"},
    "version 2": {"major": 2},
    "version 0": {"major": 0},
    "no memory": {"data": None},
    "memory of a GPU": {"device_type": 2},
    "memory of no device": {"device_type": -7},
    "no shape": {"shape": None},
    "negative extent": {"shape": SHAPES["negative"]},
    "more elements than numbers": {"shape": SHAPES["huge"]},
    "more bytes than addresses": {"shape": SHAPES["long"], "strides": None},
    "absurd strides": {"strides": STRIDES["absurd"]},
    "absurd negative strides": {"strides": STRIDES["below zero"]},
    "strides that reach below the memory": {"strides": STRIDES["under the memory"]},
    "offset beyond the memory": {"byte_offset": 2**63},
    "negative rank": {"ndim": -1},
    "huge rank": {"ndim": 2**31 - 1},
    "65 axes": {"ndim": 65},
    "opaque handles": {"dtype": dlpack._DataType(3, 64, 1)},
    "bfloat of 32 bits": {"dtype": dlpack._DataType(4, 32, 1)},
    "unknown code": {"dtype": dlpack._DataType(200, 32, 1)},
    "no lanes": {"dtype": dlpack._DataType(2, 32, 0)},
    "vectors": {"dtype": dlpack._DataType(2, 32, 4)},
    "24 bits": {"dtype": dlpack._DataType(0, 24, 1)},
    "no bits": {"dtype": dlpack._DataType(2, 0, 1)},
    "float8": {"dtype": dlpack._DataType(2, 8, 1)},
    "bool of 32 bits": {"dtype": dlpack._DataType(6, 32, 1)},
}


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("copy", [None, True])
def test_hostile_capsules_are_refused(case: str, copy: bool | None) -> None:
    with pytest.raises((BufferError, TypeError, ValueError)):
        xp.from_dlpack(Producer(**HOSTILE[case]), copy=copy)


@pytest.mark.parametrize("capsule", [None, 3, "dltensor", b"dltensor", object(), np.zeros(3)])
def test_what_is_no_capsule_is_refused(capsule: Any) -> None:
    class Liar:
        def __dlpack__(self, **_: Any) -> Any:
            return capsule

        def __dlpack_device__(self) -> Any:
            return CPU

    with pytest.raises(BufferError, match="capsule"):
        xp.from_dlpack(Liar())


# --- PyTorch -------------------------------------------------------------------------------------

torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


@torch
def test_pytorch_and_we_share_memory(device: Device) -> None:
    """In a process of its own, so that no other test runs beside PyTorch's libraries."""
    code = """if True:
        import gc, torch
        import arrayapi_gpu as xp
        for dtype in (torch.bool, torch.int8, torch.uint8, torch.int64, torch.float16,
                      torch.float32, torch.float64, torch.complex64, torch.complex128):
            t = torch.zeros((3, 4), dtype=dtype)
            x = xp.from_dlpack(t[:, ::2], copy=False)
            assert str(x.dtype) == str(dtype)[6:], (x.dtype, dtype)
            t[1, 2] = 1
            assert x.to_numpy().sum() == 1, dtype
            x[0, 0] = 1
            assert t[0, 0] == 1, dtype
            y = xp.ones((2, 3), dtype=x.dtype)
            u = torch.from_dlpack(y)
            assert u.dtype == dtype and bool(u.all())
            u[0, 0] = 0
            assert not y[0, 0], dtype
            assert torch.equal(torch.from_dlpack(xp.from_dlpack(u.T, copy=True)), u.T)
        scalar = xp.from_dlpack(torch.tensor(3.5))
        assert scalar.shape == () and float(scalar) == 3.5
    """
    done = run_on(device, code)
    assert done.returncode == 0, done.stderr


@torch
def test_values_go_from_numpy_through_us_to_pytorch_and_back(device: Device) -> None:
    """Every dtype and kind of view that PyTorch has (no negative strides); nothing is copied on the way."""
    code = f"""if True:
        import numpy as np, torch
        import arrayapi_gpu as xp
        rng = np.random.default_rng(0)
        for dtype in {DTYPES}:
            a = rng.integers(0, 256, (4, 6 * np.dtype(dtype).itemsize), "uint8").view(dtype)
            if dtype == "bool":
                a = rng.integers(0, 2, (4, 6)).astype(bool)
            for view in (a, a[1:, ::2], a.T, a[:, 5], a[2:2], a[3, 4, ...]):
                t = torch.from_dlpack(xp.from_dlpack(view, copy=False))
                back = np.from_dlpack(xp.from_dlpack(t, copy=False))
                assert back.dtype == view.dtype and tuple(t.shape) == back.shape == view.shape, dtype
                assert back.tobytes() == view.tobytes() == t.contiguous().numpy().tobytes(), dtype
                assert np.shares_memory(back, a) or not view.size, dtype
    """
    done = run_on(device, code)
    assert done.returncode == 0, done.stderr


def test_views_may_outlive_the_interpreter_s_modules(device: Device) -> None:
    """A consumer's array that dies at exit calls its deleter when nothing of ours is left."""
    code = """if True:
        import sys, numpy as np, arrayapi_gpu as xp
        sys.kept = [np.from_dlpack(xp.ones(1000)), xp.from_dlpack(np.ones(1000))]
        xp.sync()
    """
    done = run_on(device, code)
    assert (done.returncode, done.stderr) == (0, "")
