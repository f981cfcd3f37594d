"""What other libraries ask a package for: by entry points in pyproject.toml, and by methods of arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .array_object import Array


def dask_sizeof(sizeof: Any) -> None:
    """Tell dask (entry point ``dask.sizeof``) how many bytes an array takes."""

    @sizeof.register(Array)  # type: ignore[untyped-decorator]
    def nbytes(x: Array) -> int:
        _tell_dask_array()
        return x.nbytes


def dask_token(x: Array) -> tuple[Any, ...]:
    """What is equal for equal arrays alone. dask asks for it when a collection is made of an array."""
    _tell_dask_array()
    return ("arrayapi_gpu.Array", x.shape, str(x.dtype), x.to_numpy().tobytes())


def _tell_dask_array() -> None:
    """Give dask.array what it looks up by the type of a chunk; it has no entry point for that, so whoever is asked by
    dask does it."""
    dispatch = sys.modules.get("dask.array.dispatch")
    if dispatch is not None:
        dispatch.percentile_lookup.register(Array, chunks_percentiles)


def chunks_percentiles(a: Array, q: Any, method: str = "linear") -> tuple[Any, int]:
    """Percentiles of a chunk and the number of its elements; None where there are none."""
    count = len(a)
    return (np.percentile(a, q, method=method) if count else None), count  # type: ignore[call-overload]
