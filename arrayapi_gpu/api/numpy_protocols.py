"""NumPy's functions on our arrays: NEP 13 (ufuncs) and NEP 18 (functions).

One table leads from NumPy's names to ours. Arguments are matched by NumPy's signature, whatever their order; those that
stand at their defaults are dropped, and one that ours does not know raises TypeError. `OWN` has functions that the
standard lacks, or whose arguments mean something else there. What is in neither raises TypeError, so that nothing
silently becomes a host array.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
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
FUNCTIONS = {"amax": "max", "amin": "min", "concatenate": "concat"}
# NumPy's arguments that are spelt otherwise here; sorting is stable whatever ``kind`` says.
ARGUMENTS: dict[str, str | None] = {"ddof": "correction", "kind": None}


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
        module, name = getattr(function, "__module__", "numpy"), function.__name__
        if module == "numpy" and name in OWN:
            try:
                call = inspect.signature(OWN[name]).bind(namespace, *args, **options)
            except TypeError as error:
                raise TypeError(f"numpy.{name} of this library's arrays: {error}") from None
            return OWN[name](*call.args, **call.kwargs)
        where = vars(namespace[module[6:]]) if module in ("numpy.linalg", "numpy.fft") else namespace
        ours = where.get(FUNCTIONS.get(name, name))
        if not callable(ours):
            return NotImplemented
        by_position, by_name = _translated(function, ours, args, options)
        return ours(*by_position, **by_name)

    return handler


@cache
def _parameters(function: Callable[..., Any]) -> tuple[list[str], set[str], dict[str, Any]] | None:
    """A function's parameters that may be given by position, all of them, and their defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # NumPy's functions written in C
        return None
    by_position = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return by_position, {p.name for p in parameters}, {p.name: p.default for p in parameters}


def _translated(
    theirs: Callable[..., Any], ours: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's function as ours takes them, by position and by name.

    TypeError for one that ours does not take.
    """
    names, known = _parameters(theirs), _parameters(ours)
    if names is None or known is None:
        return list(args), {key: value for key, value in options.items() if value is not None}
    given = dict(zip(names[0], args, strict=False)) | options
    by_position = []
    for name in names[0][: len(known[0])]:
        if name not in given:
            break
        by_position.append(given.pop(name))
    rest = {}
    for name, value in given.items():
        if value is None or value is np._NoValue or value is names[2][name]:
            continue
        spelt = ARGUMENTS.get(name, name)
        if spelt is None:
            continue
        if spelt not in known[1]:
            allowed = ", ".join(sorted(known[1]))
            what = f"numpy.{theirs.__name__} of this library's arrays"
            raise TypeError(f"{what}: got {name}={value!r}; allowed: {allowed}")
        rest[spelt] = value
    return by_position, rest


# --- functions with NumPy's arguments --------------------------------------------------------------------------------


def _with_axes(x: Any, count: int) -> Any:
    """At least ``count`` axes; new ones stand in front."""
    return x if x.ndim >= count else x.reshape((1,) * (count - x.ndim) + x.shape)


def _atleast(count: int) -> Callable[..., Any]:
    def function(xp: dict[str, Any], *arrays: Any) -> Any:
        results = [_with_axes(xp["asarray"](array), count) for array in arrays]
        return results[0] if len(results) == 1 else tuple(results)

    return function


def _joined(least: int, axis: Callable[[Any], int]) -> Callable[..., Any]:
    def function(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
        arrays = [_with_axes(xp["asarray"](array), least) for array in tup]
        return xp["concat"](arrays, axis=axis(arrays[0]))

    return function


def _column_stack(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
    columns = [array.reshape((-1, 1)) if array.ndim < 2 else array for array in map(xp["asarray"], tup)]
    return xp["concat"](columns, axis=1)


def _cumulative(name: str) -> Callable[..., Any]:
    def function(xp: dict[str, Any], a: Any, axis: int | None = None, dtype: Any = None) -> Any:
        return xp[name](a.ravel() if axis is None else a, axis=0 if axis is None else axis, dtype=dtype)

    return function


def _dot(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = xp["asarray"](a), xp["asarray"](b)
    if not (a.ndim and b.ndim):
        return a * b
    return xp["tensordot"](a, b, axes=((-1,), (max(-2, -b.ndim),)))


def _of_a_matrix(name: str) -> Callable[..., Any]:
    """Of a stack NumPy takes the first two axes and the standard the last two, so there is but one matrix here."""

    def function(xp: dict[str, Any], a: Any, offset: int = 0, **options: Any) -> Any:
        return getattr(xp["linalg"], name)(a, offset=offset, **options) if a.ndim == 2 else NotImplemented

    return function


def _unique(
    xp: dict[str, Any],
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """NaNs are one value each, as in the standard (``equal_nan=False``)."""
    if not (return_index or return_inverse or return_counts):
        return xp["unique_values"](ar)
    values, indices, inverse, counts = xp["unique_all"](ar)
    wanted = ((return_index, indices), (return_inverse, inverse), (return_counts, counts))
    return (values, *(part for want, part in wanted if want))


def _isclose(xp: dict[str, Any], a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    a, b = xp["asarray"](a), xp["asarray"](b)
    near = xp["abs"](a - b) <= atol + rtol * xp["abs"](b)
    return (near & xp["isfinite"](b)) | (a == b)


def _array_equal(xp: dict[str, Any], a1: Any, a2: Any) -> bool:
    a1, a2 = xp["asarray"](a1), xp["asarray"](a2)
    return a1.shape == a2.shape and bool(xp["all"](a1 == a2))


OWN: dict[str, Callable[..., Any]] = {
    "allclose": lambda xp, *args, **options: bool(xp["all"](_isclose(xp, *args, **options))),
    "around": lambda xp, a, decimals=0: a.round(decimals),
    "array_equal": _array_equal,
    "atleast_1d": _atleast(1),
    "atleast_2d": _atleast(2),
    "column_stack": _column_stack,
    "copy": lambda xp, a: a.copy(),
    "cumprod": _cumulative("cumulative_prod"),
    "cumsum": _cumulative("cumulative_sum"),
    "diagonal": _of_a_matrix("diagonal"),
    "dot": _dot,
    "hstack": _joined(1, lambda first: min(first.ndim - 1, 1)),
    "iscomplexobj": lambda xp, x: x.dtype.kind == "c",
    "isclose": _isclose,
    "isrealobj": lambda xp, x: x.dtype.kind != "c",
    "ndim": lambda xp, a: a.ndim,
    "outer": lambda xp, a, b: xp["linalg"].outer(xp["asarray"](a).ravel(), xp["asarray"](b).ravel()),
    "ravel": lambda xp, a: a.ravel(),
    "round": lambda xp, a, decimals=0: a.round(decimals),
    "shape": lambda xp, a: a.shape,
    "size": lambda xp, a, axis=None: a.size if axis is None else a.shape[axis],
    "squeeze": lambda xp, a, axis=None: a.squeeze(axis),
    "swapaxes": lambda xp, a, axis1, axis2: xp["moveaxis"](a, (axis1, axis2), (axis2, axis1)),
    "trace": _of_a_matrix("trace"),
    "transpose": lambda xp, a, axes=None: a.transpose(*(axes or ())),
    "unique": _unique,
    "vstack": _joined(2, lambda first: 0),
}
