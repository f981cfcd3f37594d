"""`make demo`: the two programs of the GpuPy paper on the default device, checked against NumPy."""

from __future__ import annotations

import sys

from bench.programs.compare import PICTURES, compare
from bench.programs.distance_map import distance_map, random_points
from bench.programs.shaded_sphere import render


def main() -> int:
    """Run both; return the exit status, 0 if every picture equals NumPy's."""
    points = random_points()
    programs = {"shaded_sphere": render, "distance_map": lambda xp: distance_map(xp, points)}
    # All programs run, whatever the first one finds.
    equal = [compare(name, program) for name, program in programs.items()]
    print(f"pictures: {PICTURES.resolve()}")
    if not all(equal):
        print("a picture differs from NumPy's by more than float32 accuracy", file=sys.stderr)
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
