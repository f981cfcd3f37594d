"""The compaction kernels: where a mask is true, and the elements that lie there.

The mask is cut into segments. One launch counts the true elements of each; from the running counts
the host learns how large the result is, and in a last launch each segment writes its own part.

With explicit vectors a work-item takes a segment. Without, 32 of them count in one, and a group of
them writes: each finds the places of a few elements among the others, and what was found is written
side by side.
"""

from __future__ import annotations

from string import Template
from typing import Any

import numpy as np

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from .copy import contiguous
from .dialect import Parameters, arguments
from .launch import compiled, launch
from .monoid import SUM
from .scan import scan
from .store import kept
from .texts import section

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]

# (elements a segment, work-items a group): for explicit vectors, and without.
VECTORS, SCALARS = (16384, 1), (4096, 256)
WARP = 32

_COUNT_VECTORS = """
KERNEL void count($arguments) {
    S_i64 first = GID * $segment, end = first + $segment < p.n ? first + $segment : p.n;
    R_i64 total = C_i64(0);
    while (first < end) {
        S_i64 i = first;
        first = first + 240 * LANES < end ? first + 240 * LANES : end; // so that no lane overflows
        R_u8 few = C_u8(0);
        for (; i + LANES <= first; i += LANES) few += LOAD_u8(mask, p.mask_0 + i);
        if (i < first) few += LOADN_u8(mask, p.mask_0 + i, 1, (int)(first - i));
        total += TO_i64(few);
    }
    total += ROTATE(total, 8);
    total += ROTATE(total, 4);
    total += ROTATE(total, 2);
    total += ROTATE(total, 1);
    STOREN_i64(counts, GID, 1, 1, total);
}
"""

# While the segment's part has 16 free places, each element is written where the next true one
# belongs, whether it is true or not: no branch depends on the mask.
_PLACE_VECTORS = """
KERNEL void place($arguments) {
    S_i64 first = GID * $segment, end = first + $segment < p.n ? first + $segment : p.n;
    S_i64 at = GID ? ends[GID - 1] : 0, stop = ends[GID], i = first;
    mask += p.mask_0;
    $source
    for (; i + LANES <= end; i += LANES) {
        if (!ANY(LOAD_b8(mask, i))) continue;
        if (at + LANES <= stop)
            for (int k = 0; k < LANES; k++) {
                out[at] = $value(i + k);
                at += mask[i + k];
            }
        else
            for (int k = 0; k < LANES; k++)
                if (mask[i + k]) out[at++] = $value(i + k);
    }
    for (; i < end; i++)
        if (mask[i]) out[at++] = $value(i);
}
"""

# A warp counts in a segment: eight bytes, each 0 or 1, are added at a time.
_COUNT_SCALARS = """
KERNEL void count($arguments) {
    LOCAL M_u32 sums[SIZE];
    S_i64 first = GID / 32 * $segment;
    mask += p.mask_0 + first;
    M_u32 sum = 0;
    if (WHOLE && first + $segment <= p.n) {
        M_u64 bytes = 0;
        UNROLL for (int k = 0; k < $segment / 512; k++) {
            R_u64 v[2];
            LOADV_u64((const GLOBAL M_u64*)mask, (k * 32 + LID % 32) * 2, v);
            bytes += v[0] + v[1];
        }
        sum = (M_u32)(bytes * 0x0101010101010101UL >> 56);
    } else {
        for (S_i64 i = LID % 32; i < $segment && first + i < p.n; i += 32) sum += mask[i];
    }
    sums[LID] = sum;
    WARP_BARRIER;
    for (int rest = 16; rest; rest /= 2) {
        if (LID % 32 < rest) sums[LID] += sums[LID + rest];
        WARP_BARRIER;
    }
    if (LID % 32 == 0 && first < p.n) counts[GID / 32] = sums[LID];
}
"""

# A group takes a segment, a work-item OWN neighbours of it.
_PLACE_SCALARS = """
KERNEL void place($arguments) {
    LOCAL M_u32 sums[SIZE];
    LOCAL M_u16 found[$segment];
    S_i64 first = GROUP * $segment, start = GROUP ? ends[GROUP - 1] : 0;
    int total = (int)(ends[GROUP] - start), own = LID * OWN;
    mask += p.mask_0 + first;
    $source
    union { R_u64 words[OWN / 8]; M_u8 bytes[OWN]; } is;
    if (WHOLE && first + $segment <= p.n) LOADV_u64((const GLOBAL M_u64*)mask, LID * 2, is.words);
    else
        UNROLL for (int k = 0; k < OWN; k++) is.bytes[k] = first + own + k < p.n ? mask[own + k] : 0;
    M_u32 sum = 0;
    UNROLL for (int k = 0; k < OWN; k++) sum += is.bytes[k];
    M_u32 at = sum_before(sums, sum);
    UNROLL for (int k = 0; k < OWN; k++) {
        if (is.bytes[k]) found[at] = own + k;
        at += is.bytes[k];
    }
    BARRIER;
    for (int k = LID; k < total; k += SIZE) out[start + k] = $value(first + found[k]);
}
"""


@kept
def _counting(device: Device, whole: bool) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for name in ("n", "mask_0"):
        parameters.add(name, "i64")
    text = _COUNT_SCALARS if device.is_gpu else _COUNT_VECTORS
    pointers = arguments([("i64", "counts"), ("u8", "mask")])
    text = Template(text).substitute(arguments=pointers, segment=_plan(device)[0])
    return compiled(device, f"{parameters.text()}\n{_words(device, whole)}{text}", "count"), parameters


@kept
def _placing(device: Device, short: str, positions: bool, whole: bool) -> tuple[Kernel, Parameters]:
    """The kernel that writes the elements of a source, or positions, as such numbers, counted from `first`."""
    parameters = Parameters()
    names = [("i64", "ends"), ("u8", "mask")]
    for name in ("n", "mask_0"):
        parameters.add(name, "i64")
    if positions:
        parameters.add("first", "u64")
    else:
        parameters.add("source_0", "i64")
        names.append((short, "source"))
    text = _PLACE_SCALARS if device.is_gpu else _PLACE_VECTORS
    text = Template(text).substitute(
        arguments=arguments([(short, "out"), *names]),
        source="" if positions else "source += p.source_0;",
        value="VALUE",
        segment=_plan(device)[0],
    )
    value = "#define VALUE(i) " + (f"(M_{short})(p.first + (M_u64)(i))" if positions else "source[i]")
    return compiled(device, f"{value}\n{parameters.text()}\n{_words(device, whole)}{text}", "place"), parameters


def _words(device: Device, whole: bool) -> str:
    """What groups share; ``whole``: masks begin at multiples of what a work-item reads of them."""
    if not device.is_gpu:
        return ""
    segment, group = _plan(device)
    words = f"#define SIZE {group}\n#define OWN {segment // group}\n#define WHOLE {int(whole)}\nVECTORS(u64, 2, W_16)\n"
    return words + section("groups", "sum_before", W="u32")


def _whole(mask: GpuArray) -> bool:
    return mask.storage.device.is_gpu and mask.storage.buffer.aligned and mask.offset % 16 == 0


def _plan(device: Device) -> tuple[int, int]:
    return SCALARS if device.is_gpu else VECTORS


def _ends(mask: GpuArray) -> tuple[GpuArray, int]:
    """How many elements of a contiguous mask are true up to the end of each segment, and in all."""
    device = mask.storage.device
    segment, group = _plan(device)
    counts = empty(device, INT64, (-(-mask.size // segment),))
    kernel, parameters = _counting(device, _whole(mask))
    packed = parameters.pack((mask.size, mask.offset))
    buffers = (counts.storage.buffer, mask.storage.buffer)
    launch(device, kernel, "count", counts.size * min(group, WARP), buffers, packed, group)
    ends = counts
    if counts.size > 1:
        ends = empty(device, INT64, counts.shape)
        scan(SUM, counts, 0, ends)
    last = GpuArray(ends.storage, INT64, (), (), ends.size - 1)
    return ends, int(last.download())


def nonzero(mask: GpuArray, first: int = 0, dtype: np.dtype[Any] = INT64) -> GpuArray:
    """The positions, in C order, of the true elements of a boolean array of any shape: numbers of an integer dtype or
    boolean that begin with ``first`` at the first element, and wrap."""
    return _select(mask, None, dtype, first % 2**64)


def compress(mask: GpuArray, source: GpuArray) -> GpuArray:
    """The elements of ``source`` where ``mask``, boolean and of the same shape, is true: one
    dimension, in C order."""
    source = contiguous(source)
    return _select(mask, source, source.dtype, source.offset)


def _select(mask: GpuArray, source: GpuArray | None, dtype: np.dtype[Any], first: int) -> GpuArray:
    """``first``: of the positions, or of the elements in the source's memory."""
    device = mask.storage.device
    if not mask.size:
        return empty(device, dtype, (0,))
    mask = contiguous(mask)
    ends, total = _ends(mask)
    out = empty(device, dtype, (total,))
    if out.size:
        buffers = [out, ends, mask, *([] if source is None else [source])]
        kernel, parameters = _placing(device, SHORT[dtype], source is None, _whole(mask))
        launch(
            device,
            kernel,
            "compress",
            ends.size * _plan(device)[1],
            [array.storage.buffer for array in buffers],
            parameters.pack([mask.size, mask.offset, first]),
            _plan(device)[1],
        )
    return out
