"""All programs. They were chosen and written down before anything was measured."""

from __future__ import annotations

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
from bench.programs.program import Program

_POINTS = distance_map.random_points()

# The programs of the GpuPy paper, which make their arrays themselves and have one size.
_GPUPY = (
    Program("shaded sphere, 512 x 512", "images", shaded_sphere.render, lambda rng, n: (), 1, 1, 1),
    Program(
        "distance map, 512 x 512, 5,000 points", "images", lambda xp: distance_map.distance_map(xp, _POINTS),
        lambda rng, n: (), 1, 1, 1,
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
