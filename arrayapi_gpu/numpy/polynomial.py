"""NumPy's ``numpy.polynomial``: coefficients are NumPy arrays on the host, values are computed on the device of the
points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.polynomial import polyutils
from numpy.polynomial._polybase import ABCPolyBase

from ..api.numpy.signatures import signature
from .functions import described, device_of, uploaded
from .mirror import mirror, submodule

FAMILIES: Final = ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre")

# The docstring of a class of polynomials.
CLASS: Final = """A polynomial of NumPy's class {name}, with values on a device.

The coefficients are on the host. Values are on the device of the points.

Parameters
----------
coef : array_like
    The coefficients, the lowest order first.
domain : array_like, optional
    The interval that is mapped to ``window``.
window : array_like, optional
    The interval to which ``domain`` is mapped.
symbol : str, default: 'x'
    The name of the variable in the printed form.

References
----------
NumPy, ``polynomial.{name}``.

Examples
--------
>>> p = np.polynomial.{name}([1.0, 2.0])
>>> p(np.asarray([0.0, 0.5])).shape
(2,)
"""


class OnDevices:
    """The methods of polynomials whose results are not coefficients: these are on a device."""

    domain: Any
    window: Any
    coef: Any
    _val: Callable[..., Any]

    def __call__(self, arg: Any) -> Any:
        """Compute the values at points, on their device.

        Parameters
        ----------
        arg : array_like
            The points.

        Returns
        -------
        Array
            The values.
        """
        points = uploaded(np.asarray(arg) if isinstance(arg, (list, tuple)) else arg)
        off, scale = polyutils.mapparms(self.domain, self.window)
        return self._val(off + scale * points, self.coef)

    def roots(self) -> Any:
        """Find the roots, which NumPy computes on the host.

        Returns
        -------
        Array
            The roots.

        Examples
        --------
        >>> np.polynomial.Polynomial([2.0, -3.0, 1.0]).roots().shape
        (2,)
        """
        return uploaded(super().roots())  # type: ignore[misc]

    def linspace(self, n: int = 100, domain: Any = None) -> Any:
        """Compute the values at equally spaced points of the domain.

        Parameters
        ----------
        n : int, default: 100
            The number of points.
        domain : array_like, optional
            The first and the last point; by default the domain of the polynomial.

        Returns
        -------
        x : Array
            The points.
        y : Array
            The values.

        Examples
        --------
        >>> x, y = np.polynomial.Polynomial([0.0, 1.0]).linspace(3)
        >>> print(x)
        [-1.  0.  1.]
        """
        return uploaded(super().linspace(n, domain))  # type: ignore[misc]


def made(name: str, numpys: Any, module: str) -> Any:
    """The class, function or constant of this package for NumPy's."""
    if isinstance(numpys, type) and issubclass(numpys, ABCPolyBase):
        return type(name, (OnDevices, numpys), {"__doc__": CLASS.format(name=name), "__module__": module})
    return _function(numpys, module) if callable(numpys) else uploaded(numpys)


def _function(numpys: Callable[..., Any], module: str) -> Callable[..., Any]:
    """The function with results on the device of its arguments; it computes by their operators, or on host copies."""

    def call(*args: Any, **options: Any) -> Any:
        return uploaded(numpys(*args, **options), device_of((args, options)))

    call.__name__ = call.__qualname__ = numpys.__name__
    call.__module__ = module
    parameters = "".join(described(numpys))
    call.__doc__ = (
        f"Compute NumPy's `{numpys.__name__}`, with results on the device of its arguments.\n\n{parameters}\nReturns\n"
        f"-------\nAny\n    The result, with arrays on the device.\n\nReferences\n----------\n"
        f"NumPy, ``{numpys.__module__.removeprefix('numpy.')}.{numpys.__name__}``.\n"
    )
    call.__signature__ = signature(numpys)  # type: ignore[attr-defined]
    return call


_families: dict[str, Any] = {
    family: submodule(f"{__name__}.{family}", getattr(np.polynomial, family), {}, made) for family in FAMILIES
}


def _of_its_family(name: str, numpys: Any, module: str) -> Any:
    return getattr(_families[numpys.__module__.rpartition(".")[2]], name)


__all__, __getattr__, __dir__ = mirror(
    __name__,
    np.polynomial,
    {**_families, "set_default_printstyle": np.polynomial.set_default_printstyle},
    _of_its_family,
)
