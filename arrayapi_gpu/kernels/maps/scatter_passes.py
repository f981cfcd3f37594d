"""Scatters to places that may repeat, on GPUs: of the values for one place the last one stays.

A pass writes all values, and marks their places in bits, which the cache holds, so it finds those that repeat. The next
finds the last value for each of these, and the last pass writes them; both end at once where there are none. So a
scatter whose places do not repeat takes little longer than one that need not ask.
"""

from __future__ import annotations

from ...backends.base import Device
from ...memory.dtypes import DTYPE_OF
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import Layout, extent
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section
from .copy import assign, zeros
from .join import COPIED_AS

UINT32 = DTYPE_OF["u32"]


def pays(target: GpuArray, n: int) -> bool:
    """Return whether passes write ``n`` values into a target faster than a sort does, and can count them."""
    return n < 2**32 - 1 and _span(target)[1] <= tuning.PASS_SPREAD * n


def _span(target: GpuArray) -> tuple[int, int]:
    """Return the lowest place of an array's elements, from its first, and how many places there are from it on."""
    low, high = extent(Layout(target.shape, target.strides, 0)) or (0, -1)
    return low, high - low + 1


def repeat(target: GpuArray, places: GpuArray) -> bool:
    """Return whether places (int64, contiguous) in a target are equal. Waits for the device."""
    marks, _ = _mark(target, None, places)
    return bool(_met_again(marks).download())


@on_loops_meanwhile
def write_last(target: GpuArray, values: GpuArray, places: GpuArray) -> GpuArray | None:
    """Write values to places of a target, element offsets from its first element (int64); the last value stays. Return
    a number on the device that is 0 if no two places are equal.

    Values and places are contiguous vectors of one length, and values have the target's dtype; `pays` is true.
    """
    device, (low, span) = target.storage.device, _span(target)
    if device.loops is not None:
        memory = GpuArray(target.storage, target.dtype, (span,), (1,), target.offset + low)
        memory.host_view()[places.host_view() - low] = values.host_view()
        return None
    marks, turns = _mark(target, values, places)
    _run("rank", target, values, (turns, places, marks), places)
    _run("settle", target, values, (target, values, places, marks, turns), places)
    found = empty(device, UINT32, ())
    assign(found, _met_again(marks))
    return found


def _met_again(marks: GpuArray) -> GpuArray:
    """Return the last word of marks, as a view."""
    return marks.view(Layout((), (), marks.size - 1))


def _mark(target: GpuArray, values: GpuArray | None, places: GpuArray) -> tuple[GpuArray, GpuArray]:
    """Return the marks of places, and memory for turns; write the values, if there are any."""
    device, span = target.storage.device, _span(target)[1]
    marks = zeros(device, UINT32, (2 * -(-span // 32) + 1,))
    turns = empty(device, UINT32, (span,))
    _run("mark", target, values, (target, target if values is None else values, places, marks, turns), places)
    return marks, turns


def _run(name: str, target: GpuArray, values: GpuArray | None, arrays: tuple[GpuArray, ...], places: GpuArray) -> None:
    """Launch a pass over all places."""
    low, span = _span(target)
    offset = 0 if values is None else values.offset
    numbers = (places.size, _length(places.size), low, span, -(-span // 32), places.offset, target.offset, offset)
    short = "" if name == "rank" else COPIED_AS[target.dtype.itemsize]
    kernel = _kernel(target.storage.device, name, short, values is not None)
    kernel.run("scatter", _items(places.size), arrays, numbers, tuning.PASS_ITEMS)


def _length(n: int) -> int:
    """Return the elements of a group, a multiple of what it reads ahead."""
    step = tuning.PASS_ITEMS * tuning.PASS_AHEAD
    return -(-n // (step * tuning.PASS_GROUPS)) * step


def _items(n: int) -> int:
    return -(-n // _length(n)) * tuning.PASS_ITEMS


@kept
def _kernel(device: Device, name: str, short: str, writes: bool) -> FixedKernel:
    """``short``: the dtype as which a pass copies values, if it does."""
    names = ("n", "length", "low", "span", "words", "places_0", "target_0", "values_0")
    constants = {"SIZE": tuning.PASS_ITEMS, "AHEAD": tuning.PASS_AHEAD, "WRITES": writes}
    text = section("scatter_passes", name, T=short)
    return FixedKernel(device, name, Parameters(int64s(*names)), text, constants)
