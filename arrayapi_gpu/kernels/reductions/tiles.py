"""Products of matrices and vectors without explicit vectors: on GPUs.

A group of work-items copies slabs of both matrices to local memory, and each work-item holds a block of the product.
The group computes one tile of a large product, or one tile of each of several: of small matrices in a stack, or of
pieces of a long summed index. The tile is the one of the lowest `_cost` for the shapes.

A product with a vector is read once, at memory's speed, by rows or by columns, whichever are contiguous. The elements
of 16 bits and less are widened while they are copied, and sums are rounded once.

The order of a sum depends on the shapes alone, so bits do not depend on strides.
"""

from __future__ import annotations

from typing import NamedTuple

from ...backends.base import Device
from ...memory.dtypes import DTYPE_OF
from ...memory.gpuarray import GpuArray
from ..core import tuning
from ..core.store import cached, kept
from ..core.texts import section
from .epilogues import Epilogue, Following
from .pieces import (
    ProductKernel,
    ProductLaunch,
    Shorts,
    Stack,
    cut,
    epilogue_of,
    extents,
    launched,
    length_of,
    short_of,
    stack_of,
    stored_as,
    sums_in,
    target_of,
    turned_array,
    words_of,
)


class Tile(NamedTuple):
    """The division of a product: elements of a work-item, work-items of a tile, tiles of a group, and the length of
    the summed index in local memory."""

    rows: int
    columns: int
    down: int
    across: int
    together: int
    depth: int

    @property
    def tall(self) -> int:
        return self.rows * self.down

    @property
    def broad(self) -> int:
        return self.columns * self.across

    @property
    def turned(self) -> bool:
        """Whether slabs always lie across the summed index in local memory, so that registers hold one place of it."""
        return self.rows * self.columns >= tuning.TILE_TURNED

    @property
    def own(self) -> int:
        """Work-items of a tile."""
        return self.down * self.across


class Access(NamedTuple):
    """How an operand is read: whether along the summed index, and neighbours of one access."""

    along: bool
    wide: int


class TiledProduct(NamedTuple):
    """A tile, and the length of the pieces of the summed index."""

    tile: Tile
    length: int


def by_tiles(a: GpuArray, b: GpuArray, out: GpuArray, then: Following | None = None) -> ProductLaunch | None:
    """Write ``a @ b``, or what follows it, into ``out``. Return the launch, if it may run again."""
    x, y, device, wide = stack_of(a), stack_of(b), out.storage.device, sums_in(a.dtype)
    numbers = extents(x, out)
    m, n, k, matrices = (numbers[name] for name in ("m", "n", "k", "matrices"))
    tile, length = division(m, n, k, matrices, DTYPE_OF[wide].itemsize)
    numbers |= cut(k, length) | {"down": -(-m // tile.tall), "across": -(-n // tile.broad)}
    target = target_of(out, numbers["pieces"])
    reads_a, reads_b = _access(x, x.down, x.right, (m, k)), _access(y, y.right, y.down, (n, k))
    shorts, (epilogue, others) = (short_of(a), wide, stored_as(target, then)), epilogue_of(then)
    stores = _stores(target, n, tile, reads_b.along and not tile.turned)
    kernel = _tiles(device, shorts, tile, reads_a, reads_b, stores, epilogue)
    tiles = matrices * numbers["pieces"]
    groups = numbers["down"] * numbers["across"] * -(-tiles // tile.together)
    group = tile.own * tile.together
    launch = kernel.bound(groups * group, group, target, x, y, numbers, others)
    return launched((a, b, out), launch, (target, x, y), then)


def by_vector(a: GpuArray, b: GpuArray, out: GpuArray, then: Following | None = None) -> ProductLaunch | None:
    """Write ``a @ b``, of a column or a row, or what follows it, into ``out``. Return the launch, if it may run
    again."""
    device, wide, swapped = out.storage.device, sums_in(a.dtype), out.shape[-1] != 1
    result = turned_array(out) if swapped else out
    x, y = (stack_of(array) for array in ((turned_array(b), turned_array(a)) if swapped else (a, b)))
    numbers = extents(x, result)
    m, k, matrices = (numbers[name] for name in ("m", "k", "matrices"))
    line, parts, unit, length = sums_of(m, k, matrices, DTYPE_OF[wide].itemsize)
    numbers |= cut(k, length)
    numbers["numbers"] = matrices * numbers["pieces"]
    target = target_of(result, numbers["pieces"])
    reads_a, reads_b = _access(x, x.down, x.right, (m, k)), _access(y, y.right, y.down, (1, k))
    items = line * parts if reads_a.along else parts  # of a row
    group = max(tuning.VECTOR_ITEMS, min(32 * parts, _covering(device.max_group + 1, 1024) // 2))
    rows, held = group // items, 1
    if reads_a.along and m >= tuning.VECTOR_ROWS * rows:
        held = tuning.VECTOR_ROWS
    numbers["down"] = -(-m // (rows * held)) * rows * held if held > 1 else m
    wides = tuple(access.wide if access.along and access.wide == unit else 1 for access in (reads_a, reads_b))
    shorts, (epilogue, others) = (short_of(a), wide, stored_as(target, then)), epilogue_of(then, swapped)
    kernel = _vectors(device, shorts, reads_a.along, (held, line, parts, unit, group), wides, epilogue)
    groups = -(-numbers["numbers"] * numbers["down"] // (rows * held))
    launch = kernel.bound(groups * group, group, target, x, y, numbers, others)
    return launched((a, b, out), launch, (target, x, y), then, swapped)


@cached
def division(m: int, n: int, k: int, matrices: int, itemsize: int) -> TiledProduct:
    """Return the division of a product whose sums have so many bytes."""
    talls, broads = _edges(m, itemsize), _edges(n, itemsize)
    found = [_division(_tile(tall, broad, k, itemsize), m, n, k, matrices) for tall in talls for broad in broads]
    return min(found, key=lambda each: _cost(each, m, n, k, matrices))


def _edges(extent: int, itemsize: int) -> list[int]:
    """The edges of tiles for an extent: powers of two, the last covers it."""
    edges, most = [1], min(extent, tuning.TILE_EDGE[itemsize])
    while edges[-1] < most:
        edges.append(2 * edges[-1])
    return edges[-4:]


def _tile(tall: int, broad: int, k: int, itemsize: int) -> Tile:
    """The tile of so many rows and columns."""
    rows, columns = next(block for least, block in tuning.TILE_BLOCKS if tall * broad >= least)
    rows = min(rows, tuning.TILE_BLOCK_BYTES // (columns * itemsize))
    if tall < broad:
        rows, columns = columns, rows
    rows, columns = min(rows, tall), min(columns, broad)
    down, across = tall // rows, broad // columns
    own, pad = down * across, max(16 // itemsize, 1)
    least = max(across // rows, down // columns, 1)  # every work-item moves a part
    depth = max(_covering(k, tuning.TILE_DEPTH), least)
    while depth > least and (
        max(tall, broad) * depth > tuning.TILE_PARTS * own
        or depth * (tall + broad + 2 * pad) * itemsize > tuning.TILE_LOCAL_BYTES
    ):
        depth //= 2
    together = max(tuning.TILE_ITEMS // own, 1)
    while together > 1 and together * depth * (tall + broad + 2 * pad) * itemsize > tuning.TILE_LOCAL_BYTES:
        together //= 2
    return Tile(rows, columns, down, across, together, depth)


def _covering(extent: int, most: int) -> int:
    """The smallest power of two that covers an extent, at most ``most``."""
    covering = 1
    while covering < min(extent, most):
        covering *= 2
    return covering


def _division(tile: Tile, m: int, n: int, k: int, matrices: int) -> TiledProduct:
    """The tile with the length of pieces. The one tile of a single matrix has a group of its own."""
    items = tile.own * matrices * -(-m // tile.tall) * -(-n // tile.broad)
    length = length_of(m, n, k, tuning.TILES_BUSY // items, max(tile.depth, 16))
    if matrices == 1 and length >= k:
        tile = tile._replace(together=1)
    return TiledProduct(tile, length)


def _cost(found: TiledProduct, m: int, n: int, k: int, matrices: int) -> float:
    """The time of a product with a tile, in a unit of its own."""
    tile, length = found
    tiles = matrices * -(-m // tile.tall) * -(-n // tile.broad)
    items = tile.own * tiles * -(-k // length)
    work = tiles * tile.tall * tile.broad * -(-k // tile.depth) * tile.depth
    moved = tuning.TILE_HELD / (tile.rows * tile.columns) + tuning.TILE_MOVED * (1 / tile.tall + 1 / tile.broad)
    busy = tile.own * min(tile.together, matrices * -(-k // length))  # work-items of a group that have work
    return work * (1 + moved) * max(tuning.TILE_WARP / busy, 1) / min(items / tuning.TILES_BUSY, 1)


@cached
def sums_of(m: int, k: int, matrices: int, itemsize: int) -> tuple[int, int, int, int]:
    """Return the sums of a row of a matrix times a vector: sums of a work-item, its parts, neighbours of the summed
    index, and the length of pieces."""
    unit = max(min(4, 16 // itemsize), 1)
    sums = _covering(-(-k // unit), tuning.VECTOR_SUMS)
    enough = max(_covering(-(-k // (unit * tuning.VECTOR_EACH)), sums), tuning.VECTOR_LINE)
    # So many rows are busy in one piece, whichever order they lie in.
    while sums > enough and m * matrices * sums > tuning.VECTORS_BUSY * tuning.VECTOR_LINE:
        sums //= 2
    line = min(sums, tuning.VECTOR_LINE)
    parts, step = sums // line, sums * unit
    pieces = max(min(tuning.VECTORS_BUSY // (m * matrices * parts), k // (4 * step)), 1)
    length = k if pieces == 1 else -(-k // (pieces * step)) * step
    return line, parts, unit, length


def _access(stack: Stack, outwards: int, inwards: int, lengths: tuple[int, int]) -> Access:
    """How an operand is read, given its strides across the summed index and along it, and the extents."""
    across, along = (0 if length == 1 else abs(step) for length, step in zip(lengths, (outwards, inwards), strict=True))
    is_along = lengths[0] == 1 or (lengths[1] > 1 and along <= across)
    near, far, extent = (inwards, across, lengths[1]) if is_along else (outwards, along, lengths[0])
    wide = _neighbours(stack.array)
    apart = far, extent, stack.stack
    whole = near == 1 and stack.array.begins_at(wide) and not any(distance % wide for distance in apart)
    return Access(is_along, wide if whole else 1)


def _neighbours(array: GpuArray) -> int:
    """The elements of one access."""
    return max(min(4, 16 // array.dtype.itemsize), 1)


def _stores(out: GpuArray, n: int, tile: Tile, b_along: bool) -> int:
    """The number of neighbours that are stored by one access."""
    wide = _neighbours(out)
    return wide if wide <= tile.columns and not b_along and n % wide == 0 and out.begins_at(wide) else 1


@kept
def _tiles(
    device: Device, shorts: Shorts, tile: Tile, a: Access, b: Access, out_wide: int, epilogue: Epilogue | None
) -> ProductKernel:
    short, wide, result = shorts
    # A slab may be shorter than one access.
    wides = [access.wide if access.wide <= (tile.depth if access.along else edge) else 1
             for access, edge in ((a, tile.tall), (b, tile.broad))]  # fmt: skip
    constants = {name.upper(): number for name, number in tile._asdict().items()} | {
        "STEP": min(tile.depth, 4),
        "PAD": max(16 // DTYPE_OF[wide].itemsize, 1),
        "A_ALONG": a.along,
        "B_ALONG": b.along,
        "X_ALONG": a.along and not tile.turned,
        "Y_ALONG": b.along and not tile.turned,
        "A_WIDE": _parted(tile, tile.tall, wides[0]),
        "B_WIDE": _parted(tile, tile.broad, wides[1]),
        "OUT_WIDE": out_wide,
    }
    accesses = {(short, max(constants["A_WIDE"], constants["B_WIDE"])), (result, out_wide)}
    numbers = ("matrices", "m", "n", "k", "pieces", "length", "down", "across")
    text = _kernel_text("tiles", shorts, accesses, out_wide, epilogue)
    return ProductKernel(device, "tiles", numbers, text, constants, epilogue)


def _parted(tile: Tile, edge: int, wide: int) -> int:
    """The width of accesses, 1 where work-items have less to move."""
    return wide if edge * tile.depth >= tile.own * wide else 1


@kept
def _vectors(
    device: Device,
    shorts: Shorts,
    along: bool,
    numbers: tuple[int, ...],
    wides: tuple[int, ...],
    epilogue: Epilogue | None,
) -> ProductKernel:
    constants: dict[str, object] = dict(zip(("ROWS", "LINE", "PARTS", "UNIT", "SIZE"), numbers, strict=True))
    constants |= {"A_WIDE": wides[0], "B_WIDE": wides[1]}
    name = "along" if along else "across"
    fields = ("matrices", "m", "k", "pieces", "length", "down", "numbers")
    text = _kernel_text(name, shorts, {(shorts[0], max(wides))}, 1, epilogue)
    return ProductKernel(device, name, fields, text, constants, epilogue)


def _kernel_text(
    name: str, shorts: Shorts, accesses: set[tuple[str, int]], out_wide: int, epilogue: Epilogue | None
) -> str:
    short, wide, result = shorts
    others = "" if epilogue is None else epilogue.pointers()
    parts = ("tiles",) if name == "tiles" else ("unit", name)
    text = "".join(section("tiles", part, T=short, W=wide, O=result, others=others) for part in parts)
    return words_of(shorts, accesses, out_wide, epilogue) + text
