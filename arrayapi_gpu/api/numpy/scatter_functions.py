"""Functions that write to or count indices: extensions with NumPy's names and arguments."""

from __future__ import annotations

import builtins
import operator
from typing import Any

from ...kernels.ordering import by_numpy
from ...lazy import evaluate, handle, leaf
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL
from ..core import indexing
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..core.host_values import Scalar
from ..standard.creation_functions import arange, on_device_of, zeros
from ..standard.data_type_functions import astype, floating
from ..standard.indexing_functions import along
from ..standard.searching_functions import searchsorted
from ..standard.sorting_functions import sort
from ..standard.statistical_functions import max, min
from ..standard.utility_functions import diff

__all__ = ["add_at", "bincount", "put_along_axis"]

INT64 = DTYPE_OF["i64"]


@of_arrays
def add_at(a: Array, indices: Any, b: Array | Scalar, /) -> None:
    """Add values to selected elements of an array in place.

    To an element that is selected several times, all values are added, unlike with ``a[indices] += b``. They are added
    in order, so floats have the same bits on every device.

    Parameters
    ----------
    a : Array
        The array to change.
    indices : Array, slice, int or tuple of these
        Any key with which ``a`` can be indexed.
    b : Array or scalar
        The values, which broadcast to the shape of ``a[indices]``.

    Raises
    ------
    IndexError
        For indices out of bounds.
    TypeError
        If the sums, in the dtype to which ``a`` and ``b`` promote, cannot be cast to the dtype of ``a``.

    References
    ----------
    NumPy, ``ufunc.at``.

    Examples
    --------
    >>> a = xp.zeros(3)
    >>> xp.add_at(a, xp.asarray([0, 2, 0]), 1.0)
    >>> print(a)
    [2. 0. 1.]
    """
    indexing.add(a, indices, b if type(b) in (bool, int, float, complex) else on_device_of(a, b, "add_at"))


@of_arrays
def put_along_axis(arr: Array, /, indices: Array, values: Any, axis: int = -1) -> None:
    """Assign values to elements at indices along an axis.

    If an element is selected several times, the last value stays.

    Parameters
    ----------
    arr : Array
        The array to change.
    indices : Array
        Integers, with as many axes as ``arr``; the axes other than ``axis`` broadcast.
    values : Array or scalar
        The values, which broadcast to the shape of the selected elements.
    axis : int, default: -1
        The axis.

    Raises
    ------
    ValueError
        If ``indices`` has another number of axes.
    IndexError
        For indices out of bounds.

    See Also
    --------
    take_along_axis : Read these elements.

    References
    ----------
    NumPy, ``put_along_axis``.

    Examples
    --------
    >>> x = xp.asarray([[3, 1, 2], [4, 6, 5]])
    >>> xp.put_along_axis(x, xp.expand_dims(xp.argmax(x, axis=1), axis=1), 0, axis=1)
    >>> x.tolist()
    [[0, 1, 2], [4, 0, 5]]
    """
    arr[along("put_along_axis", arr, indices, axis)] = values


@of_arrays
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Count how often each integer occurs in a vector.

    Parameters
    ----------
    x : Array
        A vector of integers >= 0, or of booleans.
    weights : Array, optional
        A vector of the same length: weights are added instead of ones.
    minlength : int, default: 0
        The least length of the result.

    Returns
    -------
    Array
        The count of each integer from 0 to the largest one, int64; with ``weights`` their sums, in the default
        floating-point dtype, added in order.

    Raises
    ------
    ValueError
        For negative integers, and for weights of another shape.
    TypeError
        For other dtypes, and for other than one dimension.

    See Also
    --------
    unique_counts : Count values of any dtype.
    histogram : Count numbers in bins.

    Notes
    -----
    Sums of weights are slow on a GPU if many integers are equal, because it adds their weights one after the other.

    References
    ----------
    NumPy, ``bincount``.

    Examples
    --------
    >>> print(xp.bincount(xp.asarray([1, 3, 1]), minlength=5))
    [0 2 0 1 0]
    """
    if x.ndim != 1 or x.dtype not in INTEGRAL | BOOLEAN:
        raise TypeError(
            f"bincount: got {x.dtype} of shape {x.shape}; allowed: a vector of integers; use reshape, astype"
        )
    numbers = astype(x, INT64)
    count = builtins.max(int(max(numbers)) + 1 if x.size else 0, operator.index(minlength))
    if x.size and int(min(numbers)) < 0:
        raise ValueError("bincount: got integers that are negative or above 2**63 - 1; allowed: 0 to 2**63 - 1")
    if not x.size:  # which no weight fits or misfits, as in NumPy
        return zeros((count,), dtype=INT64, device=x.device)
    if weights is None and x.device.loops is not None:
        return handle(Array, leaf(by_numpy.counts(evaluate(numbers._node), count)))
    if weights is None and x.device.is_gpu:  # because a GPU would count equal integers one after the other
        return diff(searchsorted(sort(numbers), arange(count + 1, device=x.device)))
    if weights is None:
        found = zeros((count,), dtype=INT64, device=x.device)
        add_at(found, numbers, 1)
        return found
    amounts = on_device_of(x, weights, "bincount")
    if amounts.shape != x.shape:
        raise ValueError(f"bincount: got weights of shape {amounts.shape}; allowed: {x.shape}")
    found = zeros((count,), device=x.device)
    add_at(found, numbers, astype(floating(amounts), found.dtype))
    return found
