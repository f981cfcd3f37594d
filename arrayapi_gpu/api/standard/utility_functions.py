"""Utility functions (standard, chapter "Utility functions")."""

from __future__ import annotations

from ... import lazy
from ...kernels.core.monoid import ALL, ANY, Monoid
from ...lazy import handle, reduction
from ...memory.dtypes import DTYPE_OF
from ...memory.layout import normalize_axis
from ..core.arguments import integer, of_arrays, with_numpys_options
from ..core.array_object import Array
from .creation_functions import on_device_of
from .elementwise_functions import not_equal, subtract
from .manipulation_functions import broadcast_to, concat
from .statistical_functions import Axis, axes_of

__all__ = ["all", "any", "diff"]

BOOL = DTYPE_OF["b8"]


def _truth(monoid: Monoid, x: Array, axis: Axis, keepdims: bool) -> Array:
    node = lazy.astype(x._node, BOOL)
    return handle(Array, reduction(monoid, node, axes_of(axis, x.ndim, monoid.name), keepdims, BOOL))


@with_numpys_options
def all(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether all elements along axes are true.

    Numbers are true unless they are zero. NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        An array of bool; True if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    any, logical_and

    References
    ----------
    Array API standard, chapter "Utility functions": ``all``.

    Examples
    --------
    >>> x = xp.asarray([[True, True], [True, False]])
    >>> bool(xp.all(x))
    False
    >>> print(xp.all(x, axis=1))
    [ True False]
    """
    return _truth(ALL, x, axis, keepdims)


@with_numpys_options
def any(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether any element along axes is true.

    Numbers are true unless they are zero. NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        An array of bool; False if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    all, logical_or

    References
    ----------
    Array API standard, chapter "Utility functions": ``any``.

    Examples
    --------
    >>> x = xp.asarray([[False, False], [True, False]])
    >>> bool(xp.any(x))
    True
    >>> print(xp.any(x, axis=1))
    [False  True]
    """
    return _truth(ANY, x, axis, keepdims)


@of_arrays
def diff(
    x: Array,
    /,
    n: int = 1,
    *,
    axis: int = -1,
    prepend: Array | float | None = None,
    append: Array | float | None = None,
) -> Array:
    """Return the differences of neighbours along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype, of 1 dimension or more. For booleans, the result is whether neighbours differ.
    n : int
        How often to take differences: 2 gives differences of differences.
    axis : int
        The axis.
    prepend : Array, number or None
        Elements to put before those of `x`; a number is put before each row. They promote with `x`; a number has the
        default dtype of its kind.
    append : Array, number or None
        Elements to put after those of `x`, in the same way.

    Returns
    -------
    Array
        An array whose extent along the axis is less by `n`, at least 0.

    Raises
    ------
    ValueError
        If `n` is negative, or if `axis` is out of bounds.

    See Also
    --------
    cumulative_sum, subtract

    References
    ----------
    Array API standard, chapter "Utility functions": ``diff``.

    Examples
    --------
    >>> x = xp.asarray([1, 4, 9, 16])
    >>> print(xp.diff(x))
    [3 5 7]
    >>> print(xp.diff(x, n=2))
    [2 2]
    >>> print(xp.diff(x, prepend=0))
    [1 3 5 7]
    """
    if integer("diff", "n", n) < 0:
        raise ValueError(f"diff: n is {n}; allowed: 0 or more")
    place = normalize_axis(axis, x.ndim, "diff")
    if n == 0:
        return x.copy()
    parts = [_end(part, x, place) for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis=place) if len(parts) > 1 else x
    key = (slice(None),) * place
    for _ in range(min(n, max(x.shape[place], 1))):  # once even without elements: the result must not be a view
        later, earlier = x[(*key, slice(1, None))], x[(*key, slice(None, -1))]
        x = not_equal(later, earlier) if x.dtype == BOOL else subtract(later, earlier)
    return x


def _end(part: Array | float, x: Array, axis: int) -> Array:
    """The array to join to ``x`` along an axis; a number is repeated once for each row."""
    part = on_device_of(x, part, "diff")
    return part if part.ndim else broadcast_to(part, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
