"""`from_host`: arrays in host memory as operands that are read block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends import get_device
from ...backends.base import Device
from ...lazy.build.build import handle
from ...lazy.graph.host_operands import host_operand
from ...memory.dtypes import as_dtype
from ..core.arguments import by_name, supported
from ..core.array_object import Array
from ..core.host_values import refuse_subclass

__all__ = ["from_host"]


@by_name
def from_host(array: Any, /, *, device: Device | str | None = None) -> Array:
    """An array whose elements stay in host memory; expressions read them block by block, so it may be larger than the
    device.

    ``array`` is a NumPy array, such as a ``numpy.memmap``, or an object with ``shape`` and ``dtype`` that gives boxes
    by slices, such as an array of zarr or h5py; of any shape and any dtype of the standard, of any byte order. The
    caller promises not to write to it as long as the result, or anything made of it, is used. The result has its shape
    and its dtype; it is lazy like all arrays, ``device`` computes, and views are views of the host memory. It cannot be
    written to (ValueError). What is computed of it is on the device where it fits, else in host memory, and can be
    written to: by in-place operators, by slices without steps, and by masks. What needs more of it on the device than
    fits raises MemoryError.

    A GPU reads the next block and writes the last one while it computes. For that the memory of a NumPy array is
    page-locked where it lies, as long as the result lives, when a quarter of it or more is read for the first time; it
    costs about as much as reading it once. Memory of files is not. Host memory of results that are gone is kept for the
    next ones; ``x.device.trim()`` gives it back.

    TypeError for what is no such object, and for a dtype that the device lacks; ValueError for an array of NumPy with
    masked elements. When a block is read, ValueError for anything but an array of the box's shape and the object's
    dtype; what the object raises itself gets a note. Both say which box was asked for. Source: this library.

    >>> x = xp.from_host(np.load("x.npy", mmap_mode="r"))
    >>> xp.save("y.npy", (x - xp.mean(x, axis=0)) / xp.std(x, axis=0))
    """
    target = get_device(device)
    refuse_subclass("from_host", array, converts=True)
    known = all([hasattr(array, name) for name in ("shape", "dtype", "__getitem__")])
    if isinstance(array, Array) or not known or hasattr(array, "nnz"):  # which sparse arrays have
        raise TypeError(
            f"from_host: got {type(array).__name__}; allowed: a NumPy array, or an object with shape, dtype and slices "
            "that give boxes, not sparse; use asarray"
        )
    shape = array.shape
    if not isinstance(shape, (tuple, list)) or not all([hasattr(n, "__index__") and n >= 0 for n in shape]):
        raise TypeError(
            f"from_host: got {type(array).__name__}, whose shape is {shape!r}; allowed: a tuple of extents; correct "
            "the source, or wrap it in a class that does"
        )
    dtype = supported(as_dtype(np.dtype(array.dtype)), target)
    return handle(Array, host_operand(array, dtype, target))
