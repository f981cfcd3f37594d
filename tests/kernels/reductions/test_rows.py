"""The row kernel: what it computes, in how many launches, and that its bits are those of the kernels it stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import LAYOUTS, assert_same, in_part, launches, lay_out, needs_rows, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import store
from arrayapi_gpu.kernels.core.body import Body, S, T, X
from arrayapi_gpu.kernels.core.monoid import MAX, SUM
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.kernels.reductions import rows
from arrayapi_gpu.kernels.reductions.rows_text import Rows
from arrayapi_gpu.memory.dtypes import DTYPE_OF

HostArray = np.ndarray[Any, Any]
F32, F64 = DTYPE_OF["f32"], DTYPE_OF["f64"]


def softmax(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def standardised(x: Any) -> Any:
    return (x - xp.mean(x, axis=-1, keepdims=True)) / xp.std(x, axis=-1, keepdims=True)


def unit(x: Any) -> Any:
    return x / xp.sqrt(xp.sum(xp.real(x * xp.conj(x)), axis=-1, keepdims=True))


def scaled(x: Any) -> Any:
    low, high = xp.min(x, axis=-1, keepdims=True), xp.max(x, axis=-1, keepdims=True)
    return xp.where(high == low, 0, x - low) * 2 + (high - low)


def share(x: Any) -> Any:
    """Reductions of booleans and products among the steps."""
    anything = xp.any(x != 0, axis=-1, keepdims=True)
    product = xp.prod(xp.where(x == 0, 1, x), axis=-1, keepdims=True)
    return xp.where(xp.all(x == x, axis=-1, keepdims=True) & anything, x * product, 1)


def deviation(x: Any) -> Any:
    """A chain of three reductions, the last of which is the result."""
    d = abs(x - xp.mean(x, axis=-1, keepdims=True))
    return xp.max(d / (xp.sum(d, axis=-1, keepdims=True) + 1), axis=-1)


REAL: dict[str, Callable[[Any], Any]] = {
    "softmax": softmax,
    "standardised": standardised,
    "unit": unit,
    "scaled": scaled,
    "share": share,
    "deviation": deviation,
    "variance": lambda x: xp.var(x, axis=-1, correction=1),
}


def unfused(compute: Callable[..., Any], *operands: Any) -> HostArray:
    with xp.config.set(fusion=False):
        return to_host(compute(*operands))


SHAPES = [(3, 2), (40, 64), (5, 1000), (2, 4097), (2, 16_384), (3, 4, 70), (99,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REAL)
def test_fused_and_unfused_rows_have_the_same_bits(twin: Device, name: str, shape: tuple[int, ...]) -> None:
    x = xp.asarray(sample("float32", shape), device=twin)
    assert_same(to_host(REAL[name](x)), unfused(REAL[name], x))


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "complex128", "int8", "uint64", "bool"])
def test_rows_of_every_dtype(twin: Device, dtype: str) -> None:
    for shape in [(5, 33), (3, 2048)]:
        x = xp.asarray(sample(dtype, shape), device=twin)
        for compute in (unit,) if dtype[0] == "c" else (softmax, standardised, deviation) if dtype[0] == "f" else ():
            assert_same(to_host(compute(x)), unfused(compute, x))
        if dtype[0] not in "fc":

            def exact(x: Any) -> Any:
                return xp.where(x == xp.max(x, axis=-1, keepdims=True), xp.sum(x, axis=-1, keepdims=True), 7)

            assert_same(to_host(exact(x)), unfused(exact, x))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_in_every_layout(twin: Device, layout: str) -> None:
    host = sample("float32", (20, 70))
    expected = to_host(softmax(xp.asarray(host, device=twin)))
    assert_same(to_host(softmax(xp.asarray(lay_out(host, layout), device=twin))), expected)
    x = xp.asarray(np.repeat(host, 2, axis=1), device=twin)[:, ::2]
    assert_same(to_host(softmax(x)), expected)
    x = xp.flip(xp.asarray(np.ascontiguousarray(np.flip(host)), device=twin))
    assert_same(to_host(softmax(x)), expected)


def test_values(twin: Device) -> None:
    a = np.random.default_rng(3).standard_normal((37, 501)) * 5
    e = np.exp(a - a.max(axis=1, keepdims=True))
    x = xp.asarray(a, device=twin)
    np.testing.assert_allclose(to_host(softmax(x)), e / e.sum(axis=1, keepdims=True), rtol=1e-14)
    expected = (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)
    np.testing.assert_allclose(to_host(standardised(x)), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(to_host(standardised(xp.astype(x, xp.float32))), expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["softmax", "standardised", "unit", "scaled"])
def test_an_expression_over_rows_is_one_launch(twin: Device, name: str) -> None:
    needs_rows(twin)
    for shape in [(30, 40), (3, 5000), (700,)]:
        x = xp.asarray(sample("float32", shape), device=twin)
        with launches() as made:
            xp.compute(REAL[name](x))
        assert len(made) == 1


def test_a_variance_of_rows_is_one_launch_and_its_division(twin: Device) -> None:
    needs_rows(twin)
    x = xp.asarray(sample("float32", (30, 400)), device=twin)
    with launches() as made:
        xp.compute(xp.var(x, axis=1))
    assert len(made) == 2


def test_several_axes_are_a_row_where_they_lie_in_line(twin: Device) -> None:
    needs_rows(twin)
    x = xp.asarray(sample("float32", (6, 10, 12)), device=twin)

    def centred(x: Any) -> Any:
        return x - xp.mean(x, axis=(1, 2), keepdims=True)

    with launches() as made:
        result = to_host(centred(x))
    assert len(made) == 1
    assert_same(result, unfused(centred, x))
    assert_same(to_host(centred(x[:, ::2])), unfused(centred, x[:, ::2]))
    assert_same(to_host(centred(x[:, :, 1:])), unfused(centred, x[:, :, 1:]))


def test_operands_that_differ_by_row_or_by_column(twin: Device) -> None:
    needs_rows(twin)
    shape = (9, 130)
    x = xp.asarray(sample("float32", shape, 1), device=twin)
    column, row = (xp.asarray(sample("float32", s, 2), device=twin) for s in ((9, 1), (130,)))

    def layer(x: Any, column: Any, row: Any) -> Any:
        centred = x * column - xp.mean(x * column, axis=1, keepdims=True)
        spread = xp.sqrt(xp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
        return centred / spread * row + xp.arange(130, device=x.device) * column

    with launches() as made:
        result = to_host(layer(x, column, row))
    assert len(made) == 1
    assert_same(result, unfused(layer, x, column, row))


def test_gathered_operands(twin: Device) -> None:
    x = xp.asarray(sample("float32", (50, 21)), device=twin)
    places = np.array([3, 49, 0, 3])

    def picked(x: Any) -> Any:
        return softmax(x[places] * 2)

    assert_same(to_host(picked(x)), unfused(picked, x))


def test_held_intermediates_are_written_by_the_same_launch(twin: Device) -> None:
    needs_rows(twin)
    for shape in [(12, 300), (5, 7, 33), (4, 2048)]:
        x = xp.asarray(sample("float32", shape), device=twin)
        largest = xp.max(x, axis=-1, keepdims=True)
        e = xp.exp(x - largest)
        half = largest * 0.5
        total = xp.sum(e, axis=-1, keepdims=True)
        result = e / total + half
        with launches() as made:
            hosts = [to_host(v) for v in (result, largest, e, total, half)]
        assert len(made) == 1
        assert_same(hosts[1], to_host(x).max(axis=-1, keepdims=True))
        with xp.config.set(fusion=False):
            again = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
            assert_same(hosts[2], to_host(again))
            assert_same(hosts[3], to_host(xp.sum(again, axis=-1, keepdims=True)))
        assert_same(hosts[4], hosts[1] * np.float32(0.5))


def test_held_intermediates_of_a_reduction(twin: Device) -> None:
    needs_rows(twin)
    x = xp.asarray(sample("float32", (12, 300)), device=twin)
    centre = xp.mean(x, axis=1, keepdims=True)
    distance = abs(x - centre)
    result = xp.max(distance * 2, axis=1)
    with launches() as made:
        hosts = [to_host(v) for v in (result, centre, distance)]
    assert len(made) == 1
    assert_same(hosts[2], abs(to_host(x) - hosts[1]))
    assert_same(hosts[0], (hosts[2] * 2).max(axis=1))


def test_rows_are_written_into_memory_that_is_there(twin: Device) -> None:
    host = sample("float32", (8, 3, 40))
    target = xp.zeros((8, 3, 40), dtype=xp.float32, device=twin)
    view = target[::2, ::-1, :]
    x = xp.asarray(host[::2], device=twin)
    view[...] = softmax(x)
    expected = np.zeros_like(host)
    expected[::2, ::-1, :] = unfused(softmax, x)
    assert_same(to_host(target), expected)
    spread = target[:4, :, ::2]
    y = xp.asarray(host[:4, :, ::2], device=twin)

    def centred(y: Any) -> Any:
        return y - xp.max(y, axis=(1, 2), keepdims=True)

    spread[...] = centred(y)
    expected[:4, :, ::2] = unfused(centred, y)
    assert_same(to_host(target), expected)


def test_rows_are_replaced_in_place(twin: Device) -> None:
    host = sample("float32", (33, 900))
    x = xp.asarray(host, device=twin)
    whole = x[:, :]
    expected = unfused(softmax, xp.asarray(host, device=twin))
    whole[...] = softmax(whole)
    assert_same(to_host(x), expected)
    whole[...] = softmax(xp.flip(whole, axis=1))
    assert_same(to_host(x), unfused(softmax, xp.asarray(expected[:, ::-1].copy(), device=twin)))


def test_what_is_pending_keeps_the_operands_of_its_time(twin: Device) -> None:
    x = xp.asarray(sample("float32", (20, 50)), device=twin)
    view = x[:10]
    expected = unfused(softmax, view)
    result = softmax(view)
    x[...] = 0
    assert_same(to_host(result), expected)


def test_other_axes_and_shapes_are_cut(twin: Device) -> None:
    x = xp.asarray(sample("float32", (20, 50)), device=twin)
    for compute in (
        lambda x: x - xp.max(x, axis=0, keepdims=True),
        lambda x: x - xp.max(x, axis=0, keepdims=True) - xp.max(x, axis=1, keepdims=True),
        lambda x: x - xp.max(x, axis=1, keepdims=True) + xp.sum(x - xp.max(x, axis=1, keepdims=True)),
        lambda x: x - xp.sum(x[:, :7], axis=1, keepdims=True),
        lambda x: x[:, :20] - xp.sum(x[:20, :20], axis=1),
        lambda x: x + xp.expand_dims(xp.argmax(x, axis=1), axis=1),
        lambda x: xp.argmax(x - xp.max(x, axis=1, keepdims=True), axis=1),
    ):
        assert_same(to_host(compute(x)), unfused(compute, x))


def test_rows_that_are_too_long_are_cut(twin: Device) -> None:
    for shape in [(2, 40_000), (1, 100_000)]:
        x = xp.asarray(sample("float32", shape), device=twin)
        assert_same(to_host(softmax(x)), unfused(softmax, x))


def test_nan_and_signed_zeros(twin: Device) -> None:
    host = np.zeros((6, 40), "float32")
    host[1] = -0.0
    host[2, 5] = np.nan
    host[3, ::3] = -0.0
    host[4, 1::2] = -0.0
    host[5, 7] = np.inf
    x = xp.asarray(host, device=twin)
    for compute in (softmax, standardised, scaled, lambda x: x * 0 + xp.copysign(x, xp.max(x, axis=1, keepdims=True))):
        got, expected = to_host(compute(x)), unfused(compute, x)
        assert_same(np.isnan(got), np.isnan(expected))
        assert_same(np.where(np.isnan(got), 0, got), np.where(np.isnan(expected), 0, expected))
        assert_same(np.signbit(got) & ~np.isnan(got), np.signbit(expected) & ~np.isnan(expected))


def test_nothing_is_computed_over_no_rows(twin: Device) -> None:
    x = xp.zeros((0, 40), dtype=xp.float32, device=twin)
    with launches() as made:
        assert to_host(softmax(x)).shape == (0, 40)
    assert not made


@pytest.mark.parametrize("shape", [(5, 33), (301, 20), (77, 600), (2061, 3)])
def test_work_items_beyond_the_last_row_write_nothing(
    twin: Device, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fence, fenced = np.full(1024, 171, "uint8"), []
    alloc = twin.pool.alloc

    def with_fence(nbytes: int) -> Any:
        buffer = alloc(nbytes + fence.size)
        twin.upload(buffer, nbytes, fence)
        fenced.append((buffer, nbytes))
        return buffer

    monkeypatch.setattr(twin.pool, "alloc", with_fence)
    x = xp.asarray(sample("float32", shape), device=twin)
    xp.sync(softmax(x), xp.var(x, axis=1))
    assert fenced
    for buffer, nbytes in fenced:
        found = np.zeros_like(fence)
        twin.download(buffer, nbytes, found)
        assert_same(found, fence)


@pytest.mark.parametrize("dtype", in_part(["float64", "float32", "complex128"]))
def test_groups_have_little_local_memory(device: Device, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on GPUs: what does not fit is cut, a reduction at the end included."""
    twin = scalar_twin(device)
    monkeypatch.setattr(twin, "local_memory", 48 << 10)
    monkeypatch.setattr(twin, "max_group", 1024)
    store.clear()

    def chain(x: Any, length: int) -> Any:
        for _ in range(length):
            x = x - xp.mean(x, axis=1, keepdims=True) * 0.5
        return x

    x = xp.asarray(sample(dtype, (3, 14_272)), device=twin)
    for length in (1, 2, 5):
        for compute in (lambda x: chain(x, length), lambda x: xp.sum(chain(x, length), axis=1)):  # noqa: B023
            assert_same(to_host(compute(x)), unfused(compute, x))
    for rows_plan in [made for made in store._store.values() if isinstance(made, Rows)]:
        sizes = [rule.args[0].itemsize for rule, _ in rows_plan.body.steps if isinstance(rule, rows.Fold)]
        assert sum(sizes) * rows_plan._spec.local_values <= 48 << 10
    store.clear()


def test_large_results_are_written_past_the_caches(device: Device) -> None:
    x = xp.asarray(sample("float32", (2100, 2048)), device=device)
    assert_same(to_host(softmax(x)), unfused(softmax, x))


# --- short rows: on GPUs through local memory ---


def along(axis: int) -> Callable[[Any], Any]:
    def compute(x: Any) -> Any:
        e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
        return e / xp.sum(e, axis=axis, keepdims=True)

    return compute


def placed(host: HostArray, layout: str, device: Device) -> Any:
    """The values of a host array: from some element on, with gaps between the rows, or with the axes exchanged."""
    if layout == "gaps":
        wide = np.zeros((*host.shape[:-1], host.shape[-1] + 3), host.dtype)
        wide[..., : host.shape[-1]] = host
        return xp.asarray(wide, device=device)[..., : host.shape[-1]]
    if layout == "exchanged":
        return xp.asarray(np.ascontiguousarray(host.T), device=device).T
    before = int(layout)
    flat = xp.asarray(np.concatenate([np.zeros(before, host.dtype), host.ravel()]), device=device)
    return xp.reshape(flat[before:], host.shape)


@pytest.mark.parametrize("n", [2, 5, 10, 31])
def test_short_rows_in_every_place(device: Device, n: int) -> None:
    """Several groups, and rows beyond the last whole one; aligned to an access or not."""
    twin, host = scalar_twin(device), sample("float32", (2060, n))
    e = np.exp((host - host.max(axis=1, keepdims=True)).astype(float))
    expected = unfused(softmax, xp.asarray(host, device=twin))
    np.testing.assert_allclose(expected, e / e.sum(axis=1, keepdims=True), rtol=1e-6)
    for layout in ("0", "1", "gaps", "exchanged"):
        x = placed(host, layout, twin)
        with launches() as made:
            found = to_host(softmax(x))
        assert len(made) == 1
        assert_same(found, expected)


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex128", "int8", "bool"])
def test_short_rows_of_every_width(device: Device, dtype: str) -> None:
    twin = scalar_twin(device)

    def marked(x: Any) -> Any:
        return xp.where(
            xp.any(x != 0, axis=1, keepdims=True), x, xp.astype(xp.all(x == 0, axis=1, keepdims=True), x.dtype)
        )

    compute = unit if dtype[0] == "c" else softmax if dtype[0] == "f" else marked
    for before in ("0", "1"):
        x = placed(sample(dtype, (1030, 3)), before, twin)
        assert_same(to_host(compute(x)), unfused(compute, x))


@pytest.mark.parametrize("shape", [(40, 2, 32), (90, 10, 4), (33, 5, 7), (3, 1100)], ids=str)
def test_short_columns(device: Device, shape: tuple[int, ...]) -> None:
    twin, axis = scalar_twin(device), len(shape) - 2
    host = sample("float32", shape)
    for before in ("0", "1"):
        x = placed(host, before, twin)
        with launches() as made:
            found = to_host(along(axis)(x))
        assert len(made) == 1
        assert_same(found, unfused(along(axis), x))


def test_short_rows_with_operands_and_results_of_other_extents(device: Device) -> None:
    """Some arrays go through local memory, and others do not."""
    twin = scalar_twin(device)
    x, y = (xp.asarray(sample("float32", (1030, 5), seed), device=twin) for seed in (1, 2))
    row, column = (
        xp.asarray(sample("float32", (5,)), device=twin),
        xp.asarray(sample("float32", (1030, 1)), device=twin),
    )

    def compute(x: Any, y: Any) -> Any:
        top = xp.max(x, axis=1, keepdims=True)
        return (x - top) * row + column * y + xp.arange(5, device=twin)

    with launches() as made:
        found = to_host(compute(x, y))
    assert len(made) == 1
    assert_same(found, unfused(compute, x, y))
    target = xp.zeros((1030, 7), dtype=xp.float32, device=twin)
    target[:, 1:6] = softmax(x)
    assert_same(to_host(target)[:, 1:6], unfused(softmax, x))
    whole = x[:, :]
    expected = unfused(softmax, x)
    whole[...] = softmax(whole)
    assert_same(to_host(x), expected)


def test_gathered_short_rows_beyond_the_last_read_nothing_else(device: Device) -> None:
    twin = scalar_twin(device)
    table = xp.asarray(sample("float32", (9,)), device=twin)
    index = xp.asarray(np.random.default_rng(1).integers(0, 9, (257, 5)), device=twin)

    def compute(index: Any) -> Any:
        taken = table[index]
        return taken - xp.max(taken, axis=1, keepdims=True)

    assert_same(to_host(compute(index)), unfused(compute, index))


def test_which_rows_go_through_local_memory(device: Device) -> None:
    """Those that lie together, unless vectors fill them; longer ones where they are written."""
    twin = scalar_twin(device)

    def staged(compute: Callable[[Any], Any], x: Any) -> bool:
        store.clear()
        xp.compute(compute(x))
        (only,) = [made for made in store._store.values() if isinstance(made, Rows)]
        return any(only._spec.staged)

    def x(*shape: int) -> Any:
        return xp.asarray(sample("float32", shape), device=twin)

    for n, wanted in ((2, True), (3, True), (4, False), (10, True), (16, False), (31, True), (64, False), (513, False)):
        assert staged(softmax, x(40, n)) == wanted
    assert staged(along(1), x(20, 2, 32))
    assert not staged(along(1), x(20, 2, 33))
    assert staged(REAL["variance"], x(40, 5))
    assert not staged(REAL["variance"], x(40, 31))
    store.clear()


# --- phases ---


def phases_of(body: Body, rowwise: frozenset[int] = frozenset(), least: int = 0) -> rows.Program:
    return rows.program_of(body, rowwise, (True,), least)


def test_a_value_is_saved_as_long_as_a_later_phase_needs_it() -> None:
    """x - max, exp, sum, quotient: the operand is saved over the first reduction, and exp's result over the second."""
    maximum, total = rows.fold_of(MAX, F32, F32), rows.fold_of(SUM, F32, F32)
    rules = [OPS[name].rules[key] for name, key in (("subtract", (F32, F32)), ("exp", F32), ("divide", (F32, F32)))]
    x, steps = X[0], [T[k] for k in range(5)]
    body = Body(
        ((F32, False),), (), (),
        (
            (maximum, (x,)), (rules[0], (x, steps[0])), (rules[1], (steps[1],)),
            (total, (steps[2],)), (rules[2], (steps[2], steps[3])),
        ),
        (steps[4],), (F32,),
    )  # fmt: skip
    program = phases_of(body)
    assert program.saved == {x, steps[2]}
    assert program.words == 1
    assert [phase.folds for phase in program.phases] == [(steps[0],), (steps[3],), ()]
    assert phases_of(body, least=9).saved == {steps[2]}


def test_what_is_the_same_all_along_a_row_is_computed_once() -> None:
    total, add = rows.fold_of(SUM, F64, F64), OPS["add"].rules[F64, float]
    steps = [T[k] for k in range(3)]
    subtract = OPS["subtract"].rules[F64, F64]
    body = Body(
        ((F64, False),), (), (F64,),
        ((total, (X[0],)), (add, (steps[0], S[0])), (subtract, (X[0], steps[1]))), (steps[2],), (F64,),
    )  # fmt: skip
    program = phases_of(body)
    assert program.phases[1].rowwise == (steps[1],)
    assert program.words == 2


def test_the_same_reduction_is_done_once() -> None:
    total, multiply = rows.fold_of(SUM, F32, F32), OPS["multiply"].rules[F32, F32]
    body = Body(
        ((F32, False),), (), (),
        ((total, (X[0],)), (total, (X[0],)), (multiply, (T[0], T[1]))), (T[2],), (F32,),
    )  # fmt: skip
    once = rows.without_repeats(body)
    assert once.steps == ((total, (X[0],)), (multiply, (T[0], T[0])))
    assert once.results == (T[1],)


def along_the_middle(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True) - xp.min(x, axis=1, keepdims=True)


@pytest.mark.parametrize("n", [100, 512, 513, 1000, 1024])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_rows_of_two_segments_side_by_side(device: Device, n: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """GPUs' kernels, where neighbouring work-items take neighbouring rows, with a GPU's local memory."""
    twin = scalar_twin(device)
    monkeypatch.setattr(twin, "local_memory", 48 << 10)
    monkeypatch.setattr(twin, "max_group", 1024)
    x = xp.asarray(sample(dtype, (2, n, 35)), device=twin)
    result = along_the_middle(x)
    with launches() as made:
        xp.compute(result)
    assert len(made) == 1 or dtype == "float64"  # of which a work-item can save less
    assert_same(to_host(result), unfused(along_the_middle, x))


def test_longer_rows_side_by_side_are_cut(device: Device) -> None:
    x = xp.asarray(sample("float32", (2, 1025, 35)), device=scalar_twin(device))
    result = along_the_middle(x)
    with launches() as made:
        xp.compute(result)
    assert len(made) > 1
    assert_same(to_host(result), unfused(along_the_middle, x))


@pytest.mark.parametrize("name", ["softmax", "cumulative_sum"])
@pytest.mark.parametrize("first", [1, 3])
@pytest.mark.parametrize("n", [3, 10, 31])
def test_results_of_short_rows_begin_anywhere(device: Device, name: str, n: int, first: int) -> None:
    """Rows that are written into a view, between two accesses of 16 bytes: with the bits of fresh ones. The
    elements around them do not change."""
    a = np.random.default_rng(n).standard_normal((303, n)).astype("float32")
    x, z = (xp.asarray(host, device=scalar_twin(device)) for host in (a, np.zeros(a.size + 8, "float32")))

    def computed() -> Any:
        return softmax(x) if name == "softmax" else xp.cumulative_sum(x, axis=1)

    xp.reshape(z[first : first + a.size], a.shape)[...] = computed()
    whole = to_host(z)
    np.testing.assert_array_equal(whole[first : first + a.size].reshape(a.shape), to_host(computed()))
    assert not whole[:first].any() and not whole[first + a.size :].any()


def test_a_single_row_is_read_by_whole_accesses(device: Device) -> None:
    """As several rows are: its distance to a next one does not matter."""
    for target in (device.target, scalar_twin(device).target):
        one, several = (
            rows.row_schedule(shape, (len(shape) - 1,), ((shape, steps), (shape, steps)), (True,), target)
            for shape, steps in (((512,), (1,)), ((64, 512), (512, 1)))
        )
        assert one is not None and several is not None
        assert one.grain == several.grain > 1
