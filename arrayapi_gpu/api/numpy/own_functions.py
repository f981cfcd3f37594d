"""Functions with NumPy's names and arguments that are not in the standard, or whose arguments differ there (`OWN`).

Each takes the namespace of this package first, then NumPy's arguments by NumPy's names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...lazy import meet, memory
from ...memory.dtypes import COMPLEX_FLOATING, DISCRETE, INTEGRAL, REAL_FLOATING, NoValueError, as_dtype
from ...memory.layout import normalize_axis
from ..core.array_object import Array
from ..core.host_values import PYTHON_SCALARS
from ..core.memory_order import axes_in_order, is_in_order, laid_out
from ..standard.data_type_functions import floating
from .composed_algebra import ALGEBRA
from .composed_functions import COMPOSED, arrays_of, indices_of
from .composed_places import OF_PLACES
from .composed_polynomials import POLYNOMIALS
from .rounding import rounded
from .window_functions import sliding_window_view


def _with_axes(x: Any, count: int) -> Any:
    """The array with at least ``count`` axes; new axes come first."""
    return x if x.ndim >= count else x.reshape((1,) * (count - x.ndim) + x.shape)


def _of_all(name: str) -> Callable[..., Any]:
    """The namespace's function ``name`` for any number of arrays, or of values that are converted to arrays."""
    return lambda xp, *arrays: xp[name](*arrays_of(xp, *arrays))


def _joined(least: int, axis: Callable[[Any], int]) -> Callable[..., Any]:
    def function(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
        arrays = [_with_axes(array, least) for array in arrays_of(xp, *tup)]
        return xp["concat"](arrays, axis=axis(arrays[0]))

    return function


def _column_stack(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
    columns = [array.reshape((-1, 1)) if array.ndim < 2 else array for array in arrays_of(xp, *tup)]
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


def _linspace(
    xp: dict[str, Any], start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """`linspace`, also between arrays, along a new axis."""
    parts = num - 1 if endpoint else num
    if all([isinstance(end, (*PYTHON_SCALARS,)) or getattr(end, "shape", None) == () for end in (start, stop)]):
        found = xp["linspace"](start, stop, num, endpoint=endpoint, dtype=dtype, device=device)
        delta = np.float64(stop - start) if isinstance(stop - start, (int, float)) else stop - start
        return (found, delta / parts if parts > 0 else math.nan) if retstep else found
    own = xp["result_type"](*[getattr(end, "dtype", end) for end in (start, stop)], 1.0)
    start, stop = (x.astype(own) for x in arrays_of(xp, start, stop))
    delta = stop - start
    steps = xp["arange"](num, dtype=delta.dtype, device=delta.device).reshape((-1,) + (1,) * delta.ndim)
    step = delta / parts if parts > 0 else math.nan
    found = start + (xp["where"](step == 0, steps / parts * delta, steps * step) if parts > 0 else steps * delta)
    if endpoint and num > 1:
        found = xp["where"](steps == parts, stop, found)
    wanted = found.dtype if dtype is None else as_dtype(dtype)
    found = xp["moveaxis"]((xp["floor"](found) if wanted in INTEGRAL else found).astype(wanted), 0, axis)
    return (found, step) if retstep else found


def _meshgrid(
    xp: dict[str, Any], *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Any, ...]:
    """`meshgrid`, also of several dtypes, and with ``sparse``."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: got indexing={indexing!r}; allowed: 'xy', 'ij'")
    axes = [*range(len(xi))]
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = [1, 0]
    vectors = [x if x.ndim == 1 else x.ravel() for x in arrays_of(xp, *xi)]
    if len(xi) < 2:
        return tuple([x.copy() for x in vectors] if copy else vectors)
    grids = [x.reshape([-1 if k == axis else 1 for k in axes]) for axis, x in zip(sorted(axes), vectors, strict=True)]
    if not sparse:
        grids = [xp["broadcast_to"](x, xp["broadcast_shapes"](*[y.shape for y in grids])) for x in grids]
    return tuple([x.copy() for x in grids] if copy else grids)


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
    if copy and order in ("K", "C") and not isinstance(a, Array):
        return _with_axes(xp["asarray"](a, dtype=dtype, copy=True), ndmin)
    x = _with_axes(_asarray(xp, a, dtype, order, copy=copy and None), ndmin)
    return x.copy(order) if copy else x


def _sorting(name: str) -> Callable[..., Any]:
    def function(
        xp: dict[str, Any],
        a: Any,
        axis: int | None = -1,
        kind: str | None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> Any:
        if kind is not None and (stable, descending) != (None, None):
            raise ValueError(f"{name}: got kind and stable or descending; allowed: one of them")
        a, axis = (a.ravel(), -1) if axis is None else (a, axis)
        return xp[name](a, axis=axis, descending=bool(descending))

    return function


def _concatenate(xp: dict[str, Any], arrays: Sequence[Any], axis: int | None = 0) -> Any:
    return xp["concat"](arrays_of(xp, *arrays), axis=axis)


def _take(xp: dict[str, Any], a: Any, indices: Any, axis: int | None = None) -> Any:
    a = arrays_of(xp, a, indices)[0]
    indices = indices_of(xp, indices, a.device)
    return xp["take"](a.ravel() if axis is None else a, indices, axis=0 if axis is None else axis)


def _take_along_axis(xp: dict[str, Any], arr: Any, indices: Any, axis: int | None = -1) -> Any:
    arr, indices = arrays_of(xp, arr, indices)
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
    arrays = arrays_of(xp, *[value for value in (condition, x, y) if not isinstance(value, PYTHON_SCALARS)])
    condition, x, y = (value if isinstance(value, PYTHON_SCALARS) else arrays.pop(0) for value in (condition, x, y))
    return xp["where"](condition.astype(bool), x, y)


def _dot(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = arrays_of(xp, a, b)
    if not (a.ndim and b.ndim):
        return a * b
    if a.ndim <= 2 and b.ndim <= 2:
        return xp["matmul"](a, b)
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
    a, b = arrays_of(xp, a, b)
    rtol, atol = (t if isinstance(t, (int, float)) else arrays_of(xp, a, t)[1] for t in (rtol, atol))
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


def _lstsq(xp: dict[str, Any], a: Any, b: Any, rcond: Any = None) -> Any:
    solution, residuals, rank, singular = xp["linalg"].lstsq(a, b, rcond=rcond)
    return solution, residuals, np.int32(rank.item()), singular  # NumPy's rank is a number


def _clip(xp: dict[str, Any], a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """`clip` in the dtype to which NumPy promotes array and limits; the standard's has that of the array."""
    by_old, by_new = ([limit is not None for limit in names] for names in ((a_min, a_max), (min, max)))
    if any(by_old) and any(by_new):
        raise ValueError("clip: got limits by names of both kinds; allowed: min and max")
    limits = [min, max] if any(by_new) else [a_min, a_max]
    (a,) = arrays_of(xp, a)
    dtypes = [limit.dtype for limit in limits if isinstance(limit, (Array, np.generic, np.ndarray))]
    return xp["clip"](a.astype(np.result_type(a.dtype, *dtypes)), *limits)


def _average(
    xp: dict[str, Any], a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """`average`, in the dtype to which NumPy promotes elements and weights. The call waits for the sums of the weights,
    because it raises if one is zero."""
    if weights is None:
        found = xp["average"](a, axis, keepdims=keepdims)
        return (found, xp["full_like"](found, a.size / max(found.size, 1))) if returned else found
    a, weights = arrays_of(xp, a, weights)
    dtype = np.result_type(a.dtype, weights.dtype, *["float64"] * (a.dtype in DISCRETE))
    a, weights = a.astype(dtype), weights.astype(dtype)
    if weights.shape != a.shape:
        if weights.ndim != 1 or not isinstance(axis, int) or weights.shape[0] != a.shape[axis]:
            raise ValueError("average: NumPy broadcasts weights of other shapes, or raises")
        place = normalize_axis(axis, a.ndim, "average")
        weights = weights.reshape([-1 if k == place else 1 for k in range(a.ndim)])
    total = xp["sum"](xp["broadcast_to"](weights, a.shape), axis=axis, keepdims=keepdims)
    if xp["any"](total == 0):
        raise ZeroDivisionError("average: the weights sum to zero; give some that do not, or call sum")
    found = xp["sum"](a * weights, axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


def _array_equal(xp: dict[str, Any], a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = arrays_of(xp, a1, a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(xp["all"](same | (xp["isnan"](a1) & xp["isnan"](a2)) if equal_nan else same))


OWN: dict[str, Callable[..., Any]] = {
    **COMPOSED,
    **ALGEBRA,
    **OF_PLACES,
    **POLYNOMIALS,
    "allclose": _allclose,
    "arange": _arange,
    "argsort": _sorting("argsort"),
    "array": _array,
    "asanyarray": _asarray,
    "asarray": _asarray,
    "ascontiguousarray": lambda xp, a, dtype=None: _asarray(xp, _with_axes(arrays_of(xp, a)[0], 1), dtype, "C"),
    "asfortranarray": lambda xp, a, dtype=None: _asarray(xp, _with_axes(arrays_of(xp, a)[0], 1), dtype, "F"),
    "average": _average,
    "clip": _clip,
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
    "linalg.lstsq": _lstsq,
    "linspace": _linspace,
    "meshgrid": _meshgrid,
    "lib.stride_tricks.sliding_window_view": _windows,
    "may_share_memory": _may_share_memory,
    "nan_to_num": _nan_to_num,
    "identity": lambda xp, n, dtype=None: xp["eye"](n, dtype=dtype),
    "ndim": lambda xp, a: a.ndim,
    "ones_like": _like("ones_like"),
    "outer": lambda xp, a, b: xp["linalg"].outer(*[x.ravel() for x in arrays_of(xp, a, b)]),
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
