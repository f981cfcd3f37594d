"""Programs of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, drawn, floats


def page_rank(xp: Any, links: Any) -> Any:
    """20 steps of a random walk."""
    moves = links / xp.clip(xp.sum(links, axis=0, keepdims=True), 1.0, None)
    rank = xp.ones_like(links[:, 0]) / links.shape[0]
    for _ in range(20):
        rank = 0.85 * (moves @ rank) + 0.15 / links.shape[0]
    return rank


def shortest_paths(xp: Any, lengths: Any) -> Any:
    """Lengths of the shortest ways through the first 50 nodes (Floyd and Warshall)."""
    for k in range(50):
        lengths = xp.minimum(lengths, lengths[:, k : k + 1] + lengths[k : k + 1, :])
    return lengths


def components(xp: Any, first: Any, second: Any, labels: Any) -> Any:
    """Ten rounds in which each node takes the least label of the two nodes that it points to."""
    for _ in range(10):
        labels = xp.minimum(labels, xp.minimum(xp.take(labels, first), xp.take(labels, second)))
    return labels


def _links(rng: np.random.Generator, n: int) -> Inputs:
    return ((floats(rng, n, n) < 0.1).astype(np.float32),)


def _pointers(rng: np.random.Generator, n: int) -> Inputs:
    return rng.integers(0, n, n), rng.integers(0, n, n), np.arange(n)


PROGRAMS = (
    Program("PageRank, 20 steps", "graphs", page_rank, _links, 20, 1024, 8192),
    Program("shortest paths, 50 nodes", "graphs", shortest_paths, drawn(floats, (N, N)), 60, 512, 4096),
    Program("connected components", "graphs", components, _pointers, 50, 2**18, 2**24),
)
