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
from ..api.numpy.numpy_ufuncs import direct_function, is_on_device, ufunc_handler
from .functions import HOST_VALUES, NAMESPACE, UNDER_CONFIG, as_array, device_of

_computed = ufunc_handler(NAMESPACE)


class ufunc:
    """A ufunc of NumPy on arrays on a device, with ``out=``, ``where=``, ``dtype=`` and ``casting=``.

    ``reduce``, ``accumulate``, ``outer``, ``at`` and ``reduceat`` are NumPy's methods. A method without a function of
    this package is computed by NumPy on host copies, which `config.host_transfers` allows, logs or forbids. Elements
    for which ``where`` is false, which NumPy leaves undefined without ``out``, are 0.
    """

    def __init__(self, numpys: np.ufunc, module: str):
        self._numpys = numpys
        self._count = numpys.nin
        self._direct: dict[tuple[Any, ...], Callable[..., Any] | None] = {}
        self.__name__ = self.__qualname__ = numpys.__name__
        self.__module__ = module
        self.__wrapped__ = numpys
        where = "on the device" if is_on_device(NAMESPACE, numpys) else f"by NumPy on host copies, {UNDER_CONFIG}"
        self.__doc__ = f"NumPy's ufunc `{numpys.__name__}` of arrays on a device.\n\nComputed {where}."

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
        """The result of the ufunc; arguments after the operands are ``out``."""
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
        """The array with an axis, or several, combined by the ufunc."""
        options = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial}
        if where is not True:
            options["where"] = where
        return self._call("reduce", (array,), options, 1)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The array of all partial results along an axis."""
        return self._call("accumulate", (array,), {"axis": axis, "dtype": dtype, "out": out}, 1)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The results of `reduce` over slices that begin at the indices."""
        return self._call("reduceat", (array, indices), {"axis": axis, "dtype": dtype, "out": out}, 1)

    def outer(self, A: Any, B: Any, /, **options: Any) -> Any:
        """The ufunc of each element of ``A`` with each of ``B``."""
        return self._call("outer", (A, B), options, 2)

    def at(self, a: Any, indices: Any, b: Any = np._NoValue, /) -> None:
        """Apply the ufunc in place to the elements that the indices select, once for each time that they do."""
        return self._call("at", (a, indices) if b is np._NoValue else (a, indices, b), {}, 0)  # type: ignore[no-any-return]

    def resolve_dtypes(self, *args: Any, **options: Any) -> Any:
        """The dtypes of the operands and results, as NumPy finds them."""
        return self._numpys.resolve_dtypes(*args, **options)
