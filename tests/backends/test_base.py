"""What every back end promises (see `Device`), on each device present and on the recording one.

Tests that take `target` need no kernel to run; those that take `device` do.
"""

from __future__ import annotations

import copy
import gc
import pickle
import struct
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import scalar_twin

from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Block, Device, DeviceError, HostArray, KernelBuildError, let_go
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config

ADD = """
typedef struct { S_i64 n; S_f32 factor; S_i32 shift; } Parameters;
KERNEL void add(GLOBAL M_f32* x, GLOBAL M_f32* y, GLOBAL M_f32* out, const Parameters p) {
    for (long i = GID; i < p.n; i += GROUP_SIZE * GROUPS) {
        out[i] = x[i] + y[i] * p.factor + p.shift;
    }
}
"""
SLOW = """
KERNEL void slow(GLOBAL M_i32* out) {
    for (int i = 0; i < 20000; i++) out[GID] = out[GID] * 3 + 1;
}
"""

RECORDING = RecordingDevice(), RecordingDevice("recording:1:0", host_shared=False)
for recording in RECORDING:
    backends.register(recording)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`target`: the devices of `device`, and two recording ones."""
    if "target" in metafunc.fixturenames:
        names: list[str] | None = metafunc.config.getoption("--device")
        real = [backends.get_device(name) for name in names] if names else backends.devices()
        metafunc.parametrize("target", [*real, *RECORDING], ids=str)


def pack(n: int, factor: float, shift: int) -> bytes:
    """The bytes of the parameters of ADD."""
    return struct.pack("<qfi", n, factor, shift)


def down(device: Device, buffer: backends.base.Buffer, dtype: str, n: int) -> HostArray:
    """The first n elements of a buffer."""
    host = np.empty(n, dtype)
    device.download(buffer, 0, host)
    return host


# Facts and identity


def test_facts(target: Device) -> None:
    """Limits are sizes, the prelude begins with the number of lanes, and dtypes are known."""
    assert target.prelude.startswith(f"#define LANES {target.lanes}\n")
    assert target.lanes in {16, 1}
    assert 0 < target.max_alloc <= target.memory
    assert min(target.local_memory, target.compute_units, target.max_group) > 0
    assert target.parameter_bytes >= 1024
    assert {"b8", "i64", "u8", "f16", "f32", "c64"} <= target.dtypes
    assert ("f64" in target.dtypes) == ("c128" in target.dtypes)
    assert (target.dlpack[0] == 1) == target.host_shared


def test_identity(target: Device) -> None:
    """A device is its name: in str, ==, hash, pickle and copies."""
    assert str(target) == target.name
    assert target.name in repr(target)
    assert target == backends.get_device(str(target))
    assert target != RecordingDevice("recording:9:9")
    assert target != target.name
    assert {target: 1}[backends.get_device(target.name)] == 1
    assert pickle.loads(pickle.dumps(target)) is target
    assert copy.deepcopy(target) is target


# Memory


@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 65, 4095, 100_000, 3_000_001])
def test_upload_and_download(target: Device, nbytes: int) -> None:
    """Bytes come back; the source may change at once; neighbours stay."""
    buffer = target.alloc(nbytes + 2)
    host = np.arange(nbytes + 2).astype(np.uint8)
    target.upload(buffer, 0, host)
    inner = np.full(nbytes, 7, np.uint8)
    target.upload(buffer, 1, inner)
    inner[:] = 8
    host[1:-1] = 7
    assert buffer.nbytes == nbytes + 2
    assert np.array_equal(down(target, buffer, "u1", nbytes + 2), host)
    part = np.empty(nbytes, np.uint8)
    target.download(buffer, 2, part)
    assert np.array_equal(part, host[2:])


def test_upload_while_work_is_queued(device: Device) -> None:
    """An upload waits its turn behind a kernel, however small or large, and takes a copy."""
    kernel = device.compile(SLOW, "slow")
    for n in (64, 200_000):
        buffer = device.alloc(4 * n)
        device.upload(buffer, 0, np.zeros(n, np.int32))
        for turn in range(40):
            device.launch(kernel, 1, 64, [buffer], b"")
            host = np.full(n, turn, np.int32)
            device.upload(buffer, 0, host)
            host[:] = -1
        assert np.array_equal(down(device, buffer, "i4", n), np.full(n, 39, np.int32))


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f8", "c8", "c16"])
def test_any_dtype_travels(target: Device, dtype: str) -> None:
    """Upload and download copy bytes of arrays of every dtype and shape."""
    host = np.arange(6).reshape(2, 3).astype(dtype)
    buffer = target.alloc(host.nbytes)
    target.upload(buffer, 0, host)
    back = np.empty_like(host)
    target.download(buffer, 0, back)
    assert np.array_equal(back, host)


def test_strided_host_arrays_are_refused(target: Device) -> None:
    """A transfer takes C-contiguous arrays; a copy made in passing would swallow a download."""
    strided = np.zeros((4, 4), np.float32)[:, ::2]
    buffer = target.alloc(64)
    for verb in (target.upload, target.download):
        with pytest.raises(ValueError, match="C-contiguous"):
            verb(buffer, 0, strided)


def test_freed_memory_is_used_again(target: Device) -> None:
    """The bytes of a dead buffer are cached and serve the next request; trim gives them back."""
    target.trim()
    live = target.live_bytes
    buffer = target.alloc(100_000)
    handle = buffer.handle
    assert target.live_bytes >= live + 100_000
    del buffer
    assert target.live_bytes == live
    assert target.cached_bytes >= 100_000
    assert target.alloc(99_999).handle is handle
    del handle
    target.trim()
    assert target.cached_bytes == 0


def test_memory_of_a_buffer_in_a_cycle_is_used_again(target: Device) -> None:
    """Where the garbage collector frees a buffer, its block stays whole."""
    target.trim()
    cycle: list[Any] = [target.alloc(100_000)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert target.cached_bytes >= 100_000
    buffer = target.alloc(100_000)
    gc.collect()
    host = np.arange(12_500)
    target.upload(buffer, 0, host)
    assert np.array_equal(down(target, buffer, "i8", 12_500), host)


def test_too_much_memory(target: Device) -> None:
    """What cannot be had raises MemoryError with numbers; the device goes on."""
    for nbytes in (target.max_alloc + 1, target.memory + 1, 1 << 62):
        with pytest.raises(MemoryError) as caught:
            target.alloc(nbytes)
        assert f"{target}: {nbytes} bytes requested" in str(caught.value)
        assert "live" in str(caught.value) and "cached" in str(caught.value)
    test_upload_and_download(target, 64)


def test_memory_runs_out_and_comes_back(target: Device) -> None:
    """Large buffers, never touched, end in MemoryError, and freeing them helps.

    Not the largest: other programs, such as tests beside this one, have some of a GPU's memory, too.
    """
    if target.memory > 1 << 40 or target.max_alloc * 64 < target.memory:
        pytest.fail("the sizes of this device make no sense")
    large = min(target.max_alloc, target.memory // 8)
    kept = []
    with pytest.raises(MemoryError, match="delete arrays"):
        for _ in range(65):
            kept.append(target.alloc(large))
    kept.pop()
    target.alloc(large)
    kept.clear()
    target.trim()
    assert target.cached_bytes == 0


def shared(target: Device) -> bool:
    """Tell whether the memory is host memory; if not, check that the verbs for that refuse."""
    if not target.host_shared:
        with pytest.raises(DeviceError, match="not host memory"):
            target.adopt(np.zeros(4, np.float32))
        with pytest.raises(DeviceError, match="not host memory"):
            target.host_view(target.alloc(4))
    return target.host_shared


def test_host_view(target: Device) -> None:
    """The view is the memory itself, 64-byte aligned, and keeps it from being used again."""
    if shared(target):
        buffer = target.alloc(100)
        target.upload(buffer, 0, np.arange(100, dtype=np.uint8))
        view = target.host_view(buffer)
        assert view.dtype == np.uint8 and view.shape == (100,)
        assert view.ctypes.data % 64 == 0 or isinstance(target, RecordingDevice)
        view[3] = 77
        assert down(target, buffer, "u1", 4).tolist() == [0, 1, 2, 77]
        alive = weakref.ref(buffer)
        derived = view[2:].view(np.uint16)[::2]
        del buffer, view
        gc.collect()
        assert alive() is not None
        del derived
        gc.collect()
        assert alive() is None


def test_adopt(target: Device) -> None:
    """An adopted array is neither copied nor, while the buffer lives, forgotten."""
    if shared(target):
        host = np.arange(10, dtype=np.float32)
        buffer = target.adopt(host)
        assert buffer.nbytes == 40
        host[4] = 99
        assert down(target, buffer, "f4", 5).tolist() == [0, 1, 2, 3, 99]
        assert np.shares_memory(target.host_view(buffer), host)
        alive = weakref.ref(host)
        del host
        gc.collect()
        assert alive() is not None
        del buffer
        target.wait()
        target.adopt(np.zeros(1))
        gc.collect()
        assert alive() is None


def test_adopt_odd_arrays(target: Device) -> None:
    """Empty, scalar and read-only arrays can be adopted; strided ones raise ValueError."""
    if shared(target):
        assert target.adopt(np.zeros((0, 3))).nbytes == 0
        assert target.adopt(np.array(5.0)).nbytes == 8
        frozen = np.arange(5)
        frozen.flags.writeable = False
        view = target.host_view(target.adopt(frozen))
        assert not view.flags.writeable and view.nbytes == 40
        with pytest.raises(ValueError, match="C-contiguous"):
            target.adopt(np.zeros((4, 4))[:, 1:])


# Kernels


def test_launch(device: Device) -> None:
    """Arguments are the buffers in order, then a struct by value; groups may exceed the items."""
    kernel = device.compile(ADD, "add")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    buffers = [device.alloc(4000) for _ in range(3)]
    device.upload(buffers[0], 0, x)
    device.upload(buffers[1], 0, y)
    for groups in (1, 3, 100):
        device.launch(kernel, groups, 64, buffers, pack(1000, 2.5, groups))
        assert np.array_equal(down(device, buffers[2], "f4", 1000), x + 2.5 + groups)
    device.launch(kernel, 0, 64, buffers, pack(1000, 0, 0))
    assert down(device, buffers[2], "f4", 1)[0] == 102.5


def test_a_repeated_launch(device: Device) -> None:
    """It has the parameters that it was made with and the buffers of each time, also in a thread of its own."""
    kernel = device.compile(ADD, "add")
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    first, second, out = (device.alloc(4000) for _ in range(3))
    device.upload(first, 0, x)
    device.upload(second, 0, y)
    parameters = pack(1000, 2.5, 3)
    again = device.bind(kernel, 16, 64, 3, parameters)
    none = device.bind(kernel, 0, 64, 3, parameters)
    for a, b, host in ((first, second, x + 2.5), (second, first, 1 + 2.5 * x), (first, second, x + 2.5)):
        again([a, b, out])
        none([a, b, out])
        device.launch(kernel, 16, 64, [a, b, a], pack(0, 9, 9))
        assert np.array_equal(down(device, out, "f4", 1000), host + 3)
    thread = threading.Thread(target=again, args=([second, first, out],))
    thread.start()
    thread.join()
    assert np.array_equal(down(device, out, "f4", 1000), 1 + 2.5 * x + 3)


@pytest.mark.parametrize("offset", [0, 4, 12, 64])
def test_kernels_see_adopted_memory(device: Device, offset: int) -> None:
    """A kernel reads and writes an adopted array in place, however it is aligned."""
    if shared(device):
        kernel = device.compile(ADD, "add")
        raw = np.zeros(4000 + offset, np.uint8)
        x = raw[offset:].view(np.float32)
        x[:] = np.arange(1000)
        same = device.adopt(x)
        for turn in range(1, 4):
            device.launch(kernel, 4, 64, [same, same, same], pack(1000, 1, 0))
            device.wait()
            assert np.array_equal(x, np.arange(1000) * 2**turn)
            x += 0
        x[:] = 5
        device.launch(kernel, 4, 64, [same, same, same], pack(1000, 1, 0))
        del same
        device.wait()
        assert (x == 10).all()
        assert not raw[:offset].any()


def test_adopted_memory_outlives_its_owner(device: Device) -> None:
    """Dropping array and buffer at once, with kernels queued on them, is safe."""
    if shared(device):
        slow, n = device.compile(SLOW, "slow"), 64
        for _ in range(100):
            device.launch(slow, 1, n, [device.adopt(np.zeros(n, np.int32))], b"")
        device.wait()


@pytest.mark.parametrize("longs, ints", [(0, 1), (1, 0), (1, 2), (3, 5), (None, None)])
def test_struct_parameters(device: Device, longs: int | None, ints: int | None) -> None:
    """A struct of 8- and 4-byte fields arrives whole, up to `parameter_bytes`."""
    if longs is None or ints is None:
        ints = 11
        longs = (device.parameter_bytes - 8 - 8 * ints) // 8
    fields = [f"S_i64 a{i};" for i in range(longs)] + [f"S_i32 b{i};" for i in range(ints)]
    terms = [f"p.a{i} * {i + 1}" for i in range(longs)] + [f"p.b{i} * {i + 7}" for i in range(ints)]
    kernel = device.compile(
        f"typedef struct {{ {' '.join(fields)} }} Parameters;\n"
        f"KERNEL void total(GLOBAL M_i64* out, const Parameters p) {{\n"
        f"    if (GID == 0) out[0] = {' + '.join(terms)};\n}}\n",
        "total",
    )
    first, second = [i * 10**11 - 5 for i in range(longs)], [-i * 1000 - 3 for i in range(ints)]
    block = struct.pack(f"<{longs}q{ints}i", *first, *second)
    block += bytes(-len(block) % 8 if longs else 0)
    want = sum(v * (i + 1) for i, v in enumerate(first))
    want += sum(v * (i + 7) for i, v in enumerate(second))
    buffer = device.alloc(8)
    device.launch(kernel, 1, 64, [buffer], block)
    assert down(device, buffer, "u8", 1)[0] == want % 2**64


def test_struct_of_every_scalar(device: Device) -> None:
    """Each scalar type of the dialect has the size and the order that `struct` gives it."""
    values: dict[str, tuple[str, Any]] = {
        "i64": ("q", -(2**60)), "u64": ("Q", 2**63 + 5), "f64": ("d", 0.1), "c128": ("dd", (3, -4)),
        "b8": ("i", 1), "i8": ("i", -128), "i16": ("i", -32768), "i32": ("i", -5),
        "u8": ("I", 255), "u16": ("I", 65535), "u32": ("I", 2**32 - 1), "f16": ("f", 0.5),
        "f32": ("f", 1.5), "c64": ("ff", (5, 6)),
    }  # fmt: skip
    used = {short: value for short, value in values.items() if short in device.dtypes}
    tests, flat, layout = [], [], "<"
    for short, (form, value) in used.items():
        layout += form
        flat += [*value] if isinstance(value, tuple) else [value]
        if short[0] == "c":
            tests.append(f"p.{short}.re == {value[0]} && p.{short}.im == {value[1]}")
        else:
            suffix = {"u64": "UL", "u32": "U", "f32": "f", "f16": "f"}.get(short, "")
            tests.append(f"p.{short} == {value}{suffix}")
    fields = " ".join(f"S_{short} {short};" for short in used)
    lines = "\n".join(f"out[{i}] = {test};" for i, test in enumerate(tests))
    kernel = device.compile(
        f"typedef struct {{ {fields} }} Parameters;\n"
        f"KERNEL void scalars(GLOBAL M_i32* out, const Parameters p) {{\n"
        f"    if (GID == 0) {{ {lines} }}\n}}\n",
        "scalars",
    )
    block = struct.pack(layout, *flat)
    buffer = device.alloc(4 * len(used))
    device.launch(kernel, 1, 64, [buffer], block + bytes(-len(block) % 8))
    got = dict(zip(used, down(device, buffer, "i4", len(used)).tolist(), strict=True))
    assert got == dict.fromkeys(used, 1)


def test_division_and_root_are_correctly_rounded(device: Device) -> None:
    """+ - * / and sqrt give NumPy's bits: no contraction, no fast division."""
    bits = np.random.default_rng(1).integers(0, 2**32, (2, 1 << 16), dtype=np.uint32)
    x, y = bits.view(np.float32)
    with np.errstate(all="ignore"):
        want = [x + y, x - y, x * y, x / y, np.sqrt(x), x * y + x]
    for number, text in enumerate(("x + y", "x - y", "x * y", "x / y", "SQRT(x)", "x * y + x")):
        kernel = device.compile(
            f"KERNEL void f(GLOBAL M_f32* a, GLOBAL M_f32* b, GLOBAL M_f32* out) {{\n"
            f"    R_f32 x = LOAD_f32(a, GID * LANES), y = LOAD_f32(b, GID * LANES);\n"
            f"    STORE_f32(out, GID * LANES, {text});\n}}\n",
            "f",
        )
        buffers = [device.alloc(x.nbytes) for _ in range(3)]
        device.upload(buffers[0], 0, x)
        device.upload(buffers[1], 0, y)
        device.launch(kernel, x.size // device.lanes // 64, 64, buffers, b"")
        np.testing.assert_array_equal(down(device, buffers[2], "f4", x.size), want[number], text)


def test_halves_are_converted_in_kernels_with_barriers(device: Device) -> None:
    """A work-item keeps what it converts, on scalar registers, over a loop with barriers."""
    twin = scalar_twin(device)
    kernel = twin.compile(
        "KERNEL void f(GLOBAL M_f32* x, GLOBAL M_f16* narrow, GLOBAL M_f32* wide) {\n"
        "    for (int i = LID; i < 4096; i += GROUP_SIZE) {\n"
        "        STORE_f16(narrow, i, NEAREST_f16(x[i]));\n"
        "        BARRIER;\n"
        "        wide[i] = FLOAT_f16(LOAD_f16(narrow, i));\n"
        "    }\n}\n",
        "f",
    )
    x = np.random.default_rng(2).normal(0, 100, 4096).astype(np.float32)
    buffers = [twin.alloc(x.nbytes) for _ in range(3)]
    twin.upload(buffers[0], 0, x)
    twin.launch(kernel, 1, 64, buffers, b"")
    np.testing.assert_array_equal(down(twin, buffers[1], "f2", 4096), x.astype("f2"))
    np.testing.assert_array_equal(down(twin, buffers[2], "f4", 4096), x.astype("f2").astype("f4"))


def test_build_error(device: Device) -> None:
    """A kernel that does not compile is our error, shown with numbered lines and the log."""
    with pytest.raises(KernelBuildError) as caught:
        device.compile("KERNEL void broken(GLOBAL M_f32* x) {\n    x[0] = nonsense;\n}\n", "broken")
    text = str(caught.value)
    line = device.prelude.count("\n") + 2
    assert "error of arrayapi_gpu" in text and "nonsense" in text.split("}")[-1]
    assert f"{line}      x[0] = nonsense;" in text
    assert f":{line}:" in text or f"({line})" in text
    device.compile(ADD, "add")


def test_compiling_is_counted(target: Device) -> None:
    """`kernels_compiled` and `compile_seconds` grow with each kernel."""
    count, seconds = target.kernels_compiled, target.compile_seconds
    target.compile(ADD, "add")
    assert target.kernels_compiled == count + 1
    assert target.compile_seconds > seconds or isinstance(target, RecordingDevice)


def test_dump_and_debug(device: Device, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The knobs dump and debug show the source."""
    with config.set(dump=tmp_path / "new", debug=5):
        device.compile(ADD, "add")
    (file,) = (tmp_path / "new").iterdir()
    assert file.read_text() == device.prelude + ADD
    assert "add" in file.name
    assert ADD in caplog.text


def test_a_folder_that_cannot_be_written_is_named(device: Device, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with config.set(dump=tmp_path / "file" / "below"), pytest.raises(OSError, match=r"ARRAYAPI_GPU_DUMP.*below"):
        device.compile(ADD, "add")


def test_wrong_arguments_are_refused(device: Device) -> None:
    """A launch with too few or too many arguments, or a group too large, raises DeviceError, at the latest in `wait`;
    launches queued after it are not lost."""
    kernel = device.compile(ADD, "add")
    buffers = [device.alloc(64) for _ in range(3)]
    for arguments in (
        (1, 64, buffers, b""),
        (1, 64, [*buffers, buffers[0]], pack(0, 0, 0)),
        (1, device.max_group * 2, buffers, pack(0, 0, 0)),
    ):
        for buffer, value in zip(buffers, (1, 2, 0), strict=True):
            device.upload(buffer, 0, np.full(16, value, np.float32))
        errors = []
        for launched in (arguments, (1, 64, buffers, pack(16, 0, 1)), None):
            try:
                if launched is None:
                    device.wait()
                else:
                    device.launch(kernel, *launched)
            except DeviceError as error:
                errors.append(str(error))
        assert len(errors) == 1 and f"{device}: launch of add: " in errors[0]
        assert np.array_equal(down(device, buffers[2], "f4", 16), np.full(16, 2))


# Queue, threads


def test_work_is_done_in_order(device: Device) -> None:
    """Launches see what was queued before, through memory that is used again."""
    kernel = device.compile(ADD, "add")
    zero, total = device.alloc(256), device.alloc(256)
    device.upload(zero, 0, np.zeros(64, np.float32))
    device.upload(total, 0, np.zeros(64, np.float32))
    for _ in range(3000):  # more than the queue is allowed to hold
        between = device.alloc(256)
        device.launch(kernel, 1, 64, [total, zero, between], pack(64, 0, 1))
        device.launch(kernel, 1, 64, [between, zero, total], pack(64, 0, 0))
        del between
    assert np.array_equal(down(device, total, "f4", 64), np.full(64, 3000))


def run_in_threads(work: Callable[[int], None], count: int = 4) -> None:
    """Run work(0), work(1), ... at once, and raise what one of them raises."""
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_share_a_kernel(device: Device) -> None:
    """Threads that launch one kernel with arguments of their own do not mix them."""
    kernel = device.compile(ADD, "add")

    def work(number: int) -> None:
        x = np.full(64, number, np.float32)
        for turn in range(200):
            a, b, out = (device.alloc(256) for _ in range(3))
            device.upload(a, 0, x)
            device.upload(b, 0, x)
            device.launch(kernel, 1, 64, [a, b, out], pack(64, turn, number))
            want = np.full(64, number * (turn + 2), np.float32)
            assert np.array_equal(down(device, out, "f4", 64), want)

    run_in_threads(work)


def test_threads_repeat_launches_of_a_kernel(device: Device) -> None:
    """Repeated launches do not mix their arguments either, also with launches that are made once."""
    kernel = device.compile(ADD, "add")

    def work(number: int) -> None:
        x = np.full(64, number, np.float32)
        again = device.bind(kernel, 1, 64, 3, pack(64, 3, number))
        a, first, second = (device.alloc(256) for _ in range(3))
        device.upload(a, 0, x)
        for turn in range(300):
            again([a, a, first])
            if number % 2:
                device.launch(kernel, 1, 64, [first, a, second], pack(64, 1, turn))
            else:
                again([first, a, second])
            want = np.full(64, number * 6 + turn if number % 2 else number * 9, np.float32)
            assert np.array_equal(down(device, second, "f4", 64), want)

    run_in_threads(work)


def test_threads_compile_at_once(device: Device) -> None:
    """Threads may compile at the same time."""

    def work(number: int) -> None:
        name = f"k{number}"
        text = f"KERNEL void {name}(GLOBAL M_i32* out) {{ out[GID] = {number * 11}; }}"
        kernel = device.compile(text, name)
        out = device.alloc(256)
        device.launch(kernel, 1, 64, [out], b"")
        assert (down(device, out, "i4", 64) == number * 11).all()

    run_in_threads(work, 3)


def test_threads_share_the_pool(target: Device) -> None:
    """Allocating and freeing in threads hands no block to two owners and loses none."""
    target.trim()
    live = target.live_bytes

    def work(number: int) -> None:
        for turn in range(300):
            buffer = target.alloc(8 * (turn % 5 + 1) * 100)
            mark = np.array([number, turn])
            target.upload(buffer, 0, mark)
            assert np.array_equal(down(target, buffer, "i8", 2), mark)

    run_in_threads(work)
    assert target.live_bytes == live


def test_preparing_a_kernel_leaves_its_arguments_alone(device: Device) -> None:
    """OpenCL keeps them with a kernel's handle, which another thread may be about to launch."""
    if not device.name.startswith("opencl"):
        pytest.skip(f"{device} has no such handles")
    cl = pytest.importorskip("pyopencl")
    source = (
        "typedef struct {S_i64 n;} Parameters;\n"
        "KERNEL void mark(GLOBAL M_i64* o, const Parameters p) { if (GID == 0 && p.n) o[0] = p.n; }\n"
    )
    kernel, buffer = device.compile(source, "mark"), device.alloc(8)
    handle = kernel.handle
    handle.set_arg(0, buffer.handle)
    handle.set_arg(1, np.int64(7))
    device.prepare(kernel, 16, 1, struct.pack("<q", 0))
    queue = cl.CommandQueue(handle.context)
    cl.enqueue_nd_range_kernel(queue, handle, (16,), (16,))
    queue.finish()
    assert down(device, buffer, "i8", 1)[0] == 7


def test_what_the_driver_tells_of_a_device(device: Device) -> None:
    facts = device.facts()
    assert facts.context > 0 and facts.architecture and facts == device.facts()._replace(free=facts.free)
    assert max(facts.group) == device.max_group and min(facts.grid) >= 2**16 - 1
    assert 0 < facts.free <= device.memory


def test_a_device_knows_its_context(device: Device) -> None:
    assert device.take_context(device.facts().context)
    assert not RecordingDevice().take_context(1)
    with pytest.raises(DeviceError, match="reports no facts"):
        RecordingDevice().facts()


class _Noted(Block):
    """A block that counts how often it was freed, and may do something else first."""

    def __init__(self, before: Callable[[], object] = bool) -> None:
        super().__init__(1, None, [])
        self.freed, self._before = 0, before

    def free(self) -> None:
        self._before()
        super().free()
        self.freed += 1


def test_blocks_are_let_go_once_though_an_interrupt_comes() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    items = [_Noted() for _ in range(3)]
    blocks = [*items]
    items.insert(1, _Noted(interrupt))
    with pytest.raises(KeyboardInterrupt):
        let_go(items)
    let_go(items)
    assert not items and [block.freed for block in blocks] == [1, 1, 1]


def test_blocks_are_let_go_once_by_several_callers() -> None:
    items: list[Any] = []
    blocks = [_Noted(lambda: let_go(items)) for _ in range(5)]
    items += blocks
    let_go(items)
    assert not items and [block.freed for block in blocks] == [1] * 5
