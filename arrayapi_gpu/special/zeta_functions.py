"""Zeta functions, and the derivatives of the digamma function."""

from __future__ import annotations

from ..api.core.array_object import Array
from ..api.standard.creation_functions import asarray, on_device_of
from ..api.standard.data_type_functions import astype, floating, result_type
from ..api.standard.elementwise_functions import add, equal, multiply, node_of, pow
from ..api.standard.searching_functions import where
from ..memory.dtypes import defaults
from .gamma_functions import gamma, psi
from .wrappers import HOME, binary, refuse_complex, through_scipy, unary

__all__ = ["polygamma", "zeta"]

_riemann = unary("riemann_zeta", "x", "`zeta` of one argument.", "DLMF 25.2.1", through_scipy("zeta", "x"))
_hurwitz = binary("zeta", "x q", "`zeta` of two arguments.", "DLMF 25.11.1")


def zeta(x: Array | complex, q: Array | complex | None = None) -> Array:
    """The Hurwitz zeta function: the sum of (k + q)**-x over k = 0, 1, ...; without ``q``, the Riemann zeta function of
    all real numbers (q = 1).

    With ``q`` the result is NaN for x < 1, and for negative q unless x is an integer; it is infinite if x is 1 or q is
    0, -1, ... Computed element by element after broadcasting, in the dtype of the operands; integers and booleans are
    converted to the default floating-point dtype. Without ``q``, complex numbers are computed by SciPy on host copies.
    TypeError for complex dtypes with ``q``, ValueError for shapes that do not broadcast and for operands on different
    devices.

        >>> xp.special.zeta(xp.asarray([2.0, 4.0]))
        Array([1.64493407, 1.08232323], dtype=float64, device='opencl:0:0')

    Source: SciPy, ``special.zeta``; DLMF 25.2.1, 25.11.1.
    """
    return _riemann(x) if q is None else _hurwitz(x, q)  # type: ignore[arg-type]  # its error names the allowed operands


zeta.__module__ = HOME


def polygamma(n: Array | int, x: Array | complex, /) -> Array:
    """The derivative of order ``n`` of the digamma function: (-1)**(n + 1) n! zeta(n + 1, x), or psi(x) for n = 0.

    ``n``: integers >= 0; other orders give NaN. Computed element by element after broadcasting, in float64 if the
    device has it; the result has the dtype of ``x``, and of ``n`` if that is an array. n! overflows from n = 171 on
    (without float64 from n = 35 on): the result is then infinite or NaN; it is 0 if zeta underflows. TypeError for
    complex dtypes, ValueError for shapes that do not broadcast and for operands on different devices.
    Source: SciPy, ``special.polygamma``; DLMF 5.15.1, 25.11.12.
    """
    refuse_complex("polygamma", n, x)
    if not isinstance(x, Array):
        node_of("polygamma", n)
        x = on_device_of(n, x, "polygamma", floating(n).dtype)  # type: ignore[arg-type]
    if not isinstance(n, Array):
        n = on_device_of(x, n, "polygamma", floating(x).dtype)
    dtype = result_type(floating(n), floating(x))
    wide = defaults("f64" in x.device.dtypes)["real floating"]
    order, x = add(astype(n, wide), 1.0), astype(x, wide)
    sign = pow(asarray(-1.0, dtype=wide, device=x.device), order)
    of_psi = equal(order, 1.0)
    derivative = multiply(multiply(sign, gamma(order)), zeta(where(of_psi, 2.0, order), x))
    return astype(where(of_psi, psi(x), derivative), dtype)


polygamma.__module__ = HOME
