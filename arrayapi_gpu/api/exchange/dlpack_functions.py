"""`from_dlpack` (standard, chapters "Creation functions" and "Data interchange mechanisms")."""

from __future__ import annotations

from typing import Any

from ...backends import devices, get_device
from ...backends.base import Device, HostArray
from ...lazy import evaluate, handle, leaf
from ...memory import dlpack
from ...memory.dlpack import CopyNeeded
from ...memory.dtypes import SHORT, as_dtype
from ...memory.gpuarray import adopt, attach, empty, upload
from ..core.arguments import by_name
from ..core.array_object import Array, copied
from ..core.host_values import refuse_subclass

__all__ = ["from_dlpack"]


class NoProducer(TypeError, AttributeError):
    """The error of `from_dlpack` for an object without the methods of the protocol."""

    def __init__(self, came: str):
        instead = "pass the object that made it" if came == "PyCapsule" else "use asarray"
        super().__init__(f"from_dlpack: got {came}; allowed: objects with __dlpack__ and __dlpack_device__; {instead}")


@by_name
def from_dlpack(x: Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """Make an array of the data of another library's array, by DLPack.

    Memory is shared where the device of the result can use it: host memory on a device that computes in host memory,
    and memory of a supported device, whose queue waits for the producer's. Otherwise it is copied. Shared memory is
    read-only if its producer says so, or if its capsule is unversioned and cannot say so.

    Parameters
    ----------
    x : object
        An object with ``__dlpack__`` and ``__dlpack_device__``.
    device : Device or str, optional
        The device of the result; by default that of ``x`` if it is supported, otherwise the default device.
    copy : bool, optional
        True always copies; False never does, and raises an error if a copy is necessary; by default a copy is made if
        it is necessary.

    Returns
    -------
    Array
        The array.

    Raises
    ------
    TypeError
        For an object without the two methods (this error is an AttributeError, too), and for a dtype that the device
        does not support.
    BufferError
        For invalid host memory, and if a copy is necessary for ``copy=False`` (this error is a ValueError, too).

    See Also
    --------
    asarray : Convert other objects.

    References
    ----------
    Array API standard, chapter "Creation functions": ``from_dlpack``.

    Examples
    --------
    >>> import numpy
    >>> print(xp.from_dlpack(numpy.arange(3)))
    [0 1 2]
    """
    if isinstance(x, Array):
        return _own(x, x.device if device is None else get_device(device), copy)
    refuse_subclass("from_dlpack", x, converts=True)
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise NoProducer(type(x).__name__)
    kind, number = x.__dlpack_device__()
    place = int(getattr(kind, "value", kind)), int(number)
    for source in devices():
        if source.exchange is not None and source.dlpack == place:
            capsule = _capsule(x, {"stream": source.exchange.stream})
            return _attached(source, *dlpack.read_device(capsule, place), device=device, copy=copy)
    target = get_device(device)
    options: dict[str, Any] = {} if copy is not False else {"copy": False}
    if place[0] not in dlpack.HOST_DEVICES:
        if copy is False:
            raise CopyNeeded(
                f"from_dlpack: copy=False, but memory of device {(kind, number)} must be copied to {target}; drop "
                "copy=False"
            )
        options = {"dl_device": dlpack.CPU}
    host, is_copy = dlpack.read(_capsule(x, options))
    if SHORT[as_dtype(host.dtype)] not in target.dtypes:
        raise TypeError(
            f"from_dlpack: got {host.dtype}, which {target} does not support; convert it to a smaller dtype first"
        )
    if not host.size:
        return handle(Array, leaf(empty(target, host.dtype, host.shape)))
    array = adopt(target, host, private=is_copy) if is_copy or not copy else None
    if copy is False and (array is None or is_copy):
        raise CopyNeeded(
            f"from_dlpack: copy=False, but memory of {type(x).__name__} must be copied to {target}; drop copy=False"
        )
    return handle(Array, leaf(upload(target, host) if array is None else array))


def from_array_interface(x: Any, /, *, device: Device | str | None = None) -> Array:
    """An array that shares the memory of an object with ``__cuda_array_interface__``, or a copy on another ``device``.

    The array's queue waits for the stream that the interface names. ValueError for memory of an unsupported device.
    """
    interface = x.__cuda_array_interface__
    shadow = dlpack.shadow_of(x, interface)
    as_dtype(shadow.dtype)
    if interface.get("mask") is not None:
        raise ValueError(f"asarray: {type(x).__name__} has a mask; allowed: arrays without a mask; fill it first")
    if not shadow.size:
        return handle(Array, leaf(empty(get_device(device), shadow.dtype, shadow.shape)))
    for source in devices():
        if source.exchange is not None and source.exchange.holds(shadow.ctypes.data):
            source.exchange.follow(interface.get("stream"))
            return _attached(source, shadow, False, device=device, copy=None)
    raise ValueError(
        f"asarray: the memory of {type(x).__name__} belongs to no device of this process; copy it to the host first"
    )


def _attached(
    source: Device, shadow: HostArray, is_copy: bool, *, device: Device | str | None, copy: bool | None
) -> Array:
    """An array of another library's memory on ``source``, or a copy of it."""
    target = source if device is None else get_device(device)
    array = attach(source, shadow)
    if array is None:
        raise BufferError(f"from_dlpack: elements of {shadow.dtype} are not aligned; copy the array first")
    if copy is False and (target is not source or is_copy):
        raise CopyNeeded(f"from_dlpack: copy=False, but memory of {source} must be copied to {target}; drop copy=False")
    x = handle(Array, leaf(array))
    if target is not source:
        return x.to_device(target)
    return copied(x) if copy and not is_copy else x


def _own(x: Array, target: Device, copy: bool | None) -> Array:
    if target is not x.device:
        if copy is False:
            raise CopyNeeded(
                f"from_dlpack: copy=False, but memory of {x.device} must be copied to {target}; drop copy=False"
            )
        return x.to_device(target)
    if copy:
        return copied(x)
    memory = evaluate(x._node)
    memory.storage.shared = True
    return handle(Array, leaf(memory))


def _capsule(x: Any, options: dict[str, Any]) -> Any:
    """The producer's capsule; a producer that does not know the arguments is called without them."""
    try:
        return x.__dlpack__(max_version=dlpack.VERSION, **options)
    except TypeError:
        if "stream" in options:
            return x.__dlpack__(**options)
        if "dl_device" in options:
            raise BufferError(
                f"from_dlpack: {type(x).__name__} does not copy its memory to the host; copy it there first"
            ) from None
        return x.__dlpack__()
