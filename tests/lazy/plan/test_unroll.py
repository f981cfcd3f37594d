"""Reductions of few elements within expressions: as many launches as there should be, and the bits of the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import launches, no_launch, sample, scalar_twin, to_host
from support.compare import assert_same as same

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.reductions.reduce_schedule import combined, order_of

SHAPES = [  # and axes: along and across, at the beginning, in the middle and several, one and all blocks and strips
    ((40, 3), (1,)), ((3, 40), (0,)), ((5, 8, 7), (1,)), ((40, 32), (1,)), ((32, 40), (0,)), ((2, 5, 3, 6), (0, 2)),
    ((4, 2, 3), (1, 2)), ((40, 17), (1,)), ((17, 40), (0,)), ((9, 1), (1,)), ((3, 24, 2), (1,)), ((31, 2), (0,)),
]  # fmt: skip
FOLLOWED = ("sum+", "prod+", "argmax+")  # how the names of such launches begin
CASES = [("sum", "float32", *where) for where in SHAPES]
KINDS = [(name, dtype) for name in ("sum", "prod", "max", "min") for dtype in ("int16", "float16", "float64", "uint64")]
KINDS += [("any", "bool"), ("all", "bool"), ("sum", "complex64"), ("prod", "complex64")]
CASES += [(name, dtype, *SHAPES[k % len(SHAPES)]) for k, (name, dtype) in enumerate(KINDS)]


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays, and whatever it costs."""
    monkeypatch.setattr(tuning, "UNROLLED_FROM", (0, 0))
    monkeypatch.setattr(tuning, "UNROLLED_COST", (1 << 20, 1 << 20))


@pytest.fixture(params=["its own lanes", "one lane"], name="machine")
def _machine(device: Device, request: pytest.FixtureRequest) -> Device:
    """The device, and the same with GPUs' kernels, which have another order."""
    return device if device.is_gpu or request.param == "its own lanes" else scalar_twin(device)


def count_launches(x: xp.Array) -> int:
    """How many launches compute an array. The launch of a reduction and what follows it, on GPUs, counts as two."""
    with launches() as made:
        xp.compute(x)
    return len(made) + sum([one.kernel.startswith(FOLLOWED) for one in made])


def assert_same(x: xp.Array, expected: Any) -> None:
    """The values of an array, bit by bit."""
    same(to_host(x), expected)


def _apart(function: Callable[[], xp.Array]) -> Any:
    """What comes out where each operation is a launch of its own."""
    config.fusion = False
    try:
        return to_host(function())
    finally:
        config.fusion = True


@pytest.mark.parametrize(("name", "dtype", "shape", "axes"), CASES, ids=str)
def test_one_launch_has_the_bits_of_the_reduction_alone(
    name: str, dtype: str, shape: Any, axes: Any, machine: Device
) -> None:
    x = xp.asarray(sample(dtype, shape), device=machine)

    def program() -> xp.Array:
        found = getattr(xp, name)(x, axis=axes)
        result: xp.Array = xp.logical_not(found) if found.dtype == xp.bool else found * found
        return result

    found = program()
    assert count_launches(found) == (2 if (name, dtype) == ("prod", "complex64") else 1)
    assert_same(found, _apart(program))


@pytest.mark.parametrize("value", [0.0, -0.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_special_values(name: str, value: float, machine: Device) -> None:
    x = xp.asarray(np.array([[value, value], [value, -1.0], [0.0, value]], "float32"), device=machine)

    def program() -> xp.Array:
        found: xp.Array = xp.copysign(xp.asarray(1.0, device=machine), getattr(xp, name)(x, axis=1)) * 2
        return found

    assert_same(program(), _apart(program))


def test_what_is_reduced_is_computed_in_the_launch_that_uses_it(machine: Device) -> None:
    rng = np.random.default_rng(3)
    p, w = rng.random((50, 3), dtype="float32"), rng.random(50, dtype="float32")
    a, b = xp.asarray(p, device=machine), xp.asarray(w, device=machine)

    def forces(m: Any, p: Any, w: Any) -> Any:
        d = p[None, :, :] - p[:, None, :]
        squared = m.sum(d * d, axis=2) + 0.5
        return m.sum(d * (w / (squared * m.sqrt(squared)))[:, :, None], axis=1)

    found = forces(xp, a, b)
    assert count_launches(found) == 1
    np.testing.assert_allclose(to_host(found), forces(np, p, w), rtol=1e-4, atol=1e-3)
    assert_same(found, _apart(lambda: forces(xp, a, b)))


def test_a_reduction_that_a_user_holds_is_one_more_result(machine: Device) -> None:
    x = xp.asarray(np.arange(60, dtype="float32").reshape(20, 3), device=machine)
    total = xp.sum(x * 0.5, axis=1)
    other = xp.sqrt(total)
    assert count_launches(other) == 1
    with no_launch():
        to_host(total)
    assert_same(total, (np.arange(60, dtype="float32").reshape(20, 3) * np.float32(0.5)).sum(axis=1))


def test_an_operand_that_changes_afterwards(machine: Device) -> None:
    x = xp.asarray(np.arange(60, dtype="float32").reshape(20, 3), device=machine)
    before = xp.sum(x, axis=1) * 2
    x[...] = 0
    assert_same(before, np.arange(60, dtype="float32").reshape(20, 3).sum(axis=1) * 2)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("argmax", "positions"), ("sum of a long axis", "33 elements"), ("of a scan", "a step below"),
        ("of a held value", "that is computed anyhow"), ("broadcast", "computed again too often"),
    ],
)  # fmt: skip
def test_what_is_computed_on_its_own(name: str, reason: str, machine: Device) -> None:
    x = xp.asarray(np.arange(330, dtype="float32").reshape(10, 33), device=machine)
    y = xp.asarray(np.ones((10, 5, 3), "float32"), device=machine)
    held = x[:, :3] * 2
    programs: dict[str, Callable[[], xp.Array]] = {
        "argmax": lambda: xp.argmax(x[:, :3], axis=1) + 1,
        "sum of a long axis": lambda: xp.sum(x, axis=1) + 1,
        "of a scan": lambda: xp.sum(xp.cumulative_sum(x[:, :3], axis=1), axis=1) + 1,
        "of a held value": lambda: xp.sum(held, axis=1) + 1,
        "broadcast": lambda: xp.sum(x[:, :15] * 2, axis=1)[:, None, None] + y,
    }
    program = programs[name]
    found = program()
    assert count_launches(found) > 1, reason
    assert_same(found, _apart(program))


def test_small_arrays_are_computed_apart(machine: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python takes longer to write the expression than a launch takes."""
    monkeypatch.undo()
    x = xp.asarray(np.ones((10, 3), "float32"), device=machine)
    found = xp.sum(x, axis=1) * 2
    assert count_launches(found) == 2


def test_what_costs_too_much_is_computed_apart(machine: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "UNROLLED_COST", (48, 48))
    x = xp.asarray(np.ones((10, 4), "float32"), device=machine)
    found = xp.sum(xp.exp(x), axis=1) * 2
    assert count_launches(found) == 2


def test_explain_says_what_evaluation_does(machine: Device) -> None:
    x = xp.asarray(np.ones((10, 3), "float32"), device=machine)
    text = xp.explain(xp.sum(x * 2, axis=1) + 1)
    assert text.count("# launch") == 1, text


@pytest.mark.parametrize("count", [1, 3, 8, 9, 17, 32])
@pytest.mark.parametrize("across", [False, True])
def test_every_element_is_combined_once(count: int, across: bool, machine: Device) -> None:
    shape, axes = ((count, 64), (0,)) if across else ((64, count), (1,))
    values = [[k] for k in range(count)]
    found = combined(values, order_of(shape, axes, machine.target), machine.target, lambda one, other: one + other)
    assert sorted(found) == list(range(count))
