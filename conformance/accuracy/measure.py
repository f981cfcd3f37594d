"""A function on a device, beside its exact results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.accuracy import meter
from conformance.accuracy.functions import (
    BOUNDS,
    COMPLEX_FUNCTIONS,
    OWN_SPECIALS,
    REAL_FUNCTIONS,
    Function,
    arguments,
    exact_complex,
    exact_real,
    special_operands,
    wrong_complex_specials,
)

HostArray = np.ndarray[Any, Any]
Compute = Callable[[str, Sequence[HostArray]], HostArray]

PERCENTILES = (50, 99, 99.9)

# Arguments: all halves; in full and in quick.
COUNTS = {
    "float16": (400_000, 40_000),
    "float32": (1_500_000, 60_000),
    "float64": (20_000, 1_000),
    "complex64": (4_000, 200),
    "complex128": (4_000, 200),
}


@dataclass
class Row:
    """What was measured: errors in ulps, or differences from the only right result."""

    function: str
    dtype: str
    source: str
    bound: str
    arguments: int = 0
    percentiles: tuple[float, ...] = ()
    worst: float = 0.0
    at: str = ""
    wrong_special: int = 0
    misrounded: int = 0
    worst_part: float | None = None
    digest: str = ""
    broken: bool = False
    examples: list[str] = field(default_factory=list)


def functions_of(dtype: str) -> list[Function]:
    """The functions that take this dtype."""
    return COMPLEX_FUNCTIONS if dtype.startswith("c") else REAL_FUNCTIONS


def measure(function: Function, dtype: str, sources: dict[str, Compute], quick: bool) -> Iterator[Row]:
    """One row a source, which computes a function by name; all get the same arguments."""
    x = arguments(function, np.dtype(dtype), COUNTS[dtype][quick])
    if function.exact:
        x = tuple(np.concatenate(pair) for pair in zip(x, special_operands(function, np.dtype(dtype)), strict=True))
        yield from _compare(function, x, sources)
    elif dtype.startswith("c"):
        yield from _measure_complex(function, x, sources)
    else:
        yield from _measure_real(function, x, sources)


def _shown(x: Sequence[HostArray], place: int) -> str:
    return ", ".join(_text(a[place]) for a in x)


def _text(value: Any) -> str:
    if isinstance(value, np.complexfloating):
        return f"{value.real!s} {'-' if np.signbit(value.imag) else '+'} {abs(value.imag)!s}j"
    return str(value)


def row_of(name: str, source: str, got: HostArray, x: Sequence[HostArray], bound: str) -> Row:
    """The row of a function by its name, without its errors."""
    plain = np.where(np.isnan(got), np.array(np.nan, got.dtype), got) if got.dtype.kind in "fc" else got
    digest = hashlib.sha256(np.ascontiguousarray(plain).tobytes()).hexdigest()[:16]
    return Row(name, str(x[0].dtype), source, bound, x[0].size, digest=digest)


def statistics(row: Row, errors: HostArray, counted: HostArray, x: Sequence[HostArray], got: HostArray) -> None:
    """Fill in a row's errors."""
    inside = errors[counted]
    if inside.size:
        row.percentiles = tuple(float(p) for p in np.percentile(inside, PERCENTILES))
    place = int(np.argmax(errors))
    row.worst = float(errors[place])
    row.at = _shown(x, place)
    row.examples.append(f"{row.at} gives {_text(got[place])}")


def _measure_real(function: Function, x: Sequence[HostArray], sources: dict[str, Compute]) -> Iterator[Row]:
    exact = exact_real(function, x)
    bound = 0.5 if function.rounded else BOUNDS[str(x[0].dtype)]
    for source, compute in sources.items():
        got = compute(function.name, x)
        row = row_of(function.name, source, got, x, "rounded" if function.rounded else f"{bound:g}")
        statistics(row, meter.errors(got, exact), exact.counted, x, got)
        wrong = meter.mismatched(got, exact)
        row.wrong_special = int(wrong.sum())
        if wrong.any():
            row.examples.append(f"special: {_shown(x, int(np.argmax(wrong)))} gives {got[np.argmax(wrong)]}")
        if function.rounded:
            row.misrounded = int(meter.misrounded(got, exact).sum())
        row.broken = row.worst > bound or row.wrong_special > 0 or row.misrounded > 0
        yield row


def _measure_complex(function: Function, z: Sequence[HostArray], sources: dict[str, Compute]) -> Iterator[Row]:
    exact = exact_complex(function, z)
    bound = BOUNDS[str(z[0].dtype)]
    largest = np.max([part.exponent for part in exact], axis=0)
    counted = np.any([part.counted for part in exact], axis=0)
    corners = special_operands(function, z[0].dtype)
    room = function.room(*z) if function.room else np.zeros(z[0].shape)
    for source, compute in sources.items():
        with np.errstate(all="ignore"):
            got = compute(function.name, z)
        parts = [got.real, got.imag] if len(exact) == 2 else [got]
        by_part = [meter.errors(a, e) for a, e in zip(parts, exact, strict=True)]
        whole = np.hypot.reduce([np.ldexp(e, x.exponent - largest) for e, x in zip(by_part, exact, strict=True)])
        row = row_of(function.name, source, got, z, f"{bound:g}" + (" + 4 \\|y log x\\|" if function.room else ""))
        statistics(row, whole, counted, z, got)
        row.worst_part = float(max(np.max(e[x.counted], initial=0) for e, x in zip(by_part, exact, strict=True)))
        row.wrong_special = int(np.any([np.isnan(a) for a in parts], axis=0).sum())
        if function.name not in OWN_SPECIALS:
            wrong = wrong_complex_specials(function, corners, compute(function.name, corners))
            row.wrong_special += int(wrong.sum())
            if wrong.any():
                row.examples.append(f"special: {_shown(corners, int(np.argmax(wrong)))}")
        row.broken = bool((whole > bound + room).any()) or row.wrong_special > 0
        yield row


def _compare(function: Function, x: Sequence[HostArray], sources: dict[str, Compute]) -> Iterator[Row]:
    with np.errstate(all="ignore"):
        expected = function.numpy(*x)
    for source, compute in sources.items():
        got = compute(function.name, x)
        row = row_of(function.name, source, got, x, "exact")
        wrong = got != expected
        for part in (np.real, np.imag) if got.dtype.kind in "fc" else ():
            wrong &= ~(np.isnan(got) & np.isnan(expected))
            zero = (part(expected) == 0) & (part(got) == 0)
            if function.name not in ("maximum", "minimum"):  # of zeros with both signs the standard lets either win
                wrong |= zero & (np.signbit(part(got)) != np.signbit(part(expected)))
        row.wrong_special = int(wrong.sum())
        if wrong.any():
            place = int(np.argmax(wrong))
            row.at = _shown(x, place)
            row.examples.append(f"{row.at} gives {got[place]}, not {expected[place]}")
        row.broken = row.wrong_special > 0
        yield row
