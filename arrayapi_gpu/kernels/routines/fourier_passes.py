"""The passes of Fourier transforms over memory: kernels, and which elements each of their rows has.

A group has some rows in local memory and computes them by Stockham's algorithm, whose stages are butterflies of 2 to 16
elements. An axis whose elements do not fit takes a pass for each factor of its length (Bailey, "FFTs in external or
hierarchical memory", 1990). The passes of a convolution go there and back: the last one there multiplies by the other
spectrum and transforms again, since it has what the first one back needs, and the others come once more in the reverse
order. So frequencies are never sorted, and a convolution that fits in a group is one launch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import COMPONENT, SHORT
from ...memory.gpuarray import GpuArray, Signature, signature_of
from ..core.dialect import Parameters, int64s
from ..core.launch import BoundKernel, FixedKernel
from ..core.store import kept
from ..core.texts import section, statements
from ..core.traffic import Traffic
from .butterflies import RADICES, butterfly
from .fourier_tables import chirps, roots, turns

LOCAL_MEMORY = 48 << 10  # of local memory of a group, at most
LOCAL_TILE_BYTES = 40 << 10  # of several rows
ROW_BYTES = 4 * 8 + 128  # of a row, for its addresses and its distance from other rows
BANK_BYTES = 128  # of local memory that a warp reads at a time
ADJACENT = 8  # elements that successive work-items read from memory, at least
GROUP = 512  # work-items, at most
WARP = 32  # work-items that a group has a multiple of
DIGITS = 4  # of the number of a row
NARROW_ROWS = (1 << 31) - (1 << 20)  # rows, with those of an incomplete group


class Line(NamedTuple):
    """The facts of a transform along an axis: [outer, n, inner] in memory."""

    outer: int
    inner: int
    n: int
    extent: int  # of the input along the axis
    given: int  # elements of the input that count
    kept: int  # elements of the output
    inverse: bool
    real_in: bool
    hermitian: bool  # the input is one half of an array with that symmetry, and the output is real


@lru_cache(4096)
def stages(n: int) -> tuple[int, ...] | None:
    """Return the radices whose product is a number, as few as can be and the largest as small; None where a prime
    factor is too large."""
    if n == 1:
        return ()
    best: tuple[int, ...] | None = None
    for radix in RADICES:
        if n % radix == 0 and (rest := stages(n // radix)) is not None:
            found = tuple(sorted((radix, *rest), reverse=True))
            if best is None or (len(found), found) < (len(best), best):
                best = found
    return best


class Digit(NamedTuple):
    """One digit of the number of a row: how many values it takes, and strides: of the input, of the output, of the root
    or the place along the axis, and of the frequency or the place of results along it."""

    values: int
    source: int = 0
    out: int = 0
    turn: int = 0
    base: int = 0


class Stage(NamedTuple):
    """One stage: ``done`` elements of each butterfly's are transformed, its roots begin at ``start``. ``convolves``:
    the transform ends with it, and another one follows."""

    radix: int
    done: int = 1
    start: int = 0
    convolves: bool = False


@dataclass(frozen=True)
class PassSpec:
    """The facts that a kernel is compiled for.

    ``load``: "input" of the transform, or results of another pass, "kept", or "turned" by roots of unity. ``store``:
    the "output", or for another pass in one of these ways. ``convolved``: a second transform follows a product.
    """

    pair: np.dtype[Any]
    n: int
    load: str
    store: str
    convolved: bool = False
    chirps: bool = False  # multiply the input and the output
    by_rows_in: bool = False
    by_rows_out: bool = False
    real_in: bool = False
    hermitian_in: bool = False
    real_out: bool = False
    conjugate_in: bool = False
    conjugate_out: bool = False
    narrow: bool = True  # the number of a row takes 32 bits
    most_items: int = GROUP

    @property
    def stages(self) -> list[Stage]:
        """The stages. One of radix 1 moves elements: where few work-items would read neighbours, or write them, and in
        a pass over single elements."""
        radices = stages(self.n) or ()
        own = list(_stages(radices))
        before = not own or (self.by_rows_in and self.n < ADJACENT * radices[0])
        behind = bool(own) and self.by_rows_out and self.n < ADJACENT * radices[-1]
        if self.convolved:
            own = [*own[:-1], own[-1]._replace(convolves=True), *own]
        return [*[Stage(1)] * before, *own, *[Stage(1)] * behind]

    @property
    def turns(self) -> bool:
        """Whether it multiplies by roots of unity between passes."""
        return "turned" in (self.load, self.store)

    @property
    def of_a_convolution(self) -> bool:
        """Whether it reads the tables of one."""
        return self.convolved or self.chirps

    @property
    def apart(self) -> bool:
        """Whether real and imaginary parts go through local memory one after the other: it has no room for both."""
        return _padded(self.n) * self.pair.itemsize + ROW_BYTES > LOCAL_MEMORY

    @property
    def rows(self) -> int:
        """The rows of a group, a power of two."""
        if self.apart:
            return 1
        most = LOCAL_TILE_BYTES // (_padded(self.n) * self.pair.itemsize + ROW_BYTES)
        return 1 << (max(most, 1).bit_length() - 1)

    @property
    def pitch(self) -> int:
        """Elements from one row to the next in local memory. Work-items of successive rows use different banks."""
        banks = BANK_BYTES // COMPONENT[self.pair].itemsize
        least = _padded(self.n)
        if self.rows >= banks:
            return least | 1
        return least if self.rows == 1 else least + (banks // self.rows - least) % banks

    @property
    def items(self) -> int:
        """The work-items of a group."""
        butterflies = -(-self.n * self.rows // max(stage.radix for stage in self.stages))
        each = -(-butterflies // self.most_items)
        return -(-butterflies // each // WARP) * WARP


def _stages(radices: Sequence[int]) -> Iterator[Stage]:
    done, start = 1, 0
    for r in radices:
        yield Stage(r, done, start)
        start += (r - 1) * done * (done > 1)
        done *= r


def _padded(n: int) -> int:
    """The elements of local memory of a row, with gaps."""
    return n + (n >> 4)


_NUMBERS = ("rows", "in_j", "out_k", "step_in", "step_out", "given", "kept", "n", "bits")
_DIGIT_FIELDS = [
    *[f"d{k}" for k in range(1, DIGITS)],
    *[f"{each}_b{k}" for k in range(DIGITS) for each in ("in", "out", "turn", "base")],
]


def passes(
    device: Device,
    line: Line,
    parts: tuple[int, ...],
    convolved: bool,
    pair: np.dtype[Any],
    shape: tuple[int, ...],
    factor: float,
) -> Iterator[Pass]:
    """Yield the passes along the axis of a line. ``parts``: the factors of its length, or of that of a convolution by
    which it is computed (Bluestein 1970). ``shape``: of the result.

    Between passes memory is [outer, frequencies of the passes before, elements of this one, elements behind, inner].
    """
    for number in range(len(parts)):
        yield _pass(device, line, parts, convolved, number, False, pair, shape, factor)
    for number in range(len(parts) - 2, -1, -1) if convolved else ():
        yield _pass(device, line, parts, convolved, number, True, pair, shape, factor)


def _pass(
    device: Device,
    line: Line,
    parts: tuple[int, ...],
    convolved: bool,
    number: int,
    back: bool,
    pair: np.dtype[Any],
    shape: tuple[int, ...],
    factor: float,
) -> Pass:
    """Pass ``number`` of some; ``back``: on the way back."""
    n, part, done, inner = math.prod(parts), parts[number], math.prod(parts[:number]), line.inner
    rest = n // done // part  # elements behind
    middle = convolved and number == len(parts) - 1
    first = number == 0 and not back
    last = number == 0 and (back or middle) if convolved else number == len(parts) - 1
    spec = _spec(line, PassSpec(pair, part, "", "", middle), first, last, back, rest * inner == 1)
    numbers = {
        "in_j": inner if first else rest * inner, "out_k": inner if last else rest * inner,
        "step_in": rest, "step_out": rest if convolved else done, "given": line.given, "kept": line.kept, "n": line.n,
    }  # fmt: skip
    whole = n // done * inner  # from one frequency of the passes before to the next
    outer = Digit(line.outer, (line.extent if first else n) * inner, (line.kept if last else n) * inner)
    lowest = Digit(inner, 1, 1)
    if last and not convolved:
        digits = [outer, *_frequencies(parts[:number], whole), lowest]
    else:
        behind = Digit(rest, 0 if first else inner, 0 if last else inner, 1, 1)
        digits = [outer, Digit(done, whole, whole, 0, part), behind, lowest]
    dtype = COMPONENT[pair] if spec.real_out else pair
    result = signature_of(device, dtype, shape if last else (line.outer, n, inner))
    spec = replace(spec, chirps=convolved and (first or last))
    other = (line.n, parts) if spec.of_a_convolution else None
    return Pass(device, spec, digits, {**numbers, "scale": factor}, result, part * rest, other)


def _spec(line: Line, spec: PassSpec, first: bool, last: bool, back: bool, by_rows: bool) -> PassSpec:
    """The facts of a pass by its place: the first one reads the input of a line, and the last one writes its output."""
    load = "input" if first else "turned" if back else "kept"
    store = "output" if last else "kept" if back or spec.convolved else "turned"
    spec = replace(spec, load=load, store=store, by_rows_in=by_rows, by_rows_out=by_rows and (first or not last))
    if first:
        spec = replace(spec, real_in=line.real_in, hermitian_in=line.hermitian, conjugate_in=line.inverse)
    return replace(spec, real_out=line.hermitian, conjugate_out=line.inverse) if last else spec


def _frequencies(before: Sequence[int], stride: int) -> list[Digit]:
    """The digits of the frequencies of passes before the last one, which writes results in their order: its lowest
    digit is that of the first pass."""
    digits, place = [], math.prod(before)
    for count in reversed(before):
        place //= count
        digits.append(Digit(count, stride, 0, 0, place))
        stride *= count
    return [*[Digit(1)] * (DIGITS - 2 - len(before)), *digits]


class Pass:
    """A launch, all except for the memory. ``numbers``: parameters; ``result``: the facts of the memory that it writes;
    ``turned``: the roots by which it multiplies; ``other``: of a convolution, the length of the transform and the
    factors of its own."""

    def __init__(
        self,
        device: Device,
        spec: PassSpec,
        digits: Sequence[Digit],
        numbers: dict[str, Any],
        result: Signature,
        turned: int,
        other: tuple[int, tuple[int, ...]] | None,
    ):
        self._device, self._pair, self.result, self._other = device, spec.pair, result, other
        tables, bits = [roots(device, spec.pair, stages(spec.n) or ())], 0
        if spec.turns:
            coarse, fine, bits = turns(device, spec.pair, turned)
            tables += [coarse, fine]
        self._tables = tables
        rows = math.prod([digit.values for digit in digits])
        spec = replace(spec, narrow=rows < NARROW_ROWS, most_items=min(GROUP, device.target.max_group))
        values = {**numbers, "rows": rows, "bits": bits}
        fields = [*[values[name] for name in _NUMBERS], *[digit.values for digit in digits[1:]]]
        fields += [number for digit in digits for number in digit[1:]]
        kernel, group = _kernel(device, spec), spec.items
        items = -(-rows // spec.rows) * group
        moved = Traffic(rows * min(spec.n, values["given"]) * spec.pair.itemsize, result.nbytes)
        self._launch = BoundKernel(
            device, kernel.kernel, "transform", items, group, kernel.parameters, (), (0, 0),
            [*fields, values["scale"]], moved,
        )  # fmt: skip

    def run(self, x: GpuArray) -> GpuArray:
        """Launch the pass from ``x`` into fresh memory."""
        out = self.result.empty()
        tables = self._tables if self._other is None else self._tables + chirps(self._device, self._pair, *self._other)
        buffers = [out.storage.buffer, x.storage.buffer, *[table.storage.buffer for table in tables]]
        self._launch.run(buffers, (), [x.offset, 0] if x.offset else None)
        return out


@kept
def _kernel(device: Device, spec: PassSpec) -> FixedKernel:
    short, part = SHORT[spec.pair], SHORT[COMPONENT[spec.pair]]
    constants: dict[str, object] = {
        "N": spec.n, "ROWS": spec.rows, "SIZE": spec.items, "PITCH": spec.pitch, "REAL_IN": spec.real_in,
        "HERMITIAN_IN": spec.hermitian_in, "CONJUGATE_IN": spec.conjugate_in, "CONJUGATE_OUT": spec.conjugate_out,
    }  # fmt: skip
    tables = ["roots", *["coarse", "fine"] * spec.turns, *["chirp", "spectrum"] * spec.of_a_convolution]
    tables = [f"GLOBAL M_{short}* {table}" for table in tables]
    words: dict[str, Any] = {"C": short, "F": part, "I": part if spec.real_in else short, "B": spec.pair.itemsize}
    text = "\n".join([
        section("fourier", "words", **words),
        *[section("fourier", "element", **words)] * (spec.load == "input"),
        *[butterfly(radix, short, part) for radix in sorted({stage.radix for stage in spec.stages} - {1})],
        section(
            "fourier", "pass", O=part if spec.real_out else short, R="i32" if spec.narrow else "i64",
            tables=", ".join(tables), other=[] if spec.apart else [f"LOCAL M_{part} im[ROWS * PITCH];"],
            stages=_stage_lines(spec, short, part), **words,
        ),
    ])  # fmt: skip
    parameters = Parameters([*int64s("in_0", "out_0", *_NUMBERS, *_DIGIT_FIELDS), ("scale", part)])
    return FixedKernel(device, "transform", parameters, text, constants)


def _stage_lines(spec: PassSpec, short: str, part: str) -> list[str]:
    """The stages of a pass: the first reads memory, and the last writes it, from registers."""
    lines: list[str] = []
    own = spec.stages
    for number, stage in enumerate(own):
        words = _words(spec, number, short)
        lines += statements("fourier", "stage", done=stage.done, along=_along(spec, number), **words)
        if number == 0:
            lines += statements("fourier", "butterflies", element=_loads(spec), whole=[], **words)
        else:
            lines += _exchange(spec, _words(spec, number - 1, short), own[number - 1].done, words)
        twiddle = statements("fourier", "twiddle", start=stage.start, done=stage.done) if stage.done > 1 else []
        whole = [f"dft_{stage.radix}(v);"] if stage.radix > 1 else []
        lines += statements("fourier", "butterflies", element=twiddle, whole=whole, **words)
        if stage.convolves:
            lines += statements(
                "fourier", "results", element=statements("fourier", "convolve"), done=stage.done, **words
            )
    element = _stores(spec, short, part)
    return lines + statements("fourier", "results", element=element, done=own[-1].done, **words)


def _words(spec: PassSpec, number: int, short: str) -> dict[str, Any]:
    """The words of a stage in the text of its loops."""
    r, by_rows = spec.stages[number].radix, _along(spec, number) == "rows"
    return {
        "C": short, "number": number, "r": r, "each": -(-spec.n * spec.rows // r // spec.items),
        "row": f"u / (N / {r})" if by_rows else "u % ROWS", "t": f"u % (N / {r})" if by_rows else "u / ROWS",
    }  # fmt: skip


def _along(spec: PassSpec, number: int) -> str:
    if number == 0:
        by_rows = spec.by_rows_in
    elif number == len(spec.stages) - 1:
        by_rows = spec.by_rows_out
    else:
        by_rows = spec.by_rows_in or spec.by_rows_out
    return "rows" if by_rows else "successive rows"


def _exchange(spec: PassSpec, own: dict[str, Any], done: int, following: dict[str, Any]) -> list[str]:
    """Results of a stage become the elements of the following one: both parts at a time, or one after the other."""
    lines: list[str] = []
    for parts in (["re"], ["im"]) if spec.apart else (["re", "im"],):
        rooms = ["re"] if spec.apart else parts
        words = [{"part": part, "room": room} for part, room in zip(parts, rooms, strict=True)]
        put = [line for each in words for line in statements("fourier", "put", **each)]
        take = [line for each in words for line in statements("fourier", "take", **each)]
        lines += statements("fourier", "results", element=put, done=done, **own)
        lines += ["BARRIER;", *statements("fourier", "butterflies", element=take, whole=[], **following), "BARRIER;"]
    return lines


def _loads(spec: PassSpec) -> list[str]:
    if spec.load != "input":
        return [*statements("fourier", "load"), *(statements("fourier", "turn") if spec.load == "turned" else ())]
    return statements("fourier", "modulate" if spec.chirps else "read")


def _stores(spec: PassSpec, short: str, part: str) -> list[str]:
    if spec.store != "output":
        turn = statements("fourier", "turn") if spec.store == "turned" else []
        return [*turn, *statements("fourier", "store", C=short)]
    store = f"STORE_{part}(out, to[row] + place * p.out_k, z[0].re);"
    if not spec.real_out:
        store = f"STOREV_{short}(out, to[row] + place * p.out_k, z);"
    demodulate = statements("fourier", "demodulate") if spec.chirps else []
    return statements("fourier", "write", C=short, demodulate=demodulate, store=[store])
