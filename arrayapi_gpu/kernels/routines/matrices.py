"""Small matrices in stacks: elimination, triangles, Cholesky, QR, eigenvalues and singular values.

Eigenvalues, and singular values of some columns without vectors, are those of a tridiagonal matrix (QL). For vectors,
columns are rotated until they are orthogonal (Jacobi), which is more accurate for small singular values.

One text serves four forms. With explicit vectors a work-item has a register of matrices, one a lane, and the numbers
of rows and columns are parameters. Without, very small matrices have a work-item each, which holds them in its
registers; larger ones lie in local memory, or in global memory if they do not fit, and some work-items share their
columns or rows.

The order of all operations follows from the shape of a matrix and the form alone, so a matrix has the same bits
wherever it lies in a stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import COMPONENT, DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty, upload
from ...memory.layout import Layout, Shape, broadcast, broadcast_shapes, size, turned
from ..core import tuning
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import Hook, section
from ..host.host_library import TABLE
from ..reductions.pieces import Stack, stack_of

# Kernels, and the sections of their text that follow the words of the form and the dtype.
_SECTIONS: dict[str, list[tuple[str, str]]] = {
    "lu": [("factors", "elimination"), ("factors", "lu")],
    "factor": [("factors", "elimination"), ("factors", "factor")],
    "forward": [("factors", "elimination"), ("factors", "forward")],
    "cholesky": [("factors", "cholesky")],
    "qr": [("matrices", "reflections"), ("factors", "qr")],
    "eigh": [("matrices", "reflections"), ("tridiagonal", "tridiagonal"), ("tridiagonal", "eigh")],
    "svdvals": [("matrices", "reflections"), ("tridiagonal", "tridiagonal"), ("tridiagonal", "svdvals")],
    "svd": [("matrices", "reflections"), ("jacobi", "rotations"), ("jacobi", "svd")],
}
MATRIX_KERNELS = tuple(_SECTIONS)
SOLVE, INVERSE, DETERMINANT, LOGARITHM = range(4)
INT32 = DTYPE_OF["i32"]

# Of the dtype of a part: the bits of its fraction, the bias of its exponents, the logarithm of 2, its precision, and
# integers of its width. Of matrices with elements near 1: a factor by which no squares underflow that matter, the
# squared length then of a column that needs not be orthogonal to others, the size of an element outside of the diagonal
# that may stay, and the squared length of a pair of numbers that has no direction.
NUMBERS: dict[str, dict[str, Hook]] = {
    "f32": {
        "bits": 23, "bias": 127, "ln2": "0.69314718f", "eps": "0x1p-23f", "I": "i32", "row": "row",
        "boost": "0x1p56f", "floor": "0x1p-60f", "least": "0x1p-43f", "trifle": "0x1p-96f",
    },
    "f64": {
        "bits": 52, "bias": 1023, "ln2": "0.6931471805599453", "eps": "0x1p-52", "I": "i64",
        "row": "cast_i64_i32(row)",
        "boost": "0x1p500", "floor": "0x1p-400", "least": "0x1p-72", "trifle": "0x1p-900",
    },
}  # fmt: skip
_SIZES = ("rows", "columns", "others", "mode", "vectors")
_PLACES = [f"{array}_{field}" for array in ("a", "b", "out") for field in ("0", "stack", "down", "right")]


class Problem(NamedTuple):
    """A stack of matrices and its wanted results: the name of the kernel, and the numbers that it is made for."""

    kernel: str
    dtype: np.dtype[Any]
    rows: int
    columns: int
    others: int = 0
    mode: int = 0
    vectors: bool = True

    @property
    def shared(self) -> int:
        """Columns, or pairs of them, that work-items share."""
        if self.kernel == "svd":
            return (self.columns + 1) // 2
        return max(self.columns, self.others)

    def elements(self, padded: bool) -> int:
        """The elements of a matrix's own memory; ``padded``: rows have odd lengths."""
        rows, columns, others = self.rows, self.columns, self.others

        def block(height: int, width: int) -> int:
            return height * (width | 1 if padded else width)

        if self.kernel in ("lu", "factor", "forward"):
            return block(rows, columns + others)
        if self.kernel == "cholesky":
            return rows * (rows + 1) // 2
        if self.kernel == "qr":
            return block(rows, columns) + 2 * min(rows, columns) + block(rows, others)
        if self.kernel == "svdvals":
            return block(rows, columns) + 8 * columns + 2
        if self.kernel == "svd":
            return block(rows, columns) + 2 * columns + block(columns, columns) + block(rows, others)
        return block(rows, rows) * (1 + self.vectors) + 5 * rows


class _Form(NamedTuple):
    """How a problem is computed: the section of the words for memory, the work-items of a matrix, the matrices of a
    group at a time, or of a work-item's registers, and the numbers of a matrix's own memory."""

    name: str
    items: int
    matrices: int
    room: int


def _lanes(device: Device, dtype: np.dtype[Any]) -> int:
    """Return the matrices that a work-item with explicit vectors computes together.

    gcc keeps vectors that are wider than the processor's in memory, also sums in loops. One core of an EPYC took for
    float64 32 x 32 with AVX-512, by 16 lanes and by 8, in us: cholesky 1.7, 1.3; eigh 37, 24; qr 11, 7; svd 141, 120;
    with AVX2, by 16 and by 4: cholesky 3.1, 1.6; eigh 88, 37; qr 25, 11; svd 331, 182.
    """
    least = device.register_bytes // real_dtype(dtype).itemsize
    return min(device.lanes, least) if least else device.lanes


def _form_of(device: Device, problem: Problem) -> _Form | None:
    """Return the form of a problem; None for many right-hand sides that do not fit local memory."""
    parts, itemsize = 1 + (problem.dtype in COMPONENT), problem.dtype.itemsize
    if not device.is_gpu:
        return _Form("laned", 1, _lanes(device, problem.dtype), problem.elements(True) * parts)
    unrolled = problem.rows <= tuning.MATRIX_UNROLLED[problem.kernel]
    if unrolled and problem.elements(False) * itemsize <= tuning.MATRIX_IN_REGISTERS:
        return _Form("registers", 1, 1, problem.elements(False) * parts)
    fitting = (device.local_memory - 64) // (problem.elements(True) * itemsize)
    most = tuning.MATRIX_ITEMS if fitting > 0 else tuning.MATRIX_STORED_ITEMS
    items = 4
    while items < problem.shared and items < most:
        items *= 2
    if fitting <= 0:
        if problem.others > tuning.MATRICES_ON_GPU[-1][1]:
            return None
        return _Form("stored", items, 1, problem.elements(False) * parts)
    return _Form("grouped", items, max(1, min(most // items, fitting)), problem.elements(True) * parts)


@kept
def _compiled(device: Device, problem: Problem, form: _Form) -> FixedKernel:
    """The kernel of a problem; with explicit vectors ``problem`` has no sizes."""
    short, part = SHORT[problem.dtype], SHORT[COMPONENT.get(problem.dtype, problem.dtype)]
    bound: dict[str, Hook] = {"T": short, "F": part, **NUMBERS[part]}
    constants: dict[str, object] = {}
    if form.name == "laned" and form.matrices != device.lanes:
        constants = {"REGISTER_LANES": form.matrices}
    elif form.name != "laned":
        constants = {field.upper(): int(value) for field, value in zip(_SIZES, problem[2:], strict=True)}
        constants |= {"ROOM": form.room, "ITEMS": form.items, "MATRICES": form.matrices, form.name.upper(): 1}
    if form.name == "registers":
        del constants["ITEMS"]
    kind = "complex" if problem.dtype in COMPONENT else "real"
    memory = [form.name, *["together"] * (form.name in ("grouped", "stored"))]
    names = [("matrices", name) for name in (*memory, "masks", "sums", kind, "words")]
    names += _SECTIONS[problem.kernel]
    fields = [*int64s("matrices", "items", "room", *_PLACES), *[(field, "i32") for field in _SIZES]]
    text = "".join(section(file, name, **bound) for file, name in names)
    return FixedKernel(device, problem.kernel, Parameters(fields), text, constants)


def laned(device: Device, kernel: str, dtype: np.dtype[Any]) -> FixedKernel:
    """The kernel with explicit vectors, one of `MATRIX_KERNELS`, for matrices of every size."""
    return _compiled(device, Problem(kernel, dtype, 0, 0), _Form("laned", 1, _lanes(device, dtype), 0))


_NONE = (0, 0, 0, 0)


def _run(
    problem: Problem,
    form: _Form,
    arrays: Sequence[GpuArray],
    a: Stack,
    b: tuple[int, int, int, int] = _NONE,
    out: tuple[int, int, int, int] = _NONE,
) -> None:
    """Launch the kernel of a problem on results and operands in the order of its arguments, without its room."""
    device, matrices = a.array.storage.device, size(a.array.shape[:-2])
    part = real_dtype(problem.dtype)
    room, items, group = arrays[0], matrices, tuning.MATRIX_GROUP
    if form.name == "laned":
        items, group = min(-(-matrices // form.matrices), tuning.MATRIX_TILES * device.compute_units), 1
        room = empty(device, part, (items, form.room, form.matrices))
    elif form.name == "stored":
        groups, group = min(matrices, tuning.MATRIX_STORED_GROUPS * device.compute_units), form.items
        room, items = empty(device, part, (groups, form.room)), groups * group
    elif form.name == "grouped":
        group = form.items * form.matrices
        items = -(-matrices // form.matrices) * group
    numbers = [matrices, items, form.room, *a.numbers, *b, *out, *map(int, problem[2:])]
    kernel = laned(device, problem.kernel, problem.dtype) if form.name == "laned" else _compiled(device, problem, form)
    kernel.run(f"matrices {problem.kernel}", items, (*arrays, room), numbers, group)


def _pays(device: Device, name: str, shape: Shape) -> bool:
    """Whether own kernels compute a stack faster than a library."""
    matrices, extent = size(shape[:-2]), max(shape[-2:])
    if not matrices or not min(shape[-2:]):
        return False
    limits = tuning.MATRICES_ON_GPU if device.is_gpu else (tuning.MATRICES_ON_CPU[name],)
    return any(matrices >= least and extent <= most for least, most in limits)


def failing(device: Device) -> GpuArray:
    """A number that a kernel sets to 1 if it fails."""
    return upload(device, np.zeros(1, np.int32))


def check(name: str, failed: GpuArray) -> None:
    """Raise the error of a routine if its kernel has failed; waits for the kernel."""
    if failed.download()[0]:
        raise np.linalg.LinAlgError(f"{name}: {TABLE[name].failure}")


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return COMPONENT.get(dtype, dtype)


def _solve(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    del options
    a, b = operands
    vector = len(b.shape) == 1
    if vector:
        b = b.through(Layout((*b.shape, 1), (*b.strides, 0), b.offset))
    found = _eliminate("solve", SOLVE, *with_one_stack(a, b))
    if found is None or not vector:
        return found
    return (found[0].through(Layout(found[0].shape[:-1], found[0].strides[:-1], found[0].offset)),)


def _eliminate(name: str, mode: int, a: GpuArray, b: GpuArray | None = None) -> tuple[GpuArray, ...] | None:
    """The results of elimination, see factors.c."""
    device, n, stack = a.storage.device, a.shape[-1], a.shape[:-2]
    others = n if mode == INVERSE else 0 if b is None else b.shape[-1]
    if not _pays(device, name, a.shape) or (mode == SOLVE and not others):
        return None
    problem = Problem("lu", a.dtype, n, n, others, mode)
    form = _form_of(device, problem)
    if form is None:
        return None
    x = stack_of(a)
    y = x if b is None else stack_of(b)
    solves = mode in (SOLVE, INVERSE)
    out = empty(device, a.dtype, (*stack, n, others) if solves else stack)
    failed = failing(device) if solves else out
    logarithms = empty(device, real_dtype(a.dtype), stack) if mode == LOGARITHM else out
    _run(problem, form, (out, logarithms, failed, x.array, y.array), x, y.numbers)
    if solves:
        check(name, failed)
    return (out, logarithms) if mode == LOGARITHM else (out,)


def _one(name: str, mode: int, operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    """The results of elimination of one operand."""
    del options
    return _eliminate(name, mode, operands[0])


def _lu(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    del options
    (a,) = operands
    device, (rows, columns) = a.storage.device, a.shape[-2:]
    problem = Problem("factor", a.dtype, rows, columns)
    form = _form_of(device, problem)
    if form is None or not _pays(device, "lu", a.shape):
        return None
    x = stack_of(a)
    out, pivots = empty(device, a.dtype, a.shape), empty(device, INT32, (*a.shape[:-2], min(rows, columns)))
    _run(problem, form, (out, pivots, x.array), x)
    return out, pivots


def from_end(array: GpuArray, columns: bool = True) -> GpuArray:
    """Return matrices with their rows counted from the end, and their columns: an upper triangle is a lower one."""
    (*steps, down, right), (m, n) = array.strides, array.shape[-2:]
    offset = array.offset + (m - 1) * down
    if columns:
        offset, right = offset + (n - 1) * right, -right
    return array.through(Layout(array.shape, (*steps, -down, right), offset))


def with_one_stack(a: GpuArray, b: GpuArray) -> tuple[GpuArray, GpuArray]:
    """Return two operands with their stacks broadcast to each other."""
    stack = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    first, second = (x.through(broadcast(x.layout, (*stack, *x.shape[-2:]))) for x in (a, b))
    return first, second


def _solve_triangular(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    a, b = with_one_stack(*operands)
    device, n, others = a.storage.device, a.shape[-1], b.shape[-1]
    problem = Problem("forward", a.dtype, n, n, others, int(options["unit_diagonal"]))
    form = _form_of(device, problem)
    if form is None or not others or not _pays(device, "solve_triangular", a.shape):
        return None
    out, failed = empty(device, a.dtype, b.shape), failing(device)
    x, y, z = stack_of(a), stack_of(b), Stack(out, n * others, others, 1)
    if not options["lower"]:
        x, y, z = (
            stack._replace(array=turned_over, down=turned_over.strides[-2], right=turned_over.strides[-1])
            for stack, turned_over in zip(
                (x, y, z), (from_end(x.array), from_end(y.array, False), from_end(out, False)), strict=True
            )
        )
    _run(problem, form, (out, failed, x.array, y.array), x, y.numbers, z.numbers)
    check("solve_triangular", failed)
    return (out,)


def _cholesky(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    (a,) = operands
    device, n = a.storage.device, a.shape[-1]
    problem = Problem("cholesky", a.dtype, n, n)
    form = _form_of(device, problem)
    if form is None or not _pays(device, "cholesky", a.shape):
        return None
    upper = options.get("upper", False)
    x = stack_of(a.through(turned(a.layout)) if upper else a)  # U.T is the lower factor of A.T
    out, failed = empty(device, a.dtype, a.shape), failing(device)
    _run(problem, form, (out, failed, x.array), x, out=(0, n * n, *((1, n) if upper else (n, 1))))
    check("cholesky", failed)
    return (out,)


def _qr(operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    (a,) = operands
    device, (rows, columns), stack = a.storage.device, a.shape[-2:], a.shape[:-2]
    mode = options.get("mode", "reduced")
    others = rows if mode == "complete" else min(rows, columns)
    problem = Problem("qr", a.dtype, rows, columns, others)
    form = _form_of(device, problem)
    if form is None or not _pays(device, "qr", a.shape):
        return None
    x = stack_of(a)
    q, r = empty(device, a.dtype, (*stack, rows, others)), empty(device, a.dtype, (*stack, others, columns))
    _run(problem, form, (q, r, x.array), x)
    return q, r


def _eigh(
    name: str, vectors: bool, operands: Sequence[GpuArray], options: Mapping[str, Any]
) -> tuple[GpuArray, ...] | None:
    del options
    (a,) = operands
    device, n = a.storage.device, a.shape[-1]
    problem = Problem("eigh", a.dtype, n, n, 0, 0, vectors)
    form = _form_of(device, problem)
    if form is None or not _pays(device, name, a.shape):
        return None
    x, failed = stack_of(a), failing(device)
    values = empty(device, real_dtype(a.dtype), a.shape[:-1])
    columns = empty(device, a.dtype, a.shape) if vectors else values
    _run(problem, form, (columns, values, failed, x.array), x)
    check(name, failed)
    return (values, columns) if vectors else (values,)


def _place(array: GpuArray, transposed: bool) -> tuple[int, int, int, int]:
    """The offset and the strides of fresh results, as `Stack.numbers`."""
    rows, columns = array.shape[-2:]
    return (0, rows * columns, 1, columns) if transposed else (0, rows * columns, columns, 1)


def _svd(
    name: str, vectors: bool, operands: Sequence[GpuArray], options: Mapping[str, Any]
) -> tuple[GpuArray, ...] | None:
    (a,) = operands
    device, (rows, columns), stack = a.storage.device, a.shape[-2:], a.shape[:-2]
    wide = rows < columns
    tall, least = max(rows, columns), min(rows, columns)
    rotates = vectors or least <= tuning.MATRIX_ROTATED
    others = tall if vectors and options.get("full_matrices", True) else least
    problem = Problem("svd" if rotates else "svdvals", a.dtype, tall, least, others if rotates else 0, 0, rotates)
    form = _form_of(device, problem)
    if form is None or not _pays(device, name, a.shape):
        return None
    x, failed = stack_of(a.through(turned(a.layout)) if wide else a), failing(device)
    values = empty(device, real_dtype(a.dtype), (*stack, least))
    if not rotates:
        _run(problem, form, (values, failed, x.array), x)
        check(name, failed)
        return (values,)
    u_shape, vh_shape = (tall, others), (least, least)
    if wide:  # A.T = U S Vh, so A = Vh.T S U.T
        u_shape, vh_shape = vh_shape, (others, tall)
    u, vh = (empty(device, a.dtype, (*stack, *shape)) for shape in (u_shape, vh_shape))
    left, right = (vh, u) if wide else (u, vh)
    first, second = (_place(array, wide) for array in (left, right))
    _run(problem, form, (left, values, right, failed, x.array), x, second, first)
    check(name, failed)
    return (u, values, vh) if vectors else (values,)


MATRIX_ROUTINES: dict[str, Callable[[Sequence[GpuArray], Mapping[str, Any]], tuple[GpuArray, ...] | None]] = {
    "cholesky": _cholesky,
    "det": partial(_one, "det", DETERMINANT),
    "eigh": partial(_eigh, "eigh", True),
    "eigvalsh": partial(_eigh, "eigvalsh", False),
    "inv": partial(_one, "inv", INVERSE),
    "lu": _lu,
    "qr": _qr,
    "slogdet": partial(_one, "slogdet", LOGARITHM),
    "solve": _solve,
    "solve_triangular": _solve_triangular,
    "svd": partial(_svd, "svd", True),
    "svdvals": partial(_svd, "svdvals", False),
}
