"""Functions that do not have kernels yet: SciPy computes them on host copies (`wrappers.through_scipy`).

A function that gets kernels should leave this module.
"""

from __future__ import annotations

from ..api.core.arguments import of_arrays
from ..api.core.array_object import Array
from .wrappers import HOME, through_scipy

__all__ = ["lambertw"]

_lambertw = through_scipy("lambertw", ["z", "k", "tol"])


@of_arrays
def lambertw(z: Array, k: Array | int = 0, tol: float = 1e-8) -> Array:
    """Solve w * exp(w) = z for w, on host copies.

    Parameters
    ----------
    z : Array
        Real or complex numbers.
    k : Array or int, default: 0
        The branch.
    tol : float, default: 1e-8
        The relative error at which the iteration ends.

    Returns
    -------
    Array
        The complex solutions.

    Raises
    ------
    ImportError
        If SciPy, which computes the function, is not installed.
    TypeError
        If ``config.host_transfers`` is "error".
    ValueError
        For shapes that do not broadcast, and for operands on different devices.

    References
    ----------
    SciPy, ``special.lambertw``; DLMF 4.13.

    Examples
    --------
    >>> w = xp.special.lambertw(xp.asarray([1.0]))  # doctest: +SKIP
    >>> print(w)  # doctest: +SKIP
    [0.56714329+0.j]
    """
    found: Array = _lambertw(z, k, tol)
    return found


lambertw.__module__ = HOME
