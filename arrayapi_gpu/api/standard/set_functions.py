"""Set functions (standard, chapter "Set functions"): by sorting, comparing neighbours, and compacting.

If the range of integers is not much longer than the array, they are not sorted: each value is marked in an array of
marks, and the marks are compacted. Unique values are sorted; every NaN is a distinct value, and -0 equals +0. Complex
numbers are sorted by real part, then imaginary part.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from ... import lazy
from ...kernels.core import tuning
from ...kernels.core.ops import OPS
from ...kernels.ordering import distinct, search
from ...kernels.ordering.sort import sorted_at_once, unique
from ...lazy import evaluate, flat_index, fresh, handle, leaf, pieces_of, scatter
from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    DISCRETE,
    DTYPE_OF,
    FLOATING,
    INTEGRAL,
    fit,
    iinfo,
    promote,
    result_type,
)
from ..core.arguments import by_name, of_arrays, refused
from ..core.array_object import Array
from ..core.host_values import Scalar, refuse_subclass
from .creation_functions import asarray, on_device_of, zeros
from .data_type_functions import astype
from .elementwise_functions import imag, real
from .indexing_functions import take
from .manipulation_functions import concat, expand_dims, reshape
from .sorting_functions import argsort, sort
from .statistical_functions import cumulative_sum, max, min
from .utility_functions import any, diff

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]

BOOL, INT32, INT64 = DTYPE_OF["b8"], DTYPE_OF["i32"], DTYPE_OF["i64"]


class UniqueAll(NamedTuple):
    """Unique values, the index of the first occurrence of each, the indices that reconstruct x, and counts."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Unique values and counts."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Unique values and the indices that reconstruct x."""

    values: Array
    inverse_indices: Array


def _order(x: Array) -> Array:
    """The indices that sort a one-dimensional array."""
    if x.dtype not in COMPLEX_FLOATING:
        return argsort(x)
    by_imag = argsort(imag(x))
    return take(by_imag, argsort(take(real(x), by_imag)))


def _ordered(x: Array) -> Array:
    """The elements of ``x``, flattened and sorted."""
    flat = reshape(x, (-1,))
    return take(flat, _order(flat)) if x.dtype in COMPLEX_FLOATING else sort(flat)


def _ranked(x: Array) -> tuple[Array, Array, Array]:
    """The indices that sort the flattened ``x``, its sorted elements, and whether each of these is the first of its
    value."""
    flat = reshape(x, (-1,))
    order = _order(flat)
    ordered = take(flat, order)
    return order, ordered, _begins(ordered)


def _begins(ordered: Array) -> Array:
    """Whether each of the sorted elements is the first of its value."""
    if not ordered.device.is_gpu or ordered._node.streamed:
        return concat([asarray([True], device=ordered.device)[: ordered.size], ordered[1:] != ordered[:-1]])
    # One launch and no upload. CPUs compare slices faster than they gather.
    at, node = flat_index(ordered.shape, ordered.device), ordered._node
    before = lazy.gather(node, lazy.binary(OPS["maximum"], lazy.binary(OPS["subtract"], at, 1), 0))
    differ = lazy.binary(OPS["not_equal"], node, before)
    return handle(Array, lazy.binary(OPS["logical_or"], lazy.binary(OPS["equal"], at, 0), differ))


def _runs(begins: Array) -> tuple[Array, Array]:
    """The first indices and the lengths of the runs of equal elements."""
    starts = handle(Array, leaf(lazy.nonzero(begins._node)[0]))
    end = asarray([begins.size], dtype=INT64, device=begins.device)
    return starts, diff(concat([starts, end]))


def _inverse(order: Array, begins: Array, shape: tuple[int, ...]) -> Array:
    """The number of its run for each element, in the order before sorting."""
    target = fresh(order.device, INT64, order.shape)
    number = cumulative_sum(handle(Array, lazy.astype(begins._node, INT64))) - 1
    scatter(target, order._node, number._node, distinct=True)
    return reshape(handle(Array, leaf(target)), shape)


class _Numbers(NamedTuple):
    """The integers ``low``, ``low`` + 1, ... in which all ``elements`` are, a vector."""

    low: int
    extent: int
    elements: Array

    def values(self) -> Array:
        return handle(Array, leaf(distinct.numbers(evaluate(self.elements._node), self.low, self.extent)))

    def inverse(self, shape: tuple[int, ...]) -> Array:
        marks = distinct.marked(evaluate(self.elements._node), self.low, self.extent)
        number = cumulative_sum(handle(Array, lazy.astype(leaf(marks), INT32)), dtype=INT32) - 1
        low = (self.low + 2**63) % 2**64 - 2**63  # differences are correct even if both operands wrap
        place = lazy.binary(OPS["subtract"], lazy.astype(self.elements._node, INT64), low)
        found = lazy.astype(lazy.gather(leaf(evaluate(number._node)), place), INT64)
        return reshape(handle(Array, found), shape)


def _numbers_of(x: Array) -> _Numbers | None:
    """The range of the flattened ``x``; None if it has no integers or booleans, or if sorting them is faster than
    marking its numbers."""
    if x.dtype not in DISCRETE or not x.size:
        return None
    flat = handle(Array, leaf(evaluate(reshape(x, (-1,))._node)))
    low, high = (0, 1) if x.dtype in BOOLEAN else (iinfo(x.dtype).min, iinfo(x.dtype).max)
    if not distinct.pays(x.size, high - low + 1):
        if flat.device.is_gpu:
            low, high = distinct.ends(evaluate(flat._node))
        else:
            ends = [evaluate(end(flat)._node) for end in (min, max)]  # both, before the host waits for one
            low, high = (end.download().item() for end in ends)
    if not distinct.pays(x.size, high - low + 1):
        return None
    return _Numbers(low, high - low + 1, flat)


@of_arrays
def unique_all(x: Array, /) -> UniqueAll:
    """Return the unique values of an array, and where and how often they occur.

    NaN does not equal NaN, so each is a value by itself. Complex numbers are sorted by their real part, then by their
    imaginary part. The number of values depends on the elements, so this computes `x`.

    Parameters
    ----------
    x : Array
        An array of any dtype, which is flattened.

    Returns
    -------
    UniqueAll
        A named tuple of four arrays: `values`, sorted; `indices`, of the first occurrence of each; `inverse_indices`,
        of the shape of `x`, with ``values[inverse_indices] == x``; `counts`. All but the first are of int64.

    See Also
    --------
    unique_values, unique_counts, unique_inverse

    References
    ----------
    Array API standard, chapter "Set functions": ``unique_all``.

    Examples
    --------
    >>> found = xp.unique_all(xp.asarray([30, 10, 30, 20]))
    >>> print(found.values, found.indices, found.inverse_indices, found.counts)
    [10 20 30] [1 3 0] [2 0 2 1] [1 1 2]
    """
    order, ordered, begins = _ranked(x)
    starts, counts = _runs(begins)
    return UniqueAll(take(ordered, starts), take(order, starts), _inverse(order, begins, x.shape), counts)


@of_arrays
def unique_counts(x: Array, /) -> UniqueCounts:
    """Return the unique values of an array, and how often they occur.

    Parameters
    ----------
    x : Array
        An array of any dtype, which is flattened.

    Returns
    -------
    UniqueCounts
        A named tuple of two arrays: `values`, sorted as in `unique_all`, and `counts`, of int64.

    See Also
    --------
    unique_all, unique_values, bincount

    References
    ----------
    Array API standard, chapter "Set functions": ``unique_counts``.

    Examples
    --------
    >>> values, counts = xp.unique_counts(xp.asarray([3, 1, 3, 2]))
    >>> print(values)
    [1 2 3]
    >>> print(counts)
    [1 1 2]
    """
    ordered = _ordered(x)
    starts, counts = _runs(_begins(ordered))
    return UniqueCounts(take(ordered, starts), counts)


@of_arrays
def unique_inverse(x: Array, /) -> UniqueInverse:
    """Return the unique values of an array, and the indices that give the array again.

    Parameters
    ----------
    x : Array
        An array of any dtype, which is flattened.

    Returns
    -------
    UniqueInverse
        A named tuple of two arrays: `values`, sorted as in `unique_all`, and `inverse_indices`, of int64 and of the
        shape of `x`, with ``values[inverse_indices] == x``.

    See Also
    --------
    unique_all, unique_values

    References
    ----------
    Array API standard, chapter "Set functions": ``unique_inverse``.

    Examples
    --------
    >>> values, inverse = xp.unique_inverse(xp.asarray([30, 10, 30, 20]))
    >>> print(values)
    [10 20 30]
    >>> print(inverse)
    [2 0 2 1]
    """
    if found := _numbers_of(x):
        return UniqueInverse(found.values(), found.inverse(x.shape))
    order, ordered, begins = _ranked(x)
    return UniqueInverse(ordered[begins], _inverse(order, begins, x.shape))


@of_arrays
def unique_values(x: Array, /) -> Array:
    """Return the unique values of an array.

    Parameters
    ----------
    x : Array
        An array of any dtype, which is flattened.

    Returns
    -------
    Array
        A 1-dimensional array of the dtype of `x`, sorted as in `unique_all`.

    See Also
    --------
    unique_all, unique_counts, isin

    References
    ----------
    Array API standard, chapter "Set functions": ``unique_values``.

    Examples
    --------
    >>> print(xp.unique_values(xp.asarray([3, 1, 3, 2])))
    [1 2 3]
    """
    if x._node.streamed and x.size:
        return _unique_of_blocks(x)
    if x.dtype not in COMPLEX_FLOATING and sorted_at_once(x.device, x.dtype, x.size):
        flat = x if x.ndim == 1 else reshape(x, (-1,))
        return handle(Array, leaf(unique(evaluate(flat._node))))
    if found := _numbers_of(x):
        return found.values()
    ordered = _ordered(x)
    if x.device.is_gpu and x.size and x.dtype not in COMPLEX_FLOATING:
        return handle(Array, leaf(distinct.of_sorted(evaluate(ordered._node))))
    return ordered[_begins(ordered)]


def _unique_of_blocks(x: Array) -> Array:
    """The unique values of a value computed from host operands. The unique values of blocks are merged in pairs of
    similar length, as in merge sort. If the device has no memory for all unique values, the elements are sorted on the
    host."""
    found: list[Array] = []
    with suppress(MemoryError):
        for (piece,) in pieces_of(x._node):
            found.append(unique_values(handle(Array, piece)))
            while len(found) > 1 and found[-2].size <= 2 * found[-1].size:
                last = found.pop()
                found.append(unique_values(concat([found.pop(), last])))
        return unique_values(concat(found))
    found.clear()
    ordered = _ordered(x)
    return ordered[_begins(ordered)]


def _with(x: Any, other: Any) -> Array:
    """``x`` as an array; numbers and lists get the dtype of the other array if it can hold all their values."""
    if isinstance(x, Array):
        return x
    refuse_subclass("isin", x)
    own = on_device_of(other, x, "isin")
    if hasattr(x, "dtype"):
        return own
    if own.dtype in INTEGRAL and other.dtype in INTEGRAL:
        try:
            return asarray(x, dtype=other.dtype, device=other.device)
        except OverflowError:
            return own
    return handle(Array, lazy.astype(own._node, result_type(other.dtype, fit(0, own.dtype))))


def _isin_uint64(one: Array, two: Array) -> Array:
    """`isin` of uint64 and signed integers, which have no common integer dtype: negative numbers are in no uint64."""
    dtype = DTYPE_OF["u64"]
    if two.dtype != dtype:
        return isin(one, astype(reshape(two, (-1,))[reshape(two, (-1,)) >= 0], dtype))
    found: Array = isin(astype(one, dtype), two) & (one >= 0)
    return found


@by_name
def isin(x1: Array | Scalar, x2: Array | Scalar, /, *, invert: bool = False) -> Array:
    """Return whether each element of an array occurs in another one.

    Parameters
    ----------
    x1 : Array or number
        The elements to look for.
    x2 : Array or number
        The elements to compare with. `x1` or `x2` must be an array.
    invert : bool
        Whether to return the opposite.

    Returns
    -------
    Array
        An array of bool of the shape of `x1`. NaN equals nothing, so it does not occur.

    Raises
    ------
    TypeError
        If neither is an array.

    See Also
    --------
    searchsorted, equal

    References
    ----------
    Array API standard, chapter "Set functions": ``isin``.

    Examples
    --------
    >>> print(xp.isin(xp.asarray([1, 2, 3, 4]), xp.asarray([2, 4, 6])))
    [False  True False  True]
    """
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        raise refused("isin", x1)
    one, two = _with(x1, x2), _with(x2, x1)
    two = handle(Array, lazy.on_device("isin", two._node, one.device))
    dtype = promote(one.dtype, two.dtype)
    if dtype in FLOATING and {one.dtype, two.dtype} <= INTEGRAL:
        found = _isin_uint64(one, two)
        return ~found if invert else found
    a, b = (handle(Array, lazy.astype(v._node, dtype)) for v in (one, two))
    values = reshape(b, (-1,))
    m = values.size
    searches = a.device.is_gpu and a._node.array is not None and dtype not in COMPLEX_FLOATING
    if m == 0:
        found = zeros(a.shape, dtype=BOOL, device=a.device)
    elif m < tuning.COMPARED[searches]:
        node = lazy.broadcast(lazy.binary(OPS["equal"], a._node, values[0]._node), a.shape)
        for k in range(1, m):
            node = lazy.binary(OPS["logical_or"], node, lazy.binary(OPS["equal"], a._node, values[k]._node))
        found = handle(Array, node)
    elif dtype in COMPLEX_FLOATING:
        found = any(handle(Array, lazy.binary(OPS["equal"], expand_dims(a, axis=-1)._node, values._node)), axis=-1)
    else:
        found = handle(Array, leaf(search.members(*(evaluate(v._node) for v in (a, values)))))
    return ~found if invert else found
