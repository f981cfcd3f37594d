"""`apply`: one kernel that loads, calls functions of the device library, and stores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from arrayapi_gpu.backends.base import Device, Kernel
from arrayapi_gpu.kernels.core.library import library
from arrayapi_gpu.memory.dtypes import DTYPE_OF, SHORT

HostArray = np.ndarray[Any, Any]

GROUP = 16  # work-items; drivers compile again for another number


@cache
def _kernel(device: Device, functions: tuple[str, ...], operands: tuple[str, ...], results: tuple[str, ...]) -> Kernel:
    outs = [f"GLOBAL M_{t} *r{n}" for n, t in enumerate(results)]
    ins = [f"const GLOBAL M_{t} *a{n}" for n, t in enumerate(operands)]
    loads = "".join(f"R_{t} x{n} = LOAD_{t}(a{n}, i); " for n, t in enumerate(operands))
    names = ", ".join(f"x{n}" for n in range(len(operands)))
    calls = zip(functions, results, strict=True)
    stores = "".join(f"STORE_{t}(r{n}, i, {f}({names})); " for n, (f, t) in enumerate(calls))
    text = f"KERNEL void apply({', '.join(ins + outs)}) {{ long i = GID * LANES; {loads}{stores}}}\n"
    return device.compile(library(functions) + text, "apply")


def apply_all(
    device: Device, functions: Sequence[str], results: Sequence[str], *operands: HostArray
) -> list[HostArray]:
    """Several functions of the same equally long arrays; ``results`` are short dtype names."""
    count = operands[0].size
    padding = -count % (device.lanes * GROUP)
    padded = [np.concatenate([a, np.ones(padding, a.dtype)]) for a in operands]
    out = [np.empty(count + padding, DTYPE_OF[t]) for t in results]
    buffers = [device.alloc(a.nbytes) for a in padded + out]
    for buffer, a in zip(buffers, padded, strict=False):
        device.upload(buffer, 0, a)
    shorts = tuple(SHORT[a.dtype] for a in operands)
    kernel = _kernel(device, tuple(functions), shorts, tuple(results))
    groups = (count + padding) // (device.lanes * GROUP)
    device.launch(kernel, groups, GROUP, buffers, b"")
    for buffer, a in zip(buffers[len(padded) :], out, strict=True):
        device.download(buffer, 0, a)
    return [a[:count] for a in out]


def apply(device: Device, function: str, result: str, *operands: HostArray) -> HostArray:
    """One function of equally long arrays; ``result`` is a short dtype name."""
    return apply_all(device, [function], [result], *operands)[0]
