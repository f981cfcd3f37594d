"""From rows to ACCURACY.md and accuracy.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from conformance.accuracy.measure import COUNTS, Row, functions_of
from conformance.accuracy.special import SCIPY, SPECIALS
from conformance.accuracy.sums import Sum

NUMPY = "NumPy"
OTHERS = (NUMPY, SCIPY)  # whose figures are for comparison
T = TypeVar("T", Row, Sum)

_INTRODUCTION = """\
Written by `python -m conformance.accuracy`. An ulp is the distance of the two neighbours in the dtype that enclose the
exact result, as in Tables I and II of the GpuPy paper; P50, P99 and P99.9 are the percentiles of the errors, the
worst stands beside its argument. Correct rounding is at most 0.5. NumPy's figures, from the same arguments, are for
comparison: only the devices have bounds. Where all devices give the same bits there is one row for all.

Arguments: all numbers of float16; of float32 and float64 random significands for every exponent, and more beside
multiples of pi/2 (the nearest of each binade), beside 1, where results overflow or become subnormal, and around
zero; pairs at random, alike, adjacent, powers that do not overflow; all pairs of special numbers. The percentiles are
those of this mixture. Exact results: float64 for the two smaller dtypes, mpmath for the others. NaN, infinities and
the signs of zeros must be right everywhere.

Special functions are compared with mpmath, at fewer arguments: over all exponents, of ordinary size, and beside zeros,
poles and transitions. Their bounds are 4 ulps of float32, 10 of float64 and 1 of float16, or twice SciPy's own error
where that is more; SciPy computes float16 in float32. An ulp of a function that cancels is that of what cancels, as in
logaddexp: of 1, beside zeros; for gammaln below 0 of a quarter, or an 8th of what cancels.

An ulp of logaddexp is that of its larger operand, or of 1, where the result is smaller still: it cancels.

Errors of complex numbers are distances in the plane, in ulps of the larger part; the last column is the worst error
of a part beside its own size, which has no bound: parts that cancel lose digits, as in the textbook's product. Operands
with infinite, NaN or zero parts are compared with NumPy where it follows C99, and held to the standard's tables by the
tests. Products and squares are measured where no product of two parts overflows."""


@dataclass
class Report:
    """What was measured, on which devices (descriptions by name), with which versions."""

    facts: dict[str, Any]
    devices: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)

    def broken(self) -> list[Row | Sum]:
        """The rows of devices that miss their bound or have a wrong special value."""
        every: list[Row | Sum] = [*self.rows, *self.sums]
        return [row for row in every if row.broken and row.source not in OTHERS]

    def write(self, folder: Path) -> None:
        """Write both files."""
        folder.mkdir(parents=True, exist_ok=True)
        rows, sums = ([asdict(row) for row in part] for part in (self.rows, self.sums))
        data = {**self.facts, "devices": self.devices, "functions": rows, "sums": sums}
        (folder / "accuracy.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        (folder / "ACCURACY.md").write_text(self.markdown(), encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Report:
        """The report of an accuracy.json."""
        data = json.loads(file.read_text(encoding="utf-8"))
        rows = [Row(**row | {"percentiles": tuple(row["percentiles"])}) for row in data.pop("functions")]
        sums = [Sum(**row) for row in data.pop("sums")]
        return cls(facts=data, devices=data.pop("devices"), rows=rows, sums=sums)

    def add(self, other: Report, label: str) -> None:
        """Take over what another report has, of other devices or of other dtypes and functions.

        A device of another machine, which is called as one of ours, gets the label, too.
        """
        names = {name: name for name in OTHERS}
        for name, description in other.devices.items():
            names[name] = name if self.devices.get(name, description) == description else f"{name} of {label}"
            self.devices[names[name]] = description
        for key, fact in other.facts.items():
            if str(fact) not in str(self.facts.setdefault(key, fact)).split(" and "):
                self.facts[key] = f"{self.facts[key]} and {fact}"
        self.rows, self.sums = _joined(self.rows, other.rows, names), _joined(self.sums, other.sums, names)
        special = [f"special.{function.name}" for function in SPECIALS]
        order = [(dtype, name) for dtype in COUNTS for name in ([f.name for f in functions_of(dtype)] + special)]
        self.rows.sort(key=lambda row: (order.index((row.dtype, row.function)), row.source not in OTHERS))
        dtypes, functions = list(COUNTS), list(dict.fromkeys(row.function for row in self.sums))
        self.sums.sort(key=lambda row: (dtypes.index(row.dtype), functions.index(row.function), row.source != NUMPY))

    def markdown(self) -> str:
        """Return ACCURACY.md."""
        lines = ["# How accurate the functions are", "", _INTRODUCTION, "", "## Devices", ""]
        lines += [f"- {name}: {description}" for name, description in self.devices.items()]
        lines += ["", ", ".join(f"{key} {value}" for key, value in self.facts.items()) + ".", "", self._verdict()]
        for dtype, group in groupby(self.rows, key=lambda row: row.dtype):
            lines += ["", f"## {dtype}", "", *self._functions(list(group))]
        if self.sums:
            lines += ["", "## Sums, products and transforms", "", *self._sums()]
        return "\n".join(lines) + "\n"

    def _verdict(self) -> str:
        broken = self.broken()
        if not broken:
            return "All bounds hold, and all special values are right."
        lines = [f"**{len(broken)} rows miss their bound or have wrong special values:**", ""]
        for row in broken:
            examples = "; ".join(row.examples) if isinstance(row, Row) else row.at
            lines.append(f"- {row.function} {row.dtype} {row.source}: {row.worst:.3g}, bound {row.bound}; {examples}")
        return "\n".join(lines)

    def _functions(self, rows: list[Row]) -> Iterable[str]:
        for kind, says in (("exact", "Exact"), ("rounded", "Correctly rounded")):
            names = dict.fromkeys(row.function for row in rows if row.bound == kind and not row.broken)
            total = sum(row.arguments for row in rows if row.bound == kind and row.source not in OTHERS)
            if names:
                yield f"{says}, no result of {total:,} wrong: {', '.join(names)}."
                yield ""
        is_complex = rows[0].dtype.startswith("c")
        yield "| function | source | P50 | P99 | P99.9 | worst | bound | at |" + (" worst part |" if is_complex else "")
        yield "|---|---|--:|--:|--:|--:|--:|---|" + ("--:|" if is_complex else "")
        for _, group in groupby(rows, key=lambda row: row.function):
            for row in self._merged(list(group)):
                cells = [row.function, row.source, *map(_figure, row.percentiles)]
                cells += [_figure(row.worst), row.bound if row.source not in OTHERS else "", f"`{row.at}`"]
                cells += [f"{row.worst_part:.3g}"] if row.worst_part is not None else []
                yield "| " + " | ".join(cells) + " |"

    def _merged(self, rows: list[Row]) -> list[Row]:
        """The rows to show: none where there are no errors, one for all devices that give the same bits."""
        if rows[0].bound in ("exact", "rounded"):
            return []
        own = [row for row in rows if row.source not in OTHERS]
        theirs = [row for row in rows if row.source in OTHERS]
        if len(own) > 1 and len({row.digest for row in own}) == 1:
            own = [Row(**{**vars(own[0]), "source": "all devices"})]
        return [*theirs, *own]

    def _sums(self) -> Iterable[str]:
        yield (
            "Errors in u = eps / 2 beside the sum of the absolute values (of variances: beside themselves), of matrix "
            "products beside the product of the absolute values, n terms each, of transforms beside the root mean "
            "square of the result: the worst element, and the root mean square of the errors (mean)."
        )
        yield ""
        yield "| function | dtype | source | worst | bound | at |"
        yield "|---|---|---|--:|--:|---|"
        for row in self.sums:
            bound = row.bound if row.source != NUMPY else ""
            yield f"| {row.function} | {row.dtype} | {row.source} | {_figure(row.worst)} | {bound} | {row.at} |"


def _joined(own: list[T], others: list[T], names: dict[str, str]) -> list[T]:
    """Rows, and those of others that are not there yet, with new names of their sources."""
    present = {(row.function, row.dtype, row.source) for row in own}
    renamed = [replace(row, source=names[row.source]) for row in others]
    return own + [row for row in renamed if (row.function, row.dtype, row.source) not in present]


def _figure(error: float) -> str:
    return f"{error:.3f}" if error < 1000 else f"{error:.2g}"
