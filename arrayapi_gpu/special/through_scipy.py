"""Functions that do not have kernels yet: SciPy computes them on host copies (`wrappers.through_scipy`).

A function that gets kernels should leave this module.
"""

from __future__ import annotations

from ..api.core.arguments import of_arrays
from ..api.core.array_object import Array
from .wrappers import HOME, through_scipy

__all__ = ["lambertw"]

_lambertw = through_scipy("lambertw", "z k tol")


@of_arrays
def lambertw(z: Array, k: Array | int = 0, tol: float = 1e-8) -> Array:
    """The solution w of w exp(w) = z on branch ``k``, complex; SciPy computes it on host copies.

    ``tol``: the relative error at which the iteration ends. ImportError if SciPy is not installed; TypeError if
    ``config.host_transfers`` is 'error'; ValueError for operands on different devices.
    Source: SciPy, ``special.lambertw``.
    """
    found: Array = _lambertw(z, k, tol)
    return found


lambertw.__module__ = HOME
