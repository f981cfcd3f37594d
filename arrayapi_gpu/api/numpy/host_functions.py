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
    """An array whose elements stay in host memory; expressions read them block by block, so it may be larger than
    device memory.

    ``array``: a NumPy array, such as a ``numpy.memmap``, or an object with ``shape`` and ``dtype`` that returns boxes
    for slices, such as an array of zarr or h5py; with any shape, dtype of the standard and byte order. The caller must
    not write to it as long as the result, or an array computed from it, is used. ``device``: the device that computes.

    The result has the same shape and dtype; it is lazy like all arrays, its views are views of host memory, and it is
    read-only (ValueError). Arrays computed from it are in device memory if they fit, otherwise in host memory; in-place
    operators, slices without steps and masks can write to them. MemoryError for an operation that needs more of the
    array on the device than fits.

    A GPU reads the next block and writes the previous one while it computes. For this purpose the memory of a NumPy
    array is page-locked in place, as long as the result lives, when at least a quarter of it is first read; this takes
    about as long as reading it once. Memory of files is not page-locked. Host memory of deleted results is kept for
    later ones; ``x.device.trim()`` frees it.

    TypeError for other objects, and for a dtype that the device does not support; ValueError for a NumPy array with
    masked elements. When a block is read, ValueError unless the object returns an array of the box's shape and the
    object's dtype; exceptions of the object get a note. Both name the requested box. Source: this library.

    >>> x = xp.from_host(np.load("x.npy", mmap_mode="r"))
    >>> xp.save("y.npy", (x - xp.mean(x, axis=0)) / xp.std(x, axis=0))
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
