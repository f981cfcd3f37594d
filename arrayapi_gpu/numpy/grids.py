"""NumPy's objects that make arrays when they are indexed: ``r_``, ``c_``, ``mgrid`` and ``ogrid``; and `vectorize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.numpy.through_host import through_host
from .functions import NAMESPACE
from .ufuncs import ufunc


class Indexed:
    """An object of NumPy that makes an array when it is indexed.

    NumPy makes the array on the host, from slices and numbers, and it is copied to the device. Arrays in the index go
    through the host.

    Parameters
    ----------
    name : str
        NumPy's name of the object.

    Examples
    --------
    >>> print(np.r_[1:3, 7])
    [1 2 7]
    """

    def __init__(self, name: str):
        self._numpys = getattr(np, name)
        self.__name__ = name
        self.__doc__ = f"NumPy's `{name}`, on a device."

    def __getitem__(self, key: Any) -> Any:
        return through_host(NAMESPACE, f"numpy.{self.__name__}", self._numpys.__getitem__, (key,), {})

    def __len__(self) -> int:
        return 0


class vectorize(np.vectorize):
    """A function of numbers as a function of arrays.

    Python calls it for each element, on the host, which `config.host_transfers` allows, logs or forbids; results are
    copied to the device.

    Parameters
    ----------
    pyfunc : callable, optional
        The function; without it, `vectorize` is a decorator.
    otypes : str or sequence of dtype, optional
        The dtypes of the results.
    doc : str, optional
        The docstring of the result.
    excluded : set, optional
        Positions and names of arguments that are passed as they are.
    cache : bool, default: False
        Whether the first call, which determines the dtypes, is reused.
    signature : str, optional
        The core dimensions of a function of arrays, such as "(n)->()".

    References
    ----------
    NumPy, ``vectorize``.

    Examples
    --------
    >>> halved = np.vectorize(lambda n: n // 2)
    >>> print(halved([2, 5]))
    [1 2]
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function for each element.

        Parameters
        ----------
        *args : array_like
            The arguments, which broadcast.
        **kwargs : array_like
            Arguments by name.

        Returns
        -------
        Array or tuple of Array
            The results.
        """
        return through_host(NAMESPACE, "numpy.vectorize", super().__call__, args, kwargs)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> ufunc:
    """Make a ufunc of a Python function, which is called for each element on the host.

    Parameters
    ----------
    func : callable
        The function.
    nin : int
        The number of arguments.
    nout : int
        The number of results.
    **kwargs : Any
        The option ``identity`` of NumPy's function.

    Returns
    -------
    ufunc
        The ufunc. Its results are objects, so they are NumPy arrays.

    References
    ----------
    NumPy, ``frompyfunc``.

    Examples
    --------
    >>> larger = np.frompyfunc(max, 2, 1)
    >>> larger([1, 5], 3).tolist()
    [3, 5]
    """
    return ufunc(np.frompyfunc(func, nin, nout, **kwargs), __package__)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Make an array of another library's array, by DLPack.

    Memory is shared if the device can use it, and copied otherwise.

    Parameters
    ----------
    x : object
        An object with ``__dlpack__`` and ``__dlpack_device__``.
    device : Device or str, optional
        The device of the result.
    copy : bool, optional
        True always copies; False never does, and raises an error if a copy is necessary.

    Returns
    -------
    Array
        The array.

    See Also
    --------
    arrayapi_gpu.from_dlpack : The function that computes it, with all its errors.

    References
    ----------
    NumPy, ``from_dlpack``.

    Examples
    --------
    >>> import numpy
    >>> print(np.from_dlpack(numpy.arange(3)))
    [0 1 2]
    """
    return NAMESPACE["from_dlpack"](x, device=device, copy=copy)
