"""Small tables, which print as text, and as HTML in notebooks."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def duration(seconds: float) -> str:
    """Return seconds with three digits and a unit."""
    return _scaled(seconds, _TIMES)


def amount(nbytes: float) -> str:
    """Return bytes with three digits and a unit."""
    return _scaled(nbytes, _SIZES)


def rate(throughput: float) -> str:
    """Return bytes a second as GB/s; an empty text where none are known."""
    return f"{throughput / 1e9:.3g} GB/s" if throughput else ""


def counted(count: int, one: str, many: str) -> str:
    """Return a number with its noun: ``one`` for 1, ``many`` for others."""
    return f"{count} {one if count == 1 else many}"


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    if not value or value != value:
        return f"{value:g}" if value else f"0 {units[0][1] if units is _TIMES else 'B'}"
    size, unit = next((one for one in units if value >= one[0]), units[-1])
    return f"{value / size:.3g} {unit}" if value / size < 1000 else f"{value / size:.0f} {unit}"


class Table:
    """Rows of numbers and texts. It prints as a table; its rows are named tuples.

    Parameters
    ----------
    columns : dict
        The names of the columns, and for each the function that gives the text of a value.
    rows : sequence of sequences
        The values.
    """

    def __init__(self, columns: Mapping[str, Callable[[Any], str]], rows: Sequence[Sequence[Any]]):
        row = namedtuple("Row", [*columns])  # type: ignore[misc]  # fields that the caller names
        self._columns = columns
        self.rows: list[Any] = [row(*values) for values in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> Any:
        return self.rows[index]

    def _texts(self, most: int | None) -> list[list[str]]:
        return [
            [show(value) for show, value in zip(self._columns.values(), row, strict=True)] for row in self.rows[:most]
        ]

    def text(self, most: int | None = None) -> str:
        """Return the table as text, with at most so many rows."""
        rows = [[*self._columns], *self._texts(most)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for cells in rows:
            first, *others = [cell.ljust(width) for cell, width in zip(cells[:1], widths, strict=False)] + [
                cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)
            ]
            lines.append("  ".join([first, *others]).rstrip())
        left = len(self.rows) - len(rows) + 1
        return "\n".join([*lines, *([f"... {left} more"] if left > 0 else [])])

    def html(self, most: int | None = None) -> str:
        """Return the table as HTML, with at most so many rows."""
        if not self.rows:
            return ""
        head = "".join([f"<th>{escape(name)}</th>" for name in self._columns])
        body = "".join(
            ["<tr>" + "".join([f"<td>{escape(cell)}</td>" for cell in cells]) + "</tr>" for cells in self._texts(most)]
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    __str__ = __repr__ = text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text())

    def _repr_html_(self) -> str:
        return self.html()
