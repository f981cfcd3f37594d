"""The kernels of unique integers: which numbers of a range occur in an array.

Each element marks its number, so the range must not be much longer than the array. With explicit vectors a mark is a
byte, which many may write at once. On GPUs it is a bit: bytes that lie here and there are written slowly, and bits of
eight times as many numbers lie in the cache.

Many elements may have few values, and what many mark again and again is slow. So where the range is short, groups mark
in memory of their own first; on GPUs one that is longer is cut into parts, and each group marks one. And groups of a
GPU keep in mind what they have marked of late.
"""

from __future__ import annotations

from string import Template

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from .copy import contiguous, zeros
from .dialect import Parameters
from .launch import compiled, launch
from .store import kept
from .texts import defines

BOOL, UINT32 = DTYPE_OF["b8"], DTYPE_OF["u32"]

SPREAD = 4  # times as long as the array may the range be: measured, beyond it sorting the elements is sooner done
ALWAYS_EXTENT = 1 << 12  # and so long it may always be

# Explicit vectors
SEGMENT = 1 << 16  # elements of a work-item
BYTES = 1 << 15  # numbers of a short range

# Without
MARK_ITEMS = 512  # work-items of a group
LENGTH = 1 << 15  # elements of a group, at least
MAX_GROUPS = 1 << 9  # groups, at most
PART_BITS = 1 << 18  # numbers of a part
PARTS = 8  # of a short range, at most

_BYTES = """
KERNEL void mark(GLOBAL M_u8* marks, GLOBAL M_$T* x, const Parameters p) {
    S_i64 first = GID * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    x += p.x_0;
#if NEAR
    M_u8 own[BYTES];
    for (int j = 0; j < p.extent; j++) own[j] = 0;
#else
    GLOBAL M_u8* own = marks;
#endif
    for (S_i64 i = first; i < last; i++) own[(M_u64)x[i] - p.low] = 1;
#if NEAR
    for (int j = 0; j < p.extent; j++)
        if (own[j]) marks[j] = 1;
#endif
}
"""

# Groups that take the same elements, each for another part of the range, lie side by side, and share the cache.
_BITS = """
#define HASH 10 // bits
#define AHEAD 8 // elements that a work-item reads before it marks them

KERNEL void mark(GLOBAL M_u32* words, GLOBAL M_$T* x, const Parameters p) {
    LOCAL M_u32 seen[1 << HASH]; // of the numbers with a hash that which came last
    LOCAL M_u32 own[NEAR ? BITS / 32 : 1];
    S_i64 first = GROUP / p.parts * p.length, last = first + p.length < p.n ? first + p.length : p.n;
    M_u32 part = (M_u32)(GROUP % p.parts) * BITS;
    x += p.x_0, words += part / 32;
    for (int j = LID; j < 1 << HASH; j += SIZE) seen[j] = ~0U;
    if (NEAR)
        for (int j = LID; j < BITS / 32; j += SIZE) own[j] = 0;
    BARRIER;
    for (S_i64 i = first + LID; i < last; i += AHEAD * SIZE) {
        M_$T v[AHEAD];
        UNROLL for (int k = 0; k < AHEAD; k++) v[k] = i + k * SIZE < last ? x[i + k * SIZE] : 0;
        UNROLL for (int k = 0; k < AHEAD; k++) {
            M_u32 number = (M_u32)((M_u64)v[k] - p.low) - part;
            if (i + k * SIZE >= last || (NEAR && number >= BITS)) continue;
            if (ATOMIC_XCHG(seen + (number * 0x9E3779B1U >> 32 - HASH), number) == number) continue;
            if (NEAR) ATOMIC_OR(own + number / 32, 1U << number % 32);
            else ATOMIC_OR(words + number / 32, 1U << number % 32);
        }
    }
    if (!NEAR) return;
    BARRIER;
    for (int j = LID; j < BITS / 32; j += SIZE)
        if (own[j]) ATOMIC_OR(words + j, own[j]);
}
"""

# A work-item spreads four bits.
_SPREAD = """
KERNEL void spread(GLOBAL M_u32* marks, GLOBAL M_u32* words, const Parameters p) {
    if (GID < p.n) marks[GID] = (words[GID / 8] >> GID % 8 * 4 & 15) * 0x00204081 & 0x01010101;
}
"""


def pays(n: int, extent: int) -> bool:
    """Whether to mark ``n`` elements in a range of ``extent`` numbers takes less time than to sort them."""
    return extent <= ALWAYS_EXTENT or (extent <= SPREAD * n and extent < 2**31)


def marked(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Which of the integers ``low``, ``low`` + 1, ... of a range of ``extent`` occur: a boolean array of that length.

    All elements of ``x``, integers or booleans, are in the range, of which `pays` is true.
    """
    device, x = x.storage.device, contiguous(x)
    if not device.is_gpu:
        marks = zeros(device, BOOL, (extent,))
        _mark(_BYTES, marks, x, low, extent, near=extent <= BYTES, length=SEGMENT, parts=1, size=1)
        return marks
    near = extent <= PARTS * PART_BITS
    parts = -(-extent // PART_BITS) if near else 1
    words = zeros(device, UINT32, (parts * PART_BITS // 32 if near else -(-extent // 32),))
    length = max(LENGTH, -(-x.size * parts // MAX_GROUPS))
    _mark(_BITS, words, x, low, extent, near=near, length=length, parts=parts, size=MARK_ITEMS)
    kernel, parameters = _spreading(device)
    fours = -(-extent // 4)
    marks = empty(device, BOOL, (4 * fours,))
    buffers = (marks.storage.buffer, words.storage.buffer)
    launch(device, kernel, "spread", fours, buffers, parameters.pack((fours,)))
    return GpuArray(marks.storage, BOOL, (extent,), (1,), 0)


def _mark(
    text: str, marks: GpuArray, x: GpuArray, low: int, extent: int, *, near: bool, length: int, parts: int, size: int
) -> None:
    kernel, parameters = _marking(x.storage.device, text, SHORT[x.dtype], near)
    packed = parameters.pack((x.size, x.offset, length, parts, extent, low % 2**64))
    items = -(-x.size // length) * parts * size
    launch(x.storage.device, kernel, "mark", items, (marks.storage.buffer, x.storage.buffer), packed, size)


@kept
def _marking(device: Device, text: str, short: str, near: bool) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for name in ("n", "x_0", "length", "parts", "extent"):
        parameters.add(name, "i64")
    parameters.add("low", "u64")
    constants = {"NEAR": int(near), "BYTES": BYTES, "SIZE": MARK_ITEMS, "BITS": PART_BITS}
    text = defines(constants) + parameters.text() + Template(text).substitute(T=short)
    return compiled(device, text, "mark"), parameters


@kept
def _spreading(device: Device) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    parameters.add("n", "i64")
    return compiled(device, parameters.text() + _SPREAD, "spread"), parameters
