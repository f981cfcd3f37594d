"""Fourier transforms by own kernels, on GPUs whose vendor has no library for them.

A transform along an axis takes one pass over memory, or, where its elements do not fit in the local memory of a group,
two passes or more over its factors (Bailey, "FFTs in external or hierarchical memory", 1990). In a pass each group has
some rows in local memory and computes them by Stockham's algorithm, whose stages are butterflies of 2 to 16 elements.
A length with a prime factor above 13 becomes a convolution (Bluestein 1970), whose length has none. Roots of unity are
tables that were computed on the host in a higher precision, so errors are a few roundings for each stage.

Real input is read as it is, and of a real result only the half that is wanted is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import COMPONENT, DTYPE_OF, REAL_FLOATING, SHORT, promote
from ...memory.gpuarray import GpuArray, empty, upload
from ...memory.layout import size, transpose
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.store import Recent, kept
from ..core.texts import section, statements
from ..host.host_transforms import default_lengths
from ..maps.copy import assign, contiguous
from .butterflies import RADICES, butterfly

LOCAL_TILE_BYTES = 40 << 10  # of local memory of a group
ROW_BYTES = 4 * 8 + 128  # of a row, for its addresses and its distance from other rows
BANK_BYTES = 128  # of local memory that a warp reads at a time
ADJACENT = 8  # elements that successive work-items read from memory, at least
GROUP = 256  # work-items, at most
PASS = {8: (4096, 1024), 16: (2048, 512)}  # by bytes: longest transform of one pass, and of each of several
OWN_ELEMENTS = 16  # of a work-item
TABLES = 64  # of roots of unity that are kept
DIGITS = 4  # of the number of a row


def compute(name: str, operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    """Return the result of a transform; None for a device that computes it better by a library.

    ``name``: of NumPy's function. ``options``: its lengths ``s`` along ``axes``, and ``norm``.
    """
    (x,) = operands
    device = x.storage.device
    library = device.library
    if not device.is_gpu or device.host_shared or (library is not None and name in library.names):
        return None
    axes = options.get("axes") or tuple(range(len(x.shape)))
    lengths = options.get("s") or default_lengths(name, x.shape, axes)
    norm = options.get("norm") or "backward"
    inverse = name in ("ifftn", "irfftn")
    factor = scale(math.prod(lengths), norm, inverse)
    order = [*zip(axes, lengths, strict=True)]
    if name == "rfftn":
        order = [order[-1], *order[:-1]]
    for number, (axis, n) in enumerate(order):
        real = (name == "rfftn" and not number, name == "irfftn" and number == len(order) - 1)
        x = along(x, axis, n, inverse, real, 1.0 if number < len(order) - 1 else factor)
    return (x,)


def scale(n: int, norm: str, inverse: bool) -> float:
    """Return the factor of a transform of ``n`` elements."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "backward") is inverse else 1.0


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


def along(x: GpuArray, axis: int, n: int, inverse: bool, real: tuple[bool, bool], factor: float) -> GpuArray:
    """Transform along one axis. ``real``: whether the input and the output are real."""
    device, shape = x.storage.device, x.shape
    kept = n // 2 + 1 if real[0] else n
    pair = promote(x.dtype, DTYPE_OF["c64"])
    dtype = COMPONENT[pair] if real[1] else pair
    out_shape = (*shape[:axis], kept, *shape[axis + 1 :])
    if not size(out_shape):
        return empty(device, dtype, out_shape)
    line = Line(
        size(shape[:axis]), size(shape[axis + 1 :]), n, shape[axis],
        min(shape[axis], n // 2 + 1 if real[1] else n), kept, inverse, x.dtype in REAL_FLOATING, real[1],
    )  # fmt: skip
    out = empty(device, dtype, out_shape)
    if (parts := split(n, pair.itemsize, line.inner == 1)) is None:
        _by_convolution(line, x, axis, out, pair, factor)
    else:
        _by_passes(line, parts, contiguous(x), out, pair, factor)
    return out


@lru_cache(4096)
def split(n: int, nbytes: int, last: bool) -> tuple[int, ...] | None:
    """Return the factors of a length that separate passes transform; None where a prime factor is too large. ``last``:
    whether the axis is the last, whose elements are neighbours: otherwise groups have several rows."""
    whole, part = PASS[nbytes]
    if stages(n) is None:
        return None
    if n <= (whole if last else part):
        return (n,)
    count = 2
    while part**count < n:
        count += 1
    while True:
        found = _balanced(n, count, part)
        if found is not None:
            return found
        count += 1


def _balanced(n: int, count: int, most: int) -> tuple[int, ...] | None:
    """The factors of a number, so many and as equal as can be; None where one would be larger than ``most``."""
    if count == 1:
        return (n,) if n <= most else None
    wanted = n ** (1 / count)
    divisors = [k for k in range(1, most + 1) if n % k == 0]
    for factor in sorted(divisors, key=lambda k: abs(math.log(k / wanted))):
        if n // factor > most ** (count - 1):
            continue
        rest = _balanced(n // factor, count - 1, most)
        if rest is not None:
            return (factor, *rest)
    return None


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


def smooth(least: int) -> int:
    """Return the smallest number of at least ``least`` with no prime factor above 7."""
    best = 1 << (least - 1).bit_length()
    sevens = 1
    while sevens < best:
        fives = sevens
        while fives < best:
            threes = fives
            while threes < best:
                twos = threes << max((-(-least // threes) - 1).bit_length(), 0)
                best = min(best, twos)
                threes *= 3
            fives *= 5
        sevens *= 7
    return best


# Passes


class Digit(NamedTuple):
    """One digit of the number of a row: how many values it takes, and strides: of the input, of the output, of the root
    or the place along the axis, and of the frequency."""

    values: int
    source: int = 0
    out: int = 0
    turn: int = 0
    base: int = 0


@dataclass(frozen=True)
class PassSpec:
    """The facts that a kernel is compiled for."""

    pair: np.dtype[Any]
    n: int
    first: bool
    last: bool
    by_rows_in: bool = False
    by_rows_out: bool = False
    real_in: bool = False
    hermitian_in: bool = False
    real_out: bool = False
    conjugate_in: bool = False
    conjugate_out: bool = False

    @property
    def radices(self) -> tuple[int, ...]:
        """The radices of the stages. A stage of 1 moves elements: where few work-items would read neighbours, or
        write them, and in a pass over single elements."""
        own = stages(self.n) or ()
        before = not own or (self.by_rows_in and self.n < ADJACENT * own[0])
        behind = bool(own) and self.by_rows_out and self.n < ADJACENT * own[-1]
        return (*(1,) * before, *own, *(1,) * behind)

    @property
    def rows(self) -> int:
        """The rows of a group, a power of two."""
        most = LOCAL_TILE_BYTES // (_padded(self.n) * self.pair.itemsize + ROW_BYTES)
        return 1 << (max(most, 1).bit_length() - 1)

    @property
    def pitch(self) -> int:
        """Elements from one row to the next in local memory. Work-items of successive rows use different banks."""
        banks = BANK_BYTES // COMPONENT[self.pair].itemsize
        wanted = max(banks // self.rows, 1)
        least = _padded(self.n)
        return least if self.rows == 1 else least + (wanted - least) % banks

    @property
    def items(self) -> int:
        """The work-items of a group."""
        wanted = -(-self.n * self.rows // OWN_ELEMENTS)
        return max(min(GROUP, 1 << (wanted - 1).bit_length()), 32)


def _padded(n: int) -> int:
    """The elements of local memory of a row, with gaps."""
    return n + (n >> 4)


_NUMBERS = ("rows", "in_j", "out_k", "step_in", "step_out", "given", "kept", "n", "bits")
_DIGIT_FIELDS = [
    *[f"d{k}" for k in range(1, DIGITS)],
    *[f"{each}_b{k}" for k in range(DIGITS) for each in ("in", "out", "turn", "base")],
]


def _by_passes(
    line: Line, parts: tuple[int, ...], x: GpuArray, out: GpuArray, pair: np.dtype[Any], factor: float
) -> None:
    """Transform along the axis of a line, whose length is the product of ``parts``.

    Between passes memory is [outer, frequencies of the passes before, elements of this one, elements behind, inner].
    """
    device = x.storage.device
    for number in range(len(parts)):
        last = number == len(parts) - 1
        target = out if last else empty(device, pair, (line.outer, line.n, line.inner))
        _pass(device, line, parts, number, pair).run(x, target, factor)
        x = target


@kept
def _pass(device: Device, line: Line, parts: tuple[int, ...], number: int, pair: np.dtype[Any]) -> _Launch:
    n, inner, part, done = line.n, line.inner, parts[number], math.prod(parts[:number])
    first, last = number == 0, number == len(parts) - 1
    rest = n // done // part  # elements behind
    spec = _spec(line, pair, part, first, last)
    spec = replace(spec, by_rows_in=rest * inner == 1, by_rows_out=last and first and inner == 1)
    step = inner if last else rest * inner
    numbers = {"in_j": inner if first else rest * inner, "out_k": step, "step_in": rest, "step_out": done}
    digits = _digits(line, parts[:number], rest, first, last)
    return _Launch(device, spec, line, digits, numbers, 0 if last else part * rest)


def _digits(line: Line, before: Sequence[int], rest: int, first: bool, last: bool) -> list[Digit]:
    """The digits of a row of a pass. ``before``: the lengths of the passes before; ``rest``: that of those behind."""
    inner, n, done = line.inner, line.n, math.prod(before)
    whole = n // done * inner  # from one frequency of the passes before to the next
    outer = Digit(line.outer, (line.extent if first else n) * inner, (line.kept if last else n) * inner)
    lowest = Digit(inner, 1, 1)
    if not last:
        return [outer, Digit(done, whole, whole), Digit(rest, 0 if first else inner, inner, 1), lowest]
    # Results are written in the order of their frequencies, whose lowest digit is that of the first pass.
    frequencies, stride, place = [], whole, done
    for count in reversed(before):
        place //= count
        frequencies.append(Digit(count, stride, 0, 0, place))
        stride *= count
    return [outer, *[Digit(1)] * (DIGITS - 2 - len(before)), *frequencies, lowest]


def _spec(line: Line, pair: np.dtype[Any], n: int, first: bool, last: bool) -> PassSpec:
    """The facts of a pass: the first one reads the input of a line, and the last one writes its output."""
    return PassSpec(
        pair, n, first, last, real_in=first and line.real_in, hermitian_in=first and line.hermitian,
        real_out=last and line.hermitian, conjugate_in=first and line.inverse, conjugate_out=last and line.inverse,
    )  # fmt: skip


class _Launch:
    """The launch of a pass: all except for the memory. ``turned``: the roots by which the results are multiplied."""

    def __init__(
        self,
        device: Device,
        spec: PassSpec,
        line: Line,
        digits: Sequence[Digit],
        numbers: Mapping[str, int],
        turned: int = 0,
    ):
        self._roots = _roots(device, spec.pair, spec.radices)
        self._coarse, self._fine, bits = _turns(device, spec.pair, turned) if turned else (self._roots, self._roots, 0)
        rows = math.prod([digit.values for digit in digits])
        values = {"rows": rows, "given": line.given, "kept": line.kept, "n": line.n, "bits": bits, **numbers}
        strides = [number for digit in digits for number in digit[1:]]
        self._fields = [*[values[name] for name in _NUMBERS], *[digit.values for digit in digits[1:]], *strides]
        self._kernel, self._group = _kernel(device, spec), spec.items
        self._items = -(-rows // spec.rows) * spec.items

    def run(self, x: GpuArray, out: GpuArray, factor: float) -> None:
        """Launch the pass from ``x`` into ``out``."""
        arrays = [out, x, self._roots, self._coarse, self._fine]
        self._kernel.run("transform", self._items, arrays, [x.offset, out.offset, *self._fields, factor], self._group)


@kept
def _kernel(device: Device, spec: PassSpec) -> FixedKernel:
    short, part = SHORT[spec.pair], SHORT[COMPONENT[spec.pair]]
    constants: dict[str, object] = {
        "N": spec.n, "ROWS": spec.rows, "SIZE": spec.items, "PITCH": spec.pitch, "FIRST": spec.first,
        "LAST": spec.last, "REAL_IN": spec.real_in, "HERMITIAN_IN": spec.hermitian_in,
        "CONJUGATE_IN": spec.conjugate_in, "CONJUGATE_OUT": spec.conjugate_out,
    }  # fmt: skip
    input_dtype = part if spec.real_in else short
    text = "\n".join([
        section("fourier", "product", C=short),
        section("fourier", "words", C=short, F=part, I=input_dtype, B=spec.pair.itemsize),
        *[butterfly(radix, short, part) for radix in sorted({*spec.radices} - {1})],
        section(
            "fourier", "pass", C=short, F=part, I=input_dtype, O=part if spec.real_out else short,
            stages=_stage_lines(spec, short, part),
        ),
    ])  # fmt: skip
    return FixedKernel(
        device,
        "transform",
        Parameters([*int64s("in_0", "out_0", *_NUMBERS, *_DIGIT_FIELDS), ("scale", part)]),
        text,
        constants,
    )


def _stage_lines(spec: PassSpec, short: str, part: str) -> list[str]:
    """The stages of a pass: the first reads the input, and the last writes the output, from registers."""
    lines: list[str] = []
    done, start = 1, 0
    for number, r in enumerate(spec.radices):
        first, last = number == 0, number == len(spec.radices) - 1
        by_rows = spec.by_rows_in if first else spec.by_rows_out if last else spec.by_rows_in or spec.by_rows_out
        read = statements("fourier", "read" if first else "take")
        if done > 1 and r > 1:
            read += statements("fourier", "twiddle", start=start, done=done)
            start += (r - 1) * done
        if not last:
            write = statements("fourier", "put")
        elif not spec.last:
            write = statements("fourier", "turn", C=short)
        else:
            store = f"STORE_{part}(out, to[row] + place * p.out_k, z[0].re);"
            if not spec.real_out:
                store = f"STOREV_{short}(out, to[row] + place * p.out_k, z);"
            write = statements("fourier", "write", C=short, store=[store])
        lines += statements(
            "fourier", "stage", C=short, r=r, each=-(-spec.n * spec.rows // r // spec.items), done=done,
            along="rows" if by_rows else "successive rows", row=f"u / (N / {r})" if by_rows else "u % ROWS",
            t=f"u % (N / {r})" if by_rows else "u / ROWS", read=read, write=write,
            butterfly=[f"dft_{r}(v[l]);"] if r > 1 else [], wait=[] if last else ["BARRIER;"],
        )  # fmt: skip
        done *= r
    return lines


# Convolution


def _by_convolution(line: Line, x: GpuArray, axis: int, out: GpuArray, pair: np.dtype[Any], factor: float) -> None:
    """Bluestein's algorithm, along the last axis of a copy."""
    device, n = x.storage.device, line.n
    m = smooth(2 * n - 1)
    rows = line.outer * line.inner
    line = line._replace(outer=rows, inner=1)
    order = [*[k for k in range(len(x.shape)) if k != axis], axis]
    source = contiguous(GpuArray(x.storage, x.dtype, *transpose(x.layout, order)))
    # Passes over single elements read the input, and write the output, of whichever kind it is.
    digits = [Digit(rows, line.extent, n), Digit(1), Digit(1), Digit(n, 0, 0, 1, 1)]
    steps = {"in_j": 1, "out_k": 1, "step_in": 1, "step_out": 1}
    whole, padded, product = (
        empty(device, pair, (rows, n)),
        empty(device, pair, (rows, m)),
        empty(device, pair, (rows, m)),
    )
    begun, ended = (replace(_spec(line, pair, 1, True, True), **flags) for flags in _HALVES)
    _Launch(device, begun, line._replace(kept=n), digits, steps).run(source, whole, 1.0)
    kernels = partial(_run_chirps, device, pair, rows, n, m)
    chirp, spectrum = _chirps(device, pair, n, m)
    kernels("modulate", rows * m, padded, whole, chirp)
    kernels("convolve", rows * m, product, along(padded, 1, m, False, (False, False), 1.0), spectrum)
    kernels("demodulate", rows * n, whole, along(product, 1, m, False, (False, False), 1.0), chirp)
    result = empty(device, out.dtype, tuple([out.shape[k] for k in order]))
    digits[0] = Digit(rows, n, line.kept)
    _Launch(device, ended, line._replace(given=n), digits, steps).run(whole, result, factor)
    assign(
        out, GpuArray(result.storage, out.dtype, *transpose(result.layout, [order.index(k) for k in range(len(order))]))
    )


# Of a pass over single elements, the flags that the first does not have, and those that the last does not have.
_HALVES: tuple[dict[str, Any], dict[str, Any]] = (
    {"real_out": False, "conjugate_out": False},
    {"real_in": False, "hermitian_in": False, "conjugate_in": False},
)


def _run_chirps(
    device: Device, pair: np.dtype[Any], rows: int, n: int, m: int, name: str, items: int, *arrays: GpuArray
) -> None:
    _chirp_kernel(device, pair, name).run(name, items, arrays, (rows, n, m))


@kept
def _chirp_kernel(device: Device, pair: np.dtype[Any], name: str) -> FixedKernel:
    short = SHORT[pair]
    text = section("fourier", "product", C=short) + section("fourier", name, C=short)
    return FixedKernel(device, name, Parameters(int64s("rows", "n", "m")), text)


# Tables

_PI_REST = np.longdouble(1.2246467991473532e-16)  # pi less the nearest float64

_tables: Recent[tuple[Any, ...], Any] = Recent(TABLES)


def _table(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    found = _tables.get(key)
    if found is None:
        found = _tables[key] = make()
    return found


def roots_of_unity(n: int, k: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return exp(-2 pi i k / n) in complex128, correctly rounded except for the last bit of the host's widest dtype."""
    k = k % n
    quarter = (8 * k // n + 1) // 2
    angle = (4 * k - quarter * n).astype(np.longdouble) * (np.longdouble(np.pi) + _PI_REST) / (2 * np.longdouble(n))
    cos, sin = np.cos(angle), np.sin(angle)
    result = np.empty(len(k), np.complex128)
    result.real = np.choose(quarter % 4, [cos, -sin, -cos, sin])
    result.imag = -np.choose(quarter % 4, [sin, cos, -sin, -cos])
    return result


def _roots(device: Device, pair: np.dtype[Any], radices: tuple[int, ...]) -> GpuArray:
    """The roots by which the stages multiply, in the order in which work-items read them."""

    def make() -> GpuArray:
        done, found = radices[0], [np.ones(1)]
        for r in radices[1:]:
            if done > 1:
                found.append(roots_of_unity(done * r, np.outer(np.arange(1, r), np.arange(done)).ravel()))
            done *= r
        return upload(device, np.concatenate(found[1:] or found).astype(pair))

    return _table((_roots, device, pair, radices), make)  # type: ignore[no-any-return]


def _turns(device: Device, pair: np.dtype[Any], n: int) -> tuple[GpuArray, GpuArray, int]:
    """Two tables, whose products are all roots of n, and the bits of an index in the second."""

    def make() -> tuple[GpuArray, GpuArray, int]:
        bits = max((n - 1).bit_length() // 2, 1)
        coarse = roots_of_unity(n, np.arange((n >> bits) + 1) << bits)
        fine = roots_of_unity(n, np.arange(1 << bits))
        return upload(device, coarse.astype(pair)), upload(device, fine.astype(pair)), bits

    return _table((_turns, device, pair, n), make)  # type: ignore[no-any-return]


def _chirps(device: Device, pair: np.dtype[Any], n: int, m: int) -> tuple[GpuArray, GpuArray]:
    """The chirp exp(-pi i j^2 / n), and the spectrum of the one by which it is undone, over m."""

    def make() -> tuple[GpuArray, GpuArray]:
        j = np.arange(n)
        chirp = roots_of_unity(2 * n, j * j)
        undone = np.zeros(m, np.complex128)
        undone[:n] = chirp.conj()
        undone[m - n + 1 :] = chirp[:0:-1].conj()
        return upload(device, chirp.astype(pair)), upload(device, (np.fft.fft(undone) / m).astype(pair))

    return _table((_chirps, device, pair, n, m), make)  # type: ignore[no-any-return]


TRANSFORMS = {name: partial(compute, name) for name in ("fftn", "ifftn", "rfftn", "irfftn")}
