"""`python -m bench.consumers`: the first call of ten functions of SciPy's and scikit-learn's, and later ones.

Each is measured in a process of its own with an empty cache, as in a new environment. The module is imported, and the
arrays are in memory, before. NumPy's arrays are the comparison. `python -m bench.programs --consumers` measures larger
programs of these libraries.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from arrayapi_gpu.backends import default_device
from bench.libraries import library
from bench.report import columns

SWITCH = {"SCIPY_ARRAY_API": "1"}  # SciPy reads it when it is imported
SIZES = 10**3, 10**6  # elements of each sample, and of the matrix
FEATURES, CLASSES = 10, 3
SECONDS = 1.0  # of later calls
LEAST, MOST = 5, 1000  # later calls

# The module, and a call of its function on two samples, a matrix, and a number and a class for each of its rows.
Called = Callable[[Any, Any, Any, Any, Any, Any], Any]


def _tested(result: Any) -> tuple[Any, Any]:
    return result.statistic, result.pvalue


CALLS: Mapping[str, tuple[str, Called]] = {
    "ttest_ind": ("scipy.stats", lambda m, x, y, rows, t, k: _tested(m.ttest_ind(x, y))),
    "zscore": ("scipy.stats", lambda m, x, y, rows, t, k: m.zscore(x)),
    "pearsonr": ("scipy.stats", lambda m, x, y, rows, t, k: _tested(m.pearsonr(x, y))),
    "spearmanr": ("scipy.stats", lambda m, x, y, rows, t, k: _tested(m.spearmanr(x, y))),
    "logsumexp": ("scipy.special", lambda m, x, y, rows, t, k: m.logsumexp(x)),
    "welch": ("scipy.signal", lambda m, x, y, rows, t, k: m.welch(x)),
    "hilbert": ("scipy.signal", lambda m, x, y, rows, t, k: m.hilbert(x)),
    "PCA": ("sklearn.decomposition", lambda m, x, y, rows, t, k: m.PCA(n_components=3).fit_transform(rows)),
    "Ridge": ("sklearn.linear_model", lambda m, x, y, rows, t, k: m.Ridge(solver="svd").fit(rows, t).predict(rows)),
    "LDA": (
        "sklearn.discriminant_analysis",
        lambda m, x, y, rows, t, k: m.LinearDiscriminantAnalysis().fit(rows, k).predict(rows),
    ),
}


def one(name: str, call: str, size: int) -> tuple[float, float]:
    """Return the seconds of a library's first call, and the least of later ones."""
    module, called = CALLS[call]
    imported = importlib.import_module(module)
    if module.startswith("sklearn"):
        importlib.import_module("sklearn").set_config(array_api_dispatch=True)
    lib, rng = library(name), np.random.default_rng(1)
    rows = rng.normal(size=(size // FEATURES, FEATURES))
    hosts = (rng.normal(size=size), rng.normal(size=size), rows, rows.sum(axis=1), np.argmax(rows[:, :CLASSES], axis=1))
    arrays = [lib.take(host) for host in hosts]
    lib.wait()

    def seconds() -> float:  # welch gives NumPy's arrays
        began = perf_counter()
        result = called(imported, *arrays)
        results = result if isinstance(result, tuple) else (result,)
        lib.start(*[each for each in results if isinstance(each, type(arrays[0]))])
        lib.wait()
        return perf_counter() - began

    first, later = seconds(), list[float]()
    while len(later) < LEAST or (sum(later) < SECONDS and len(later) < MOST):
        later.append(seconds())
    return first, min(later)


def least(name: str, call: str, size: int, rounds: int) -> tuple[float, float]:
    """Return the least of both in several new processes."""
    firsts, laters = zip(*[apart(name, call, size) for _ in range(rounds)], strict=True)
    return min(firsts), min(laters)


def apart(name: str, call: str, size: int) -> tuple[float, float]:
    """Return the same, measured in a new process whose cache is empty."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **SWITCH, "ARRAYAPI_GPU_CACHE_DIR": folder, "POCL_CACHE_DIR": folder}
        command = [sys.executable, "-m", "bench.consumers", "--one", name, call, str(size)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    first, later = json.loads(done.stdout.splitlines()[-1])
    return first, later


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.consumers", description=__doc__)
    add = parser.add_argument
    add("--device", default=default_device().name, metavar="D", help="(default: the default device)")
    add("--only", nargs="+", default=list(CALLS), choices=list(CALLS), metavar="CALL", help="(default: all)")
    add("--sizes", nargs="+", type=int, default=SIZES, metavar="N", help="elements (default: 10^3 and 10^6)")
    add("--rounds", type=int, default=3, metavar="N", help="processes for each figure; the least counts (3)")
    add("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, call, size = options.one
        print(json.dumps(one(name, call, int(size))))
        return
    body = []
    for size in options.sizes:
        for call in options.only:
            found = [least(name, call, size, options.rounds) for name in (options.device, "NumPy")]
            (first, later), (beside_first, beside) = found
            times = [f"{1e3 * seconds:.3f}" for seconds in (first, later, beside_first, beside)]
            body.append([call, f"{size:,}", *times, f"{first / later:.2f}", f"{later / beside:.2f}"])
            print(*body[-1], file=sys.stderr, flush=True)
    head = ["ms", "elements", "first call", "later", "NumPy's first", "later", "first / later", "times NumPy's"]
    print(f"{options.device}, NumPy {np.__version__}\n\n{columns(head, body)}")


if __name__ == "__main__":
    main()
