"""DLPack's table of C functions: its tensors are those of `__dlpack__`, its arrays those of `from_dlpack`."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, apart_twin, assert_same, lay_out, masked, no_launch, run_on, sample, to_host
from support.exchange_tables import NAME, ExchangeTable, Tensor, extents, place
from support.producers import Producer

import arrayapi_gpu as xp
from arrayapi_gpu import compiled
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.memory import dlpack
from arrayapi_gpu.memory.dlpack import IS_COPIED, READ_ONLY
from arrayapi_gpu.memory.dtypes import as_dtype
from arrayapi_gpu.memory.layout import contiguous_strides

pytestmark = [
    pytest.mark.skipif(compiled.missing != "", reason="the table belongs to the compiled form"),
    pytest.mark.usefixtures("device"),
]

SHAPES = [(), (1,), (5,), (3, 4), (2, 3, 4), (0,), (3, 0, 2), (1, 1, 1, 1, 2)]


@pytest.fixture(scope="module")
def table() -> ExchangeTable:
    return ExchangeTable(xp.Array)


@pytest.fixture
def taken(table: ExchangeTable) -> Iterator[Callable[[xp.Array], Tensor]]:
    """A function that exports an array; the tensors are deleted after the test."""
    tensors: list[Tensor] = []

    def take(x: xp.Array) -> Tensor:
        tensors.append(table.from_object(x))
        return tensors[-1]

    yield take
    for tensor in tensors:
        tensor.delete()


@pytest.fixture
def both_ways(device: Device) -> None:
    """Leave out devices whose memory comes in from no other library."""
    if not device.host_shared and device.exchange is None:
        pytest.skip(f"{device} shares no memory with other libraries")


def test_the_table_has_a_version_and_no_older_one(table: ExchangeTable) -> None:
    assert (table.version, table.previous) == ((1, 3), None)


def test_the_table_stands_on_the_type(table: ExchangeTable) -> None:
    assert NAME in vars(xp.Array) and "dlpack_exchange_api" in repr(vars(xp.Array)[NAME])


def test_a_subclass_has_the_same_table(table: ExchangeTable) -> None:
    class Own(xp.Array):
        pass

    assert getattr(Own, NAME) is getattr(xp.Array, NAME)


# --- out: a tensor that the consumer owns ----------------------------------------------------------------------------


def described(tensor: Any) -> tuple[Any, ...]:
    """What a tensor says, without addresses."""
    kind = tensor.dtype
    return place(tensor), extents(tensor), (kind.code, kind.bits, kind.lanes), tensor.byte_offset


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_tensor_says_what_a_capsule_says(layout: str, dtype: str, taken: Any) -> None:
    x = lay_out(sample("float32", (3, 4)), layout) if dtype == "bfloat16" else lay_out(sample(dtype, (3, 4)), layout)
    x = xp.astype(x, xp.bfloat16) if dtype == "bfloat16" else x
    capsule = x.__dlpack__(max_version=(1, 0))
    expected, managed = dlpack._open(capsule)
    got = taken(x)
    assert described(got.fields) == described(expected)
    assert managed is not None and got.managed.flags == managed.flags
    assert got.fields.data == expected.data or managed.flags & IS_COPIED


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_goes_out_comes_in_again(layout: str, dtype: str, table: ExchangeTable) -> None:
    a = sample(dtype, (3, 4))
    assert_same(to_host(table.to_object(table.from_object(lay_out(a, layout)).address)), a)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_comes_in_again(shape: tuple[int, ...], table: ExchangeTable) -> None:
    a = sample("int32", shape)
    tensor = table.from_object(xp.asarray(a))
    assert extents(tensor.fields)[0] == shape
    assert (tensor.fields.data is None) == (a.size == 0)
    assert_same(to_host(table.to_object(tensor.address)), a)


@pytest.mark.usefixtures("both_ways")
def test_both_sides_use_one_memory(table: ExchangeTable) -> None:
    x = xp.asarray(np.arange(6, dtype="int32"))
    y = table.to_object(table.from_object(x[1:4]).address)
    x[1] = 50
    y[2] = 70
    assert to_host(x).tolist() == [0, 50, 2, 70, 4, 5]
    assert to_host(y).tolist() == [50, 2, 70]


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("fill", [0, 3])
def test_broadcast_axes_have_no_stride(fill: int, table: ExchangeTable, taken: Any) -> None:
    x = xp.broadcast_to(xp.asarray(np.arange(fill, fill + 4.0))[None, :], (3, 4))
    tensor = taken(x)
    assert extents(tensor.fields) == ((3, 4), (0, 1))
    assert tensor.managed.flags == READ_ONLY
    y = table.to_object(table.from_object(x).address)
    assert_same(to_host(y), to_host(x))
    with pytest.raises(ValueError, match="read-only"):
        y[0, 0] = 1


@pytest.mark.usefixtures("host_shared")
def test_a_read_only_array_says_so(taken: Any) -> None:
    a = np.arange(3.0)
    a.flags.writeable = False
    assert taken(xp.asarray(a, copy=False)).managed.flags == READ_ONLY
    assert taken(xp.asarray(a, copy=True)).managed.flags == 0


@pytest.mark.usefixtures("both_ways")
def test_a_pending_array_is_computed_first(table: ExchangeTable) -> None:
    a = np.arange(2000.0)
    x = xp.asarray(a)
    assert_same(to_host(table.to_object(table.from_object(x * 2 + 1).address)), a * 2 + 1)
    assert_same(to_host(table.to_object(table.from_object((x * 2)[::3]).address)), (a * 2)[::3])


def test_an_array_in_memory_is_not_computed_again(taken: Any) -> None:
    x = xp.asarray(np.arange(1000.0))
    xp.sync(x)
    with no_launch():
        taken(x)


@pytest.mark.usefixtures("both_ways")
def test_a_host_operand_goes_out(table: ExchangeTable) -> None:
    a = np.arange(1000.0)
    assert_same(to_host(table.to_object(table.from_object(xp.from_host(a)[5:]).address)), a[5:])


# --- exposed memory --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("host_shared")
def test_readers_read_before_the_consumer_writes(taken: Any) -> None:
    x = xp.asarray(np.zeros(3))
    before = x + 1
    host = _host_of(taken(x))
    after = x + 2
    host[:] = 7
    assert (to_host(before).tolist(), to_host(after).tolist()) == ([1, 1, 1], [2, 2, 2])
    assert to_host(x + 1).tolist() == [8, 8, 8]


def _host_of(tensor: Tensor) -> Any:
    """The float64 elements of a contiguous tensor in host memory."""
    (shape, _), data = extents(tensor.fields), tensor.fields.data
    return np.ctypeslib.as_array((ctypes.c_double * int(np.prod(shape))).from_address(data))


@pytest.mark.usefixtures("host_shared")
def test_the_consumer_sees_later_writes(taken: Any) -> None:
    x = xp.asarray(np.zeros(3))
    host = _host_of(taken(x))
    x += 5
    assert host.tolist() == [5, 5, 5]


def test_memory_is_exposed_until_the_deleter_is_called(table: ExchangeTable) -> None:
    x = xp.asarray(np.zeros(3))
    tensor = table.from_object(x)
    buffer = x._node.array.storage.buffer  # type: ignore[union-attr]
    assert buffer.exposed
    tensor.delete()
    assert not buffer.exposed


def test_a_tensor_keeps_the_memory_alive(device: Device, table: ExchangeTable) -> None:
    device.wait()
    gc.collect()
    live = device.live_bytes
    tensor = table.from_object(xp.asarray(np.ones(100_000)))
    gc.collect()
    assert device.live_bytes >= live + 800_000
    tensor.delete()
    assert device.live_bytes == live


def test_another_thread_may_delete_without_the_lock_of_the_interpreter(table: ExchangeTable) -> None:
    x = xp.asarray(np.zeros(3))
    tensor = table.from_object(x)
    thread = threading.Thread(target=tensor.delete_without_gil)
    thread.start()
    thread.join()
    assert not x._node.array.storage.buffer.exposed  # type: ignore[union-attr]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a function of glibc")
def test_a_tensor_may_be_deleted_when_the_interpreter_has_ended(device: Device) -> None:
    """The C library calls the deleter when the process exits, which is after the interpreter has ended."""
    code = """if True:
        import ctypes
        import arrayapi_gpu as xp
        from support.exchange_tables import ExchangeTable
        tensor = ExchangeTable(xp.Array).from_object(xp.asarray([1.0, 2.0]))
        at_exit = ctypes.CDLL(None)["__cxa_atexit"]
        print(at_exit(ctypes.c_void_p(tensor.managed.deleter), ctypes.c_void_p(tensor.address), None))
    """
    done = run_on(device, code)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


# --- out: a tensor that the array owns -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "backwards"])
def test_a_borrowed_tensor_says_the_same(layout: str, dtype: str, table: Any, taken: Any) -> None:
    x = lay_out(sample(dtype, (3, 4)), layout)
    borrowed, owned = table.borrow(x), taken(x).fields
    assert (described(borrowed), borrowed.data) == (described(owned), owned.data)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_borrowed(shape: tuple[int, ...], table: ExchangeTable, taken: Any) -> None:
    x = xp.asarray(sample("int16", shape))
    borrowed, owned = table.borrow(x), taken(x).fields
    assert (described(borrowed), borrowed.data) == (described(owned), owned.data)


def test_views_have_extents_of_their_own(table: ExchangeTable) -> None:
    x = xp.asarray(sample("float32", (4, 6)))
    views = [x, x[1:], x.T, x[:, ::2]]
    tensors = [table.borrow(view) for view in views]
    assert [extents(tensor) for tensor in tensors] == [
        (view.shape, tuple(step // 4 for step in view.strides)) for view in views
    ]


def test_a_pending_array_is_computed_before_it_is_borrowed(table: ExchangeTable) -> None:
    x = xp.asarray(np.arange(1000.0)) + 1
    table.borrow(x)
    with no_launch():
        assert_same(to_host(x), np.arange(1000.0) + 1)


@pytest.mark.usefixtures("host_shared")
def test_the_memory_of_a_borrowed_tensor_stays_exposed(table: ExchangeTable) -> None:
    x = xp.asarray(np.zeros(3))
    before = x + 1
    tensor = table.borrow(x)
    after = x + 2
    (ctypes.c_double * 3).from_address(tensor.data)[:] = [7, 7, 7]
    assert (to_host(before).tolist(), to_host(after).tolist()) == ([1, 1, 1], [2, 2, 2])
    assert to_host(x).tolist() == [7, 7, 7]


REFUSED_TO_BORROWERS: dict[str, Callable[[xp.Array], xp.Array]] = {
    "read-only": lambda x: xp.broadcast_to(x, (2, 3)),
    "negative strides": lambda x: x[::-1],
}


@pytest.mark.parametrize("what", REFUSED_TO_BORROWERS)
def test_what_a_borrowed_tensor_cannot_say_is_refused(what: str, table: ExchangeTable) -> None:
    x = REFUSED_TO_BORROWERS[what](xp.asarray(np.arange(3.0)))
    with pytest.raises(BufferError, match=what):
        table.borrow(x)


# --- errors ----------------------------------------------------------------------------------------------------------

NO_ARRAYS = [None, 3, "x", np.zeros(3), object(), xp, xp.Array, [1.0]]


@pytest.mark.parametrize("given", NO_ARRAYS, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("function", ["from_object", "borrow"])
def test_what_is_no_array_is_refused(function: str, given: Any, table: ExchangeTable) -> None:
    with pytest.raises(TypeError, match=f"got {type(given).__name__}; allowed: arrays"):
        getattr(table, function)(given)


@pytest.mark.parametrize("function", ["from_object", "borrow"])
def test_an_array_without_a_value_is_refused(function: str, table: ExchangeTable) -> None:
    with pytest.raises((AttributeError, TypeError)):
        getattr(table, function)(xp.Array.__new__(xp.Array))


@pytest.mark.parametrize("function", ["from_object", "borrow"])
def test_errors_of_the_device_arrive(function: str, table: ExchangeTable, monkeypatch: pytest.MonkeyPatch) -> None:
    device = RecordingDevice(host_shared=False)
    x = xp.asarray(np.arange(3.0), device=device)

    def address(buffer: Any) -> int:
        raise BufferError("the memory has no address")

    monkeypatch.setattr(device, "address", address)
    with pytest.raises(BufferError, match="has no address"):
        getattr(table, function)(x)


# --- in --------------------------------------------------------------------------------------------------------------


def address_of(producer: Producer) -> int:
    return ctypes.addressof(producer.managed)


def test_an_array_owns_the_tensor(device: Device, table: ExchangeTable) -> None:
    producer = Producer()
    x = table.to_object(address_of(producer))
    y = x[1]
    assert to_host(x).tolist() == [[0, 1], [2, 3]]
    del x
    gc.collect()
    device.wait()
    if device.host_shared:
        assert producer.deleted == 0  # y still uses it
    del y
    gc.collect()
    device.wait()
    assert producer.deleted == 1


@pytest.mark.usefixtures("host_shared")
def test_the_memory_of_a_tensor_is_shared(table: ExchangeTable) -> None:
    producer = Producer()
    x = table.to_object(address_of(producer))
    producer.memory[0] = 9
    assert to_host(x).tolist() == [[9, 1], [2, 3]]


def test_a_copy_gives_the_tensor_back_at_once(device: Device, table: ExchangeTable) -> None:
    producer = Producer()
    other = apart_twin(device) if device.host_shared else device
    with xp.config.set(device=str(other)):
        x = table.to_object(address_of(producer))
    assert producer.deleted == 1
    assert to_host(x).tolist() == [[0, 1], [2, 3]]


def test_a_deleter_may_be_missing(table: ExchangeTable) -> None:
    producer = Producer(deleter=None)
    x = table.to_object(address_of(producer))
    assert to_host(x).tolist() == [[0, 1], [2, 3]]
    del x
    gc.collect()


@pytest.mark.usefixtures("host_shared")
def test_a_read_only_tensor_stays_so(table: ExchangeTable) -> None:
    x = table.to_object(address_of(Producer(flags=READ_ONLY)))
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1


HOSTILE: dict[str, dict[str, Any]] = {
    "version 2": {"major": 2},
    "no memory": {"data": None},
    "memory of no device": {"device_type": -7},
    "memory of an unknown GPU": {"device_type": 10},
    "no shape": {"shape": None},
    "huge rank": {"ndim": 2**31 - 1},
    "unknown code": {"dtype": dlpack._DataType(200, 32, 1)},
    "vectors": {"dtype": dlpack._DataType(2, 32, 4)},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_refused_tensor_stays_the_callers(case: str, table: ExchangeTable) -> None:
    producer = Producer(**HOSTILE[case])
    with pytest.raises(BufferError):
        table.to_object(address_of(producer))
    gc.collect()
    assert producer.deleted == 0


def test_a_tensor_that_fails_late_stays_the_callers(device: Device, table: ExchangeTable) -> None:
    """float64 on a device without it: known when the tensor has been read."""
    if not device.name.startswith("opencl"):
        pytest.skip("only OpenCL has such devices")
    lacking = masked(device, ("float64",))
    memory = np.arange(4.0)
    producer = Producer(dtype=dlpack._DataType(2, 64, 1), data=memory.ctypes.data)
    with xp.config.set(device=str(lacking)), pytest.raises(TypeError, match="does not support"):
        table.to_object(address_of(producer))
    gc.collect()
    assert producer.deleted == 0


def test_no_tensor_is_refused(table: ExchangeTable) -> None:
    with pytest.raises(ValueError, match="NULL"):
        table.to_object(None)


# --- new tensors -----------------------------------------------------------------------------------------------------


def prototype(device: Device, name: str = "float32", extents: tuple[int, ...] = (3, 4), /, **wrong: Any) -> Any:
    """A tensor without memory."""
    tensor, dtype = dlpack._Tensor(), as_dtype(getattr(xp, name))
    tensor.device_type, tensor.device_id = device.dlpack
    tensor.dtype = dlpack._DataType(dlpack.CODE_OF[dtype], 8 * dtype.itemsize, 1)
    tensor.ndim, tensor.shape = len(extents), (ctypes.c_int64 * max(len(extents), 1))(*extents)
    for field, value in wrong.items():
        setattr(tensor, field, value)
    return tensor


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 0, 3)])
def test_a_new_tensor_is_as_the_prototype(shape: Any, dtype: str, device: Device, table: ExchangeTable) -> None:
    wanted = prototype(device, dtype, shape)
    tensor = table.allocate(wanted)
    assert isinstance(tensor, Tensor), tensor
    assert (place(tensor.fields), extents(tensor.fields)) == (device.dlpack, (shape, contiguous_strides(shape)))
    assert bytes(tensor.fields.dtype) == bytes(wanted.dtype)
    assert tensor.managed.flags == 0
    tensor.delete()


@pytest.mark.usefixtures("both_ways")
def test_a_new_tensor_becomes_an_array(device: Device, table: ExchangeTable) -> None:
    tensor = table.allocate(prototype(device))
    assert isinstance(tensor, Tensor), tensor
    x = table.to_object(tensor.address)
    x[...] = 3
    assert_same(to_host(x), np.full((3, 4), 3, "float32"))


def test_a_new_tensor_is_memory_of_the_pool(device: Device, table: ExchangeTable) -> None:
    device.wait()
    gc.collect()
    live = device.live_bytes
    tensor = table.allocate(prototype(device, "float64", (1000,)))
    assert isinstance(tensor, Tensor), tensor
    assert device.live_bytes >= live + 8000
    tensor.delete()
    assert device.live_bytes == live


NO_PROTOTYPES: dict[str, tuple[str, dict[str, Any]]] = {
    "unknown code": ("BufferError", {"dtype": dlpack._DataType(200, 32, 1)}),
    "vectors": ("BufferError", {"dtype": dlpack._DataType(2, 32, 4)}),
    "negative rank": ("BufferError", {"ndim": -1}),
    "huge rank": ("BufferError", {"ndim": 1000}),
    "negative extent": ("BufferError", {"shape": (ctypes.c_int64 * 2)(2, -1)}),
    "no shape": ("BufferError", {"shape": None}),
    "no such device": ("BufferError", {"device_type": 17}),
    "no room": ("MemoryError", {"shape": (ctypes.c_int64 * 2)(2**40, 2**20)}),
}


@pytest.mark.parametrize("case", NO_PROTOTYPES)
def test_errors_of_new_tensors_go_through_the_callers_function(case: str, device: Device, table: ExchangeTable) -> None:
    kind, wrong = NO_PROTOTYPES[case]
    error = table.allocate(prototype(device, **wrong))
    assert isinstance(error, tuple), error
    assert error[0] == kind and len(error[1]) > 10


# --- streams ---------------------------------------------------------------------------------------------------------


class Exchanging(RecordingDevice):
    """Stands for a GPU with streams."""

    def __init__(self) -> None:
        super().__init__("recording:5:5", host_shared=False)
        self.dlpack = (2, 55)
        self.exchange: Any = SimpleNamespace(stream=1234)


@pytest.fixture
def exchanging(monkeypatch: pytest.MonkeyPatch) -> Exchanging:
    from arrayapi_gpu.backends import devices

    device = Exchanging()
    monkeypatch.setattr("arrayapi_gpu.backends._devices", (*devices(), device))
    return device


def test_the_host_has_no_stream(table: ExchangeTable) -> None:
    assert table.stream_of(1, 0) is None


def test_a_device_has_the_stream_in_which_it_computes(device: Device, table: ExchangeTable) -> None:
    assert table.stream_of(*device.dlpack) == (None if device.exchange is None else device.exchange.stream)


def test_a_device_with_streams_gives_its_own(exchanging: Exchanging, table: ExchangeTable) -> None:
    assert table.stream_of(2, 55) == 1234


def test_an_unknown_device_has_no_stream(device: Device, table: ExchangeTable) -> None:
    with pytest.raises(BufferError, match=r"memory of device \(2, 77\)"):
        table.stream_of(2, 77)


def _exported(function: str, device: RecordingDevice, table: ExchangeTable) -> tuple[Any, bool]:
    """The tensor of a view of two columns, and whether the device was waited for."""
    x = xp.asarray(np.arange(6, dtype="int16").reshape(2, 3), device=device)[:, 1:]
    device.calls.clear()
    result = getattr(table, function)(x)
    tensor = result.fields if isinstance(result, Tensor) else result
    return tensor, "wait" in [verb for verb, _ in device.calls]


@pytest.mark.parametrize("function", ["from_object", "borrow"])
def test_a_device_with_streams_is_not_waited_for(function: str, exchanging: Exchanging, table: ExchangeTable) -> None:
    tensor, waited = _exported(function, exchanging, table)
    assert not waited
    assert (place(tensor), tensor.byte_offset) == ((2, 55), 0)  # the offset is part of the address


@pytest.mark.parametrize("function", ["from_object", "borrow"])
def test_a_device_without_streams_is_waited_for(function: str, apart: RecordingDevice, table: ExchangeTable) -> None:
    tensor, waited = _exported(function, apart, table)
    assert waited
    assert (place(tensor), tensor.byte_offset) == (apart.dlpack, 2)


# --- nothing is left behind ------------------------------------------------------------------------------------------

CALLS = 10_000
HOPELESS = Producer(dtype=dlpack._DataType(200, 32, 1))


def _refused(function: Callable[[], Any]) -> None:
    with pytest.raises((BufferError, TypeError)):
        function()


def _allocated(table: ExchangeTable, wanted: Any) -> None:
    tensor = table.allocate(wanted)
    if isinstance(tensor, Tensor):
        tensor.delete()


ENTRIES: dict[str, Callable[[ExchangeTable, xp.Array], Any]] = {
    "out": lambda table, x: table.from_object(x).delete(),
    "out, a copy": lambda table, x: table.from_object(x[::-1]).delete(),
    "out and in": lambda table, x: table.to_object(table.from_object(x).address),
    "out, refused": lambda table, x: _refused(lambda: table.from_object(3)),
    "in, refused": lambda table, x: _refused(lambda: table.to_object(address_of(HOPELESS))),
    "borrowed": lambda table, x: table.borrow(x),
    "borrowed, refused": lambda table, x: _refused(lambda: table.borrow(x[::-1])),
    "new": lambda table, x: _allocated(table, prototype(x.device)),
    "new, refused": lambda table, x: _allocated(table, prototype(x.device, ndim=-1)),
    "stream": lambda table, x: table.stream_of(*x.device.dlpack),
}


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("entry", ENTRIES)
def test_calls_leave_no_references_and_no_memory(entry: str, device: Device, table: ExchangeTable) -> None:
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    call = ENTRIES[entry]
    objects = (x, x._node, x.shape, x.dtype, device, None)

    def counts() -> tuple[list[int], int]:
        gc.collect()
        device.wait()
        return [sys.getrefcount(item) for item in objects], len(device.exposed)

    for _ in range(100):
        call(table, x)
    before = counts()
    blocks = sys.getallocatedblocks()
    for _ in range(CALLS):
        call(table, x)
    after = counts()
    grown = [b - a for a, b in zip(before[0], after[0], strict=True)]
    assert max(map(abs, grown)) < CALLS // 10 and after[1] == before[1]
    assert sys.getallocatedblocks() - blocks < CALLS // 10


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("entry", ["out", "out and in", "in, refused", "new"])
def test_calls_leave_no_memory_of_the_c_library(entry: str, device: Device) -> None:
    """tracemalloc, in a process of its own, counts memory of `PyMem_RawMalloc` too."""
    code = f"""if True:
        import gc, tracemalloc
        import numpy as np
        import arrayapi_gpu as xp
        import test_dlpack_table as t
        table, x = t.ExchangeTable(xp.Array), xp.asarray(np.arange(6.0).reshape(2, 3))
        call = t.ENTRIES[{entry!r}]
        def many(n):
            for _ in range(n):
                call(table, x)
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        tracemalloc.start()
        many(200)
        before = many(200)
        assert many(2000) - before < 2000 * 8, "memory grows"
    """
    done = run_on(device, code)
    assert done.returncode == 0, done.stderr
