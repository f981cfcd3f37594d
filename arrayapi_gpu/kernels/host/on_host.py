"""NumPy's table: how NumPy computes an operation, a cast or a reduction with the bits of this library's kernels.

A launch on a CPU takes 10 to 60 us however few elements it has, and each new expression a compiler. NumPy computes some
thousand elements in a few us. So it computes these on devices in the host's memory, if IEEE 754 or the arithmetic of
integers defines the result of an operation. Functions whose bits are this library's own, such as exp, have kernels
only. Sums are combined in the order of the kernels.

`function_of`, `conversion` and `reduction` return NumPy's functions. `numpy_view` and `placed` read and write the
memory of arrays. There are two loops over this table: `host_launch` computes the steps of a body in a plan, and
`lazy.run.host_execution` the nodes of a small expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any, TypeAlias

import numpy as np

from ...backends.base import Device, Target
from ...backends.events import Event, Started, note
from ...config import config
from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPUTES_IN,
    DISCRETE,
    DTYPES,
    FLOATING,
    INTEGRAL,
    NUMERIC,
    ORDERED,
    PROPERTIES,
    REAL,
    REAL_FLOATING,
    SIGNED,
    iinfo,
)
from ...memory.gpuarray import GpuArray, numpy_view, signature_of
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from ..core.ops import Rule, UserRule
from ..core.store import CACHE_ENTRIES, cached
from ..reductions.reduce_schedule import Order, order_of

HostArray: TypeAlias = np.ndarray[Any, Any]
Function: TypeAlias = Callable[..., Any]  # of NumPy's arrays and scalars


def _same(x: Any) -> Any:
    return x


def _square(x: Any) -> Any:
    return np.multiply(x, x)


def _reciprocal(x: Any) -> Any:
    return np.divide(x.dtype.type(1), x)


# As in real.c, the result of two zeros is the first one; NumPy returns either.


def _maximum(x: Any, y: Any) -> Any:
    return np.where((y > x) | (y != y), y, x)


def _minimum(x: Any, y: Any) -> Any:
    return np.where((y < x) | (y != y), y, x)


def _wrap_index(index: Any, n: Any) -> Any:
    inside = np.where(index < 0, index + n, index)
    return np.clip(inside, 0, n - 1)


def _gathered(memory: tuple[HostArray, int], places: Any) -> Any:
    elements, first = memory  # all elements of the memory, and the index of the array's first one
    return elements[places + first if first else places]


_ANY_DTYPE = frozenset(DTYPES)

# For each operation, NumPy's function and the dtypes for which it has the bits of the kernels.
_EXACT: dict[str, list[tuple[frozenset[np.dtype[Any]], Function]]] = {
    "add": [(NUMERIC, np.add)],
    "subtract": [(NUMERIC, np.subtract)],
    "multiply": [(REAL, np.multiply)],
    "divide": [(REAL_FLOATING, np.divide)],
    "floor_divide": [(INTEGRAL, np.floor_divide)],
    "remainder": [(INTEGRAL, np.remainder)],
    "gcd": [(INTEGRAL, np.gcd)],
    "maximum": [(INTEGRAL, np.maximum), (REAL_FLOATING, _maximum)],
    "minimum": [(INTEGRAL, np.minimum), (REAL_FLOATING, _minimum)],
    "copysign": [(REAL_FLOATING, np.copysign)],
    "negative": [(NUMERIC, np.negative)],
    "positive": [(_ANY_DTYPE, _same)],
    "square": [(REAL, _square)],
    "abs": [(REAL, np.abs)],
    "sign": [(REAL, np.sign)],
    "floor": [(INTEGRAL, _same), (REAL_FLOATING, np.floor)],
    "ceil": [(INTEGRAL, _same), (REAL_FLOATING, np.ceil)],
    "trunc": [(INTEGRAL, _same), (REAL_FLOATING, np.trunc)],
    "round": [(INTEGRAL, _same), (FLOATING, np.rint)],
    "sqrt": [(REAL_FLOATING, np.sqrt)],
    "reciprocal": [(REAL_FLOATING, _reciprocal)],
    "signbit": [(REAL_FLOATING, np.signbit)],
    "isnan": [(FLOATING, np.isnan)],
    "isinf": [(FLOATING, np.isinf)],
    "isfinite": [(FLOATING, np.isfinite)],
    "real": [(COMPLEX_FLOATING, np.real)],
    "imag": [(COMPLEX_FLOATING, np.imag)],
    "conj": [(COMPLEX_FLOATING, np.conjugate)],
    "equal": [(_ANY_DTYPE, np.equal)],
    "not_equal": [(_ANY_DTYPE, np.not_equal)],
    "less": [(ORDERED, np.less)],
    "less_equal": [(ORDERED, np.less_equal)],
    "greater": [(ORDERED, np.greater)],
    "greater_equal": [(ORDERED, np.greater_equal)],
    "bitwise_and": [(DISCRETE, np.bitwise_and)],
    "bitwise_or": [(DISCRETE, np.bitwise_or)],
    "bitwise_xor": [(DISCRETE, np.bitwise_xor)],
    "bitwise_invert": [(DISCRETE, np.bitwise_not)],
    "bitwise_left_shift": [(INTEGRAL, np.left_shift)],
    "bitwise_right_shift": [(INTEGRAL, np.right_shift)],
    "logical_and": [(BOOLEAN, np.logical_and)],
    "logical_or": [(BOOLEAN, np.logical_or)],
    "logical_xor": [(BOOLEAN, np.logical_xor)],
    "logical_not": [(BOOLEAN, np.logical_not)],
    "where": [(_ANY_DTYPE, np.where)],
    "wrap_index": [(SIGNED, _wrap_index)],
    "LOADG": [(SIGNED, _gathered)],
}


_OWN = frozenset(dtype for dtype, row in PROPERTIES.items() if row.standard)  # NumPy's own dtypes


def _of_kind(choices: Iterable[tuple[frozenset[np.dtype[Any]], Function]], dtype: np.dtype[Any]) -> Function | None:
    """The first of some functions that is for a dtype. ``choices``: functions, each with its dtypes."""
    return next((function for dtypes, function in choices if dtype in dtypes and dtype in _OWN), None)


@lru_cache(maxsize=CACHE_ENTRIES)
def function_of(rule: Rule) -> Function | None:
    """The function of NumPy that has the bits of a rule's device function; None if there is none."""
    if isinstance(rule, UserRule):  # its device function may have any name
        return None
    name, dtype = rule.function.rpartition("_")[0], rule.args[-1]
    if name.startswith("cast_"):
        return conversion(dtype, rule.result)
    return _of_kind(_EXACT.get(name, ()), dtype)


@cache
def conversion(source: np.dtype[Any], target: np.dtype[Any]) -> Function | None:
    """The function that converts as the kernels do (cast.c): integers wrap, floats saturate, NaN becomes 0. None if
    NumPy lacks a dtype."""
    if source == target:
        return _same
    if source not in _OWN or target not in _OWN:
        return None
    if source in COMPLEX_FLOATING and target not in COMPLEX_FLOATING | BOOLEAN:
        of_part = conversion(source.type(0).real.dtype, target)
        return None if of_part is None else lambda x: of_part(x.real)
    if source in REAL_FLOATING and target in INTEGRAL:
        return lambda x: _saturated(x, target)
    return lambda x: x.astype(target)


class KernelNeeded(Exception):
    """NumPy cannot compute a value with the bits of the kernels, or must not do so now."""


def cast(value: Any, dtype: np.dtype[Any]) -> Any:
    """The value in a dtype; `KernelNeeded` if NumPy lacks the conversion."""
    if value.dtype is dtype:
        return value
    function = conversion(value.dtype, dtype)
    if function is None:
        raise KernelNeeded
    return function(value)


def _saturated(x: Any, target: np.dtype[Any]) -> Any:
    low, high = iinfo(target).min, iinfo(target).max
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    fits = (wide >= wide.dtype.type(low)) & (wide < wide.dtype.type(high + 1))
    if fits.all():
        return wide.astype(target)
    whole = np.where(fits, wide, 0).astype(target)
    return np.where(fits | (wide != wide), whole, np.where(wide < 0, target.type(low), target.type(high)))


# Reductions of axes for a device's target. They return None if the result depends on the order of combination.


def _exactly(function: np.ufunc) -> Function:
    """The reduction of booleans or integers: no order of combination changes the result."""
    return lambda x, axes, target: function.reduce(x, axes, dtype=x.dtype)


def _extreme(function: np.ufunc) -> Function:
    def extreme(x: HostArray, axes: tuple[int, ...], target: Target) -> Any:
        found = function.reduce(x, axes)
        if x.dtype in REAL_FLOATING and not np.all(found) and np.signbit(x[x == 0]).any():
            return None  # there are zeros of both signs
        return found

    return extreme


def _place(name: str) -> Function:
    return lambda x, axes, target: getattr(_last(x, axes), name)(-1)


def _rounded(function: np.ufunc) -> Function:
    """The sum or product of floating-point numbers, combined in the order of the kernels (reduce.c)."""

    def reduced(x: HostArray, axes: tuple[int, ...], target: Target) -> Any:
        dtype = COMPUTES_IN[x.dtype]
        if x.dtype != dtype:
            x = x.astype(dtype)
        if not x.size:
            return function.reduce(x, axes)
        left: tuple[int, ...] | None = None
        while True:
            order, shape, axes_last = _way(x.shape, axes, target)
            left = shape if left is None else left
            rows = (x if axes_last is None else x.transpose(axes_last)).reshape(order.outputs, order.n)
            segments = range(0, order.n, order.length)
            if order.across:
                columns = np.ascontiguousarray(rows.T)
                found = [_across(function, columns[at : at + order.length]) for at in segments]
            else:
                found = [_along(function, rows[:, at : at + order.length], target.lanes) for at in segments]
            if len(found) == 1:
                # The kernels begin with the identity, so that the sum of negative zeros is +0.
                return (found[0] + 0 if function is np.add else found[0]).reshape(left)
            by_segment = order.across or not order.along
            x, axes = (np.stack(found), (0,)) if by_segment else (np.stack(found, 1), (1,))

    return reduced


@cached
def _way(
    shape: tuple[int, ...], axes: tuple[int, ...], target: Target
) -> tuple[Order, tuple[int, ...], tuple[int, ...] | None]:
    """The order of combination, the shape of the result, and the axes with the reduced ones last; None in place of the
    axes if they are in this order."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    last = (*kept, *axes)
    own = tuple([shape[axis] for axis in kept])
    return order_of(shape, axes, target), own, None if last == tuple(range(len(shape))) else last


def _last(x: HostArray, axes: tuple[int, ...]) -> HostArray:
    """The array with its reduced axes as one axis, the last."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    return x.transpose(*kept, *axes).reshape(*[x.shape[axis] for axis in kept], size(tuple(x.shape[a] for a in axes)))


# NumPy combines one element after the other if it reduces an axis that is not contiguous.


def _across(function: np.ufunc, x: HostArray) -> HostArray:
    """The first axis reduced in blocks, in the order of lanes that have an output each. ``x``: (elements, outputs),
    contiguous, with several outputs, because all lanes work on a single one."""
    block, n = tuning.BLOCK_ACROSS, len(x)
    total: HostArray = function.reduce(x[:block], 0)
    for at in range(block, n, block):
        total = function(total, function.reduce(x[at : at + block], 0))
    return total


def _along(function: np.ufunc, x: HostArray, lanes: int) -> HostArray:
    """The last axis reduced in the order of a work-item's lanes and accumulators. ``x``: (outputs, elements)."""
    outputs, n = x.shape
    if n == 1:
        return x[:, 0]
    strip = lanes * tuning.ACCUMULATORS
    x = _filled(function, x, strip if n > strip else lanes)
    if n > strip:
        strips = x.reshape(outputs, -1, strip)
        blocks = [
            function.reduce(strips[:, at : at + tuning.BLOCK], 1) for at in range(0, strips.shape[1], tuning.BLOCK)
        ]
        x = blocks[0]
        for other in blocks[1:]:
            x = function(x, other)
    if n > lanes:
        x = function.reduce(x.reshape(outputs, -1, lanes), 1)
    left = lanes // 2
    while left:
        x = function(x[:, :left], x[:, left:])
        left //= 2
    return x[:, 0]


def _filled(function: np.ufunc, x: HostArray, length: int) -> HostArray:
    """The rows, contiguous, with identities behind their elements so that ``length`` divides their length.

    These change no sum but one of negative zeros, to which the kernels add one, too.
    """
    outputs, n = x.shape
    whole = -(-n // length) * length
    if whole == n:
        return np.ascontiguousarray(x)
    filled = np.empty((outputs, whole), x.dtype)
    filled[:, :n] = x
    filled[:, n:] = function.identity
    return filled


_REDUCTIONS: dict[Monoid, list[tuple[frozenset[np.dtype[Any]], Function]]] = {
    ALL: [(BOOLEAN, _exactly(np.logical_and))],
    ANY: [(BOOLEAN, _exactly(np.logical_or))],
    SUM: [(INTEGRAL, _exactly(np.add)), (FLOATING, _rounded(np.add))],
    PROD: [(INTEGRAL, _exactly(np.multiply)), (REAL_FLOATING, _rounded(np.multiply))],
    MAX: [(INTEGRAL, _exactly(np.maximum)), (BOOLEAN | REAL_FLOATING, _extreme(np.maximum))],
    MIN: [(INTEGRAL, _exactly(np.minimum)), (BOOLEAN | REAL_FLOATING, _extreme(np.minimum))],
    ARGMAX: [(ORDERED, _place("argmax"))],
    ARGMIN: [(ORDERED, _place("argmin"))],
}


def reducer(monoid: Monoid, dtype: np.dtype[Any]) -> Function | None:
    """The function of NumPy that reduces axes of elements of a dtype with the bits of the kernels; None if there is
    none. It takes the elements, the axes and the device's target."""
    return _of_kind(_REDUCTIONS.get(monoid, []), dtype)  # users have monoids of their own


@lru_cache(maxsize=CACHE_ENTRIES)
def reduction(
    monoid: Monoid, dtype: np.dtype[Any], result: np.dtype[Any], shape: tuple[int, ...], axes: tuple[int, ...],
    left: tuple[int, ...], target: Target,
) -> Function | None:  # fmt: skip
    """The function that reduces ``axes`` of elements of a dtype, broadcast to ``shape``, to a result of the shape
    ``left``; None where NumPy lacks the bits. It raises `KernelNeeded` if the result depends on the order in which
    kernels combine the elements."""
    function = reducer(monoid, dtype)
    if function is None:
        return None

    def reduced(x: Any) -> Any:
        value = function(x if x.shape == shape else np.broadcast_to(x, shape), axes, target)
        if value is None:
            raise KernelNeeded
        return (value if value.dtype is result else cast(value, result)).reshape(left)

    return reduced


def addresses(layout: Layout) -> HostArray:
    """The elements of an index variable."""
    shape, strides, offset = layout
    found = np.asarray(offset)
    for axis, (n, step) in enumerate(zip(shape, strides, strict=True)):
        if step:
            found = found + (np.arange(n) * step).reshape(-1, *[1] * (len(shape) - 1 - axis))
    return np.broadcast_to(found, shape)


def may_compute(device: Device) -> bool:
    """Whether NumPy may compute in a device's memory now: the device rests, and no memory may move, because NumPy does
    not keep it in place."""
    if not config.small_on_host or not device.computes_on_host:
        return False
    spilling = device.pool.spilling
    return (spilling is None or not spilling.moves) and (device.loops is not None or device.rests())


def placed(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...], value: Any) -> GpuArray:
    """An array in fresh memory of a device, with NumPy's value."""
    out = signature_of(device, dtype, shape).fresh()
    device.wait()  # a kernel may still read the former array in this memory
    if out.size:
        numpy_view(out)[...] = value
    return out


def noted(name: str, array: GpuArray, started: Started | None, *operands: GpuArray) -> None:
    """Note a computation of an array, which has begun if anything listens."""
    if started is not None:
        read = sum([one.nbytes for one in operands])
        note(Event(name, array.storage.device.name, array.size, read, array.nbytes, "NumPy"), started)
