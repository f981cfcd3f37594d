"""Short rows that lie together in memory, on their way through local memory.

A work-item that has a row of few elements reads and writes far from its neighbours: each access of theirs touches as
many lines of memory as there are rows. So a group moves its rows together, each access next to that of the neighbour,
and its work-items find their rows in local memory. The moves are the section ``staged`` of groups.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import WARP
from ...memory.dtypes import SHORT
from . import tuning
from .dialect import Operand
from .texts import section

UNIT_BYTES = 16  # of an access


class Staging(NamedTuple):
    """The rows that a group takes at a time."""

    group: int  # work-items
    turns: int  # rows that a work-item takes one after the other
    rows: int  # of the group


def padding(row_bytes: int) -> int:
    """Return the bytes behind a row in local memory: those of an access where a row is an even number of accesses, so
    that rows begin in different banks."""
    return 0 if row_bytes % (2 * UNIT_BYTES) else UNIT_BYTES


def staging_of(
    row_bytes: Sequence[int], group: int, room: int, items_per_row: int = 1, pitch: int = 1
) -> Staging | None:
    """Return the rows of a group of at most ``group`` work-items, given the bytes of a row in each array; None if they
    do not fit.

    ``room``: bytes of local memory; ``items_per_row``: work-items that share a row; ``pitch``: rows whose elements
    alternate in memory, which a group takes together.
    """
    padded = sum([own + (padding(own) if pitch == 1 else 0) for own in row_bytes])
    group = min(group, tuning.STAGED_GROUP)
    turns = max(1, tuning.STAGED_AHEAD // max(row_bytes)) if items_per_row == 1 else 1
    room = min(room, tuning.STAGED_BYTES)
    while (rows := group // items_per_row * turns) * padded > room:
        if turns > 1:
            turns //= 2
        elif group // 2 >= max(WARP, items_per_row):
            group //= 2
        else:
            return None
    if rows % pitch or any([rows * own % UNIT_BYTES for own in row_bytes]):
        return None
    return Staging(group, turns, rows)


def brought(rooms: Iterable[Operand], read: Iterable[Operand], elements: str) -> list[str]:
    """Return the statements that read the rows of a group into local memory.

    ``rooms``: the arrays whose rows have room there; ``read``: those that are read; ``elements``: of a row.
    """
    declared = [f"LOCAL ALIGNED M_{own.short} {own.name}_l[ROOM_{own.short}];" for own in rooms]
    place = f"const S_i64 chunk = GROUP * CHUNK, behind = (S_i64)p.outputs * {elements} - chunk;"
    calls = [f"bring_{own.short}({own.name}_l, p{own.name} + p.{own.name}_0 + chunk, behind);" for own in read]
    return [*declared, place, *calls, "BARRIER;"]


def moves(dtypes: Iterable[np.dtype[Any]], row: int) -> str:
    """Return the text of the functions that move the rows of a group, each of ``row`` elements; 1 where rows
    alternate."""
    text = ""
    for dtype in sorted(set(dtypes), key=SHORT.__getitem__):
        pitch = row + padding(row * dtype.itemsize) // dtype.itemsize
        text += section("groups", "staged", T=SHORT[dtype], row=row, pitch=pitch)
    return text
