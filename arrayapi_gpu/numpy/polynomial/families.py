"""NumPy's classes and functions of polynomials, with points on devices."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.polynomial import polyutils
from numpy.polynomial._polybase import ABCPolyBase

from ..functions import device_of, signature, uploaded


class OnDevices:
    """What the classes of polynomials have in addition to NumPy's: results that are not coefficients are on a device."""

    domain: Any
    window: Any
    coef: Any
    _val: Callable[..., Any]

    def __call__(self, arg: Any) -> Any:
        """The values at the points ``arg``, on their device."""
        points = uploaded(np.asarray(arg)) if isinstance(arg, (list, tuple)) else uploaded(arg)
        off, scale = polyutils.mapparms(self.domain, self.window)
        return self._val(off + scale * points, self.coef)

    def roots(self) -> Any:
        """The roots, which NumPy computes on the host."""
        return uploaded(super().roots())  # type: ignore[misc]

    def linspace(self, n: int = 100, domain: Any = None) -> Any:
        """The points and the values at ``n`` equally spaced points of the domain."""
        x, y = super().linspace(n, domain)  # type: ignore[misc]
        return uploaded(x), uploaded(y)


def family(module: str, numpys: ModuleType) -> dict[str, Any]:
    """The names of a module of NumPy's polynomials."""
    return {name: _made(module, getattr(numpys, name)) for name in numpys.__all__}


def _made(module: str, numpys: Any) -> Any:
    if isinstance(numpys, type) and issubclass(numpys, ABCPolyBase):
        says = f"NumPy's class {numpys.__name__}: coefficients are on the host, values on the device of the points."
        return type(numpys.__name__, (OnDevices, numpys), {"__doc__": says, "__module__": module})
    return _function(module, numpys) if callable(numpys) else uploaded(numpys)


def _function(module: str, numpys: Callable[..., Any]) -> Callable[..., Any]:
    """The function with arrays on a device as results; it works by operators, or on host copies."""

    def call(*args: Any, **options: Any) -> Any:
        return uploaded(numpys(*args, **options), device_of((args, options)))

    call.__name__ = call.__qualname__ = numpys.__name__
    call.__module__, call.__wrapped__ = module, numpys  # type: ignore[attr-defined]
    call.__doc__ = f"NumPy's `{numpys.__name__}`, with points on a device and results there."
    call.__signature__ = signature(numpys)  # type: ignore[attr-defined]
    return call
