"""GpuPy's two programs as cases of the benchmark, in the paper's sizes."""

from __future__ import annotations

from bench.case import Case
from bench.programs.distance_map import distance_map, random_points
from bench.programs.shaded_sphere import render


def cases(size: int) -> list[Case]:
    """Return the programs; they have sizes of their own, `size` does not matter."""
    points = random_points()
    return [
        Case("shaded sphere, 512 x 512", lambda xp: render(xp)),
        Case("distance map, 512 x 512, 5,000 points", lambda xp: distance_map(xp, points), faster=(10, 10)),
    ]
