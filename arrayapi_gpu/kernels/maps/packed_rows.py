"""Short rows of element-wise kernels, one after the other: the rows before an element, and its column there.

On CPUs a register holds elements of several rows. On GPUs a work-item divides once, for the column of its first
element, and goes on by steps: one step within a row, another from the end of a row to the next row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...memory.dtypes import SHORT
from ..core.body import X
from ..core.dialect import PACKED, STRIDED, Place, fill

if TYPE_CHECKING:
    from .elementwise import Text


def _differ(text: Text) -> bool:
    """Return whether the registers of a work-item differ in their columns."""
    return text.tiling.several and not text.tiling.rows


def walks(text: Text) -> bool:
    """Return whether work-items find places by steps, because their elements are neighbours."""
    return text.is_gpu and _differ(text) and not text.tiling.spacing


def places(text: Text) -> list[str]:
    """Return the statements that find the packed rows of the elements, and their columns there."""
    modes = text.schedule.modes
    if PACKED not in modes:
        return []
    if not text.is_gpu:
        return ["PACKED(i)"]
    if not walks(text):
        return text.lines("packed_elements" if _differ(text) else "packed_element")
    firsts, nexts = [], []
    for number, mode in enumerate(modes):
        if mode == PACKED:
            base, _, step, _ = text.at(number)
            firsts += text.lines("packed_first", x=text.names[number], base=base, step=step)
            nexts += text.lines("packed_next", x=text.names[number], step=step)
    return text.lines("packed_neighbours", firsts=firsts, nexts=nexts)


def loads(text: Text, k: int, place: Place) -> list[str]:
    """Return the loads of operand ``k`` on a GPU. ``place``: its elements, if they were in one row."""
    dtype, is_iota = text.body.operands[k]
    short = SHORT[dtype]
    if walks(text) and not is_iota:
        return text.lines("packed_loads", T=short, x=f"x{k}", step=place.step)
    if walks(text):
        place = place._replace(base=f"x{k}_at[k]", at="0", step="1")
    else:
        own = "[k]" if _differ(text) else ""
        place = place._replace(base=f"{place.base} + whole{own} * p.x{k}_row", at=f"column{own}")
    statement = fill(text.name(X[k]), f"px{k}", short, is_iota, STRIDED, place)
    return text.value(X[k], "i64" if is_iota else short, statement)
