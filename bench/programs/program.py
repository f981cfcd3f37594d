"""A program: one source for NumPy and all libraries, with inputs of two sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

HostArray = np.ndarray[Any, Any]
Inputs = tuple[HostArray, ...]


@dataclass(frozen=True)
class Program:
    """``compute(xp, *arrays)`` in any namespace of the array API standard.

    ``inputs(rng, n)`` makes host arrays for a size ``n``, which the program defines; ``small``, ``medium`` and
    ``large`` are those of tests, of CPUs and of GPUs. ``in_place``: inputs are changed, and libraries without
    assignment leave the program out.
    """

    name: str
    domain: str
    compute: Callable[..., Any]
    inputs: Callable[[np.random.Generator, int], Inputs]
    small: int
    medium: int
    large: int
    in_place: bool = False


def floats(rng: np.random.Generator, *shape: int) -> HostArray:
    """float32 in [0, 1)."""
    return rng.random(shape, dtype=np.float32)


def normals(rng: np.random.Generator, *shape: int) -> HostArray:
    """float32, normally distributed."""
    return rng.standard_normal(shape, dtype=np.float32)


def device_of(array: Any) -> Any:
    """The device of an array, for ``device=``; None for the values that `jax.jit` traces, which have none."""
    return None if type(array).__name__.endswith("Tracer") else array.device


N = -1  # the size of a program, in a shape


def drawn(make: Callable[..., HostArray], *shapes: tuple[int, ...]) -> Callable[[np.random.Generator, int], Inputs]:
    """Inputs of these shapes, drawn by `floats` or `normals`."""

    def inputs(rng: np.random.Generator, n: int) -> Inputs:
        return tuple(make(rng, *[n if extent == N else extent for extent in shape]) for shape in shapes)

    return inputs
