"""The matrix product: by the device's library where it has one (`backends.base.Library`), otherwise by these kernels.

An element of the product is a chain of multiply-adds, fused where they are floating, in the order of the summed index.
Where there are too few elements to keep a device busy, it is the sum of several such chains. The choice depends on the
shapes alone, so bits do not depend on strides.

With explicit vectors a work-item takes a panel of columns, a few registers wide, and a block of rows. A tile of a few
rows of the panel stays in registers while the summed index runs through a stretch that leaves the panel of b in the
cache; b is copied panel by panel beforehand where enough rows use it. A single column is multiplied with lanes along
the summed index, except for very wide matrices, which are assumed to lie by columns: there it is the row, times the
transpose. Without vectors, `tiles` has the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import INT32_MAX, Buffer, Device, Library, Operand, Product
from ...backends.events import Report, listeners
from ...config import config, unusual
from ...memory.dtypes import COMPUTES_IN, DTYPE_OF, INTEGRAL, SHORT
from ...memory.gpuarray import GpuArray, Signature, Storage, empty, signature_of
from ...memory.layout import Layout, Shape, Strides, broadcast, collapse_ordered, is_c_contiguous, size, turned
from ..core import tuning
from ..core.store import cached, kept
from ..core.texts import section
from ..core.traffic import traffic_of
from ..maps.copy import assign, contiguous, zeros
from .epilogues import Following
from .fragments import by_fragments, has_fragments
from .pieces import (
    ProductKernel,
    ProductLaunch,
    Stack,
    add_pieces,
    cut,
    extents,
    launched,
    short_of,
    stack_of,
    sums_in,
    target_of,
    turned_array,
)
from .tiles import by_tiles, by_vector, division, sums_of


class Panels(NamedTuple):
    """The facts that a kernel is compiled for: a dtype, held rows and registers, and whether b is packed."""

    short: str
    rows: int = 1
    registers: int = 1
    packed: bool = False


class LibraryLaunch:
    """A product of the device's library as a `BoundLaunch`. ``copies``: for each operand, how it is copied before the
    product, or None."""

    __slots__ = ("_copies", "_product", "_report")

    def __init__(self, product: Product, report: Report, copies: Sequence[_Copy | None]):
        self._product, self._report = product, report
        self._copies = copies if any(copies) else ()

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        for number, copy in enumerate(self._copies, 1):
            if copy is not None:
                fresh = copy.of(buffers[number], copy.layout.offset if offsets is None else offsets[number])
                buffers = [*buffers[:number], fresh.storage.buffer, *buffers[number + 1 :]]
                offsets = None if offsets is None else [*offsets[:number], 0, *offsets[number + 1 :]]
        started = self._report.start() if listeners or (unusual and config.debug > 1) else None
        self._product(buffers, offsets)
        if started is not None:
            self._report.note(started)


class _Copy(NamedTuple):
    """How an operand is copied: its layout, and the signature of the copy."""

    layout: Layout
    signature: Signature

    def of(self, buffer: Buffer, offset: int) -> GpuArray:
        """Return the copy of the operand in a buffer."""
        fresh, (shape, strides, _) = self.signature.empty(), self.layout
        assign(fresh, GpuArray(Storage(self.signature.device, buffer), fresh.dtype, shape, strides, offset))
        return fresh


def matmul(a: GpuArray, b: GpuArray, out: GpuArray) -> LibraryLaunch | ProductLaunch | None:
    """Write ``a @ b`` into ``out``. Return the launch, if it may run again.

    Shapes (..., m, k), (..., k, n) and (..., m, n) with the same batch shape; one numeric dtype;
    ``out`` is C-contiguous, the others may be any views. Integers wrap; floats of 16 bits are
    summed in float32 and rounded once; an empty sum is zero.
    """
    if not out.size:
        return None
    if not a.shape[-1]:
        zero = zeros(out.storage.device, out.dtype, ())
        assign(out, zero.view(broadcast(zero.layout, out.shape)))
        return None
    device, (m, n) = out.storage.device, out.shape[-2:]
    library = _library_for(device, out.dtype, size(out.shape[:-2]), m, n, a.shape[-1])
    if library is not None:
        return _by_library(library, a, b, out)
    if device.is_gpu:
        return _by_gpu(a, b, out)
    dtype = COMPUTES_IN[out.dtype]
    if dtype != out.dtype:
        wide = empty(out.storage.device, dtype, out.shape)
        matmul(contiguous(a, dtype), contiguous(b, dtype), wide)
        assign(out, wide)
    elif 1 in out.shape[-2:]:
        return _by_column(a, b, out)
    else:
        _by_panels(a, b, out)
    return None


def takes_epilogue(device: Device, dtype: np.dtype[Any], matrices: int, m: int, n: int, k: int) -> bool:
    """Return whether the launch of a product may have an epilogue: a kernel of a GPU computes it, in one piece."""
    if not device.is_gpu or not min(matrices, m, n, k) or _library_for(device, dtype, matrices, m, n, k) is not None:
        return False
    itemsize = DTYPE_OF[sums_in(dtype)].itemsize
    if 1 in (m, n):
        return sums_of(max(m, n), k, matrices, itemsize)[-1] == k
    if has_fragments(device, dtype, matrices, m, n, k):  # their registers are full: float16 took an H200 twice the time
        return False
    return division(m, n, k, matrices, itemsize).length == k


def matmul_then(a: GpuArray, b: GpuArray, out: GpuArray, then: Following) -> ProductLaunch | None:
    """Write what follows ``a @ b`` into ``out``, in one launch. Return it, if it may run again.

    As `matmul`, where `takes_epilogue` is true; ``out`` has the dtype of the epilogue's result.
    """
    return _by_gpu(a, b, out, then)


def _by_gpu(a: GpuArray, b: GpuArray, out: GpuArray, then: Following | None = None) -> ProductLaunch | None:
    (m, n), k, device = out.shape[-2:], a.shape[-1], out.storage.device
    if 1 in (m, n):
        return by_vector(a, b, out, then)
    if has_fragments(device, a.dtype, size(out.shape[:-2]), m, n, k):
        return by_fragments(a, b, out)
    return by_tiles(a, b, out, then)


def _library_for(device: Device, dtype: np.dtype[Any], matrices: int, m: int, n: int, k: int) -> Library | None:
    """The device's library, if it multiplies matrices of this dtype and size."""
    library, sizes = device.library, (matrices, m, n, k)
    if library is None or max(sizes) > INT32_MAX or not library.is_fast(dtype, *sizes):
        return None
    return library if SHORT[dtype] in library.products else None  # which loads it


def _by_library(library: Library, a: GpuArray, b: GpuArray, out: GpuArray) -> LibraryLaunch | None:
    device, (m, n) = out.storage.device, out.shape[-2:]
    target = Operand(out.storage.buffer, out.offset, out.dtype, (size(out.shape[:-2]), m, n), (m * n, n, 1))
    (first, first_copy), (second, second_copy) = _placed(a), _placed(b)
    report = Report("matmul", device, a.size + b.size, traffic_of([out], [a, b]), library.names["matmul"])
    started = report.start()
    product = library.multiply(first, second, target)
    if started is not None:
        report.note(started)
    return LibraryLaunch(product, report, (first_copy, second_copy))


def _lies_by_columns(shape: Shape) -> bool:
    """Whether matrices are so wide that they are assumed to lie by columns, whatever their strides, because most often
    such a matrix is the transpose of one whose rows are samples."""
    return 1 < shape[-2] <= shape[-1] // tuning.WIDE


def _placed(array: GpuArray) -> tuple[Operand, _Copy | None]:
    """A stack of matrices as a library takes it, copied to fresh memory if necessary, so the bits of the product depend
    neither on strides nor on addresses; and how it was copied."""
    layout, lies, shape, strides = _place(array.shape, array.strides)
    copy = None
    if not lies or array.offset * array.dtype.itemsize % 16:
        device, layout = array.storage.device, layout._replace(offset=array.offset)
        copy = _Copy(layout, signature_of(device, array.dtype, layout.shape))
        array = copy.of(array.storage.buffer, array.offset)
    return Operand(array.storage.buffer, array.offset, array.dtype, shape, strides), copy


@cached
def _place(shape: Shape, strides: Strides) -> tuple[Layout, bool, Shape, Strides]:
    """The layout with matrices one after the other by rows, whether this is their layout, and the shape and the strides
    of such a stack. Matrices that lie by columns are turned; the same matrix everywhere is one, of stride 0."""
    layout = Layout(shape, strides, 0)
    by_columns = _lies_by_columns(shape)
    if by_columns:
        layout = turned(layout)
    matrices, (rows, columns) = size(shape[:-2]), layout.shape[-2:]
    lengths, (steps,) = collapse_ordered(shape[:-2], (strides[:-2],))
    same = matrices == 1 or (len(lengths) == 1 and steps[0] == 0)
    if same:
        layout = Layout((rows, columns), layout.strides[-2:], 0)
    stack = Layout((matrices, rows, columns), (0 if same else rows * columns, columns, 1), 0)
    if by_columns:
        stack = turned(stack)
    return layout, is_c_contiguous(layout.shape, layout.strides), stack.shape, stack.strides


def _by_panels(a: GpuArray, b: GpuArray, out: GpuArray) -> None:
    device = out.storage.device
    (m, k), n, matrices = a.shape[-2:], b.shape[-1], size(out.shape[:-2])
    rows = next((rows for rows in tuning.FEW_ROWS if m <= rows), tuning.HELD_ROWS)
    most = _room(out) // (rows * device.lanes)
    registers = next(r for r in (1, 2, 4) if r * device.lanes >= n or 2 * r > min(most, 4))
    width = registers * device.lanes
    panels = -(-n // width)
    tile = Panels(short_of(out), rows, registers, m >= tuning.PACKED_ROWS)
    # The few rows of a wide matrix are read as they lie, by columns, too.
    x, y, step = stack_of(a, inner=m > tuning.BLOCK_ROWS), stack_of(b, inner=not tile.packed), width
    if tile.packed:
        copies = matrices if y.stack else 1
        packed = empty(device, out.dtype, (copies, panels, k, width))
        parts = copies * panels * -(-k // tuning.STRETCH)
        _run(tile, "pack", parts, 1, packed, x, y, {"n": n, "k": k, "panels": panels})
        step = k * width
        y = Stack(packed, panels * step if y.stack else 0, width, 1)
    items = -(-m // tuning.BLOCK_ROWS) * panels * matrices
    length = k if items >= tuning.BUSY else 8 * tuning.STRETCH
    if not tile.packed:
        length = 2 * tuning.STRETCH  # pages of b that neighbouring panels read stay in the cache
    numbers, target = _in_pieces(x, out, length)
    _run(tile, "panels", items * numbers["pieces"], 1, target, x, y, numbers | {"panels": panels, "b_panel": step})
    add_pieces(target, out)


def _room(out: GpuArray) -> int:
    """The elements that stay in the processor's registers, which are 32 of 64 bytes or 16 narrower ones."""
    device = out.storage.device
    return (24 if device.vector_bytes >= 64 else 12) * device.vector_bytes // out.dtype.itemsize


def _by_column(a: GpuArray, b: GpuArray, out: GpuArray) -> ProductLaunch | None:
    """Multiply a matrix by a column, or a row by a matrix. Return the launch, if it may run again. Whether rows or
    columns of the matrix are contiguous, the sums are the same."""
    swapped = out.shape[-1] != 1
    matrix, vector, result = (turned_array(b), turned_array(a), turned_array(out)) if swapped else (a, b, out)
    m, device = result.shape[-2], out.storage.device
    across = matrix.strides[-2] == 1 and matrix.strides[-1] > 1
    x, y = stack_of(matrix, inner=not across), stack_of(vector)
    length = matrix.shape[-1] if out.size >= tuning.BUSY else 64 * tuning.STRETCH
    if x.down == 1 and x.right > 1:
        held = next(held for held in (16, 8, 4, 2, 1) if held * device.lanes <= max(_room(out), device.lanes))
        widest = m // (device.lanes * tuning.COLUMN_PANELS * device.compute_units)  # the more neighbours the better
        registers = held if widest >= held else min(held, 4) if m >= 4 * device.lanes else 1
        name, tile, group = "column_across", Panels(short_of(out), held, registers), 1
        parts = -(-m // (registers * device.lanes))
    else:
        y = y if y.down == 1 else stack_of(contiguous(vector))
        rows = tuning.COLUMN_ROWS if m >= tuning.COLUMN_ROWS * tuning.BUSY else 1
        name, tile, group = "column", Panels(short_of(out), rows), tuning.COLUMN_GROUP
        parts = -(-m // rows)
    numbers, target = _in_pieces(x, result, length)
    items = parts * numbers["matrices"] * numbers["pieces"]
    launch = _compiled(device, tile, name).bound(items, group, target, x, y, numbers | {"panels": parts})
    return launched((a, b, out), launch, (target, x, y), swapped=swapped)


def _in_pieces(x: Stack, out: GpuArray, length: int) -> tuple[dict[str, int], GpuArray]:
    """Return the numbers of a kernel that multiplies each piece of ``length`` of the summed index separately, and where
    it writes the products, which are to be added."""
    numbers = extents(x, out)
    if out.storage.device.loops is not None and out.dtype in INTEGRAL:
        length = numbers["k"]  # their order does not matter
    numbers |= cut(numbers["k"], length)
    return numbers, target_of(out, numbers["pieces"])


_NUMBERS = ("matrices", "m", "n", "k", "pieces", "length", "panels", "b_panel")


def _run(
    tile: Panels, name: str, items: int, group: int, out: GpuArray, x: Stack, y: Stack,
    numbers: dict[str, int],
) -> None:  # fmt: skip
    launch = _compiled(out.storage.device, tile, name).bound(items, group, out, x, y, numbers)
    launch.run([array.storage.buffer for array in (out, x.array, y.array)], ())


@kept
def _compiled(device: Device, tile: Panels, name: str) -> ProductKernel:
    constants = {
        "ROWS": tile.rows,
        "REGISTERS": tile.registers,
        "PACKED": tile.packed,
        "BLOCK": tuning.BLOCK_ROWS,
        "STRETCH": tuning.STRETCH,
    }
    parts = (f"arithmetic_{tile.short[0]}", "words", name)
    text = "".join(section("matmul", part, T=tile.short) for part in parts)
    return ProductKernel(device, name, _NUMBERS, text, constants)
