"""Programs of particles."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, device_of, drawn, floats, normals


def n_body(xp: Any, position: Any, velocity: Any, mass: Any) -> tuple[Any, Any]:
    """One step of bodies that attract each other."""
    d = position[None, :, :] - position[:, None, :]
    distance = xp.sum(d * d, axis=2) + 0.01
    pull = mass[None, :] / (distance * xp.sqrt(distance))
    velocity = velocity + 0.01 * xp.sum(d * pull[:, :, None], axis=1)
    return position + 0.01 * velocity, velocity


def lennard_jones(xp: Any, position: Any) -> tuple[Any, Any]:
    """Forces in a periodic box, and the energy."""
    d = position[:, None, :] - position[None, :, :]
    d = d - xp.round(d)
    squared = xp.sum(d * d, axis=2) + xp.eye(position.shape[0], dtype=position.dtype, device=device_of(position)) * 1e6
    inverse = 1e-4 / squared
    sixth = inverse * inverse * inverse
    force = xp.sum(d * ((48.0 * sixth * sixth - 24.0 * sixth) / squared)[:, :, None], axis=1)
    return force, xp.sum(4.0 * (sixth * sixth - sixth))


def runge_kutta(xp: Any, position: Any, velocity: Any) -> tuple[Any, Any]:
    """100 steps of a pendulum with friction."""

    def slope(x: Any, v: Any) -> tuple[Any, Any]:
        return v, -xp.sin(x) - 0.1 * v

    h = 0.01
    for _ in range(100):
        a, b = slope(position, velocity)
        c, d = slope(position + 0.5 * h * a, velocity + 0.5 * h * b)
        e, f = slope(position + 0.5 * h * c, velocity + 0.5 * h * d)
        g, k = slope(position + h * e, velocity + h * f)
        position = position + (h / 6) * (a + 2 * c + 2 * e + g)
        velocity = velocity + (h / 6) * (b + 2 * d + 2 * f + k)
    return position, velocity


def boids(xp: Any, position: Any, velocity: Any) -> tuple[Any, Any]:
    """One step of a flock: each follows the neighbours' direction and centre, and keeps away from the nearest."""
    d = position[None, :, :] - position[:, None, :]
    squared = xp.sum(d * d, axis=2)
    near = xp.astype(squared < 0.01, position.dtype)
    count = xp.sum(near, axis=1, keepdims=True)
    centre = xp.sum(d * near[:, :, None], axis=1) / count
    direction = near @ velocity / count
    away = xp.sum(xp.where((squared < 0.0004)[:, :, None], -d, 0.0), axis=1)
    velocity = 0.8 * velocity + 0.1 * centre + 0.1 * direction + 0.5 * away
    return (position + 0.01 * velocity) % 1.0, velocity


def _bodies(rng: np.random.Generator, n: int) -> Inputs:
    return normals(rng, n, 3), normals(rng, n, 3), floats(rng, n)


PROGRAMS = (
    Program("n-body, one step", "particles", n_body, _bodies, 20, 1024, 8192),
    Program("Lennard-Jones forces", "particles", lennard_jones, drawn(floats, (N, 3)), 20, 1024, 4096),
    Program("Runge-Kutta, 100 steps", "particles", runge_kutta, drawn(normals, (N,), (N,)), 10, 1000, 1000),
    Program(
        "boids, one step", "particles", boids, lambda rng, n: (floats(rng, n, 2), normals(rng, n, 2)), 20, 1024, 8192
    ),
)
