"""The sorting kernels: stable, along one axis.

Elements move as they are, in the order of a number made from their bits. Long rows are sorted digit
by digit from the lowest: each pass counts the digits in every segment, scans the counts, and moves
each element to its place. Digits in which no two keys of a row differ are left out. Rows that one
work-item can keep at hand are sorted by it in one launch, short ones by a network, a row a lane.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import transpose
from .copy import assign, contiguous
from .dialect import Parameters
from .launch import compiled, launch
from .reduce import SUM
from .scan import scan
from .texts import sections

INT32, INT64 = DTYPE_OF["i32"], DTYPE_OF["i64"]

NETWORK = 128  # the longest row that is sorted by a network


class Cut(NamedTuple):
    """How the work is cut for a kind of device."""

    row: int  # the longest row that one work-item sorts by digits
    segment: int  # elements, of 4 bytes and less: of 8 bytes half as many
    group: int
    bits: int  # of a digit


VECTORS = Cut(row=1 << 14, segment=1 << 16, group=1, bits=8)
SCALARS = Cut(row=0, segment=1 << 12, group=256, bits=4)


class Order(NamedTuple):
    """What a kernel is compiled for."""

    dtype: np.dtype[Any]
    descending: bool
    positions: np.dtype[Any] | None  # that move along with the elements

    @property
    def bits(self) -> np.dtype[Any]:
        """The dtype as which elements are read."""
        return np.dtype(f"u{self.dtype.itemsize}")


def sort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """The elements in order along ``axis``, real or boolean: a fresh C-contiguous array.

    Equal elements, both zeros among them, keep their order, also ``descending``; NaN comes last.
    """
    return _sort(source, axis, Order(source.dtype, descending, None))


def argsort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """The int64 positions along ``axis`` of the elements in the order of `sort`."""
    # Positions travel with the elements, so they are no wider than need be.
    narrow = INT32 if source.size < 2**31 else INT64
    return contiguous(_sort(source, axis, Order(source.dtype, descending, narrow)), INT64)


def _sort(source: GpuArray, axis: int, order: Order) -> GpuArray:
    """Sort along the last axis, as which ``axis`` is seen."""
    device, dtype = source.storage.device, order.positions or source.dtype
    axes = [k for k in range(len(source.shape)) if k != axis] + [axis]
    rows = contiguous(GpuArray(source.storage, source.dtype, *transpose(source.layout, axes)))
    out = empty(device, dtype, rows.shape)
    if out.size:
        _sort_rows(device, order, rows, out)
    if axes == sorted(axes):
        return out
    result = empty(device, dtype, source.shape)
    back = transpose(out.layout, [axes.index(k) for k in range(len(axes))])
    assign(result, GpuArray(out.storage, dtype, *back))
    return result


def _sort_rows(device: Device, order: Order, rows: GpuArray, out: GpuArray) -> None:
    """Sort the last axis of ``rows`` into ``out``: both contiguous, with at least one element."""
    cut = VECTORS if device.lanes > 1 else SCALARS
    n = rows.shape[-1]
    count = rows.size // n

    # Elements and positions go to and fro between two arrays each.
    moving = order.positions is not None
    keys = [empty(device, order.dtype, rows.shape) if moving else out]
    places = [out]

    def run(name: str, *arrays: GpuArray, **numbers: int) -> None:
        kernel, parameters = _compiled(device, order, name)
        values = {"rows": count, "n": n, "from_0": 0, "segments": 1, "length": n} | numbers
        packed = parameters.pack([values.get(field, 0) for field in _FIELDS])
        buffers = [array.storage.buffer for array in arrays]
        together = name.endswith("together")
        items = count * values["segments"] * (cut.group if together else 1)
        if name == "network":
            items = -(-count // device.lanes)
        launch(device, kernel, f"sort {name}", items, buffers, packed, cut.group)

    if n <= NETWORK:
        run("network", out, rows, out, from_0=rows.offset)
        return
    keys.append(empty(device, order.dtype, rows.shape))
    places.append(empty(device, out.dtype, rows.shape) if moving else out)
    if n <= cut.row:
        run("rows", keys[0], rows, places[0], keys[1], places[1], from_0=rows.offset)
        return

    length = _segment(cut, order)
    segments = -(-n // length)
    shape = {"segments": segments, "length": length}
    together = "_together" if device.lanes == 1 else ""
    differ = empty(device, order.bits, (count * segments,))
    run(f"differ{together}", differ, rows, from_0=rows.offset, **shape)
    left = int(np.bitwise_or.reduce(differ.download())) or 1
    shifts = []
    while left:
        shifts.append((left & -left).bit_length() - 1)
        left &= -1 << shifts[-1] + cut.bits
    counts = empty(device, INT64, (count, segments << cut.bits))
    starts = empty(device, INT64, counts.shape)
    source, source_places = rows, out
    for turn, shift in enumerate(shifts, 1 - len(shifts)):
        target, target_places = keys[turn & 1], places[turn & 1]
        run(f"count{together}", counts, source, from_0=source.offset, shift=shift, **shape)
        scan(SUM, counts, 1, starts, exclusive=True)
        first = int(source is rows)
        arrays = (target, source, target_places, source_places, starts)
        run(f"scatter{together}", *arrays, from_0=source.offset, shift=shift, first=first, **shape)
        source, source_places = target, target_places


def _segment(cut: Cut, order: Order) -> int:
    return cut.segment // 2 if order.dtype.itemsize == 8 else cut.segment


_FIELDS = ("rows", "n", "from_0", "segments", "length", "shift", "first")


@cache
def _compiled(device: Device, order: Order, name: str) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for field in _FIELDS:
        parameters.add(field, "i64")
    cut = VECTORS if device.lanes > 1 else SCALARS
    width = 8 * order.dtype.itemsize
    infinity = np.array(np.inf, order.dtype).view(order.bits) if order.dtype.kind == "f" else 0
    constants = {
        "KIND": f"'{order.dtype.kind}'",
        "DESCENDING": int(order.descending),
        "SIGN": f"((M_u{width})1 << {width - 1})",
        "INFINITE": f"((M_u{width}){int(infinity)}UL)",
        "POSITIONS": int(order.positions is not None),
        "BINS": 1 << cut.bits,
        "SHORT": NETWORK,
        "SIZE": cut.group,
        "OWN": _segment(cut, order) // cut.group,
    }
    defines = "".join(f"#define {key} {value}\n" for key, value in constants.items())
    bound = {"K": f"u{width}", "J": SHORT[order.positions or INT32]}
    text = "".join(sections("sort")[part].substitute(bound) for part in ("words", name))
    return compiled(device, defines + parameters.text() + text, name), parameters
