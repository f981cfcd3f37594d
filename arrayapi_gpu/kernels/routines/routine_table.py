"""Routines by their names: own kernels compute what they are made for, libraries compute the others.

`kernels.host.host_library` lists the routines. Its `compute` asks the library of the device first, then the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...memory.gpuarray import GpuArray
from ..host import host_library
from . import fourier

# Of a routine, a function of its operands and options that computes the results; None where a library is better.
Computation = Callable[[Sequence[GpuArray], Mapping[str, Any]], tuple[GpuArray, ...] | None]

OWN_ROUTINES: dict[str, Computation] = {**fourier.TRANSFORMS}


def compute(name: str, *operands: GpuArray, **options: Any) -> tuple[GpuArray, ...]:
    """Return the results of the routine ``name``, in fresh memory of the device of its operands.

    ``operands`` and ``options``: those of NumPy's function. numpy.linalg.LinAlgError: the routine failed, and why.
    """
    own = OWN_ROUTINES.get(name)
    results = None if own is None else own(operands, options)
    return host_library.compute(name, *operands, **options) if results is None else results
