"""Plans that are kept: what they compute for another graph, whatever is shared, held, a view or moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Buffer, Device
from arrayapi_gpu.lazy.run import evaluate
from arrayapi_gpu.lazy.run.evaluate import plans
from arrayapi_gpu.lazy.run.launches import known

pytestmark = pytest.mark.usefixtures("device")


def forget() -> None:
    known.clear()
    plans.clear()


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    forget()


def pair(seed: int = 1) -> tuple[xp.Array, np.ndarray[Any, Any]]:
    host = sample("float32", (7, 30), seed)
    return xp.asarray(host, copy=True), host


GRAPHS = (
    "x * y + z", "x * y + x", "z + x * y", "(x + y) * (x + y)", "(x + y) * (y + x)", "x * k + m * y", "x * m + k * y",
    "m - x * k", "xp.where(x > y, x * k, z - y)", "xp.where(y > x, x * k, z - y)", "xp.sum(x * y + k)",
    "xp.sum(x * y + z)", "xp.max(x - z * m)", "xp.sum(x * x, axis=-1)", "xp.sum(z - x, axis=-1)", "-(-x * y)",
    "x - xp.max(x, axis=-1, keepdims=True)", "x - xp.max(y, axis=-1, keepdims=True)", "(x - xp.max(x)) * xp.sum(x + y)",
    "xp.max(x + y, axis=-1, keepdims=True) - z", "xp.sum(x - xp.min(x * k, axis=-1, keepdims=True), axis=-1)",
    "xp.sum(x - xp.min(x * k, axis=0, keepdims=True), axis=-1)", "(t := x * y) + z", "(t := x * y) + (u := t - z) * t",
    "(u := x * y) + (t := u - z) * t", "xp.sum((t := x * y) + z)", "x + (t := xp.max(x * y, axis=-1, keepdims=True))",
    "x - xp.zeros_like(y) * k + xp.ones_like(z)", "(x * y)[..., ::-1] - z", "(x * y)[..., 1:] + x[..., 1:]",
    "xp.sum((x + y)[..., ::2] * k)", "xp.roll(x, 1, axis=-1) + y * k", "xp.roll(x * y, k, axis=-1) - z",
    "xp.roll(x, m, axis=-1) + xp.roll(x, k, axis=-1)", "(t := x + y) * k + t[..., ::-1]",
    "xp.max(xp.roll(x, k, axis=-1) * m)", "xp.sum(xp.sum(x * y, axis=-1, keepdims=True) * z)",
    "xp.sort(x * k - y, axis=-1)[..., ::-1] + z", "xp.concat([x * k, x - y], axis=-1)[..., m : 2 * m] * k",
    "xp.concat([x[..., 2:] * k, (x - z)[..., :m]], axis=-1)", "xp.take(x * y, xp.asarray([k, m, 0]), axis=-1) - m",
    "xp.take(x, xp.asarray([m, k]), axis=-1) * k + m", "(t := x * y)[..., 1:] - (u := t[..., :-1])",
    "(u := (t := x - z)[..., ::-1]) * k + t", "xp.sum((u := (x * k)[..., k:]) + 1, axis=-1)",
    "xp.ones_like(x) * k - xp.flip(x - y, axis=-1)", "xp.max((x - xp.min(x))[..., :4] * m, axis=-1)",
    "(x[..., 1:] - x[..., :-1])[..., ::k] * m", "(x[..., 1:] - (y * k)[..., :-1])[..., 1:] + x[..., 2:]",
    "xp.sum(xp.abs(x[..., :, None] - x[..., None, :]), axis=-1) - z", "xp.argmax(x * k - y, axis=-1)",
)  # fmt: skip


@pytest.mark.parametrize(("dtype", "seed"), [("int32", 0), ("float64", 1)])
def test_expressions_in_any_order_over_other_operands_each_time(dtype: str, seed: int) -> None:
    """Arrays, views that begin elsewhere, rows that are broadcast; scalars, what is shared and what is held differ."""
    rng = np.random.default_rng(seed)
    host = rng.integers(-9, 9, (6, 41)).astype(dtype)
    base = xp.asarray(host)
    parts = [(base[k : k + 3], host[k : k + 3]) for k in range(3)] + [(base[k, :], host[k, :]) for k in range(3)]
    parts += [(base[::2], host[::2]), (base[:3, ::-1], host[:3, ::-1])]
    for text in rng.permutation(GRAPHS * 4):
        chosen = [parts[k] for k in (0, *rng.integers(0, len(parts), 2))]
        k, m = (int(number) for number in rng.integers(2, 9, 2))
        ours = {**dict(zip("xyz", [one for one, _ in chosen], strict=True)), "k": k, "m": m, "xp": xp}
        theirs = {**dict(zip("xyz", [one for _, one in chosen], strict=True)), "k": k, "m": m, "xp": np}
        got, expected = eval(text, ours), eval(text, theirs)
        for name in rng.permutation(["got", *[name for name in "tu" if name in ours]]):
            one, other = (got, expected) if name == "got" else (ours[name], theirs[name])
            assert_same(to_host(one), np.asarray(other))


def test_one_launch_for_a_tree_each_time_and_what_is_held_is_written_too() -> None:
    (x, a), (y, b) = pair(1), pair(2)
    for holds in (False, True, False, True, False):
        with launches() as made:
            if holds:
                inner = x * y
                assert_same(to_host(inner + x), a * b + a)
                assert_same(to_host(inner), a * b)
            else:
                assert_same(to_host(x * y + x), a * b + a)
        assert len(made) == 1


def test_values_that_share_work_are_one_launch_each_time() -> None:
    (x, _), (y, _) = pair(1), pair(2)
    for shares in (False, True, False, True):
        with launches() as made:
            common = xp.exp(x * y)
            first = common + x
            second = common - y if shares else None
            del common
            xp.compute(first)
            if second is not None:
                xp.compute(second)
        assert len(made) == 1


@pytest.mark.parametrize("seed", range(3))
def test_several_pending_values_in_any_order(seed: int) -> None:
    """Some share work, some do not, some have another shape; each is what NumPy gives."""
    rng = np.random.default_rng(seed)
    hosts = [rng.integers(-9, 9, shape).astype("float64") for shape in ((41, 41), (41, 41), (41,))]
    arrays = [xp.asarray(host, copy=True) for host in hosts]
    for _ in range(60):
        texts = rng.choice([text for text in GRAPHS if ":=" not in text and "..." not in text], 3)
        k, m = (int(number) for number in rng.integers(2, 9, 2))
        ours: dict[str, Any] = {**dict(zip("xyz", arrays, strict=True)), "k": k, "m": m, "xp": xp}
        theirs: dict[str, Any] = {**dict(zip("xyz", hosts, strict=True)), "k": k, "m": m, "xp": np}
        common, expected = ours["x"] * m - ours["y"], theirs["x"] * m - theirs["y"]
        results = [(eval(text, ours), np.asarray(eval(text, theirs))) for text in texts]
        results += [
            (one + common, other + expected)
            for one, other in results
            if one.dtype == xp.float64 and one.shape in ((41,), (41, 41))
        ]
        if rng.random() < 0.5:
            del common
        for at in rng.permutation(len(results)):
            assert_same(to_host(results[at][0]), results[at][1])


def test_constants_are_computed_on_their_device_each_time() -> None:
    devices = xp.__array_namespace_info__().devices()
    for device in [*devices, *devices[::-1]] * 3:
        got = (xp.ones(5, dtype=xp.float32, device=device) + xp.arange(5.0, dtype=xp.float32, device=device)) * 2
        assert_same(to_host(got), np.arange(2, 12, 2, dtype="float32"))
        assert got.device == device


def test_memory_goes_as_soon_as_no_launch_reads_it(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a chain of values that are stored, two are there at a time, the first time and when it is replayed."""
    x = xp.ones((64, 1024), dtype=xp.float32)
    xp.compute(x)
    alloc, live = device.pool.alloc, [0]

    def counted(nbytes: int) -> Buffer:
        made = alloc(nbytes)
        live.append(device.pool.live)
        return made

    monkeypatch.setattr(device.pool, "alloc", counted)
    for _ in range(4):
        before, live[:] = device.pool.live, [0]
        y = x
        for _ in range(8):
            y = xp.roll(xp.exp(-y * y), 1, axis=0)
        xp.compute(y)
        del y
        assert max(live) - before < 3 * 4 * 64 * 1024
    assert len(plans)


@pytest.mark.parametrize("hold", [False, True])
def test_nodes_that_die_while_a_graph_is_recorded(device: Device, hold: bool) -> None:
    """A value beside the graph may be gone when its launches are looked through."""
    host = np.random.default_rng(3).normal(size=(60, 3))
    a = xp.asarray(host, device=device)
    for _ in range(3):
        mean = xp.reshape(xp.mean(a, axis=0), (-1,))
        far = a - mean
        out = xp.squeeze(xp.sum(a, axis=1, keepdims=True) + xp.max(a, axis=1, keepdims=True), axis=1)
        kept = out if hold else None
        total = float(xp.sum(out))
        np.testing.assert_allclose(to_host(far), host - host.mean(axis=0), atol=1e-14)
        np.testing.assert_allclose(total, (host.sum(axis=1) + host.max(axis=1)).sum(), rtol=1e-12)
        del kept, out


# Expressions of three operands, which may be one array, views of one, or different ones; ``i``: an index array.
OF_THREE: dict[str, Callable[..., Sequence[Any]]] = {
    "element by element": lambda m, x, y, z, i: [x * y - z],
    "gathered beside a reduction": lambda m, x, y, z, i: [t := m.take(x, i, axis=0), m.max(y, axis=0) + t, z - t],
    "gathered from several": lambda m, x, y, z, i: [m.take(x, i, axis=0) - m.take(y, i, axis=1) * z],
    "moved": lambda m, x, y, z, i: [m.roll(x, 1, axis=0) - y[::-1] * m.flip(z, axis=1)],
    "side by side": lambda m, x, y, z, i: [m.concat([x, y + z], axis=0) * 2],
    "reduced": lambda m, x, y, z, i: [m.sum(x * y, axis=0) - m.max(z, axis=0), m.sum(y, axis=1)],
    "several results": lambda m, x, y, z, i: [s := x + y, s * z, m.abs(s) - x],
    "row by row": lambda m, x, y, z, i: [x - m.max(x, axis=1, keepdims=True), y + z[1]],
}


@pytest.mark.parametrize("name", OF_THREE)
def test_which_operands_are_one_array_is_part_of_the_structure(twin: Device, name: str) -> None:
    """What was launched where two operands are one array reads two where they are two, and the other way round."""
    compute, rng = OF_THREE[name], np.random.default_rng(5)
    hosts = [rng.integers(-9, 9, (9, 9)).astype(np.float32) for _ in range(3)]
    a, b, c = (xp.asarray(host, device=twin, copy=True) for host in hosts)
    index = np.array([8, 1, 3, 0, 2, 2, 7, 5, 4])
    pairs = [(a, hosts[0]), (b, hosts[1]), (c, hosts[2]), (a[:], hosts[0]), (a[::-1], hosts[0][::-1])]
    choices = [*product(pairs, repeat=3)]
    orders = [choices, *([choices[k] for k in rng.integers(0, len(choices), 3)] for _ in range(150))]
    for order in orders:
        forget()
        for chosen in order:
            ours, numpys = zip(*chosen, strict=True)
            found = compute(xp, *ours, xp.asarray(index, device=twin))
            for one, other in zip(found, compute(np, *numpys, index), strict=True):
                assert_same(to_host(one), other)


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "a sort": lambda x, y: xp.sum(xp.sort(x * 2, axis=1) - y),
    "positions": lambda x, y: xp.argsort(x * 2, axis=1) + xp.astype(y, xp.int64),
    "a product": lambda x, y: xp.exp((x + 1) @ (y - 1).T) + 1,
    "a scan": lambda x, y: xp.cumulative_sum(x * y, axis=0) / 2,
    "all of them": lambda x, y: xp.max(xp.sort(xp.cumulative_sum((x + 1) @ (y - 1).T, axis=1) * 2, axis=0) - 1, axis=0),
    "parts": lambda x, y: xp.concat([xp.sort(x + 1, axis=0), y * 2], axis=0) + 1,
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_a_graph_with_steps_is_planned_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first results of a signature are not remembered, so the second graph is the first whose plan is kept."""
    planned: list[object] = []
    plan = evaluate._planned

    def counted(*arguments: Any, **named: Any) -> Any:
        planned.append(arguments[0].shape)
        return plan(*arguments, **named)

    monkeypatch.setattr(evaluate, "_planned", counted)
    with xp.config.set(small_on_host=False):
        results = []
        for seed in range(6):
            x, y = (xp.asarray(sample("float32", (40, 30), seed + k)) for k in range(2))
            results.append((len(planned), to_host(STEPS[name](x, y)), to_host(STEPS[name](x + 0, y + 0))))
    assert [count for count, *_ in results[3:]] == [len(planned)] * 3
    for _, got, other in results:
        assert_same(got, other)


def test_a_long_loop_takes_few_kernels(device: Device) -> None:
    """The places where its expressions are cut do not depend on how long it has run, whether the number of operations
    or of a kernel's arguments is too large."""
    rows = xp.asarray(sample("float64", (20, 20)) if "f64" in device.dtypes else sample("float32", (20, 20)))
    kernels = []
    for steps in (300, 700):
        total = other = xp.zeros(20, dtype=rows.dtype)
        with xp.config.set(small_on_host=False), xp.record() as launches:
            for _ in range(steps):
                total = total + xp.sum(rows, axis=1)
                other = other + total
            xp.compute(other)
        names = [launch.kernel for launch in launches if launch.kernel != "sum"]
        assert len(names) <= steps // 25 and len({*names}) <= 5
        kernels.append({*names[:-1]})
    assert kernels[0] == kernels[1]
