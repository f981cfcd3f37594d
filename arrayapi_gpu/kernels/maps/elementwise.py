"""The element-wise kernel: one scalar program over any number of strided operands, and several results.

Each operand's innermost dimension is contiguous, constant or strided; its row is found by dividing the number of a
work-item by the outer dimensions. A short last register touches no memory beyond its elements. A `Tiling`
(elementwise_tiling.py) describes the items' shares of the elements.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...backends.base import Buffer, Device, Kernel
from ...config import config
from ...memory.dtypes import DTYPE_OF, SHORT
from ..core import tuning
from ..core.body import OPERAND, STEP, Body, Reference, T, X
from ..core.dialect import (
    PACKED,
    STRIDED,
    UNIT,
    WRAPPED,
    Parameters,
    Place,
    arguments,
    cast,
    expression,
    fill,
    fill_packed,
    fill_wrapped,
    over_run,
    parameters_of,
    pointers_of,
    run,
    run_length,
    runs,
    scalars_of,
    store,
    strides_of,
    vectors_of,
)
from ..core.launch import BoundKernel, BoundLaunch, KernelMissing, compiled
from ..core.schedule import Schedule, generic_schedule
from ..core.specialise import Uses, background, uses_before
from ..core.store import stored
from ..core.texts import Hook, section, statements
from ..core.traffic import Traffic
from . import packed_rows
from .elementwise_tiling import Tiling, alignment, tiling_of

WORD = 4  # bytes of a register


class Variant(NamedTuple):
    """A kernel and the facts for its launches."""

    kernel: Kernel
    parameters: Parameters
    group: int  # work-items
    span: int  # elements of a row, and
    strip: int  # rows, that so many work-items take:
    items: int
    most: int  # work-items of a launch, if each goes on until all is done; otherwise 0


class Expression:
    """A body on a device, and what the layouts of its operands have in common (see `specialise`)."""

    __slots__ = ("_generic", "body", "device", "known", "names")

    def __init__(self, device: Device, body: Body):
        self.device = device
        self.body = body
        self.names = "+".join(body.operations) or "copy"
        self.known = False  # it has met a layout
        self._generic: dict[int, Variant] = {}  # by rank

    def variant(self, schedule: Schedule, wide: bool, tiling: Tiling) -> Variant:
        """Return a kernel for a kind of schedule."""
        text = Text(self.body, schedule, tiling, "i64" if wide else "i32", self.device.is_gpu)
        span, strip, each = self.device.lanes * tiling.width, tiling.strip, 1
        if tiling.staged:
            span, strip, each = tiling.tile, tiling.tile, tiling.group
        kernel = compiled(self.device, text.write(), text.name_of_kernel)
        return Variant(kernel, text.parameters, tiling.group, span, strip, each, tiling.most)

    def generic(self, schedule: Schedule, elements: int) -> Variant | None:
        """Return the kernel for all schedules of this rank.

        None if so many elements should have their own kernel at once, or if the kernel would need more arguments than
        the device takes.
        """
        variant = self._generic.get(schedule.rank)
        if variant is None:
            if (elements >= uses_before(self.device) and config.specialise != "never") or not self._fits(schedule):
                return None
            tiling = Tiling(tuning.GPU_GROUP) if self.device.is_gpu else Tiling(tuning.SPAN_GROUP, tuning.SPAN)
            variant = self._generic[schedule.rank] = self.variant(schedule, True, tiling)
        return variant

    def _fits(self, schedule: Schedule) -> bool:
        arrays, memory = len(schedule.modes), len(self.body.memory)
        scalars = sum(max(8, dtype.itemsize) for dtype in self.body.scalars)
        return 8 * ((arrays + 1) * (schedule.rank + 2) + 2 * memory) + scalars <= self.device.parameter_bytes

    def prepare(self, variant: Variant) -> None:
        """Do the work that drivers put off until a kernel's first launch."""
        kernel, parameters, group, *_ = variant
        body = self.body
        buffers = len(body.dtypes) + sum(not is_iota for _, is_iota in body.operands) + len(body.memory)
        values = [int(name in ("spans", "strips") or name[0] == "d") for name, _ in parameters.fields]  # an empty row
        self.device.prepare(kernel, group, buffers, parameters.pack(values))


class Elementwise:
    """The element-wise kernels for one body and one kind of schedule: for any memory, and for aligned memory."""

    __slots__ = (
        "_checked", "_expression", "_grain", "_kernels", "_least", "_names", "_schedule", "_sizes", "_uses", "_wide",
        "device",
    )  # fmt: skip

    def __init__(self, device: Device, body: Body, schedule: Schedule, wide: bool):
        expression = stored((Expression, device, body), lambda: Expression(device, body))
        self.device = device
        self._expression = expression
        self._schedule = schedule
        self._wide = wide
        self._names = expression.names
        # The bytes of an element of each result, operand and gathered memory.
        operands = [0 if is_iota else dtype.itemsize for dtype, is_iota in body.operands]
        self._sizes = tuple([one.itemsize for one in body.dtypes]), operands, sum([one.itemsize for one in body.memory])
        self._kernels: dict[bool, Variant] = {}
        self._uses = Uses(uses_before(device)), Uses(uses_before(device))
        # From ``_least`` elements on, aligned memory has its own kernel, if the results and operands of the numbers
        # ``_checked`` begin at multiples of ``_grain`` elements.
        self._grain, self._least, self._checked = alignment(device, body, schedule)

    def run(
        self, schedule: Schedule, buffers: list[Buffer], offsets: Sequence[int], scalars: Sequence[Any]
    ) -> BoundLaunch:
        """Launch. ``buffers`` and ``offsets``: results, operands in memory, gathered memory; index variables have
        offsets only and stand among the operands.

        Return the launch, which may be repeated for memory of the same alignment.
        """
        elements = schedule.inner * schedule.rows
        aligned = self._grain > 1 and elements >= self._least and self._aligned(schedule, buffers, offsets)
        launch: BoundLaunch
        if (own := self.own(aligned)) is not None:
            launch = self.bound(own, schedule, offsets)
        else:
            launch = self._stand_in(aligned, schedule, offsets)
        launch.run(buffers, scalars)
        return launch

    def own(self, aligned: bool) -> Variant | None:
        """Return the kernel for this kind of schedule; None if it is not compiled yet."""
        return self._kernels.get(aligned)

    def bound(self, variant: Variant, schedule: Schedule, offsets: Sequence[int]) -> BoundKernel:
        """Return the launch of a kernel over a schedule."""
        kernel, parameters, group, span, strip, each, most = variant
        head = head_of(schedule, span, strip)
        items = -(-schedule.inner // span) if schedule.rank == 1 else head[1] * head[2] * each
        if most:
            items = min(items, most)
        tail = schedule.strides + schedule.shifts + schedule.packed
        moved = self._moved(schedule)
        return BoundKernel(self.device, kernel, self._names, items, group, parameters, head, offsets, tail, moved)

    def _moved(self, schedule: Schedule) -> Traffic:
        """Return the bytes that a launch reads and writes, if it gathers one element of memory for each of its own."""
        results, operands, memory = self._sizes
        extents, own = schedule.extents, len(results)
        read = sum(map(operator.mul, extents[own:], operands)) + memory * schedule.inner * schedule.rows
        return Traffic(read, sum(map(operator.mul, extents[:own], results)))

    def _aligned(self, schedule: Schedule, buffers: Sequence[Buffer], offsets: Sequence[int]) -> bool:
        if schedule.grain % self._grain or (self.device.is_gpu and schedule.inner_grain % self._grain):
            return False
        if any(offsets):
            for number in self._checked:
                if offsets[number] % self._grain:
                    return False
        for buffer in buffers:  # a loop, since a generator takes thrice as long
            if not buffer.aligned:
                break
        else:
            return True
        return False

    def _stand_in(self, aligned: bool, schedule: Schedule, offsets: Sequence[int]) -> BoundLaunch:
        """Return the launch of a schedule that does not have its own kernel yet, by the generic kernel if that pays."""
        expression, elements, specialise = self._expression, schedule.inner * schedule.rows, config.specialise
        if schedule.packed:  # the generic kernel takes so many times as long
            elements *= self.device.lanes
        if specialise == "always" or schedule.wraps or (specialise == "by use" and not expression.known):
            own = self._compile(aligned)
            expression.known = True
            return self.bound(own, schedule, offsets)
        taken, variant = schedule, self.own(False)  # the kernel for any memory serves aligned memory, too
        if variant is None:
            taken = generic_schedule(schedule.unpacked or schedule)
            variant = expression.generic(taken, elements)
            if variant is None:
                return self.bound(self._compile(aligned), schedule, offsets)
        return StandIn(self, self.bound(variant, taken, offsets), aligned, schedule, offsets, elements)

    def count(self, aligned: bool, elements: int) -> None:
        """Count a launch of another kernel over so many elements. The layout gets its own kernel in the background when
        it has many."""
        if self._uses[aligned].reach(elements) and config.specialise != "never":
            background.submit(partial(self._compile, aligned, ahead=True))

    def _compile(self, aligned: bool, ahead: bool = False) -> Variant:
        """Make the kernel that is used from now on; ``ahead``: before it is needed."""
        expression = self._expression
        tiling = tiling_of(self.device, expression.body, self._schedule, aligned, self._grain)
        try:
            variant = expression.variant(self._schedule, self._wide, tiling)
        except KernelMissing as missing:
            raise KernelMissing(partial(self._compile, aligned, ahead=True), missing.key) from None
        if ahead:
            expression.prepare(variant)
        self._kernels[aligned] = variant
        return variant


class StandIn:
    """A `BoundLaunch` of another kernel, which counts its uses, until the layout has its own kernel."""

    __slots__ = ("_aligned", "_elements", "_kernels", "_launch", "_offsets", "_schedule")

    def __init__(
        self,
        kernels: Elementwise,
        launch: BoundKernel,
        aligned: bool,
        schedule: Schedule,
        offsets: Sequence[int],
        elements: int,
    ):
        self._kernels: Elementwise | None = kernels  # None: the launch is that of the own kernel
        self._launch, self._aligned, self._elements = launch, aligned, elements
        self._schedule, self._offsets = schedule, offsets

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        kernels = self._kernels
        if kernels is not None:
            own = kernels.own(self._aligned)
            if own is None:
                kernels.count(self._aligned, self._elements)
            else:
                self._launch = kernels.bound(own, self._schedule, self._offsets)
                self._kernels = None
        self._launch.run(buffers, scalars, offsets)


def head_of(schedule: Schedule, span: int, strip: int) -> tuple[int, ...]:
    """Return the sizes that a kernel takes first.

    They are the number of elements of a row; and, for several rows, the numbers of spans in a row and of strips of
    rows, and the extents of the rows. ``span``, ``strip``: the elements of a row, and the rows, that a work-item takes.
    """
    if schedule.rank == 1:
        return (schedule.inner,)
    shape = schedule.shape
    strips = schedule.rows // shape[-1] * -(-shape[-1] // strip)
    return (schedule.inner, -(-schedule.inner // span), strips, *shape)


class Text:
    """The text of a kernel, for a kind of schedule."""

    def __init__(self, body: Body, schedule: Schedule, tiling: Tiling, index: str, is_gpu: bool):
        self.body, self.schedule, self.tiling, self.is_gpu = body, schedule, tiling, is_gpu
        self.index = index
        self.results = [f"o{k}" for k in range(len(body.results))]
        self.names = self.results + [f"x{k}" for k in range(len(body.operands))]
        self.name_of_kernel = body.kernel_name("elementwise", schedule.rank)
        self.shorts = [SHORT[dtype] for dtype in (*body.dtypes, *[dtype for dtype, _ in body.operands])]
        once = tiling.down if tiling.rows else tiling.along
        # Whether all registers hold equally many elements. A row past the end is the last one again: where a branch for
        # each would cost more than the row, it is written once more.
        self.alike = tiling.count == 1 or (tiling.rows and tiling.span > 1)
        # Whether all accesses are whole, because a row is so many of them.
        self.whole = tiling.vectors and (tiling.rows or WRAPPED in schedule.modes)
        # Whether all registers may be read, because columns end where work-items do.
        self.readable = is_gpu and tiling.rows and not tiling.staged
        self.of_scalars = body.invariant(range(len(body.operands)))  # steps of scalars alone, for any tiling
        self.once = {X[k] for k in once[0]} | {T[number] for number in once[1] | self.of_scalars}

        # In the order in which `Elementwise.run` packs them.
        rank = schedule.rank
        sizes = ["n"] if rank == 1 else ["n", "spans", "strips", *[f"d{axis}" for axis in range(rank - 1)]]
        strides = strides_of(self.names, schedule.modes, rank)
        strides += [f"{self.names[operand]}_w{axis}" for operand, axis in schedule.wraps]
        if schedule.packed:
            strides += ["width", "reciprocal"]
            strides += [f"{name}_row" for name, mode in zip(self.names, schedule.modes, strict=True) if mode == PACKED]
        self.parameters = parameters_of(body, sizes, self.names, strides, index, index)

    def write(self) -> str:
        """Return the kernel."""
        body, tiling = self.body, self.tiling
        lines = [self.parameters.text()]
        if tiling.vectors:
            lines.append(vectors_of((short, tiling.access) for short in self.accessed()).rstrip())
        if self.schedule.wraps:
            lines.append(section("elementwise", "wrapped").rstrip())
            if tiling.vectors:
                lines += betweens(self.accessed(WRAPPED), tiling.count)
        if self.schedule.packed and not self.is_gpu:
            lines.append(section("elementwise", "packed").rstrip())
        if tiling.several:
            lines.append(section("elementwise", "each", count=tiling.count).rstrip())
        lines.append(body.described())
        # A work-item of CUDA may take 255 of 65,536 registers, so larger groups have to declare their size.
        attribute = f"GROUPS_OF({tiling.group}) " if tiling.group > tuning.GPU_GROUP else ""
        kernel = section(
            "elementwise",
            "kernel",
            attribute=attribute,
            kernel=self.name_of_kernel,
            arguments=arguments(pointers_of(body, body.dtypes)),
            place=self.place(),
            scalars=scalars_of(body),
            along=self.compute(*tiling.along, partial=False),
            elements=self.elements(),
        )
        return "\n".join([*lines, kernel])

    def lines(self, title: str, **hooks: Hook) -> list[str]:
        """Return a section of elementwise.c."""
        tiling = self.tiling
        own: dict[str, Hook] = {
            "I": self.index,
            "count": tiling.count,
            "rows_of_strip": tiling.strip,
            "tile": tiling.tile,
        }
        own["ahead"] = tiling.ahead
        return statements("elementwise", title, **own, **hooks)

    def elements(self) -> list[str]:
        """Return the loads, the steps and the stores, for all registers of the item."""
        tiling, values, results = self.tiling, self.values(), self.keep()
        registers = partial(self.lines, "registers", packed=packed_rows.places(self), values=values, results=results)
        if tiling.most:
            return self.until_all_is_done(registers)
        once = registers(counts=self.counts(self.whole))
        return self.lines("span", registers=once) if tiling.span > 1 else once

    def values(self) -> list[str]:
        """Return the registers of the operands and of the steps, except for those that stay the same along a row."""
        body, (along, along_steps), (down, down_steps) = self.body, self.tiling.along, self.tiling.down
        others = frozenset(range(len(body.operands))) - along - down
        lines = [*self.compute(down, (), common=True), *self.compute(others, ())]
        # Steps in the program's order, so that values common to all rows wait in no register until they are needed.
        for number in sorted(frozenset(range(len(body.steps))) - along_steps):
            lines += self.compute((), (number,), common=number in down_steps)
        return lines

    def until_all_is_done(self, registers: Callable[..., list[str]]) -> list[str]:
        """Return whole accesses until less than one is left. The last one has its own code, because with a branch in
        the loop 2^28 uniform float32 took an H100 0.59 ms instead of 0.42. So have launches whose runs are whole
        blocks, because only there NVRTC moves the keys of the rounds out of the loop."""
        steps = [number for number in range(len(self.body.steps)) if self.in_runs(number)]
        bases = [self.at(len(self.results) + self.body.steps[number][1][0].number).base for number in steps]
        overs = {number: over_run(self.body, number, base) for number, base in zip(steps, bases, strict=True)}
        width = self.tiling.width
        return self.lines(
            "until_all_is_done",
            width=width,
            overs=" | ".join(overs.values()),
            whole=[f"const int over{number} = 0;" for number in overs],
            parts=[f"const int over{number} = {over};" for number, over in overs.items()],
            loop=self.lines("loop", width=width, registers=registers(counts=self.counts(whole=True))),
            registers=registers(counts=self.counts()),
        )

    def accessed(self, modes: str = UNIT + WRAPPED) -> list[str]:
        """Return the dtypes of arrays in memory that have one of some modes, whose elements are neighbours."""
        is_iota = [False] * len(self.results) + [is_iota for _, is_iota in self.body.operands]
        arrays = zip(self.shorts, self.schedule.modes, is_iota, strict=True)
        return [short for short, mode, iota in arrays if mode in modes and not iota]

    def place(self) -> list[str]:
        """Return the place of the item's elements: from column ``i`` on, or from ``first`` to ``last``, of rows that
        begin at bases."""
        tiling = self.tiling
        if tiling.most:
            return []
        row = self.row() if self.schedule.rank > 1 else {}
        if tiling.staged:
            return self.lines("tile", staged=self.stage(), rows=self.lines("rows", **row), **row)
        width = f"{tiling.width} * LANES" if tiling.width > 1 else "LANES"
        span = "_span" if tiling.span > 1 else ""
        if self.schedule.rank == 1:
            return self.lines("flat_spaced" if tiling.spacing == "GROUP_SIZE" else f"flat{span}", width=width)
        strips, spans = "item / p.spans", "item % p.spans"
        if tiling.downwards:
            strips, spans = "item % p.strips", "item / p.strips"
        below: list[str] = []
        if tiling.rows:
            below = self.lines("strip", rows=self.lines("rows", **row), **row)
        return self.lines(f"row{span}", strip=strips, span=spans, width=width, strip_of_rows=below, **row)

    def row(self) -> dict[str, Hook]:
        """Return the coordinates of the item's first row, the last of them and its extent, and the places of arrays
        there."""
        axis, tiling = self.schedule.rank - 2, self.tiling
        together = tiling.tile if tiling.staged else tiling.strip
        coordinates = []
        for k in range(axis, 0, -1):
            extent = f"p.d{k}" if k < axis or together == 1 else f"((p.d{k} + {together - 1}) / {together})"
            coordinates.append(f"S_{self.index} c{k} = strip % {extent}; strip /= {extent};")
        coordinates.append(f"S_{self.index} c0 = strip;")
        return {"coordinates": coordinates, "row": f"c{axis}", "extent": f"d{axis}", "bases": self.bases()}

    def bases(self) -> list[str]:
        """Return the place in each array at which the item's row begins, or each of its rows."""
        schedule, tiling, lines = self.schedule, self.tiling, []
        coordinates = [f"c{axis}" for axis in range(schedule.rank - 1)]
        if tiling.rows:
            coordinates[-1] = "row[k]"
        for number, name in enumerate(self.names):
            if number - len(self.results) in tiling.staged:
                continue
            at = list(coordinates)
            for operand, axis in schedule.wraps:
                if operand == number and axis < schedule.rank - 1:
                    at[axis] = f"WRAPPED({coordinates[axis]} + p.{name}_w{axis}, p.d{axis})"
            terms = [f"p.{name}_0", *[f"{c} * p.{name}_s{axis}" for axis, c in enumerate(at)]]
            if tiling.rows and not schedule.row_invariant[number]:
                lines += [f"S_{self.index} {name}_b[{tiling.count}];", f"EACH {name}_b[k] = {' + '.join(terms)};"]
            else:
                lines.append(f"S_{self.index} {name}_b = {' + '.join(terms[:-1] if tiling.rows else terms)};")
        return lines

    def stage(self) -> list[str]:
        """Return the statements that load tiles of operands into local memory."""
        rank = self.schedule.rank
        lines: list[str] = []
        for k in sorted(self.tiling.staged):
            terms = [f"p.x{k}_0", *[f"c{axis} * p.x{k}_s{axis}" for axis in range(rank - 2)]]
            terms += [f"down * p.x{k}_s{rank - 2}", f"across[k] * p.x{k}_s{rank - 1}"]
            short = SHORT[self.body.operands[k][0]]
            lines += self.lines("staged", T=short, x=f"x{k}", element=" + ".join(terms), extent=f"d{rank - 2}")
        return lines

    def counts(self, whole: bool = False) -> list[str]:
        """Return the statements that count the elements of each register; ``whole``: one each."""
        tiling, end, axis = self.tiling, "last" if self.tiling.span > 1 else "p.n", self.schedule.rank - 2
        if self.alike:
            return self.lines("count", end=end)
        if not tiling.rows:
            return self.lines("counts_of_neighbours", inside="1" if whole else "at[k] < p.n")
        inside = f"c{axis} + {tiling.ahead} < p.d{axis}"
        if self.whole:
            return self.lines("counts_of_rows", inside="1", lanes="1")
        if tiling.staged:
            return self.lines("counts_of_rows", inside=f"{inside} && i < p.n", lanes="1")
        return self.lines("counts_of_rows", inside=inside, lanes=f"{end} - i < LANES ? (int)({end} - i) : LANES")

    def name(self, reference: Reference) -> str:
        """Return the register of a value: one of an array of them, if it differs between those that are taken
        together."""
        several = self.tiling.several and reference.kind in (OPERAND, STEP) and reference not in self.once
        return f"{reference}[k]" if several else str(reference)

    def at(self, number: int, common: bool = False) -> Place:
        """Return the elements of a result or operand in a register."""
        schedule, tiling, name = self.schedule, self.tiling, self.names[number]
        base = f"p.{name}_0" if schedule.rank == 1 else f"{name}_b"
        if tiling.rows and not schedule.row_invariant[number]:
            base += "[k]"
        step = f"p.{name}_s{schedule.rank - 1}" if schedule.modes[number] in STRIDED + WRAPPED + PACKED else "1"
        at = f"(i + k % {tiling.near})" if tiling.near > 1 else "i" if tiling.count == 1 or tiling.rows else "at[k]"
        return Place(base, at, step, self.lanes(common))

    def accesses(self, base: str, registers: str) -> list[tuple[str, str]]:
        """Return the place of each access of the item in an array with a base, and its first register."""
        tiling = self.tiling
        own = [(base.replace("[k]", f"[{k}]"), f" + {k}" * (k > 0)) for k in range(0, tiling.count, tiling.access)]
        return [(f"{place} + i", f"{registers}{further}") for place, further in own]

    def lanes(self, common: bool) -> str:
        """Return the number of elements in a register, as C; of those that are read, rows past the end included."""
        return "LANES" if self.readable else self.counted(common)

    def counted(self, common: bool = False) -> str:
        """Return the number of elements in a register that the array has, as C."""
        return "n" if self.alike else "n[0]" if common else "n[k]"

    def compute(
        self, operands: Iterable[int], steps: Iterable[int], partial: bool = True, common: bool = False
    ) -> list[str]:
        """Return the loads of some operands, and then some steps; ``common`` to all rows."""
        fetches, lines = [], []
        for k in sorted(operands):
            dtype, is_iota = self.body.operands[k]
            number = len(self.results) + k
            reference = X[k]
            register, mode, place = self.name(reference), self.schedule.modes[number], self.at(number, common)
            shift = f"p.x{k}_w{self.schedule.rank - 1}"
            if mode == WRAPPED and self.tiling.vectors:
                fetches += self.lines("fetch_between", T=SHORT[dtype], x=f"x{k}", base=place.base, shift=shift)
                lines += self.lines("from_between", T=SHORT[dtype], x=f"x{k}")
                continue
            if mode == PACKED and self.is_gpu:
                lines += packed_rows.loads(self, k, place)
                continue
            if mode == WRAPPED:
                statement = fill_wrapped(register, f"px{k}", SHORT[dtype], shift, "p.n", self.index, place)
            elif mode == PACKED:
                statement = fill_packed(register, f"px{k}", SHORT[dtype], is_iota, f"p.x{k}_row", place)
            else:
                statement = fill(register, f"px{k}", SHORT[dtype], is_iota, mode, place)
            if k in self.tiling.staged:
                tile = self.tiling.tile
                statement = f"{register} = x{k}_tile[LID % {tile}][LID / {tile} + {self.tiling.ahead}];"
            elif self.tiling.vectors and mode == UNIT and not is_iota:
                short = SHORT[dtype]
                left, converted = self.tiling.access if self.whole else "p.n - i", ""
                for row, (first, registers) in enumerate(self.accesses(place.base, f"x{k}")):
                    own = f"x{k}_v{row or ''}"
                    fetches.append(f"V_{short} {own} = FETCH_{short}(px{k}, {first}, {left});")
                    converted += f" FROMV_{short}({own}, {registers});"
                lines.append(f"R_{short} x{k}[{self.tiling.count}];{converted}")
                continue
            lines += self.value(reference, "i64" if is_iota else SHORT[dtype], statement)
        for number in sorted(steps):
            reference = T[number]
            if self.in_runs(number):
                lines += self.run(number)
                continue
            count = "LANES" if number in self.of_scalars else self.lanes(common)
            word = expression(self.body, number, self.name, count, partial)
            lines += self.value(reference, SHORT[self.body.dtype_of(reference)], f"{self.name(reference)} = {word};")
        return fetches + lines

    def in_runs(self, number: int) -> bool:
        """Return whether a step computes neighbours together: on CPUs those of a register, on GPUs those of an
        access."""
        length = run_length(self.body, number, self.schedule.modes[len(self.results) :])
        tiling = self.tiling
        return length > 0 and (not self.is_gpu or (tiling.vectors and not tiling.rows and tiling.count % length == 0))

    def run(self, number: int) -> list[str]:
        """Return the statements of a step that computes neighbours together."""
        reference, index = T[number], self.body.steps[number][1][0].number
        place, short = self.at(len(self.results) + index), SHORT[self.body.dtype_of(reference)]
        if not self.tiling.vectors:
            statement = run(self.body, number, f"&{self.name(reference)}", 1, place.first)
            return self.value(reference, short, f"{{ {statement} }}")
        over = f"over{number}" if self.tiling.most else ""
        registers = runs(self.body, number, str(reference), self.tiling.count, f"{place.base} + i", over)
        return [f"R_{short} {reference}[{self.tiling.count}];", *registers]

    def value(self, reference: Reference, short: str, statement: str) -> list[str]:
        """Return the declaration of a value's register, or array of registers, and the statement that fills it."""
        if self.name(reference) != str(reference):
            return [f"R_{short} {reference}[{self.tiling.count}];", f"EACH {statement}"]
        if statement.startswith(("if", "{")):
            return [f"R_{short} {reference};", statement]
        return [f"R_{short} {statement}"]

    def keep(self) -> list[str]:
        """Return the stores of the results."""
        tiling = self.tiling
        lines = []
        for number, (reference, dtype) in enumerate(zip(self.body.results, self.body.dtypes, strict=True)):
            name, short, place = self.results[number], SHORT[dtype], self.at(number)
            place = place._replace(lanes=self.counted())
            value = cast(self.name(reference), self.body.dtype_of(reference), dtype)
            each = "EACH " if tiling.several else ""
            word = "STREAM" if tiling.streams else "STORE"
            if tiling.vectors:
                lines += [f"R_{short} r{number}[{tiling.count}];", f"EACH r{number}[k] = {value};"]
                accesses = self.accesses(place.base, f"r{number}")
                whole = [f"STOREV_{short}({name}, {first}, {registers});" for first, registers in accesses]
                if self.whole:
                    lines += whole
                    continue
                each = f"if (n[{tiling.count - 1}]) {whole[0]} else {each}"
                value = f"r{number}[k]"
            lines.append(each + store(name, short, self.schedule.modes[number], value, place, word))
        return lines


def betweens(shorts: Iterable[str], count: int) -> list[str]:
    """Return the functions that take ``count`` elements from between two accesses, for some dtypes."""
    texts = []
    for short in sorted(set(shorts)):
        nbytes = DTYPE_OF[short].itemsize
        each = max(1, WORD // nbytes) if count * nbytes >= WORD else 1  # elements that are moved together
        rest = statements("elementwise", "rest", bits=8 * nbytes, each=each, many=count // each) if each > 1 else []
        unit = "u32" if each > 1 else short
        text = section("elementwise", "between", T=short, unit=unit, each=each, many=count // each, rest=rest)
        texts.append(text.rstrip())
    return texts
