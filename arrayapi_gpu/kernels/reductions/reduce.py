"""The reduction kernel: a monoid over the values of a fused body, along any axes.

Segments of the reduced index are reduced on their own, and their results are reduced again (`reduce_passes`): on CPUs
by the same kernel; on GPUs, where there are many, part after part, by the group that is the last to publish a result of
that part, or, where groups may not wait for each other, by launches of their own.
The order in which elements are combined depends on the logical shape and the device's lanes alone, never on strides or
on the body, so a sum has the same bits whether its producer is fused, and however its operands lie in memory. The
rounding error of a sum grows with the depth of the combination, not with the length.

Two kernels:

Along. The lanes of a register take neighbouring elements of the reduced index. A work-item holds a few accumulators,
which take registers one after another; blocks of these are combined on their own. On GPUs, where a register is one
lane, a few neighbouring elements are a work-item's, by one access where they are aligned, and as many work-items of a
group as are worth it work for one output and combine their results in local memory. Neighbouring work-items are for
neighbouring elements of an output or for neighbouring outputs, whichever lie closer in memory; in the second case a
work-item may do the work of several lanes, so that enough neighbouring outputs read whole lines.

Across, on CPUs where the fastest axis stays. The lanes take neighbouring outputs, and a work-item a few pages of them:
for some rows at a time it goes through the page, as many registers at a time as it has room for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device, Kernel
from ...memory.dtypes import DTYPE_OF, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray
from ..core import tuning
from ..core.body import Body, T, X
from ..core.dialect import (
    UNIT,
    ZERO,
    Parameters,
    Place,
    arguments,
    arithmetic,
    bases_of,
    cast,
    coordinates_of,
    expression,
    fill,
    load,
    parameters_of,
    pointers_of,
    run,
    run_length,
    runs,
    scalars_of,
    store,
    value_of,
)
from ..core.launch import BoundKernel, BoundLaunch, compiled
from ..core.monoid import Monoid
from ..core.store import stored
from ..core.texts import Hook, defines, section
from ..maps.scratch import scratch
from .reduce_schedule import ReduceSchedule, ReduceSpec, power_of_two

INT64 = DTYPE_OF["i64"]


class BoundReduction(NamedTuple):
    """The launches of a reduction whose groups publish what they found, `launch.BoundLaunch`."""

    device: Device
    launches: list[BoundKernel]
    words: int  # in which they do

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Launch. ``buffers`` are the results', the operands' and the memory's."""
        words, _ = scratch(self.device, "reduction", self.words)
        buffers.append(words.storage.buffer)
        for launch in self.launches:
            launch.run(buffers, scalars, offsets)


class Reduction:
    """A compiled reduction of one body by one monoid on schedules of one spec (`ReduceSpec`).

    Groups publish in memory that is zero before and after a launch: first come counters, half a word each, then what is
    found in each segment, then in each part of them, in parts of these, and so on.
    """

    def __init__(self, device: Device, text: _Text):
        self.device, self.monoid = device, text.monoid
        self.parameters, self.part, self.words = text.parameters, text.part, text.words
        self.counters = text.counters
        self.kernel: Kernel = compiled(device, text.kernel(), text.name)
        self.join = None if (join := text.join()) is None else compiled(device, join, "join_parts")

    def run(
        self,
        schedule: ReduceSchedule,
        results: Sequence[GpuArray],
        operands: Sequence[Any],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
    ) -> BoundLaunch:
        """One pass; ``operands`` are arrays and layouts of index variables. Gives what another one needs."""
        items = [*results, *operands, *memory]
        offsets = [item.offset for item in items]
        buffers = [item.storage.buffer for item in items if type(item) is GpuArray]
        launches = [self.first(schedule, offsets)]
        launched: BoundLaunch = launches[0]
        if schedule.spec.published:
            joins, words = self.joins(schedule, schedule.items // schedule.segments, offsets)
            launched = BoundReduction(self.device, launches + joins, words)
        launched.run(buffers, scalars)
        return launched

    def first(self, schedule: ReduceSchedule, offsets: Sequence[int]) -> BoundKernel:
        """The launch that reduces segments."""
        return self._bound(self.kernel, self.monoid.name, schedule.items, schedule, schedule.numbers, offsets)

    def joins(self, schedule: ReduceSchedule, items: int, offsets: Sequence[int]) -> tuple[list[BoundKernel], int]:
        """The launches that combine what is published of segments, where these are launches of their own, and how many
        words all take. ``items``: work-items for one segment."""
        launches: list[BoundKernel] = []
        n, first, outputs, last = schedule.segments, schedule.numbers[:2], schedule.outputs, schedule.numbers[5:]
        published = 0
        while n > 1:
            parts = -(-n // self.part)
            if self.join is not None:
                numbers = *first, n, outputs, published, *last
                launches.append(self._bound(self.join, "join", items * parts, schedule, numbers, offsets))
            published += n * outputs
            n = parts
        return launches, self.counters // 2 + published * self.words

    def _bound(
        self, kernel: Kernel, name: str, items: int, schedule: ReduceSchedule, numbers: Any, offsets: Sequence[int]
    ) -> BoundKernel:
        group, strides = schedule.spec.group, schedule.strides
        return BoundKernel(self.device, kernel, name, items, group, self.parameters, numbers, offsets, strides)


class _Text:
    """The texts of a reduction's kernels: the constants before the sections of reduce.c, and the hooks in them.

    ``dtype``: of the accumulators; ``results``: the dtypes of the results, which are a value, a position, or both;
    ``again``: the operands are the winners of segments, and their positions are gathered from the body's memory.
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
    ):
        self.gpu, self.body, self.spec, self.monoid, self.again = device.is_gpu, body, spec, monoid, again
        self.dtype, self.short, self.identity = dtype, SHORT[dtype], monoid.identity(dtype)
        self.name = body.kernel_name(monoid.name, spec.kept_rank + spec.reduced_rank)
        self.joined = spec.published and (spec.part or not device.forward_progress)
        # Work-items of an output, outputs of a group, and segments that are combined at a time.
        self.items = spec.lanes_per_output // spec.lanes_per_item if self.gpu else 1
        self.outputs = tuning.GPU_GROUP // self.items if self.gpu else 1
        self.part = self.items * min(self.outputs, tuning.MANY)
        # At most so many groups work on segments, and count those of a part.
        self.counters = tuning.BUSY_ITEMS // tuning.GPU_GROUP
        # Words that hold the published result of a segment: half a word holds 4 bytes.
        self.words = -(-(dtype.itemsize + 8 if monoid.indexed else dtype.itemsize) // 4)
        self.results = [(f"o{k}", d) for k, d in enumerate(results)]
        self.operands = [(f"x{k}", SHORT[d], is_iota) for k, (d, is_iota) in enumerate(body.operands)]
        self.vectors, self.early = self._accesses()
        self.runs = self._runs()
        nbytes = sum(DTYPE_OF[short].itemsize for name, short, _ in self.operands if name in self.early)
        nbytes *= tuning.ACCUMULATORS
        self.ahead = min(tuning.MAX_AHEAD, power_of_two(tuning.BYTES_IN_FLIGHT // nbytes)) if nbytes else 0
        self.parameters = self._parameters()

    def _accesses(self) -> tuple[dict[str, tuple[str, int]], set[str]]:
        """Operands of which several neighbours are read by one access, with dtype and number; and operands that are
        read ahead."""
        spec, vectors, early = self.spec, {}, set()
        for (name, short, is_iota), mode in zip(self.operands, spec.modes, strict=True):
            count = min(tuning.ACCUMULATORS, 16 // DTYPE_OF[short].itemsize)
            if spec.vectors and mode == UNIT and not is_iota and count > 1:
                vectors[name] = (short, count)
            if self.gpu and spec.reduced_rank == 1 and mode != ZERO and not is_iota and spec.columns == 1:
                early.add(name)
        return vectors, early

    def _runs(self) -> dict[int, int]:
        """The steps that compute neighbours together, with the operands that are their indices."""
        spec, body = self.spec, self.body
        if (not spec.across and (spec.reduced_rank > 1 or spec.columns > 1)) or (self.gpu and spec.across):
            return {}
        lengths = {number: run_length(body, number, spec.modes) for number in range(len(body.steps))}
        return {number: body.steps[number][1][0].number for number, length in lengths.items() if length}

    def _parameters(self) -> Parameters:
        """The parameters, in the order of `ReduceSchedule.numbers`, offsets, strides and scalars."""
        spec, kept, reduced = self.spec, range(self.spec.kept_rank), range(self.spec.reduced_rank)
        axes = [f"k{axis}" for axis in kept] + [f"r{axis}" for axis in reduced]
        digits = ["pages", "width"] if spec.across else [f"{by}{axis}" for by in "de" for axis in reduced]
        places = ["published_0"] if spec.published else ["to_output", "to_segment"]
        places += ["first_segment"] if spec.part else []
        sizes = ["n", "length", "segments", "outputs", *places, *axes, *digits]
        names = [name for name, _, _ in self.operands]
        strides = [f"{name}_{axis}" for name in names for axis in axes]
        arrays = [name for name, _ in self.results] + names
        return parameters_of(self.body, sizes, arrays, strides, spec.integer)

    def kernel(self) -> str:
        """The kernel of the only, or the first launch."""
        raise NotImplementedError

    def join(self) -> str | None:
        """The kernel of a second launch, which takes the same arguments; None where there is none."""
        return None

    def _head(self) -> str:
        """What stands before a kernel."""
        spec, cheap = self.spec, self.body.cost <= 16
        constants = {
            "GPU": self.gpu,
            "ACCUMULATORS": max(spec.accumulators, 1),
            # Unrolled, accumulators stay in registers: on CPUs worth the compiler's time where little is computed.
            "UNROLLED": "UNROLL" if cheap or self.gpu else "",
            **self._constants(),
        }
        lines = [self.parameters.text(), "\n", defines(constants), *[f"{text}\n" for text in self.monoid.texts]]
        vectors = {f"VECTORS({t}, {count}, W_{count * DTYPE_OF[t].itemsize})\n" for t, count in self.vectors.values()}
        lines += [*sorted(vectors), section("reduce", "indexed" if self.monoid.indexed else "plain", **self._monoid())]
        if spec.lanes_per_output > 1:
            lines.append(section("reduce", "tree"))
        if spec.published:
            lines.append(section("groups", "published", V="Published"))
        return "".join([*lines, self.body.described(), "\n"])

    def _constants(self) -> dict[str, object]:
        """The constants that only this way of reducing needs."""
        raise NotImplementedError

    def _monoid(self) -> dict[str, Hook]:
        """How values are combined."""
        t, function = self.short, self.monoid.function
        hooks: dict[str, Hook] = {"T": t, "identity": self.identity, "function": function}
        if self.monoid.indexed:
            wins, same = f"{function}_{t}(other.value, total.value)", f"equal_{t}(other.value, total.value)"
            hooks["wins"] = f"{function}_{t}(value, before.value)"
            if self.dtype in REAL_FLOATING:
                no_better = {"greater": "less_equal", "less": "greater_equal"}[function]
                was_number = f"equal_{t}(total.value, total.value)"
                is_nan = f"not_equal_{t}(other.value, other.value)"
                hooks["wins"] = f"~{no_better}_{t}(value, before.value) & equal_{t}(before.value, before.value)"
                wins, same = f"{wins} | ({is_nan} & {was_number})", f"{same} | ({is_nan} & ~{was_number})"
            hooks |= {"joins": wins, "same": same}
        return hooks

    def _hooks(self) -> dict[str, Hook]:
        """What all kernels have."""
        body, spec = self.body, self.spec
        pointers = pointers_of(body, [dtype for _, dtype in self.results])
        if spec.published:
            pointers.append(("u64", "words"))
        value = value_of(body, body.results[0], self.dtype)
        return {
            "T": self.short,
            "I": spec.integer,
            "identity": self.identity,
            "arguments": arguments(pointers),
            "scalars": scalars_of(body),
            "value": [*arithmetic(body, self.runs), f"R_{self.short} v = {value};"],
            "more": " + p.first_segment" if spec.part else "",
        }

    def _outputs(self, axes: int) -> list[str]:
        """Where output ``row`` of the first kept axes begins in each operand."""
        index = self.spec.integer
        rest = [f"S_{index} rest = row;"] if axes else []
        return rest + bases_of([name for name, *_ in self.operands], axes, index)

    def _found_again(self, place: str) -> str:
        """The position stored with a value of an earlier pass, given the value's distance from the output's first."""
        return f"LOADG_i64(m0, SPLAT_i64(x0_b - p.x0_0 + p.m0) + {place})"

    def _kept(self, value: str, place: str) -> list[tuple[str, str, str]]:
        """The results to write: name, dtype and register of each."""
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


class _Along(_Text):
    """The texts where lanes lie along the reduced index."""

    def kernel(self) -> str:
        hooks = {**self._hooks(), "kernel": self.name}
        hooks |= self._along(hooks) | {"results": self._stores(False), "parts": []}
        if self.spec.published:
            hooks["results"] = ["publish(words, segment * p.outputs + output, 1, PACKED(total[c]));"]
            if not self.joined:
                hooks["parts"] = section("reduce", "parts", **hooks, part=self._part(hooks))
        return self._head() + section("reduce", "along", **hooks)

    def join(self) -> str | None:
        if not self.joined:
            return None
        hooks = self._hooks()
        return self._head() + section("reduce", "join", **hooks, member=_member(), part=self._part(hooks))

    def _part(self, hooks: Mapping[str, Hook]) -> str:
        """The statements that combine a part of the segments."""
        return section("reduce", "part", **hooks, stores=self._stores(True))

    def _constants(self) -> dict[str, object]:
        spec, of_group = self.spec, self.outputs * self.spec.columns
        constants = {
            "BLOCK": tuning.BLOCK,
            "ROUNDED": self.monoid.rounds(self.dtype),
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
            constants |= {"PART": self.part, "MANY": self.part // self.items, "COUNTERS": self.counters}
        return constants

    def _along(self, common: Mapping[str, Hook]) -> dict[str, Hook]:
        spec, many = self.spec, self.spec.reduced_rank > 1
        early = [(name, t) for name, t, _ in self.operands if name in self.early]
        from_ahead = [f"R_{t} {name}_v[ACCUMULATORS];" for name, t in early]
        from_ahead += [f"EACH {name}_v[u] = {name}_ahead[a][u];" for name, _ in early]
        hooks: dict[str, Hook] = {
            "place": section("reduce", "place", I=spec.integer, member=_member(), more=common["more"]),
            "outputs": self._outputs(spec.kept_rank - (spec.columns > 1)),
            "coordinates": [
                *(_coordinates(spec.reduced_rank, spec.integer, "first + own") if many else []),
                *(_lanes(spec.reduced_rank) if many and not self.gpu else []),
            ],
            "ahead": [f"R_{t} {name}_ahead[AHEAD][ACCUMULATORS];" for name, t in early],
            "read_ahead": self._read_ahead(),
            "from_ahead": from_ahead,
            "advance": [_advance(spec.reduced_rank, "d")] if many else [],
            "advance_lanes": [_advance(spec.reduced_rank, "e")] if many and spec.lanes_per_output > 1 else [],
            "runs": self._runs_of_strip(),
            "loads": self._loads_along(False),
            "masked_loads": self._loads_along(True),
        }
        return hooks | {"strip": section("reduce", "strip", **common, **hooks)}

    def _stores(self, of_parts: bool) -> list[str]:
        """The stores of an output's results, which are in ``total``, or ``whole`` where all its segments are."""
        total, lines = "whole" if of_parts else "total[c]", []
        place = "output" if of_parts else "output * p.to_output + segment * p.to_segment"
        if self.again and not of_parts:
            lines.append(f"total[c].at = {self._found_again('total[c].at * SPLAT_i64(p.x0_r0)')};")
        for name, t, value in self._kept(f"{total}.value", f"{total}.at"):
            lines.append(f"STOREN_{t}({name}, p.{name}_0 + {place}, 1, 1, {value});")
        return lines

    def _read_ahead(self) -> list[str]:
        """A strip of each operand that is read ahead, from element ``from`` on; neighbours by one access if aligned."""
        lines = []
        for (name, short, is_iota), mode in zip(self.operands, self.spec.modes, strict=True):
            if name in self.vectors:
                t, count = self.vectors[name]
                for k in range(0, tuning.ACCUMULATORS, count):
                    lines.append(f"LOADV_{t}(p{name}, {name}_b + from + {k}, {name}_ahead[a] + {k});")
            elif name in self.early:
                step = "1" if mode == UNIT else f"p.{name}_r0"
                place = Place(f"{name}_b", "(from + u * LANES)", step, "LANES")
                lines.append(f"EACH {fill(f'{name}_ahead[a][u]', f'p{name}', short, is_iota, mode, place)}")
        return lines

    def _runs_of_strip(self) -> list[str]:
        """On GPUs, what a strip's registers hold of the steps that compute neighbours together."""
        lines = []
        for number, operand in self.runs.items() if self.gpu else ():
            name, count = f"{T[number]}_run", tuning.ACCUMULATORS
            lines.append(f"R_{SHORT[self.body.dtype_of(T[number])]} {name}[ACCUMULATORS];")
            lines += runs(self.body, number, name, count, f"x{operand}_b + r + own")
        return lines

    def _loads_along(self, masked: bool) -> list[str]:
        """One register of each operand, from element ``i`` of the reduced index."""
        rank, lines, straight, scattered = self.spec.reduced_rank, [], [], []
        for k, ((name, short, is_iota), mode) in enumerate(zip(self.operands, self.spec.modes, strict=True)):
            base = f"{name}_b"
            if self.spec.columns > 1 and self.spec.beside[k] != ZERO:
                base = f"({name}_b + c * p.{name}_k{self.spec.kept_rank - 1})"
            for axis in range(rank - 1):
                base += f" + (S_i64)a{axis} * p.{name}_r{axis}"
            if rank > 1:
                lines.append(f"S_i64 {name}_r = {base};")
                base = f"{name}_r"
            step = "1" if mode == UNIT else f"p.{name}_r{rank - 1}"
            declaration, statement = load(name, short, is_iota, mode, base, step)
            if name in self.early and not masked:
                statement = f"{name} = {name}_v[u];"
            lines.append(declaration)
            straight.append(statement)
            address = f"SPLAT_i64({name}_b)"
            for axis in range(rank):
                address += f" + e{axis} * SPLAT_i64(p.{name}_r{axis})"
            if masked:  # lanes without an element read that of the first lane
                address = f"where_i64(valid, {address}, SPLAT_i64({base} + a{rank - 1} * {step}))"
            scattered.append(f"{name} = {address if is_iota else f'LOADG_{short}(p{name}, {address})'};")
        if rank == 1:
            found = [self._register_of_run(number, f"x{k}_b + i", masked) for number, k in self.runs.items()]
            return [*lines, *straight, *found]
        inner = rank - 1
        lines.append(f"i = a{inner};")
        if self.gpu:
            return [*lines, *straight]
        # A register that goes over the end of the last reduced axis is gathered.
        return [
            *lines,
            f"if (a{inner} + n <= p.r{inner}) {{",
            *straight,
            "} else {",
            *_lane_places(rank),
            *scattered,
            "}",
        ]


class _Across(_Text):
    """The texts where lanes lie across the outputs."""

    def kernel(self) -> str:
        hooks = self._hooks()
        return self._head() + section("reduce", "across", **hooks, kernel=self.name, **self._across())

    def _constants(self) -> dict[str, object]:
        return {"PAGE": self.spec.page, "BLOCK_ACROSS": tuning.BLOCK_ACROSS}

    def _across(self) -> dict[str, Hook]:
        spec, index = self.spec, self.spec.integer
        extent = f"p.k{spec.kept_rank - 1}"
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
        for (name, short, is_iota), mode in zip(self.operands, spec.modes, strict=True):
            terms = "".join(f" + (S_i64)a{axis} * p.{name}_r{axis}" for axis in range(spec.reduced_rank))
            places.append(f"{name}_r[b] = {name}_b{terms};")
            step = "1" if mode == UNIT else f"p.{name}_k{spec.kept_rank - 1}"
            loads += load(name, short, is_iota, mode, f"{name}_r[b]", step)
        for number, operand in self.runs.items():
            loads.append(self._register_of_run(number, f"x{operand}_r[b] + i", False))
        stores = []
        if self.monoid.indexed:
            stores.append("R_i64 at = cast_i32_i64(total[c + u].at) + SPLAT_i64(first);")
        if self.again:
            output = f"minimum_i64(SPLAT_i64(i) + IOTA, SPLAT_i64({extent} - 1))"
            if spec.modes[0] != UNIT:  # segments of an output lie side by side
                output += f" * SPLAT_i64(p.x0_k{spec.kept_rank - 1})"
            stores.append(f"at = {self._found_again(f'at * SPLAT_i64(p.x0_r0) + {output}')};")
        for name, t, word in self._kept("total[c + u].value", "at"):
            place = Place(f"p.{name}_0 + segment * p.to_segment + row * {extent}", "i", "1")
            stores.append(store(name, t, UNIT, word, place))
        unrolled = "UNROLLED " if spec.page <= tuning.ACCUMULATORS else ""
        return {
            "extent": extent,
            "outputs": self._outputs(spec.kept_rank - 1),
            "each_of_page": f"{unrolled}for (int u = 0; u < PAGE; u++)",
            "row_starts": [f"S_i64 {', '.join(f'{name}_r[BLOCK_ACROSS]' for name, _, _ in self.operands)};"],
            "coordinates": _coordinates(spec.reduced_rank, index, "block + b"),
            "row_places": places,
            "begin": begin,
            "loads": loads,
            "stores": stores,
        }


# Coordinates a0, a1, ... of the reduced axes.


def _member() -> str:
    """Which output of its group a work-item is for, and which of that output's work-items it is."""
    return section("reduce", "member")


def _coordinates(rank: int, index: str, number: str) -> list[str]:
    """The coordinates of an element of the reduced index."""
    if rank == 1:
        return [f"S_{index} a0 = {number};"]
    return [f"S_{index} at = {number};", *coordinates_of("a", "r", rank, index, "at")]


def _advance(rank: int, by: str) -> str:
    """Go on by as many elements as have the coordinates d0, d1, ... or e0, e1, ..."""
    text, carry = "int over = 0;", ""
    for axis in reversed(range(1, rank)):
        text += f" a{axis} += p.{by}{axis}{carry}; over = a{axis} >= p.r{axis}; if (over) a{axis} -= p.r{axis};"
        carry = " + over"
    return f"{text} a0 += p.{by}0{carry};"


def _lanes(rank: int) -> list[str]:
    """The coordinates l0, l1, ... of a register's lanes in relation to its first."""
    lines = ["R_i64 lanes = IOTA;"]
    for axis in reversed(range(1, rank)):
        lines.append(f"R_i64 l{axis} = remainder_i64(lanes, SPLAT_i64(p.r{axis}));")
        lines.append(f"lanes = floor_divide_i64(lanes, SPLAT_i64(p.r{axis}));")
    return [*lines, "R_i64 l0 = lanes;"]


def _lane_places(rank: int) -> list[str]:
    """The coordinates e0, e1, ... of a register's lanes, the first of which is at a0, a1, ..."""
    lines, carry = ["R_i64 over;"], ""
    for axis in reversed(range(1, rank)):
        lines += [
            f"R_i64 e{axis} = SPLAT_i64(a{axis}) + l{axis}{carry};",
            f"over = where_i64(less_i64(e{axis}, SPLAT_i64(p.r{axis})), SPLAT_i64(0), SPLAT_i64(1));",
            f"e{axis} = e{axis} - over * SPLAT_i64(p.r{axis});",
        ]
        carry = " + over"
    return [*lines, f"R_i64 e0 = SPLAT_i64(a0) + l0{carry};"]


def identity_body(dtype: np.dtype[Any], memory: tuple[np.dtype[Any], ...] = ()) -> Body:
    """The body that is its operand."""
    return Body(((dtype, False),), memory, (), (), (X[0],), (dtype,))


def _aligned(operands: Sequence[Any]) -> bool:
    """Whether operands begin where several neighbouring elements may be read by one access."""
    for item in operands:
        if item.offset % tuning.ACCUMULATORS or (type(item) is GpuArray and not item.storage.buffer.aligned):
            return False
    return True


def reduction(
    device: Device,
    monoid: Monoid,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    schedule: ReduceSchedule,
    operands: Sequence[Any],
    results: Sequence[np.dtype[Any]],
    dtype: np.dtype[Any],
    again: bool = False,
) -> Reduction:
    """The kernel for a schedule and operands; what the arguments are is said at `reduce_passes.reduce`."""
    spec = schedule.aligned if schedule.aligned is not schedule.spec and _aligned(operands) else schedule.spec
    dtypes = tuple(results)

    def make() -> Reduction:
        text = (_Across if spec.across else _Along)(device, body(), spec, monoid, dtype, dtypes, again)
        return Reduction(device, text)

    return stored((Reduction, device, monoid, spec, dtypes, dtype, again, key), make)
