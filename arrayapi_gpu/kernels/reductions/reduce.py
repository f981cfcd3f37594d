"""The reduction kernel: a monoid over the values of a fused body, along any axes.

Segments of the reduced index are reduced separately, and their results are reduced again (`reduce_passes`). On CPUs the
same kernel does that. On GPUs, the group that is the last to publish the result of one of some successive segments
combines them into a longer segment, until one is left; where groups may not wait for each other, further launches do.
The order in which elements are combined depends on the logical shape and the device's lanes alone, never on strides or
on the body, so a sum has the same bits whether its producer is fused, and however its operands lie in memory. The
rounding error of a sum grows with the depth of the combination, not with the length.

Two kernels:

Along. The lanes of a register take neighbouring elements of the reduced index. A work-item holds a few accumulators,
which take registers one after another; blocks of these are combined separately. On GPUs, where a register is one lane,
a work-item takes a few neighbouring elements, by one access where they are aligned. Several work-items of a group work
for one output and combine their results in local memory. Neighbouring work-items take neighbouring elements of an
output or neighbouring outputs, whichever lie closer in memory. In the second case a work-item may do the work of
several lanes, so that enough neighbouring outputs read whole lines. Where no order shows in the result, as in that of
integers, a work-item takes as many neighbours as one access reads, and several of them go to each accumulator.

Across, on CPUs where the fastest axis stays. The lanes take neighbouring outputs, and a work-item a few pages of them:
for some rows at a time it goes through the page, as many registers at a time as it has room for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device, Kernel
from ...memory.dtypes import BOOLEAN, DTYPE_OF, FLOATING, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray
from ..core import tuning
from ..core.body import STEP, Body, T, X
from ..core.dialect import (
    UNIT,
    ZERO,
    Operand,
    Parameters,
    Place,
    arguments,
    arithmetic,
    bases_of,
    cast,
    expression,
    fill,
    operands_of,
    parameters_of,
    pointers_of,
    run,
    run_length,
    runs,
    scalars_of,
    store,
    value_of,
    vectors_of,
)
from ..core.launch import BoundKernel, BoundLaunch, compiled
from ..core.monoid import SUM, Monoid
from ..core.store import stored
from ..core.texts import Hook, defines, section
from ..core.traffic import Traffic, traffic_of
from ..maps.scratch import scratch
from .coordinates import advanced, coordinates, lane_coordinates, lane_places
from .epilogues import Epilogue
from .reduce_schedule import ReduceSchedule, ReduceSpec, power_of_two

INT32, INT64 = DTYPE_OF["i32"], DTYPE_OF["i64"]


class BoundReduction(NamedTuple):
    """The launches of a reduction whose groups publish their results, `launch.BoundLaunch`."""

    device: Device
    launches: list[BoundKernel]
    words: int  # of scratch memory

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Launch. ``buffers``: of the results, of the operands and of gathered memory."""
        words, _ = scratch(self.device, "reduction", self.words)
        buffers.append(words.storage.buffer)
        for launch in self.launches:
            launch.run(buffers, scalars, offsets)


class Reduction:
    """A compiled reduction of one body by one monoid on schedules of one spec (`ReduceSpec`).

    Groups publish in memory that is zero before and after a launch: first come counters, half a word each, then the
    results of the segments, then those of the longer segments into which these are combined, and so on.
    """

    def __init__(self, device: Device, text: ReductionText):
        self.device, self.text = device, text
        self.kernel: Kernel = compiled(device, text.kernel(), text.name)
        self.combine = compiled(device, text.combine(), "combine_segments") if text.launches_combine else None

    def run(
        self,
        schedule: ReduceSchedule,
        results: Sequence[GpuArray],
        operands: Sequence[Any],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
    ) -> BoundLaunch:
        """Return the launch of one pass, which may run again; ``operands``: arrays and layouts of index variables."""
        offsets, buffers = offsets_and_buffers(results, operands, memory)
        launches, words = self.launches(schedule, offsets, traffic_of(results, operands, memory, schedule.outputs))
        launched: BoundLaunch = BoundReduction(self.device, launches, words) if words else launches[0]
        launched.run(buffers, scalars)
        return launched

    def launches(
        self, schedule: ReduceSchedule, offsets: Sequence[int], moved: Traffic
    ) -> tuple[list[BoundKernel], int]:
        """Return the launches and the words in which groups publish, 0 if they do not. ``moved``: the bytes that the
        first launch reads and writes.

        The first launch reduces segments. Others combine their results, where groups may not wait for each other.
        """
        text, numbers = self.text, schedule.numbers
        launches = [self._bound(self.kernel, text.launched, schedule.items, schedule, numbers, offsets, moved)]
        if not schedule.spec.published:
            return launches, 0
        n, published = schedule.segments, 0
        while n > 1:
            longer = -(-n // text.fan_in)
            if self.combine is not None:
                sizes = *numbers[:2], n, numbers[3], published, *numbers[5:]
                items = (
                    schedule.items // numbers[2] * longer
                )  # `numbers[2]` segments take all items of the first launch
                partial = Traffic(4 * n * schedule.outputs * text.words, 4 * longer * schedule.outputs * text.words)
                launches.append(self._bound(self.combine, "combine", items, schedule, sizes, offsets, partial))
            published += n * schedule.outputs
            n = longer
        return launches, text.counters // 2 + published * text.words

    def _bound(
        self,
        kernel: Kernel,
        name: str,
        items: int,
        schedule: ReduceSchedule,
        numbers: Any,
        offsets: Sequence[int],
        moved: Traffic,
    ) -> BoundKernel:
        group, parameters, strides = schedule.spec.group, self.text.parameters, schedule.strides
        return BoundKernel(self.device, kernel, name, items, group, parameters, numbers, offsets, strides, moved)


def offsets_and_buffers(*groups: Sequence[Any]) -> tuple[list[int], list[Buffer]]:
    """Return the offsets of arrays and of layouts of index variables, and the buffers of the arrays."""
    items = [item for group in groups for item in group]
    return [item.offset for item in items], [item.storage.buffer for item in items if type(item) is GpuArray]


class ReductionText:
    """The texts of a reduction's kernels: the constants before the sections of reduce.c, and the hooks in them.

    ``dtype``: of the accumulators; ``results``: the dtypes of the results, which are a value, a position, or both;
    ``again``: the operands are the winners of segments, and their positions are gathered from the body's memory;
    ``then``: operations on the only result.
    """

    def __init__(
        self,
        device: Device,
        body: Body,
        spec: ReduceSpec,
        monoid: Monoid,
        dtype: np.dtype[Any],
        results: tuple[np.dtype[Any], ...],
        again: bool,
        then: Epilogue | None = None,
    ):
        self.then = then
        self.gpu, self.body, self.spec, self.monoid, self.again = device.is_gpu, body, spec, monoid, again
        self.dtype, self.short, self.identity = dtype, SHORT[dtype], monoid.identity(dtype)
        self.name = body.kernel_name(monoid.name, spec.kept_rank + spec.reduced_rank)
        self.launches_combine = spec.published and (spec.some_segments or not device.forward_progress)
        after = [] if then is None or self.launches_combine else then.body.operations
        self.launched = "+".join([monoid.name, *after])  # the name of the first launch
        # Work-items of an output, outputs of a group, and segments that are combined into one.
        self.items = spec.lanes_per_output // spec.lanes_per_item if self.gpu else 1
        self.outputs = tuning.GPU_GROUP // self.items if self.gpu else 1
        self.fan_in = self.items * min(self.outputs, tuning.MANY)
        # Each of the groups that work on segments at a time has a counter of those that are combined into one.
        self.counters = tuning.BUSY_ITEMS // tuning.GPU_GROUP
        self.place = DTYPE_OF[spec.integer] if self.gpu else INT64  # the dtype of positions
        # Words that hold the published result of a segment: half a word holds 4 bytes.
        self.words = -(-(dtype.itemsize + self.place.itemsize * monoid.indexed) // 4)
        self.results = [(f"o{k}", d) for k, d in enumerate(results)]
        axis = f"k{spec.kept_rank - 1}" if spec.across else f"r{spec.reduced_rank - 1}"  # along which lanes lie
        self.operands = operands_of(body, spec.modes, axis)
        self.vectors: dict[Operand, int] = {}  # those with accesses of several elements, and their number
        # Steps that compute neighbours together, with the operands that are their indices.
        near = spec.across or (spec.reduced_rank == 1 and spec.columns == 1)
        lengths = {number: run_length(body, number, spec.modes) for number in range(len(body.steps)) if near}
        self.runs = {number: body.steps[number][1][0].number for number, length in lengths.items() if length}
        self.parameters = self._parameters()
        self.part, self.value = self._part()  # in which the elements of a block are combined
        self.no_value = cast(self.identity, self.dtype, DTYPE_OF[self.part])

    def _part(self) -> tuple[str, str]:
        """The dtype in which the elements of a block are combined, and the value of one. Narrow integers have 32 bits
        there, in which GPUs compute, and so do those whose sum is wider, because that of a block is not."""
        body, reference, dtype = self.body, self.body.results[0], self.dtype
        have, word = body.dtype_of(reference), str(reference)
        if not self.gpu or not self.monoid.in_any_order(dtype) or dtype in BOOLEAN:
            return self.short, cast(word, have, dtype)
        if self.monoid is SUM and reference.kind == STEP:
            rule, (given, *_) = body.steps[reference.number]
            if rule.function.startswith("cast_"):
                have, word = rule.args[0], cast(str(given), body.dtype_of(given), rule.args[0])
        elif dtype.itemsize < INT32.itemsize:
            have, word = dtype, cast(word, have, dtype)
        if have in FLOATING or have.itemsize >= INT32.itemsize:
            return self.short, value_of(body, reference, dtype)
        return "i32", cast(word, have, INT32)

    def _parameters(self) -> Parameters:
        """The parameters, in the order of `ReduceSchedule.numbers`, offsets, strides and scalars."""
        spec, names = self.spec, [operand.name for operand in self.operands]
        axes = [f"k{axis}" for axis in range(spec.kept_rank)] + [f"r{axis}" for axis in range(spec.reduced_rank)]
        digits = [f"{by}{axis}" for by in "de" for axis in range(spec.reduced_rank)]
        places = ["published_0"] if spec.published else ["to_output", "to_segment"]
        places += ["first_segment"] * spec.some_segments
        sizes = ["n", "length", "segments", "outputs", *places, *axes, *(["pages", "width"] if spec.across else digits)]
        strides = [f"{name}_{axis}" for name in names for axis in axes]
        others, scalars = ([], []) if self.then is None else (self.then.others, self.then.scalars)
        offsets = [*[name for name, _ in self.results], *names, *[name for name, _ in others]]
        found = parameters_of(self.body, sizes, offsets, strides, spec.integer)
        found.fields += scalars
        return found

    def kernel(self) -> str:
        """The kernel of the only, or the first launch."""
        return self._head() + section("reduce", "across" if self.spec.across else "along", **self._hooks())

    def combine(self) -> str:
        """The kernel of the launches that combine segments, which takes the same arguments."""
        return self._head() + section("reduce", "combine_launch", **self._hooks())

    @property
    def accesses(self) -> Iterable[tuple[str, int]]:
        """The dtypes of accesses of several elements, and their numbers."""
        return {(operand.short, count) for operand, count in self.vectors.items()}

    def _head(self) -> str:
        """The text before a kernel."""
        lines = [self.parameters.text(), "\n", defines(self._constants()), *[f"{text}\n" for text in self.monoid.texts]]
        lines += [
            vectors_of(self.accesses),
            section("reduce", "indexed" if self.monoid.indexed else "plain", **self._monoid()),
        ]
        if self.items > 1:
            lines.append(section("reduce", "tree"))
        if self.spec.published:
            lines.append(section("groups", "published", V="Published"))
        if self.part != self.short:
            parts = {"P": self.part, "T": self.short, "function": self.monoid.function, "no_value": self.no_value}
            lines.append(section("reduce", "parts", **parts))
        lines += [self.body.described(), "\n"]
        return "".join([*lines, "" if self.then is None else self.then.function(SHORT[self.then.dtype])])

    def _constants(self) -> dict[str, object]:
        return {
            "GPU": self.gpu,
            "ACCUMULATORS": max(self.spec.accumulators, 1),
            # Unrolled, accumulators stay in registers: on CPUs worth the compiler's time where little is computed.
            "UNROLLED": "UNROLL" if self.body.cost <= 16 or self.gpu else "",
        }

    def _monoid(self) -> dict[str, Hook]:
        """The hooks with which values are combined."""
        t, function = self.short, self.monoid.function
        hooks: dict[str, Hook] = {"T": t, "identity": self.identity, "function": function}
        if self.monoid.indexed:
            hooks["J"] = SHORT[self.place]
            at = cast("found.at", INT32, self.place)
            hooks["at"] = f"{at} + SPLAT_{hooks['J']}(from)" if self.gpu else f"{at} + IOTA + SPLAT_i64(from)"
            wins, same = f"{function}_{t}(other.value, total.value)", f"equal_{t}(other.value, total.value)"
            hooks["wins"] = f"{function}_{t}(value, before.value)"
            if self.dtype in REAL_FLOATING:
                no_better = {"greater": "less_equal", "less": "greater_equal"}[function]
                was_number = f"equal_{t}(total.value, total.value)"
                is_nan = f"not_equal_{t}(other.value, other.value)"
                hooks["wins"] = f"~{no_better}_{t}(value, before.value) & equal_{t}(before.value, before.value)"
                wins, same = f"{wins} | ({is_nan} & {was_number})", f"{same} | ({is_nan} & ~{was_number})"
            hooks |= {"combines": wins, "same": same}
        return hooks

    def _hooks(self) -> dict[str, Hook]:
        """The hooks of all kernels."""
        body, spec = self.body, self.spec
        pointers = pointers_of(body, [dtype for _, dtype in self.results])
        if self.then is not None:  # its operands follow those of the body
            after = len(pointers) - len(body.memory)
            pointers[after:after] = [(short, f"p{name}") for name, short in self.then.others]
        if spec.published:
            pointers.append(("u64", "words"))
        return {
            "T": self.short,
            "I": spec.integer,
            "identity": self.identity,
            "kernel": self.name,
            "arguments": arguments(pointers),
            "scalars": scalars_of(body),
            "value": self._value(self.part, self.value),
            "more": " + p.first_segment" if spec.some_segments else "",
        }

    def _value(self, short: str, word: str) -> list[str]:
        """The statements that compute the value of an element."""
        return [*arithmetic(self.body, self.runs), f"R_{short} v = {word};"]

    def _outputs(self, axes: int) -> list[str]:
        """The place in each operand at which output ``row`` of the first kept axes begins."""
        index = self.spec.integer
        rest = [f"S_{index} rest = row;"] if axes else []
        return rest + bases_of([operand.name for operand in self.operands], axes, index)

    def _found_again(self, place: str) -> str:
        """The position stored with a value of an earlier pass, given the value's distance from the output's first."""
        return f"LOADG_i64(m0, SPLAT_i64(x0_b - p.x0_0 + p.m0) + {place})"

    def _kept(self, value: str, place: str, output: str = "") -> list[tuple[str, str, str]]:
        """The name, the dtype and the register of each result. ``output``: its number, for the operations that
        follow."""
        place = cast(place, self.place, INT64)
        if self.then is not None:
            word = place if self.monoid.indexed else cast(value, self.dtype, self.then.dtype)
            return [(name, SHORT[dtype], self.then.of_total(word, output)) for name, dtype in self.results]
        found = []
        for name, dtype in self.results:
            is_place = self.monoid.indexed and dtype == INT64 and (name == "o1" or len(self.results) == 1)
            word = place if is_place else cast(value, self.dtype, dtype)
            found.append((name, SHORT[dtype], word))
        return found

    def _register_of_run(self, number: int, first: str, masked: bool) -> str:
        """One register of a step that computes neighbours together."""
        declared = f"R_{SHORT[self.body.dtype_of(T[number])]} {T[number]}"
        if self.gpu:
            return f"{declared} = {expression(self.body, number) if masked else f'{T[number]}_run[u]'};"
        return f"{declared}; {run(self.body, number, f'&{T[number]}', 1, first)}"


class _Along(ReductionText):
    """The texts where lanes lie along the reduced index."""

    def __init__(self, device: Device, body: Body, spec: ReduceSpec, *rest: Any):
        super().__init__(device, body, spec, *rest)
        # Operands are read ahead, along one axis or in whole accesses, which end before a row of the last axis does.
        ahead = self.gpu and spec.columns == 1 and (spec.reduced_rank == 1 or spec.vectors > 0)
        self.early = [operand for operand in self.operands if ahead and operand.mode != ZERO and not operand.is_iota]
        self.taken = spec.vectors or tuning.ACCUMULATORS
        counts = {operand: operand.neighbours(self.taken) for operand in self.operands if spec.vectors}
        self.vectors = {operand: count for operand, count in counts.items() if count > 1}
        nbytes = sum(DTYPE_OF[operand.short].itemsize for operand in self.early) * self.taken
        self.ahead = min(tuning.MAX_AHEAD, power_of_two(tuning.BYTES_IN_FLIGHT // nbytes)) if nbytes else 0

    def _constants(self) -> dict[str, object]:
        spec, of_group = self.spec, self.outputs * self.spec.columns
        constants = {
            **super()._constants(),
            "NEIGHBOURS": self.taken,
            "BLOCK": tuning.BLOCK,
            "SEPARATE": self.monoid.rounds(self.dtype) or self.part != self.short,
            "LANES_PER_OUTPUT": spec.lanes_per_output,
            "LANES_PER_ITEM": spec.lanes_per_item,
            "ITEMS": self.items,
            "OUTPUTS": self.outputs,
            "COLUMNS": spec.columns,
            "OUTPUT_MAJOR": spec.output_major,
            "CHUNKS": f"((p.outputs + {of_group - 1}) / {of_group})" if of_group > 1 else "p.outputs",
            "AHEAD": self.ahead,
            "COORDINATES": spec.reduced_rank > 1,
            "PUBLISHED": spec.published,
        }
        if spec.lanes_per_output > 1:
            constants |= {"GROUP_ITEMS": tuning.GPU_GROUP, "RESULTS_PER_ITEM": tuning.RESULTS_PER_ITEM}
        if spec.published:
            constants |= {"FAN_IN": self.fan_in, "MANY": self.fan_in // self.items, "COUNTERS": self.counters}
        return constants

    def _hooks(self) -> dict[str, Hook]:
        spec, rank, index = self.spec, self.spec.reduced_rank, self.spec.integer
        apart = "_part" if self.part != self.short else ""
        hooks = super()._hooks() | {
            "P": self.part,
            "Part": "Part" if apart else "Accumulator",
            "none": f"no{apart}" if apart else "nothing",
            "take": f"take{apart}",
            "merged": f"merged{apart}",
            "no_value": self.no_value,
            "item": section("reduce", "item"),
            "outputs": self._outputs(spec.kept_rank - (spec.columns > 1)),
            "coordinates": [
                *(coordinates(rank, index, "first + own") if rank > 1 else []),
                *(lane_coordinates(rank) if rank > 1 and not self.gpu else []),
                *[f"S_{index} f{axis} = a{axis};" for axis in range(rank if rank > 1 and spec.vectors else 0)],
            ],
            "ahead": [self._declared(own, f"{own.name}_ahead[AHEAD]") for own in self.early],
            "read_ahead": self._read_ahead(),
            "from_ahead": self._from_ahead(),
            "advance": [advanced("a", rank, "d")] if rank > 1 and not spec.vectors else [],
            "advance_lanes": [advanced("a", rank, "e")]
            if rank > 1 and (spec.lanes_per_output > 1 or spec.vectors)
            else [],
            "runs": self._runs_of_strip(),
            "loads": self._loads(False),
            "masked_loads": self._loads(True),
            "stores": self._stores("whole", "output"),
            "results": self._results(),
        }
        for inner in ("place", "strip", "combine"):
            hooks[inner] = section("reduce", inner, **hooks)
        last_group = spec.published and not self.launches_combine
        return hooks | {"combine_in_launch": section("reduce", "combine_in_launch", **hooks) if last_group else ""}

    def _results(self) -> list[str]:
        """The statements that store the total of a segment, or publish it for others to combine."""
        if self.spec.published:
            return ["publish(words, segment * p.outputs + output, 1, PACKED(total[c]));"]
        found = [f"total[c].at = {self._found_again('total[c].at * SPLAT_i64(p.x0_r0)')};"] * self.again
        return found + self._stores("total[c]", "output * p.to_output + segment * p.to_segment")

    def _stores(self, total: str, place: str) -> list[str]:
        """The statements that store the results of an output."""
        found = self._kept(f"{total}.value", f"{total}.at", "output")
        return [f"STOREN_{t}({name}, p.{name}_0 + {place}, 1, 1, {value});" for name, t, value in found]

    def _declared(self, own: Operand, array: str) -> str:
        """The declaration of the neighbours of an operand, as they are read."""
        if count := self.vectors.get(own, 0):
            return f"V_{own.short} {array}[{self.taken // count}];"
        return f"R_{own.short} {array}[NEIGHBOURS];"

    def _read_ahead(self) -> list[str]:
        """The neighbours of a strip of each operand that is read ahead, from element ``from`` on; by whole accesses if
        they are aligned."""
        lines, rank = [], self.spec.reduced_rank
        for own in self.early:
            name, first, at = own.name, f"{own.name}_b", "from"
            if rank > 1:
                first = f"({' + '.join([first, *[f'(S_i64)f{axis} * p.{name}_r{axis}' for axis in range(rank - 1)]])})"
                at = f"f{rank - 1}"
            if count := self.vectors.get(own, 0):
                places = range(0, self.taken, count)
                access = f"FETCH_{own.short}(p{name}, {first} + {at}"
                lines += [f"{name}_ahead[a][{k // count}] = {access} + {k}, {count});" for k in places]
            else:
                place = Place(first, f"({at} + u * LANES)", own.step, "LANES")
                lines.append(f"EACH {fill(f'{name}_ahead[a][u]', f'p{name}', own.short, False, own.mode, place)}")
        return [*lines, advanced("f", rank, "e")] if rank > 1 and lines else lines

    def _from_ahead(self) -> list[str]:
        """The registers of a strip that was read ahead."""
        lines = []
        for own in self.early:
            name = own.name
            lines.append(f"R_{own.short} {name}_v[NEIGHBOURS];")
            if count := self.vectors.get(own, 0):
                places = range(0, self.taken, count)
                lines += [f"FROMV_{own.short}({name}_ahead[a][{k // count}], {name}_v + {k});" for k in places]
            else:
                lines.append(f"EACH {name}_v[u] = {name}_ahead[a][u];")
        return lines

    def _runs_of_strip(self) -> list[str]:
        """On GPUs, the registers of a strip for the steps that compute neighbours together."""
        lines = []
        for number, operand in self.runs.items() if self.gpu else ():
            name = f"{T[number]}_run"
            lines.append(f"R_{SHORT[self.body.dtype_of(T[number])]} {name}[NEIGHBOURS];")
            lines += runs(self.body, number, name, self.taken, f"x{operand}_b + r + own")
        return lines

    def _loads(self, masked: bool) -> list[str]:
        """One register of each operand, from element ``i`` of the reduced index."""
        rank, lines, straight, scattered = self.spec.reduced_rank, [], [], []
        inner = rank - 1
        for k, operand in enumerate(self.operands):
            name = operand.name
            base = f"{name}_b"
            if self.spec.columns > 1 and self.spec.column_modes[k] != ZERO:
                base = f"({name}_b + c * p.{name}_k{self.spec.kept_rank - 1})"
            if inner:
                terms = "".join(f" + (S_i64)a{axis} * p.{name}_r{axis}" for axis in range(inner))
                lines.append(f"S_i64 {name}_r = {base}{terms};")
                base = f"{name}_r"
            declaration, statement = operand.load(base)
            if operand in self.early and not masked:
                statement = f"{name} = {name}_v[u];"
            lines.append(declaration)
            straight.append(statement)
            address = f"SPLAT_i64({name}_b)"
            address += "".join(f" + e{axis} * SPLAT_i64(p.{name}_r{axis})" for axis in range(rank))
            if masked:  # lanes without an element read that of the first lane
                address = f"where_i64(valid, {address}, SPLAT_i64({base} + a{inner} * {operand.step}))"
            gathered = address if operand.is_iota else f"LOADG_{operand.short}(p{name}, {address})"
            scattered.append(f"{name} = {gathered};")
        if not inner:
            found = [self._register_of_run(number, f"x{k}_b + i", masked) for number, k in self.runs.items()]
            return [*lines, *straight, *found]
        lines.append(f"i = a{inner} + u;" if self.spec.vectors else f"i = a{inner};")
        if self.gpu:
            return [*lines, *straight]
        # A register that goes over the end of the last reduced axis is gathered.
        inside = f"if (a{inner} + n <= p.r{inner}) {{"
        return [*lines, inside, *straight, "} else {", *lane_places(rank), *scattered, "}"]


class _Across(ReductionText):
    """The texts where lanes lie across the outputs."""

    def _constants(self) -> dict[str, object]:
        return super()._constants() | {"PAGE": self.spec.page, "BLOCK_ACROSS": tuning.BLOCK_ACROSS}

    def _hooks(self) -> dict[str, Hook]:
        spec, index, extent = self.spec, self.spec.integer, f"p.k{self.spec.kept_rank - 1}"
        # The last registers of a row end where the row ends, and share outputs with those before them.
        final = f"{extent} - ACCUMULATORS * LANES"
        begin = [
            f"const S_{index} begin = column + c * LANES < {final} ? column + c * LANES : {final};",
            "const int n = LANES;",
        ]
        if not spec.accumulators:
            begin = [f"const S_{index} begin = 0;", f"const int n = {extent};"]
        places: list[str] = []
        loads: list[str] = []
        for operand in self.operands:
            name = operand.name
            terms = "".join(f" + (S_i64)a{axis} * p.{name}_r{axis}" for axis in range(spec.reduced_rank))
            places.append(f"{name}_r[b] = {name}_b{terms};")
            loads += operand.load(f"{name}_r[b]")
        loads += [self._register_of_run(number, f"x{k}_r[b] + i", False) for number, k in self.runs.items()]
        unrolled = "UNROLLED " if spec.page <= tuning.ACCUMULATORS else ""
        return super()._hooks() | {
            "extent": extent,
            "outputs": self._outputs(spec.kept_rank - 1),
            "each_of_page": f"{unrolled}for (int u = 0; u < PAGE; u++)",
            "row_starts": [f"S_i64 {', '.join(f'{own.name}_r[BLOCK_ACROSS]' for own in self.operands)};"],
            "coordinates": coordinates(spec.reduced_rank, index, "block + b"),
            "row_places": places,
            "begin": begin,
            "loads": loads,
            "stores": self._stores(extent),
        }

    def _stores(self, extent: str) -> list[str]:
        """The statements that store the results of a register of outputs."""
        stores = ["R_i64 at = cast_i32_i64(total[c + u].at) + SPLAT_i64(first);"] * self.monoid.indexed
        if self.again:
            output = f"minimum_i64(SPLAT_i64(i) + IOTA, SPLAT_i64({extent} - 1))"
            if self.spec.modes[0] != UNIT:  # the results of an output's segments are neighbours
                output += f" * SPLAT_i64(p.x0_k{self.spec.kept_rank - 1})"
            stores.append(f"at = {self._found_again(f'at * SPLAT_i64(p.x0_r0) + {output}')};")
        for name, t, word in self._kept("total[c + u].value", "at"):
            place = Place(f"p.{name}_0 + segment * p.to_segment + row * {extent}", "i", "1")
            stores.append(store(name, t, UNIT, word, place))
        return stores


def identity_body(dtype: np.dtype[Any], memory: tuple[np.dtype[Any], ...] = ()) -> Body:
    """Return the body whose value is its operand."""
    return Body(((dtype, False),), memory, (), (), (X[0],), (dtype,))


def reduction_of(
    device: Device,
    monoid: Monoid,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    schedule: ReduceSchedule,
    results: Sequence[np.dtype[Any]],
    dtype: np.dtype[Any],
    again: bool = False,
    kind: type[ReductionText] | None = None,
    then: Epilogue | None = None,
) -> Reduction:
    """Return the kernel for a schedule; the arguments are those of `reduce_passes.reduce`.

    ``kind``: the class of its text; by default that of the two kernels here. ``then``: what follows.
    """
    spec, dtypes = schedule.spec, tuple(results)

    def make() -> Reduction:
        text = kind or (_Across if spec.across else _Along)
        return Reduction(device, text(device, body(), spec, monoid, dtype, dtypes, again, then))

    return stored((Reduction, device, monoid, spec, dtypes, dtype, again, then, key), make)
