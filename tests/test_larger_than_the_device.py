"""Expressions over host operands, computed block by block: their bits are those of arrays on the device."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph.host_operands import host_values_of
from arrayapi_gpu.memory import page_locks

pytestmark = pytest.mark.usefixtures("device", "blocks")

X, ROW, COLUMN = (sample("float32", shape, k).copy() for k, shape in enumerate([(1100, 70), (70,), (1100, 1)]))
CUBE = sample("float32", (300, 9, 20), 3)
Program = Callable[[Any, Any, Any, Any], Any]


@pytest.fixture(params=["results on the device", "results on the host"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blocks of 8 KiB. Where copies go beside the queue, those of the matrix do."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 13)
    monkeypatch.setattr(page_locks, "LEAST", X.nbytes)
    if request.param == "results on the host":
        monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    yield


# Programs of a matrix, a row, a column and an array of three axes.
PROGRAMS: dict[str, Program] = {
    "itself": lambda x, r, c, q: x,
    "an operation": lambda x, r, c, q: x * 2,
    "rows and columns": lambda x, r, c, q: xp.sin(x) * r + c,
    "twice the same": lambda x, r, c, q: x * x + x,
    "only small operands": lambda x, r, c, q: r + c,
    "with a constant": lambda x, r, c, q: xp.where(x > 0, x, 0.0),
    "with the index": lambda x, r, c, q: xp.arange(70, dtype=xp.float32, device=x.device) * x,
    "with an array of the device": lambda x, r, c, q: x + xp.sin(xp.arange(1100, device=x.device))[:, None],
    "of another dtype": lambda x, r, c, q: xp.astype(x * 100, xp.int16),
    "a comparison": lambda x, r, c, q: (x > r) & (x < 0.5),
    "a slice": lambda x, r, c, q: x[3:90:2, 5:],
    "backwards": lambda x, r, c, q: x[::-1, ::-3] - 1,
    "a slice of an expression": lambda x, r, c, q: (x * 2 + r)[::7, ::-1] * 3,
    "one element": lambda x, r, c, q: (x * 2)[77, 3],
    "one row": lambda x, r, c, q: (x * 2)[77] + r,
    "nothing": lambda x, r, c, q: (x * 2)[:0] + r,
    "transposed": lambda x, r, c, q: x.T + 1,
    "a transposed expression": lambda x, r, c, q: (x + 1).T * 2,
    "with itself transposed": lambda x, r, c, q: x[:70] + x[:70].T,
    "reshaped": lambda x, r, c, q: xp.reshape(x, (70, 1100)) + 1,
    "reshaped to one axis": lambda x, r, c, q: xp.reshape(x * 2, (-1,))[5:9000:3],
    "reshaped and transposed": lambda x, r, c, q: xp.reshape(x * 2, (70, 1100)).T + x,
    "reshaped after a slice": lambda x, r, c, q: xp.reshape(x[:, :60], (-1,)) * 2,
    "broadcast": lambda x, r, c, q: xp.broadcast_to(x[:20] * 2, (9, 20, 70)) + 1,
    "an axis more": lambda x, r, c, q: q[:, None] - q[None, :, :1],
    "three axes": lambda x, r, c, q: q * 2 + q[:1] - q[:, :, :1],
    "three axes in another order": lambda x, r, c, q: xp.permute_dims(q, (2, 0, 1)) * 2,
    "rolled": lambda x, r, c, q: xp.roll(x * 2, 13, axis=0) + x,
    "rolled along all axes": lambda x, r, c, q: xp.roll(q, (-2, 5, 11), axis=(0, 1, 2)) + 1,
    "joined": lambda x, r, c, q: xp.concat([x, r[None, :], x * 3]) + 1,
    "joined beside each other": lambda x, r, c, q: xp.concat([x, c, x[:, ::-1]], axis=1) * 2,
    "a stack": lambda x, r, c, q: xp.stack([x, x + 1], axis=1)[::2],
}  # fmt: skip

REDUCTIONS: dict[str, Program] = {
    "a sum of all": lambda x, r, c, q: xp.sum(x),
    "sums of columns": lambda x, r, c, q: xp.sum(x, axis=0),
    "sums of rows": lambda x, r, c, q: xp.sum(x, axis=1, keepdims=True),
    "sums along two axes": lambda x, r, c, q: xp.sum(q * 2, axis=(0, 2)),
    "sums along the last two axes": lambda x, r, c, q: xp.sum(q, axis=(1, 2)),
    "sums along the first two axes": lambda x, r, c, q: xp.sum(xp.sin(q), axis=(0, 1)),
    "sums of an expression": lambda x, r, c, q: xp.sum(xp.exp(x) * r + c, axis=0),
    "a sum of a transposed matrix": lambda x, r, c, q: xp.sum(x.T, axis=0) + xp.sum(x.T, axis=1)[:1],
    "a sum of the index": lambda x, r, c, q: xp.sum(x * xp.arange(1100, device=x.device)[:, None], axis=0),
    "a product": lambda x, r, c, q: xp.prod(x, axis=0),
    "extremes": lambda x, r, c, q: xp.max(x, axis=0) - xp.min(x),
    "any and all": lambda x, r, c, q: xp.any(x > 2, axis=0) & xp.all(x < 9),
    "where the greatest are": lambda x, r, c, q: xp.argmax(x, axis=0) + xp.argmin(x),
    "where the greatest of rows are": lambda x, r, c, q: xp.argmax(x, axis=1),
    "how many": lambda x, r, c, q: xp.count_nonzero(x > 0, axis=0),
    "a mean of columns": lambda x, r, c, q: xp.mean(x, axis=0),
    "standardised columns": lambda x, r, c, q: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0),
    "standardised rows": lambda x, r, c, q: (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True),
    "a softmax": lambda x, r, c, q: xp.special.softmax(x, axis=1),
    "a variance": lambda x, r, c, q: xp.var(x),
    "a sum of sums": lambda x, r, c, q: xp.sum(xp.sum(q, axis=0) * 2, axis=0),
    "a sum of slices": lambda x, r, c, q: xp.sum(x[1:] - x[:-1], axis=0),
    "a sum of what is rolled": lambda x, r, c, q: xp.sum(xp.roll(x, 3, axis=0) * x, axis=0),
    "a sum of what is joined": lambda x, r, c, q: xp.sum(xp.concat([x, x * 2]), axis=0),
}  # fmt: skip
PROGRAMS |= REDUCTIONS

PROGRAMS |= {
    "sorted rows": lambda x, r, c, q: xp.sort(x * 2, axis=1) + 1,
    "sorted columns": lambda x, r, c, q: xp.sort(x, axis=0, descending=True)[::3],
    "how a short axis is sorted": lambda x, r, c, q: xp.argsort(q, axis=1),
    "sums up to each of a row": lambda x, r, c, q: xp.cumulative_sum(x, axis=1) * 2,
    "sums up to each of a column": lambda x, r, c, q: xp.cumulative_sum(x, axis=0, include_initial=True),
    "products up to each": lambda x, r, c, q: xp.cumulative_prod(q[:30], axis=1),
    "sums up to each of short rows": lambda x, r, c, q: xp.cumulative_sum(x[:, :9], axis=1),
    "sums up to each of long rows": lambda x, r, c, q: xp.cumulative_sum(xp.reshape(x, (5, -1)), axis=1),
    "sums up to each of all": lambda x, r, c, q: xp.cumulative_sum(xp.reshape(x, (-1,)), include_initial=True),
    "sums up to each of an expression": lambda x, r, c, q: xp.cumulative_sum(x * 2 + r, axis=0) - 1,
    "products up to each of one row": lambda x, r, c, q: xp.cumulative_prod(
        xp.reshape(x, (1, -1)) * 0.1 + 1, axis=1, include_initial=True
    ),
    "sums up to each of integers": lambda x, r, c, q: xp.cumulative_sum(
        xp.astype(xp.reshape(x, (-1, 5)), xp.int8), axis=0
    ),
    "products of matrices": lambda x, r, c, q: x.T @ x,
    "products with a vector": lambda x, r, c, q: (x @ r) * 2 + c[:, 0],
    "a vector times a matrix": lambda x, r, c, q: c[:, 0] @ x,
    "products of stacks": lambda x, r, c, q: q @ (q * 2)[:1].mT,
    "a product with an array of the device": lambda x, r, c, q: x @ xp.ones((70, 3), dtype=x.dtype, device=x.device),
    "those that are greater": lambda x, r, c, q: x[x > 1],
    "those of an expression": lambda x, r, c, q: (x * 2)[(x > r) & (c < 0)] - 1,
    "rows at places": lambda x, r, c, q: x[xp.asarray([3, 1000, -1], device=x.device)] * 2,
    "elements of an expression at places": lambda x, r, c, q: (x * 2)[[5, 7], 2:],
    "taken along an axis": lambda x, r, c, q: xp.take(x, xp.asarray([3, 0], device=x.device), axis=1),
    "unique integers": lambda x, r, c, q: xp.unique_values(xp.astype(x * 10, xp.int32)),
    "unique numbers": lambda x, r, c, q: xp.unique_values(xp.round(x * 3)),
    "joined with what is small": lambda x, r, c, q: xp.concat(
        [xp.ones((3, 70), dtype=x.dtype, device=x.device), x * 2]
    ),
    "elements one by one": lambda x, r, c, q: xp.stack(list(x[:, 3])[-3:]) * 2,
    "tiles": lambda x, r, c, q: xp.tile(x, (2, 1)) + 0,
    "a reshaped product": lambda x, r, c, q: xp.tensordot(x, x, axes=((0,), (0,))) + 1,
    "a product within a sum": lambda x, r, c, q: xp.sum((x @ x[:5].T) * c, axis=0),
    "how often": lambda x, r, c, q: _if_it_fits(xp.unique_counts, xp.round(x * 3)),
    "none of them": lambda x, r, c, q: x[x != x],
    "fusion off": lambda x, r, c, q: _without_fusion(lambda: xp.sqrt(xp.abs(x)) * r),
    "many operations": lambda x, r, c, q: _many(x, r),
}


def _if_it_fits(function: Callable[[Any], Any], x: Any) -> Any:
    """The second result of a function that needs all of its operand on the device."""
    return function(x if tuning.HOST_RESULTS == 4 else xp.asarray(np.asarray(x), device=x.device))[1]


def _without_fusion(program: Callable[[], Any]) -> Any:
    with xp.config.set(fusion=False):
        result = program()
        xp.compute(result)
        return result


def _many(x: Any, r: Any) -> Any:
    for k in range(150):
        x = x * 0.5 + r if k % 2 else x - 0.25
    return x


def check(program: Program, device: Device) -> None:
    """The program gives the same on host operands as on arrays of the device."""
    hosts = X, ROW, COLUMN, CUBE
    got = program(*[xp.from_host(host, device=device) for host in hosts])
    expected = program(*[xp.asarray(host, device=device) for host in hosts])
    assert (got.shape, got.dtype, got.device) == (expected.shape, expected.dtype, expected.device)
    assert_same(to_host(got), to_host(expected))


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_bits_are_those_of_arrays_on_the_device(device: Device, program: Program) -> None:
    check(program, device)


ORDERED = REDUCTIONS | {name: program for name, program in PROGRAMS.items() if "up to each" in name}


@pytest.mark.parametrize("forward_progress", [True, False])
@pytest.mark.parametrize("program", ORDERED.values(), ids=ORDERED)
def test_sums_are_those_of_arrays_on_gpus(device: Device, forward_progress: bool, program: Program) -> None:
    check(program, scalar_twin(device, forward_progress))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64", "complex128"])
def test_every_kind_of_number_is_read(dtype: str) -> None:
    host = sample(dtype, (300, 40))
    assert_same(to_host(xp.from_host(host)[::-1] == xp.from_host(host)[::-1]), host[::-1] == host[::-1])
    assert_same(to_host(xp.positive(xp.from_host(host)) if dtype != "bool" else ~~xp.from_host(host)), host)


@pytest.mark.parametrize("descending", [False, True])
def test_all_elements_are_sorted_by_merging(device: Device, monkeypatch: pytest.MonkeyPatch, descending: bool) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    host = sample("float32", 20_000)
    host[::7] = np.round(host[::7])
    host[5::1000] = np.nan
    got, expected = (xp.sort(make(host), descending=descending) for make in (xp.from_host, xp.asarray))
    assert_same(to_host(got), to_host(expected))


KEYS: list[Any] = [
    0, -1, slice(5, 10), (slice(None), 3), (slice(10, 20), slice(-5, None)), (5, 7), (..., 0), (None, 3), slice(3, 3),
    ..., (slice(7, 8), None, slice(2, 60)), (slice(None), slice(1)),
]  # fmt: skip


@pytest.mark.parametrize("values", ["one", "as many", "its own"])
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts_of_results_that_do_not_fit_are_replaced(
    device: Device, monkeypatch: pytest.MonkeyPatch, key: Any, values: str
) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    x, expected = xp.from_host(X) * 2, X * 2
    before = x + 1
    if values == "its own":
        x[key], expected[key] = x[key] * 3, expected[key] * 3
    else:
        put = sample("float32", expected[key].shape if values == "as many" else (), 5)
        x[key], expected[key] = xp.asarray(put), put
    assert_same(to_host(x), expected)
    assert_same(to_host(before), X * 2 + 1)


# Two views of one pending value, which a user may hold, too.
VIEWS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "parts": lambda r: (r[:3], r[1:2]),
    "turned": lambda r: (r[::-1], r[::2]),
    "in another shape": lambda r: (r[:3], r.reshape((2, -1))),
    "itself": lambda r: (r, r[:3]),
}
READS: dict[str, Callable[[Any], Any]] = {
    "roll": lambda x: np.roll(x, 3, 0), "repeat": lambda x: np.repeat(x, 2, 0), "concat": lambda x: np.concat([x, x]),
    "sum": lambda x: x + 1, "sort": lambda x: np.sort(-x, axis=0),
    "total": lambda x: np.sum(x.reshape((-1, 2)), axis=1),
}  # fmt: skip


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("seen", VIEWS)
@pytest.mark.parametrize("read", READS)
def test_later_views_show_what_was_there_before_a_write(read: str, seen: str, held: bool) -> None:
    host = sample("float32", (40,), 3)
    x = xp.from_host(host) * 1
    whole = READS[read](x)
    one, other = VIEWS[seen](whole)
    if not held:
        del whole
    x[:] = 99
    for got, expected in zip((one, other), VIEWS[seen](READS[read](host)), strict=True):
        assert_same(to_host(got[:1]), expected[:1])
        assert_same(to_host(got[::-1] + 0), expected[::-1] + 0)
        assert_same(to_host(got), expected)


@pytest.mark.parametrize("key", [(slice(4, 4, 2), slice(2, 9)), slice(3, 3), (slice(None), slice(5, 5, 3))])
def test_a_part_without_elements_changes_nothing(key: Any) -> None:
    x = xp.from_host(X) * 2
    x[key] += 1
    x[key] = 5
    assert_same(to_host(x), X * 2)


@pytest.mark.parametrize(("part", "shape"), [(16, (50, 40)), (7, (5, 40)), (1, (3, 4)), (100, (30, 50))])
def test_products_depend_on_the_shapes_alone(
    device: Device, monkeypatch: pytest.MonkeyPatch, part: int, shape: tuple[int, int]
) -> None:
    monkeypatch.setattr(tuning, "PRODUCT_PART", part)
    a, b = sample("float32", shape, 1), sample("float32", (shape[1], 33), 2)
    first = to_host(xp.from_host(a) @ xp.from_host(b))
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 28)
    assert_same(to_host(xp.from_host(a) @ xp.asarray(b)), first)
    np.testing.assert_allclose(first, a @ b, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    "shapes", [((900, 1100), (1100, 800)), ((2, 500, 900), (900, 600)), ((1_000_000,), (1_000_000,))]
)
def test_products_have_parts_for_which_there_is_room(device: Device, shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = (sample("float32", shape, seed) for seed, shape in enumerate(shapes))
    expected = (a.astype(np.float64) @ b).astype(np.float32)
    device.pool.trim()
    with config.set(memory_limit=xp.memory(device).live + (4 << 20)):
        got = to_host(xp.from_host(a) @ xp.from_host(b))
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("scan", [xp.cumulative_sum, xp.cumulative_prod])
def test_running_sums_of_long_rows_are_scanned_some_columns_at_a_time(device: Device, scan: Any) -> None:
    host = sample("float32", (600, 5_000)) * np.float32(0.01) + np.float32(1)
    expected = to_host(scan(xp.asarray(host), axis=0))
    device.pool.trim()
    with config.set(memory_limit=xp.memory(device).live + (2 << 20)):
        assert_same(to_host(scan(xp.from_host(host), axis=0)), expected)


def test_what_cannot_be_done_in_blocks_is_named(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    x = xp.from_host(sample("float32", 20_000))
    with pytest.raises(MemoryError, match="argsort: needs"):
        to_host(xp.argsort(x))
    with pytest.raises(MemoryError, match="unique_counts: needs"):
        xp.unique_counts(x)
    assert float(xp.max(x)) == float(xp.max(xp.asarray(sample("float32", 20_000))))


def test_a_program_reads_an_npy_file_and_writes_another(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X.astype(">f4"))
    x = xp.from_host(np.load(tmp_path / "x.npy", mmap_mode="r"))
    xp.save(tmp_path / "y.npy", (x - 1) / 2)
    assert_same(np.load(tmp_path / "y.npy"), (X - 1) / 2)


class Chunked:
    """An object as zarr has it: no NumPy array, but boxes of one."""

    def __init__(self, host: Any):
        self._host, self.shape, self.dtype = host, host.shape, host.dtype
        self.most = 0

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        found = self._host[key]
        self.most = max(self.most, found.nbytes)
        return found.copy()


@pytest.mark.parametrize(
    "program",
    [lambda x: x * 2, lambda x: x[::-2, 3:] + 1, lambda x: (x.T * 2)[5:], lambda x: xp.reshape(x, (-1,))[7:9000:5] * 2],
)
def test_arrays_that_give_boxes_are_read_by_boxes(program: Callable[[Any], Any]) -> None:
    source = Chunked(X)
    assert_same(to_host(program(xp.from_host(source))), to_host(program(xp.asarray(X))))


def test_boxes_are_no_larger_than_a_block() -> None:
    source = Chunked(X)
    to_host(xp.from_host(source) * 2)
    assert 0 < source.most <= 1 << 13


def test_a_value_whose_operand_is_written_is_computed_before() -> None:
    a = xp.asarray(ROW)
    y = xp.from_host(X) * 2 + a
    a[...] = 0
    assert_same(to_host(y), X * 2 + ROW)


def test_views_of_a_value_are_its_memory_after_it_was_computed() -> None:
    y = xp.from_host(X) * 2
    view = y[3:5]
    xp.compute(y)
    assert_same(to_host(view), X[3:5] * 2)


def test_a_pickle_of_a_host_operand_is_one() -> None:
    for x in (xp.from_host(X), xp.from_host(X)[::-2, 3:] * 2):
        again = pickle.loads(pickle.dumps(x))
        assert_same(to_host(again), to_host(x))
        assert (host_values_of(again._node) is None) == (host_values_of(x._node) is None)


def test_it_is_used_again_after_an_interrupt() -> None:
    class Interrupting(Chunked):
        interrupted = False

        def __getitem__(self, key: tuple[slice, ...]) -> Any:
            if key[0].start > 20 and not self.interrupted:
                self.interrupted = True
                raise KeyboardInterrupt
            return super().__getitem__(key)

    y = xp.from_host(Interrupting(X)) * 2
    with pytest.raises(KeyboardInterrupt):
        to_host(y)
    assert_same(to_host(y), X * 2)
