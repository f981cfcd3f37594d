"""`python -m conformance.accuracy.gpupy`: Tables I and II of the GpuPy paper, with our errors beside the paper's.

The paper gives percentiles of the errors in ulps, in float32, of NumPy in 2008 and of GpuPy on a GPU of that year. It
does not say which arguments it took. Ours are those of the accuracy report, which are denser where functions are hard.
Prints the table of docs/ancestors/gpupy.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arrayapi_gpu.backends import default_device
from arrayapi_gpu.backends.base import Device
from conformance.accuracy import meter
from conformance.accuracy.__main__ import on_device, on_host
from conformance.accuracy.functions import REAL_FUNCTIONS, arguments, exact_real

PERCENTILES = (50, 75, 97, 98, 99, 100)

# The percentiles of the paper by its names: NumPy's, then GpuPy's.
TABLES: dict[str, tuple[Sequence[float], Sequence[float]]] = {
    "add": ((0, 0, 0.5, 0.5, 0.5, 0.5), (0, 0, 0.5, 0.5, 0.5, 0.5)),
    "subtract": ((0, 0, 0.5, 0.5, 0.5, 0.5), (0, 0, 0.5, 0.5, 0.5, 0.5)),
    "multiply": ((0.243, 0.371, 0.488, 0.494, 0.499, 0.5), (0.243, 0.371, 0.488, 0.494, 0.499, 0.5)),
    "divide": ((0.25, 0.367, 0.491, 0.499, 0.5, 0.5), (0.313, 0.542, 0.958, 1.0, 1.11, 1.5)),
    "arccos": ((0.204, 0.338, 0.465, 0.478, 0.49, 0.495), (207, 404, 547, 561, 567, 705)),
    "arcsin": ((0.241, 0.359, 0.485, 0.489, 0.494, 0.498), (563, 1650, 9090, 12500, 12500, 9.3e6)),
    "arctan": ((0.234, 0.317, 0.478, 0.486, 0.486, 0.489), (34.4, 46.3, 66.9, 67.2, 68.3, 72.2)),
    "cos": ((0.248, 0.375, 0.486, 0.491, 0.495, 0.5), (2.06, 5.55, 55.7, 80.2, 158, 14200)),
    "cosh": ((0.243, 0.389, 0.486, 0.487, 0.498, 0.498), (0.798, 1.16, 1.94, 2.02, 2.1, 2.24)),
    "exp": ((0.218, 0.343, 0.482, 0.483, 0.487, 0.489), (1.09, 1.45, 2.32, 2.42, 2.65, 2.75)),
    "fmod": ((0, 0, 0, 0, 0, 0), (1, 2, 1.89e5, 3.15e5, 1.05e6, 1.61e7)),
    "log": ((0.238, 0.374, 0.467, 0.477, 0.492, 0.496), (0.552, 0.888, 1.53, 1.68, 2.09, 4.3)),
    "log10": ((0.259, 0.379, 0.478, 0.482, 0.496, 0.497), (0.322, 0.555, 1.04, 1.16, 1.34, 4.39)),
    "power": ((0.24, 0.371, 0.483, 0.487, 0.493, 0.5), (3.68, 7.55, 18.8, 20.6, 23.5, 34.7)),
    "sin": ((0.234, 0.378, 0.469, 0.483, 0.487, 0.496), (1.68, 4.99, 34.2, 35.4, 80, 7.86e6)),
    "sinh": ((0.337, 0.594, 0.983, 1.15, 1.18, 1.2), (1.73, 2.47, 7.58, 15, 26.2, 67)),
    "sqrt": ((0.216, 0.374, 0.479, 0.482, 0.49, 0.492), (0.329, 0.538, 1, 1, 1, 1.32)),
    "tan": ((0.237, 0.367, 0.482, 0.486, 0.488, 0.496), (7.27, 17.1, 76.7, 205, 8.39e6, 1.68e7)),
    "tanh": ((0.181, 0.341, 0.466, 0.473, 0.485, 0.495), (1.53, 2.24, 11, 16.9, 18.6, 20.1)),
}

# Operations that the paper names without figures, since they compute nothing: their errors are 0.
EXACT = (
    "absolute", "ceil", "equal", "fabs", "floor", "greater", "greater_equal", "less", "less_equal", "maximum",
    "minimum", "not_equal",
)  # fmt: skip

OURS = {"arccos": "acos", "arcsin": "asin", "arctan": "atan", "fmod": "remainder", "power": "pow"}
OURS |= {"absolute": "abs", "fabs": "abs"}
FUNCTIONS = {function.name: function for function in REAL_FUNCTIONS}


def percentiles(name: str, device: Device | None, count: int) -> list[float]:
    """The percentiles of the errors of an operation, by the paper's name: a device's, or NumPy's of today for None."""
    function = FUNCTIONS[OURS.get(name, name)]
    x = arguments(function, np.dtype(np.float32), count)
    exact = exact_real(function, x)
    got = (on_device(device) if device else on_host)(function.name, x)
    found: list[float] = np.percentile(meter.errors(got, exact)[exact.counted], PERCENTILES).tolist()
    return found


def rows(device: Device, count: int) -> list[list[Any]]:
    """Operation, source and percentiles."""
    found: list[list[Any]] = []
    for name, (theirs, gpupy) in TABLES.items():
        found.append([name, "NumPy, 2008", *theirs])
        found.append(["", "GpuPy, 2008", *gpupy])
        found.append(["", "NumPy, today", *percentiles(name, None, count)])
        found.append(["", "arrayapi_gpu", *percentiles(name, device, count)])
    return found


def main() -> None:
    """Print the table."""
    print(f"| operation | source |{''.join(f' P{p} |' for p in PERCENTILES)}\n|---|---|{'--:|' * len(PERCENTILES)}")
    for name, source, *figures in rows(default_device(), 1_500_000):
        print(f"| {name} | {source} | {' | '.join(f'{figure:.3g}' for figure in figures)} |")


if __name__ == "__main__":
    main()
