"""NumPy's functions on our arrays: NEP 13 (ufuncs) and NEP 18 (functions), by one table from its names to ours.

What is not in the table raises TypeError, so that nothing silently becomes a host array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array_object import Array

# NumPy's names that differ from the standard's.
UFUNCS = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
FUNCTIONS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "transpose": "permute_dims",
}


def ufunc_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """``__array_ufunc__`` over a namespace."""

    def handler(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        name = UFUNCS.get(ufunc.__name__, ufunc.__name__)
        function = namespace.get(name)
        out = options.pop("out", None)
        if function is None or options or getattr(np, ufunc.__name__, None) is not ufunc:
            return NotImplemented
        if method == "reduce" and ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or):
            return NotImplemented
        if method != "__call__":
            return NotImplemented
        device = next(x.device for x in (*inputs, *(out or ())) if isinstance(x, Array))
        arrays = [namespace["asarray"](x, device=device) if isinstance(x, np.ndarray) else x for x in inputs]
        result = function(*arrays)
        if out is None:
            return result
        (target,) = out
        target[...] = result
        return target

    return handler


def function_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """``__array_function__`` over a namespace."""

    def handler(function: Any, types: Any, args: Any, options: dict[str, Any]) -> Any:
        module = getattr(function, "__module__", "numpy")
        name = FUNCTIONS.get(function.__name__, function.__name__)
        where = namespace
        if module in ("numpy.linalg", "numpy.fft"):
            where = vars(namespace.get(module[6:], object))
        ours = where.get(name)
        if ours is None or not callable(ours):
            return NotImplemented
        return ours(
            *args, **{key: value for key, value in options.items() if value is not None and value is not np._NoValue}
        )

    return handler
