"""Functions of NVIDIA's libraries that are called through their addresses, because CuPy does not wrap them or takes
longer."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from .c_functions import addresses_of, function_of

WINDOWS = sys.platform == "win32"


@cache
def driver_function(name: str) -> Any:
    """Return a function of the driver's library; None where it has none of that name."""
    return function_of("nvcuda.dll" if WINDOWS else "libcuda.so.1", name)


@cache
def driver_addresses(*names: str) -> tuple[int, ...] | None:
    """Return the addresses of functions of the driver; None where one of them cannot be loaded."""
    return addresses_of([driver_function(name) for name in names])


@cache
def blas_addresses(version: int, *names: str) -> tuple[int, ...] | None:
    """Return the addresses of functions of cuBLAS; None where one of them cannot be loaded.

    ``version``: of the library that CuPy has loaded, as cublasGetVersion gives it. The system finds it by its name.
    """
    major = version // 10_000
    library = f"cublas64_{major}.dll" if WINDOWS else f"libcublas.so.{major}"
    return addresses_of([function_of(library, name) for name in names])


@cache
def solver_function(major: int, name: str) -> Any:
    """Return a function of cuSOLVER; None where it has none of that name. ``major``: of the library's version."""
    return function_of(f"cusolver64_{major}.dll" if WINDOWS else f"libcusolver.so.{major}", name)
