"""Small arrays in the host's memory: what NumPy computes with the bits of our kernels.

A launch on a CPU takes 10 to 60 us however few elements it has, and each new expression a compiler. NumPy computes some
thousand elements in a few us. So on devices that share the host's memory it computes these, where IEEE 754 or the
arithmetic of integers says what an operation gives: the bits are those of the kernels. Functions whose bits are our own,
such as exp, have kernels alone, and so have floating-point sums, whose order of combination shows.

Here is what NumPy has for the rules of operations (`function_of`), and how the host reads and writes the memory of
arrays: `seen` and `placed`. `lazy.small` computes expressions so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..backends.base import Device
from ..config import config
from ..memory.dtypes import BOOLEAN, COMPLEX_FLOATING, INTEGRAL, REAL_FLOATING, iinfo
from ..memory.gpuarray import GpuArray, empty
from . import tuning
from .launch import Launch, is_listening, note
from .monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from .ops import Rule

HostArray: TypeAlias = np.ndarray[Any, Any]
Function: TypeAlias = Callable[..., Any]  # of NumPy's arrays and scalars


def _same(x: Any) -> Any:
    return x


def _square(x: Any) -> Any:
    return np.multiply(x, x)


def _reciprocal(x: Any) -> Any:
    return np.divide(x.dtype.type(1), x)


# As real.c has them: of two zeros the first, where NumPy gives either.


def _maximum(x: Any, y: Any) -> Any:
    return np.where((y > x) | (y != y), y, x)


def _minimum(x: Any, y: Any) -> Any:
    return np.where((y < x) | (y != y), y, x)


def _wrap_index(index: Any, n: Any) -> Any:
    inside = np.where(index < 0, index + n, index)
    return np.clip(inside, 0, n - 1)


def _gathered(memory: Any, places: Any) -> Any:
    return memory[places]


# By operation: the kinds of dtypes (as NumPy's letters) of which NumPy gives the bits of our kernels, and how.
_EXACT: dict[str, list[tuple[str, Function]]] = {
    "add": [("iufc", np.add)],
    "subtract": [("iufc", np.subtract)],
    "multiply": [("iuf", np.multiply)],
    "divide": [("f", np.divide)],
    "floor_divide": [("iu", np.floor_divide)],
    "remainder": [("iu", np.remainder)],
    "maximum": [("iu", np.maximum), ("f", _maximum)],
    "minimum": [("iu", np.minimum), ("f", _minimum)],
    "copysign": [("f", np.copysign)],
    "negative": [("iufc", np.negative)],
    "positive": [("biufc", _same)],
    "square": [("iuf", _square)],
    "abs": [("iuf", np.abs)],
    "sign": [("iuf", np.sign)],
    "floor": [("iu", _same), ("f", np.floor)],
    "ceil": [("iu", _same), ("f", np.ceil)],
    "trunc": [("iu", _same), ("f", np.trunc)],
    "round": [("iu", _same), ("fc", np.rint)],
    "sqrt": [("f", np.sqrt)],
    "reciprocal": [("f", _reciprocal)],
    "signbit": [("f", np.signbit)],
    "isnan": [("fc", np.isnan)],
    "isinf": [("fc", np.isinf)],
    "isfinite": [("fc", np.isfinite)],
    "real": [("c", np.real)],
    "imag": [("c", np.imag)],
    "conj": [("c", np.conjugate)],
    "equal": [("biufc", np.equal)],
    "not_equal": [("biufc", np.not_equal)],
    "less": [("biuf", np.less)],
    "less_equal": [("biuf", np.less_equal)],
    "greater": [("biuf", np.greater)],
    "greater_equal": [("biuf", np.greater_equal)],
    "bitwise_and": [("biu", np.bitwise_and)],
    "bitwise_or": [("biu", np.bitwise_or)],
    "bitwise_xor": [("biu", np.bitwise_xor)],
    "bitwise_invert": [("biu", np.bitwise_not)],
    "bitwise_left_shift": [("iu", np.left_shift)],
    "bitwise_right_shift": [("iu", np.right_shift)],
    "logical_and": [("b", np.logical_and)],
    "logical_or": [("b", np.logical_or)],
    "logical_xor": [("b", np.logical_xor)],
    "logical_not": [("b", np.logical_not)],
    "where": [("biufc", np.where)],
    "wrap_index": [("i", _wrap_index)],
    "LOADG": [("i", _gathered)],
}


class _Functions(dict[Rule, Function | None]):
    """What of NumPy gives the bits of a rule's device function; None where nothing does."""

    def __missing__(self, rule: Rule) -> Function | None:
        name, dtype = rule.function.rpartition("_")[0], rule.args[-1]
        if name.startswith("cast_"):
            found = casts[dtype, rule.result]
        else:
            found = next((function for kinds, function in _EXACT.get(name, ()) if dtype.kind in kinds), None)
        self[rule] = found
        return found


class _Casts(dict[tuple[np.dtype[Any], np.dtype[Any]], Function | None]):
    """The conversions of the kernels (cast.c): integers wrap, floats saturate, NaN gives 0."""

    def __missing__(self, key: tuple[np.dtype[Any], np.dtype[Any]]) -> Function | None:
        self[key] = found = _cast(*key)
        return found


functions = _Functions()
casts = _Casts()


def _cast(source: np.dtype[Any], target: np.dtype[Any]) -> Function | None:
    if source == target:
        return _same
    if source.kind not in "biufc" or target.kind not in "biufc":
        return None
    if source in COMPLEX_FLOATING and target not in COMPLEX_FLOATING | BOOLEAN:
        of_part = _cast(source.type(0).real.dtype, target)
        return None if of_part is None else lambda x: of_part(x.real)
    if source in REAL_FLOATING and target in INTEGRAL:
        return lambda x: _saturated(x, target)
    return lambda x: x.astype(target)


def _saturated(x: Any, target: np.dtype[Any]) -> Any:
    low, high = iinfo(target).min, iinfo(target).max
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    fits = (wide >= wide.dtype.type(low)) & (wide < wide.dtype.type(high + 1))
    if fits.all():
        return wide.astype(target)
    whole = np.where(fits, wide, 0).astype(target)
    return np.where(fits | (wide != wide), whole, np.where(wide < 0, target.type(low), target.type(high)))


# Reductions of axes; None is given where the order of combination shows.


def _all(x: HostArray, axes: tuple[int, ...]) -> Any:
    return np.logical_and.reduce(x, axes)


def _any(x: HostArray, axes: tuple[int, ...]) -> Any:
    return np.logical_or.reduce(x, axes)


def _sum(x: HostArray, axes: tuple[int, ...]) -> Any:
    return np.add.reduce(x, axes, dtype=x.dtype)


def _prod(x: HostArray, axes: tuple[int, ...]) -> Any:
    return np.multiply.reduce(x, axes, dtype=x.dtype)


def _max(x: HostArray, axes: tuple[int, ...]) -> Any:
    return _unless_zero(np.maximum.reduce(x, axes), x)


def _min(x: HostArray, axes: tuple[int, ...]) -> Any:
    return _unless_zero(np.minimum.reduce(x, axes), x)


def _unless_zero(extreme: Any, x: HostArray) -> Any:
    """The extreme value, unless it is one of several zeros, which may have different signs."""
    if x.dtype.kind == "f" and not np.all(extreme) and np.signbit(x[x == 0]).any():
        return None
    return extreme


def _argmax(x: HostArray, axes: tuple[int, ...]) -> Any:
    return _in_a_row(x, axes).argmax(-1)


def _argmin(x: HostArray, axes: tuple[int, ...]) -> Any:
    return _in_a_row(x, axes).argmin(-1)


def _in_a_row(x: HostArray, axes: tuple[int, ...]) -> HostArray:
    """The reduced axes as the last one."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    return x.transpose(*kept, *axes).reshape(*[x.shape[axis] for axis in kept], -1)


_REDUCTIONS: dict[Monoid, tuple[str, Function]] = {
    ALL: ("b", _all),
    ANY: ("b", _any),
    SUM: ("iu", _sum),
    PROD: ("iu", _prod),
    MAX: ("biuf", _max),
    MIN: ("biuf", _min),
    ARGMAX: ("biuf", _argmax),
    ARGMIN: ("biuf", _argmin),
}


def reducer(monoid: Monoid, dtype: np.dtype[Any]) -> Function | None:
    """What of NumPy reduces axes of elements of a dtype; it gives None where the order of combination shows."""
    kinds, function = _REDUCTIONS[monoid]
    return function if dtype.kind in kinds else None


def is_small(elements: int) -> bool:
    """Whether NumPy takes fewer us for so many elements than a launch."""
    return elements <= tuning.ON_HOST


def seen(array: GpuArray) -> HostArray:
    """An array's memory as NumPy sees it, after all that is queued (`settle`); for use here and now."""
    storage, dtype = array.storage, array.dtype
    buffer = storage.buffer
    if storage.device.exposed and buffer.exposed:
        storage.device.host_view(buffer)  # others may have queued something, too
    host, offset = buffer.block.host, array.offset
    if array.contiguous:
        return np.ndarray(array.shape, dtype, host, offset * dtype.itemsize if offset else 0)
    if not array.size:
        return np.empty(array.shape, dtype)  # NumPy checks strides even where nothing is to be reached
    itemsize = dtype.itemsize
    return np.ndarray(array.shape, dtype, host, offset * itemsize, tuple([s * itemsize for s in array.strides]))


def whole(array: GpuArray) -> HostArray:
    """All elements in the memory of an array, and where the array begins among them."""
    storage, itemsize = array.storage, array.dtype.itemsize
    if storage.buffer.exposed:
        storage.device.host_view(storage.buffer)
    host = storage.buffer.host
    assert host is not None, "the device shares the host's memory"
    return host[array.offset * itemsize : host.size // itemsize * itemsize].view(array.dtype)


def placed(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...], value: Any) -> GpuArray:
    """NumPy's value in fresh memory of a device."""
    out = empty(device, dtype, shape, 3 if config.check else 0)
    device.wait()  # a kernel may still read what was there before
    if out.size:
        seen(out)[...] = value
    return out


def noted(name: str, array: GpuArray) -> None:
    """Tell those who listen what was computed."""
    if is_listening():
        note(Launch(name, array.storage.device.name, array.size, array.nbytes, "NumPy"))
