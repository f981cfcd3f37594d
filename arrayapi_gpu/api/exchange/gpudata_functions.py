"""`from_gpudata`: arrays in memory that the program made with the driver's own library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backends import devices, get_device
from ...lazy.build.build import handle
from ...lazy.graph.graph import leaf
from ...memory.dtypes import as_dtype
from ...memory.gpuarray import borrow, empty
from ...memory.layout import check_shape, contiguous_strides
from ..core.arguments import by_name, supported
from ..core.array_object import Array

__all__ = ["from_gpudata"]


@by_name
def from_gpudata(
    data: Any, /, shape: Any, dtype: Any, *, strides: Sequence[int] | None = None, offset: int = 0, queue: Any = None
) -> Array:
    """An array in memory that the program made with the driver's own library: no element is copied.

    ``data`` is what `Array.gpudata` has as its ``handle``, of the same context; the array keeps it alive. ``strides``
    (those of the C order by default) and ``offset`` are bytes, as in `Array.strides` and `Array.offset`. What either
    side writes is seen on the other. Each use of the array waits for ``queue``, in which others use the memory; without
    one the caller sees to it. The array is read-only where kernels may only read the memory.

    ValueError for memory of another context, for places outside of it, and for strides and offsets that are no
    multiples of the item size; TypeError for a dtype that the device lacks. Source: pygpu, ``gpuarray.from_gpudata``.
    """
    kind, extents = as_dtype(dtype), check_shape(shape)
    if 0 in extents and data is None:  # there is no memory
        return handle(Array, leaf(empty(get_device(None), supported(kind, get_device(None)), extents)))
    steps = tuple(strides) if strides is not None else tuple(s * kind.itemsize for s in contiguous_strides(extents))
    if len(steps) != len(extents) or any(step % kind.itemsize for step in (*steps, offset)):
        raise ValueError(
            f"from_gpudata: got strides {steps} and offset {offset}; allowed: {len(extents)} strides, and multiples of "
            f"{kind.itemsize} bytes, since elements are {kind}"
        )
    for device in dict.fromkeys((get_device(None), *devices())):
        borrowed = device.borrow(data, queue)
        if borrowed is None:
            continue
        supported(kind, device)
        if 0 in extents:
            return handle(Array, leaf(empty(device, kind, extents)))
        places = tuple(step // kind.itemsize for step in steps)
        return handle(Array, leaf(borrow(device, *borrowed, kind, extents, places, offset // kind.itemsize)))
    raise ValueError(
        f"from_gpudata: {type(data).__name__} is no memory in the context of a device here; allowed: memory made in "
        "the context of our arrays, x.gpudata.handle.context; elsewhere copy it through the host"
    )


def from_driver_array(x: Any) -> Array:
    """An array in the memory of an array of the driver's own library, whose work is waited for.

    ValueError where it has no queue.
    """
    if x.queue is None and x.size:
        raise ValueError(
            "asarray: the array has no queue, so nobody can wait for what was queued; give it one with with_queue"
        )
    x.finish()  # what was queued elsewhere
    return from_gpudata(x.base_data, x.shape, x.dtype, strides=x.strides, offset=x.offset, queue=x.queue)
