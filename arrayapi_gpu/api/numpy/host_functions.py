"""`from_host`: arrays in host memory as operands that are read block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends import get_device
from ...backends.base import Device
from ...lazy import handle, host_operand
from ...memory.dtypes import as_dtype
from ..core.arguments import by_name, supported
from ..core.array_object import Array
from ..core.host_values import refuse_subclass

__all__ = ["from_host"]


@by_name
def from_host(array: Any, /, *, device: Device | str | None = None) -> Array:
    """Make an array whose elements stay in host memory and are read block by block.

    Expressions of it may be larger than device memory. Arrays computed from it are in device memory if they fit,
    otherwise in host memory; in-place operators, slices without steps and masks can write to them.

    Parameters
    ----------
    array : array_like
        A NumPy array, such as a ``numpy.memmap``, or an object with ``shape`` and ``dtype`` that returns boxes for
        slices, such as an array of zarr or h5py. The program must not write to it as long as the result, or an array
        computed from it, is used.
    device : Device or str, optional
        The device that computes; by default the default device.

    Returns
    -------
    Array
        A read-only array of the same shape and dtype. Its views are views of host memory.

    Raises
    ------
    TypeError
        For other objects, and for a dtype that the device does not support.
    ValueError
        For a NumPy array with masked elements; and, when a block is read, if the object returns another shape or dtype
        than that of the box.
    MemoryError
        When an operation is computed that needs more of the array on the device than fits.

    See Also
    --------
    asarray : Copy an array to a device.

    Notes
    -----
    A GPU reads the next block and writes the previous one while it computes. For this purpose the memory of a NumPy
    array is page-locked in place when at least a quarter of it is read for the first time, as long as the result lives.
    Host memory of deleted results is kept for later ones; ``x.device.trim()`` frees it.

    Examples
    --------
    >>> import numpy
    >>> x = xp.from_host(numpy.arange(6.0).reshape(2, 3))  # or np.load("x.npy", mmap_mode="r")
    >>> print(x - xp.mean(x, axis=1, keepdims=True))
    [[-1.  0.  1.]
     [-1.  0.  1.]]
    """
    target = get_device(device)
    refuse_subclass("from_host", array, converts=True)
    known = all([hasattr(array, name) for name in ("shape", "dtype", "__getitem__")])
    if isinstance(array, Array) or not known or hasattr(array, "nnz"):  # sparse arrays have ``nnz``
        raise TypeError(
            f"from_host: got {type(array).__name__}; allowed: a NumPy array, or an object with shape and dtype that "
            "returns boxes for slices and is not sparse; use asarray"
        )
    shape = array.shape
    if not isinstance(shape, (tuple, list)) or not all([hasattr(n, "__index__") and n >= 0 for n in shape]):
        raise TypeError(
            f"from_host: got {type(array).__name__}, whose shape is {shape!r}; allowed: a tuple of extents; wrap it in "
            "a class with such a shape"
        )
    dtype = supported(as_dtype(np.dtype(array.dtype)), target)
    return handle(Array, host_operand(array, dtype, target))
