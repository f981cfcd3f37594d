"""NumPy's functions on our arrays (NEP 18); its ufuncs are in `numpy_ufuncs`.

`names.RENAMED` leads from NumPy's names to ours. Arguments are bound by NumPy's signature, whatever their order. One
that is given as NumPy's own default counts as not given; any other is passed on, None too. `OWN` has functions that the
standard lacks, or whose arguments mean something else there. A function that is in neither, or that is given what ours
refuses, goes through the host (`through_host`), so errors are NumPy's own. Functions that are not NumPy's raise
TypeError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ..config import config
from ..lazy.evaluate import memory
from ..lazy.writes import meet
from .array_object import Array
from .data_type_functions import floating
from .host_values import PYTHON_SCALARS, refuse_subclass
from .names import RENAMED
from .through_host import WRITES, through_host
from .window_functions import sliding_window_view

# NumPy's arguments that are spelt otherwise here, or that no result depends on: sorting is stable whatever ``kind``
# says, and ``overwrite_input`` permits what is not done here.
ARGUMENTS: dict[str, str | None] = {
    "a_max": "max", "a_min": "min", "ddof": "correction", "kind": None, "overwrite_input": None,
}  # fmt: skip


def function_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """``__array_function__`` over a namespace."""

    def handler(function: Any, types: Any, args: Any, options: dict[str, Any]) -> Any:
        module, name = getattr(function, "__module__", "numpy"), function.__name__
        if module.partition(".")[0] != "numpy" or any([_answers(kind) for kind in types]):
            return NotImplemented
        refuse_subclass(f"{module}.{name}", [*args, *options.values()])
        own = _own(namespace, function, module, name, args, options)
        if own is not None:
            try:
                return own()
            except (TypeError, ValueError):  # NumPy takes more, or says what is wrong
                if config.host_transfers == "error":
                    raise
        return through_host(namespace, f"{module}.{name}", function, args, options, _targets(function, args, options))

    return handler


def _answers(kind: Any) -> bool:
    """Whether a class of arrays answers functions itself."""
    if issubclass(kind, np.ndarray):
        return bool(kind.__array_function__ is not np.ndarray.__array_function__)
    return not issubclass(kind, Array)


def _targets(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """What a call of NumPy's function writes into: ``out``, and for those of `WRITES` their first argument."""
    try:
        given = _signature(function).bind(*args, **options).arguments
    except TypeError:  # which NumPy raises, too
        return None, None
    named = given | given.get("options", {})
    out = named.get("out")
    if function.__name__ not in WRITES:
        return out, None
    option, value = WRITES[function.__name__]
    first = next(iter(given.values()), None)
    return out, first if option is None or named.get(option) is value else None


def _own(
    namespace: dict[str, Any], function: Any, module: str, name: str, args: Any, options: dict[str, Any]
) -> Callable[[], Any] | None:
    """A call of our function of the same meaning; None where there is none that takes these arguments."""
    places, named = _given(function, args, options)
    ours: Any
    whole = f"{module}.{name}".removeprefix("numpy.")
    if whole in OWN:
        ours, places = OWN[whole], [namespace, *places]
    else:
        where = vars(namespace[module[6:]]) if module in ("numpy.linalg", "numpy.fft") else namespace
        ours = where.get(RENAMED.get(name, name)) if module in ("numpy", "numpy.linalg", "numpy.fft") else None
        if not callable(ours):
            return None
        known = _signature(ours).parameters
        respelt = {word: word if word in known else ARGUMENTS.get(word, word) for word in named}
        spelt = [word for word in respelt.values() if word is not None]
        if len(set(spelt)) < len(spelt):  # the same argument by two names
            return None
        named = {spelt: named[word] for word, spelt in respelt.items() if spelt is not None}
    try:
        _signature(ours).bind(*places, **named)
    except TypeError:
        return None
    return partial(ours, *places, **named)


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """A function's signature; (*args, **options) for those of NumPy's functions in C that do not tell theirs."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(lambda *args, **options: None)


@cache
def _parameters(function: Callable[..., Any]) -> tuple[list[str], list[str], dict[str, Any]]:
    """A function's arguments that may be given by position (none where it takes any number of them), those of them that
    it requires, and the defaults of the others."""
    parameters = _signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return [], [], defaults
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names, [name for name in names if name not in defaults], defaults


def _given(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """What a call of NumPy's function was given: what it requires, by position, and by name what is not its default."""
    names, required, defaults = _parameters(function)
    if len(args) > len(names):  # any number, or more by position than NumPy's own signature says
        places, given = list(args), options
    else:
        places = [*args[: len(required)], *(options[name] for name in required[len(args) :])]
        given = dict(zip(names[len(required) :], args[len(required) :], strict=False)) | options
    return places, {
        name: value
        for name, value in given.items()
        if name not in required and value is not np._NoValue and value is not defaults.get(name, np._NoValue)
    }


# --- functions with NumPy's arguments --------------------------------------------------------------------------------


def _arrays(xp: dict[str, Any], *values: Any) -> list[Any]:
    """The values as arrays, on the device of the first of ours."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    return [value if isinstance(value, Array) else xp["asarray"](value, device=device) for value in values]


def _with_axes(x: Any, count: int) -> Any:
    """At least ``count`` axes; new ones stand in front."""
    return x if x.ndim >= count else x.reshape((1,) * (count - x.ndim) + x.shape)


def _atleast(count: int) -> Callable[..., Any]:
    def function(xp: dict[str, Any], *arrays: Any) -> Any:
        results = [_with_axes(array, count) for array in _arrays(xp, *arrays)]
        return results[0] if len(results) == 1 else tuple(results)

    return function


def _joined(least: int, axis: Callable[[Any], int]) -> Callable[..., Any]:
    def function(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
        arrays = [_with_axes(array, least) for array in _arrays(xp, *tup)]
        return xp["concat"](arrays, axis=axis(arrays[0]))

    return function


def _column_stack(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
    columns = [array.reshape((-1, 1)) if array.ndim < 2 else array for array in _arrays(xp, *tup)]
    return xp["concat"](columns, axis=1)


def _sorting(name: str) -> Callable[..., Any]:
    def function(
        xp: dict[str, Any], a: Any, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None
    ) -> Any:
        return xp[name](a.ravel() if axis is None else a, axis=-1 if axis is None else axis)

    return function


def _concatenate(xp: dict[str, Any], arrays: Sequence[Any], axis: int | None = 0) -> Any:
    return xp["concat"](_arrays(xp, *arrays), axis=axis)


def _take(xp: dict[str, Any], a: Any, indices: Any, axis: int | None = None) -> Any:
    a, indices = _arrays(xp, a, indices)
    return xp["take"](a.ravel() if axis is None else a, indices, axis=0 if axis is None else axis)


def _take_along_axis(xp: dict[str, Any], arr: Any, indices: Any, axis: int | None = -1) -> Any:
    arr, indices = _arrays(xp, arr, indices)
    return xp["take_along_axis"](arr.ravel() if axis is None else arr, indices, axis=0 if axis is None else axis)


def _swapaxes(xp: dict[str, Any], a: Any, axis1: int, axis2: int) -> Any:
    order = list(range(a.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return xp["permute_dims"](a, tuple(order))


def _where(xp: dict[str, Any], condition: Any, x: Any = np._NoValue, y: Any = np._NoValue) -> Any:
    """The coordinates of what holds, where the condition stands alone."""
    if x is np._NoValue and y is np._NoValue:
        return xp["nonzero"](condition)
    if x is np._NoValue or y is np._NoValue:
        raise ValueError("where: got one of x and y; allowed: both, or neither")
    arrays = _arrays(xp, *[value for value in (condition, x, y) if not isinstance(value, PYTHON_SCALARS)])
    condition, x, y = (value if isinstance(value, PYTHON_SCALARS) else arrays.pop(0) for value in (condition, x, y))
    return xp["where"](condition.astype(bool), x, y)


def _dot(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = _arrays(xp, a, b)
    if not (a.ndim and b.ndim):
        return a * b
    return xp["tensordot"](a, b, axes=((-1,), (max(-2, -b.ndim),)))


def _of_a_matrix(name: str) -> Callable[..., Any]:
    """Of a stack NumPy takes the first two axes and the standard the last two, so there is but one matrix here."""

    def function(xp: dict[str, Any], a: Any, offset: int = 0, **options: Any) -> Any:
        if a.ndim != 2:
            raise TypeError(f"numpy.{name} of this library's arrays: got {a.ndim} axes; allowed: 2; use linalg.{name}")
        return getattr(xp["linalg"], name)(a, offset=offset, **options)

    return function


def _unique(
    xp: dict[str, Any], ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """NaNs are one value each, as in the standard (``equal_nan=False``)."""
    if not (return_index or return_inverse or return_counts):
        return xp["unique_values"](ar)
    values, indices, inverse, counts = xp["unique_all"](ar)
    wanted = ((return_index, indices), (return_inverse, inverse), (return_counts, counts))
    return (values, *(part for want, part in wanted if want))


def _isclose(xp: dict[str, Any], a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """abs(a - b) <= atol + rtol * abs(b), without wrapping: the right side is floating-point, and so is the left."""
    a, b = _arrays(xp, a, b)
    rtol, atol = (t if isinstance(t, (int, float)) else _arrays(xp, a, t)[1] for t in (rtol, atol))
    room = atol + rtol * abs(floating(b))
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        distance = _integer_distance(xp, a, b)
        return (distance <= room) | (distance == 0)
    result = ((abs(a - b) <= room) & xp["isfinite"](b)) | (a == b)
    return result | (xp["isnan"](a) & xp["isnan"](b)) if equal_nan else result


def _integer_distance(xp: dict[str, Any], a: Any, b: Any) -> Any:
    """abs(a - b) in floating point, for integers of any two dtypes, rounded once where it is below 2**62."""
    far = abs(floating(a) - floating(b))
    one, other = a.astype("uint64"), b.astype("uint64")
    near = xp["minimum"](one - other, other - one)  # modulo 2**64, so it is right where they are near each other
    return xp["where"](far < 2.0**62, floating(near), far)


def _allclose(xp: dict[str, Any], a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    return bool(xp["all"](_isclose(xp, a, b, rtol, atol, equal_nan)))


def _may_share_memory(xp: dict[str, Any], a: Any, b: Any, max_work: Any = None) -> bool:
    """By addresses; what is pending is computed, and a host array shares the memory of devices that compute in it."""
    if isinstance(a, Array) and isinstance(b, Array):
        return meet(memory(a._node), memory(b._node))
    ours, other = (a, b) if isinstance(a, Array) else (b, a)
    return bool(ours.device.host_shared and np.may_share_memory(np.asarray(ours), other))


def _windows(xp: dict[str, Any], x: Any, window_shape: Any, axis: Any = None) -> Any:
    return sliding_window_view(x, window_shape, axis)


def _eigvals(xp: dict[str, Any], a: Any) -> Any:
    values = xp["linalg"].eigvals(a)
    return values.real if _are_real(xp, a, values) else values


def _eig(xp: dict[str, Any], a: Any) -> Any:
    found = xp["linalg"].eig(a)
    return type(found)(found[0].real, found[1].real) if _are_real(xp, a, found[0]) else found


def _are_real(xp: dict[str, Any], a: Any, values: Any) -> bool:
    """Whether NumPy's eigenvalues are real: before 2.5 where all are so, unless the matrix is complex; then never."""
    return np.lib.NumpyVersion(np.__version__) < "2.5.0" and a.dtype.kind != "c" and not xp["any"](values.imag != 0)


def _array_equal(xp: dict[str, Any], a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = _arrays(xp, a1, a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(xp["all"](same | (xp["isnan"](a1) & xp["isnan"](a2)) if equal_nan else same))


OWN: dict[str, Callable[..., Any]] = {
    "allclose": _allclose,
    "arange": lambda xp, start, stop=None, step=1, dtype=None, *, device=None: xp["arange"](
        start, stop, step, dtype=dtype, device=device
    ),
    "argsort": _sorting("argsort"),
    "around": lambda xp, a, decimals=0: a.round(decimals),
    "array_equal": _array_equal,
    "atleast_1d": _atleast(1),
    "atleast_2d": _atleast(2),
    "column_stack": _column_stack,
    "concatenate": _concatenate,
    "copy": lambda xp, a: a.copy(),
    "diagonal": _of_a_matrix("diagonal"),
    "dot": _dot,
    "empty_like": lambda xp, prototype, dtype=None, *, device=None, shape=None: xp["empty_like"](
        prototype, dtype=dtype, device=device, shape=shape
    ),
    "hstack": _joined(1, lambda first: min(first.ndim - 1, 1)),
    "iscomplexobj": lambda xp, x: x.dtype.kind == "c",
    "isclose": _isclose,
    "isrealobj": lambda xp, x: x.dtype.kind != "c",
    "linalg.eig": _eig,
    "linalg.eigvals": _eigvals,
    "lib.stride_tricks.sliding_window_view": _windows,
    "may_share_memory": _may_share_memory,
    "ndim": lambda xp, a: a.ndim,
    "outer": lambda xp, a, b: xp["linalg"].outer(*[x.ravel() for x in _arrays(xp, a, b)]),
    "ravel": lambda xp, a: a.ravel(),
    "round": lambda xp, a, decimals=0: a.round(decimals),
    "shape": lambda xp, a: a.shape,
    "shares_memory": _may_share_memory,
    "size": lambda xp, a, axis=None: a.size if axis is None else a.shape[axis],
    "sort": _sorting("sort"),
    "squeeze": lambda xp, a, axis=None: a.squeeze(axis),
    "swapaxes": _swapaxes,
    "take": _take,
    "take_along_axis": _take_along_axis,
    "trace": _of_a_matrix("trace"),
    "transpose": lambda xp, a, axes=None: a.transpose(*(axes or ())),
    "unique": _unique,
    "vstack": _joined(2, lambda first: 0),
    "where": _where,
}
