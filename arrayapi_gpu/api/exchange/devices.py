"""Transfers between devices, computing and waiting, and the memory use of devices."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...backends import get_device, present
from ...backends.base import Device
from ...lazy import (
    CONSTANT,
    arriving,
    computed_all,
    constant,
    contiguous,
    evaluate,
    handle,
    host_operand_in,
    leaf,
    of_constants,
    settle,
)
from ...memory.gpuarray import transfer
from ..core.arguments import of_arrays, refused
from ..core.array_object import Array

__all__ = ["Memory", "compute", "memory", "sync"]


def to_device(x: Array, device: Device, /) -> Array:
    """``x`` on another device; ``x`` itself if it is there already."""
    if device is x.device:
        return x
    node = x._node
    if node.op is CONSTANT:
        return handle(Array, constant(node.args[0], node.dtype, node.shape, device))
    if (moved := of_constants(node, device)) is not None:
        return handle(Array, moved)
    op: Any = node.op
    if op.on_host:
        return handle(Array, host_operand_in(op.memory, node.dtype, node.shape, device))
    array = evaluate(node) if x.device.host_shared else contiguous(node)
    return handle(Array, arriving(device, array) or leaf(transfer(device, array)))


def compute(*arrays: Array) -> None:
    """Start computing arrays, without waiting for the device.

    Together they take as few launches as possible.

    Parameters
    ----------
    *arrays : Array
        The arrays.

    Raises
    ------
    TypeError
        Unless all are arrays.

    See Also
    --------
    sync : The same, and wait for the device.

    Examples
    --------
    >>> x = xp.arange(5)
    >>> y, z = x + 1, x * 2
    >>> xp.compute(y, z)
    """
    for array in arrays:
        if type(array) is not Array:
            raise refused("compute", array)
    for node in computed_all(arrays):
        settle(node)


@of_arrays
def sync(*arrays: Array) -> None:
    """Compute arrays, and wait until their devices have finished.

    Parameters
    ----------
    *arrays : Array
        The arrays; without one, all devices are waited for.

    Raises
    ------
    TypeError
        Unless all are arrays.

    See Also
    --------
    compute : Start the computation alone.

    Examples
    --------
    >>> x = xp.arange(5) + 1
    >>> xp.sync(x)
    """
    compute(*arrays)
    waited = None
    for device in [array._node.device for array in arrays] or present():
        if device is not waited:
            device.wait()
        waited = device


class Memory(NamedTuple):
    """The use of a device's memory in bytes, as `memory` returns it.

    Parameters
    ----------
    limit : int
        The limit of live and cached memory: ``config.memory_limit``, or the device's memory.
    live : int
        The memory of arrays.
    cached : int
        Free memory that is kept for later arrays.
    spilled : int
        Host memory of arrays that were moved there because device memory was full.
    peak : int
        The maximum of ``live + cached`` until now.

    See Also
    --------
    memory : Ask for these numbers.

    Examples
    --------
    >>> xp.memory()._fields
    ('limit', 'live', 'cached', 'spilled', 'peak')
    """

    limit: int  # of live and cached memory: `config.memory_limit`, or the device's memory
    live: int  # memory of arrays
    cached: int  # free memory kept for later arrays
    spilled: int  # host memory of arrays that were moved there because device memory was full
    peak: int  # the maximum of live + cached so far


def memory(device: Device | str | None = None) -> Memory:
    """Ask for the use of a device's memory.

    Sizes are those of allocated blocks, which are up to an eighth larger than their arrays. Shared host arrays
    (``asarray(a, copy=False)``) take no device memory.

    Parameters
    ----------
    device : Device or str, optional
        The device or its name; by default the default device.

    Returns
    -------
    Memory
        The numbers of bytes ``limit``, ``live``, ``cached``, ``spilled`` and ``peak``.

    Raises
    ------
    NoDeviceError
        If there is no such device.
    ValueError, TypeError
        For an invalid name.

    Examples
    --------
    >>> x = xp.zeros(1_000_000, dtype=xp.float32)
    >>> x += 1
    >>> xp.sync(x)
    >>> memory = xp.memory()
    >>> x.nbytes <= memory.live <= memory.peak <= memory.limit
    True
    """
    pool = get_device(device).pool
    spilled = 0 if pool.spilling is None else pool.spilling.spilled
    return Memory(pool.limit, pool.live, pool.cached, spilled, pool.peak)
