"""Where operands lie in the spans of a walk."""

from __future__ import annotations

import pytest

from arrayapi_gpu.kernels.loops.walks import Walk, walked
from arrayapi_gpu.memory.layout import Layout, contiguous_strides

WIDE = 1000


def walk_of(shape: tuple[int, ...], *strides: tuple[int, ...]) -> Walk:
    return walked(shape, [Layout(shape, contiguous_strides(shape), 0), *[Layout(shape, own, 0) for own in strides]])


@pytest.mark.parametrize(
    ("shape", "strides", "span", "in_place", "one", "repeats"),
    [
        ((40, WIDE), (WIDE, 1), 40 * WIDE, True, False, False),  # contiguous
        ((40, WIDE), (WIDE + 1, 1), WIDE, True, False, False),  # rows of a wider array
        ((40, WIDE), (0, 1), WIDE, True, False, True),  # a row for all
        ((40, WIDE), (1, 0), WIDE, False, True, False),  # a column for all
        ((40, WIDE), (0, 0), 40 * WIDE, False, True, True),  # a number for all
        ((40, WIDE), (1, 40), 40 * WIDE, False, False, False),  # transposed
        ((WIDE, 7), (0, 1), 7 * WIDE, False, False, True),  # a short row for all
        ((WIDE, 7), (8, 1), 7 * WIDE, False, False, False),  # short rows of a wider array
        ((30, WIDE, 3), (3, 0, 1), 3 * WIDE, False, False, False),  # one short row for each of the outer indices
        ((1,), (5,), 1, False, True, True),
        ((0, 3), (3, 1), 1, True, False, False),
    ],
)
def test_an_operand(
    shape: tuple[int, ...], strides: tuple[int, ...], span: int, in_place: bool, one: bool, repeats: bool
) -> None:
    walk = walk_of(shape, strides)
    assert walk.span == span
    if 0 not in shape:
        assert (walk.is_in_place(1), walk.is_one(1), walk.repeats(1)) == (in_place, one, repeats)


@pytest.mark.parametrize(("strides", "period"), [((0, 1), 7), ((0, 0), 7), ((7, 1), 7 * WIDE), ((8, 1), 7 * WIDE)])
def test_an_operand_repeats_after_its_period(strides: tuple[int, int], period: int) -> None:
    walk = Walk((WIDE, 7), [contiguous_strides((WIDE, 7)), strides], [(0, 0), (0, 0)], 4)
    assert walk.period(1) == period


def test_a_row_that_is_rolled_is_a_span() -> None:
    walk = Walk((40, WIDE), [(WIDE, 1)] * 2, [(0, 0), (0, 3)], 4)
    assert walk.span == WIDE
    assert (walk.is_rolled_row(0), walk.is_rolled_row(1)) == (False, True)
    assert Walk((40, WIDE), [(WIDE, 1)], [(2, 0)], 4).is_in_place(0), "rows are rolled as a whole"
