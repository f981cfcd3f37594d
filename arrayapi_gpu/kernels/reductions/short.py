"""Reductions of few elements on GPUs: a work-item has all elements of some neighbouring outputs, in registers.

Where rows or columns are contiguous, a work-item reads several elements by one access. Rows that no few accesses fill
go through local memory. The number of elements of an output is a constant of the kernel, so none are masked. They are
combined in the order of `reduce_schedule.order_of`, so the bits are those of the kernel for more elements (`reduce`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...backends.base import Target
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray
from ..core import tuning
from ..core.dialect import UNIT, ZERO, Operand, vectors_of
from ..core.staging import UNIT_BYTES, brought, moves, staging_of
from ..core.store import cached
from ..core.texts import Hook, section
from .reduce import ReductionText
from .reduce_schedule import ReduceSchedule, ReduceSpec, Strides, collapsed, integer_of, modes_of, order_of


class _Facts(NamedTuple):
    """The facts of an operand; an index variable has no bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    nbytes: int  # of an element


class _Short(NamedTuple):
    """A schedule for arrays that begin at multiples of so many bytes."""

    schedule: ReduceSchedule
    width: int


def short_schedule(
    shape: tuple[int, ...], axes: tuple[int, ...], operands: Sequence[Any], out: GpuArray, target: Target
) -> ReduceSchedule | None:
    """Return the schedule of this kernel that reduces ``axes`` of ``shape``; None where the other one is to.

    ``operands``: arrays and layouts of index variables.
    """
    if not target.is_gpu:
        return None
    sizes = [item.dtype.itemsize if type(item) is GpuArray else 0 for item in operands]
    facts = tuple([_Facts(item.shape, item.strides, nbytes) for item, nbytes in zip(operands, sizes, strict=True)])
    found = _found(shape, axes, facts, out.dtype.itemsize, target)
    if found is None:
        return None
    arrays = [(item, nbytes) for item, nbytes in zip(operands, sizes, strict=True) if nbytes]
    arrays.append((out, out.dtype.itemsize))
    aligned = [item.storage.buffer.aligned and item.offset * nbytes % found.width == 0 for item, nbytes in arrays]
    return found.schedule if all(aligned) else None


@cached
def _found(
    shape: tuple[int, ...], axes: tuple[int, ...], facts: tuple[_Facts, ...], result: int, target: Target
) -> _Short | None:
    """``result``: the bytes of an output."""
    order = order_of(shape, axes, target)
    kept, reduced, steps = collapsed(shape, axes, [own[:2] for own in facts])
    if order.segments > 1 or len(reduced) > 1 or order.n < 2 or order.n * order.outputs < tuning.SHORT_FROM:
        return None
    lying = _lying(order.n, kept, facts, steps)
    if lying is None:
        return None
    rows, columns, distances = lying
    apart = bool(columns) or len(kept) > 1
    group, staged = tuning.GPU_GROUP, False
    for width in (16, 8, 4, 2, 1) if apart else (UNIT_BYTES,) if rows else ():
        if any([distance % width for distance in distances]):
            continue
        if many := _outputs(order.n, kept, rows, columns, width, result):
            break
    else:
        if apart or not rows:
            return None
        many, width, group = _through_local_memory(order.n, rows)
        if not group:
            return None
        staged = True
    spec = ReduceSpec(
        False, tuning.ACCUMULATORS, 0, group, order.lanes_per_output, order.lanes_per_output, True,
        len(kept), 1, modes_of(r[0] for _, r in steps), integer_of(order, kept + reduced, steps, target), False,
        many, modes_of(k[-1] for k, _ in steps), elements=order.n, width=width, staged=staged,
    )  # fmt: skip
    numbers = (order.n, order.length, 1, order.outputs, 1, 1, *kept, *reduced, 0, 0)
    groups = -(-order.outputs // (many * group))
    flat = tuple(place for k, r in steps for place in k + r)
    schedule = ReduceSchedule(spec, groups * group, False, 1, order.outputs, numbers, flat)
    return _Short(schedule, UNIT_BYTES if staged else width)


def _lying(
    n: int, kept: tuple[int, ...], facts: tuple[_Facts, ...], steps: list[Strides]
) -> tuple[list[int], list[int], list[int]] | None:
    """How the elements of outputs lie in memory; None where some are neither contiguous rows nor columns.

    The bytes of an element of operands whose outputs are contiguous rows, and of those whose outputs are contiguous
    columns; and the distances in bytes between accesses of a work-item, and between work-items.
    """
    rows: list[int] = []
    columns: list[int] = []
    distances: list[int] = []
    for own, (k, (step,)) in zip(facts, steps, strict=True):
        steps_between = [outer for outer, extent in zip(k[:-1], kept, strict=False) if extent > 1]
        if not own.nbytes or not (k[-1] or step):
            continue
        if k[-1] == 1:
            columns.append(own.nbytes)
            steps_between.append(step)
        elif step == 1 and k[-1] == n:
            rows.append(own.nbytes)
        elif k[-1] and step:
            return None
        distances += [own.nbytes * distance for distance in steps_between]
    return rows, columns, distances


def _through_local_memory(n: int, rows: list[int]) -> tuple[int, int, int]:
    """The outputs of a work-item whose rows are in local memory, the bytes of an access there, and the work-items of a
    group; 0 where there is no room."""
    many = next(many for many in (1, 2, 4) if not any([many * n * nbytes % 4 for nbytes in rows]))
    row_bytes = [many * n * nbytes for nbytes in rows]
    width = next(width for width in (16, 8, 4) if not any([own % width for own in row_bytes]))
    staging = staging_of(row_bytes, tuning.GPU_GROUP, tuning.STAGED_BYTES)
    fits = staging is not None and max(row_bytes) <= tuning.SHORT_STAGED_BYTES[max(rows)]
    return many, width, staging.group if staging is not None and fits else 0


def _outputs(n: int, kept: tuple[int, ...], rows: list[int], columns: list[int], width: int, result: int) -> int:
    """The outputs of a work-item whose accesses take ``width`` bytes; 0 if there are none.

    Enough that its results fill an access, too, unless its elements take too many registers.
    """
    fitting = [
        many
        for many in (1, 2, 4, 8, 16)
        if not any([many * n * nbytes % width and nbytes < width for nbytes in rows])
        and not any([many * nbytes % width and nbytes < width for nbytes in columns])
        and (len(kept) == 1 or kept[-1] % many == 0)
        and many * n * sum(rows) <= tuning.SHORT_ROW_BYTES
        and many * n * sum(columns) <= tuning.SHORT_COLUMN_BYTES
        and many * max(columns, default=0) <= 16
    ]
    return next((many for many in fitting if many * result >= width), fitting[-1]) if fitting else 0


class _Array(NamedTuple):
    """The elements of an operand that a work-item holds: ``outer`` times ``inner`` of them, as C.

    ``access``: those of an access; ``out``, ``in_``: the strides; ``place``: that of element ``e`` of output ``c``;
    ``left``: those of the inner ones that there are in the last work-item.
    """

    own: Operand
    access: int
    outer: str
    out: str
    inner: str
    in_: str
    place: str
    left: str

    @property
    def declared(self) -> str:
        return f"R_{self.own.short} {self.own.name}_v[{self.outer} * {self.inner}];"

    @property
    def element(self) -> str:
        return f"R_{self.own.short} {self.own.name} = {self.own.name}_v[{self.place}];"

    def read(self, part: bool) -> str:
        """The statement that reads all elements, or in the last work-item a ``part`` of them."""
        name, short = self.own.name, self.own.short
        place = f"{name}_b + j * (S_i64)({self.out})"
        into = f"{name}_v + j * {self.inner} + k"
        loops = f"UNROLL for (int j = 0; j < {self.outer}; j++) "
        loops += f"UNROLL for (int k = 0; k < {self.inner}; k += {self.access})"
        if self.access > 1 and part:
            return f"{loops} FROMV_{short}(FETCH_{short}(p{name}, {place} + k, {self.left} - k), {into});"
        if self.access > 1:
            return f"{loops} LOADV_{short}(p{name}, {place} + k, {into});"
        k = f"(k < {self.left} ? k : 0)" if part else "k"
        return f"{loops} *({into}) = LOAD1_{short}(p{name}, {place} + {k} * (S_i64)({self.in_}));"


class _Held(_Array):
    """An operand whose rows are in local memory, with zeros behind the last one."""

    def read(self, part: bool) -> str:
        name, short, count = self.own.name, self.own.short, self.access
        held = f"HELDV_{short}({name}_l, LID * PITCH_{short} + k, {name}_v + k)"
        if count == 1:
            held = f"{name}_v[k] = FROM_{short}({name}_l[LID * PITCH_{short} + k])"
        return f"UNROLL for (int k = 0; k < {self.inner}; k += {count}) {held};"


class ShortText(ReductionText):
    """The text of the kernel."""

    @property
    def accesses(self) -> Iterable[tuple[str, int]]:
        shorts = [own.short for own in self.operands if not own.is_iota] + [SHORT[dtype] for _, dtype in self.results]
        return {(short, count) for short in shorts if (count := self._count(short)) > 1}

    def _constants(self) -> dict[str, object]:
        return {
            **super()._constants(),
            "ROUNDED": self.monoid.rounds(self.dtype),
            "ELEMENTS": self.spec.elements,
            "LANES_PER_OUTPUT": self.spec.lanes_per_output,
            "OUTPUTS": self.spec.columns,
            "IN_PARTS": self.part != self.short,
            "SIZE": self.spec.group,
            "CHUNK": self.spec.group * self.spec.columns * self.spec.elements,
        }

    def kernel(self) -> str:
        """The kernel of the only launch."""
        text = self._head()
        if self.spec.staged:
            text += moves([DTYPE_OF[own.short] for own in self._staged()], self.spec.columns * self.spec.elements)
            whole = [(own.short, count) for own in self._staged() if (count := self._count(own.short)) > 1]
            text += vectors_of(whole, "HELD_VECTORS")
        return text + section("reduce", "short", **self._hooks())

    def _staged(self) -> list[Operand]:
        """The operands whose rows go through local memory: all that have rows."""
        facts = zip(self.operands, self.spec.modes, self.spec.column_modes, strict=True)
        return [
            own for own, along, across in facts if self.spec.staged and not own.is_iota and ZERO not in along + across
        ]

    def _brought(self) -> list[str]:
        """The statements that read the rows of a group into local memory."""
        staged = self._staged()
        return brought(staged, staged, "ELEMENTS") if staged else []

    def _count(self, short: str) -> int:
        """The elements of an access."""
        return max(1, self.spec.width // DTYPE_OF[short].itemsize)

    def _hooks(self) -> dict[str, Hook]:
        operands = [*zip(self.operands, self.spec.modes, self.spec.column_modes, strict=True)]
        arrays = [self._array(*own) for own in operands if not own[0].is_iota]
        last = f"k{self.spec.kept_rank - 1}"
        return super()._hooks() | {
            "P": self.part,
            "brought": self._brought(),
            "outputs": self._outputs(self.spec.kept_rank),
            "declared": [own.declared for own in arrays],
            "whole": [own.read(False) for own in arrays],
            "part": [own.read(True) for own in arrays],
            "element": [own.element for own in arrays]
            + [
                f"R_i64 {own.name} = SPLAT_i64({own.name}_b + c * p.{own.name}_{last} + e * p.{own.name}_r0);"
                for own in self.operands
                if own.is_iota
            ],
            **self._stored(),
        }

    def _array(self, own: Operand, along: str, across: str) -> _Array:
        """How a work-item holds an operand. ``along``, ``across``: the letters of its strides."""
        count, to_output = self._count(own.short), f"p.{own.name}_k{self.spec.kept_rank - 1}"
        if across == UNIT and along == ZERO:
            return _Array(own, count, "1", "0", "OUTPUTS", "1", "c", "left")
        if across == UNIT:
            return _Array(own, count, "ELEMENTS", f"p.{own.name}_r0", "OUTPUTS", "1", "e * OUTPUTS + c", "left")
        if across == ZERO:
            inner, index = ("1", "0") if along == ZERO else ("ELEMENTS", "e")
            return _Array(own, 1, "1", "0", inner, f"p.{own.name}_r0", index, inner)
        if along == ZERO:
            return _Array(own, 1, "1", "0", "OUTPUTS", to_output, "c", "left")
        kind = _Held if self.spec.staged else _Array
        return kind(own, count, "1", "0", "OUTPUTS * ELEMENTS", "1", "c * ELEMENTS + e", "left * ELEMENTS")

    def _stored(self) -> dict[str, Hook]:
        """The statements that store the results of all outputs of a work-item, and those of the first ``left``."""
        declared, values, whole, part = [], [], [], []
        for name, t, word in self._kept("total.value", "total.at", "(first + (c < left ? c : 0))"):
            count, place = self._count(t), f"p.{name}_0 + first"
            one = f"STOREN_{t}({name}, {place} + c, 1, 1, {name}_v[c]);"
            each = f"EACH_OUTPUT {one}"
            if count > 1 and self.spec.columns % count == 0:
                together = f"STOREV_{t}({name}, {place} + c, {name}_v + c);"
                each = f"UNROLL for (int c = 0; c < OUTPUTS; c += {count}) {together}"
            declared.append(f"R_{t} {name}_v[OUTPUTS];")
            values.append(f"{name}_v[c] = {word};")
            whole.append(each)
            part.append(f"EACH_OUTPUT if (c < left) {one}")
        return {"results": declared, "stored": values, "store_whole": whole, "store_part": part}
