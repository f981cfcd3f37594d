"""What other libraries ask a package for, by entry points in pyproject.toml."""

from __future__ import annotations

from typing import Any

from .array_object import Array


def dask_sizeof(sizeof: Any) -> None:
    """Tell dask (entry point ``dask.sizeof``) how many bytes an array takes."""

    @sizeof.register(Array)  # type: ignore[untyped-decorator]
    def nbytes(x: Array) -> int:
        return x.nbytes
