"""DLPack: what goes out and comes in is the same memory, nothing leaks, and no producer can hurt us.

`Producer` makes capsules field by field, as a foreign library in C would, and counts the calls of
its deleter; so each field can be wrong on its own.
"""

from __future__ import annotations

import ctypes
import enum
import gc
import importlib.util
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, lay_out, no_launch, run_on, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.memory import dlpack
from arrayapi_gpu.memory.dlpack import IS_COPIED, READ_ONLY

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
CPU = (1, 0)
ELSEWHERE = (10, 0)  # a kind of device for which there is no back end


@pytest.fixture(autouse=True)
def shared(device: Device) -> Iterator[None]:
    """Zero copies are only promised where the host sees the memory."""
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory; RecordingDevice stands for it here")
    yield


def name_of(capsule: Any) -> str:
    return repr(capsule).split('"')[1]


def fields(capsule: Any) -> tuple[Any, Any]:
    """The tensor, and the versioned struct around it, in a capsule."""
    return dlpack._open(capsule)


def consume(capsule: Any) -> HostArray:
    return dlpack.read(capsule)[0]


# --- a producer ----------------------------------------------------------------------------------


class Unversioned(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [
        ("tensor", dlpack._Tensor),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


class Producer:
    """Four float32 numbers in a (2, 2) array, unless a field says otherwise.

    It stays alive for as long as anybody may call its deleter: for ever.
    """

    alive: ClassVar[list[Producer]] = []

    def __init__(self, *, versioned: bool = True, name: bytes | None = None, **wrong: Any):
        self.alive.append(self)
        self.memory = np.arange(4, dtype="float32")
        self.shape = (ctypes.c_int64 * 2)(2, 2)
        self.strides = (ctypes.c_int64 * 2)(2, 1)
        self.deleted = 0
        self.device = CPU
        self.deleter = DELETER(self._delete)
        self.managed: Any = dlpack._Versioned(1, 0) if versioned else Unversioned()
        self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        tensor = self.managed.tensor
        tensor.data, tensor.device_type, tensor.ndim = self.memory.ctypes.data, 1, 2
        tensor.dtype = dlpack._DataType(2, 32, 1)
        tensor.shape, tensor.strides = self.shape, self.strides
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")
        for field, value in wrong.items():
            owner = self.managed if field in ("major", "flags", "deleter") else tensor
            setattr(owner, field, value)

    def _delete(self, _: int) -> None:
        self.deleted += 1

    def __dlpack__(self, **_: Any) -> Any:
        return new_capsule(ctypes.addressof(self.managed), self.name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OldProducer(Producer):
    """One that has never heard of our arguments."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return super().__dlpack__()


# --- out -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_sees_the_memory_itself(layout: str, dtype: str) -> None:
    a = sample(dtype, (3, 4))
    x = lay_out(a, layout)
    view = np.from_dlpack(x)
    assert_same(view, a)
    view[...] = a[::-1]
    assert_same(to_host(x), a[::-1])


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


def test_who_reads_later_reads_before_a_producer_writes() -> None:
    a = np.zeros(3)
    y = xp.from_dlpack(a) + 1
    a[:] = 7
    assert to_host(y).tolist() == [1, 1, 1]


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


# --- out, from a device with memory of its own ---------------------------------------------------


@pytest.fixture
def apart() -> RecordingDevice:
    return RecordingDevice(host_shared=False)


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


# --- in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "key",
    [np.s_[:], np.s_[::2], np.s_[::-1, 1:], np.s_[:, 1], np.s_[1, 2, ...], np.s_[None, :0]],
    ids=str,
)
def test_numpy_arrays_are_shared(key: Any, dtype: str) -> None:
    a = sample(dtype, (3, 4))
    view = a[key]
    x = xp.from_dlpack(view, copy=False)
    assert (x.dtype, x.shape) == (view.dtype, view.shape)
    assert_same(to_host(x), view)
    a[...] = sample(dtype, (3, 4), seed=1)
    assert_same(to_host(x), view)


def test_our_writes_are_seen_by_the_producer() -> None:
    a = np.zeros((2, 3))
    x = xp.from_dlpack(a)
    x[0, 1] = 5
    x += 1
    assert a.tolist() == [[1, 6, 1], [1, 1, 1]]


@pytest.mark.parametrize("shape", [(3,), (), (0, 2)])
def test_copies_are_apart(shape: tuple[int, ...]) -> None:
    a = np.zeros(shape)
    x = xp.from_dlpack(a, copy=True)
    a[...] = 1
    assert not to_host(x).any()


def test_read_only_arrays_stay_so() -> None:
    a = np.zeros(3)
    a.flags.writeable = False
    x = xp.from_dlpack(a)
    assert to_host(x + 1).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert not a.any()


def test_copies_of_read_only_arrays_may_be_changed() -> None:
    a = np.zeros(3)
    a.flags.writeable = False
    x = xp.from_dlpack(a, copy=True)
    x += 1
    assert to_host(x).tolist() == [1, 1, 1]


def test_memory_that_kernels_cannot_take_is_copied() -> None:
    """Elements that lie across the boundaries of their size."""
    crooked = np.zeros(25, "uint8")[1:].view("float64")
    crooked[:] = [1, 2, 3]
    assert to_host(xp.from_dlpack(crooked)).tolist() == [1, 2, 3]
    with pytest.raises(BufferError):
        xp.from_dlpack(crooked, copy=False)


def test_other_devices_get_copies(apart: RecordingDevice) -> None:
    a = sample("float32", (3, 4))
    x = xp.from_dlpack(a[:, ::2], device=apart)
    assert x.device is apart
    assert_same(to_host(x), a[:, ::2])
    for error in (BufferError, ValueError):
        with pytest.raises(error, match="copy=False"):
            xp.from_dlpack(a, device=apart, copy=False)


def test_dtypes_that_a_device_lacks_are_refused(apart: RecordingDevice) -> None:
    apart.dtypes = apart.dtypes - {"f64"}
    with pytest.raises(TypeError, match="float64"):
        xp.from_dlpack(np.zeros(3), device=apart)


@pytest.mark.parametrize("dtype", [np.dtype("longdouble"), np.dtype("clongdouble")])
def test_dtypes_that_we_lack_are_refused(dtype: np.dtype[Any]) -> None:
    with pytest.raises((BufferError, TypeError)):
        xp.from_dlpack(np.zeros(3, dtype))


def test_asarray_takes_producers() -> None:
    producer = Producer()
    assert to_host(xp.asarray(producer)).tolist() == [[0, 1], [2, 3]]


def test_objects_without_the_methods_are_refused() -> None:
    with pytest.raises(AttributeError, match="__dlpack"):
        xp.from_dlpack([1, 2])


# --- from ourselves ------------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [None, False])
def test_our_own_arrays_are_shared(copy: bool | None) -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, copy=copy)
    y += 1
    assert to_host(x).tolist() == [2, 3]
    x *= 2
    assert to_host(y).tolist() == [4, 6]


def test_our_own_arrays_stay_lazy() -> None:
    """The memory is known to nobody else."""
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x)
    with no_launch():
        x + y


def test_our_own_arrays_are_copied() -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, copy=True)
    y += 1
    x *= 3
    assert (to_host(x).tolist(), to_host(y).tolist()) == ([3, 6], [2, 3])


def test_our_own_arrays_change_device(apart: RecordingDevice) -> None:
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x, device=apart)
    assert y.device is apart
    assert_same(to_host(y), to_host(x))
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(x, device=apart, copy=False)


def test_a_capsule_brings_our_memory_back() -> None:
    """Through another library's hands, such as NumPy's."""
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(np.from_dlpack(x))
    y[0] = 7
    assert to_host(x).tolist() == [7, 2]


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


def test_producers_that_know_no_arguments_are_asked_without() -> None:
    assert to_host(xp.from_dlpack(OldProducer(versioned=False))).tolist() == [[0, 1], [2, 3]]


def test_unversioned_memory_is_read_only_since_nobody_can_say() -> None:
    x = xp.from_dlpack(Producer(versioned=False))
    with pytest.raises(ValueError, match="read-only"):
        x += 1


def test_copies_made_for_us_are_not_copied_again() -> None:
    producer = Producer(flags=IS_COPIED)
    x = xp.from_dlpack(producer, copy=True)
    producer.memory[0] = 9
    assert float(x[0, 0]) == 9
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(Producer(flags=IS_COPIED), copy=False)


class Refusing(Producer):
    """A producer that refuses, and one whose memory is elsewhere and may be asked to the host."""

    def __init__(self, error: Exception | None = None, device: Any = ELSEWHERE):
        super().__init__()
        self.error = error
        self.device = device
        self.asked: dict[str, Any] = {}

    def __dlpack__(self, **options: Any) -> Any:
        self.asked = options
        if self.error:
            raise self.error
        return super().__dlpack__()


@pytest.mark.parametrize("error", [BufferError, RuntimeError, MemoryError, TypeError])
def test_errors_of_producers_pass(error: type[Exception]) -> None:
    with pytest.raises(error, match="theirs"):
        xp.from_dlpack(Refusing(error("theirs"), CPU))


def test_memory_elsewhere_is_asked_to_the_host() -> None:
    producer = Refusing()
    assert to_host(xp.from_dlpack(producer)).tolist() == [[0, 1], [2, 3]]
    assert producer.asked["dl_device"] == CPU
    with pytest.raises(BufferError, match="copy=False"):
        xp.from_dlpack(producer, copy=False)


def test_memory_elsewhere_that_stays_there_is_refused() -> None:
    producer = OldProducer()
    producer.device = ELSEWHERE
    with pytest.raises(BufferError, match="host"):
        xp.from_dlpack(producer)


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


@pytest.mark.parametrize("place", [None, 1, (1,), (1, 0, 0), ("cpu", 0)])
def test_what_is_no_device_is_refused(place: Any) -> None:
    producer = Producer()
    producer.device = place
    with pytest.raises((BufferError, TypeError, ValueError)):
        xp.from_dlpack(producer)


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
