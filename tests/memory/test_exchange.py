"""Memory shared with CuPy, PyTorch and JAX on one device: nothing is copied, and every queue waits for the others.

Each runs in a process of its own, so that no other test runs beside its libraries.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import LAYOUTS, lay_out, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, Exchange

COMMON = """
import gc, types
import numpy as np
import arrayapi_gpu as xp
device = xp.asarray(0).device
number = device.dlpack[1]

def slow(x, turns=60):
    # Launches that take some milliseconds: whoever does not wait for them reads the old values.
    for _ in range(turns):
        x = xp.sqrt(x * x + 0)
    return x

def interface(array):
    return types.SimpleNamespace(__cuda_array_interface__=array.__cuda_array_interface__, owner=array)

def address(array):
    return array.__cuda_array_interface__["data"][0]

BIG = 1 << 25
"""

CUPY = """
import cupy
cupy.cuda.Device(number).use()
dtypes = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
for dtype in dtypes:
    c = cupy.zeros((3, 4), dtype)
    for view in (c[:, ::2], c.T, c[1:, 1:], c[::-1]):
        taken = [xp.asarray(interface(view))]
        if view.strides[0] >= 0:  # CuPy 14 does not give DLPack the right negative strides
            taken += [xp.from_dlpack(view, copy=False), xp.asarray(view)]
        for x in taken:
            assert x.device is device and x.shape == view.shape and x.dtype == view.dtype
            assert x.strides == view.strides
            if x.strides[0] >= 0:  # arrays with negative strides do not go out
                assert address(x) == address(view)
            assert not np.any(np.asarray(x))
            c[2, 2] = 1
            assert np.asarray(x).sum() == 1
            c[2, 2] = 0
    x = xp.from_dlpack(c[:, ::2], copy=False)
    c[1, 2] = 1
    assert np.asarray(x).sum() == 1, dtype
    x[0, 0] = 1
    assert c[0, 0] == 1 and c.sum() == 2, dtype
    y = xp.ones((3, 4), dtype=dtype)[:, 1:]
    for d in (cupy.from_dlpack(y), cupy.asarray(y)):
        assert d.dtype == dtype and d.shape == (3, 3) and bool(d.all()) and d.data.ptr == address(y)
    d[0, 0] = 0
    assert not y[0, 0]
    assert not xp.from_dlpack(y, copy=True)[0, 0]
assert xp.from_dlpack(cupy.asarray(3.5)).shape == () and float(xp.asarray(interface(cupy.asarray(3.5)))) == 3.5
assert xp.from_dlpack(cupy.zeros((0, 3))).shape == cupy.from_dlpack(xp.zeros((0, 3))).shape == (0, 3)
assert xp.asarray(interface(cupy.zeros((0, 3)))).shape == (0, 3)  # CuPy 14 takes no such array itself

# In order, on each of their streams.
for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream.ptds, cupy.cuda.Stream(non_blocking=True)):
    with stream:
        for turn in range(3):
            x = slow(xp.full((BIG,), turn + 1.0, dtype=xp.float32))
            assert float(cupy.from_dlpack(x).sum(dtype=cupy.float64)) == BIG * (turn + 1)
            x = slow(xp.full((BIG,), turn + 1.0, dtype=xp.float32))
            assert float(cupy.asarray(x).sum(dtype=cupy.float64)) == BIG * (turn + 1)
            for take in (xp.from_dlpack, lambda c: xp.asarray(interface(c))):
                c = cupy.zeros(BIG, cupy.float32)
                for _ in range(60):
                    c += 1
                assert float(xp.sum(take(c), dtype=xp.float64)) == 60 * BIG
            del c, x
            gc.collect()

# On the default stream also without asking: both sides write in turn.
c = cupy.zeros(BIG, cupy.float32)
x = xp.from_dlpack(c)
for _ in range(10):
    c += 1
    x += 1
assert float(c[-1]) == 20 == float(x[-1])

# Lent memory comes back when the other library has done with it, and not before.
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    for turn in range(20):
        x = xp.full((1 << 20,), float(turn), dtype=xp.float64)
        c = cupy.from_dlpack(x)
        for _ in range(30):
            c = c + 0 if _ else cupy.sqrt(c * c)
        del x
        y = xp.full((1 << 20,), -1.0, dtype=xp.float64)
        assert float(y[0]) == -1
        assert float(c.sum()) == turn * (1 << 20)
"""

TORCH = """
import torch
torch.cuda.set_device(number)
for dtype in (torch.bool, torch.int8, torch.uint8, torch.int64, torch.float16, torch.float32, torch.float64,
              torch.complex64, torch.complex128):
    t = torch.zeros((3, 4), dtype=dtype, device="cuda")
    x = xp.from_dlpack(t[:, ::2], copy=False)
    assert x.device is device and str(x.dtype) == str(dtype)[6:], (x.dtype, dtype)
    t[1, 2] = 1
    assert np.asarray(x).sum() == 1, dtype
    x[0, 0] = 1
    assert t[0, 0] == 1, dtype
    y = xp.ones((2, 3), dtype=x.dtype)
    u = torch.from_dlpack(y)
    assert u.dtype == dtype and u.is_cuda and u.data_ptr() == address(y) and bool(u.all())
    u[0, 0] = 0
    assert not y[0, 0], dtype
    assert torch.as_tensor(y, device="cuda").data_ptr() == address(y)
try:
    xp.from_dlpack(torch.zeros(2, dtype=torch.float8_e5m2, device="cuda"))
except BufferError:
    pass
else:
    raise AssertionError("float8")
for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
    with torch.cuda.stream(stream):
        for turn in range(3):
            x = slow(xp.full((BIG,), turn + 1.0, dtype=xp.float32))
            assert float(torch.from_dlpack(x).sum(dtype=torch.float64)) == BIG * (turn + 1)
            t = torch.zeros(BIG, device="cuda")
            for _ in range(60):
                t += 1
            assert float(xp.sum(xp.from_dlpack(t), dtype=xp.float64)) == 60 * BIG
# Page-locked host memory is read when it is taken.
pinned = torch.zeros(BIG, pin_memory=True)
x = xp.asarray(pinned.numpy())
pinned += 1
assert float(xp.sum(x)) == 0
"""

JAX = """
import os
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax, jax.numpy as jnp
jax.config.update("jax_default_device", jax.devices()[number])
for dtype in ("bool", "int8", "uint8", "int32", "float16", "float32", "complex64"):
    j = jnp.ones((3, 4), dtype)
    x = xp.from_dlpack(j, copy=False)
    assert x.device is device and str(x.dtype) == dtype and address(x) == j.unsafe_buffer_pointer()
    assert np.asarray(x).all()
    y = xp.ones((16, 32), dtype=x.dtype)
    k = jax.dlpack.from_dlpack(y)
    assert str(k.dtype) == dtype and bool(k.all()) and k.unsafe_buffer_pointer() == address(y)
for turn in range(3):
    x = slow(xp.full((BIG,), turn + 1.0, dtype=xp.float32))
    assert float(jax.dlpack.from_dlpack(x).max()) == turn + 1
    j = jnp.zeros(BIG, jnp.float32)
    for _ in range(60):
        j = j + 1
    assert float(xp.min(xp.from_dlpack(j))) == 60
"""


LIBRARIES = {"cupy": CUPY, "torch": TORCH, "jax": JAX}


@pytest.fixture
def exchange(device: Device) -> Exchange:
    if device.exchange is None:
        pytest.skip(f"{device} shares no memory with other libraries")
    return device.exchange


@pytest.mark.usefixtures("exchange")
@pytest.mark.parametrize("library", LIBRARIES)
def test_we_share_memory_in_order_with(library: str, device: Device) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", COMMON + LIBRARIES[library]],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "ARRAYAPI_GPU_DEVICE": str(device)},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("exchange")
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "backwards"])
def test_what_goes_out_comes_in_again(layout: str) -> None:
    """Our own memory, as that of a stranger."""
    a = sample("float32", (4, 6))
    x = lay_out(a, layout)

    class Stranger:
        def __dlpack__(self, **options: Any) -> Any:
            return x.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return x.__dlpack_device__()

    interface = SimpleNamespace(__cuda_array_interface__=x.__cuda_array_interface__)
    for y in (xp.from_dlpack(Stranger()), xp.asarray(Stranger()), xp.asarray(interface)):
        assert y.__cuda_array_interface__["data"] == x.__cuda_array_interface__["data"]
        assert y.strides == x.strides
        np.testing.assert_array_equal(y.to_numpy(), x.to_numpy())


@pytest.mark.usefixtures("exchange")
def test_negative_strides_do_not_go_out() -> None:
    """PyTorch aborts the process where it meets one; it takes the copy by DLPack, as we do here."""
    x = lay_out(sample("float32", (4, 6)), "backwards")
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match=r"the array has negative strides .*; copy it first"):
        _ = x.__cuda_array_interface__
    y = xp.from_dlpack(SimpleNamespace(__dlpack__=x.__dlpack__, __dlpack_device__=x.__dlpack_device__))
    assert min(y.strides) > 0
    np.testing.assert_array_equal(y.to_numpy(), x.to_numpy())


@pytest.mark.parametrize("stream", [0, -2, 1.5, "main"])
def test_what_is_no_stream_is_refused(stream: Any, exchange: Exchange) -> None:
    with pytest.raises(ValueError, match="stream="):
        xp.ones(3).__dlpack__(stream=stream)
    with pytest.raises(ValueError, match="stream="):
        exchange.follow(stream)


def test_every_kind_of_stream_is_taken(exchange: Exchange) -> None:
    for stream in (None, -1, 1, 2, exchange.stream):
        assert "dltensor" in repr(xp.ones(3).__dlpack__(stream=stream))
        exchange.follow(stream)


def test_lent_memory_comes_back(exchange: Exchange, device: Device) -> None:
    gc.collect()
    device.trim()
    live = device.live_bytes
    x = xp.asarray(np.ones(100_000))
    capsule = x.__dlpack__(stream=2)
    del x, capsule
    gc.collect()
    device.trim()
    assert device.live_bytes <= live and not device.cached_bytes


def test_other_devices_have_no_array_interface(device: Device) -> None:
    assert hasattr(xp.ones(3), "__cuda_array_interface__") == (device.exchange is not None)
