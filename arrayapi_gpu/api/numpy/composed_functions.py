"""Functions of NumPy that are expressions of this package's functions (`COMPOSED`), with NumPy's arguments.

Each takes the namespace of this package first. It raises TypeError or ValueError for arguments for which it does not
compute as NumPy does: then NumPy computes on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ...memory.dtypes import COMPLEX_FLOATING, FLOATING, fit
from ..core.array_object import Array
from ..core.flags_and_flat import Flat
from ..core.host_values import PYTHON_SCALARS
from ..standard.data_type_functions import floating
from .resizing_functions import resize

HOST_NUMBERS: Final = (*PYTHON_SCALARS, np.generic)


def arrays_of(xp: dict[str, Any], *values: Any) -> list[Any]:
    """The values as arrays, on the device of the first `Array` among them."""
    device = next((value.device for value in values if isinstance(value, Array)), None)
    return [value if isinstance(value, Array) else xp["asarray"](value, device=device) for value in values]


def in_common_dtype(xp: dict[str, Any], like: Array, values: Sequence[Any]) -> list[Any]:
    """The values as arrays of their common dtype, in which Python's numbers have none. ``like``: an array on the
    device."""
    kept = [value if isinstance(value, PYTHON_SCALARS) else arrays_of(xp, like, value)[1] for value in values]
    dtype = np.result_type(*[value if isinstance(value, PYTHON_SCALARS) else value.dtype for value in kept])
    return [
        value.astype(dtype) if isinstance(value, Array) else xp["asarray"](value, dtype=dtype, device=like.device)
        for value in kept
    ]


def indices_of(xp: dict[str, Any], value: Any, device: Any) -> Any:
    """Indices as an array. An empty list is an array of integers, as in NumPy."""
    found = value if isinstance(value, Array) else xp["asarray"](value, device=device)
    return found.astype("int64") if isinstance(value, (list, tuple)) and not found.size else found


# --- numbers ---------------------------------------------------------------------------------------------------------


def _angle(xp: dict[str, Any], z: Any, deg: bool = False) -> Any:
    angles = np.arctan2(z.imag if z.dtype in COMPLEX_FLOATING else 0, z.real)
    return angles * (180 / math.pi) if deg else angles


def _i0(xp: dict[str, Any], x: Any) -> Any:
    return xp["special"].i0(floating(x))


def _percentile(name: str) -> Callable[..., Any]:
    """`percentile` by the function ``name`` of the namespace."""

    def function(
        xp: dict[str, Any], a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False,
        overwrite_input: bool = False,
    ) -> Any:  # fmt: skip
        share = q / 100 if isinstance(q, (Array, *PYTHON_SCALARS)) else (np.asarray(q) / 100).tolist()
        return xp[name](a, share, axis=axis, method=method, keepdims=keepdims)

    return function


def _polyval(xp: dict[str, Any], p: Any, x: Any) -> Any:
    p, x = arrays_of(xp, p, x)
    if p.ndim != 1:
        raise ValueError(f"polyval: got coefficients of {p.ndim} axes; allowed: 1")
    value = xp["zeros_like"](x)
    for coefficient in p:
        value = value * x + coefficient
    return value


def _real_if_close(xp: dict[str, Any], a: Any, tol: float = 100) -> Any:
    if a.dtype not in COMPLEX_FLOATING:
        return a
    room = tol * float(xp["finfo"](a.dtype).eps) if tol > 1 else tol
    return a.real if xp["all"](abs(a.imag) < room) else a


def _sinc(xp: dict[str, Any], x: Any) -> Any:
    y = floating(x) * math.pi
    divisor = xp["where"](y == 0, 1, y)
    return xp["where"](y == 0, 1, xp["sin"](y) / divisor)


# --- questions -------------------------------------------------------------------------------------------------------


def _array_equiv(xp: dict[str, Any], a1: Any, a2: Any) -> bool:
    a1, a2 = arrays_of(xp, a1, a2)
    try:
        xp["broadcast_shapes"](a1.shape, a2.shape)
    except ValueError:
        return False
    return bool(xp["all"](a1 == a2))


def _infinite(negative: bool) -> Callable[..., Any]:
    def function(xp: dict[str, Any], x: Any) -> Any:
        if x.dtype in COMPLEX_FLOATING:
            raise TypeError(f"got {x.dtype}; allowed: real dtypes")
        return xp["isinf"](x) & (x < 0 if negative else x > 0)

    return function


def _is_complex(xp: dict[str, Any], x: Any) -> Any:
    return x.imag != 0 if x.dtype in COMPLEX_FLOATING else xp["zeros_like"](x, dtype="bool")


def _is_real(xp: dict[str, Any], x: Any) -> Any:
    return x.imag == 0 if x.dtype in COMPLEX_FLOATING else xp["ones_like"](x, dtype="bool")


# --- sets ------------------------------------------------------------------------------------------------------------


def _values(xp: dict[str, Any], *arrays: Any) -> list[Any]:
    """The sorted values of each array. TypeError for complex numbers, which have no order here."""
    found = arrays_of(xp, *arrays)
    if any([x.dtype in COMPLEX_FLOATING for x in found]):
        raise TypeError("got complex numbers; allowed: real ones")
    return [np.unique(x) for x in found]


def _intersect1d(xp: dict[str, Any], ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    one, other = _common(xp, *_values(xp, ar1, ar2))
    return one[xp["isin"](one, other)]


def _common(xp: dict[str, Any], *arrays: Any) -> list[Any]:
    dtype = xp["result_type"](*arrays)
    return [x.astype(dtype) for x in arrays]


def _setdiff1d(xp: dict[str, Any], ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    ar1, ar2 = arrays_of(xp, ar1, ar2)
    one = ar1.ravel() if assume_unique else _values(xp, ar1)[0]
    return one[~xp["isin"](one, ar2)]


def _setxor1d(xp: dict[str, Any], ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    one, other = _common(xp, *_values(xp, ar1, ar2))
    found = [one[~xp["isin"](one, other)], other[~xp["isin"](other, one)]]
    return xp["sort"](xp["concat"](found))


def _union1d(xp: dict[str, Any], ar1: Any, ar2: Any) -> Any:
    return _values(xp, xp["concat"]([x.ravel() for x in arrays_of(xp, ar1, ar2)]))[0]


# --- positions -------------------------------------------------------------------------------------------------------


def _argwhere(xp: dict[str, Any], a: Any) -> Any:
    if a.ndim == 0:
        return xp["zeros"]((int(bool(a)), 0), dtype="int64", device=a.device)
    return xp["stack"](xp["nonzero"](a), axis=1)


def _digitize(xp: dict[str, Any], x: Any, bins: Any, right: bool = False) -> Any:
    x, bins = arrays_of(xp, x, bins)
    if bins.ndim != 1 or x.dtype in COMPLEX_FLOATING or not xp["all"](bins[1:] >= bins[:-1]):
        raise ValueError("digitize: got bins that do not increase")
    return xp["searchsorted"](bins, x, side="left" if right else "right")


def _ix(xp: dict[str, Any], *args: Any) -> Any:
    found = []
    for k, x in enumerate(arrays_of(xp, *args)):
        if x.ndim != 1 or x.size == 0:
            raise ValueError(f"ix_: got an array of {x.ndim} axes; allowed: 1")
        index = xp["nonzero"](x)[0] if x.dtype == bool else x
        found.append(index.reshape((1,) * k + (index.size,) + (1,) * (len(args) - k - 1)))
    return tuple(found)


def _lexsort(xp: dict[str, Any], keys: Any, axis: int = -1) -> Any:
    columns = arrays_of(xp, *keys)
    if any([column.ndim != 1 or column.dtype in COMPLEX_FLOATING for column in columns]):
        raise TypeError("lexsort: got keys that are not vectors of real numbers")
    order = xp["argsort"](columns[0])
    for column in columns[1:]:
        order = order[xp["argsort"](column[order])]
    return order


def _from_shape(name: str) -> Callable[..., Any]:
    """Indices of a matrix, made of its shape alone."""

    def function(xp: dict[str, Any], arr: Any, k: int = 0) -> Any:
        if arr.ndim != 2:
            raise ValueError(f"{name}_from: got {arr.ndim} axes; allowed: 2")
        found = getattr(np, name)(arr.shape[0], k, arr.shape[1])
        return tuple([xp["asarray"](index, device=arr.device) for index in found])

    return function


def _diag_indices_from(xp: dict[str, Any], arr: Any) -> Any:
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        raise ValueError(f"diag_indices_from: got shape {arr.shape}; allowed: equal extents, of 2 axes or more")
    return (xp["arange"](arr.shape[0], device=arr.device),) * arr.ndim


# --- parts and joins -------------------------------------------------------------------------------------------------


def _append(xp: dict[str, Any], arr: Any, values: Any, axis: int | None = None) -> Any:
    arr, values = arrays_of(xp, arr, values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), 0
    return xp["concat"]([arr, values], axis=axis)


def _block(xp: dict[str, Any], arrays: Any) -> Any:
    depth = _depth(arrays)
    leaves = arrays_of(xp, *_leaves(arrays))
    ndim = max(depth, *[leaf.ndim for leaf in leaves])
    rest = iter([leaf.reshape((1,) * (ndim - leaf.ndim) + leaf.shape) for leaf in leaves])

    def joined(part: Any, axis: int) -> Any:
        if not isinstance(part, list):
            return next(rest)
        return xp["concat"]([joined(item, axis + 1) for item in part], axis=axis)

    return joined(arrays, -depth) if depth else next(rest).copy()


def _depth(arrays: Any) -> int:
    """The depth of nested lists. ValueError if lists are empty or differ in depth, TypeError for tuples."""
    if isinstance(arrays, tuple):
        raise TypeError("block: got a tuple; allowed: lists")
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(item) for item in arrays}
    if len(depths) != 1:
        raise ValueError("block: got lists of several depths, or an empty list")
    return 1 + depths.pop()


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for item in arrays for leaf in _leaves(item)] if isinstance(arrays, list) else [arrays]


def _compress(xp: dict[str, Any], condition: Any, a: Any, axis: int | None = None) -> Any:
    condition, a = arrays_of(xp, condition, a)
    if condition.ndim != 1:
        raise ValueError(f"compress: got a condition of {condition.ndim} axes; allowed: 1")
    indices = xp["nonzero"](condition)[0]
    return xp["take"](a.ravel() if axis is None else a, indices, axis=0 if axis is None else axis)


def _dstack(xp: dict[str, Any], tup: Sequence[Any]) -> Any:
    return xp["concat"]([xp["atleast_3d"](x) for x in arrays_of(xp, *tup)], axis=2)


def _ediff1d(xp: dict[str, Any], ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = ary.ravel()
    parts = [flat[1:] - flat[:-1]]
    for end, before in ((to_begin, True), (to_end, False)):
        if end is not None:
            values = arrays_of(xp, ary, end)[1].ravel()
            if not np.can_cast(values.dtype, ary.dtype, "same_kind"):
                raise TypeError(f"ediff1d: got {values.dtype}; allowed: casts to {ary.dtype}")
            parts.insert(0 if before else len(parts), values.astype(ary.dtype))
    return xp["concat"](parts)


def _extract(xp: dict[str, Any], condition: Any, arr: Any) -> Any:
    condition, arr = arrays_of(xp, condition, arr)
    return xp["take"](arr.ravel(), xp["nonzero"](condition.ravel())[0])


def _inner(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = arrays_of(xp, a, b)
    return xp["tensordot"](a, b, axes=((-1,), (-1,))) if a.ndim and b.ndim else a * b


def _vdot(xp: dict[str, Any], a: Any, b: Any) -> Any:
    a, b = _common(xp, *arrays_of(xp, a, b))
    if a.size != b.size:
        raise ValueError(f"vdot: got {a.size} and {b.size} elements; allowed: equal numbers")
    return xp["vecdot"](a.ravel(), b.ravel())


def _tri(xp: dict[str, Any], N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Any:
    return xp["tril"](xp["ones"]((N, N if M is None else M), dtype=dtype), k=k)


# --- choices and writes ----------------------------------------------------------------------------------------------


def _select(xp: dict[str, Any], condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError("select: got lists of different lengths, or empty ones")
    conditions = arrays_of(xp, *condlist)
    if any([condition.dtype != bool for condition in conditions]):
        raise TypeError("select: got conditions that are not boolean")
    *rest, last = in_common_dtype(xp, conditions[0], [*choicelist, default])
    for condition, choice in zip(conditions[::-1], rest[::-1], strict=True):
        last = xp["where"](condition, choice, last)
    return last


def _piecewise(xp: dict[str, Any], x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    several = condlist[0].ndim if isinstance(condlist, Array) else not isinstance(condlist[0], PYTHON_SCALARS)
    conditions = [c.astype("bool") for c in arrays_of(xp, x, *(condlist if several else [condlist]))[1:]]
    if len(funclist) == len(conditions) + 1:
        known = xp["zeros_like"](x, dtype="bool")
        for condition in conditions:
            known = known | condition
        conditions.append(~known)
    if len(funclist) != len(conditions) or any([c.shape != x.shape for c in conditions]):
        raise ValueError("piecewise: got other numbers of conditions and functions")
    result = xp["zeros_like"](x)
    for condition, choice in zip(conditions, funclist, strict=True):
        if not callable(choice):
            result[condition] = choice
        elif (chosen := x[condition]).size:
            result[condition] = choice(chosen, *args, **kw)
    return result


def _check_cast(name: str, source: Any, target: Any, casting: Any) -> None:
    """Raise TypeError for a cast that a rule of NumPy forbids."""
    if not np.can_cast(source, target, casting):
        raise TypeError(f"{name}: got {source}; allowed: {casting!r} casts to {target}")


def _copyto(xp: dict[str, Any], dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Array):
        raise TypeError("copyto: got an array of another library")
    if isinstance(src, np.generic):
        _check_cast("copyto", src.dtype, dst.dtype, casting)
        value: Any = fit(src, dst.dtype)
    elif isinstance(src, PYTHON_SCALARS):
        if not np.can_cast(np.min_scalar_type(src), dst.dtype, casting) or dst.dtype not in FLOATING:
            raise TypeError("copyto: NumPy decides about the cast of a number")
        value = src
    else:
        value = arrays_of(xp, dst, src)[1]
        _check_cast("copyto", value.dtype, dst.dtype, casting)
        value = value.astype(dst.dtype)
    dst[...] = value if where is True else xp["where"](arrays_of(xp, dst, where)[1], value, dst)


def _to_write(xp: dict[str, Any], name: str, target: Any, values: Any) -> Any:
    """The values as an array: numbers and lists in the dtype of the target. TypeError for an array that NumPy does not
    cast to it."""
    dtype = None if isinstance(values, HOST_NUMBERS) else getattr(values, "dtype", None)
    if dtype is None:
        return xp["asarray"](values, dtype=target.dtype, device=target.device)
    _check_cast(name, dtype, target.dtype, "safe")
    return values


def _place(xp: dict[str, Any], arr: Any, mask: Any, vals: Any) -> None:
    mask, values = (x.ravel() for x in arrays_of(xp, arr, mask, _to_write(xp, "place", arr, vals))[1:])
    mask = mask.astype("bool").reshape(arr.shape)
    count = int(xp["count_nonzero"](mask))
    if count:
        if not values.size:
            raise ValueError("place: got no values, and a mask with true elements")
        arr[mask] = resize(values, (count,))


def _put(xp: dict[str, Any], a: Any, ind: Any, v: Any) -> None:
    if not isinstance(a, Array):
        raise TypeError("put: got an array of another library")
    Flat(a)[indices_of(xp, ind, a.device) if isinstance(ind, (list, tuple)) else ind] = v


def _putmask(xp: dict[str, Any], a: Any, mask: Any, values: Any) -> None:
    mask, values = arrays_of(xp, a, mask, _to_write(xp, "putmask", a, values))[1:]
    if mask.shape != a.shape or values.shape not in ((), a.shape):
        raise ValueError("putmask: NumPy repeats values of another shape")
    a[...] = xp["where"](mask.astype("bool"), values.astype(a.dtype), a)


def _fill_diagonal(xp: dict[str, Any], a: Any, val: Any, wrap: bool = False) -> None:
    if not isinstance(val, PYTHON_SCALARS) or wrap or a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1):
        raise ValueError("fill_diagonal: NumPy repeats values")
    index = xp["arange"](min(a.shape), device=a.device)
    a[(index,) * a.ndim] = val


def _apply_over_axes(xp: dict[str, Any], func: Callable[..., Any], a: Any, axes: Any) -> Any:
    value = a
    for axis in [axes] if np.ndim(axes) == 0 else axes:
        axis = axis + a.ndim if axis < 0 else axis
        found = func(value, axis)
        value = found if found.ndim == value.ndim else xp["expand_dims"](found, axis=axis)
        if value.ndim != a.ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


COMPOSED: Final[dict[str, Callable[..., Any]]] = {
    "angle": _angle,
    "append": _append,
    "apply_over_axes": _apply_over_axes,
    "argwhere": _argwhere,
    "array2string": lambda xp, a, *args, **options: np.array2string(a.to_numpy(), *args, **options),
    "array_equiv": _array_equiv,
    "array_repr": lambda xp, arr, *args, **options: np.array_repr(arr.to_numpy(), *args, **options),
    "array_str": lambda xp, a, *args, **options: np.array_str(a.to_numpy(), *args, **options),
    "block": _block,
    "common_type": lambda xp, *arrays: np.common_type(*[np.empty(0, x.dtype) for x in arrays]),
    "compress": _compress,
    "copyto": _copyto,
    "diag_indices_from": _diag_indices_from,
    "diagflat": lambda xp, v, k=0: xp["diag"](v.ravel(), k),
    "digitize": _digitize,
    "dstack": _dstack,
    "ediff1d": _ediff1d,
    "extract": _extract,
    "fill_diagonal": _fill_diagonal,
    "flatnonzero": lambda xp, a: xp["nonzero"](a.ravel())[0],
    "i0": _i0,
    "inner": _inner,
    "intersect1d": _intersect1d,
    "iscomplex": _is_complex,
    "isneginf": _infinite(True),
    "isposinf": _infinite(False),
    "isreal": _is_real,
    "ix_": _ix,
    "lexsort": _lexsort,
    "nanpercentile": _percentile("nanquantile"),
    "percentile": _percentile("quantile"),
    "piecewise": _piecewise,
    "place": _place,
    "polyval": _polyval,
    "ptp": lambda xp, a, axis=None, keepdims=False: xp["subtract"](
        xp["max"](a, axis=axis, keepdims=keepdims), xp["min"](a, axis=axis, keepdims=keepdims)
    ),
    "put": _put,
    "putmask": _putmask,
    "real_if_close": _real_if_close,
    "select": _select,
    "setdiff1d": _setdiff1d,
    "setxor1d": _setxor1d,
    "sinc": _sinc,
    "tri": _tri,
    "tril_indices_from": _from_shape("tril_indices"),
    "triu_indices_from": _from_shape("triu_indices"),
    "union1d": _union1d,
    "vdot": _vdot,
}
