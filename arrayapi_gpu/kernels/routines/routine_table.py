"""Routines by their names: own kernels compute what they are made for, libraries compute the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...memory.gpuarray import GpuArray
from ..host.host_library import by_host, by_library
from . import factorisations, fourier, matrices

# Of a routine, a function of its operands and options that computes the results; None where another one is better.
Computation = Callable[[Sequence[GpuArray], Mapping[str, Any]], tuple[GpuArray, ...] | None]

# Own routines by their names: those that are faster than any library, and those for devices whose library, if they have
# one, does not take the operands.
FIRST: dict[str, Computation] = {**matrices.MATRIX_ROUTINES}
WITHOUT_LIBRARY: dict[str, Computation] = {**fourier.TRANSFORMS, **factorisations.LARGE_ROUTINES}


def compute(name: str, *operands: GpuArray, **options: Any) -> tuple[GpuArray, ...]:
    """Return the results of the routine ``name``, in fresh memory of the device of its operands.

    ``operands`` and ``options``: those of NumPy's function. numpy.linalg.LinAlgError: the routine failed, and why.
    """
    results = FIRST[name](operands, options) if name in FIRST else None
    if results is None:
        results = by_library(name, operands, options)
    if results is None and name in WITHOUT_LIBRARY:
        results = WITHOUT_LIBRARY[name](operands, options)
    return by_host(name, operands, options) if results is None else results
