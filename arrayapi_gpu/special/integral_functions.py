"""The exponential integral, the sine integral and the cosine integral."""

from __future__ import annotations

from ..api.core.array_object import Array
from .wrappers import HOME, is_complex, through_scipy, unary

__all__ = ["exp1", "sici"]

exp1 = unary(
    "exp1", {"x": "Real or complex numbers; infinity for 0, NaN for negative ones."},
    "Compute the exponential integral.\n\nIt is the integral of exp(-t) / t from x to infinity.",
    "DLMF 6.2.1", ("xp.asarray([0.5, 1.0])", "[0.55977359 0.21938393]"), "SciPy",
)  # fmt: skip
_si = unary("sine_integral", {"x": ""}, "Compute the first result of `sici`.", "DLMF 6.2.9", ("", ""))
_ci = unary("cosine_integral", {"x": ""}, "Compute the second result of `sici`.", "DLMF 6.2.11", ("", ""))
_by_scipy = through_scipy("sici", ["x"])


def sici(x: Array, /) -> tuple[Array, Array]:
    """Compute the sine integral and the cosine integral.

    They are the integral of sin(t) / t from 0 to x, and gamma + log(abs(x)) + the integral of (cos(t) - 1) / t from 0
    to x, with Euler's constant gamma.

    Parameters
    ----------
    x : Array
        Real or complex numbers.

    Returns
    -------
    si : Array
        The sine integral of each element, in its dtype; integers and booleans are converted to the default
        floating-point dtype.
    ci : Array
        The cosine integral.

    Notes
    -----
    SciPy computes complex numbers on host copies (`config.host_transfers`).

    References
    ----------
    SciPy, ``special.sici``; DLMF 6.2.9, 6.2.11.

    Examples
    --------
    >>> si, ci = xp.special.sici(xp.asarray([0.5, 1.0]))
    >>> print(si, ci)
    [0.49310742 0.94608307] [-0.17778408  0.33740392]
    """
    if is_complex(x):
        both: tuple[Array, Array] = _by_scipy(x)
        return both
    return _si(x), _ci(x)


sici.__module__ = HOME
