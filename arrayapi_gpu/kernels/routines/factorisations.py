"""Large matrices on GPUs, where no library takes them: L U with pivots, Cholesky, Q R, and what follows from them.

Each factorisation halves the columns, factors the left half, updates the right one by products (`reductions.matmul`)
and goes on with it. A panel of few columns is one launch, in which groups publish rows to each other; where they may
not wait for each other, it is a launch for each column. Triangles are solved in halves, too. Whatever a step decides
stays on the device; only a flag of failures is read, at the end.

Every triangle is solved as a lower one: an upper one is a lower one whose rows and columns are counted from the end,
and solving from the right is solving with transposed matrices. So the views of an operand say which problem it is.

Sources: S. Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM Journal on Matrix Analysis
18, 1997; E. Elmroth, F. Gustavson, "Applying recursion to serial and parallel QR factorization", IBM Journal of
Research and Development 44, 2000; C. Puglisi, "Modification of the Householder method based on the compact WY
representation", SIAM Journal on Scientific Computing 13, 1992.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import COMPLEX_FLOATING, COMPONENT, DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import Layout, Shape, size, turned, unravelled
from ..core import tuning
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import Hook, section
from ..host.host_library import by_library
from ..maps.copy import assign, zeros
from ..reductions.matmul import matmul
from .matrices import INT32, NUMBERS, check, failing, from_end, real_dtype, with_one_stack

SHARING = 256  # work-items of a group
BEYOND_ALL = 1 << 62  # the number of a diagonal beyond all

# Of each kernel, its parameters: those of 32 bits, behind the numbers of rows and columns, and places of its arrays.
_FIELDS: dict[str, tuple[str, ...]] = {
    "eliminate": ("begin", "end", "groups", "first", "a_0", "a_down"),
    "reflect": ("begin", "end", "groups", "first", "a_0", "a_down"),
    "number": (),
    "root": ("a_0", "a_down", "a_right"),
    "substitution": ("unit", "b_0", "b_down", "b_right", "t_0", "t_down", "t_right"),
    "subtract": ("out_0", "out_down", "out_right", "a_0"),
    "permute": ("order_0", "a_0", "a_down", "a_right"),
    "measure": ("a_0", "a_down", "a_right"),
    "shape": (
        "low", "high", "unit", "conjugate", "scaled", "out_0", "out_down", "out_right", "a_0", "a_down", "a_right",
    ),
    "set_diagonal": ("conjugate", "a_0"),
    "determinant": ("logarithm", "out_0", "a_0", "a_down", "a_right"),
}  # fmt: skip
_MESSAGES = {"eliminate": "candidates", "reflect": "products"}  # the section of a message's type, by the kernel
_SHORT = {"f32": "0x1p-100f", "f64": "0x1p-900"}  # squared lengths that count as 0, where others are near 1


def block_of(device: Device, dtype: np.dtype[Any]) -> int:
    """The rows of a triangle that a group solves, or factors, in local memory."""
    for block in (64, 32, 16):
        if block * (block + 3 + _across(False)) * dtype.itemsize <= device.local_memory - 64:
            return block
    return 8


def _across(few: bool) -> int:
    """Columns of right-hand sides of a group."""
    return 4 if few else 16


@kept
def _compiled(device: Device, name: str, dtype: np.dtype[Any], few: bool) -> FixedKernel:
    part = SHORT[COMPONENT.get(dtype, dtype)]
    right, down = _across(few), SHARING // _across(few)
    constants: dict[str, object] = {
        "SIDE": tuning.PANEL_COLUMNS, "MOST": tuning.PANEL_GROUPS, "BLOCK": block_of(device, dtype), "RIGHT": right,
        "DOWN": down, "SHARING": SHARING,
    }  # fmt: skip
    bound: dict[str, Hook] = {"T": SHORT[dtype]}
    names = []
    if name not in ("number", "permute"):
        kind = "complex" if dtype in COMPONENT else "real"
        bound |= {"F": part, "short": _SHORT[part], **NUMBERS[part]}
        names = [("factorisations", "memory"), *[("matrices", words) for words in ("masks", "sums", kind, "words")]]
        names.append(("factorisations", "reflections"))
    if name in _MESSAGES:
        bound["V"] = "Message"
        names += [("factorisations", "panels"), ("factorisations", _MESSAGES[name]), ("groups", "published")]
    names.append(("factorisations", name))
    text = "".join(section(file, words, **bound) for file, words in names)
    return FixedKernel(device, name, Parameters(int64s("rows", "columns", *_FIELDS[name])), text, constants)


def _run(name: str, items: int, arrays: Sequence[GpuArray], numbers: Sequence[int], few: bool = False) -> None:
    kernel = _compiled(arrays[0].storage.device, name, arrays[0].dtype, few)
    kernel.run(f"factorisations {name}", items, arrays, numbers, SHARING)


# --- views and copies of matrices ----------------------------------------------------------------


def _block(a: GpuArray, rows: slice, columns: slice) -> GpuArray:
    """A block of a matrix, as a view. The slices have no step, and lie inside."""
    first, last, _ = rows.indices(a.shape[0])
    left, right, _ = columns.indices(a.shape[1])
    offset = a.offset + first * a.strides[0] + left * a.strides[1]
    return a.through(Layout((last - first, right - left), a.strides, offset))


def _turned(a: GpuArray) -> GpuArray:
    return a.through(turned(a.layout))


def _shaped(
    out: GpuArray,
    a: GpuArray,
    low: int = -BEYOND_ALL,
    high: int = BEYOND_ALL,
    unit: bool = False,
    conjugate: bool = False,
    scale: GpuArray | None = None,
    scaled: int = 0,
) -> GpuArray:
    """Write the diagonals of a matrix from ``low`` to ``high`` to another one, see factorisations.c."""
    numbers = [*out.shape, low, high, int(unit), int(conjugate), scaled, out.offset, *out.strides, a.offset, *a.strides]
    _run("shape", out.size, (out, a, a if scale is None else scale), numbers)
    return out


def _adjoint(a: GpuArray) -> GpuArray:
    """The conjugate transpose, for real numbers as a view."""
    if a.dtype not in COMPLEX_FLOATING:
        return _turned(a)
    return _shaped(_like(a, a.shape[::-1]), _turned(a), conjugate=True)


def _like(a: GpuArray, shape: Shape) -> GpuArray:
    return empty(a.storage.device, a.dtype, shape)


def _copy(a: GpuArray) -> GpuArray:
    """A matrix in fresh memory, by rows."""
    out = _like(a, a.shape)
    assign(out, a)
    return out


def _update(out: GpuArray, a: GpuArray, b: GpuArray) -> None:
    """Subtract a product of matrices."""
    if not (out.size and a.shape[1]):
        return
    product = _like(out, out.shape)
    matmul(a, b, product)
    _run("subtract", out.size, (out, product), (*out.shape, out.offset, *out.strides, product.offset))


def _permute(a: GpuArray, order: GpuArray) -> GpuArray:
    """The rows of a matrix in an order, in fresh memory."""
    out = _like(a, (order.size, a.shape[1]))
    _run("permute", out.size, (out, a, order), (*out.shape, order.offset, a.offset, *a.strides))
    return out


def _reorder(a: GpuArray, order: GpuArray) -> None:
    """Bring the rows of a matrix into an order."""
    if a.size:
        assign(a, _permute(a, order))


def _halves(n: int, unit: int) -> int:
    """The length of the first half of ``n``, a multiple of ``unit`` that is less than n."""
    parts = -(-n // unit)
    return (parts + 1) // 2 * unit


# --- triangles -----------------------------------------------------------------------------------


def substitute(t: GpuArray, b: GpuArray, failed: GpuArray, unit: bool = False) -> None:
    """Solve t x = b in place of b, for the lower triangle of t. ``unit``: its diagonal has ones, and is not read."""
    n, columns = b.shape
    if not b.size:
        return
    block = block_of(b.storage.device, b.dtype)
    if n <= block:
        few = columns <= _across(True)
        items = -(-columns // _across(few)) * SHARING
        numbers = (n, columns, int(unit), b.offset, *b.strides, t.offset, *t.strides)
        _run("substitution", items, (b, t, failed), numbers, few)
        return
    first = _halves(n, block)
    upper, lower = slice(first), slice(first, n)
    above, below = _block(b, upper, slice(None)), _block(b, lower, slice(None))
    substitute(_block(t, upper, upper), above, failed, unit)
    _update(below, _block(t, lower, upper), above)
    substitute(_block(t, lower, lower), below, failed, unit)


def substitute_up(t: GpuArray, b: GpuArray, failed: GpuArray, unit: bool = False) -> None:
    """As `substitute`, for the upper triangle of t."""
    if b.size:
        substitute(from_end(t), from_end(b, columns=False), failed, unit)


# --- Cholesky ------------------------------------------------------------------------------------


def _root(a: GpuArray, failed: GpuArray) -> None:
    """The Cholesky factor of a lower triangle, in place of it."""
    n, block = a.shape[0], block_of(a.storage.device, a.dtype)
    if n <= block:
        _run("root", SHARING, (a, failed), (n, n, a.offset, *a.strides))
        return
    first = _halves(n, block)
    upper, lower = slice(first), slice(first, n)
    head, below = _block(a, upper, upper), _block(a, lower, upper)
    _root(head, failed)
    conjugate = head.dtype in COMPLEX_FLOATING
    if conjugate:  # below head^-H, from the left and by rows
        head = _shaped(_like(a, head.shape), head, conjugate=True)
    substitute(head, _turned(below), failed)
    _update(_block(a, lower, lower), below, _adjoint(below))
    _root(_block(a, lower, lower), failed)


# --- panels --------------------------------------------------------------------------------------


def _panel(name: str, a: GpuArray, first: int, others: Sequence[GpuArray]) -> None:
    """Apply all steps to a panel, whose diagonal begins at number ``first`` of the whole. The last of the other arrays
    are the words that groups publish."""
    device, (m, n) = a.storage.device, a.shape
    groups, turns = min(-(-m // tuning.PANEL_COLUMNS), tuning.PANEL_GROUPS), 1 + min(m, n)
    each = turns if groups <= device.concurrent_groups else 1
    for turn in range(0, turns, each):
        numbers = (m, n, turn - 1, turn - 1 + each, groups, first, a.offset, a.strides[0])
        _run(name, groups * SHARING, (a, *others), numbers)


def _words(a: GpuArray) -> GpuArray:
    """The words that groups publish about the steps of a matrix, all of a status that no column has."""
    number = 2 * a.dtype.itemsize + 8  # in both halves, of four bytes each, and more than any message has
    places = 2 * (tuning.PANEL_GROUPS + 1) * tuning.PANEL_COLUMNS
    return zeros(a.storage.device, DTYPE_OF["u64"], (places * number // 4,))


# --- L U -----------------------------------------------------------------------------------------


class _Elimination(NamedTuple):
    """Results of elimination on the device: for each column the row of its pivot, and whether a pivot is 0; and the
    words that groups publish."""

    rows: GpuArray
    failed: GpuArray
    words: GpuArray


def _pivots(a: GpuArray, failed: GpuArray) -> _Elimination:
    return _Elimination(empty(a.storage.device, INT32, (min(a.shape),)), failed, _words(a))


def _eliminate(a: GpuArray, first: int, pivots: _Elimination) -> GpuArray:
    """L U in place of a matrix, whose diagonal begins at number ``first`` of the whole. Return the order of its
    rows."""
    m, n = a.shape
    least, side = min(m, n), tuning.PANEL_COLUMNS
    if n <= side:
        order = empty(a.storage.device, INT32, (m, 1))
        _run("number", m, (order,), (m, 1))
        _panel("eliminate", a, first, (order, pivots.rows, pivots.failed, pivots.words))
        return order
    width = least if least <= side else _halves(least, side)
    left, right, upper, lower = slice(width), slice(width, n), slice(width), slice(width, m)
    order = _eliminate(_block(a, slice(None), left), first, pivots)
    _reorder(_block(a, slice(None), right), order)
    above = _block(a, upper, right)
    substitute(_block(a, upper, left), above, pivots.failed, unit=True)
    if m > width:
        rest, below = _block(a, lower, right), _block(a, lower, left)
        _update(rest, below, above)
        later = _eliminate(rest, first + width, pivots)
        _reorder(below, later)
        _reorder(_block(order, lower, slice(None)), later)
    return order


# --- Q R -----------------------------------------------------------------------------------------


class _Orthogonalisation(NamedTuple):
    """The inverses of the factors of reflections, and the words that groups publish."""

    inverses: GpuArray
    failed: GpuArray  # which nobody reads: no factor's inverse is 0
    words: GpuArray


def _reflections(a: GpuArray) -> _Orthogonalisation:
    device = a.storage.device
    return _Orthogonalisation(empty(device, a.dtype, (min(a.shape), 1)), failing(device), _words(a))


def _reflect(a: GpuArray, first: int, room: _Orthogonalisation) -> None:
    """R and the vectors of reflections in place of a matrix, whose diagonal begins at number ``first`` of the whole."""
    m, n = a.shape
    least, side = min(m, n), tuning.PANEL_COLUMNS
    if n <= side:
        _panel("reflect", a, first, (room.inverses, room.words))
        return
    width = least if least <= side else _halves(least, side)
    _reflect(_block(a, slice(None), slice(width)), first, room)
    rest = _block(a, slice(None), slice(width, n))
    vectors = _vectors(a, width)
    across = _adjoint(vectors)
    products = _like(a, (width, rest.shape[1]))
    matmul(across, rest, products)
    few = _block(room.inverses, slice(first, first + width), slice(None))
    substitute(_triangle(vectors, across, few, conjugate=True), products, room.failed)
    _update(rest, vectors, products)
    if m > width:
        _reflect(_block(rest, slice(width, m), slice(None)), first + width, room)


def _vectors(a: GpuArray, count: int) -> GpuArray:
    """The vectors of reflections, in columns."""
    return _shaped(_like(a, (a.shape[0], count)), a, high=-1, unit=True)


def _triangle(vectors: GpuArray, across: GpuArray, inverses: GpuArray, conjugate: bool) -> GpuArray:
    """The matrix S whose upper triangle gives the product of reflections, I - V S^-1 V^H; ``conjugate``: its lower
    triangle that of S^H."""
    n = vectors.shape[1]
    found = _like(vectors, (n, n))
    matmul(across, vectors, found)
    _run("set_diagonal", n, (found, inverses), (n, n, int(conjugate), inverses.offset))
    return found


def _orthonormal(a: GpuArray, room: _Orthogonalisation, out: GpuArray) -> None:
    """Write the first columns of Q."""
    vectors = _vectors(a, min(a.shape))
    across = _adjoint(vectors)
    columns = _copy(_block(across, slice(None), slice(out.shape[1])))
    triangle = _triangle(vectors, across, room.inverses, conjugate=False)
    substitute_up(triangle, columns, room.failed)
    _shaped(out, out, 1, 0, unit=True)
    _update(out, vectors, columns)


# --- the routines --------------------------------------------------------------------------------


def _pays(device: Device, name: str, shape: Shape) -> bool:
    """Whether own kernels compute matrices: on GPUs, but not for memory that LAPACK reads in place."""
    if not device.is_gpu or device.host_shared or not size(shape):
        return False
    return min(shape[-2:]) >= tuning.FACTORISATIONS_FROM[name]


def _each(*arrays: GpuArray) -> Iterator[tuple[GpuArray, ...]]:
    """The matrices of stacks of one shape."""
    stack = arrays[0].shape[:-2]
    for number in range(size(stack)):
        at = unravelled(number, stack)
        yield tuple(
            x.through(
                Layout(x.shape[-2:], x.strides[-2:], x.offset + sum(i * s for i, s in zip(at, x.strides, strict=False)))
            )
            for x in arrays
        )


def _cholesky(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    (a,) = operands
    if not _pays(a.storage.device, "cholesky", a.shape):
        return None
    out, failed = _like(a, a.shape), failing(a.storage.device)
    for one, result in _each(a, out):
        if options.get("upper", False):  # U.T is the lower factor of A.T
            one, result = _turned(one), _turned(result)
        work = _copy(one)
        _root(work, failed)
        _shaped(result, work, high=0)
    check("cholesky", failed)
    return (out,)


def _solve(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    del options
    a, b = operands
    if not _pays(a.storage.device, "solve", a.shape) or not b.size:
        return None
    vector = len(b.shape) == 1
    if vector:
        b = b.through(Layout((*b.shape, 1), (*b.strides, 0), b.offset))
    found = _solutions("solve", *with_one_stack(a, b))
    if vector:
        found = found.through(Layout(found.shape[:-1], found.strides[:-1], found.offset))
    return (found,)


def _solutions(name: str, a: GpuArray, b: GpuArray | None) -> GpuArray:
    """The solutions x of a x = b; without b the inverses of a."""
    out = _like(a, (*a.shape[:-1], a.shape[-1] if b is None else b.shape[-1]))
    failed = failing(a.storage.device)
    for one, right, result in _each(a, a if b is None else b, out):
        work, pivots = _copy(one), _pivots(one, failed)
        order = _eliminate(work, 0, pivots)
        if b is None:
            right = _shaped(_like(a, right.shape), right, 1, 0, unit=True)
        assign(result, _permute(right, order))
        substitute(work, result, failed, unit=True)
        substitute_up(work, result, failed)
    check(name, failed)
    return out


def _inv(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    del options
    (a,) = operands
    return (_solutions("inv", a, None),) if _pays(a.storage.device, "inv", a.shape) else None


def _determinants(
    logarithm: bool, operands: Sequence[GpuArray], options: Mapping[str, Any]
) -> tuple[GpuArray, ...] | None:
    del options
    (a,) = operands
    device, stack = a.storage.device, a.shape[:-2]
    has_lu = device.is_gpu and device.library is not None and "lu" in device.library.names and size(a.shape) > 0
    if not (has_lu or _pays(device, "det", a.shape)):
        return None
    out = _like(a, stack)
    more, failed = empty(device, real_dtype(a.dtype), stack), failing(device)
    for number, (one,) in enumerate(_each(a)):
        if (found := by_library("lu", (one,), {})) is not None:
            work, rows = found
        else:
            work, pivots = _copy(one), _pivots(one, failed)
            _eliminate(work, 0, pivots)
            rows = pivots.rows
        numbers = (*work.shape, int(logarithm), number, work.offset, *work.strides)
        _run("determinant", SHARING, (out, more, work, rows), numbers)
    return (out, more) if logarithm else (out,)


def _lu(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    del options
    (a,) = operands
    device, stack = a.storage.device, a.shape[:-2]
    if not _pays(device, "lu", a.shape):
        return None
    out, found, failed = _like(a, a.shape), empty(device, INT32, (*stack, min(a.shape[-2:]))), failing(device)
    for number, (one, result) in enumerate(_each(a, out)):
        assign(result, one)
        pivots = _pivots(one, failed)
        _eliminate(result, 0, pivots)
        length = found.shape[-1]
        assign(found.through(Layout((length,), (1,), number * length)), pivots.rows)
    return out, found


def _solve_triangular(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    t, b = with_one_stack(*operands)
    if not b.size or not _pays(b.storage.device, "solve_triangular", t.shape):
        return None
    out, failed = _like(b, b.shape), failing(b.storage.device)
    assign(out, b)
    solve = substitute if options["lower"] else substitute_up
    for one, result in _each(t, out):
        solve(one, result, failed, options["unit_diagonal"])
    check("solve_triangular", failed)
    return (out,)


def _qr(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    (a,) = operands
    (m, n), stack = a.shape[-2:], a.shape[:-2]
    if not _pays(a.storage.device, "qr", a.shape):
        return None
    others = m if options.get("mode", "reduced") == "complete" else min(m, n)
    groups = min(m, tuning.PANEL_GROUPS)
    q, r = _like(a, (*stack, m, others)), _like(a, (*stack, others, n))
    for one, left, right in _each(a, q, r):
        sizes, scale = _like(a, (groups, 1)), _like(a, (1, 1))
        _run("measure", groups * SHARING, (sizes, one), (m, n, one.offset, *one.strides))
        _run("measure", SHARING, (scale, sizes), (groups, 1, 0, 1, 1))
        work = _shaped(_like(a, (m, n)), one, scale=scale, scaled=1)
        room = _reflections(work)
        _reflect(work, 0, room)
        _orthonormal(work, room, left)
        _shaped(right, work, low=0, scale=scale, scaled=-1)
    return q, r


LARGE_ROUTINES: dict[str, Callable[[Sequence[GpuArray], Mapping[str, Any]], tuple[GpuArray, ...] | None]] = {
    "cholesky": _cholesky,
    "det": partial(_determinants, False),
    "inv": _inv,
    "lu": _lu,
    "qr": _qr,
    "slogdet": partial(_determinants, True),
    "solve": _solve,
    "solve_triangular": _solve_triangular,
}
