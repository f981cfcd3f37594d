"""Zeta functions, and the derivatives of the digamma function."""

from __future__ import annotations

from ..api.core.array_object import Array
from ..api.standard.creation_functions import asarray, on_device_of
from ..api.standard.data_type_functions import astype
from ..api.standard.elementwise_functions import add, equal, multiply, node_of, pow
from ..api.standard.searching_functions import where
from ..memory.dtypes import defaults
from .gamma_functions import gamma, psi
from .wrappers import HOME, binary, refuse_complex, through_scipy, unary

__all__ = ["polygamma", "zeta"]

_riemann = unary(
    "riemann_zeta", {"x": ""}, "Compute `zeta` of one argument.", "DLMF 25.2.1", ("", ""), through_scipy("zeta", ["x"])
)
_hurwitz = binary("zeta", {"x": "", "q": ""}, "Compute `zeta` of two arguments.", "DLMF 25.11.1", ("", ""))


def zeta(x: Array | complex, q: Array | complex | None = None) -> Array:
    """Compute the Riemann or the Hurwitz zeta function.

    The Hurwitz zeta function is the sum of (k + q)**-x over k = 0, 1, ...; for q = 1 it is the Riemann zeta function.

    Parameters
    ----------
    x : Array or scalar
        Real numbers; with ``q`` the result is infinite for 1 and NaN below. Without ``q`` all real numbers, and complex
        ones.
    q : Array or scalar, optional
        Real numbers; the result is infinite for 0, -1, ..., and NaN for other negative ones unless x is an integer.

    Returns
    -------
    Array
        The value for the operands, in their dtype; integers and booleans are converted to the default floating-point
        dtype. Operands broadcast.

    Raises
    ------
    ValueError
        For shapes that do not broadcast, and for operands on different devices.
    TypeError
        For complex numbers with ``q``.

    Notes
    -----
    SciPy computes complex numbers on host copies (`config.host_transfers`).

    References
    ----------
    SciPy, ``special.zeta``; DLMF 25.2.1, 25.11.1.

    Examples
    --------
    >>> print(xp.special.zeta(xp.asarray([2.0, 4.0])))
    [1.64493407 1.08232323]
    >>> print(xp.special.zeta(xp.asarray([2.0, 4.0]), 0.5))
    [ 4.9348022  16.23484851]
    """
    return _riemann(x) if q is None else _hurwitz(x, q)  # type: ignore[arg-type]  # its error names the allowed operands


zeta.__module__ = HOME


def polygamma(n: Array | int, x: Array | complex, /) -> Array:
    """Compute the derivatives of the digamma function.

    They are (-1)**(n + 1) * n! * zeta(n + 1, x), and psi(x) for n = 0.

    Parameters
    ----------
    n : Array or int
        The order, an integer of at least 0; others give NaN. Orders of at least 171 (35 on a device without float64)
        give infinity or NaN, because n! overflows.
    x : Array or scalar
        Real numbers.

    Returns
    -------
    Array
        The value for the operands, in the dtype of ``x``, and of ``n`` if that is an array. Operands broadcast.

    Raises
    ------
    ValueError
        For shapes that do not broadcast, and for operands on different devices.
    TypeError
        For complex numbers.

    References
    ----------
    SciPy, ``special.polygamma``; DLMF 5.15.1, 25.11.12.

    Examples
    --------
    >>> print(xp.special.polygamma(1, xp.asarray([1.0, 2.0])))
    [1.64493407 0.64493407]
    """
    refuse_complex("polygamma", n, x)
    if not isinstance(x, Array):
        node_of("polygamma", n)
        x = on_device_of(n, x, "polygamma", zeta(n).dtype)  # type: ignore[arg-type]
    if not isinstance(n, Array):
        n = on_device_of(x, n, "polygamma", zeta(x).dtype)
    dtype = zeta(n, x).dtype
    wide = defaults("f64" in x.device.dtypes)["real floating"]
    order, x = add(astype(n, wide), 1.0), astype(x, wide)
    sign = pow(asarray(-1.0, dtype=wide, device=x.device), order)
    derivative = multiply(multiply(sign, gamma(order)), zeta(order, x))
    return astype(where(equal(order, 1.0), psi(x), derivative), dtype)


polygamma.__module__ = HOME
