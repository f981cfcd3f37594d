"""NumPy's objects that make arrays when they are indexed: ``r_``, ``c_``, ``mgrid`` and ``ogrid``; and `vectorize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.numpy.through_host import through_host
from .functions import NAMESPACE
from .ufuncs import ufunc


class Indexed:
    """An object of NumPy that makes an array when it is indexed: NumPy makes it on the host, from slices and numbers,
    and it is copied to the device. Arrays in the index go through the host."""

    def __init__(self, name: str):
        self._numpys = getattr(np, name)
        self.__name__ = name
        self.__doc__ = f"NumPy's `{name}`, on a device."

    def __getitem__(self, key: Any) -> Any:
        return through_host(NAMESPACE, f"numpy.{self.__name__}", self._numpys.__getitem__, (key,), {})

    def __len__(self) -> int:
        return 0


class vectorize(np.vectorize):
    """NumPy's `vectorize`: a function of numbers as a function of arrays. Python calls it for each element, on the
    host, which `config.host_transfers` allows, logs or forbids; results are copied to the device."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function of each element."""
        return through_host(NAMESPACE, "numpy.vectorize", super().__call__, args, kwargs)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> ufunc:
    """A ufunc of a Python function, which is called for each element on the host. Results are objects, so they are
    NumPy arrays."""
    return ufunc(np.frompyfunc(func, nin, nout, **kwargs), __package__)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """An array that shares the memory of another library's array if its device can, and a copy otherwise."""
    return NAMESPACE["from_dlpack"](x, device=device, copy=copy)
