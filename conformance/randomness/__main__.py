"""`python -m conformance.randomness`: writes RANDOM.md. Exit status: 0 all p-values are possible, 1 not so."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random.philox import STREAM_VERSION
from conformance.randomness.battery import BATTERY, chi_square_p, drawn, streams
from conformance.randomness.rows import CONTINUOUS, DISCRETE, distribution, draw

PAGE = Path(__file__).parents[1] / "RANDOM.md"
BINS = 1000
IMPOSSIBLE = 1e-6  # below this p-value a test fails: one of some 150 does so by chance once in 6,000 runs

TOP = """\
# The quality of random numbers

Version {version} of the streams. P-values of a run of `python -m conformance.randomness` on {device}.
Of random numbers they are uniform, and none is below {impossible:g}. Seeds are fixed: a run can be repeated.

"""

Row = tuple[str, str, float]


def bins_of(name: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Edges between bins of a distribution, and the probability of being below each."""
    expected = distribution(name, arguments)
    edges = np.unique(expected.ppf(np.arange(1, BINS) / BINS))
    edges = edges[np.isfinite(edges)]
    return edges, expected.cdf(edges)


def fit(name: str, arguments: tuple[Any, ...], dtype: str, samples: int, device: Device) -> tuple[float, float]:
    """The p-values of a chi-square test over bins as likely, and of the largest distance between distribution
    functions at their edges (Kolmogorov and Smirnov)."""
    edges, below = bins_of(name, arguments)
    x = xp.sort(draw(xp.random.default_rng(20261124, device), name, arguments, samples, dtype=dtype))
    side: Any = "right"  # up to an edge
    edges = edges.astype(x.dtype) if x.dtype.kind == "f" else edges
    if x.dtype.kind == "f":  # samples are rounded: "up to an edge" is up to the middle between it and the next number
        middle = (edges.astype(np.float64) + np.nextafter(edges, np.inf, dtype=x.dtype)) / 2
        below = distribution(name, arguments).cdf(middle)
    found = np.asarray(xp.searchsorted(x, xp.asarray(edges, dtype=x.dtype, device=device), side=side)) / samples
    chances, counts = np.diff(np.concatenate([[0], below, [1]])), np.diff(np.concatenate([[0], found, [1]])) * samples
    wide = chances * samples >= 10
    others = np.array([chances[~wide].sum() * samples]), np.array([counts[~wide].sum()])
    expected = np.concatenate([chances[wide] * samples, others[0][others[0] >= 10]])
    got = np.concatenate([counts[wide], others[1][others[0] >= 10]])
    distance = np.abs(found - below).max() * np.sqrt(samples)
    smirnov = float(importlib.import_module("scipy.special").kolmogorov(distance))  # the limit for many samples
    return chi_square_p(got, expected * got.sum() / expected.sum()), smirnov


def of_streams(words: int, device: Device, seed: int = 1) -> Iterator[Row]:
    """The battery on streams."""
    for title, sources in streams(seed).items():
        w = drawn(sources, words, device)
        for test in BATTERY:
            yield title, test.__name__, test(w)


def of_distributions(samples: int, device: Device) -> Iterator[Row]:
    """Every distribution, in each dtype."""
    for table in (CONTINUOUS, DISCRETE):
        for name, rows in table.items():
            for arguments in rows:
                if max(arguments, default=0) == 2**40:
                    continue
                for dtype in ("float64", "float32") if table is CONTINUOUS else ("int64",):
                    chi_square, smirnov = fit(name, arguments, dtype, samples, device)
                    call = f"{name}({', '.join(map(str, arguments))}), {dtype}"
                    yield call, "chi-square", chi_square
                    yield call, "Kolmogorov and Smirnov", smirnov


def table(rows: list[Row]) -> list[str]:
    """Markdown: what was drawn down, tests across."""
    tests = list(dict.fromkeys(test for _, test, _ in rows))
    lines = [f"| drawn | {' | '.join(tests)} |", "|---|" + "--:|" * len(tests)]
    for title in dict.fromkeys(title for title, _, _ in rows):
        values = {test: p for drawn_, test, p in rows if drawn_ == title}
        lines.append(f"| {title} | {' | '.join(f'{values[test]:.3g}' for test in tests)} |")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Run, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m conformance.randomness", description=__doc__)
    parser.add_argument("--device", metavar="D", help="(default: the default device)")
    parser.add_argument("--samples", type=int, default=10**8, metavar="N", help="of each distribution (%(default)s)")
    parser.add_argument("--words", type=int, default=10**8, metavar="N", help="of each stream (%(default)s)")
    parser.add_argument("--output", type=Path, default=PAGE, metavar="FILE", help="(%(default)s)")
    options = parser.parse_args(arguments)
    device = backends.get_device(options.device)
    raw = list(of_streams(options.words, device))
    fits = list(of_distributions(options.samples, device))
    top = TOP.format(version=STREAM_VERSION, device=f"{device.description}", impossible=IMPOSSIBLE)
    lines = [f"## Raw words, {options.words:,}", "", *table(raw), ""]
    lines += [f"## Distributions, {options.samples:,} samples", "", *table(fits), ""]
    options.output.write_text(top + "\n".join(lines), encoding="utf-8")
    failed = [row for row in raw + fits if not row[2] >= IMPOSSIBLE]
    for title, test, p in failed:
        print(f"{title}: {test}: p = {p:.3g}", file=sys.stderr)
    print(f"{options.output}: {len(raw + fits) - len(failed)} of {len(raw + fits)} p-values are {IMPOSSIBLE:g} or more")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
