"""Functions that write to places of an array, or count them: extras with NumPy's names and arguments."""

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
    """``a[indices] += b``, in which a place that is named several times gets all that is added there, in that order:
    floats have the same bits on every device.

    ``indices``: any key of `Array`; ``b`` is broadcast to the shape of ``a[indices]``. Each sum is made in the dtype
    that both have together, and rounded to that of a. IndexError for indices outside; TypeError where the sums do not
    go into a. Source: NumPy, ``ufunc.at``.

    >>> a = xp.zeros(3)
    >>> xp.add_at(a, xp.asarray([0, 2, 0]), 1.0)  # a is [2, 0, 1]
    """
    indexing.add(a, indices, b if type(b) in (bool, int, float, complex) else on_device_of(a, b, "add_at"))


@of_arrays
def put_along_axis(arr: Array, /, indices: Array, values: Any, axis: int = -1) -> None:
    """Write ``values`` along an axis of an array at ``indices``, whose other axes broadcast with those of the array.

    Of several values for one place the last one stays. ValueError where ranks differ, IndexError for indices outside
    the axis. Source: NumPy, ``put_along_axis``.
    """
    arr[along("put_along_axis", arr, indices, axis)] = values


@of_arrays
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """int64: how often each integer from 0 to the largest occurs in a vector; or the sums of their ``weights``, in the
    default floating-point dtype, added in their order. A GPU adds what comes to one integer one after the other.

    ValueError for negative integers, and for weights of another shape; TypeError for other dtypes.
    Source: NumPy, ``bincount``.
    """
    if x.ndim != 1 or x.dtype not in INTEGRAL | BOOLEAN:
        raise TypeError(f"bincount: got {x.dtype} of shape {x.shape}; allowed: a vector of integers")
    numbers = astype(x, INT64)
    count = builtins.max(int(max(numbers)) + 1 if x.size else 0, minlength)
    if x.size and int(min(numbers)) < 0:
        raise ValueError("bincount: there are negative integers, or some above 2**63 - 1; allowed: 0 and more")
    if weights is None and x.device.is_gpu:  # where many equal integers would be added one after the other
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
