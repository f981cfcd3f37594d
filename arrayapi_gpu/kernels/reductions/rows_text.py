"""The texts of row kernels: the hooks of rows.c for a body (see `rows`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...backends.base import Device, Kernel
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout
from ..core import tuning
from ..core.body import OPERAND, STEP, Body, Reference, T, X
from ..core.dialect import (
    UNIT,
    Operand,
    Parameters,
    Place,
    arguments,
    bases_of,
    cast,
    expression,
    fill,
    operands_of,
    parameters_of,
    pointers_of,
    scalars_of,
    store,
    vectors_of,
)
from ..core.launch import BoundKernel, BoundLaunch, compiled
from ..core.staging import brought, moves
from ..core.texts import Hook, defines, section
from ..core.traffic import traffic_of
from .reduce import offsets_and_buffers
from .reduce_schedule import halved
from .rows import Fold, Phase, RowSchedule, RowSpec, program_on, with_staging, without_repeats


class Rows:
    """The row kernels of one body on schedules of one spec (`RowSpec`): for any memory, and for aligned memory."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.device, self.body = device, without_repeats(body)
        self._spec = with_staging(device, self.body, spec)
        self._kernels: dict[bool, tuple[Parameters, Kernel]] = {}
        self._names = "+".join(body.operations)
        results = len(body.results)
        self._checked = [
            number
            for number, mode in enumerate(spec.modes)
            if mode == UNIT and (number < results or (device.is_gpu and not body.operands[number - results][1]))
        ]

    def run(
        self,
        schedule: RowSchedule,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
    ) -> BoundLaunch:
        """Return the launch that was made, which may run again; ``operands``: in the body's order, with the layouts of
        index variables among them."""
        offsets, buffers = offsets_and_buffers(results, operands, memory)
        aligned = (
            schedule.grain > 1
            and all([offsets[number] % schedule.grain == 0 for number in self._checked])
            and all([buffer.aligned for buffer in buffers])
            and (self.device.is_gpu or results[0].size * results[0].dtype.itemsize >= tuning.STREAM)
        )
        ready = self._kernels.get(aligned)
        if ready is None:
            kind = _RowTextAcross if self._spec.across else _RowText
            text = kind(self.device, self.body, self._spec._replace(aligned=aligned))
            ready = self._kernels[aligned] = text.parameters, compiled(self.device, text.write(), text.name)
        parameters, kernel = ready
        group = self._spec.group
        items = -(-schedule.shares // self._spec.rows) * group
        launched = BoundKernel(
            self.device, kernel, self._names, items, group, parameters, schedule.numbers,
            offsets, schedule.strides, traffic_of(results, operands, memory, results[0].size),
        )  # fmt: skip
        launched.run(buffers, scalars)
        return launched


class _RowText:
    """The text of a kernel."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.body, self.spec, self.program, self.gpu = body, spec, program_on(device, body, spec), device.is_gpu
        self.name = body.kernel_name("rows", spec.kept_rank + 1)
        self.kind = "across" if spec.across else "gpu" if self.gpu else "cpu"  # of the sections
        # Where a register is saved, from which place lanes are counted, and which accumulator takes a register.
        self.slot, self.base = ("r * WIDTH + u", "at") if spec.across else ("SLOT", "b")
        self.accumulator = f"k / {spec.segment_strips} * OWN + u" if self.gpu and spec.segments > 1 else "u"
        self.columns: set[Reference] = set()  # the values that have a register for each column, across
        self.folds = {T[k]: rule for k, (rule, _) in enumerate(body.steps) if isinstance(rule, Fold)}
        axes, results = [f"k{axis}" for axis in range(spec.kept_rank)], len(body.results)
        arrays = operands_of(body, spec.modes, axes[-1] if spec.across else "r", body.dtypes)
        self.results, self.operands = arrays[:results], arrays[results:]
        self.rowwise = [array for array, same in zip(self.operands, spec.same[results:], strict=True) if same]
        self.staged = [array for array, staged in zip(arrays, spec.staged, strict=False) if staged]
        # The number of elements that one access takes, of arrays for which it takes several.
        still = {*self.staged, *[array for array, same in zip(arrays, spec.same, strict=True) if same]}
        moving = [array for array in arrays if array not in still] if spec.aligned and self.gpu else []
        self.vectors = {array: count for array in moving if (count := array.neighbours(spec.own)) > 1}
        # The parameters, in the order in which `Rows.run` packs them.
        self.names = [array.name for array in arrays]
        strides = [f"{name}_{axis}" for name in self.names for axis in (*axes, "r")]
        self.parameters = parameters_of(body, ["n", "outputs", "many", *axes], self.names, strides, spec.integer)

    def write(self) -> str:
        """The kernel."""
        accesses = vectors_of((array.short, count) for array, count in self.vectors.items())
        text = f"{self.parameters.text()}\n{accesses}{defines(self._constants())}"
        row = self.spec.extent if self.spec.pitch == 1 else 1
        text += moves([DTYPE_OF[array.short] for array in self.staged], row)
        text += section("rows", f"begin_{self.kind}", **self._beginning())
        *_, last = self.program.phases
        for phase in self.program.phases:
            if phase.folds or phase.results:
                text += section("rows", f"phase_{self.kind}", values=self._values(phase), **self._phase(phase))
                text += "".join([self._combined(own) for own in phase.folds if not self.spec.across])
        values = [] if last.results else self._values(last)
        return text + section("rows", f"end_{self.kind}", values=values, stores=self._row_stores(), sent=self._sent())

    def _constants(self) -> dict[str, object]:
        spec = self.spec
        constants: dict[str, object] = {"ACCUMULATORS": tuning.ACCUMULATORS}
        if not self.gpu:
            return {**constants, "BLOCK": tuning.BLOCK}
        return {
            **constants,
            "LANES_PER_ROW": spec.lanes_per_row,
            "ITEMS_PER_LANE": spec.items_per_lane,
            "SIZE": spec.group,
            "STRIPS": spec.strips,
            "WHOLE": spec.whole,
            "EVEN": spec.even and bool(self.vectors),
            "OUTPUT_MAJOR": spec.output_major,
            "N": spec.extent or "p.n",
            "FILLED": min(spec.extent or tuning.ACCUMULATORS, tuning.ACCUMULATORS),
            "TURNS": spec.turns,
            "CHUNK": spec.rows * spec.extent,
            "PITCH": spec.pitch,
            "RESULTS_PER_ITEM": min(spec.lanes_per_row, tuning.ROW_RESULTS_PER_ITEM),
        }

    def _beginning(self) -> dict[str, Hook]:
        """The hooks before the first phase."""
        body, spec, rank = self.body, self.spec, self.spec.kept_rank - self.spec.across
        where, slots = ("", spec.strips * spec.own) if self.gpu else ("LOCAL ", spec.capacity)
        # Without a limit, compilers also keep the floats that halves were converted to, and half as many groups run.
        attribute = f"GROUPS_OF({spec.group})"
        if self.gpu and spec.group < tuning.MIN_RESIDENT and self.program.words * slots <= tuning.SAVED_PER_ITEM:
            attribute = f"RESIDENT_GROUPS_OF({spec.group}, {tuning.MIN_RESIDENT // spec.group})"
        saved = sorted(self.program.saved)
        return {
            "expression": body.described(),
            "attribute": attribute,
            "kernel": self.name,
            "arguments": arguments(pointers_of(body, body.dtypes)),
            "scalars": scalars_of(body),
            "I": spec.integer,
            "last": f"p.k{rank}",
            "bases": bases_of(self.names, rank, spec.integer),
            "rowwise": [line for array in self.rowwise for line in self._loaded_once(array)],
            "brought": self._brought(),
            "saved": [f"{where}R_{self._short(own)} {own}_saved[{slots}];" for own in saved],
        }

    def _brought(self) -> list[str]:
        """The statements that read the rows of a group into local memory."""
        if not self.staged:
            return []
        return brought(self.staged, [array for array in self.staged if array in self.operands], "N")

    def _sent(self) -> list[str]:
        """The statements that write the rows of a group from local memory."""
        written = [array for array in self.staged if array in self.results]
        sent = [f"send_{a.short}({a.name} + p.{a.name}_0 + chunk, {a.name}_l, behind);" for a in written]
        return ["BARRIER;", *sent] if sent else []

    def _phase(self, phase: Phase) -> dict[str, Hook]:
        """The hooks of the statements for a row up to its next reductions."""
        in_blocks = [own for own in phase.folds if self.folds[own].in_blocks]
        own = "OWN" if self.spec.segments == 1 else f"{self.spec.segments} * OWN"
        each = f"UNROLL for (int u = 0; u < {own}; u++)"
        loads, stores, read = [], [], [array for array in self._read(phase) if array in self.vectors]
        for array in read + [array for array in self._written(phase) if array in self.vectors]:
            loads.append(f"R_{array.short} {array.name}_v[OWN];")
            for k in range(0, self.spec.own, self.vectors[array]):
                access = f"{array.name}, {array.name}_b + first + {k}, {array.name}_v + {k});"
                if array in read:
                    loads.append(f"LOADV_{array.short}(p{access}")
                else:
                    stores.append(f"if (inside) STOREV_{array.short}({access}")
        # Unrolled, accumulators stay in registers, which repays the compiler's time where little is computed.
        cost = sum([self.body.steps[own.number][0].cost for own in phase.computed if own.kind == STEP])
        return {
            "I": self.spec.integer,
            "totals": self._accumulators(phase.folds, "total", own, each),
            "parts": self._accumulators(in_blocks, "part", own, each),
            "unroll": "UNROLL " if cost <= 16 else "",
            "loads": loads,
            "element": self._element(phase, masked=False),
            "last": self._element(phase, masked=True),
            "stores": stores,
            "sums": self._added(in_blocks, "total", "part", each),
        }

    def _accumulators(self, folds: Sequence[Reference], name: str, count: str, each: str) -> list[str]:
        """The declarations of the accumulators of reductions, ``count`` of each."""
        found = [(self.folds[own], f"{name}{own.number}") for own in folds]
        return [f"R_{fold.short} {own}[{count}]; {each} {own}[u] = {fold.identity};" for fold, own in found]

    def _added(self, folds: Sequence[Reference], whole: str, part: str, each: str) -> list[str]:
        """The statements that combine accumulators with others of the same reductions."""
        found = [(self.folds[own].op, f"{whole}{own.number}[u]", f"{part}{own.number}[u]") for own in folds]
        return [f"{each} {own} = {op}({own}, {other});" for op, own, other in found]

    def _combined(self, reference: Reference) -> str:
        """The statements that combine the accumulators of a reduction into its value; those of each segment first."""
        fold, f, text, indent = self.folds[reference], reference.number, "", "    " if self.gpu else "        "
        names = [f"{f}"] if self.spec.segments == 1 else [f"{f}_{k}" for k in range(self.spec.segments)]
        for k, name in enumerate(names):
            if len(names) > 1:
                text += section("rows", "segment_gpu", f=name, total=f"total{f}", segment=k, T=fold.short)
            text += section("rows", f"combine_{self.kind}", f=name, op=fold.op, T=fold.short)
        found = [f"w{name}" for name in names]
        value = halved(found, self.spec.lanes_per_row, lambda one, other: f"{fold.op}({one}, {other})")
        return f"{text.rstrip()}\n{indent}R_{SHORT[fold.result]} t{f} = {cast(value, fold.args[0], fold.result)};\n\n"

    def _loaded_once(self, array: Operand) -> Sequence[str]:
        """The register of an operand that is the same all along the row."""
        return array.load(f"{array.name}_b")

    def _values(self, phase: Phase) -> list[str]:
        """The values of steps that are the same all along the row."""
        body = self.body
        return [f"R_{self._short(own)} {own} = {expression(body, own.number, partial=False)};" for own in phase.rowwise]

    def _read(self, phase: Phase) -> list[Operand]:
        return [self.operands[own.number] for own in phase.computed if own.kind == OPERAND]

    def _written(self, phase: Phase) -> list[Operand]:
        return [self.results[number] for number in phase.results]

    def _element(self, phase: Phase, masked: bool) -> list[str]:
        """The statements for the register of elements from ``i`` on, with elements in ``n`` lanes.

        ``masked``: some lanes hold none. Elements that one access takes together are loaded before, and stored later.
        """
        body, together = self.body, self.spec.even or not masked
        lines = [f"R_{self._short(own)} {own} = {own}_saved[{self.slot}];" for own in phase.recalled]
        for own in phase.computed:
            if own.kind == STEP:
                lines.append(f"R_{self._short(own)} {own} = {expression(body, own.number, self._register)};")
            elif together and self.operands[own.number] in self.vectors:
                lines.append(f"R_{self._short(own)} {own} = {own}_v[u];")
            elif self.operands[own.number] in self.staged:
                t = self._short(own)
                lines.append(f"R_{t} {own} = FROM_{t}({own}_l[PLACED_{t}(HELD(i))]);")
            else:
                lines += self.operands[own.number].load(f"{own}_{self.base}")
            if own in self.program.saved:
                lines.append(f"{own}_saved[{self.slot}] = {own};")
        for own in phase.folds:
            fold, (value,) = self.folds[own], body.steps[own.number][1]
            into = f"{'part' if fold.in_blocks or self.spec.across else 'total'}{own.number}[{self.accumulator}]"
            word = self._value(value, fold.args[0])
            if masked:
                word = f"where_{fold.short}(valid, {word}, {fold.identity})"
            lines.append(f"{into} = {fold.op}({into}, {word});")
        for number in phase.results:
            array, word = self.results[number], self._result(number)
            place = Place(f"{array.name}_{self.base}", "(S_i64)i" if self.gpu else "i", array.step)
            if together and array in self.vectors:
                lines.append(f"{array.name}_v[u] = {word};")
            elif array in self.staged:
                where = "if (ANY(valid)) " if masked else ""  # rows beyond the last have places, too
                lines.append(f"{where}{array.name}_l[PLACED_{array.short}(HELD(i))] = INTO_{array.short}({word});")
            elif self.gpu:
                lines.append(f"STOREN_{array.short}({array.name}, {place.first}, 1, inside, {word});")
            else:
                how = "STREAM" if self.spec.aligned else "STORE"
                lines.append(store(array.name, array.short, array.mode, word, place, how))
        return lines

    def _row_stores(self) -> list[str]:
        """The statements that store the results with a value for each row."""
        condition = "if (active && item == 0) " if self.gpu else ""
        return [
            f"{condition}STOREN_{array.short}({array.name}, {array.name}_b, 1, 1, {self._result(number)});"
            for number, array in enumerate(self.results)
            if not self.spec.extents[number]
        ]

    def _short(self, reference: Reference) -> str:
        return SHORT[self.body.dtype_of(reference)]

    def _register(self, reference: Reference) -> str:
        return f"{reference}[u]" if reference in self.columns else str(reference)

    def _value(self, reference: Reference, dtype: np.dtype[Any]) -> str:
        return cast(self._register(reference), self.body.dtype_of(reference), dtype)

    def _result(self, number: int) -> str:
        """The value of a result, as it is stored."""
        return self._value(self.body.results[number], self.body.dtypes[number])


class _RowTextAcross(_RowText):
    """The text of a kernel in which lanes take neighbouring rows: each register is of one element of several rows.

    A value that is the same all along a row is an array of as many registers as a work-item has next to each other.
    """

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        super().__init__(device, body, spec)
        self.columns = {X[self.operands.index(array)] for array in self.rowwise} | {*self.folds}
        self.columns |= {own for phase in self.program.phases for own in phase.rowwise}

    def _constants(self) -> dict[str, object]:
        constants = {"BLOCK": tuning.BLOCK_ACROSS, "SEGMENT": tuning.SEGMENT_ACROSS}
        return {**constants, "SEGMENTS": self.spec.segments > 1, "WIDTH": self.spec.width}

    def _phase(self, phase: Phase) -> dict[str, Hook]:
        folds, moving = phase.folds, [array.name for array in self._read(phase) + self._written(phase)]
        hooks: dict[str, Hook] = {f"{name}s": self._accumulators(folds, name, "WIDTH", "EACH") for name in _NESTED}
        hooks |= {f"into_{whole}": self._added(folds, whole, part, "EACH") for part, whole in pairwise(_NESTED)}
        return hooks | {
            "places": [f"const S_i64 {name}_at = {name}_b + r * p.{name}_r;" for name in moving],
            "element": self._element(phase, masked=False),
            "from_part": self._added(folds, "total", "part", "EACH"),
            "found": [
                f"R_{self._short(own)} {own}[WIDTH]; EACH {own}[u] = "
                f"{cast(f'total{own.number}[u]', self.folds[own].args[0], self.folds[own].result)};"
                for own in folds
            ],
        }

    def _loaded_once(self, array: Operand) -> Sequence[str]:
        place = Place(f"{array.name}_b", "i", array.step)
        filled = fill(f"{array.name}[u]", f"p{array.name}", array.short, array.is_iota, array.mode, place)
        return [f"R_{array.short} {array.name}[WIDTH];", f"EACH {{ COLUMN {filled} }}"]

    def _values(self, phase: Phase) -> list[str]:
        found = [(self._short(own), own, expression(self.body, own.number, self._register)) for own in phase.rowwise]
        return [f"R_{t} {own}[WIDTH]; EACH {{ COLUMN {own}[u] = {value}; }}" for t, own, value in found]

    def _row_stores(self) -> list[str]:
        stores = [
            store(array.name, array.short, array.mode, self._result(k), Place(f"{array.name}_b", "i", array.step))
            for k, array in enumerate(self.results)
            if not self.spec.extents[k]
        ]
        return [f"EACH {{ COLUMN {stored} }}" for stored in stores]


# The accumulators across the rows: those of a block are combined into those of a segment, and so on.
_NESTED = "part", "segment", "whole", "total"
