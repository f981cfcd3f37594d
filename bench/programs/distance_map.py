"""A distance map (GpuPy, section 5.2): how far each pixel is from the nearest of many points.

The ridges of the picture are the Voronoi diagram of the points. Each point adds six operations to
one expression, which is what puts a lazy engine to the test.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from bench.programs.compare import compare

Point = tuple[float, float]


def random_points(count: int = 5000, size: int = 512, seed: int = 0) -> list[Point]:
    """Return the same points every time."""
    source = random.Random(seed)
    return [(source.uniform(0, size), source.uniform(0, size)) for _ in range(count)]


def distance_map(xp: Any, points: Sequence[Point], size: int = 512, device: Any = None) -> Any:
    """Return the map as float32 of shape (size, size), on a device, its least value at 0, its greatest at 1."""
    pixels = xp.arange(size, dtype=xp.float32, device=device)
    x, y = xp.reshape(pixels, (1, size)), xp.reshape(pixels, (size, 1))
    squared = xp.full((size, size), xp.inf, dtype=xp.float32, device=device)
    for px, py in points:
        squared = xp.minimum(squared, (x - px) ** 2 + (y - py) ** 2)
    distance = xp.sqrt(squared)
    low, high = xp.min(distance), xp.max(distance)
    return (distance - low) / (high - low)


if __name__ == "__main__":
    some = random_points()
    sys.exit(0 if compare("distance_map", lambda xp: distance_map(xp, some)) else 1)
