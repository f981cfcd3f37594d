"""The statements for coordinates a0, a1, ... of an element of the reduced index, where several axes are reduced."""

from __future__ import annotations

from ..core.dialect import coordinates_of


def coordinates(rank: int, index: str, number: str) -> list[str]:
    """The coordinates of an element of the reduced index."""
    if rank == 1:
        return [f"S_{index} a0 = {number};"]
    return [f"S_{index} at = {number};", *coordinates_of("a", "r", rank, index, "at")]


def advanced(at: str, rank: int, by: str) -> str:
    """The statements that move on by as many elements as have the coordinates d0, d1, ... or e0, e1, ...; ``at``: the
    letter of the coordinates that move."""
    text, carry = "int over = 0;", ""
    for axis in reversed(range(1, rank)):
        text += (
            f" {at}{axis} += p.{by}{axis}{carry}; over = {at}{axis} >= p.r{axis}; if (over) {at}{axis} -= p.r{axis};"
        )
        carry = " + over"
    return f"{text} {at}0 += p.{by}0{carry};"


def lane_coordinates(rank: int) -> list[str]:
    """The coordinates l0, l1, ... of a register's lanes in relation to its first."""
    lines = ["R_i64 lanes = IOTA;"]
    for axis in reversed(range(1, rank)):
        lines.append(f"R_i64 l{axis} = remainder_i64(lanes, SPLAT_i64(p.r{axis}));")
        lines.append(f"lanes = floor_divide_i64(lanes, SPLAT_i64(p.r{axis}));")
    return [*lines, "R_i64 l0 = lanes;"]


def lane_places(rank: int) -> list[str]:
    """The coordinates e0, e1, ... of a register's lanes; the first lane is at a0, a1, ..."""
    lines, carry = ["R_i64 over;"], ""
    for axis in reversed(range(1, rank)):
        lines += [
            f"R_i64 e{axis} = SPLAT_i64(a{axis}) + l{axis}{carry};",
            f"over = where_i64(less_i64(e{axis}, SPLAT_i64(p.r{axis})), SPLAT_i64(0), SPLAT_i64(1));",
            f"e{axis} = e{axis} - over * SPLAT_i64(p.r{axis});",
        ]
        carry = " + over"
    return [*lines, f"R_i64 e0 = SPLAT_i64(a0) + l0{carry};"]
