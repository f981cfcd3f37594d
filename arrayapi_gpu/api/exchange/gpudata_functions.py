"""`from_gpudata`: arrays in memory that the program allocated with the driver's library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backends import devices, get_device
from ...lazy import handle, leaf
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
    """Make an array in memory that the program allocated with the driver's library.

    Nothing is copied, and writes of either side are visible to the other.

    Parameters
    ----------
    data : object
        The memory of PyOpenCL or CuPy, of the type of ``Array.gpudata.handle`` and of the same context. The array keeps
        it alive.
    shape : int or tuple of int
        The shape.
    dtype : dtype
        The dtype.
    strides : sequence of int, optional
        The strides in bytes; by default those of C order.
    offset : int, default: 0
        The bytes from the start of ``data`` to the first element.
    queue : object, optional
        The queue in which other code uses the memory: each use of the array waits for it. Without a queue the program
        must synchronize.

    Returns
    -------
    Array
        The array; read-only if kernels may only read the memory.

    Raises
    ------
    ValueError
        For memory of another context, for elements out of its bounds, and for strides and offsets that are not
        multiples of the item size.
    TypeError
        For a dtype that the device does not support.

    See Also
    --------
    from_dlpack : Share arrays of other libraries.

    References
    ----------
    pygpu, ``gpuarray.from_gpudata``.

    Examples
    --------
    >>> xp.from_gpudata(None, (0, 3), xp.float32).shape
    (0, 3)
    """
    kind, extents = as_dtype(dtype), check_shape(shape)
    if 0 in extents and data is None:  # an array without elements needs no memory
        return handle(Array, leaf(empty(get_device(None), supported(kind, get_device(None)), extents)))
    steps = tuple(strides) if strides is not None else tuple(s * kind.itemsize for s in contiguous_strides(extents))
    if len(steps) != len(extents) or any(step % kind.itemsize for step in (*steps, offset)):
        raise ValueError(
            f"from_gpudata: got strides {steps} and offset {offset}; allowed: {len(extents)} strides, and multiples of "
            f"{kind.itemsize} bytes, the item size of {kind}"
        )
    # A number may be an address for any driver, so the caller's default device must be the one.
    others = () if isinstance(data, int) else devices()
    for device in dict.fromkeys((get_device(None), *others)):
        borrowed = device.borrow(data, queue)
        if borrowed is None:
            continue
        supported(kind, device)
        if 0 in extents:
            return handle(Array, leaf(empty(device, kind, extents)))
        places = tuple(step // kind.itemsize for step in steps)
        return handle(Array, leaf(borrow(device, *borrowed, kind, extents, places, offset // kind.itemsize)))
    raise ValueError(
        f"from_gpudata: {type(data).__name__} is not memory in the context of a device of arrayapi_gpu; allowed: "
        "memory of the context of its arrays, x.gpudata.handle.context; copy other memory through the host"
    )


def from_driver_array(x: Any) -> Array:
    """An array in the memory of an array of the driver's library, after that array's work has finished.

    ValueError if it has no queue.
    """
    if x.queue is None and x.size:
        raise ValueError(
            "asarray: the array has no queue, so its pending work cannot be waited for; use x.with_queue(queue)"
        )
    x.finish()  # waits for the array's events in other queues
    return from_gpudata(x.base_data, x.shape, x.dtype, strides=x.strides, offset=x.offset, queue=x.queue)
