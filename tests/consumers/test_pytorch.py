"""PyTorch and this library exchange arrays by DLPack's tables of C functions, in both directions."""

from __future__ import annotations

import importlib.util

import pytest
from support import run_on

from arrayapi_gpu import compiled
from arrayapi_gpu.backends.base import Device

pytestmark = [
    pytest.mark.skipif(compiled.missing != "", reason="the table belongs to the compiled form"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"),
]

BEGINNING = """
import numpy as np, torch
import arrayapi_gpu as xp
from support.exchange_tables import NAME, ExchangeTable, place
if not hasattr(torch.Tensor, NAME):
    print("no table")
    raise SystemExit
device = xp.asarray(0).device
own_table, torch_table = ExchangeTable(xp.Array), ExchangeTable(torch.Tensor)
to_torch = lambda x: torch_table.to_object(own_table.from_object(x).address)
from_torch = lambda t: own_table.to_object(torch_table.from_object(t).address)
values = np.arange(12).reshape(3, 4) % 2
"""

PROGRAMS = {
    "every dtype": """
for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "bfloat16",
             "complex64", "complex128"):
    x = xp.astype(xp.asarray(values), getattr(xp, name))[:, ::3]
    t = to_torch(x)
    assert t.dtype == getattr(torch, name) and t.tolist() == x.tolist(), name
    t[1, 1] = 0
    assert not x[1, 1], name
    y = from_torch(t)
    assert y.dtype == x.dtype and y.tolist() == x.tolist(), name
    y[2, 0] = 1
    assert t[2, 0] == 1 and bool(x[2, 0]), name
""",
    "every shape": """
for shape in ((), (0,), (3, 0, 2), (1,), (2, 3, 4)):
    x = xp.ones(shape, dtype=xp.float32)
    t = to_torch(x)
    assert tuple(t.shape) == shape and t.tolist() == x.tolist() == from_torch(t).tolist(), shape
""",
    "negative strides": """
x = xp.asarray(values)[::-1, ::-1]
t = to_torch(x)
assert t.tolist() == x.tolist() and min(t.stride()) > 0
""",
    "pending arrays": """
x = xp.asarray(values * 1.0)
for turn in range(100):
    assert to_torch(x * 2 + turn).tolist() == (values * 2.0 + turn).tolist()
""",
    "reads before writes": """
x = xp.asarray(values * 1.0)
before = x + 1
t = to_torch(x)
after = x + 2
t.fill_(7)
assert before.tolist() == (values + 1.0).tolist() and after.tolist() == (values + 2.0).tolist()
assert (x + 1).tolist() == np.full((3, 4), 8.0).tolist()
""",
    "new tensors": """
tensor = own_table.allocate(torch_table.borrow(to_torch(xp.ones((2, 3), dtype=xp.float32))))
assert place(tensor.fields) == device.dlpack
t = torch_table.to_object(tensor.address)
t.fill_(3)
assert t.tolist() == [[3.0] * 3] * 2 == from_torch(t).tolist()
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pytorch_and_we_exchange(name: str, device: Device) -> None:
    """In a separate process, because PyTorch's libraries stay loaded."""
    if not device.host_shared and device.exchange is None:
        pytest.skip(f"PyTorch cannot use the memory of {device}")
    done = run_on(device, BEGINNING + PROGRAMS[name])
    assert done.returncode == 0, done.stderr
    if "no table" in done.stdout:
        pytest.skip("this PyTorch has no table")
