"""Programs of statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, device_of, drawn, floats, normals


def k_means(xp: Any, points: Any, centres: Any) -> Any:
    """Five rounds of moving centres to the mean of the points that are nearest to them."""
    for _ in range(5):
        squared = xp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        nearest = xp.argmin(squared, axis=1)
        numbers = xp.arange(centres.shape[0], device=device_of(points))
        member = xp.astype(nearest[:, None] == numbers[None, :], points.dtype)
        centres = member.T @ points / xp.clip(xp.sum(member, axis=0), 1.0, None)[:, None]
    return centres


def density(xp: Any, samples: Any, at: Any) -> Any:
    """The density of samples by Gaussian kernels."""
    z = (at[:, None] - samples[None, :]) / 0.1
    return xp.mean(xp.exp(-0.5 * z * z), axis=1) * (0.3989422804014327 / 0.1)


def bootstrap(xp: Any, samples: Any, index: Any) -> tuple[Any, Any]:
    """Means of samples that are drawn again, and their standard deviation."""
    drawn = xp.reshape(xp.take(samples, xp.reshape(index, (-1,))), index.shape)
    means = xp.mean(drawn, axis=1)
    return means, xp.std(means)


def welch(xp: Any, a: Any, b: Any) -> Any:
    """Welch's t of each column of two groups."""
    va, vb = xp.var(a, axis=0, correction=1) / a.shape[0], xp.var(b, axis=0, correction=1) / b.shape[0]
    return (xp.mean(a, axis=0) - xp.mean(b, axis=0)) / xp.sqrt(va + vb)


def correlation(xp: Any, data: Any) -> Any:
    """The matrix of correlations between columns, without outliers beyond three standard deviations."""
    z = (data - xp.mean(data, axis=0)) / xp.std(data, axis=0)
    z = xp.clip(z, -3.0, 3.0)
    z = (z - xp.mean(z, axis=0)) / xp.std(z, axis=0)
    return z.T @ z / data.shape[0]


def _draws(rng: np.random.Generator, n: int) -> Inputs:
    return normals(rng, n), rng.integers(0, n, (200, n))


PROGRAMS = (
    Program(
        "k-means, 16 centres, 5 rounds", "statistics", k_means,
        drawn(floats, (N, 8), (16, 8)), 100, 2**15, 2**20,
    ),
    Program("kernel density", "statistics", density, drawn(normals, (N,), (500,)), 50, 2**13, 2**18),
    Program("bootstrap of 200", "statistics", bootstrap, _draws, 50, 2**12, 2**16),
    Program("Welch's t", "statistics", welch, drawn(normals, (N, 100), (N, 100)), 20, 2**13, 2**18),
    Program("correlations", "statistics", correlation, drawn(normals, (N, 64)), 50, 2**14, 2**20),
)  # fmt: skip
