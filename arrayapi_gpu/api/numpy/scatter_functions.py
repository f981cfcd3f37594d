"""Functions that write to or count indices: extensions with NumPy's names and arguments."""

from __future__ import annotations

import builtins
from typing import Any

from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL
from ..core import indexing
from ..core.arguments import of_arrays
from ..core.array_object import Array
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
def add_at(a: Array, indices: Any, b: Array | complex, /) -> None:
    """Execute ``a[indices] += b``; to an element that is selected several times, all values are added, in order, so
    floats have the same bits on every device. Returns None.

    ``indices``: any key of `Array`; ``b``: a number or an array that broadcasts to the shape of ``a[indices]``. Each
    sum is computed in the dtype to which both promote, and rounded to the dtype of ``a``. IndexError for indices out of
    bounds; TypeError if the sums cannot be cast to the dtype of ``a``. Source: NumPy, ``ufunc.at``.

    >>> a = xp.zeros(3)
    >>> xp.add_at(a, xp.asarray([0, 2, 0]), 1.0)  # a is [2, 0, 1]
    """
    indexing.add(a, indices, b if type(b) in (bool, int, float, complex) else on_device_of(a, b, "add_at"))


@of_arrays
def put_along_axis(arr: Array, /, indices: Array, values: Any, axis: int = -1) -> None:
    """Assign ``values`` to the elements of an array at ``indices`` along an axis. Returns None.

    ``indices``: integers with as many axes as the array; the axes other than ``axis`` broadcast. If an element is
    selected several times, the last value stays. ValueError if the numbers of axes differ, IndexError for indices out
    of bounds. Source: NumPy, ``put_along_axis``.
    """
    arr[along("put_along_axis", arr, indices, axis)] = values


@of_arrays
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """The number of occurrences (int64) of each integer from 0 to the largest in a vector; with ``weights``, their sums
    in the default floating-point dtype, added in order.

    ``minlength``: the least length of the result. Sums with many equal integers are slow on a GPU, because it adds
    their weights one after the other. ValueError for negative integers, and for weights of another shape; TypeError for
    other dtypes. Source: NumPy, ``bincount``.
    """
    if x.ndim != 1 or x.dtype not in INTEGRAL | BOOLEAN:
        raise TypeError(
            f"bincount: got {x.dtype} of shape {x.shape}; allowed: a vector of integers; use reshape, astype"
        )
    numbers = astype(x, INT64)
    count = builtins.max(int(max(numbers)) + 1 if x.size else 0, minlength)
    if x.size and int(min(numbers)) < 0:
        raise ValueError("bincount: got integers that are negative or above 2**63 - 1; allowed: 0 to 2**63 - 1")
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
