"""From a body to C text, for all kernels that take a fused expression.

The pieces are the parameter block, the arguments, the loads, the arithmetic and the stores. A kernel writes its own
loops around them. They have dialect words only (see the preludes in ``backends``): dtypes come from a closed table, and
every identifier is generated. No user text reaches a compiler, except for the functions of users' own kernels.
"""

from __future__ import annotations

import operator
import re
import struct
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import DTYPE_OF, FLOATING, PROPERTIES, REAL_FLOATING, SHORT
from . import tuning
from .body import MEMORY, OPERAND, SCALAR, Body, Reference, T
from .library import available, library
from .ops import RUN_LENGTHS, UserRule

# The stride of an operand along its innermost dimension: 1, 0 or any. Wrapped: any, and from the end to the beginning;
# packed: any, from the end of a row to the beginning of the next.
UNIT, ZERO, STRIDED, WRAPPED, PACKED = "uzswp"


@dataclass
class Parameters:
    """The parameter block of a kernel: one C struct, packed on the host by one `struct.Struct`.

    Eight-byte fields come first, so that no field needs padding. `layout` fixes the order once all fields are known.
    """

    fields: list[tuple[str, str]] = field(default_factory=list)
    _pack: Callable[..., bytes] | None = None
    _pick: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple

    def _wide(self) -> list[tuple[str, str]]:
        return sorted(self.fields, key=lambda item: _format(item[1])[0] in "iIf")

    def text(self) -> str:
        return "typedef struct {" + " ".join(f"S_{short} {name};" for name, short in self._wide()) + "} Parameters;"

    def pack(self, values: Sequence[Any]) -> bytes:
        """Return the bytes of the block, for values in the order in which the fields were added."""
        if self._pack is None:
            self._prepare()
        try:
            return self._pack(*self._pick(values))  # type: ignore[misc]
        except (OverflowError, struct.error):
            return self._pack(*self._exact(values))  # type: ignore[misc]

    def _order(self) -> list[int]:
        return [self.fields.index(item) for item in self._wide()]

    def _prepare(self) -> None:
        order = self._order()
        self._pick = operator.itemgetter(*order) if len(order) > 1 else tuple
        formats = [_format(short) for _, short in self._wide()]
        packed = "<" + "".join(formats)
        pad = -struct.calcsize(packed) % 8 if any(f[0] not in "iIf" for f in formats) else 0
        self._pack = struct.Struct(packed + "x" * pad).pack

    def _exact(self, values: Sequence[Any]) -> Iterator[Any]:
        """Packable values where a scalar is complex, or a float too large for its field (which then is infinite)."""
        for i in self._order():
            value, dtype = values[i], DTYPE_OF[self.fields[i][1]]
            if dtype not in FLOATING:
                yield value
                continue
            with np.errstate(over="ignore"):
                exact = dtype.type(value)
            if dtype in REAL_FLOATING:
                yield float(exact)
            else:
                yield float(exact.real)
                yield float(exact.imag)


def int64s(*names: str) -> list[tuple[str, str]]:
    """Return fields of a parameter block that are int64."""
    return [(name, "i64") for name in names]


def _format(short: str) -> str:
    """The format of a field in `struct`."""
    return PROPERTIES[DTYPE_OF[short]].packed


def arithmetic(body: Body, done: Container[int] = ()) -> list[str]:
    """Return the program as C statements, except for steps that are ``done``; operands and scalars are registers
    already, with elements in ``n`` lanes."""
    steps = [(k, SHORT[rule.result]) for k, (rule, _) in enumerate(body.steps) if k not in done]
    return [f"R_{short} {T[k]} = {expression(body, k)};" for k, short in steps]


def expression(
    body: Body, number: int, name: Callable[[Reference], str] = str, count: str = "n", partial: bool = True
) -> str:
    """Return the value of a step, as C; ``name`` gives the identifiers of the values that it needs.

    ``partial``: only the first ``count`` lanes hold elements, and the others must not gather, because their indices are
    arbitrary.
    """
    rule, references = body.steps[number]
    words = []
    for wanted, reference in zip(rule.args, references, strict=True):
        if reference.kind == MEMORY:
            words.append(f"{reference} + p.{reference}")
        else:
            words.append(cast(name(reference), body.dtype_of(reference), wanted))
    if partial and references[0].kind == MEMORY:
        inside = f"where_i64(less_i64(IOTA, SPLAT_i64({count})), {words[1]}, SPLAT_i64(0))"
        words[1] = f"{count} == LANES ? {words[1]} : {inside}"
    if isinstance(rule, UserRule):
        words.insert(0, count if partial else "LANES")
    return f"{rule.function}({', '.join(words)})"


def run_length(body: Body, number: int, modes: Sequence[str]) -> int:
    """Return the number of neighbours that a step computes together on GPUs (on CPUs it computes a register of them),
    if its index, the first operand, is contiguous; 0 for other steps. ``modes``: of the operands."""
    rule, references = body.steps[number]
    if rule.function not in RUN_LENGTHS or references[0].kind != OPERAND:
        return 0
    index, others = references[0].number, references[1:]
    near = body.operands[index][1] and modes[index] == UNIT and all(other.kind == SCALAR for other in others)
    return RUN_LENGTHS[rule.function] if near else 0


def run(body: Body, number: int, target: str, count: int, first: str, over: str = "") -> str:
    """Return the statement that computes ``count`` registers of neighbours at once, from index ``first`` on. ``over``:
    the distance of that index from the last multiple of the length of a run, where it is known."""
    rule, references = body.steps[number]
    name, short = rule.function.rsplit("_", 1)
    scalars = [f"p.{reference}" for reference in references[1:]]
    words = [target, over or over_run(body, number, first), str(count), first, *scalars]
    return f"{name}_run_{short}({', '.join(words)});"


def over_run(body: Body, number: int, first: str) -> str:
    """Return the distance of an index from the last multiple of the length of a step's run."""
    return f"(int)(({first}) & {RUN_LENGTHS[body.steps[number][0].function] - 1})"


def runs(body: Body, number: int, array: str, count: int, first: str, over: str = "") -> list[str]:
    """Return the statements that compute ``count`` registers of neighbours into an array, on GPUs: as many at a time as
    the function takes."""
    length = RUN_LENGTHS[body.steps[number][0].function]
    return [
        run(body, number, f"{array} + {k}", min(length, count - k), f"{first} + {k}", over)
        for k in range(0, count, length)
    ]


def value_of(body: Body, reference: Reference, dtype: np.dtype[Any]) -> str:
    """Return a value, cast to a dtype."""
    return cast(str(reference), body.dtype_of(reference), dtype)


def cast(word: str, have: np.dtype[Any], want: np.dtype[Any]) -> str:
    return word if have == want else f"cast_{SHORT[have]}_{SHORT[want]}({word})"


class Place(NamedTuple):
    """The elements of an operand in a register, as C: the first ``lanes`` lanes from ``base + at * step`` on."""

    base: str
    at: str
    step: str
    lanes: str = "n"

    @property
    def first(self) -> str:
        return f"{self.base} + {self.at}" if self.step == "1" else f"{self.base} + {self.at} * {self.step}"


def fill(register: str, pointer: str, short: str, is_iota: bool, mode: str, place: Place) -> str:
    """Return the statement that fills a register. An index variable is its own address.

    A partial register touches no memory beyond its lanes.
    """
    base, at, step, count = place
    if is_iota:
        along = base if mode == ZERO else f"{place.first}) + IOTA * SPLAT_i64({step}"
        return f"{register} = SPLAT_i64({along});"
    if mode == ZERO:
        return f"{register} = LOAD1_{short}({pointer}, {base});"
    full = f"LOAD_{short}({pointer}, {base} + {at})"
    if mode == STRIDED:
        full = f"LOADS_{short}({pointer}, {place.first}, {step})"
    part = f"LOADN_{short}({pointer}, {place.first}, {step}, {count})"
    return f"if ({count} == LANES) {register} = {full}; else {register} = {part};"


class Operand(NamedTuple):
    """A result or operand of a kernel; ``step``: from the element of one lane to that of the next, as C."""

    name: str
    short: str
    is_iota: bool
    mode: str
    step: str

    def load(self, base: str) -> tuple[str, str]:
        """Return the declaration of the operand's register, and the statement that fills it from element
        ``base + i * step`` on."""
        place = Place(base, "i", self.step)
        return f"R_{self.short} {self.name};", fill(
            self.name, f"p{self.name}", self.short, self.is_iota, self.mode, place
        )

    def neighbours(self, most: int) -> int:
        """Return the number of neighbouring elements, at most ``most``, that one access of 16 bytes takes; 1 if lanes
        are not neighbours in memory."""
        near = self.mode == UNIT and not self.is_iota
        return min(most, 16 // DTYPE_OF[self.short].itemsize) if near else 1


def operands_of(body: Body, modes: str, axis: str, results: Iterable[np.dtype[Any]] = ()) -> list[Operand]:
    """Return the results, of the given dtypes, and then the operands of a body, whose lanes lie along ``axis``."""
    items = [(f"o{k}", dtype, False) for k, dtype in enumerate(results)]
    items += [(f"x{k}", dtype, is_iota) for k, (dtype, is_iota) in enumerate(body.operands)]
    return [
        Operand(name, SHORT[dtype], is_iota, mode, "1" if mode == UNIT else f"p.{name}_{axis}")
        for (name, dtype, is_iota), mode in zip(items, modes, strict=True)
    ]


def vectors_of(accesses: Iterable[tuple[str, int]], kind: str = "VECTORS") -> str:
    """Return the definitions of accesses that take several elements, given their dtypes and numbers.

    ``kind``: the word of the dialect, VECTORS, or HELD_VECTORS behind it."""
    lines = {f"{kind}({short}, {count}, W_{count * DTYPE_OF[short].itemsize})\n" for short, count in accesses}
    return "".join(sorted(lines))


def fill_wrapped(register: str, pointer: str, short: str, shift: str, extent: str, index: str, place: Place) -> str:
    """Return `fill` for an operand whose element ``at`` is the one ``shift`` places further on, with the first elements
    after the end of ``extent`` elements. ``index``: the dtype of these numbers."""
    base, at, step, count = place
    contiguous = f"LOAD_{short}({pointer}, {base} + j)"
    strided = f"LOADS_{short}({pointer}, {base} + j * {step}, {step})"
    gathered = f"LOADG_{short}({pointer} + {base}, WRAPPED_LANES(j, {extent}, {count}) * SPLAT_i64({step}))"
    return (
        f"{{ S_{index} j = WRAPPED({at} + {shift}, {extent}); "
        f"if ({count} == LANES && (LANES == 1 || j + LANES <= {extent})) "
        f"{register} = LANES > 1 && {step} == 1 ? {contiguous} : {strided}; "
        f"else {register} = {gathered}; }}"
    )


def fill_packed(register: str, pointer: str, short: str, is_iota: bool, row: str, place: Place) -> str:
    """Return `fill` for an operand whose rows are packed; ``row``: the stride from row to row."""
    base, _, step, count = place
    if is_iota:
        return f"{register} = PACKED_AT({base}, {row}, {step});"
    return f"{register} = LOADG_{short}({pointer}, PACKED_LANES({base}, {row}, {step}, {count}));"


def store(pointer: str, short: str, mode: str, value: str, place: Place, word: str = "STORE") -> str:
    """Return the statement that writes a register; ``word``: the dialect word for a whole, contiguous one."""
    base, at, step, count = place
    full = f"{word}_{short}({pointer}, {base} + {at}, {value})"
    if mode != UNIT:
        full = f"STORES_{short}({pointer}, {place.first}, {step}, {value})"
    return f"if ({count} == LANES) {full}; else STOREN_{short}({pointer}, {place.first}, {step}, {count}, {value});"


_WORD = re.compile(r"\b[a-z]\w*_[a-z]\w*\b")


def assemble(text: str) -> str:
    """Return a kernel's text behind the device functions that it calls.

    A long function that the text names often is not inlined, because each call would be compiled separately.
    """
    names = Counter(_WORD.findall(text))
    called = {name for name, count in names.items() if count > tuning.INLINED}
    return library(sorted(names.keys() & available()), called) + text


def parameters_of(
    body: Body, sizes: Iterable[str], offsets: Iterable[str], strides: Iterable[str], index: str, offset: str = "i64"
) -> Parameters:
    """Return the parameters of a kernel over a body, in the order in which they are packed: sizes, offsets of arrays
    and memory, strides, scalars. ``index`` and ``offset``: the dtypes of these numbers."""
    fields = [(name, index) for name in sizes] + [(f"{name}_0", offset) for name in offsets]
    fields += [(f"m{k}", "i64") for k in range(len(body.memory))]
    fields += [(name, index) for name in strides]
    return Parameters(fields + [(f"s{k}", SHORT[dtype]) for k, dtype in enumerate(body.scalars)])


def pointers_of(body: Body, results: Iterable[np.dtype[Any]]) -> list[tuple[str, str]]:
    """Return the pointers of a kernel over a body, dtype and name: results, operands in memory, gathered memory."""
    operands = [(SHORT[dtype], f"px{k}") for k, (dtype, is_iota) in enumerate(body.operands) if not is_iota]
    memory = [(SHORT[dtype], f"m{k}") for k, dtype in enumerate(body.memory)]
    return [(SHORT[dtype], f"o{k}") for k, dtype in enumerate(results)] + operands + memory


def arguments(pointers: Iterable[tuple[str, str]]) -> str:
    """Return the arguments of a kernel: pointers to memory, then the parameter block."""
    return ", ".join([f"GLOBAL M_{short}* {name}" for short, name in pointers] + ["const Parameters p"])


def scalars_of(body: Body) -> list[str]:
    """Return the statements that fill the registers of the scalars."""
    return [f"R_{SHORT[dtype]} s{k} = SPLAT_{SHORT[dtype]}(p.s{k});" for k, dtype in enumerate(body.scalars)]


def strides_of(names: Iterable[str], modes: str, rank: int) -> list[str]:
    """Return the names of the strides of arrays: along every axis, except for an innermost stride of 0 or 1."""
    axes = {mode: range(rank if mode in STRIDED + WRAPPED + PACKED else rank - 1) for mode in modes}
    return [f"{name}_s{axis}" for name, mode in zip(names, modes, strict=True) for axis in axes[mode]]


def coordinates_of(letter: str, extent: str, rank: int, index: str, number: str) -> list[str]:
    """Return the statements for the coordinates, such as c0, c1, of the element with the number in the variable
    ``number``, of ``rank`` axes with extents such as p.k0, p.k1. They change the variable."""
    lines = [f"S_{index} {letter}{k} = {number} % p.{extent}{k}; {number} /= p.{extent}{k};" for k in range(1, rank)]
    return [*reversed(lines), f"S_{index} {letter}0 = {number};"] if rank else []


def bases_of(names: Iterable[str], rank: int, index: str) -> list[str]:
    """Return the statements for the coordinates of number ``rest`` of the ``rank`` kept axes, and for the place at
    which each array begins there."""
    lines = coordinates_of("c", "k", rank, index, "rest")
    for name in names:
        terms = "".join(f" + (S_i64)c{k} * p.{name}_k{k}" for k in range(rank))
        lines.append(f"S_i64 {name}_b = p.{name}_0{terms};")
    return lines
