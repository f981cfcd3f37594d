"""NumPy's functions on arrays of this package (NEP 18); NumPy's ufuncs are in `numpy_ufuncs`.

`names.RENAMED` maps NumPy's names to those of this namespace. Arguments are bound by NumPy's signature. An argument
equal to NumPy's default is dropped; any other is passed on, None too. `OWN` has functions that are not in the standard,
or whose arguments differ there. A function in neither, or one whose counterpart refuses the arguments, is computed on
host copies (`through_host`), so errors are NumPy's. Functions of other libraries raise TypeError.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ...config import config
from ...lazy import meet, memory
from ...memory.dtypes import COMPLEX_FLOATING, DISCRETE, DTYPES, INTEGRAL, REAL_FLOATING, NoValueError, as_dtype, fit
from ...memory.layout import normalize_axis
from ..core.array_object import Array
from ..core.host_values import PYTHON_SCALARS, refuse_subclass
from ..core.memory_order import axes_in_order, is_in_order, laid_out
from ..core.names import RENAMED
from ..standard.data_type_functions import floating
from .rounding import rounded
from .through_host import WRITES, arrays_in, through_host
from .window_functions import sliding_window_view

# Functions whose result must be an `Array`, otherwise TypeError; so must the result of ``like=``, which NumPy drops.
LIKE = frozenset(("empty_like", "full_like", "ones_like", "zeros_like"))
# The argument that a function stores as a number, with NumPy's rule of casts; and the choices of functions that choose.
NUMBER_WRITES = {"copyto": ("src", "same_kind"), "put": ("v", "unsafe"), "putmask": ("values", "unsafe")}
CHOSEN = {"select": "choicelist", "choose": "choices"}
# NumPy's arguments with another name here, or None if they do not affect the result: sorting is always stable whatever
# ``kind`` is, and ``overwrite_input`` only permits to destroy the input.
ARGUMENTS: dict[str, str | None] = {
    "a_max": "max", "a_min": "min", "ddof": "correction", "kind": None, "overwrite_input": None,
}  # fmt: skip


def function_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function that implements ``__array_function__`` for a namespace."""

    def handler(function: Any, types: Any, args: Any, options: dict[str, Any]) -> Any:
        module, name = getattr(function, "__module__", "numpy"), function.__name__
        if module.partition(".")[0] != "numpy" or any([_answers(kind) for kind in types]):
            return NotImplemented
        result = computed(namespace, function, args, options)
        if isinstance(result, np.ndarray) and (name in LIKE or next(arrays_in((args, options)), None) is None):
            raise TypeError(
                f"{module}.{name}: got dtype {result.dtype} for an array like an arrayapi_gpu array; allowed: "
                f"{', '.join(map(str, DTYPES))}; pass x.to_numpy() for a NumPy array"
            )
        return result

    return handler


def computed(namespace: dict[str, Any], function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The result of a function of NumPy: of the namespace's function of the same meaning, or through the host. Results of
    unsupported dtypes are NumPy arrays."""
    whole = whole_name(function)
    refuse_subclass(whole, [*args, *options.values()])
    own = _own(namespace, function, args, options)
    if own is not None:
        try:
            return own()
        except NoValueError:
            raise
        except (TypeError, ValueError):  # NumPy may allow more, or raises its own error
            if config.host_transfers == "error" and next(arrays_in((args, options)), None) is not None:
                raise
    _check_numbers(function, args, options)
    args, options = _with_out_by_name(function, args, options)
    return through_host(namespace, whole, function, args, options, _targets(function, args, options))


def whole_name(function: Any) -> str:
    """NumPy's name of a function, with the modules."""
    return f"{getattr(function, '__module__', None) or 'numpy'}.{function.__name__}"


def _answers(kind: Any) -> bool:
    """Whether a class of arrays implements ``__array_function__`` itself."""
    if issubclass(kind, np.ndarray):
        return bool(kind.__array_function__ is not np.ndarray.__array_function__)
    return not issubclass(kind, Array)


def _targets(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """The arguments that a call of NumPy's function writes to: ``out``, and the first argument of a function in
    `WRITES`."""
    out = options.get("out")
    given = _bound(function, args, options) if function.__name__ in WRITES else {}
    if not given:
        return out, None
    option, value = WRITES[function.__name__]
    return out, next(iter(given.values())) if option is None or given.get(option) is value else None


def _bound(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by NumPy's names; empty if they do not fit the signature, for which NumPy raises
    TypeError."""
    try:
        return _signature(function).bind(*args, **options).arguments
    except TypeError:
        return {}


def _check_numbers(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> None:
    """Raise OverflowError for a number out of the range of an integer dtype to which NumPy would cast it silently, and
    ValueError for NaN."""
    name = function.__name__
    given = _bound(function, args, options) if name in NUMBER_WRITES or name in CHOSEN else {}
    if not given:
        return
    if name in CHOSEN:
        _check_chosen(given.get(CHOSEN[name]), given.get("default", 0))
        return
    target, (option, rule) = next(iter(given.values())), NUMBER_WRITES[name]
    value = given.get(option)
    if not isinstance(value, (np.integer, np.floating)) or not isinstance(target, Array):
        return
    if target.dtype in INTEGRAL and np.can_cast(
        value.dtype, target.dtype, given.get("casting", rule)
    ):  # otherwise NumPy raises
        fit(value, target.dtype)


def _check_chosen(chosen: Any, default: Any) -> None:
    """Raise OverflowError for a Python integer among the choices that is out of the range of their common dtype."""
    among = [*chosen, default] if isinstance(chosen, (list, tuple)) else []
    numbers = [one for one in among if type(one) is int]
    kinds = [getattr(one, "dtype", one if isinstance(one, PYTHON_SCALARS) else None) for one in among]
    if numbers and None not in kinds and (dtype := np.result_type(*kinds)) in INTEGRAL:
        for one in numbers:
            fit(one, dtype)


def counterpart(namespace: dict[str, Any], function: Any) -> tuple[Callable[..., Any] | None, bool]:
    """The function of the same meaning, or None, and whether it takes the namespace and NumPy's arguments (`OWN`)."""
    module, _, name = whole_name(function).rpartition(".")
    whole = f"{module}.{name}".removeprefix("numpy.")
    if whole in OWN:
        return OWN[whole], True
    if module not in ("numpy", "numpy.linalg", "numpy.fft"):
        return None, False
    where = namespace if module == "numpy" else vars(namespace[module[6:]])
    found = where.get(RENAMED.get(name, name))
    return (found if callable(found) else None), False


def _own(namespace: dict[str, Any], function: Any, args: Any, options: dict[str, Any]) -> Callable[[], Any] | None:
    """A call of this namespace's function of the same meaning; None if no function accepts these arguments."""
    places, named = _given(function, args, options)
    found, own = counterpart(namespace, function)
    if found is None:
        return None
    if own:
        places = [namespace, *places]
    else:
        known = _signature(found).parameters
        respelt = {word: word if word in known else ARGUMENTS.get(word, word) for word in named}
        spelt = [word for word in respelt.values() if word is not None]
        if len(set(spelt)) < len(spelt):  # the same argument by two names
            return None
        named = {spelt: named[word] for word, spelt in respelt.items() if spelt is not None}
    try:
        _signature(found).bind(*places, **named)
    except TypeError:
        return None
    return partial(found, *places, **named)


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """A function's signature; (*args, **options) for NumPy's functions in C that do not have one."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(lambda *args, **options: None)


@cache
def _parameters(function: Callable[..., Any]) -> tuple[list[str], list[str], dict[str, Any]]:
    """The names of a function's positional arguments (none if it takes any number of them), those of them that are
    required, and the defaults of the others."""
    parameters = _signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return [], [], defaults
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names, [name for name in names if name not in defaults], defaults


def _given(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's function: required ones by position, and others by name unless they equal the
    default."""
    names, required, defaults = _parameters(function)
    if len(args) > len(names):  # any number, or more by position than NumPy's signature lists
        places, given = list(args), options
    else:
        places = [*args[: len(required)], *(options[name] for name in required[len(args) :])]
        given = dict(zip(names[len(required) :], args[len(required) :], strict=False)) | options
    return places, {
        name: value
        for name, value in given.items()
        if name not in required and value is not np._NoValue and value is not defaults.get(name, np._NoValue)
    }


def _with_out_by_name(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments, with ``out`` and those after it by name, where `through_host` expects it."""
    names = _parameters(function)[0]
    place = names.index("out") if "out" in names else len(args)
    return args[:place], dict(zip(names[place:], args[place:], strict=False)) | options


# --- functions with NumPy's arguments --------------------------------------------------------------------------------


def _arrays(xp: dict[str, Any], *values: Any) -> list[Any]:
    """The values as arrays, on the device of the first `Array` among them."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    return [value if isinstance(value, Array) else xp["asarray"](value, device=device) for value in values]


def _with_axes(x: Any, count: int) -> Any:
    """The array with at least ``count`` axes; new axes come first."""
    return x if x.ndim >= count else x.reshape((1,) * (count - x.ndim) + x.shape)


def _of_all(name: str) -> Callable[..., Any]:
    """The namespace's function ``name`` for any number of arrays, or of values that are converted to arrays."""
    return lambda xp, *arrays: xp[name](*_arrays(xp, *arrays))


def _joined(least: int, axis: Callable[[Any], int]) -> Callable[..., Any]:
    def function(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
        arrays = [_with_axes(array, least) for array in _arrays(xp, *tup)]
        return xp["concat"](arrays, axis=axis(arrays[0]))

    return function


def _column_stack(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
    columns = [array.reshape((-1, 1)) if array.ndim < 2 else array for array in _arrays(xp, *tup)]
    return xp["concat"](columns, axis=1)


def _like(name: str) -> Callable[..., Any]:
    """The function ``name`` with NumPy's arguments: a new array with the shape and memory order of ``x``, or others."""

    def function(
        xp: dict[str, Any], x: Any, *value: Any, dtype: Any = None, order: str = "K", device: Any = None,
        shape: Any = None,
    ) -> Any:  # fmt: skip
        axes = axes_in_order(name, x._node, order, copying=True)
        extents = x.shape if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
        if len(extents) != x.ndim:  # then any order except for "F" means "C"
            axes = tuple(range(len(extents)))[:: -1 if order in ("F", "f") else 1]
        made = xp[name](x, *value, dtype=dtype, device=device, shape=tuple(extents[axis] for axis in axes))
        return laid_out(made, axes)

    return function


def _arange(
    xp: dict[str, Any], start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None
) -> Any:
    """`arange`. In an integer dtype NumPy casts the first two numbers, and continues with their difference."""
    start, stop = (0, start) if stop is None else (start, stop)
    whole = dtype is not None and as_dtype(dtype) in INTEGRAL
    if whole and not all([isinstance(value, (int, np.integer)) for value in (start, stop, step)]):
        first, step, count = int(start), int(start + step) - int(start), math.ceil((stop - start) / step)
        return first + step * xp["arange"](max(count, 0), dtype=dtype, device=device)
    return xp["arange"](start, stop, step, dtype=dtype, device=device)


def _asarray(
    xp: dict[str, Any], a: Any, dtype: Any = None, order: str = "K", *, device: Any = None, copy: bool | None = None
) -> Any:
    """The array, or a copy if its memory order is another."""
    axes_in_order("asarray", (x := xp["asarray"](a, dtype=dtype, device=device, copy=copy))._node, order)
    if order.upper() in ("A", "K") or is_in_order(x._node, order.upper()):
        return x
    if copy is False:
        raise ValueError(f"asarray: copy=False, but an array must be copied for order={order!r}; drop copy=False")
    return x.copy(order)


def _array(
    xp: dict[str, Any], a: Any, dtype: Any = None, *, copy: bool | None = True, order: str = "K", ndmin: int = 0
) -> Any:
    """The array with at least ``ndmin`` axes; a copy unless ``copy`` is None or False."""
    x = _with_axes(_asarray(xp, a, dtype, order, copy=copy and None), ndmin)
    return x.copy(order) if copy else x


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
    one, other = (normalize_axis(axis, a.ndim, "swapaxes") for axis in (axis1, axis2))
    order[one], order[other] = other, one
    return xp["permute_dims"](a, tuple(order))


def _where(xp: dict[str, Any], condition: Any, x: Any = np._NoValue, y: Any = np._NoValue) -> Any:
    """`where`, and `nonzero` for a condition without ``x`` and ``y``."""
    if x is np._NoValue and y is np._NoValue:
        return xp["nonzero"](condition)
    if x is np._NoValue or y is np._NoValue:
        raise ValueError("where: got one of x and y; allowed: both, or neither; give the other one")
    arrays = _arrays(xp, *[value for value in (condition, x, y) if not isinstance(value, PYTHON_SCALARS)])
    condition, x, y = (value if isinstance(value, PYTHON_SCALARS) else arrays.pop(0) for value in (condition, x, y))
    return xp["where"](condition.astype(bool), x, y)


def _dot(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = _arrays(xp, a, b)
    if not (a.ndim and b.ndim):
        return a * b
    return xp["tensordot"](a, b, axes=((-1,), (max(-2, -b.ndim),)))


def _of_a_matrix(name: str) -> Callable[..., Any]:
    """The function ``name`` of `linalg` for one matrix. Stacks are refused, because NumPy reads the first two axes as
    matrices, and the standard the last two."""

    def function(xp: dict[str, Any], a: Any, offset: int = 0, **options: Any) -> Any:
        if a.ndim != 2:
            raise TypeError(f"numpy.{name} of arrayapi_gpu arrays: got {a.ndim} axes; allowed: 2; use linalg.{name}")
        return getattr(xp["linalg"], name)(a, offset=offset, **options)

    return function


def _unique(
    xp: dict[str, Any], ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    *, equal_nan: bool = True, sorted: bool = True,
) -> Any:  # fmt: skip
    """`numpy.unique`. NaNs are one value by default, unlike in the standard. TypeError for complex numbers, for which
    NumPy computes on the host."""
    if ar.dtype in COMPLEX_FLOATING and equal_nan:
        raise TypeError(
            "numpy.unique of arrayapi_gpu arrays: got complex numbers; allowed: real ones; use x.to_numpy()"
        )
    nans = int(xp["sum"](xp["isnan"](ar))) if equal_nan and ar.dtype in REAL_FLOATING else 0
    if not (return_index or return_inverse or return_counts):
        values = xp["unique_values"](ar)
        return values[: values.size - nans + 1] if nans else values
    values, indices, inverse, counts = xp["unique_all"](ar)
    if nans > 1:  # NaNs are the last values
        kept = values.size - nans + 1
        values, indices, inverse = values[:kept], indices[:kept], xp["minimum"](inverse, kept - 1)
        counts = xp["concat"]([counts[: kept - 1], xp["sum"](counts[kept - 1 :], keepdims=True)])
    wanted = ((return_index, indices), (return_inverse, inverse), (return_counts, counts))
    return (values, *(part for want, part in wanted if want))


def _isclose(xp: dict[str, Any], a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """``abs(a - b) <= atol + rtol * abs(b)``, without wrapping, because both sides are floating-point."""
    a, b = _arrays(xp, a, b)
    rtol, atol = (t if isinstance(t, (int, float)) else _arrays(xp, a, t)[1] for t in (rtol, atol))
    room = atol + rtol * abs(floating(b))
    if a.dtype in DISCRETE and b.dtype in DISCRETE:
        distance = _integer_distance(xp, a, b)
        return (distance <= room) | (distance == 0)
    result = ((abs(a - b) <= room) & xp["isfinite"](b)) | (a == b)
    return result | (xp["isnan"](a) & xp["isnan"](b)) if equal_nan else result


def _integer_distance(xp: dict[str, Any], a: Any, b: Any) -> Any:
    """``abs(a - b)`` in floating point for integers of any two dtypes, rounded only once if it is below 2**62."""
    far = abs(floating(a) - floating(b))
    one, other = a.astype("uint64"), b.astype("uint64")
    near = xp["minimum"](one - other, other - one)  # modulo 2**64, so it is correct for small distances
    return xp["where"](far < 2.0**62, floating(near), far)


def _allclose(xp: dict[str, Any], a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    return bool(xp["all"](_isclose(xp, a, b, rtol, atol, equal_nan)))


def _nan_to_num(
    xp: dict[str, Any], x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """`numpy.nan_to_num`; if ``copy`` is False, the numbers are written to the array itself."""
    if x.dtype in COMPLEX_FLOATING:
        parts = [_nan_to_num(xp, part, True, nan, posinf, neginf) for part in (x.real, x.imag)]
        found = xp["stack"](parts, axis=-1).view(x.dtype)[..., 0]
    elif x.dtype in REAL_FLOATING:
        limits = xp["finfo"](x.dtype)
        found = xp["where"](xp["isnan"](x), nan, x)
        found = xp["where"](x == math.inf, limits.max if posinf is None else posinf, found)
        found = xp["where"](x == -math.inf, limits.min if neginf is None else neginf, found).astype(x.dtype)
    else:
        return x.copy() if copy else x
    if copy:
        return found
    x[...] = found
    return x


def _may_share_memory(xp: dict[str, Any], a: Any, b: Any, max_work: Any = None) -> bool:
    """`numpy.may_share_memory` by addresses; pending arrays are computed. A host array may share memory with a device
    that computes in host memory."""
    if isinstance(a, Array) and isinstance(b, Array):
        return meet(memory(a._node), memory(b._node))
    x, other = (a, b) if isinstance(a, Array) else (b, a)
    return bool(x.device.host_shared and np.may_share_memory(np.asarray(x), other))


def _windows(xp: dict[str, Any], x: Any, window_shape: Any, axis: Any = None, *, writeable: bool = False) -> Any:
    if writeable:
        raise NoValueError(
            "sliding_window_view: got writeable=True; allowed: False, because windows share elements; copy the windows"
        )
    return sliding_window_view(x, window_shape, axis)


def _eigvals(xp: dict[str, Any], a: Any) -> Any:
    values = xp["linalg"].eigvals(a)
    return values.real if _are_real(xp, a, values) else values


def _eig(xp: dict[str, Any], a: Any) -> Any:
    found = xp["linalg"].eig(a)
    return type(found)(found[0].real, found[1].real) if _are_real(xp, a, found[0]) else found


def _are_real(xp: dict[str, Any], a: Any, values: Any) -> bool:
    """Whether NumPy returns real eigenvalues: never for a complex matrix; otherwise before NumPy 2.5, if all are
    real."""
    return (
        np.lib.NumpyVersion(np.__version__) < "2.5.0"
        and a.dtype not in COMPLEX_FLOATING
        and not xp["any"](values.imag != 0)
    )


def _of_two_axes(name: str) -> Callable[..., Any]:
    """A two-dimensional transform (of the last two axes by default), by the n-dimensional function of `fft`."""

    def function(xp: dict[str, Any], a: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Any:
        return getattr(xp["fft"], name)(a, s=s, axes=axes, norm=norm)

    return function


def _array_equal(xp: dict[str, Any], a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = _arrays(xp, a1, a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(xp["all"](same | (xp["isnan"](a1) & xp["isnan"](a2)) if equal_nan else same))


OWN: dict[str, Callable[..., Any]] = {
    "allclose": _allclose,
    "arange": _arange,
    "argsort": _sorting("argsort"),
    "array": _array,
    "asanyarray": _asarray,
    "asarray": _asarray,
    "ascontiguousarray": lambda xp, a, dtype=None: _asarray(xp, _with_axes(_arrays(xp, a)[0], 1), dtype, "C"),
    "asfortranarray": lambda xp, a, dtype=None: _asarray(xp, _with_axes(_arrays(xp, a)[0], 1), dtype, "F"),
    "around": lambda xp, a, decimals=0: rounded(a, decimals),
    "array_equal": _array_equal,
    "atleast_1d": _of_all("atleast_1d"),
    "atleast_2d": _of_all("atleast_2d"),
    "atleast_3d": _of_all("atleast_3d"),
    "broadcast_arrays": _of_all("broadcast_arrays"),
    "column_stack": _column_stack,
    "concatenate": _concatenate,
    "copy": lambda xp, a, order="K": a.copy(order),
    "diagonal": _of_a_matrix("diagonal"),
    "dot": _dot,
    "empty_like": _like("empty_like"),
    "fft.fft2": _of_two_axes("fftn"),
    "fft.ifft2": _of_two_axes("ifftn"),
    "fft.irfft2": _of_two_axes("irfftn"),
    "fft.rfft2": _of_two_axes("rfftn"),
    "full_like": _like("full_like"),
    "hstack": _joined(1, lambda first: min(first.ndim - 1, 1)),
    "iscomplexobj": lambda xp, x: x.dtype in COMPLEX_FLOATING,
    "isclose": _isclose,
    "isrealobj": lambda xp, x: x.dtype not in COMPLEX_FLOATING,
    "linalg.eig": _eig,
    "linalg.eigvals": _eigvals,
    "lib.stride_tricks.sliding_window_view": _windows,
    "may_share_memory": _may_share_memory,
    "nan_to_num": _nan_to_num,
    "ndim": lambda xp, a: a.ndim,
    "ones_like": _like("ones_like"),
    "outer": lambda xp, a, b: xp["linalg"].outer(*[x.ravel() for x in _arrays(xp, a, b)]),
    "ravel": lambda xp, a, order="C": a.ravel(order),
    "reshape": lambda xp, a, shape, order="C", *, copy=None: a.reshape(shape, order=order, copy=copy),
    "round": lambda xp, a, decimals=0: rounded(a, decimals),
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
    "zeros_like": _like("zeros_like"),
}
