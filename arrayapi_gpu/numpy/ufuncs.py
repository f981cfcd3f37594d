"""NumPy's ufuncs with arrays on devices: objects with NumPy's attributes and methods.

A ufunc converts its operands to arrays and calls NumPy's ufunc, which dispatches to this package
(`api.numpy.numpy_ufuncs`): dtypes, casts and errors are NumPy's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import Array
from ..api.core.host_values import PYTHON_SCALARS
from ..api.core.names import RENAMED
from ..api.numpy.numpy_ufuncs import direct_function, is_on_device, ufunc_handler
from .functions import HOST_VALUES, NAMESPACE, UNDER_CONFIG, as_array, device_of

_computed = ufunc_handler(NAMESPACE)


class ufunc:
    """A ufunc of NumPy on arrays on a device.

    Its methods are NumPy's. One without a function of this package is computed by NumPy on host copies, which
    `config.host_transfers` allows, logs or forbids. Elements for which ``where`` is false, which NumPy leaves undefined
    without ``out``, are 0.

    Parameters
    ----------
    numpys : numpy.ufunc
        NumPy's ufunc.
    module : str
        The name of the module that shows it.

    References
    ----------
    NumPy, ``ufunc``.

    Examples
    --------
    >>> print(np.add([1, 2], 3))
    [4 5]
    >>> print(np.add.reduce([1, 2, 3]))
    6
    """

    def __init__(self, numpys: np.ufunc, module: str):
        self._numpys = numpys
        self._count = numpys.nin
        self._direct: dict[tuple[Any, ...], Callable[..., Any] | None] = {}
        self.__name__ = self.__qualname__ = numpys.__name__
        self.__module__ = module
        self.__wrapped__ = numpys
        self.__doc__ = _documentation(numpys)

    def __getattr__(self, name: str) -> Any:
        if name in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "__signature__"):
            return getattr(self._numpys, name)
        raise AttributeError(f"ufunc {self.__name__!r} has no attribute {name!r}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), "nin", "nout", "nargs", "ntypes", "types", "identity", "signature"})

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self) -> str:
        return self.__name__

    def _call(self, method: str, inputs: Sequence[Any], options: dict[str, Any], arrays: int) -> Any:
        """The result of a method whose first operands are arrays."""
        device = device_of((inputs, options))
        given = [as_array(x, device) if k < arrays and isinstance(x, HOST_VALUES) else x for k, x in enumerate(inputs)]
        if device is None and not any([isinstance(x, Array) for x in given]):
            given = [as_array(x) if k < arrays and type(x) in PYTHON_SCALARS else x for k, x in enumerate(given)]
        out = options.get("out")
        if out is not None and not isinstance(out, tuple):
            options["out"] = (out,)
        elif out is None or not any([one is not None for one in out]):
            options.pop("out", None)
        if not any([isinstance(x, Array) for x in (*given, *options.get("out", ()), options.get("where"))]):
            return getattr(self._numpys, method)(*inputs, **options)
        result = _computed(self._numpys, method, tuple(given), options)
        return getattr(self._numpys, method)(*inputs, **options) if result is NotImplemented else result

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Compute the ufunc of some operands.

        Parameters
        ----------
        *args : array_like
            The operands, which broadcast; then arrays to write the results to.
        **options : Any
            The options ``out``, ``where``, ``dtype``, ``casting``, ``order`` and ``subok``.

        Returns
        -------
        Array or tuple of Array
            The result, or the results.
        """
        if not options and len(args) == self._count:
            kinds = tuple([x.dtype if type(x) is Array else type(x) for x in args])
            direct = self._direct.get(kinds)
            if direct is not None:
                with contextlib.suppress(TypeError, ValueError, OverflowError):  # NumPy raises its own error
                    return direct(*args)
            elif kinds not in self._direct:
                self._direct[kinds] = direct_function(NAMESPACE, self._numpys, args)
        inputs, rest = args[: self._numpys.nin], args[self._numpys.nin :]
        if len(inputs) < self._numpys.nin or len(rest) > self._numpys.nout or (rest and "out" in options):
            return self._numpys(*args, **options)  # raises NumPy's error
        if rest:
            options["out"] = (*rest, *(None,) * (self._numpys.nout - len(rest)))
        return self._call("__call__", inputs, options, len(inputs))

    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = np._NoValue, where: Any = True,
    ) -> Any:  # fmt: skip
        """Combine the elements along axes by the ufunc.

        Parameters
        ----------
        array : array_like
            The array.
        axis : int or tuple of int, default: 0
            The axes; None means all.
        dtype : dtype, optional
            The dtype of the result.
        out : Array, optional
            The array to write the result to.
        keepdims : bool, default: False
            Whether the reduced axes are kept, with length 1.
        initial : scalar, optional
            The value with which the reduction begins.
        where : array_like, default: True
            The elements that count, as booleans.

        Returns
        -------
        Array
            The result.

        References
        ----------
        NumPy, ``ufunc.reduce``.

        Examples
        --------
        >>> print(np.add.reduce([[1, 2], [3, 4]]))
        [4 6]
        """
        options = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial}
        if where is not True:
            options["where"] = where
        return self._call("reduce", (array,), options, 1)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Compute all partial results along an axis.

        Parameters
        ----------
        array : array_like
            The array.
        axis : int, default: 0
            The axis.
        dtype : dtype, optional
            The dtype of the result.
        out : Array, optional
            The array to write the result to.

        Returns
        -------
        Array
            The partial results, in the shape of the array.

        References
        ----------
        NumPy, ``ufunc.accumulate``.

        Examples
        --------
        >>> print(np.multiply.accumulate([1, 2, 3, 4]))
        [ 1  2  6 24]
        """
        return self._call("accumulate", (array,), {"axis": axis, "dtype": dtype, "out": out}, 1)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Combine the elements of slices that begin at indices.

        Parameters
        ----------
        array : array_like
            The array.
        indices : array_like
            The beginnings of the slices along the axis.
        axis : int, default: 0
            The axis.
        dtype : dtype, optional
            The dtype of the result.
        out : Array, optional
            The array to write the result to.

        Returns
        -------
        Array
            One result for each slice.

        References
        ----------
        NumPy, ``ufunc.reduceat``.

        Examples
        --------
        >>> print(np.add.reduceat([1, 2, 3, 4], [0, 2]))
        [3 7]
        """
        return self._call("reduceat", (array, indices), {"axis": axis, "dtype": dtype, "out": out}, 1)

    def outer(self, A: Any, B: Any, /, **options: Any) -> Any:
        """Compute the ufunc of each element of one array with each of another.

        Parameters
        ----------
        A : array_like
            The first array.
        B : array_like
            The second array.
        **options : Any
            The options of a call.

        Returns
        -------
        Array
            The results; the axes of ``A`` come first.

        References
        ----------
        NumPy, ``ufunc.outer``.

        Examples
        --------
        >>> np.multiply.outer([1, 2], [3, 4]).tolist()
        [[3, 4], [6, 8]]
        """
        return self._call("outer", (A, B), options, 2)

    def at(self, a: Any, indices: Any, b: Any = np._NoValue, /) -> None:
        """Apply the ufunc in place to selected elements.

        An element that is selected several times is changed as often.

        Parameters
        ----------
        a : Array
            The array to change.
        indices : array_like, slice or tuple
            Any index of the array.
        b : array_like, optional
            The second operand of a ufunc of two.

        Returns
        -------
        None
            The array is changed.

        References
        ----------
        NumPy, ``ufunc.at``.

        Examples
        --------
        >>> x = np.zeros(3)
        >>> np.add.at(x, np.array([0, 0, 2]), 1)
        >>> print(x)
        [2. 0. 1.]
        """
        return self._call("at", (a, indices) if b is np._NoValue else (a, indices, b), {}, 0)  # type: ignore[no-any-return]

    def resolve_dtypes(self, *args: Any, **options: Any) -> Any:
        """Find the dtypes of the operands and results, as NumPy does.

        Parameters
        ----------
        *args : Any
            The tuple of dtypes of the operands, with None for results.
        **options : Any
            The options ``signature``, ``casting`` and ``reduction``.

        Returns
        -------
        tuple of dtype
            The dtypes.

        References
        ----------
        NumPy, ``ufunc.resolve_dtypes``.

        Examples
        --------
        >>> dtypes = np.add.resolve_dtypes((np.dtype("int32"), np.dtype("float32"), None))
        >>> print(dtypes[-1])
        float64
        """
        return self._numpys.resolve_dtypes(*args, **options)


def _documentation(numpys: np.ufunc) -> str:
    """The docstring of a ufunc, made of its numbers of operands and results, and of its counterpart."""
    name, several = numpys.__name__, numpys.nin > 1
    found = NAMESPACE.get(RENAMED.get(name, name))
    summary = (found.__doc__ or "").partition("\n")[0] if callable(found) else ""
    where = "on the device" if is_on_device(NAMESPACE, numpys) else f"by NumPy on host copies, {UNDER_CONFIG}"
    general = f"Compute NumPy's ufunc `{name}` for each element."
    operands = ", ".join([f"x{k + 1}" for k in range(numpys.nin)]) if several else "x"
    return (
        f"{summary or general}\n\nComputed {where}.\n\n"
        f"Parameters\n----------\n{operands} : array_like\n"
        f"    {'The operands, which broadcast.' if several else 'The operand.'}\n"
        "out : Array or tuple of Array, optional\n    Arrays to write the results to.\n"
        "where : array_like, optional\n    The elements to compute, as booleans; without ``out`` the others are 0.\n"
        "**options : Any\n    The options ``dtype``, ``casting``, ``order`` and ``subok``.\n\nReturns\n-------\n"
        f"{'Array' if numpys.nout == 1 else 'tuple of Array'}\n    The result of `numpy.{name}`, with arrays on a "
        f"device.\n\nReferences\n----------\nNumPy, ``{name}``.\n"
    )
