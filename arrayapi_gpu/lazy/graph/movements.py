"""Movements: the functions of the namespace whose results are views, as data.

A `Movement` gives the layout of a view for the layout of an array, and the Python expression of the view for the
expression of the array. A view of a view has a chain of movements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...memory.layout import Layout, basic_index, broadcast, composed, diagonal, permuted, reshape, turned, windows
from .expressions import call, subscript

PLACE = "\0"  # stands for the operand in the text of one movement


class Movement(NamedTuple):
    """A function of the namespace by its ``name``, and its ``options``. ``before``: the movement that made the operand,
    if that is a view."""

    name: str
    options: dict[str, Any]
    before: Movement | None = None

    def layout(self, layout: Layout) -> Layout | None:
        """The layout of the view, for the layout of its operand; None if there is no such view."""
        return _LAYOUTS[self.name](layout, *self.options.values())

    def chain(self) -> list[Movement]:
        """The movements of the chain from the first one to this one."""
        found = [self]
        while (before := found[-1].before) is not None:
            found.append(before)
        return found[::-1]

    def expression(self, operand: str) -> str:
        """The Python expression of the view, with all movements of the chain, in linear time."""
        front, behind = [], []
        for name, options, _ in self.chain():
            text = subscript(PLACE, options["key"]) if name == KEY else call(name, PLACE, **options)
            before, _, after = text.partition(PLACE)
            front.append(before)
            behind.append(after)
        return "".join([*reversed(front), operand, *behind])


def _same(layout: Layout) -> Layout:
    return layout


KEY = "[]"
_LAYOUTS: dict[str, Callable[..., Layout | None]] = {
    KEY: basic_index,
    "broadcast_to": broadcast,
    "diag": diagonal,
    "imag": _same,
    "lib.stride_tricks.as_strided": composed,
    "lib.stride_tricks.sliding_window_view": windows,
    "linalg.diagonal": diagonal,
    "matrix_transpose": turned,
    "permute_dims": permuted,
    "real": _same,
    "reshape": reshape,
}


def as_strided(view: Layout) -> Movement:
    """The movement of a view whose layout over a C-contiguous operand is given."""
    return Movement("lib.stride_tricks.as_strided", {"view": view})


def keyed(key: Sequence[Any]) -> Movement:
    """The movement to the elements that a key of ints, slices, Ellipsis and None selects."""
    return Movement(KEY, {"key": key})
