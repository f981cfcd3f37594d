"""Creation functions (standard, chapter "Creation functions").

Ranges, constants and triangles are expressions of the index: they take no memory until they are computed.
"""

from __future__ import annotations

import cmath
import math
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
from ..core.arguments import by_name, integer, of_arrays, supported
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
    """Convert an object to an array.

    Parameters
    ----------
    obj : object
        An array, a number, nested sequences of numbers or arrays, a NumPy array, or an object that has DLPack, the CUDA
        Array Interface or a buffer. The memory of an array of the driver's library, such as `pyopencl.array.Array`, is
        shared, as by `from_gpudata`.
    dtype : dtype or None
        The dtype. None is that of an array; for Python numbers, the default dtype of their kind, such as int64. Floats
        that are cast to integers saturate, and NaN becomes 0; integers that are cast to integers wrap.
    device : Device, str or None
        The device. None is that of `obj` if it has one, otherwise the default device.
    copy : bool or None
        Whether to copy. None copies arrays in host memory, and shares the memory of arrays on devices and of objects
        that have DLPack. False shares the memory of NumPy arrays and of buffers, too, if the device computes in host
        memory.

    Returns
    -------
    Array
        An array with the values of `obj`; `obj` itself if it is an array and nothing needs to change.

    Raises
    ------
    OverflowError
        If a Python number does not fit an integer dtype.
    TypeError
        If `obj` has no numbers, or if complex numbers would become real ones.
    ValueError
        If `copy` is False and a copy is necessary, if NaN in a list would become an integer, or if sequences have
        different lengths.

    See Also
    --------
    from_dlpack, astype, Array.to_numpy, from_host

    References
    ----------
    Array API standard, chapter "Creation functions": ``asarray``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> print(x)
    [[1 2]
     [3 4]]
    >>> x.dtype
    dtype('int64')
    >>> print(xp.asarray([1, 2], dtype=xp.float32))
    [1. 2.]
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
                f"asarray: copy=False, but {obj.dtype} on {obj.device} must be copied to be {result.dtype} on "
                f"{target}; drop copy=False"
            )
        return copied(result) if copy and result is obj else result
    target = get_device(device)
    host = _host(obj, device, wanted, copy)
    if isinstance(host, Array):
        return asarray(host, dtype=dtype, device=device, copy=copy)
    chosen = wanted if wanted is not None else _natural(obj, host, target)
    supported(chosen, target)
    if copy is False:
        array = None
        if _has_memory(obj) and host.dtype == chosen:
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


def _has_memory(obj: Any) -> bool:
    """Whether NumPy reads the elements of an object where they are: those of an array or a buffer."""
    if isinstance(obj, (np.ndarray, np.generic)):
        return isinstance(obj, np.ndarray)
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


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


def _host(obj: Any, device: DeviceLike, wanted: np.dtype[Any] | None, copy: bool | None) -> Any:
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
        if copy is False:
            raise ValueError("asarray: copy=False, but the arrays of a list must be copied to be one; drop copy=False")
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
    """Return evenly spaced numbers from `start` up to, but not including, `stop`.

    Parameters
    ----------
    start : float
        The first number. If it is the only number given, it is `stop`, and the first number is 0.
    stop : float or None
        The end of the range, which is not in the result.
    step : float
        The distance between numbers; it may be negative.
    dtype : dtype or None
        The dtype. None is the default integer dtype, int64, if all numbers are ints, otherwise the default
        floating-point dtype: float64, or float32 on a device without float64.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        A 1-dimensional array. It takes no memory while it is only an operand of expressions.

    Raises
    ------
    OverflowError
        If a number does not fit an integer dtype.
    TypeError
        If an argument is not a real number.
    ValueError
        If `step` is 0, or if the range is infinite.

    See Also
    --------
    linspace

    References
    ----------
    Array API standard, chapter "Creation functions": ``arange``.

    Examples
    --------
    >>> print(xp.arange(5))
    [0 1 2 3 4]
    >>> print(xp.arange(1, 2, 0.25))
    [1.   1.25 1.5  1.75]
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
    """Return an array whose elements have no particular values.

    Parameters
    ----------
    shape : int or sequence of int
        The shape.
    dtype : dtype or None
        The dtype. None is the default floating-point dtype of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        An array in memory that was not initialized.

    See Also
    --------
    zeros, empty_like

    References
    ----------
    Array API standard, chapter "Creation functions": ``empty``.

    Examples
    --------
    >>> x = xp.empty((2, 3))
    >>> x[...] = 7
    >>> print(x)
    [[7. 7. 7.]
     [7. 7. 7.]]
    """
    target = get_device(device)
    return handle(Array, leaf(fresh(target, _dtype(dtype, "real floating", target), check_shape(shape))))


@of_arrays
def empty_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """Return an array without particular values, with the shape, dtype and device of another array.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    dtype : dtype or None
        The dtype. None is that of `x`.
    device : Device, str or None
        The device. None is that of `x`.
    shape : int, sequence of int or None
        The shape (an extension). None is that of `x`.

    Returns
    -------
    Array
        An array in memory that was not initialized.

    See Also
    --------
    empty, zeros_like

    References
    ----------
    Array API standard, chapter "Creation functions": ``empty_like``.

    Examples
    --------
    >>> xp.empty_like(xp.asarray([[5, 6], [7, 8]])).shape
    (2, 2)
    """
    return empty(**_as(x, shape, dtype, device))


def _as(x: Array, shape: Shape | None, dtype: Any, device: DeviceLike) -> dict[str, Any]:
    """The shape, dtype and device of a ``*_like`` function: those of ``x``, unless others are given."""
    given = {"shape": shape, "dtype": dtype, "device": device}
    return {name: getattr(x, name) if value is None else value for name, value in given.items()}


@by_name
def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: DeviceLike = None
) -> Array:
    """Return a matrix with ones on one diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    n_cols : int or None
        The number of columns. None is the number of rows.
    k : int
        The diagonal: 0 is the main one, positive numbers count to the right of it, negative ones to the left.
    dtype : dtype or None
        The dtype. None is the default floating-point dtype of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        A matrix of shape (n_rows, n_cols). It takes no memory while it is only an operand of expressions.

    See Also
    --------
    tril, triu, linalg.diagonal

    References
    ----------
    Array API standard, chapter "Creation functions": ``eye``.

    Examples
    --------
    >>> print(xp.eye(2, 3, dtype=xp.int32))
    [[1 0 0]
     [0 1 0]]
    >>> print(xp.eye(3, k=1, dtype=xp.int32))
    [[0 1 0]
     [0 0 1]
     [0 0 0]]
    """
    k, target = integer("eye", "k", k), get_device(device)
    shape = check_shape((n_rows, n_rows if n_cols is None else n_cols))
    row, column = (index_along(axis, shape, target) for axis in (0, 1))
    on = lazy.binary(OPS["equal"], lazy.binary(OPS["subtract"], column, row), min(max(k, -(2**62)), 2**62))
    return handle(Array, lazy.astype(on, _dtype(dtype, "real floating", target)))


@by_name
def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """Return an array whose elements all have one value.

    Parameters
    ----------
    shape : int or sequence of int
        The shape.
    fill_value : bool, int, float, complex or Array
        The value; an array must have 0 dimensions.
    dtype : dtype or None
        The dtype. None is that of an array; for Python numbers, the default dtype of their kind, such as int64, and
        uint64 for integers above it.
    device : Device, str or None
        The device. None is that of `fill_value` if it is an array, otherwise the default device.

    Returns
    -------
    Array
        An array of that value. It takes no memory while it is only an operand of expressions.

    Raises
    ------
    OverflowError
        If a Python number does not fit an integer dtype.
    TypeError
        If `fill_value` is not a number.
    ValueError
        If `fill_value` is NaN and the dtype is an integer one, or if it is an array of 1 dimension or more.

    See Also
    --------
    full_like, zeros, ones

    References
    ----------
    Array API standard, chapter "Creation functions": ``full``.

    Examples
    --------
    >>> print(xp.full((2, 3), 7))
    [[7 7 7]
     [7 7 7]]
    >>> xp.full(2, 7.0).dtype
    dtype('float64')
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
        above = dtype is None and kind == "integral" and 2**63 <= value < 2**64  # as in `asarray`
        chosen = BOOL if kind == "bool" and dtype is None else _dtype("uint64" if above else dtype, kind, target)
    return handle(Array, constant(fit(value, chosen), chosen, check_shape(shape), target))


@of_arrays
def full_like(
    x: Array, /, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None
) -> Array:
    """Return an array of one value with the shape, dtype and device of another array.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    fill_value : bool, int, float, complex or Array
        The value; an array must have 0 dimensions.
    dtype : dtype or None
        The dtype. None is that of `x`.
    device : Device, str or None
        The device. None is that of `x`.
    shape : int, sequence of int or None
        The shape (an extension). None is that of `x`.

    Returns
    -------
    Array
        An array of that value.

    Raises
    ------
    OverflowError
        If a Python number does not fit an integer dtype.
    TypeError
        If `fill_value` is not a number.
    ValueError
        If `fill_value` is NaN and the dtype is an integer one, or if it is an array of 1 dimension or more.

    See Also
    --------
    full, zeros_like

    References
    ----------
    Array API standard, chapter "Creation functions": ``full_like``.

    Examples
    --------
    >>> print(xp.full_like(xp.asarray([1, 2]), 7))
    [7 7]
    """
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
    """Return a given number of evenly spaced numbers from `start` to `stop`.

    The bits are those of NumPy's function, except if ``stop - start`` overflows: then the numbers here are finite.

    Parameters
    ----------
    start, stop : complex or Array
        The first and the last number; arrays must have 0 dimensions.
    num : int
        How many numbers to return.
    endpoint : bool
        Whether `stop` is the last number. If not, it would be the next one.
    dtype : dtype or None
        The dtype. None is the floating-point dtype to which `start` and `stop` promote if one of them has a dtype,
        otherwise the default floating-point dtype of the device. For an integer dtype the numbers are rounded down.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        A 1-dimensional array of `num` numbers. It takes no memory while it is only an operand of expressions.

    Raises
    ------
    TypeError
        If `num` is not an integer, or if numbers are complex and `dtype` is real.
    ValueError
        If `num` is negative.

    See Also
    --------
    arange

    References
    ----------
    Array API standard, chapter "Creation functions": ``linspace``.

    Examples
    --------
    >>> print(xp.linspace(0, 1, 5))
    [0.   0.25 0.5  0.75 1.  ]
    >>> print(xp.linspace(0, 1, 4, endpoint=False))
    [0.   0.25 0.5  0.75]
    """
    target = get_device(device)
    count = integer("linspace", "num", num)
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
    """Return coordinate arrays of the points of a grid.

    Parameters
    ----------
    *arrays : Array
        1-dimensional arrays of one dtype: the coordinates along each axis of the grid.
    indexing : {"xy", "ij"}
        The order of axes in the results: "ij", that of the arrays; "xy", the same with the first two axes swapped.
    copy : bool
        Whether the results are copies (an extension). False returns views, which are read-only if elements repeat.

    Returns
    -------
    tuple of Array
        One array for each argument, all of the shape of the grid.

    Raises
    ------
    ValueError
        If an array does not have 1 dimension, if dtypes differ, or for another `indexing`.

    See Also
    --------
    broadcast_arrays

    References
    ----------
    Array API standard, chapter "Creation functions": ``meshgrid``.

    Examples
    --------
    >>> x, y = xp.meshgrid(xp.asarray([1, 2, 3]), xp.asarray([10, 20]))
    >>> print(x)
    [[1 2 3]
     [1 2 3]]
    >>> print(y)
    [[10 10 10]
     [20 20 20]]
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
    """A value as an array on the device of ``x``; ``name``: the function that was called, for errors. ValueError for an
    array on another device."""
    if isinstance(value, Array):
        return value if value.device is x.device else handle(Array, lazy.on_device(name, value._node, x.device))
    try:
        return asarray(value, dtype=dtype, device=x.device)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(str(error).replace("asarray:", f"{name}:", 1)) from None


@by_name
def ones(shape: Shape, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """Return an array of ones.

    Parameters
    ----------
    shape : int or sequence of int
        The shape.
    dtype : dtype or None
        The dtype. None is the default floating-point dtype of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        An array of ones. It takes no memory while it is only an operand of expressions.

    See Also
    --------
    ones_like, full, empty

    References
    ----------
    Array API standard, chapter "Creation functions": ``ones``.

    Examples
    --------
    >>> print(xp.ones((2, 3), dtype=xp.int32))
    [[1 1 1]
     [1 1 1]]
    """
    return _filled(shape, 1, dtype, device)


@of_arrays
def ones_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """Return an array of ones with the shape, dtype and device of another array.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    dtype : dtype or None
        The dtype. None is that of `x`.
    device : Device, str or None
        The device. None is that of `x`.
    shape : int, sequence of int or None
        The shape (an extension). None is that of `x`.

    Returns
    -------
    Array
        An array of ones.

    See Also
    --------
    ones, full_like

    References
    ----------
    Array API standard, chapter "Creation functions": ``ones_like``.

    Examples
    --------
    >>> print(xp.ones_like(xp.asarray([[5, 6], [7, 8]])))
    [[1 1]
     [1 1]]
    """
    return _filled(value=1, **_as(x, shape, dtype, device))


@by_name
def zeros(shape: Shape, *, dtype: Any = None, device: DeviceLike = None) -> Array:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int or sequence of int
        The shape.
    dtype : dtype or None
        The dtype. None is the default floating-point dtype of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name, such as "gpu". None is the default device.

    Returns
    -------
    Array
        An array of zeros. It takes no memory while it is only an operand of expressions.

    See Also
    --------
    zeros_like, full, empty

    References
    ----------
    Array API standard, chapter "Creation functions": ``zeros``.

    Examples
    --------
    >>> print(xp.zeros((2, 3), dtype=xp.int32))
    [[0 0 0]
     [0 0 0]]
    """
    return _filled(shape, 0, dtype, device)


@of_arrays
def zeros_like(x: Array, /, *, dtype: Any = None, device: DeviceLike = None, shape: Shape | None = None) -> Array:
    """Return an array of zeros with the shape, dtype and device of another array.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    dtype : dtype or None
        The dtype. None is that of `x`.
    device : Device, str or None
        The device. None is that of `x`.
    shape : int, sequence of int or None
        The shape (an extension). None is that of `x`.

    Returns
    -------
    Array
        An array of zeros.

    See Also
    --------
    zeros, full_like

    References
    ----------
    Array API standard, chapter "Creation functions": ``zeros_like``.

    Examples
    --------
    >>> print(xp.zeros_like(xp.asarray([[5, 6], [7, 8]])))
    [[0 0]
     [0 0]]
    """
    return _filled(value=0, **_as(x, shape, dtype, device))


def _filled(shape: Shape, value: int, dtype: Any, device: DeviceLike) -> Array:
    target = get_device(device)
    chosen = _dtype(dtype, "real floating", target)
    return handle(Array, constant(chosen.type(value).item(), chosen, check_shape(shape), target))


@of_arrays
def tril(x: Array, /, *, k: int = 0) -> Array:
    """Return the lower triangles of matrices, with zeros above a diagonal.

    Parameters
    ----------
    x : Array
        Matrices of any dtype, in the last two axes.
    k : int
        The diagonal: 0 is the main one, positive numbers count to the right of it, negative ones to the left.

    Returns
    -------
    Array
        A copy of `x`, with zeros in place of the other elements.

    Raises
    ------
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    triu, eye

    References
    ----------
    Array API standard, chapter "Creation functions": ``tril``.

    Examples
    --------
    >>> print(xp.tril(xp.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
    [[1 0 0]
     [4 5 0]
     [7 8 9]]
    """
    return _triangle("tril", "less_equal", x, k)


@of_arrays
def triu(x: Array, /, *, k: int = 0) -> Array:
    """Return the upper triangles of matrices, with zeros below a diagonal.

    Parameters
    ----------
    x : Array
        Matrices of any dtype, in the last two axes.
    k : int
        The diagonal: 0 is the main one, positive numbers count to the right of it, negative ones to the left.

    Returns
    -------
    Array
        A copy of `x`, with zeros in place of the other elements.

    Raises
    ------
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    tril, eye

    References
    ----------
    Array API standard, chapter "Creation functions": ``triu``.

    Examples
    --------
    >>> print(xp.triu(xp.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
    [[1 2 3]
     [0 5 6]
     [0 0 9]]
    """
    return _triangle("triu", "greater_equal", x, k)


def _triangle(name: str, compare: str, x: Array, k: int) -> Array:
    if x.ndim < 2:
        raise ValueError(f"{name}: the array has {x.ndim} axes; allowed: 2 or more; use reshape or expand_dims first")
    k = integer(name, "k", k)
    row, column = (index_along(axis, x.shape, x.device) for axis in (x.ndim - 2, x.ndim - 1))
    distance = lazy.binary(OPS["subtract"], column, row)
    keep = lazy.binary(OPS[compare], distance, min(max(k, -(2**62)), 2**62))
    return handle(Array, lazy.where(keep, x._node, constant(x.dtype.type(0).item(), x.dtype, (), x.device)))
