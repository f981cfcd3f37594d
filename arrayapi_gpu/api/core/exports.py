"""Arrays for other libraries: NumPy arrays, DLPack capsules, and the CUDA Array Interface.

The other library gets the memory itself if it can use it, a copy otherwise. An array whose memory is shared is exposed
(`lazy.mutation.writes.expose`): operations that read or write it are computed at once.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...backends.base import HostArray
from ...backends.events import Event, EventKind, Started, listeners, note, start
from ...config import config
from ...lazy import Node, contiguous, copy as copied_memory, evaluate, expose, leaf, on_host, uncopied
from ...memory import dlpack
from ...memory.gpuarray import GpuArray
from ...memory.layout import self_overlaps, size
from .transfers import check_transfer, log_transfer


def downloaded(node: Node, reader: str = "to_numpy") -> HostArray:
    """A copy of the node's elements on the host. ``reader``: the function that reads them, for `record`."""
    node = uncopied(node)
    if (host := on_host(node)) is not None:
        return host.copy()
    started = start(node.device, reader, True) if listeners else None
    array = contiguous(node) if not node.device.host_shared else evaluate(node)
    host = array.download()
    if started is not None:
        _note_read(node, reader, started)
    return host


def to_read(node: Node) -> HostArray:
    """The node's elements on the host, to be read at once: the memory itself if the host can read it, a copy
    otherwise."""
    node = uncopied(node)
    if (host := on_host(node)) is not None:
        return host
    return _exported(node) if node.device.host_shared else downloaded(node)


def to_write(node: Node) -> HostArray | None:
    """The node's memory as a writable host array. None if the device does not share its memory with the host, if the
    memory is read-only, or if elements of the array overlap."""
    if not node.device.host_shared or on_host(node) is not None:
        return None
    array = evaluate(node)
    return None if array.readonly or self_overlaps(array.layout) else _exported(node)


def host_array(node: Node, dtype: Any, copy: bool | None) -> HostArray:
    """The NumPy array of `Array.__array__`. ``dtype``: None, or an argument of `numpy.dtype`.

    ValueError if ``copy=False`` and a copy is necessary; TypeError if ``config.host_transfers`` is "error".
    """
    if config.host_transfers != "allow":
        check_transfer(_transfer(node), "to_numpy() or DLPack for an explicit transfer")
    wanted = node.dtype if dtype is None else np.dtype(dtype)
    if not copy and (host := on_host(node)) is not None and wanted == node.dtype:
        return host
    if node.device.host_shared and wanted == node.dtype and not copy:
        return _exported(node)
    if copy is False:
        raise ValueError(
            f"__array__: copy=False, but the array is {node.dtype} on {node.device} and must be copied; drop copy=False"
        )
    host = downloaded(node, "asarray")
    if copy is None and wanted == node.dtype:
        host.flags.writeable = False  # because a write to the copy would not change the array
    return host.astype(wanted, copy=False)


def one_value(node: Node, wanted: str) -> Any:
    """The only element as a Python scalar; ``wanted``: the conversion, such as "float". The transfer may be logged, and
    is always allowed."""
    if config.host_transfers == "log":
        log_transfer(f"{wanted}(): {_transfer(node)}")
    return downloaded(node, wanted).item()


def _transfer(node: Node) -> str:
    return f"implicit transfer of {size(node.shape) * node.dtype.itemsize} bytes from {node.device} to the host"


def arrow_array(node: Node, kind: Any) -> Any:
    """The pyarrow array of `Array.__arrow_array__`; the caller has imported pyarrow."""
    return sys.modules["pyarrow"].array(host_array(node, None, None), type=kind)


def capsule(
    node: Node, stream: Any, max_version: tuple[int, int] | None, dl_device: tuple[Any, int] | None, copy: bool | None
) -> Any:
    """The capsule of `Array.__dlpack__`, with its errors.

    An array with a negative stride is copied: DLPack allows such strides, but PyTorch aborts the process on them.
    """
    device = node.device
    if stream is not None and device.exchange is None:
        raise ValueError(f"__dlpack__: stream={stream!r}; allowed: None, because a device has one queue; drop stream=")
    kind, number = dl_device or device.dlpack
    wanted = int(getattr(kind, "value", kind)), int(number)
    if wanted not in (device.dlpack, dlpack.CPU):
        raise BufferError(
            f"__dlpack__: dl_device={wanted}; allowed: {device.dlpack}, and {dlpack.CPU} for a copy on the host"
        )
    if wanted == device.dlpack and _goes_backwards(array := evaluate(node)):
        if copy is False:
            raise BufferError(
                f"__dlpack__: copy=False, but the array has negative strides {array.strides}; copy it first"
            )
        copy = True
    if device.host_shared:
        # The older capsule cannot say that memory is read-only.
        mute = max_version is None or max_version[0] < 1
        if copy is None and mute and evaluate(node).readonly:
            copy = True
        host = evaluate(node).host_view() if copy else _exported(node)
        return dlpack.capsule_of(host, max_version, copy=bool(copy))
    if wanted == device.dlpack:
        memory, exposure = expose(leaf(copied_memory(node)) if copy else node)
        address = device.address(memory.storage.buffer)
        if device.exchange is not None:
            device.exchange.lend(memory.storage.buffer, stream)
        else:
            device.wait()
        return dlpack.device_capsule(memory, exposure, address, max_version, copied=bool(copy))
    if copy is False:
        raise BufferError(
            f"__dlpack__: copy=False, but the memory of {device} must be copied to the host; drop copy=False"
        )
    return dlpack.capsule_of(downloaded(node), max_version, copied=True)


def interface(node: Node) -> dict[str, Any]:
    """The dict of `Array.__cuda_array_interface__`.

    AttributeError for a device that does not share its memory, and for negative strides, on which PyTorch aborts the
    process. Other libraries then use DLPack.
    """
    exchange = node.device.exchange
    if exchange is None:
        raise AttributeError(
            f"__cuda_array_interface__: {node.device} does not share its memory with other libraries; use DLPack"
        )
    if _goes_backwards(array := evaluate(node)):
        raise AttributeError(f"__cuda_array_interface__: the array has negative strides {array.strides}; copy it first")
    memory, exposure = expose(node)
    memory.storage.exposure = exposure  # for as long as the memory lives: the interface has no end of use
    first = node.device.address(memory.storage.buffer) + memory.offset * node.dtype.itemsize
    return {**dlpack.interface_of(memory, first), "stream": exchange.stream}


def _goes_backwards(array: GpuArray) -> bool:
    """Whether a non-empty array has a negative stride."""
    return array.size > 0 and min(array.strides, default=0) < 0


def _exported(node: Node) -> HostArray:
    """The node's memory as a host array; the memory is exposed as long as that array lives."""
    started = start(node.device, "asarray", True) if listeners else None
    memory, exposure = expose(node)
    host = memory.exported(exposure)
    if started is not None:
        _note_read(node, "asarray", started)
    return host


def _note_read(node: Node, reader: str, started: Started) -> None:
    elements = size(node.shape)
    note(Event(reader, node.device.name, elements, elements * node.dtype.itemsize, kind=EventKind.READ), started)
