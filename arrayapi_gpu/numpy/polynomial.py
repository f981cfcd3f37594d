"""NumPy's ``numpy.polynomial``: coefficients are NumPy arrays on the host, values are computed on the device of the
points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.polynomial import polyutils
from numpy.polynomial._polybase import ABCPolyBase

from ..api.numpy.signatures import signature
from .functions import device_of, uploaded
from .mirror import mirror, submodule

FAMILIES: Final = ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre")


class OnDevices:
    """The methods of polynomials whose results are not coefficients: these are on a device."""

    domain: Any
    window: Any
    coef: Any
    _val: Callable[..., Any]

    def __call__(self, arg: Any) -> Any:
        """The values at the points ``arg``, on their device."""
        points = uploaded(np.asarray(arg) if isinstance(arg, (list, tuple)) else arg)
        off, scale = polyutils.mapparms(self.domain, self.window)
        return self._val(off + scale * points, self.coef)

    def roots(self) -> Any:
        """The roots, which NumPy computes on the host."""
        return uploaded(super().roots())  # type: ignore[misc]

    def linspace(self, n: int = 100, domain: Any = None) -> Any:
        """The points and the values at ``n`` equally spaced points of the domain."""
        return uploaded(super().linspace(n, domain))  # type: ignore[misc]


def made(name: str, numpys: Any, module: str) -> Any:
    """The class, function or constant of this package for NumPy's."""
    if isinstance(numpys, type) and issubclass(numpys, ABCPolyBase):
        says = f"NumPy's class {name}: coefficients are on the host, values on the device of the points."
        return type(name, (OnDevices, numpys), {"__doc__": says, "__module__": module})
    return _function(numpys, module) if callable(numpys) else uploaded(numpys)


def _function(numpys: Callable[..., Any], module: str) -> Callable[..., Any]:
    """The function with results on the device of its arguments; it computes by their operators, or on host copies."""

    def call(*args: Any, **options: Any) -> Any:
        return uploaded(numpys(*args, **options), device_of((args, options)))

    call.__name__ = call.__qualname__ = numpys.__name__
    call.__module__ = module
    call.__doc__ = f"NumPy's `{numpys.__name__}`, with results on the device of its arguments."
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
