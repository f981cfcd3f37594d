"""The element-wise kernel: every way to twin its operands, with vectors and with single lanes, in 32 and 64 bits."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from support import DTYPES, NUMERIC, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.body import Body, T, X
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule
from arrayapi_gpu.kernels.maps.elementwise import Elementwise
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload

HostArray = np.ndarray[Any, Any]


def base(shape: tuple[int, ...], twin: Device, dtype: str = "int32") -> tuple[HostArray, xp.Array]:
    host = sample(dtype, shape)
    return host, xp.asarray(host, device=twin)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 31, 32, 33, 255, 257, 4097])
def test_contiguous_arrays_of_every_length(twin: Device, n: int) -> None:
    a, x = base((n,), twin)
    assert_same(to_host(x + x), a + a)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 255, 256, 257, 600])
def test_rows_of_every_length(twin: Device, n: int) -> None:
    a, x = base((5, n + 3), twin)
    assert_same(to_host(x[:, 1 : n + 1] + x[:, 2 : n + 2]), a[:, 1 : n + 1] + a[:, 2 : n + 2])


BESIDE = {  # rows of any length: operands that lanes cannot go through as they go through the result
    "a column": lambda m, a: a[:, :1],
    "a row": lambda m, a: a[0],
    "rows with gaps": lambda m, a: m.concat([a, a], axis=1)[:, 1 : a.shape[1] + 1],
    "rows backwards": lambda m, a: a[:, ::-1],
    "from the last row": lambda m, a: a[::-1],
    "columns": lambda m, a: m.reshape(a + 0, (a.shape[1], a.shape[0])).T,
    "index variables": lambda m, a: m.tril(a),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("width", [2, 3, 5, 8, 15, 17, 31])
def test_rows_shorter_than_registers(twin: Device, width: int, beside: str) -> None:
    dtype = DTYPES[1 + (width + list(BESIDE).index(beside)) % (len(DTYPES) - 1)]
    a, x = base((tuning.SHORT_ROWS_FROM // width + 3, width), twin, dtype)
    with np.errstate(all="ignore"):
        assert_same(to_host(x + BESIDE[beside](xp, x)), a + BESIDE[beside](np, a))


@pytest.mark.parametrize("shape", [(3, 700, 3), (3, 5, 400, 7), (40, 11, 5, 3)])
def test_short_rows_with_axes_around_them(twin: Device, shape: tuple[int, ...]) -> None:
    a, x = base(shape, twin)
    assert_same(to_host(x - x[..., :1]), a - a[..., :1])
    assert_same(to_host(x * x[:1, ..., 1:2]), a * a[:1, ..., 1:2])
    axes = tuple(reversed(range(len(shape))))
    assert_same(to_host((x + x[..., -1:]).transpose(axes)), (a + a[..., -1:]).transpose(axes))
    z = xp.zeros((*shape[:-1], shape[-1] + 1), dtype=x.dtype, device=twin)
    z[..., 1:] = x + x[..., :1]
    assert_same(to_host(z[..., 1:]), a + a[..., :1])


def test_two_results_of_short_rows(twin: Device) -> None:
    a, x = base((2000, 3), twin)
    first = x + x[:, :1]
    second = first * x[0]
    assert_same(to_host(second), (a + a[:, :1]) * a[0])
    assert_same(to_host(first), a + a[:, :1])


STEPS = [slice(None), slice(None, None, -1), slice(1, None, 2), slice(None, None, -3)]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(STEPS, STEPS)), ids=str)
def test_every_stride_is_walked(twin: Device, first: slice, second: slice) -> None:
    a, x = base((13, 35), twin)
    assert_same(to_host(-x[first, second]), -a[first, second])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_every_order_of_axes_is_walked(twin: Device, order: tuple[int, ...]) -> None:
    a, x = base((4, 17, 33), twin)
    turned = x.transpose(order)
    assert_same(to_host(turned + 1), a.transpose(order) + 1)
    # Beside an operand that lies the other way.
    b, y = base(turned.shape, twin)
    assert_same(to_host(turned - y), a.transpose(order) - b)


def test_results_are_written_to_every_layout(twin: Device) -> None:
    for key in itertools.product(STEPS, STEPS):
        a, x = base((13, 35), twin)
        part = x[key]
        part += 1
        a[key] += 1
        assert_same(to_host(x), a)


@pytest.mark.parametrize("shape", [(1, 1, 33), (7, 1, 1), (7, 1, 33), (1, 5, 1), (1, 5, 33), (7, 5, 1)])
def test_operands_are_broadcast_without_copies(twin: Device, shape: tuple[int, ...]) -> None:
    a, x = base((7, 5, 33), twin)
    b, y = base(shape, twin)
    assert_same(to_host(x - y), a - b)
    assert_same(to_host(y - x), b - a)


def much_in_common(row: Any, result: Any, column: Any) -> Any:
    """An expression much of which is the same in all rows, so that an item takes several rows at a time."""
    for k in range(2, 10):
        result = result * column - (row + k) * (row - 2 * k)
    return result


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 7, 8, 9])
@pytest.mark.parametrize("n", [1, 16, 37, 300])
def test_rows_with_much_in_common_are_computed_together(twin: Device, rows: int, n: int) -> None:
    (a, x), (b, y), (c, z) = (base(shape, twin) for shape in ((1, n + 1), (rows, n + 2), (rows, 1)))
    expected = much_in_common(a[:, 1:], b[:, 1:-1], c)
    assert_same(to_host(much_in_common(x[:, 1:], y[:, 1:-1], z)), expected)
    y[:, 1:-1] = much_in_common(x[:, 1:], y[:, 1:-1], z)
    b[:, 1:-1] = expected
    assert_same(to_host(y), b)
    planes = np.stack([b, -b])
    both = much_in_common(x[:, 1:], xp.asarray(planes, device=twin)[:, :, 1:-1], z)
    assert_same(to_host(both), much_in_common(a[:, 1:], planes[:, :, 1:-1], c))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_rows_taken_together_have_the_bits_of_single_rows(twin: Device, dtype: str) -> None:
    (_, x), (_, y), (_, z) = (base(shape, twin, dtype) for shape in ((1, 37), (6, 37), (6, 1)))
    together = to_host(much_in_common(x, y, z))
    with xp.config.set(fusion=False):
        assert_same(together, to_host(much_in_common(x, y, z)))


def test_rows_taken_together_gather_and_count(twin: Device) -> None:
    a, x = base((1, 37), twin)
    places = np.arange(37)[::-1] % 5
    triangle, ones = np.tri(6, 37, dtype="int32"), np.ones((6, 1), "int32")
    taken = xp.take(x, xp.asarray(places, device=twin), axis=1)
    lower = xp.tril(xp.ones((6, 37), dtype=xp.int32, device=twin))
    expected = much_in_common(a[:, places], triangle, ones)
    assert_same(to_host(much_in_common(taken, lower, xp.asarray(ones, device=twin))), expected)


def test_a_broadcast_operand_may_be_large_and_costs_no_memory(twin: Device) -> None:
    a, x = base((1, 1000), twin, "int8")
    y = xp.broadcast_to(x, (500, 1000))
    before = twin.live_bytes
    z = y + y
    xp.sync(z)
    assert twin.live_bytes - before <= 2 * z.nbytes
    assert_same(to_host(z), np.broadcast_to(a + a, (500, 1000)))


@pytest.mark.parametrize("rank", [4, 5, 8, 9, 12, 16])
def test_rank_has_no_limit(twin: Device, rank: int) -> None:
    shape = tuple(3 if axis % 4 == 0 else 2 if axis % 3 == 0 else 1 for axis in range(rank))
    a, x = base(shape, twin)
    reverse = tuple(reversed(range(rank)))
    assert_same(to_host(x.transpose(reverse) * 2), a.transpose(reverse) * 2)
    key = (slice(None, None, -1),) * rank
    assert_same(to_host(x[key] + x), a[key] + a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_loaded_and_stored_in_every_way(twin: Device, dtype: str) -> None:
    a, x = base((19, 37), twin, dtype)
    for key in ((slice(None), slice(None)), (slice(None), slice(2, 20)), (slice(None), slice(None, None, 2))):
        assert_same(to_host(+x[key]), a[key])
    assert_same(to_host(+x.T), a.T)
    target = xp.zeros((19, 80), dtype=getattr(xp, dtype), device=twin)
    target[:, 1:75:2] = x
    assert_same(to_host(target)[:, 1:75:2], a)
    assert not np.any(to_host(target)[:, ::2])


def test_nothing_beyond_a_result_is_written(twin: Device) -> None:
    for n in (1, 15, 17, 40):
        _, x = base((64,), twin)
        x[...] = 7
        x[3 : 3 + n] = 1
        assert to_host(x).tolist() == [7] * 3 + [1] * n + [7] * (61 - n)


def test_scalars_of_every_kind_are_parameters(twin: Device) -> None:
    a = np.arange(20)
    x = xp.asarray(a, device=twin)
    assert to_host(x + (2**62)).tolist() == (a + 2**62).tolist()
    assert to_host(x * 0.5).tolist() == (a * 0.5).tolist()
    assert to_host(x * (1 - 2j)).tolist() == (a * (1 - 2j)).tolist()
    assert to_host(xp.astype(x, xp.float32) + 1e39).tolist() == [np.inf] * 20
    assert to_host(xp.astype(x, xp.uint64) + (2**64 - 1)).tolist() == (a.astype("uint64") - np.uint64(1)).tolist()
    assert to_host(xp.astype(x, xp.float32) * -0.0).tolist() == [-0.0] * 20


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("begin", [0, 1, 2, 3, 4, 16])
def test_alignment_changes_nothing(twin: Device, dtype: str, begin: int) -> None:
    a, x = base((1100,), twin, dtype)
    for n in (1, 3, 4, 5, 63, 1000):
        target = xp.zeros((1100,), dtype=x.dtype, device=twin)
        target[begin : begin + n] = x[16 : 16 + n]
        expected = np.zeros_like(a)
        expected[begin : begin + n] = a[16 : 16 + n]
        assert_same(to_host(target), expected)
        mixed = xp.astype(x[begin : begin + n], xp.complex128)
        assert_same(to_host(xp.equal(mixed, x[begin : begin + n])), np.ones(n, bool) & (a == a)[begin : begin + n])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(8, 8), (31, 33), (32, 64), (70, 65)])
def test_turned_operands_of_every_dtype(twin: Device, dtype: str, shape: tuple[int, int]) -> None:
    a, x = base(shape, twin, dtype)
    b, y = base(shape[::-1], twin, dtype)
    assert_same(to_host(xp.equal(x.T, y)), b == a.T)
    assert_same(to_host(xp.reshape(x.T, (-1,))), a.T.reshape(-1))
    planes = np.stack([a, a[::-1], b.T])
    z = xp.asarray(planes, device=twin)
    for order in itertools.permutations(range(3)):
        assert_same(to_host(+z[:, 1:].transpose(order)), planes[:, 1:].transpose(order))


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_written_past_the_caches_are_the_same(
    device: Device, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "STREAM", 0)
    a = sample(dtype, (6, 70))
    x = upload(device, a)
    body = Body(((x.dtype, False),), (), (), (), (X[0],), (x.dtype,))
    for n, begin, pitch in itertools.product((1, 16, 37, 64), (0, 3, 16), (70, 96)):
        out = upload(device, np.zeros(600, dtype))
        part = GpuArray(out.storage, out.dtype, (6, n), (pitch, 1), begin)
        source = GpuArray(x.storage, x.dtype, (6, n), x.strides)
        how = elementwise_schedule((6, n), ((part.shape, part.strides), (source.shape, source.strides)))
        kernel = Elementwise(device, body, how, False)
        kernel.run(how, [part.storage.buffer, x.storage.buffer], [begin, 0], [])
        expected = np.zeros(600, dtype)
        np.lib.stride_tricks.as_strided(expected[begin:], (6, n), (pitch * expected.itemsize, expected.itemsize))[
            ...
        ] = a[:, :n]
        assert_same(out.download(), expected)


def sum_of(device: Device, wide: bool, x: GpuArray, y: GpuArray) -> HostArray:
    """x + y for int32 arrays, by a kernel with 32- or 64-bit indices."""
    int32 = np.dtype("int32")
    out = empty(device, int32, x.shape)
    rule = OPS["add"].rules[int32, int32]
    body = Body(((int32, False),) * 2, (), (), ((rule, (X[0], X[1])),), (T[0],), (int32,))
    arrays = (out, x, y)
    how = elementwise_schedule(x.shape, tuple((a.shape, a.strides) for a in arrays))
    kernel = Elementwise(device, body, how, wide)
    kernel.run(how, [a.storage.buffer for a in arrays], [a.offset for a in arrays], [])
    return out.download()


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_indices_of_32_and_64_bits_give_the_same(twin: Device, wide: bool, order: tuple[int, ...]) -> None:
    a, b = sample("int32", (40, 50), 1), sample("int32", (40, 50), 2)
    x, y = upload(twin, a), upload(twin, np.ascontiguousarray(b.transpose(order)))
    strides = tuple(y.strides[order.index(axis)] for axis in range(2))
    turned = GpuArray(y.storage, y.dtype, (40, 50), strides)
    assert_same(sum_of(twin, wide, x, turned), a + b)


def test_neighbours_of_halves_that_are_nan_are_as_they_would_be_alone(twin: Device) -> None:
    """On GPUs what conversions do wrong is asked for once for several neighbours."""
    halves = np.random.default_rng(3).permutation(np.arange(2**16, dtype=np.uint16)).view(np.float16)[:-3]
    x = xp.asarray(halves, device=twin)
    quiet = 0x200 * np.isnan(halves)
    assert np.array_equal(to_host(+x).view(np.uint16) | quiet, halves.view(np.uint16) | quiet)
    assert np.array_equal(to_host(xp.signbit(x)), np.signbit(halves))
    with np.errstate(all="ignore"):
        assert_same(to_host(x + x[::-1]), halves + halves[::-1])


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("change", [lambda x: x.T, lambda x: x[::2], lambda x: +x], ids=["turned", "strided", "plain"])
def test_large_groups_say_how_many_they_are(change: Any, dtype: str) -> None:
    """A compiler may give a work-item more registers than groups of more than `tuning.GPU_GROUP` have."""
    device = RecordingDevice(f"recording:{dtype}:{id(change)}", host_shared=False)
    x = xp.asarray(sample(dtype, (64, 64)), device=device)
    xp.compute(change(x) + change(+x))
    launches = [arguments for verb, arguments in device.calls if verb == "launch"]
    assert launches
    for kernel, _, group, *_ in launches:
        assert group <= tuning.GPU_GROUP or f"GROUPS_OF({group})" in kernel.handle


def items_for(function: Any, n: int) -> int:
    """The work-items that compute a function of n float32 on a GPU."""
    device = RecordingDevice(f"recording:items:{id(function)}", host_shared=False)
    x = xp.asarray(sample("float32", (n,)), device=device)
    xp.compute(function(x))
    (groups, group), *_ = [arguments[1:3] for verb, arguments in device.calls if verb == "launch"]
    return int(groups * group)


def test_costly_bodies_take_one_element_an_item() -> None:
    """`tuning.ONE_ELEMENT`; the sine by Taylor has four powers and four quotients."""
    n = 1 << 16
    loop = xp.ElementwiseKernel("T x", "T y", "T sum = 0; for (int k = 0; k < 9; k++) sum += x / (k + 1); y = sum")
    for costly in (lambda x: x - x**3 / 6 + x**5 / 120 - x**7 / 5040 + x**9 / 362880, loop):
        assert items_for(costly, n) == n
    for cheap in (lambda x: x + 1, lambda x: xp.exp(x) * xp.sin(x), xp.ElementwiseKernel("T x", "T y", "y = x * x")):
        assert items_for(cheap, n) == n // 4
