"""How well samples fit a distribution: the chi-square test of Pearson, and the test of mean and variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

HostArray = np.ndarray[Any, Any]

CELLS = 24


def chance(samples: HostArray, distribution: Callable[[float], Any]) -> float:
    """The probability of counts at least as far from those expected.

    The cells lie between quantiles of the first eighth of the samples; the others are counted. ``distribution`` gives
    the probability of numbers up to one.
    """
    first, rest = np.split(samples.astype(np.float64).reshape(-1), [samples.size // 8])
    edges = np.unique(np.quantile(first, np.arange(1, CELLS) / CELLS, method="nearest"))
    below = [0.0, *(float(distribution(edge)) for edge in edges.tolist()), 1.0]
    expected = np.diff(below) * rest.size
    counts = np.bincount(np.searchsorted(edges, rest, side="left"), minlength=expected.size)
    keep = expected >= 5
    if not keep.all():
        expected = np.append(expected[keep], expected[~keep].sum())
        counts = np.append(counts[keep], counts[~keep].sum())
        if expected[-1] < 5:
            expected, counts = np.append(expected[:-2], expected[-2:].sum()), np.append(counts[:-2], counts[-2:].sum())
    statistic = float(np.sum((counts - expected) ** 2 / expected))
    return float(mpmath.gammainc((expected.size - 1) / 2, statistic / 2, regularized=True))


def moments_off(samples: HostArray, mean: float, variance: float) -> float:
    """How many standard errors the mean is off, or the variance, whichever is more."""
    x = samples.astype(np.float64)
    deviations = (x - mean) ** 2
    of_mean = abs(x.mean() - mean) / math.sqrt(variance / x.size)
    spread = max(float(deviations.std()), 1e-9 * variance)  # 0 of two values that are as likely
    of_variance = abs(deviations.mean() - variance) / (spread / math.sqrt(x.size))
    return float(max(of_mean, of_variance))
