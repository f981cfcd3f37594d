"""What other libraries get of our arrays by DLPack and NumPy: the same memory where they can use it, else copies."""

from __future__ import annotations

import enum
import gc
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, lay_out, sample, to_host
from support.producers import CPU, name_of

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.memory import dlpack
from arrayapi_gpu.memory.dlpack import IS_COPIED, READ_ONLY

pytestmark = pytest.mark.usefixtures("host_shared")

HostArray = np.ndarray[Any, Any]


def fields(capsule: Any) -> tuple[Any, Any]:
    """The tensor, and the versioned struct around it, in a capsule."""
    return dlpack._open(capsule)


def consume(capsule: Any) -> HostArray:
    return dlpack.read(capsule)[0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_sees_the_memory_itself(layout: str, dtype: str) -> None:
    a = sample(dtype, (3, 4))
    x = lay_out(a, layout)
    view = np.asarray(x) if layout == "backwards" else np.from_dlpack(x)
    assert_same(view, a)
    view[...] = a[::-1]
    assert_same(to_host(x), a[::-1])


BACKWARDS: dict[str, Callable[[xp.Array], xp.Array]] = {
    "a vector": lambda x: x[:, 1][::-1],
    "the first axis": lambda x: x[::-1],
    "the last axis": lambda x: x[:, ::-2],
    "all axes": xp.flip,
    "transposed": lambda x: xp.flip(x).T,
    "an axis of one": lambda x: x[:, :, None][:, :, ::-1][::-1],
    "repeated": lambda x: xp.broadcast_to(x[::-1], (2, *x.shape)),
    "read-only": lambda x: xp.from_dlpack(_read_only(x))[::-1],
    "pending": lambda x: (x + 1)[::-1],
}


def _read_only(x: xp.Array) -> HostArray:
    a = np.array(x)
    a.flags.writeable = False
    return a


@pytest.mark.parametrize("name", BACKWARDS)
@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_negative_strides_go_out_as_a_copy(name: str, max_version: Any) -> None:
    """PyTorch aborts the process where it meets one."""
    x = BACKWARDS[name](xp.asarray(sample("float32", (3, 4))))
    a = x.to_numpy()
    for copy in (None, True):
        capsule = x.__dlpack__(max_version=max_version, copy=copy)
        tensor, managed = fields(capsule)
        assert min(tensor.strides[: tensor.ndim]) >= 0
        assert managed is None or managed.flags == IS_COPIED * (copy or min(x.strides) < 0)
        assert_same(consume(capsule), a)
    if min(x.strides) < 0:
        with pytest.raises(BufferError, match=r"copy=False, but the array has negative strides .*; copy it first"):
            x.__dlpack__(max_version=max_version, copy=False)
    assert_same(np.asarray(x), a)


def test_no_elements_have_no_strides() -> None:
    assert np.from_dlpack(xp.zeros((3, 0))[::-1]).shape == (3, 0)
    assert fields(xp.zeros((3, 0))[::-1].__dlpack__(copy=False))[0].shape[:2] == [3, 0]


def test_zero_dimensions_and_no_elements_go_out() -> None:
    for shape in ((), (0,), (2, 0, 3), (1,)):
        a = np.ones(shape, "float32")
        assert_same(np.from_dlpack(xp.asarray(a)), a)
    view = xp.ones((2, 3))[1:, 3:]
    assert np.from_dlpack(view).shape == (1, 0)


def test_pending_values_are_computed_before_they_go_out() -> None:
    x = xp.asarray([1.0, 2.0])
    assert np.from_dlpack(x * 2 + 1).tolist() == [3.0, 5.0]


def test_who_has_yet_to_read_reads_before_a_consumer_writes() -> None:
    x = xp.asarray([1.0, 2.0])
    y = x + 1
    np.from_dlpack(x)[:] = 7
    assert to_host(y).tolist() == [2.0, 3.0]


def test_our_later_writes_are_seen() -> None:
    """In-place operators write to memory that was given away, they do not leave it."""
    x = xp.asarray([1.0, 2.0])
    view = np.from_dlpack(x)
    x += 1
    assert view.tolist() == [2.0, 3.0]


def test_memory_outlives_our_array() -> None:
    a = sample("float64", 1000)
    x = xp.asarray(a)
    view = np.from_dlpack(x)
    del x
    gc.collect()
    others = [xp.asarray(np.zeros(1000)) for _ in range(20)]
    assert_same(view, a)
    del others


@pytest.mark.parametrize("consumed", [False, True])
@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_memory_comes_back(device: Device, max_version: Any, consumed: bool) -> None:
    """A capsule lets go of the memory whether it was consumed or not."""
    gc.collect()
    before = device.live_bytes
    capsule = xp.asarray(np.zeros(1 << 16), device=device).__dlpack__(max_version=max_version)
    assert device.live_bytes > before
    if consumed:
        consume(capsule)
    del capsule
    gc.collect()
    assert device.live_bytes == before


@pytest.mark.parametrize(
    ("max_version", "name"),
    [
        (None, "dltensor"),
        ((0, 0), "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ((1, 3), "dltensor_versioned"),
        ((2, 0), "dltensor_versioned"),
    ],
)
def test_versions(max_version: Any, name: str) -> None:
    capsule = xp.asarray([1.0]).__dlpack__(max_version=max_version)
    assert name_of(capsule) == name
    if "versioned" in name:
        assert fields(capsule)[1].major == 1


@pytest.mark.parametrize("copy", [None, False])
def test_no_copy(copy: bool | None) -> None:
    x = xp.asarray([1.0, 2.0])
    capsule = x.__dlpack__(max_version=(1, 0), copy=copy)
    assert fields(capsule)[1].flags == 0
    consume(capsule)[0] = 5
    assert float(x[0]) == 5


def test_copy() -> None:
    x = xp.asarray([1.0, 2.0])
    capsule = x.__dlpack__(max_version=(1, 0), copy=True)
    assert fields(capsule)[1].flags == IS_COPIED
    consume(capsule)[0] = 5
    assert float(x[0]) == 1


def test_read_only_memory_says_so() -> None:
    a = np.arange(3.0)
    a.flags.writeable = False
    x = xp.from_dlpack(a)
    assert fields(x.__dlpack__(max_version=(1, 0)))[1].flags == READ_ONLY
    assert not np.from_dlpack(x).flags.writeable


def test_read_only_memory_is_copied_where_a_capsule_cannot_say_so() -> None:
    a = np.arange(3.0)
    a.flags.writeable = False
    x = xp.from_dlpack(a)
    capsule = x.__dlpack__()
    assert fields(capsule)[0].data != a.ctypes.data
    with pytest.raises(BufferError, match="readonly"):
        x.__dlpack__(copy=False)


class Kind(enum.Enum):
    CPU = 1


@pytest.mark.parametrize("dl_device", [None, (1, 0), (Kind.CPU, 0)])
@pytest.mark.parametrize("copy", [None, False, True])
def test_host_memory_is_asked_for(dl_device: Any, copy: bool | None) -> None:
    x = xp.asarray([1.0])
    assert x.__dlpack_device__() == CPU
    assert fields(x.__dlpack__(dl_device=dl_device, copy=copy))[0].device_type == 1


@pytest.mark.parametrize("dl_device", [(2, 0), (4, 0), (1, 1)])
def test_other_devices_are_refused(dl_device: Any) -> None:
    with pytest.raises(BufferError, match="dl_device"):
        xp.asarray([1.0]).__dlpack__(dl_device=dl_device)


@pytest.mark.parametrize("stream", [-1, 0, 1, object()])
def test_streams_are_refused(stream: Any) -> None:
    with pytest.raises(ValueError, match="stream"):
        xp.asarray([1.0]).__dlpack__(stream=stream)


def test_negative_strides_of_device_memory(apart: RecordingDevice) -> None:
    x = xp.asarray(np.arange(6, dtype="int16").reshape(2, 3), device=apart)[::-1, 1:]
    tensor, managed = fields(x.__dlpack__(max_version=(1, 0)))
    assert (tensor.shape[:2], tensor.strides[:2], tensor.byte_offset) == ([2, 2], [2, 1], 0)
    assert managed.flags == IS_COPIED
    with pytest.raises(BufferError, match="copy=False, but the array has negative strides"):
        x.__dlpack__(copy=False)
    assert_same(consume(x.__dlpack__(dl_device=CPU)), x.to_numpy())


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_a_capsule_of_device_memory(apart: RecordingDevice, max_version: Any) -> None:
    x = xp.asarray(np.arange(6, dtype="int16").reshape(2, 3), device=apart)[:, 1:]
    capsule = x.__dlpack__(max_version=max_version)
    tensor, _ = fields(capsule)
    assert (tensor.device_type, tensor.device_id) == x.__dlpack_device__() == apart.dlpack
    assert (tensor.shape[:2], tensor.strides[:2], tensor.byte_offset) == ([2, 2], [3, 1], 2)
    (buffer,) = [found[0]() for verb, found in apart.calls if verb == "address"]
    assert tensor.data == apart.address(buffer)
    with pytest.raises(BufferError, match="device"):
        consume(capsule)


def test_a_capsule_keeps_device_memory_alive(apart: RecordingDevice) -> None:
    capsule = xp.asarray(np.zeros(1000), device=apart).__dlpack__(max_version=(1, 0))
    gc.collect()
    assert apart.live_bytes
    del capsule
    gc.collect()
    apart.calls.clear()
    assert not apart.live_bytes


@pytest.mark.parametrize("copy", [None, True])
def test_device_memory_is_copied_to_the_host(apart: RecordingDevice, copy: bool | None) -> None:
    a = np.arange(3.0)
    x = xp.asarray(a, device=apart)
    capsule = x.__dlpack__(max_version=(1, 0), dl_device=CPU, copy=copy)
    assert fields(capsule)[1].flags == IS_COPIED
    assert_same(consume(capsule), a)


def test_device_memory_is_not_copied_behind_ones_back(apart: RecordingDevice) -> None:
    x = xp.asarray(np.arange(3.0), device=apart)
    with pytest.raises(BufferError, match="copy=False"):
        x.__dlpack__(dl_device=CPU, copy=False)


def test_numpy_asks_for_a_copy_on_the_host(apart: RecordingDevice) -> None:
    a = np.arange(3.0)
    assert_same(np.from_dlpack(xp.asarray(a, device=apart), device="cpu"), a)


@pytest.mark.parametrize("kind", [None, "int32"])
def test_pyarrow_is_given_a_host_array(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = types.ModuleType("pyarrow")
    vars(pyarrow)["array"] = lambda values, type: (values, type)
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    values, wanted = xp.arange(3).__arrow_array__(type=kind)
    assert wanted == kind
    assert_same(values, np.arange(3))
