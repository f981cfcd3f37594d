"""`python -m bench.overhead`: the first use, in new processes.

That is the import, and the first `sum(a * b + c)` after the device's context exists, with nothing compiled before and
with everything in the caches on disk. `python -m bench small` measures what comes later.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

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
