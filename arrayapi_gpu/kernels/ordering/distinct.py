"""The kernels of unique integers: the numbers of a range that occur in an array.

Each element marks its number, so the range must not be much longer than the array. With explicit vectors a mark is a
byte, which many may write at once. On GPUs it is a bit: scattered bytes are written slowly, and the cache holds bits of
eight times as many numbers.

Many elements may have few values, and marks that many elements set again and again are slow. So where the range is
short, groups mark in their own memory first; on GPUs a longer range is cut into parts, and each group marks one. Groups
of a GPU also remember the numbers that they marked last.
"""

from __future__ import annotations

from ...backends.base import Device
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import Layout
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section
from ..maps.copy import contiguous, zeros
from . import by_numpy, compact

BOOL, INT64, UINT32 = DTYPE_OF["b8"], DTYPE_OF["i64"], DTYPE_OF["u32"]
ENDS_EACH = 4  # elements of a work-item that looks for the ends of a range, at least


def pays(n: int, extent: int) -> bool:
    """Return whether marking ``n`` elements in a range of ``extent`` numbers takes less time than sorting them."""
    return extent <= tuning.ALWAYS_EXTENT or (extent <= tuning.SPREAD * n and extent < 2**31)


@on_loops_meanwhile
def marked(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Return a boolean array of length ``extent``: whether each of the integers ``low``, ``low`` + 1, ... occurs.

    All elements of ``x``, integers or booleans, are in this range; `pays` is true for it.
    """
    device = x.storage.device
    if device.loops is not None:
        return by_numpy.marked(x, low, extent)
    x = contiguous(x)
    if not device.is_gpu:
        marks = zeros(device, BOOL, (extent,))
        local, length = extent <= tuning.BYTES, tuning.MARK_SEGMENT
        _mark("mark_bytes", marks, x, low, extent, local=local, length=length, parts=1, size=1)
        return marks
    words = _marked_bits(x, low, extent)
    fours = -(-extent // 4)
    marks = empty(device, BOOL, (4 * fours,))
    _spreading(device).run("spread", fours, (marks, words), (fours,))
    return GpuArray(marks.storage, BOOL, (extent,), (1,), 0)


@on_loops_meanwhile
def numbers(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Return the integers ``low``, ``low`` + 1, ... that occur, in order and of the dtype of ``x``; see `marked`."""
    device = x.storage.device
    if not device.is_gpu or extent > tuning.COLLECTED:
        return compact.nonzero(marked(x, low, extent), low, x.dtype)
    words = _marked_bits(contiguous(x), low, extent)
    out, total = empty(device, x.dtype, (extent,)), empty(device, INT64, ())
    arrays, values = (out, words, total), (-(-extent // 32), low % 2**64)
    _collecting(device, SHORT[x.dtype]).run("collect", 1, arrays, values, tuning.MARK_ITEMS)
    return out.view(Layout((int(total.download()),), (1,), out.offset))


def ends(x: GpuArray) -> tuple[int, int]:
    """Return the least and the greatest of some integers, on devices without explicit vectors. Waits for the device."""
    device, x = x.storage.device, contiguous(x)
    groups = min(-(-x.size // (ENDS_EACH * tuning.MARK_ITEMS)), tuning.MAX_GROUPS)
    found = empty(device, x.dtype, (2, groups))
    kernel = _ending(device, SHORT[x.dtype])
    kernel.run("ends", groups * tuning.MARK_ITEMS, (found, x), (x.size, x.offset, groups), tuning.MARK_ITEMS)
    lows, highs = found.download()
    return int(lows.min()), int(highs.max())


def of_sorted(ordered: GpuArray) -> GpuArray:
    """Return the elements of a sorted vector that differ from the one before, on devices without explicit vectors."""
    device = ordered.storage.device
    marks = empty(device, BOOL, ordered.shape)
    kernel = _beginning(device, SHORT[ordered.dtype])
    kernel.run("begin", ordered.size, (marks, ordered), (ordered.size, ordered.offset))
    return compact.compress(marks, ordered)


def _marked_bits(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Return words with a bit for each number, on GPUs."""
    local = extent <= tuning.PARTS * tuning.PART_BITS
    parts = -(-extent // tuning.PART_BITS) if local else 1
    words = zeros(x.storage.device, UINT32, (parts * tuning.PART_BITS // 32 if local else -(-extent // 32),))
    length = max(tuning.LENGTH, -(-x.size * parts // tuning.MAX_GROUPS))
    _mark("mark_bits", words, x, low, extent, local=local, length=length, parts=parts, size=tuning.MARK_ITEMS)
    return words


def _mark(
    name: str, marks: GpuArray, x: GpuArray, low: int, extent: int, *, local: bool, length: int, parts: int, size: int
) -> None:
    kernel = _marking(x.storage.device, name, SHORT[x.dtype], local)
    items = -(-x.size // length) * parts * size
    kernel.run("mark", items, (marks, x), (x.size, x.offset, length, parts, extent, low % 2**64), size)


@kept
def _marking(device: Device, name: str, short: str, local: bool) -> FixedKernel:
    parameters = Parameters([*int64s("n", "x_0", "length", "parts", "extent"), ("low", "u64")])
    constants = {"MARK_LOCALLY": local, "BYTES": tuning.BYTES, "SIZE": tuning.MARK_ITEMS, "BITS": tuning.PART_BITS}
    return FixedKernel(device, name, parameters, section("distinct", name, T=short), constants)


@kept
def _ending(device: Device, short: str) -> FixedKernel:
    parameters, text = Parameters(int64s("n", "x_0", "groups")), section("distinct", "ends", T=short)
    return FixedKernel(device, "ends", parameters, text, {"SIZE": tuning.MARK_ITEMS})


@kept
def _beginning(device: Device, short: str) -> FixedKernel:
    number = f"FLOAT_{short}" if short in ("f16", "bf16") else ""
    text = section("distinct", "begin", T=short, number=number)
    return FixedKernel(device, "begin", Parameters(int64s("n", "x_0")), text)


@kept
def _collecting(device: Device, short: str) -> FixedKernel:
    text = section("groups", "sum_before", W="u32") + section("distinct", "collect", T=short)
    parameters = Parameters([*int64s("n"), ("low", "u64")])
    return FixedKernel(device, "collect", parameters, text, {"SIZE": tuning.MARK_ITEMS})


@kept
def _spreading(device: Device) -> FixedKernel:
    return FixedKernel(device, "spread", Parameters(int64s("n")), section("distinct", "spread"))
