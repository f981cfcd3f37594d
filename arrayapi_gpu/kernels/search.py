"""The search kernel: where values belong in a sorted array.

Each lane bisects for a value of its own; all take the same number of steps.
"""

from __future__ import annotations

from string import Template
from typing import Literal

import numpy as np

from ..backends.base import Device, Kernel
from ..memory.dtypes import BOOLEAN, DTYPE_OF, REAL_FLOATING, SHORT
from ..memory.gpuarray import GpuArray, empty, upload
from .copy import contiguous
from .dialect import Parameters, arguments
from .launch import compiled, launch
from .store import kept

INT64 = DTYPE_OF["i64"]

# `below` elements are known to lie before the value; where the element `step` further does too, so
# do all up to it. `step` runs through the powers of two from the largest that fits.
_TEXT = """
KERNEL void searchsorted($arguments) {
    S_i64 i = GID * LANES;
    if (i >= p.count) return;
    int n = p.count - i < LANES ? (int)(p.count - i) : LANES;
    R_$T v = LOADN_$T(values, p.values_0 + i, 1, n);
    R_i64 below = C_i64(0), last = SPLAT_i64(p.length - 1);
    for (S_i64 step = p.step; step; step /= 2) {
        R_i64 next = below + SPLAT_i64(step), place = next - C_i64(1);
        R_b8 inside = LE(place, last);
        place = WHERE_i64(inside, place, last);
        $look
        R_$T x = LOADG_$T(sorted, SPLAT_i64(p.sorted_0) + place * SPLAT_i64(p.stride));
        below = WHERE_i64(inside & ($before), next, below);
    }
    STOREN_i64(out, i, 1, n, below);
}
"""

# A place that a sorter gives is kept inside the array.
_LOOK = """place = LOADG_i64(sorter, SPLAT_i64(p.sorter_0) + place);
        place = WHERE_i64(GT(place, last), last, place);
        place = WHERE_i64(LT(place, C_i64(0)), C_i64(0), place);"""


@kept
def _searching(device: Device, short: str, side: str, by_sorter: bool) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for name in ("count", "length", "step", "stride", "values_0", "sorted_0"):
        parameters.add(name, "i64")
    pointers = [("i64", "out"), (short, "values"), (short, "sorted")]
    if by_sorter:
        parameters.add("sorter_0", "i64")
        pointers.append(("i64", "sorter"))
    less, greater = f"less_{short}(x, v)", f"less_{short}(v, x)"
    if DTYPE_OF[short] in REAL_FLOATING:  # NaN comes last
        less += f" | (isnan_{short}(v) & ~isnan_{short}(x))"
        greater += f" | (isnan_{short}(x) & ~isnan_{short}(v))"
    text = Template(_TEXT).substitute(
        arguments=arguments(pointers),
        T=short,
        look=_LOOK if by_sorter else "",
        before=less if side == "left" else f"~({greater})",
    )
    return compiled(device, parameters.text() + text, "searchsorted"), parameters


def searchsorted(
    sorted1d: GpuArray,
    values: GpuArray,
    side: Literal["left", "right"],
    sorter: GpuArray | None = None,
) -> GpuArray:
    """int64 places in ``sorted1d``, of shape (n,), before which the values belong: before
    ("left") or after ("right") all equal elements.

    Both arrays have the same dtype, real or boolean. NaN belongs after all other values. Where
    there is a ``sorter``, of shape (n,) and any integer dtype, ``sorted1d[sorter]`` is searched.
    """
    device = values.storage.device
    length = sorted1d.size
    if not length:
        return upload(device, np.zeros(values.shape, np.int64))
    out = empty(device, INT64, values.shape)
    values = contiguous(values)
    buffers = [out, values, sorted1d]
    step = 1 << length.bit_length() - 1
    numbers = [values.size, length, step, sorted1d.strides[0], values.offset, sorted1d.offset]
    if sorter is not None:
        sorter = contiguous(sorter, INT64)
        buffers.append(sorter)
        numbers.append(sorter.offset)
    short = "u8" if values.dtype in BOOLEAN else SHORT[values.dtype]  # false and true compare as 0 and 1
    kernel, parameters = _searching(device, short, side, sorter is not None)
    items = -(-values.size // device.lanes)
    handles = [array.storage.buffer for array in buffers]
    launch(device, kernel, "searchsorted", items, handles, parameters.pack(numbers))
    return out
