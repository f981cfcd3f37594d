"""Reductions with operations that follow them: one launch where nobody else reads the result, with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import in_part, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.plan.graph_key import structure_of
from arrayapi_gpu.lazy.plan.plan import Bound
from arrayapi_gpu.lazy.run import evaluate

Host = npt.NDArray[Any]
Function = Callable[[Any], Any]

REDUCTIONS = ["sum", "mean", "max", "prod", "any"]
# Shapes and axes: one group, several groups, a row each, short rows, columns, short columns, one element each.
AXES: dict[str, tuple[tuple[int, ...], Any]] = {
    "all": ((50, 40), None),
    "all of many": ((300, 700), None),
    "first": ((300, 70), 0),
    "first of few": ((5, 4096), 0),
    "middle": ((7, 130, 9), 1),
    "last": ((60, 300), -1),
    "short rows": ((5000, 6), -1),
    "long rows": ((2, 70000), -1),
    "two axes": ((20, 30, 40), (0, 2)),
    "no outputs": ((0, 30), -1),
    "nothing to reduce": ((30, 0), -1),
}
# What follows a reduction `r`. Results whose operations need another dtype are converted.
FOLLOWING: dict[str, Function] = {
    "root": lambda r: xp.sqrt(xp.astype(r, xp.float32)),
    "division": lambda r: xp.astype(r, xp.float32) / 3,
    "comparison": lambda r: r != 1,
    "conversion": lambda r: xp.astype(r, xp.int32),
    "chain": lambda r: xp.where(xp.astype(r, xp.float32) > 2, xp.exp(-xp.abs(xp.astype(r, xp.float32))), 0.5) + 1,
}


@pytest.fixture
def twin(device: Device) -> Device:
    return scalar_twin(device)


def launches(function: Callable[[], Any]) -> list[str]:
    """The launches that compute a value when its plan is known."""
    for _ in range(2):
        to_host(function())
    with xp.record() as made:
        to_host(function())
    return [one.kernel for one in made]


def separate(function: Callable[[], Any]) -> Host:
    with xp.config.set(fusion=False):
        found: Host = to_host(function())
    return found


def check(function: Callable[[], Any]) -> Host:
    """The value, which has the bits of separate launches: planned, kept, and bound."""
    expected: Host = separate(function)
    for _ in range(3):
        found = to_host(function())
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()
    return expected


def reduced(name: str, x: Any, axis: Any) -> Any:
    function: Callable[..., Any] = getattr(xp, name)
    return function(x, axis=axis)


def operand(dtype: str, shape: tuple[int, ...]) -> Host:
    """Elements whose sums and products are small and exact, so NumPy has the same ones in any order."""
    numbers = np.random.default_rng(1)
    if dtype == "bool":
        return np.asarray(numbers.random(shape) < 0.02)
    rare: Host = (numbers.random(shape) < 0.01) + 1 * (numbers.random(shape) < 0.001)
    return rare.astype(dtype)


def kept_as(dtype: str) -> str:
    return dtype if dtype.startswith("float") else "float32"


def accepts(name: str, dtype: str, axes: str, following: str) -> bool:
    if axes == "nothing to reduce" and name in ("max", "mean"):
        return False  # they have no value, or NaN
    if dtype == "bool":  # a cast of one is no operation of its own
        return name == "sum" or (name == "any" and following != "conversion")
    return name != "mean" or dtype.startswith("float")


DTYPES = ["float32", "float16", "int16", "float64", "uint8", "bool"]
CASES = [case for case in product(REDUCTIONS, DTYPES, AXES, FOLLOWING) if accepts(*case)]


@pytest.mark.parametrize(("name", "dtype", "axes", "following"), in_part(CASES, 17))
def test_one_launch_with_the_bits_of_two(twin: Device, name: str, dtype: str, axes: str, following: str) -> None:
    (shape, axis), then = AXES[axes], FOLLOWING[following]
    host = operand(dtype, shape)
    x = xp.asarray(host, device=twin)
    kept = reduced(name, x, axis)
    np.testing.assert_allclose(
        to_host(kept), getattr(np, name)(host, axis=axis), rtol=float(2 * np.finfo(kept_as(dtype)).eps)
    )

    def value() -> Any:
        return then(reduced(name, x, axis))

    found = check(value)
    np.testing.assert_allclose(found, to_host(then(xp.asarray(to_host(kept), device=twin))), rtol=1e-6)
    if shape[0] and shape[-1]:
        assert len(launches(value)) == 1


@pytest.mark.parametrize("dtype", in_part(["float32", "float16", "float64", "complex64", "int8", "uint64"]))
def test_rounded_values(twin: Device, dtype: str) -> None:
    x = xp.asarray(sample(dtype, (130, 77), 1), device=twin)
    for axis in (None, 0, 1):
        check(partial(lambda axis: xp.sum(x, axis=axis) * 3 + 1, axis))
        check(partial(lambda axis: xp.sum(x * x, axis=axis) != 2, axis))


def test_norms_and_means_are_numpys(twin: Device) -> None:
    host = np.random.default_rng(2).standard_normal((3000, 50)).astype(np.float32)
    x = xp.asarray(host, device=twin)
    expected = np.sqrt((host.astype(np.float64) ** 2).mean(axis=-1) + 1e-5)
    np.testing.assert_allclose(check(lambda: xp.sqrt(xp.mean(x * x, axis=-1) + 1e-5)), expected, rtol=1e-5)
    assert launches(lambda: xp.sqrt(xp.mean(x * x, axis=-1) + 1e-5)) == ["sum+divide+add+sqrt"]
    assert launches(lambda: xp.linalg.vector_norm(x, axis=-1)) == ["sum+sqrt"]
    assert launches(lambda: xp.mean(x, axis=-1)) == ["sum+divide"]


def test_a_kept_plan_of_one_launch_is_that_launch(twin: Device) -> None:
    x = xp.asarray(sample("float32", (3001, 50), 1), device=twin)
    for number in range(4):
        y = xp.mean(x, axis=-1)
        structure = structure_of(y._node)
        assert structure is not None
        key = (*structure.key, "inner", *structure.inner(structure.followed))
        del structure
        to_host(y)
        assert number < 3 or type(evaluate.plans.get(key)) is Bound


def test_a_users_reduction_is_followed(twin: Device) -> None:
    own = xp.ReductionKernel("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "squares")
    x = xp.asarray(sample("float32", (300, 70), 1), device=twin)
    check(lambda: xp.sqrt(own(x, axis=1)) / 2)


def test_positions_are_followed(twin: Device) -> None:
    x = xp.asarray(sample("float32", (90, 300), 1), device=twin)
    check(lambda: xp.argmax(x, axis=1) * 2 + 1)
    assert launches(lambda: xp.argmax(x, axis=1) * 2 + 1) == ["argmax+multiply+add"]
    check(lambda: xp.argmin(x) + 5)
    assert len(launches(lambda: xp.argmin(x) + 5)) == 1


def test_other_operands_lie_as_the_results_do(twin: Device) -> None:
    x = xp.asarray(sample("float32", (90, 5, 70), 1), device=twin)
    y = xp.asarray(sample("float32", (91, 10), 2), device=twin)
    layouts: dict[str, tuple[Any, int]] = {
        "as the results": (xp.reshape(y[:45], (90, 5)), 1),
        "behind others": (xp.reshape(y[1:46], (90, 5)), 1),
        "one for all": (y[3, 4], 1),
        "with gaps": (y[:90, :5], 2),
        "one row": (y[7, :5], 2),
        "one column": (y[:90, 3:4], 2),
        "turned": (xp.reshape(y[:45], (5, 90)).T, 2),
    }
    for name, (other, count) in layouts.items():
        value = partial(lambda other: xp.sum(x, axis=2) * other - 1, other)
        check(value)
        assert len(launches(value)) == count, name


@pytest.mark.parametrize("rows", [1, 2, 255, 256, 257, 5001])
def test_other_operands_of_short_rows_end_with_the_results(twin: Device, rows: int) -> None:
    x, y = (xp.asarray(sample("float32", (5001, 6), number), device=twin) for number in (1, 2))
    check(lambda: xp.sum(x[:rows], axis=1) * xp.reshape(y[:1000], (6000,))[:rows])


def test_new_scalars_offsets_and_arrays(twin: Device) -> None:
    whole = xp.asarray(sample("float32", (40, 90, 50), 1), device=twin)
    for number in range(12):
        x = whole[number, number : number + 64]
        expected = separate(partial(xp.sum, x, axis=1)) * np.float32(number) + np.float32(1)
        assert to_host(xp.sum(x, axis=1) * number + 1).tobytes() == expected.tobytes()


def test_what_is_reduced_gathers_and_has_scalars(twin: Device) -> None:
    x = xp.asarray(sample("float32", (500, 40), 1), device=twin)
    y = xp.asarray(sample("float32", (300,), 2), device=twin)
    rows = xp.asarray(np.random.default_rng(1).integers(0, 500, 300), device=twin)
    check(lambda: xp.sum(xp.take(x, rows, axis=0) * 2 + 1, axis=1) / 3 + y)


def test_a_reduction_that_a_user_holds_has_its_own_launch(twin: Device) -> None:
    x = xp.asarray(sample("float32", (300, 70), 1), device=twin)
    total = xp.sum(x, axis=1)
    with xp.record() as made:
        to_host(total * 2)
    assert [one.kernel for one in made] == ["sum", "multiply"]


@pytest.mark.parametrize("name", ["read twice", "another reduction", "rows", "broadcast", "costly", "turned", "a sort"])
def test_what_is_not_merged(twin: Device, name: str) -> None:
    x = xp.asarray(sample("float32", (70, 70, 40), 1), device=twin)
    functions: dict[str, tuple[Function, int]] = {
        "read twice": (lambda r: xp.sort(r + 1, axis=0) + xp.sort(r - 1, axis=1), 6),
        "another reduction": (lambda r: xp.sum(r + 1, axis=0), 2),
        "rows": (lambda r: r - xp.max(r, axis=1, keepdims=True), 2),
        "broadcast": (lambda r: xp.reshape(r, (70, 70, 1)) + x[0, 0, :9], 2),
        "costly": (lambda r: xp.exp(xp.sin(xp.cos(xp.tanh(r)))), 2),
        "turned": (lambda r: r.T + 1, 2),
        "a sort": (lambda r: xp.sort(r, axis=1), 2),
    }
    function, count = functions[name]
    check(lambda: function(xp.sum(x, axis=2)))
    assert len(launches(lambda: function(xp.sum(x, axis=2)))) >= count


# Values that are computed in turn, of a sum that nobody holds.
SHARED: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "two of it": lambda r: (r + 1, r * 2),
    "a sum of it": lambda r: (r * 2, xp.sum(r)),
    "a root and its mean": lambda r: (lambda h: (h * 2, xp.mean(h)))(xp.sqrt(xp.abs(r))),
    "a root and a part of it": lambda r: (lambda h: (h * 2, h[:5]))(xp.sqrt(xp.abs(r))),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_reduction_that_others_need_is_computed_once(twin: Device, name: str) -> None:
    x = xp.asarray(sample("float32", (70, 400), 1), device=twin)
    for _ in range(3):
        with xp.record() as made:
            for value in SHARED[name](xp.sum(x, axis=1)):
                to_host(value)
        assert len([one for one in made if one.read >= x.nbytes]) == 1


def test_plans_are_kept_for_each_set_of_values_that_nothing_else_needs(twin: Device) -> None:
    x = xp.asarray(sample("float32", (70, 400), 1), device=twin)
    for number in range(8):
        r = xp.sum(x, axis=1)
        others = [xp.sum(r)] if number % 2 else []
        value = r * 2
        del r
        with xp.record() as made:
            to_host(value)
        names = [one.kernel for one in made]
        assert names == (["sum", "multiply"] if others else ["sum+multiply"])
        with xp.record() as made:
            for other in others:
                to_host(other)
        assert len(list(made)) == len(others)


def test_streamed_operands(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 50000)
    host = sample("float32", (300, 500), 1)
    with xp.record() as made:
        found = to_host(xp.mean(xp.from_host(host, device=twin), axis=1) * 2)
    assert not any(one.kernel.startswith("sum+") for one in made)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, host.mean(axis=1, dtype=np.float64) * 2, rtol=1e-4, atol=1e-5)


def test_explain_shows_one_launch(twin: Device) -> None:
    x = xp.asarray(sample("float32", (300, 70), 1), device=twin)
    text = xp.explain(xp.linalg.vector_norm(x, axis=-1))
    assert text.count("# launch") == 1
    assert "a reduction and what follows it" in text


def test_devices_whose_groups_may_not_wait_combine_in_a_launch(device: Device) -> None:
    apart = scalar_twin(device, False)
    x = xp.asarray(sample("float32", (300, 700), 1), device=apart)
    check(lambda: xp.sqrt(xp.abs(xp.sum(x))) + 1)
    assert launches(lambda: xp.sum(x) * 2) == ["sum", "combine"]


def test_cpus_have_launches_of_their_own(device: Device) -> None:
    x = xp.asarray(sample("float32", (3000, 700), 1), device=device)
    if not device.is_gpu:
        assert "what follows it" not in xp.explain(xp.mean(x, axis=1))
