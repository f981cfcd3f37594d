"""Programs of differential equations and cellular automata."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, drawn, floats


def life(xp: Any, cells: Any) -> Any:
    """Ten steps of the game of life on a torus."""
    for _ in range(10):
        count = sum(
            xp.roll(xp.roll(cells, i, axis=0), j, axis=1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )
        cells = xp.astype((count == 3) | ((cells == 1) & (count == 2)), cells.dtype)
    return cells


def heat(xp: Any, plate: Any) -> Any:
    """50 steps in place."""
    for _ in range(50):
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] += 0.1 * (around - 4 * plate[1:-1, 1:-1])
    return plate


def wave(xp: Any, now: Any, before: Any) -> tuple[Any, Any]:
    """20 steps of waves with fixed ends."""
    for _ in range(20):
        inner = now[1:-1, 1:-1]
        around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * inner
        after = 2 * inner - before[1:-1, 1:-1] + 0.1 * around
        after = xp.concat([now[1:-1, :1], after, now[1:-1, -1:]], axis=1)
        now, before = xp.concat([now[:1, :], after, now[-1:, :]], axis=0), now
    return now, before


def gray_scott(xp: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """Ten steps of two substances that react and spread."""

    def spread(a: Any) -> Any:
        return xp.roll(a, 1, axis=0) + xp.roll(a, -1, axis=0) + xp.roll(a, 1, axis=1) + xp.roll(a, -1, axis=1) - 4 * a

    for _ in range(10):
        reaction = u * v * v
        u, v = u + 0.16 * spread(u) - reaction + 0.06 * (1 - u), v + 0.08 * spread(v) + reaction - 0.122 * v
    return u, v


def burgers(xp: Any, u: Any) -> Any:
    """50 steps of a flow in one dimension that steepens, on a circle."""
    for _ in range(50):
        left, right = xp.roll(u, 1, axis=0), xp.roll(u, -1, axis=0)
        u = u - 0.05 * u * (right - left) + 0.02 * (right - 2 * u + left)
    return u


def _cells(rng: np.random.Generator, n: int) -> Inputs:
    return ((floats(rng, n, n) < 0.3).astype(np.int8),)


PROGRAMS = (
    Program("game of life, 10 steps", "equations", life, _cells, 20, 1024, 4096),
    Program("heat in place, 50 steps", "equations", heat, drawn(floats, (N, N)), 20, 1024, 4096, in_place=True),
    Program("waves, 20 steps", "equations", wave, drawn(floats, (N, N), (N, N)), 20, 1024, 4096),
    Program("Gray-Scott, 10 steps", "equations", gray_scott, drawn(floats, (N, N), (N, N)), 20, 1024, 4096),
    Program("Burgers, 50 steps", "equations", burgers, drawn(floats, (N,)), 50, 10**6, 2**24),
)
