"""Creation functions (standard, chapter "Creation functions").

Ranges, constants and triangles are expressions of the index: they take no memory until they are computed.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex

import numpy as np

from ... import lazy
from ...backends import get_device
from ...backends.base import Device
from ...kernels.core.ops import OPS
from ...lazy import Node, available, constant, fresh, handle, index_along, leaf
from ...memory.dtypes import (
    COMPLEX_FLOATING,
    DTYPE_OF,
    INTEGRAL,
    REAL_FLOATING,
    SIGNED,
    as_dtype,
    cast,
    check_cast,
    defaults,
    fit,
    result_type,
)
from ...memory.gpuarray import adopt, upload
from ...memory.layout import check_shape
from ..core.arguments import by_name, of_arrays, supported
from ..core.array_object import Array, copied
from ..core.host_values import PYTHON_SCALARS, host_values, number, refuse_subclass
from ..exchange.dlpack_functions import from_array_interface, from_dlpack
from ..exchange.gpudata_functions import from_driver_array
from .manipulation_functions import broadcast_arrays, expand_dims, stack

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "full", "full_like", "linspace", "meshgrid", "ones", "ones_like",
    "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]

Shape = SupportsIndex | Sequence[SupportsIndex]
DeviceLike = Device | str | None


def _defaults(device: Device) -> Any:
    return defaults("f64" in device.dtypes)


def _dtype(dtype: Any, kind: str, device: Device) -> np.dtype[Any]:
    chosen: np.dtype[Any] = _defaults(device)[kind] if dtype is None else as_dtype(dtype)
    return supported(chosen, device)


@by_name
def asarray(obj: Any, /, *, dtype: Any = None, device: DeviceLike = None, copy: bool | None = None) -> Array:
    """An array with the values of ``obj``: an array, a scalar, a nested sequence, a NumPy array, or an object with
    DLPack or a buffer. The memory of an array of the driver's library (`pyopencl.array.Array`) is shared, see
    `from_gpudata`.

    ``dtype``: the dtype of the result. A Python number that does not fit an integer dtype, alone or in a list, raises
    OverflowError, and NaN raises ValueError. Elements of floating-point arrays saturate, and NaN becomes 0; elements of
    integer arrays wrap. Complex numbers are not converted to real ones (TypeError).

    ``copy``: True always copies; False never copies, and raises ValueError if a copy is necessary: a host array is
    shared only with a device that shares host memory; None copies host arrays and shares device arrays. ``device``: the
    device of the result. Source: standard, ``asarray``.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Array):
        target = obj.device if device is None else get_device(device)
        result = obj if target is obj.device else obj.to_device(target)
        if wanted is not None and wanted != result.dtype:
            check_cast(result.dtype, wanted)
            result = handle(Array, lazy.astype(result._node, wanted))
        if copy is False and result is not obj:
            raise ValueError(
                f"asarray: copy=False, but {obj.dtype} on {obj.device} must be copied to be {wanted} on {target}; "
                "drop copy=False"
            )
        return copied(result) if copy and result is obj else result
    target = get_device(device)
    host = _host(obj, device, wanted)
    if isinstance(host, Array):
        return asarray(host, dtype=dtype, device=device, copy=copy)
    chosen = wanted if wanted is not None else _natural(obj, host, target)
    supported(chosen, target)
    if copy is False:
        array = None
        if isinstance(obj, np.ndarray) and host.dtype == chosen:
            array = adopt(target, host) if host.size else upload(target, host)  # without elements nothing is copied
        if array is None:
            raise ValueError(
                f"asarray: copy=False, but {type(obj).__name__} of {host.dtype} must be copied to be "
                f"{chosen} on {target}; drop copy=False"
            )
        return handle(Array, leaf(array))
    if host.dtype != chosen:
        host = cast(host, chosen)
    if host.ndim == 0:
        return handle(Array, constant(host.item(), chosen, (), target))
    return handle(Array, leaf(upload(target, host)))


def _natural(obj: Any, host: np.ndarray[Any, Any], device: Device) -> np.dtype[Any]:
    """The dtype of values without ``dtype=``: that of NumPy values; the default dtype of their kind for Python
    numbers."""
    if host.size == 0 and not hasattr(obj, "dtype"):
        default: np.dtype[Any] = _defaults(device)["real floating"]
        return default
    if not hasattr(obj, "dtype") and "f64" not in device.dtypes:
        kinds = {"real floating": REAL_FLOATING, "complex floating": COMPLEX_FLOATING, "integral": SIGNED}
        for kind, dtypes in kinds.items():
            if host.dtype in dtypes:
                chosen: np.dtype[Any] = _defaults(device)[kind]
                return chosen
    return as_dtype(host.dtype)


def _host(obj: Any, device: DeviceLike, wanted: np.dtype[Any] | None) -> Any:
    """A host array of the values, or an `Array` if the values contain one.

    Python numbers are converted to the wanted dtype here, because their rule of casts differs from that of arrays.
    """
    if isinstance(obj, np.ndarray):
        return host_values("asarray", obj)
    if isinstance(obj, (*PYTHON_SCALARS, np.generic)):
        return host_values("asarray", obj, wanted)
    if hasattr(obj, "__arrayapi_gpu__"):  # an object that wraps an `Array`, such as `pygpu.GpuArray`
        return obj.__arrayapi_gpu__()
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj, device=device)
    if hasattr(obj, "__cuda_array_interface__"):
        return from_array_interface(obj, device=device)
    if hasattr(obj, "base_data") and hasattr(obj, "queue"):
        return from_driver_array(obj)
    first = next(_arrays_in(obj), None)
    if first is not None:
        return _stacked(obj, first.device)
    return host_values("asarray", obj, wanted)


def _arrays_in(obj: Any) -> Iterator[Array]:
    """Each `Array` in nested lists and tuples. A list is only searched if its types include an array or a list, because
    it may be long."""
    if isinstance(obj, Array):
        yield obj
    elif isinstance(obj, (list, tuple)) and any(issubclass(kind, (Array, list, tuple)) for kind in set(map(type, obj))):
        for value in obj:
            yield from _arrays_in(value)


def _stacked(obj: Sequence[Any], device: Device) -> Array:
    """An array of nested lists that contain arrays; numbers in the lists are copied to the device of the arrays."""
    parts = [v if isinstance(v, Array) else asarray(v, device=device) for v in obj]
    dtype = result_type(*[part.dtype for part in parts])
    return stack([handle(Array, lazy.astype(part._node, dtype)) for part in parts])


@by_name
def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: DeviceLike = None
) -> Array:
    """A one-dimensional array of evenly spaced numbers from ``start`` up to, but not including, ``stop``, with distance
    ``step``; a single argument is ``stop``, and ``start`` is then 0.

    ``dtype``: the default integer dtype if all arguments are ints, the default floating-point dtype otherwise.
    ValueError for a step of zero. Source: standard, ``arange``.
    """
    target = get_device(device)
    if stop is None:
        start, stop = 0, start
    if not type(start) is type(stop) is type(step) is int:
        start, stop, step = _real("start", start), _real("stop", stop), _real("step", step)
    if step == 0:
        raise ValueError("arange: step is 0; allowed: any other number; use full for equal elements")
    integral = all(isinstance(v, int) for v in (start, stop, step))
    chosen = _dtype(dtype, "integral" if integral else "real floating", target)
    length = -((stop - start) // -step) if integral else (stop - start) / step
    if length != length or length == math.inf:
        raise ValueError(f"arange: got {start}, {stop}, {step}; allowed: a range of finite length; pass finite numbers")
    n = max(0, math.ceil(length)) if length > 0 else 0
    index = index_along(0, check_shape(n), target)
    if chosen in INTEGRAL and integral:
        if n:
            fit(start, chosen), fit(start + (n - 1) * step, chosen)  # raise OverflowError
        return handle(Array, _ramp(index, int(start), int(step), chosen))
    ramp = _ramp(index, start, step, DTYPE_OF["f64"] if "f64" in target.dtypes else DTYPE_OF["f32"])
    return handle(Array, lazy.astype(ramp, chosen))


def _real(argument: str, value: Any) -> Any:
    """An argument of `arange`, one real number. TypeError otherwise."""
    value = number("arange", argument, value)
    if isinstance(value, complex):
        raise TypeError(f"arange: got {value} for {argument}; allowed: real numbers; use value.real")
    return value


def _ramp(index: Node, start: Any, step: Any, dtype: np.dtype[Any]) -> Node:
    """``start + index * step`` in a dtype; integers wrap."""
    wide = DTYPE_OF["i64"] if dtype in INTEGRAL else dtype
    node = lazy.astype(index, wide)
    if dtype in INTEGRAL:
        start, step = (v if v < 2**63 else v - 2**64 for v in (start, step))
    if step != 1:
        node = lazy.binary(OPS["multiply"], node, step)
    if start != 0:
        node = lazy.binary(OPS["add"], node, start)
    return lazy.astype(node, dtype)


@by_name
def empty(shape: Shape, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """An array of shape ``shape`` with uninitialised elements. Source: standard, ``empty``."""
    target = get_device(device)
    return handle(Array, leaf(fresh(target, _dtype(dtype, "real floating", target), check_shape(shape))))


@of_arrays
def empty_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """An array with uninitialised elements and the shape, dtype and device of ``x``, unless others are given (``shape``
    is an extension). Source: standard, ``empty_like``."""
    return empty(**_as(x, shape, dtype, device))


def _as(x: Array, shape: Shape | None, dtype: Any, device: DeviceLike) -> dict[str, Any]:
    """The shape, dtype and device of a ``*_like`` function: those of ``x``, unless others are given."""
    given = {"shape": shape, "dtype": dtype, "device": device}
    return {name: getattr(x, name) if value is None else value for name, value in given.items()}


@by_name
def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: DeviceLike = None
) -> Array:
    """A matrix with ones on diagonal ``k`` (above the main diagonal for positive k) and zeros elsewhere, of shape
    ``(n_rows, n_cols)``; ``n_cols`` defaults to ``n_rows``. Source: standard, ``eye``."""
    target = get_device(device)
    shape = check_shape((n_rows, n_rows if n_cols is None else n_cols))
    row, column = (index_along(axis, shape, target) for axis in (0, 1))
    on = lazy.binary(OPS["equal"], lazy.binary(OPS["subtract"], column, row), min(max(k, -(2**62)), 2**62))
    return handle(Array, lazy.astype(on, _dtype(dtype, "real floating", target)))


@by_name
def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """An array of shape ``shape`` whose elements are all ``fill_value``, a number or a 0-dimensional array.

    ``dtype``: the default dtype of the value's kind if not given. A Python number that does not fit an integer dtype
    raises OverflowError, NaN raises ValueError; a 0-dimensional array is cast as arrays are.
    Source: standard, ``full``.
    """
    target = get_device(device if device is not None or not isinstance(fill_value, Array) else fill_value.device)
    value = fill_value
    if isinstance(value, (Array, np.generic, np.ndarray)):
        refuse_subclass("full", value, converts=True)
        if value.ndim:
            raise ValueError(f"full: fill_value has shape {value.shape}; allowed: a scalar or a 0-dimensional array")
        chosen = supported(as_dtype(value.dtype if dtype is None else dtype), target)
        if not isinstance(value, np.generic):
            value = cast(np.asarray(value), chosen)[()]
    else:
        kinds = {bool: "bool", int: "integral", float: "real floating", complex: "complex floating"}
        kind = next((kinds[t] for t in kinds if isinstance(value, t)), None)
        if kind is None:
            raise TypeError(
                f"full: got {type(value).__name__}; allowed: bool, int, float, complex, a 0-dimensional array; "
                "convert it"
            )
        chosen = BOOL if kind == "bool" and dtype is None else _dtype(dtype, kind, target)
    return handle(Array, constant(fit(value, chosen), chosen, check_shape(shape), target))


@of_arrays
def full_like(
    x: Array, /, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None
) -> Array:
    """An array whose elements are all ``fill_value``, with the shape, dtype and device of ``x``, unless others are
    given (``shape`` is an extension). Source: standard, ``full_like``."""
    return full(fill_value=fill_value, **_as(x, shape, dtype, device))


@by_name
def linspace(
    start: complex | Array,
    stop: complex | Array,
    /,
    num: int,
    *,
    endpoint: bool = True,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Array:
    """A one-dimensional array of ``num`` evenly spaced numbers from ``start`` to ``stop``; ``endpoint``: whether
    ``stop`` is the last of them.

    ``start``, ``stop``: numbers or 0-dimensional arrays. ``dtype``: by default the floating-point dtype of ``start``
    and ``stop`` if they are arrays or NumPy scalars, otherwise the device's default floating-point dtype.

    Element i is start + i * step, computed in ``dtype`` if start and stop promote to it, otherwise in the default
    floating-point dtype. The bits are those of NumPy, except if stop - start overflows: NumPy returns infinities, this
    function finite numbers. For an integer dtype the numbers are rounded down; for bfloat16, which NumPy does not have,
    they are rounded at the end. TypeError for other arguments, and for complex numbers if ``dtype`` is real; ValueError
    for a negative num. Source: standard, ``linspace``.
    """
    target = get_device(device)
    try:
        count = operator.index(num)
    except TypeError:
        raise TypeError(f"linspace: got {num!r} for num; allowed: integers; use int(num)") from None
    if count < 0:
        raise ValueError(f"linspace: num is {num}; allowed: 0 or more")
    ends = [end.dtype if hasattr(end, "dtype") else end for end in (start, stop)]
    start, stop = number("linspace", "start", start), number("linspace", "stop", stop)
    if dtype is None and any(isinstance(end, np.dtype) for end in ends):
        dtype = available(result_type(*ends, 1.0), target)
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    chosen = _dtype(dtype, "complex floating" if is_complex else "real floating", target)
    compute = _defaults(target)["complex floating" if is_complex else "real floating"]
    if dtype is not None and result_type(*ends, 1.0) == chosen != DTYPE_OF.get("bf16"):
        compute = chosen
    check_cast(compute, chosen)
    index = index_along(0, check_shape(count), target)
    ramp = _spaced(lazy.astype(index, compute), start, stop, count - endpoint)
    if endpoint and count > 1:
        ramp = lazy.where(lazy.binary(OPS["equal"], index, count - 1), fit(stop, compute), ramp)
    if chosen in INTEGRAL:
        ramp = lazy.unary(OPS["floor"], ramp)
    return handle(Array, lazy.astype(ramp, chosen))


def _spaced(index: Node, start: Any, stop: Any, intervals: int) -> Node:
    """``start + index * step`` in the dtype of ``index``, in NumPy's order of operations."""
    multiply, divide, add = OPS["multiply"], OPS["divide"], OPS["add"]
    start, stop, span, step = _step(start, stop, intervals, index.dtype)
    if not cmath.isfinite(span) and cmath.isfinite(start) and cmath.isfinite(stop):
        part = lazy.binary(divide, index, float(intervals))
        rest = lazy.binary(divide, lazy.binary(OPS["subtract"], intervals, index), float(intervals))
        return lazy.binary(add, lazy.binary(multiply, rest, start), lazy.binary(multiply, part, stop))
    if step == 0 and intervals > 0:  # the step underflowed, or start equals stop
        scaled = lazy.binary(multiply, lazy.binary(divide, index, float(intervals)), span)
    else:
        scaled = lazy.binary(multiply, index, step)
    return lazy.binary(add, scaled, start)


def _step(start: Any, stop: Any, intervals: int, dtype: np.dtype[Any]) -> tuple[Any, Any, Any, Any]:
    """``start``, ``stop``, their difference and the step as Python numbers, computed in a dtype."""
    if dtype == DTYPE_OF["f64"]:  # the dtype of Python's floats
        start, stop = float(start), float(stop)
        return start, stop, stop - start, (stop - start) / (intervals if intervals > 0 else 1)
    start, stop = dtype.type(start), dtype.type(stop)
    with np.errstate(all="ignore"):
        span = stop - start
        step = span / intervals if intervals > 0 else span
    return start.item(), stop.item(), span.item(), step.item()


@of_arrays
def meshgrid(*arrays: Array, indexing: str = "xy", copy: bool = True) -> tuple[Array, ...]:
    """The coordinate arrays of a grid, one for each one-dimensional array.

    ``indexing``: "ij", axes in the order of the arrays; "xy", the first two axes swapped. ``copy``: False (an
    extension) returns views, which are read-only if elements repeat. ValueError for arrays of other ranks or of
    different dtypes, and for another ``indexing``. Source: standard, ``meshgrid``.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing={indexing!r}; allowed: 'xy', 'ij'")
    for array in arrays:
        if array.ndim != 1:
            raise ValueError(
                f"meshgrid: got an array of shape {array.shape}; allowed: 1 dimension; use reshape(x, (-1,))"
            )
    if len({array.dtype for array in arrays}) > 1:
        raise ValueError(f"meshgrid: dtypes {[str(a.dtype) for a in arrays]}; allowed: one dtype; convert with astype")
    swapped = indexing == "xy" and len(arrays) > 1
    order = [1, 0, *range(2, len(arrays))] if swapped else list(range(len(arrays)))
    shape = [0] * len(arrays)
    for array, axis in zip(arrays, order, strict=True):
        shape[axis] = array.size
    out = []
    for array, axis in zip(arrays, order, strict=True):
        others = tuple(k for k in range(len(arrays)) if k != axis)
        wide = expand_dims(array, others) if others else array
        out.append(copied(handle(Array, lazy.broadcast(wide._node, tuple(shape)))) if copy else wide)
    return tuple(out) if copy else broadcast_arrays(*out)


def on_device_of(x: Array, value: Any, name: str = "asarray", dtype: Any = None) -> Array:
    """A value as an array on the device of ``x``; ``name``: the function that was called, for errors."""
    if isinstance(value, Array):
        return value
    try:
        return asarray(value, dtype=dtype, device=x.device)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(str(error).replace("asarray:", f"{name}:", 1)) from None


@by_name
def ones(shape: Shape, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """An array of shape ``shape`` filled with ones. Source: standard, ``ones``."""
    return _filled(shape, 1, dtype, device)


@of_arrays
def ones_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """An array of ones with the shape, dtype and device of ``x``, unless others are given (``shape`` is an extension).
    Source: standard, ``ones_like``."""
    return _filled(value=1, **_as(x, shape, dtype, device))


@by_name
def zeros(shape: Shape, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """An array of shape ``shape`` filled with zeros. Source: standard, ``zeros``."""
    return _filled(shape, 0, dtype, device)


@of_arrays
def zeros_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """An array of zeros with the shape, dtype and device of ``x``, unless others are given (``shape`` is an extension).
    Source: standard, ``zeros_like``."""
    return _filled(value=0, **_as(x, shape, dtype, device))


def _filled(shape: Shape, value: int, dtype: Any, device: DeviceLike) -> Array:
    target = get_device(device)
    chosen = _dtype(dtype, "real floating", target)
    return handle(Array, constant(chosen.type(value).item(), chosen, check_shape(shape), target))


@of_arrays
def tril(x: Array, /, *, k: int = 0) -> Array:
    """The lower triangles of matrices (the last two axes): ``x`` with zeros above diagonal ``k``.

    ValueError for fewer than two axes. Source: standard, ``tril``.
    """
    return _triangle("tril", "less_equal", x, k)


@of_arrays
def triu(x: Array, /, *, k: int = 0) -> Array:
    """The upper triangles of matrices (the last two axes): ``x`` with zeros below diagonal ``k``.

    ValueError for fewer than two axes. Source: standard, ``triu``.
    """
    return _triangle("triu", "greater_equal", x, k)


def _triangle(name: str, compare: str, x: Array, k: int) -> Array:
    if x.ndim < 2:
        raise ValueError(f"{name}: the array has {x.ndim} axes; allowed: 2 or more; use reshape or expand_dims first")
    row, column = (index_along(axis, x.shape, x.device) for axis in (x.ndim - 2, x.ndim - 1))
    distance = lazy.binary(OPS["subtract"], column, row)
    keep = lazy.binary(OPS[compare], distance, min(max(k, -(2**62)), 2**62))
    return handle(Array, lazy.where(keep, x._node, constant(x.dtype.type(0).item(), x.dtype, (), x.device)))
