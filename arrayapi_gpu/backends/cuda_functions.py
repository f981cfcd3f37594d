"""Functions of NVIDIA's libraries that are called through their addresses, because CuPy does not wrap them or takes
longer."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

WINDOWS = sys.platform == "win32"


@cache
def driver_function(name: str) -> Any:
    """Return a function of the driver's library; None where it has none of that name."""
    return _function("nvcuda.dll" if WINDOWS else "libcuda.so.1", name)


@cache
def driver_addresses(*names: str) -> tuple[int, ...] | None:
    """Return the addresses of functions of the driver; None where one of them cannot be loaded."""
    return _addresses([driver_function(name) for name in names])


@cache
def blas_addresses(version: int, *names: str) -> tuple[int, ...] | None:
    """Return the addresses of functions of cuBLAS; None where one of them cannot be loaded.

    ``version``: of the library that CuPy has loaded, as cublasGetVersion gives it. The system finds it by its name.
    """
    major = version // 10_000
    library = f"cublas64_{major}.dll" if WINDOWS else f"libcublas.so.{major}"
    return _addresses([_function(library, name) for name in names])


def _function(library: str, name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(library), name)
    except (OSError, AttributeError):
        return None


def _addresses(functions: list[Any]) -> tuple[int, ...] | None:
    if None in functions:
        return None
    return tuple(ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions)
