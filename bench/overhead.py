"""What an operation costs before any element is computed: arrays of 1,000 elements.

`python -m bench.overhead` measures the first use, in new processes: the import, and the first `sum(a * b + c)` after
the device's context exists, with nothing compiled before and with everything in the caches on disk.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from bench.case import Case
from bench.elementwise import EXPRESSION, expression
from bench.report import columns

FIRST = """
import json
from time import perf_counter
began = perf_counter()
import arrayapi_gpu as xp
imported = perf_counter()
a, b, c = (xp.asarray([1.0] * 1000, dtype=xp.float32) for _ in range(3))
xp.sync(a, b, c)
ready = perf_counter()
float(xp.sum(a * b + c))
print(json.dumps([imported - began, perf_counter() - ready]))
"""


def cases(size: int) -> list[Case]:
    """Return the cases; `size` does not matter, arrays are small. Targets are times."""
    source = np.random.default_rng(0)
    x, y = (source.random(1000, dtype=np.float32) for _ in range(2))
    us = 1e-6
    return [
        Case("building one node", _add, (x, y), seconds=1 * us, waits=False),
        Case("x + y, launched", _launch, (x, y), seconds=10 * us, waits=False),
        Case("x + y, waited for", _add, (x, y), numexpr="a + b"),
        Case("x[10:500]", lambda xp, x: x[10:500], (x,), seconds=1.4 * us, waits=False),
        Case("sum(x)", lambda xp, x: xp.sum(x), (x,), seconds=9 * us, numexpr="sum(a)"),
        Case("expression", expression, (x, y), seconds=30 * us, numexpr=EXPRESSION),
    ]


def _add(xp: Any, x: Any, y: Any) -> Any:
    return x + y


def _launch(xp: Any, x: Any, y: Any) -> Any:
    """Launch the sum without waiting for it; other libraries than ours launch anyway."""
    z = x + y
    if hasattr(xp, "compute"):
        xp.compute(z)
    return z


def first_use(repeats: int = 7) -> dict[str, float]:
    """Milliseconds of the import, which loads NumPy too, and of the first sum with cold and with warm caches."""
    with tempfile.TemporaryDirectory() as folder:
        places = dict.fromkeys(("PYTHONPYCACHEPREFIX", "ARRAYAPI_GPU_CACHE_DIR", "POCL_CACHE_DIR"), folder)
        environment = {**os.environ, **places}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        found = []
        for _ in range(1 + repeats):
            run = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, check=True)
            found.append([1e3 * seconds for seconds in json.loads(run.stdout)])
    (_, cold), *warm = found
    return {
        "import arrayapi_gpu": statistics.median(imported for imported, _ in warm),
        "first sum(a * b + c), cache warm": statistics.median(first for _, first in warm),
        "first sum(a * b + c), cache cold": cold,
    }


if __name__ == "__main__":
    reach = (150, 50, 500)
    body = [[name, f"{ms:.0f}", str(most)] for (name, ms), most in zip(first_use().items(), reach, strict=True)]
    print(columns(["first use", "ms", "to reach"], body))
