"""Routines by their names: own kernels compute what they are made for, libraries compute the others.

`kernels.host.host_library` lists the routines. Its `compute` asks the library of the device first, then the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...memory.gpuarray import GpuArray
from ..host import host_library
from . import factorisations, fourier, matrices

# Of a routine, a function of its operands and options that computes the results; None where a library is better.
Computation = Callable[[Sequence[GpuArray], Mapping[str, Any]], tuple[GpuArray, ...] | None]

# Tables of own routines, by name. The first computation that takes the operands computes them.
OWN_ROUTINES: tuple[dict[str, Computation], ...] = (
    fourier.TRANSFORMS,
    matrices.MATRIX_ROUTINES,
    factorisations.LARGE_ROUTINES,
)


def compute(name: str, *operands: GpuArray, **options: Any) -> tuple[GpuArray, ...]:
    """Return the results of the routine ``name``, in fresh memory of the device of its operands.

    ``operands`` and ``options``: those of NumPy's function. numpy.linalg.LinAlgError: the routine failed, and why.
    """
    for table in OWN_ROUTINES:
        if name in table and (results := table[name](operands, options)) is not None:
            return results
    return host_library.compute(name, *operands, **options)
