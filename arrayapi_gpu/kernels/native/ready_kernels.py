"""The kernels that are compiled ahead of time: those that neither loops nor NumPy replace, found by running them.

A device that launches nothing runs each function once for each of its kernels, and keeps their texts. So a kernel that
is launched later has the same text.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ...backends.base import Device
from ...backends.native import NativeDevice, kept_in_registers
from ...backends.recording import ReadingDevice
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPE_OF, DTYPES, REAL_FLOATING, result_type
from ...memory.gpuarray import empty
from ...memory.layout import Layout
from ..core import tuning
from ..core.monoid import PROD, SUM
from ..maps.scatter_add import add_in_order
from ..ordering.scan import scan
from ..reductions.matmul import matmul
from ..routines import matrices

# Bytes of vectors at the levels of x86-64, on which the tiles of products depend.
_VECTOR_BYTES = {"x86-64-v4": 64, "x86-64-v3": 32, "x86-64-v2": 16}


class _Loops:
    """Loops of all names, which compute nothing."""

    def find(self, name: str) -> int:
        del name
        return 1

    def program(self, *facts: Any) -> Callable[..., None]:
        del facts
        return lambda *given: None


def texts(level: str) -> list[tuple[str, str]]:
    """Return the texts and the names of the kernels for a level of the processor's instructions."""
    width = _VECTOR_BYTES.get(level, 16)
    facts = {"vector_bytes": width, "register_bytes": kept_in_registers(width), "compute_units": 1}
    device = ReadingDevice(NativeDevice(), True, **facts, loops=_Loops())
    _scans(device)
    _products(device)
    _additions(device)
    _matrices(device)
    return list(device.texts)


def _scans(device: Device) -> None:
    """Along rows, whole and in segments, and across them."""
    long, wide = 2 * tuning.CPU_CUT.along + 1, 2 * tuning.CPU_CUT.across + 1
    for dtype in DTYPES:
        if dtype not in REAL_FLOATING | COMPLEX_FLOATING:
            continue
        for monoid in (SUM, PROD):
            for shape in ((long,), (wide, 2)):
                scan(monoid, empty(device, dtype, shape), 0, empty(device, dtype, shape))


def _products(device: Device) -> None:
    """Of integers, whose kernels are those of unsigned ones; of vectors and matrices by rows and by columns, too."""
    columns = [device.lanes * registers for registers in (1, 2, 4)]
    integers = ("u8", "u16", "u32", "u64")
    for dtype in map(DTYPE_OF.__getitem__, integers):
        for m, n in product((*tuning.FEW_ROWS, tuning.PACKED_ROWS), columns):
            matmul(empty(device, dtype, (m, 3)), empty(device, dtype, (3, n)), empty(device, dtype, (m, n)))
    for dtype in map(DTYPE_OF.__getitem__, integers):
        for m in (2, 4 * device.lanes, tuning.COLUMN_ROWS * tuning.BUSY):
            vector, out = empty(device, dtype, (3, 1)), empty(device, dtype, (m, 1))
            matmul(empty(device, dtype, (m, 3)), vector, out)
            turned = empty(device, dtype, (3, m))
            matmul(turned.through(Layout((m, 3), (1, m), 0)), vector, out)


def _additions(device: Device) -> None:
    """Of values to places, in all dtypes to which the target's is promoted and that are cast to it again."""
    places = empty(device, DTYPE_OF["i64"], (1,))
    for dtype in DTYPES:
        for wide in DTYPES:
            if dtype not in BOOLEAN and result_type(dtype, wide) == wide and np.can_cast(wide, dtype, "same_kind"):
                add_in_order(empty(device, dtype, (1,)), empty(device, wide, (1,)), places)


def _matrices(device: Device) -> None:
    """Of small matrices in stacks, of any size."""
    for kernel in matrices.MATRIX_KERNELS:
        for short in ("f32", "f64", "c64", "c128"):
            matrices.laned(device, kernel, DTYPE_OF[short])
