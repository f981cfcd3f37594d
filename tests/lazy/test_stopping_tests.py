"""Loops that read a number in each step: a step takes as much work and memory as one long before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

State = dict[str, Any]
ELEMENTS = 60_000
STEPS, BEGINNING = 40, 16


def relaxation(m: Any, s: State) -> Any:
    d = 0.125 * (s["z"] - 3)
    s["z"] = s["z"] - d
    return m.max(m.abs(d))


def held_relaxation(m: Any, s: State) -> Any:
    s["d"] = 0.125 * (s["z"] - 3)
    s["z"] = s["z"] - s["d"]
    return m.max(m.abs(s["d"]))


def newton(m: Any, s: State) -> Any:
    f = s["z"] * s["z"] - 2
    d = f / (2 * s["z"])
    s["z"] = s["z"] - d
    return m.max(m.abs(d))


def momentum(m: Any, s: State) -> Any:
    g = s["z"] - 3
    s["v"] = 0.875 * s["v"] - 0.125 * g
    s["z"] = s["z"] + s["v"]
    return m.max(g * g)


def adam(m: Any, s: State) -> Any:
    g = 2 * (s["z"] - 3)
    s["m"] = 0.875 * s["m"] + 0.125 * g
    s["v"] = 0.75 * s["v"] + 0.25 * g * g
    s["z"] = s["z"] - 0.125 * s["m"] / (m.sqrt(s["v"]) + 1)
    return m.max(m.abs(g))


def runge_kutta(m: Any, s: State) -> Any:
    def slope(y: Any) -> Any:
        return 1 - y * y

    y, dt = s["z"], 0.125
    first = slope(y)
    second = slope(y + dt / 2 * first)
    third = slope(y + dt / 2 * second)
    s["z"] = y + dt / 6 * (first + 2 * second + 2 * third + slope(y + dt * third))
    return m.max(m.abs(first))


def read_now_and_then(m: Any, s: State) -> Any:
    g = s["z"] - 3
    s["v"] = s["v"] + g * 2
    s["z"] = s["z"] - 0.125 * g
    return m.min(s["v"]) if int(s["step"]) % 5 == 0 else m.max(g)


LOOPS = [relaxation, held_relaxation, newton, momentum, adam, runge_kutta, read_now_and_then]


def run(m: Any, step: Callable[[Any, State], Any], z: Any, steps: int) -> tuple[Any, list[float], list[float]]:
    state = {"z": z, "v": z * 0, "m": z * 0}
    found, read, live = [], [], []
    for number in range(steps):
        state["step"] = number
        with xp.record() as events:
            found.append(float(step(m, state)))
        read.append(sum(event.read for event in events))
        live.append(xp.memory(z.device).live if m is xp else 0)
    return (
        state["z"],
        found,
        [max(part) for part in (read[BEGINNING:], read[:BEGINNING], live[BEGINNING:], live[:BEGINNING])],
    )


def test_an_outer_product_is_not_stored(device: Device) -> None:
    x, y = (xp.asarray(np.random.default_rng(seed).random(400), device=device) for seed in range(2))

    def numbers(d: Any) -> list[Any]:
        far = xp.sqrt(d * d + 1) * xp.exp(-d) + d * d * 0.5
        return [xp.sum(far * far * number, axis=0) for number in range(5)]

    values = numbers(x[:, None] - y)
    for value in values:
        with xp.record() as events:
            xp.sync(value)
        assert sum(event.written for event in events) < 400 * 400 * 8


@pytest.mark.parametrize("step", LOOPS, ids=lambda step: step.__name__)
def test_steps_cost_the_same(device: Device, step: Callable[[Any, State], Any]) -> None:
    host = np.random.default_rng(5).random(ELEMENTS) + 1
    z, found, (read, read_before, live, live_before) = run(xp, step, xp.asarray(host, device=device), STEPS)
    expected, numbers, _ = run(np, step, host, STEPS)
    np.testing.assert_allclose(z.to_numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(found, numbers, rtol=1e-12)
    assert read <= read_before
    assert live <= live_before + 2 * host.nbytes
