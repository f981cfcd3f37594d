"""NumPy's functions without a counterpart here: arrays are copied to the host, NumPy computes, results are copied back.

Each call is recorded by `record`. ``config.host_transfers`` decides whether it is allowed ("allow"), logged with the
caller's line ("log"), or refused ("error").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...backends import get_device
from ...backends.events import Event, EventKind, note, start
from ...config import config
from ...lazy import check_results, different_devices, handle, is_fixed, leaf, memory
from ...memory.dtypes import DTYPES
from ...memory.layout import Layout, self_overlaps
from ..core.array_object import Array
from ..core.exports import to_write
from ..core.memory_order import axes_by_stride, axes_in_order, is_in_order, laid_out, put_first
from ..core.transfers import check_transfer

# NumPy functions that write to their first argument, and the option and value that are necessary for it. All other
# functions get read-only arrays, so a function that writes but is not listed here raises ValueError, and no write is
# lost.
WRITES: dict[str, tuple[str | None, Any]] = {
    **dict.fromkeys(("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"), (None, None)),
    **dict.fromkeys(("median", "nanmedian", "percentile", "nanpercentile"), ("overwrite_input", True)),
    **dict.fromkeys(("quantile", "nanquantile"), ("overwrite_input", True)),
    "nan_to_num": ("copy", False),
}


def through_host(
    xp: dict[str, Any],
    name: str,
    function: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    targets: Any = (),
    library: str = "NumPy",
    lacking: str = "",
) -> Any:
    """The results of a library's function on host arrays, as arrays on the device of the first `Array` among the
    arguments.

    ``xp``: the namespace of this package; ``name``: the function's name in messages; ``library``: the library of the
    function; ``lacking``: the arguments that need the host, as the message has them; ``targets``: the arguments that it
    writes to, or may write to. For these it gets the memory itself if the device shares it with the host, otherwise
    copies, whose changes are copied back. Results of unsupported dtypes, such as strings, are returned as NumPy arrays.
    TypeError if ``config.host_transfers`` is "error"; ValueError for several devices.
    """
    arrays = list({id(array): array for array in arrays_in((args, options))}.values())
    nbytes = sum(array.nbytes for array in arrays)
    if arrays:
        _check_one_device(name, arrays)
        _check_host_transfer(name, lacking, arrays, nbytes)
    device = arrays[0].device if arrays else get_device(None)  # no array: the call had ``like=``, which NumPy drops
    known = {id(array) for array in arrays_in(targets)}
    gaps = options.get("order") in ("A", "a")  # whose result depends on gaps between elements
    lent = [_Lent(array, id(array) in known, gaps) for array in arrays]
    hosts = {id(one.array): one.host for one in lent}
    event = Event(name, device.name, sum(array.size for array in arrays), nbytes, 0, library, True, EventKind.FUNCTION)
    started = start(device, name, on_host=True)
    result = function(*_replaced(tuple(args), hosts), **_replaced(options, hosts))
    event.written = sum([host.nbytes for host in _host_arrays_in(result)])
    if started is not None:
        note(event, started)
    written: dict[int, Any] = {id(target): target for target in _host_arrays_in(targets)}
    for one in lent:
        if one.give_back():
            written[id(one.host)] = one.array
    results = _on_device(xp["asarray"], result, lent, device, written)
    for array in arrays_in(results):
        memory(array._node).storage.origin = event.place
    if config.nan:
        check_results(name, [array._node for array in arrays], [array._node for array in arrays_in(results)])
    return results


class _Lent:
    """An array, and the host array that the library gets for it: the memory itself, or a copy."""

    def __init__(self, array: Array, writeable: bool, gaps: bool):
        self.array = array
        self.writeable = writeable
        shared = to_write(array._node) if writeable else None
        self.is_copy = shared is None
        self.host = _on_host(array, writeable and not is_fixed(array._node), gaps) if shared is None else shared
        self.before = self.host.tobytes() if writeable and self.is_copy else b""

    def give_back(self) -> bool:
        """Copy changes of a copy back to the array; return whether the library was allowed to write."""
        if self.writeable and self.is_copy and self.host.tobytes() != self.before:
            self.array[...] = self.host
        return self.writeable

    def view(self, part: np.ndarray[Any, Any]) -> Array | None:
        """The view of the array that corresponds to a view of the host array; None if their strides differ. A view with
        overlapping elements is read-only."""
        node, itemsize = self.array._node, self.host.itemsize
        if node.streamed or part.dtype != self.host.dtype:
            return None
        array = memory(node)
        steps = zip(self.host.shape, self.host.strides, array.strides, strict=True)
        if any(n > 1 and step != own * itemsize for n, step, own in steps):
            return None
        begin, first = (one.__array_interface__["data"][0] for one in (part, self.host))
        strides = tuple(step // itemsize for step in part.strides)
        layout = Layout(part.shape, strides, array.offset + (begin - first) // itemsize)
        found = array.view(layout)
        found.fixed = found.fixed or self_overlaps(layout)
        return handle(Array, leaf(found))


def _check_one_device(name: str, arrays: list[Array]) -> None:
    """Raise ValueError for arrays with axes on several devices, as functions that devices compute do."""
    placed = [array for array in arrays if array.ndim]
    for array in placed:
        if array.device is not placed[0].device:
            raise different_devices(name, placed[0].device, array.device)


def _check_host_transfer(name: str, lacking: str, arrays: list[Array], nbytes: int) -> None:
    """Log the transfer, or raise TypeError, according to ``config.host_transfers``."""
    check_transfer(
        f"{name}{lacking} is not implemented on the device: {nbytes} bytes are copied from {arrays[0].device} to the "
        "host",
        f"functions of arrayapi_gpu, or call {name} with x.to_numpy()",
    )


def arrays_in(value: Any) -> Iterator[Array]:
    """Each `Array` in nested lists, tuples and dicts."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(tuple(value.values()))


def _host_arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Each NumPy array in nested tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _host_arrays_in(item)


def _on_host(array: Array, writeable: bool, gaps: bool) -> np.ndarray[Any, Any]:
    """A host copy in the memory order of the array, because the result of NumPy's ``order`` may depend on it; ``gaps``:
    whether a copy of an array that is not contiguous must not be contiguous."""
    axes = axes_in_order("to_numpy", array._node, "K")
    host: np.ndarray[Any, Any] = put_first(array, axes).to_numpy()
    if gaps and not (is_in_order(array._node, "C") or is_in_order(array._node, "F")):
        wider = np.empty((*host.shape[:-1], host.shape[-1] + 1), host.dtype)[..., :-1]
        wider[...] = host
        host = wider
    host.flags.writeable = writeable
    return host.transpose(np.argsort(axes)) if host.ndim else host


def _uploaded(asarray: Callable[..., Array], value: Any, lent: Sequence[_Lent], device: Any) -> Array:
    """A NumPy result as an array in the same memory order. For a view of an operand, it is the same view of the
    operand's array, or otherwise a read-only copy, because writes to a copy would be lost."""
    host = np.asarray(value)
    owner = next((one for one in lent if np.may_share_memory(host, one.host)), None) if host.size else None
    if owner is not None and (view := owner.view(host)) is not None:
        return view
    axes = axes_by_stride(host.shape, tuple(step // host.itemsize for step in host.strides))
    found: Array = laid_out(asarray(host.transpose(axes), device=device), axes)
    if owner is not None:
        memory(found._node).fixed = True
    return found


def _replaced(value: Any, hosts: dict[int, np.ndarray[Any, Any]]) -> Any:
    """The value with each `Array` replaced by its host array; ``hosts``: host arrays by the id of the array."""
    if isinstance(value, Array):
        return hosts[id(value)]
    if isinstance(value, dict):
        return {key: _replaced(item, hosts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return _like(value, [_replaced(item, hosts) for item in value])
    return value


def _on_device(
    asarray: Callable[..., Array], value: Any, lent: Sequence[_Lent], device: Any, written: dict[int, Any]
) -> Any:
    """NumPy's results as arrays on the device; for a result that is a written argument, that argument itself."""
    if id(value) in written:
        return written[id(value)]
    if isinstance(value, (np.ndarray, np.generic)):
        return _uploaded(asarray, value, lent, device) if value.dtype in DTYPES else value
    if isinstance(value, dict):
        return {key: _on_device(asarray, item, lent, device, written) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return _like(value, [_on_device(asarray, item, lent, device, written) for item in value])
    return value


def _like(sequence: Any, items: list[Any]) -> Any:
    """The items as a sequence of the same type: a list, a tuple or a named tuple."""
    if isinstance(sequence, list):
        return items
    return type(sequence)(*items) if hasattr(sequence, "_fields") else tuple(items)
