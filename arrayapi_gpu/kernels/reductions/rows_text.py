"""The texts of row kernels: the hooks of rows.c for a body (see `rows`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...backends.base import Device, Kernel
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout
from ..core import tuning
from ..core.body import OPERAND, STEP, Body, Reference, T, X
from ..core.dialect import (
    UNIT,
    ZERO,
    Parameters,
    Place,
    arguments,
    bases_of,
    cast,
    expression,
    fill,
    load,
    parameters_of,
    pointers_of,
    scalars_of,
    store,
    value_of,
)
from ..core.launch import BoundKernel, BoundLaunch, compiled
from ..core.texts import Hook, defines, section
from .reduce_schedule import halved
from .rows import Fold, Phase, RowSchedule, RowSpec, program_on, without_repeats


class Rows:
    """The row kernels of one body on schedules of one spec (`RowSpec`): for any memory, and for aligned memory."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.device, self.body = device, without_repeats(body)
        self._spec = spec
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
        """One launch; operands in the body's order, with the layouts of index variables among them. Gives what another
        one needs."""
        items = (*results, *operands)
        arrays = [*results, *[item for item in operands if type(item) is GpuArray], *memory]
        buffers = [array.storage.buffer for array in arrays]
        aligned = (
            schedule.grain > 1
            and all([items[number].offset % schedule.grain == 0 for number in self._checked])
            and all([buffer.aligned for buffer in buffers])
            and (self.device.is_gpu or results[0].size * results[0].dtype.itemsize >= tuning.STREAM)
        )
        ready = self._kernels.get(aligned)
        if ready is None:
            text = (_Across if self._spec.across else _Text)(
                self.device, self.body, self._spec._replace(aligned=aligned)
            )
            kernel = compiled(self.device, text.write(), text.name)
            ready = self._kernels[aligned] = text.parameters, kernel
        parameters, kernel = ready
        offsets = [item.offset for item in (*items, *memory)]
        launched = BoundKernel(
            self.device, kernel, self._names, schedule.items, schedule.spec.group, parameters, schedule.numbers,
            offsets, schedule.strides,
        )  # fmt: skip
        launched.run(buffers, scalars)
        return launched


class _Array(NamedTuple):
    """A result or operand."""

    name: str
    pointer: str
    short: str
    mode: str
    is_iota: bool
    neighbours: int  # that are accessed at a time, on GPUs; 1: each separately

    @property
    def step(self) -> str:
        return "1" if self.mode == UNIT else f"p.{self.name}_r"

    def loaded(self) -> tuple[str, str]:
        """The declaration of the register, and the statement that fills it."""
        return load(self.name, self.short, self.is_iota, self.mode, f"{self.name}_b", self.step)


class _Text:
    """The text of a kernel."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.body, self.spec, self.program, self.gpu = body, spec, program_on(device, body, spec), device.is_gpu
        self.name = body.kernel_name("rows", spec.kept_rank + 1)
        self.folds = {T[k]: rule for k, (rule, _) in enumerate(body.steps) if isinstance(rule, Fold)}
        kinds = [
            (f"o{k}", f"o{k}", dtype, False, extent)
            for k, (dtype, extent) in enumerate(zip(body.dtypes, spec.extents, strict=True))
        ]
        kinds += [(f"x{k}", f"px{k}", dtype, is_iota, True) for k, (dtype, is_iota) in enumerate(body.operands)]
        self.arrays = []
        for (name, pointer, dtype, is_iota, moving), mode in zip(kinds, spec.modes, strict=True):
            together = self.gpu and spec.aligned and moving and mode == UNIT and not is_iota
            count = min(spec.own, 16 // dtype.itemsize) if together else 1
            self.arrays.append(_Array(name, pointer, SHORT[dtype], mode, is_iota, count))
        self.results, self.operands = self.arrays[: len(body.results)], self.arrays[len(body.results) :]
        # The parameters, in the order in which `Rows.run` packs them.
        axes, names = [f"k{axis}" for axis in range(spec.kept_rank)], [array.name for array in self.arrays]
        strides = [f"{name}_{axis}" for name in names for axis in (*axes, "r")]
        self.parameters = parameters_of(body, ["n", "outputs", "many", *axes], names, strides, spec.integer)

    def write(self) -> str:
        """The kernel."""
        spec, kind = self.spec, "gpu" if self.gpu else "cpu"
        wide = {(array.short, array.neighbours) for array in self.arrays if array.neighbours > 1}
        constants = {"ACCUMULATORS": tuning.ACCUMULATORS, "BLOCK": tuning.BLOCK}
        if self.gpu:
            constants = {"ACCUMULATORS": tuning.ACCUMULATORS, "LANES_PER_ROW": spec.lanes_per_row}
            constants |= {"ITEMS_PER_LANE": spec.items_per_lane}
            constants |= {"SIZE": spec.group, "STRIPS": spec.strips, "WHOLE": spec.whole}
            constants |= {"EVEN": spec.even and bool(wide), "OUTPUT_MAJOR": spec.output_major}
            constants["RESULTS_PER_ITEM"] = min(spec.lanes_per_row, tuning.ROW_RESULTS_PER_ITEM)
        accesses = [f"VECTORS({short}, {count}, W_{count * DTYPE_OF[short].itemsize})\n" for short, count in wide]
        text = f"{self.parameters.text()}\n{''.join(sorted(accesses))}{defines(constants)}"
        text += section("rows", f"begin_{kind}", **self._beginning())
        *_, last = self.program.phases
        for phase in self.program.phases:
            if phase.folds or phase.results:
                text += section("rows", f"phase_{kind}", **self._phase(phase))
            for reference in phase.folds:
                text += self._combined(reference.number, self.folds[reference], f"combine_{kind}")
        values = [] if last.results else self._rowwise(last)
        return text + section("rows", f"end_{kind}", values=values, stores=self._row_stores())

    def _combined(self, f: int, fold: Fold, combine: str) -> str:
        """The statements that combine the accumulators of a reduction into its value; those of each segment first."""
        text, found, indent = "", [f"w{f}"], "    " if self.gpu else "        "
        if self.spec.segments == 1:
            text += section("rows", combine, f=f, op=fold.op, T=fold.short)
        else:
            found = [f"w{f}_{segment}" for segment in range(self.spec.segments)]
            for segment in range(self.spec.segments):
                total = f"total{f}_{segment}"
                text += f"    R_{fold.short} {total}[OWN];\n"
                text += f"    UNROLL for (int u = 0; u < OWN; u++) {total}[u] = total{f}[{segment} * OWN + u];\n"
                text += section("rows", combine, f=f"{f}_{segment}", op=fold.op, T=fold.short)
        value = halved([*found], self.spec.lanes_per_row, lambda one, other: f"{fold.op}({one}, {other})")
        return f"{text.rstrip()}\n{indent}R_{SHORT[fold.result]} t{f} = {cast(value, fold.args[0], fold.result)};\n\n"

    def _beginning(self) -> dict[str, Hook]:
        """What comes before the first phase."""
        body, spec = self.body, self.spec
        where, slots = ("", spec.strips * spec.own) if self.gpu else ("LOCAL ", spec.capacity)
        # Left alone, compilers also keep what a half was converted to, and half as many groups run.
        attribute = f"GROUPS_OF({spec.group})"
        if self.gpu and spec.group < tuning.MIN_RESIDENT and self.program.words * slots <= tuning.SAVED_PER_ITEM:
            attribute = f"RESIDENT_GROUPS_OF({spec.group}, {tuning.MIN_RESIDENT // spec.group})"
        return {
            "expression": body.described(),
            "attribute": attribute,
            "kernel": self.name,
            "arguments": arguments(pointers_of(body, body.dtypes)),
            "scalars": scalars_of(body),
            "I": spec.integer,
            "bases": bases_of([array.name for array in self.arrays], spec.kept_rank, spec.integer),
            "rowwise": [line for array in self.operands if array.mode == ZERO for line in array.loaded()],
            "saved": [
                f"{where}R_{self._short(reference)} {reference}_saved[{slots}];"
                for reference in sorted(self.program.saved)
            ],
        }

    def _phase(self, phase: Phase) -> dict[str, Hook]:
        """The statements for a row up to the next reductions of it."""
        totals, parts, sums, loads, stores = [], [], [], [], []
        own = "OWN" if self.spec.segments == 1 else f"{self.spec.segments} * OWN"
        each = f"UNROLL for (int u = 0; u < {own}; u++)"
        for reference in phase.folds:
            fold, total, part = self.folds[reference], f"total{reference.number}", f"part{reference.number}"
            totals.append(f"R_{fold.short} {total}[{own}]; {each} {total}[u] = {fold.identity};")
            if fold.in_blocks:
                parts.append(f"R_{fold.short} {part}[{own}]; {each} {part}[u] = {fold.identity};")
                sums.append(f"{each} {total}[u] = {fold.op}({total}[u], {part}[u]);")
        read = [self.operands[reference.number] for reference in phase.computed if reference.kind == OPERAND]
        for array in read + [self.results[number] for number in phase.results]:
            if array.neighbours > 1:
                loads.append(f"R_{array.short} {array.name}_v[OWN];")
                for k in range(0, self.spec.own, array.neighbours):
                    access = f"V_{array.short}({array.pointer}, {array.name}_b + first + {k}, {array.name}_v + {k});"
                    if array in read:
                        loads.append(f"LOAD{access}")
                    else:
                        stores.append(f"if (inside) STORE{access}")
        # Unrolled, accumulators stay in registers, which repays the compiler's time where little is computed.
        cost = sum([self.body.steps[own.number][0].cost for own in phase.computed if own.kind == STEP])
        return {
            "I": self.spec.integer,
            "values": self._rowwise(phase),
            "totals": totals,
            "parts": parts,
            "unroll": "UNROLL " if cost <= 16 else "",
            "loads": loads,
            "element": self._element(phase, masked=False),
            "last": self._element(phase, masked=True),
            "stores": stores,
            "sums": sums,
        }

    def _rowwise(self, phase: Phase) -> list[str]:
        """The values that are the same all along the row."""
        return [
            f"R_{self._short(reference)} {reference} = {expression(self.body, reference.number, partial=False)};"
            for reference in phase.rowwise
        ]

    def _element(self, phase: Phase, masked: bool) -> list[str]:
        """What happens to the register of elements from ``i`` on, of which ``n`` lanes hold some.

        ``masked``: some are none. Those that are accessed together with others are loaded before, and stored later.
        """
        body, lines, together = self.body, [], self.spec.even or not masked
        for reference in phase.recalled:
            lines.append(f"R_{self._short(reference)} {reference} = {reference}_saved[SLOT];")
        for reference in phase.computed:
            name, short = str(reference), self._short(reference)
            if reference.kind == STEP:
                lines.append(f"R_{short} {name} = {expression(body, reference.number)};")
            elif together and self.operands[reference.number].neighbours > 1:
                lines.append(f"R_{short} {name} = {name}_v[u];")
            else:
                lines += self.operands[reference.number].loaded()
            if reference in self.program.saved:
                lines.append(f"{name}_saved[SLOT] = {name};")
        register = "u" if self.spec.segments == 1 else f"k / {self.spec.segment_strips} * OWN + u"
        for reference in phase.folds:
            fold, (value,) = self.folds[reference], body.steps[reference.number][1]
            word = value_of(body, value, fold.args[0])
            if masked:
                word = f"where_{fold.short}(valid, {word}, {fold.identity})"
            into = f"{'part' if fold.in_blocks else 'total'}{reference.number}[{register}]"
            lines.append(f"{into} = {fold.op}({into}, {word});")
        for number in phase.results:
            array, word = self.results[number], self._result(number)
            place = Place(f"{array.name}_b", "(S_i64)i" if self.gpu else "i", array.step)
            if together and array.neighbours > 1:
                lines.append(f"{array.name}_v[u] = {word};")
            elif self.gpu:
                lines.append(f"STOREN_{array.short}({array.name}, {place.first}, 1, inside, {word});")
            else:
                how = "STREAM" if self.spec.aligned else "STORE"
                lines.append(store(array.name, array.short, array.mode, word, place, how))
        return lines

    def _row_stores(self) -> list[str]:
        """The stores of results that have a value a row."""
        condition = "if (active && item == 0) " if self.gpu else ""
        return [
            f"{condition}STOREN_{array.short}({array.name}, {array.name}_b, 1, 1, {self._result(number)});"
            for number, array in enumerate(self.results)
            if not self.spec.extents[number]
        ]

    def _short(self, reference: Reference) -> str:
        return SHORT[self.body.dtype_of(reference)]

    def _result(self, number: int) -> str:
        """The value of a result, as it is stored."""
        return value_of(self.body, self.body.results[number], self.body.dtypes[number])


class _Across(_Text):
    """The text of a kernel in which lanes take neighbouring rows: each register is of one element of several rows.

    What is the same all along a row is an array of as many registers as a work-item has side by side.
    """

    def write(self) -> str:
        """The kernel."""
        spec, axes = self.spec, range(self.spec.kept_rank - 1)
        self.same: set[Reference] = {X[k] for k, array in enumerate(self.operands) if self._is_same(array)}
        self.same |= {*self.folds, *[reference for phase in self.program.phases for reference in phase.rowwise]}
        constants = {"BLOCK": tuning.BLOCK_ACROSS, "SEGMENT": tuning.SEGMENT_ACROSS, "SEGMENTS": spec.segments > 1}
        text = f"{self.parameters.text()}\n{defines({**constants, 'WIDTH': spec.width})}"
        text += section(
            "rows",
            "begin_across",
            expression=self.body.described(),
            attribute=f"GROUPS_OF({spec.group})",
            saved=[
                f"LOCAL R_{self._short(reference)} {reference}_saved[{spec.capacity}];"
                for reference in sorted(self.program.saved)
            ],
            kernel=self.name,
            arguments=arguments(pointers_of(self.body, self.body.dtypes)),
            scalars=scalars_of(self.body),
            last=f"p.k{len(axes)}",
            bases=bases_of([array.name for array in self.arrays], len(axes), spec.integer),
            rowwise=[line for array in self.operands if self._is_same(array) for line in self._loaded_once(array)],
        )
        *_, last = self.program.phases
        for phase in self.program.phases:
            if phase.folds or phase.results:
                text += section("rows", "phase_across", **self._phase(phase))
        values = [] if last.results else self._rowwise(last)
        return text + section("rows", "end_across", values=values, stores=self._row_stores())

    def _phase(self, phase: Phase) -> dict[str, Hook]:
        folds = [(self.folds[reference], reference.number) for reference in phase.folds]

        def each(what: str) -> list[str]:
            return [f"R_{fold.short} {what}{f}[WIDTH]; EACH {what}{f}[u] = {fold.identity};" for fold, f in folds]

        def into(whole: str, part: str) -> list[str]:
            return [f"EACH {whole}{f}[u] = {fold.op}({whole}{f}[u], {part}{f}[u]);" for fold, f in folds]

        moving = [self.operands[reference.number] for reference in phase.computed if reference.kind == OPERAND]
        moving += [self.results[number] for number in phase.results]
        return {
            "values": self._rowwise(phase),
            "totals": each("total"),
            "wholes": each("whole"),
            "segments": each("segment"),
            "parts": each("part"),
            "places": [f"const S_i64 {array.name}_at = {array.name}_b + r * p.{array.name}_r;" for array in moving],
            "element": self._element(phase, masked=False),
            "into_segment": into("segment", "part"),
            "into_whole": into("whole", "segment"),
            "into_total": into("total", "whole"),
            "from_part": into("total", "part"),
            "found": [
                f"R_{SHORT[fold.result]} t{f}[WIDTH]; EACH t{f}[u] = {cast(f'total{f}[u]', fold.args[0], fold.result)};"
                for fold, f in folds
            ],
        }

    def _rowwise(self, phase: Phase) -> list[str]:
        lines = []
        for reference in phase.rowwise:
            value = expression(self.body, reference.number, self._register)
            lines.append(f"R_{self._short(reference)} {reference}[WIDTH]; EACH {{ COLUMN {reference}[u] = {value}; }}")
        return lines

    def _element(self, phase: Phase, masked: bool) -> list[str]:
        lines = [f"R_{self._short(own)} {own} = {own}_saved[r * WIDTH + u];" for own in phase.recalled]
        for own in phase.computed:
            if own.kind == OPERAND:
                array = self.operands[own.number]
                lines.append(f"R_{'i64' if array.is_iota else array.short} {own};")
                lines.append(self._filled(array, str(own), "at"))
            else:
                lines.append(f"R_{self._short(own)} {own} = {expression(self.body, own.number, self._register)};")
            if own in self.program.saved:
                lines.append(f"{own}_saved[r * WIDTH + u] = {own};")
        for own in phase.folds:
            fold, (value,), part = self.folds[own], self.body.steps[own.number][1], f"part{own.number}[u]"
            word = cast(self._register(value), self.body.dtype_of(value), fold.args[0])
            lines.append(f"{part} = {fold.op}({part}, {word});")
        for number in phase.results:
            array = self.results[number]
            place = Place(f"{array.name}_at", "i", self._step(array))
            lines.append(store(array.name, array.short, array.mode, self._result(number), place))
        return lines

    def _row_stores(self) -> list[str]:
        lines = []
        for number, array in enumerate(self.results):
            if not self.spec.extents[number]:
                place = Place(f"{array.name}_b", "i", self._step(array))
                stored = store(array.name, array.short, array.mode, self._result(number), place)
                lines.append(f"EACH {{ COLUMN {stored} }}")
        return lines

    def _result(self, number: int) -> str:
        reference = self.body.results[number]
        return cast(self._register(reference), self.body.dtype_of(reference), self.body.dtypes[number])

    def _register(self, reference: Reference) -> str:
        return f"{reference}[u]" if reference in self.same else str(reference)

    def _is_same(self, array: _Array) -> bool:
        return self.spec.same[self.arrays.index(array)]

    def _step(self, array: _Array) -> str:
        """From row to row."""
        return "1" if array.mode == UNIT else f"p.{array.name}_k{self.spec.kept_rank - 1}"

    def _filled(self, array: _Array, register: str, base: str) -> str:
        place = Place(f"{array.name}_{base}", "i", self._step(array))
        return fill(register, array.pointer, array.short, array.is_iota, array.mode, place)

    def _loaded_once(self, array: _Array) -> list[str]:
        declared = f"R_{'i64' if array.is_iota else array.short} {array.name}[WIDTH];"
        return [declared, f"EACH {{ COLUMN {self._filled(array, f'{array.name}[u]', 'b')} }}"]
