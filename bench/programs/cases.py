"""All programs. They were chosen and written down before anything was measured."""

from __future__ import annotations

from typing import Any

from bench.programs import (
    distance_map,
    equations,
    finance,
    graphs,
    images,
    learning,
    particles,
    shaded_sphere,
    statistics,
)
from bench.programs.program import Program, device_of, drawn, floats

_POINTS = distance_map.random_points()


def _sphere(xp: Any, like: Any) -> Any:
    return shaded_sphere.render(xp, device=device_of(like))


def _map(xp: Any, like: Any) -> Any:
    return distance_map.distance_map(xp, _POINTS, device=device_of(like))


# The programs of the GpuPy paper, which make their arrays themselves, on the device of an input, and have one size.
_GPUPY = (
    Program("shaded sphere, 512 x 512", "images", _sphere, drawn(floats, (1,)), 1, 1, 1),
    Program(
        "distance map, 512 x 512, 5,000 points", "images", _map, drawn(floats, (1,)), 1, 1, 1,
    ),
)  # fmt: skip

PROGRAMS: tuple[Program, ...] = (
    *_GPUPY,
    *finance.PROGRAMS,
    *particles.PROGRAMS,
    *images.PROGRAMS,
    *statistics.PROGRAMS,
    *graphs.PROGRAMS,
    *equations.PROGRAMS,
    *learning.PROGRAMS,
)
