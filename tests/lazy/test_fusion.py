"""What is one launch, what is none, and what is never written: the promises of the lazy engine."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, needs_rows, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

N = 1000


def array(seed: int = 0, shape: Any = N, dtype: str = "float32") -> xp.Array:
    return xp.asarray(sample(dtype, shape, seed))


# --- one launch ---


def test_a_chain_of_operations_is_one_launch() -> None:
    x, y = array(1), array(2)
    with launches() as made:
        xp.compute(xp.sqrt(xp.square(x - y) + 1) * 2 - xp.where(x > y, 2 * x, y / 2))
    assert len(made) == 1


def test_a_reduction_takes_its_operand_into_its_launch() -> None:
    x, y = array(1), array(2)
    with launches() as made:
        xp.compute(xp.sum(x * y + 1))
    assert len(made) == 1


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "count_nonzero"])
def test_every_reduction_of_an_expression_is_one_launch(name: str) -> None:
    x, y = array(1, (30, 40)), array(2, (30, 40))
    for axis in (None, 0, 1):
        with launches() as made:
            xp.compute(getattr(xp, name)(x > y if name in ("any", "all", "count_nonzero") else x - y, axis=axis))
        assert len(made) == 1


def test_expressions_of_a_reductions_result_are_one_more_launch_on_cpus() -> None:
    x = array()
    with launches() as made:
        xp.compute(xp.exp(-xp.sum(x * x) / 2) + 1)
    assert len(made) == (1 if x.device.is_gpu else 2)


def test_a_softmax_is_one_launch() -> None:
    """Its numerator is held, so it is written too."""
    needs_rows()
    x = array(0, (50, 60))
    with launches() as made:
        shifted = xp.exp(x - xp.max(x, axis=1, keepdims=True))
        result = to_host(shifted / xp.sum(shifted, axis=1, keepdims=True))
    host = to_host(x)
    expected = np.exp(host - host.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.allclose(result, expected, rtol=1e-5)
    assert len(made) == 1


def test_casts_scalars_and_broadcasting_are_fused() -> None:
    x, row, column = array(1, (20, 30)), array(2, (30,), "int16"), array(3, (20, 1), "float64")
    with launches() as made:
        xp.compute(xp.astype(x, xp.float64) * row + 2.5 * column - True)
    assert len(made) == 1


def test_expressions_of_the_index_are_fused() -> None:
    x = array(0, (20, 20))
    with launches() as made:
        xp.compute(xp.tril(x) * xp.eye(20) + xp.arange(20) + xp.full((20, 1), 0.5))
    assert len(made) == 1


def test_a_gather_is_fused_with_its_users() -> None:
    x, places = array(), xp.asarray(np.arange(0, N, 7))
    picked = x[places]
    with launches() as made:
        xp.compute(picked * 2 + 1)
    assert len(made) == 1


def test_views_are_operands_like_others() -> None:
    x = array(0, (30, 30))
    with launches() as made:
        xp.compute(x + x.T + xp.flip(x) + x[::-1, 0])
    assert len(made) == 1


# --- several results ---


def test_intermediates_that_are_held_are_written_by_the_same_launch() -> None:
    x, y = array(1), array(2)
    total = x + y
    scaled = total * 3
    root = xp.sqrt(xp.abs(scaled)) - total
    with launches() as made:
        xp.compute(root)
        hosts = [to_host(v) for v in (root, scaled, total)]
    assert len(made) == 1
    a, b = to_host(x), to_host(y)
    for got, expected in zip(hosts, [np.sqrt(np.abs((a + b) * 3)) - (a + b), (a + b) * 3, a + b], strict=True):
        assert_same(got, expected)


def test_intermediates_that_nobody_holds_are_not_written(device: Device) -> None:
    x = array(0, 10**6)
    xp.sync(x + 1)
    before = device.live_bytes
    y = ((x + 1) * 2 - 3) * (x - 4)
    xp.sync(y)
    assert device.live_bytes - before <= 1.1 * y.nbytes


def test_memory_of_deleted_arrays_is_given_back(device: Device) -> None:
    gc.collect()
    before = device.live_bytes
    x = array(0, 10**6)
    y = x + 1
    xp.sync(y)
    del x, y
    gc.collect()
    assert device.live_bytes == before


def test_memory_of_intermediates_is_given_back_without_the_garbage_collector(device: Device) -> None:
    x = array(0, 10**6)
    float(xp.sum(x))  # so that the kernels have their scratch memory
    gc.collect()
    gc.disable()
    try:
        before = device.live_bytes
        y = x * 2
        float(xp.sum((y + 1) * y) + xp.max(y))
        del y
        assert device.live_bytes - before < 10**5
    finally:
        gc.enable()


def test_an_expression_keeps_its_operands_until_it_is_computed(device: Device) -> None:
    x = array(0, 10**6)
    y = x + 1
    expected = to_host(x) + 1
    del x
    gc.collect()
    assert_same(to_host(y), expected)


def test_an_array_that_is_read_twice_is_computed_once() -> None:
    y = array() * 2
    with launches() as made:
        to_host(y)
        to_host(y)
        float(xp.sum(y))
    assert len(made) == 2


# --- none ---


def test_building_an_expression_launches_nothing() -> None:
    x, y = array(1, (30, 40)), array(2, (40,))
    with no_launch():
        z = xp.sum(xp.exp(x * y + 1), axis=0) + xp.arange(40)
        assert (z.shape, z.ndim, z.size, len(z), z.nbytes) == ((40,), 1, 40, 40, 320)
        assert z.dtype == np.dtype("float64")


def test_in_place_operators_on_memory_of_ones_own_launch_nothing() -> None:
    x = array()
    with no_launch():
        x += 1
        x *= x
        x -= x * 2


def test_scalars_made_of_python_numbers_launch_nothing() -> None:
    with no_launch():
        assert float(xp.asarray(2.5)) == 2.5
        assert bool(xp.asarray(True)) is True
        assert int(xp.full((), 7)) == 7


# --- limits ---


def test_a_long_chain_is_cut_and_right() -> None:
    x = xp.asarray(np.zeros(100, "int32"))
    for step in range(5000):
        x = x + step % 7
    assert to_host(x).tolist() == [sum(step % 7 for step in range(5000))] * 100


def test_a_diamond_is_computed_in_a_time_that_does_not_double() -> None:
    x = xp.asarray(np.ones(10, "uint64"))
    for _ in range(200):
        x = x + x
    assert to_host(x).tolist() == [0] * 10


def test_a_diamond_inside_one_group_shares_its_parts() -> None:
    x = xp.asarray(np.ones(10, "int64"))
    with launches() as made:
        for _ in range(6):
            x = x + x
        assert to_host(x).tolist() == [64] * 10
    assert len(made) == 1


@pytest.mark.parametrize("seed", range(20))
def test_operations_are_computed_after_their_operands(seed: int) -> None:
    source = np.random.default_rng(seed)
    ours: list[Any] = [xp.asarray(source.integers(-9, 9, (4, 1))), xp.asarray(source.integers(-9, 9, (4, 5)))]
    theirs = [to_host(x) for x in ours]
    for _ in range(25):
        i, j, op = source.integers(-4, 0, 3)
        name = ("add", "subtract", "maximum", "minimum")[op]
        i, j = max(i, -len(ours)), max(j, -len(ours))
        ours.append(getattr(xp, name)(ours[i], ours[j]))
        theirs.append(getattr(np, name)(theirs[i], theirs[j]))
    number = int(source.integers(2, 20))
    last, held = ours[-1], ours[number] if seed % 2 else ours[-1]  # what is held is written by the way
    del ours
    assert_same(to_host(last), theirs[-1])
    assert_same(to_host(held), theirs[number if seed % 2 else -1])


def test_hundreds_of_operands_are_added_up() -> None:
    arrays = [xp.asarray(np.full(50, k, "int32")) for k in range(300)]
    total = arrays[0]
    for x in arrays[1:]:
        total = total + x
    assert to_host(total).tolist() == [sum(range(300))] * 50


def test_hundreds_of_strided_operands_of_many_dimensions_are_added_up() -> None:
    hosts = [sample("int32", (2, 3, 2, 3, 2, 3), seed) for seed in range(40)]
    total = xp.zeros((3, 2, 3, 2, 3, 2), dtype=xp.int32)
    for host in hosts:
        total = total + xp.asarray(host).transpose()
    assert_same(to_host(total), np.sum(hosts, axis=0, dtype="int32").T)


def test_what_is_broadcast_far_is_computed_once() -> None:
    x, rows = array(1, (40, 500)), array(2, (40, 1))
    shifted = xp.exp(xp.sin(rows))
    with launches() as made:
        xp.compute(x * shifted)
    assert len(made) == 2


def test_a_loop_over_one_expression_compiles_once(device: Device) -> None:
    x, y = array(1), array(2)
    to_host(x * 2.0 + y)
    before = device.kernels_compiled
    for step in range(20):
        to_host(x * float(step) + y)
        to_host(array(step, 100 + step) * float(step) + array(0, 100 + step))
    assert device.kernels_compiled == before


# --- switches ---


def test_without_fusion_every_operation_is_a_launch() -> None:
    x, y = array(1), array(2)
    with xp.config.set(fusion=False), launches() as made:
        xp.compute(x * y + x - 2)
    assert len(made) == 3


def test_fusion_counts_when_something_is_computed(device: Device) -> None:
    """Also of what was written before. Launches of one way are not remembered for the other, and `explain` knows."""
    x, y = array(1), array(2)

    def written() -> Any:
        return [xp.sum((x * y + x) * 3.0 - 2, axis=0), xp.exp(x - y)[::2] * y[::2] + 1, x * y + x - 2]

    for place, expected in enumerate((5, 4, 3)):
        bits, counts = set(), []
        for fusion in (True, False, True, False, False, True):
            value = written()[place]
            with xp.config.set(fusion=fusion, small_on_host=False):
                said = xp.explain(value)
                with xp.record() as made:
                    xp.compute(value)
            counts.append(len(made))
            assert said.count("# launch") == len(made), (place, fusion, said)
            bits.add(to_host(value).tobytes())
        assert len(bits) == 1 and counts == [1, expected, 1, expected, expected, 1], (place, counts)


def test_compute_starts_what_is_pending() -> None:
    x, y = array(1) + 1, array(2) * 2
    with launches() as made:
        xp.compute(x, y)
        xp.compute(x, y)
    assert len(made) == 2
    with no_launch():
        to_host(x)


# --- threads ---


def test_threads_share_arrays() -> None:
    x, y = array(1), array(2)
    pending = xp.exp(x * y) + 1
    expected = to_host(xp.exp(x * y) + 1)
    results: list[Any] = [None] * 8

    def work(place: int) -> None:
        own = pending * place
        results[place] = (to_host(pending), to_host(own), float(xp.max(own)))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place, (one, own, largest) in enumerate(results):
        assert_same(one, expected)
        assert_same(own, expected * np.float32(place))
        assert largest == float(np.max(expected * np.float32(place)))


def test_threads_build_expressions_of_their_own_at_once() -> None:
    failures: list[str] = []

    def work(seed: int) -> None:
        host = sample("float32", 200, seed)
        for step in range(30):
            x = xp.asarray(host)
            x += step
            x[::2] = 0
            expected = host + np.float32(step)
            expected[::2] = 0
            if to_host(x * 2).tolist() != (expected * 2).tolist():
                failures.append(f"seed {seed}, step {step}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_loop_whose_graph_is_cut_makes_the_same_launch_again() -> None:
    """However many steps it has, it needs few kernels."""

    def steps(number: int) -> set[str]:
        x, v = (xp.asarray(np.linspace(0, 1, 100, dtype="float32")) for _ in range(2))
        with launches() as made:
            for _ in range(number):
                a = -xp.sin(x) - 0.1 * v
                b = -xp.sin(x + 0.01 * v) - 0.1 * (v + 0.01 * a)
                x, v = x + 0.01 * (v + a * b), v + 0.005 * (a + b)
            to_host(x), to_host(v)
        assert len(made) <= number // 5
        return {launch.kernel for launch in made}

    assert len(steps(60)) <= 5 and len(steps(200)) <= 5


@pytest.mark.parametrize("operations", [500, 1500])
def test_wide_and_deep_graphs_stay_bounded(operations: int) -> None:
    rng = np.random.default_rng(operations)
    hosts = [rng.random(20, dtype="float32") for _ in range(30)]
    values, expected = [xp.asarray(host) for host in hosts], list(hosts)
    for _ in range(operations):
        i, j = rng.integers(max(0, len(values) - 40), len(values), 2)
        values.append((values[i] + values[j]) * 0.5)
        expected.append((expected[i] + expected[j]) * np.float32(0.5))
    assert_same(to_host(values[-1]), expected[-1])


def test_a_thousand_inputs() -> None:
    hosts = [np.full(5, k, dtype="float64") for k in range(1000)]
    total = sum((xp.asarray(host) for host in hosts), start=xp.zeros(5))
    assert_same(to_host(total), np.sum(hosts, axis=0))


def _sum_of(arrays: Sequence[Any]) -> Any:
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total


# What a launch would compute of values that are seen from several sides, which needs many more operands than these are.
SEEN: dict[str, Callable[[Any, Any], Any]] = {
    "rolls": lambda m, c: sum(m.roll(c, k, axis=0) for k in range(1, 12)),
    "rolls of a roll": lambda m, c: sum(m.roll(m.roll(c, k, axis=0), 3, axis=1) for k in range(1, 12)),
    "rolls of what is made of rolls": lambda m, c: sum(
        m.roll(m.roll(c, 1, axis=0) + m.roll(c, 2, axis=1), k, axis=0) for k in range(1, 12)
    ),
    "a roll alone": lambda m, c: m.roll(c, 1, axis=0),
    "views": lambda m, c: sum(c[k : k + 8, ::-1] for k in range(12)),
    "transposed": lambda m, c: c + c.T + c[::-1] + m.flip(c.T, axis=0),
    "views of rolls": lambda m, c: sum(m.roll(c, k, axis=0)[k : k + 8] for k in range(12)),
    "rolls of views": lambda m, c: sum(m.roll(c[k : k + 8], 1, axis=1) for k in range(12)),
    "sums of few": lambda m, c: sum(m.sum(m.reshape(m.roll(c, k, axis=0), (30, 10, 3)), axis=2) for k in range(12)),
    "sums of rows": lambda m, c: sum(m.roll(c, k, axis=0) for k in range(12)) - m.sum(c, axis=1)[:, None],
    "side by side": lambda m, c: m.concat([m.roll(c, k, axis=0) for k in range(12)], axis=0) * 2,
}


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("name", SEEN)
def test_a_launch_of_too_many_operands_is_cut_whatever_is_seen_of_values(
    twin: Device, name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And `explain` says so, with as many launches."""
    monkeypatch.setattr(twin, "parameter_bytes", 1024)  # the least that OpenCL promises
    hosts = [np.random.default_rng(k).integers(0, 9, (30, 30)).astype(np.float32) for k in range(count)]
    arrays = [xp.asarray(host, device=twin, copy=True) for host in hosts]
    value = SEEN[name](xp, _sum_of(arrays))
    planned = xp.explain(value).count("# launch ")
    with xp.record() as launches:
        found = to_host(value)
    np.testing.assert_array_equal(found, SEEN[name](np, _sum_of(hosts)))
    assert len(launches) == planned
