"""Schedules: the way through the operands, walked here in Python, meets each element where its layout has it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest

from arrayapi_gpu.kernels.core.schedule import Schedule, elementwise_schedule, flat, generic_schedule, in_order
from arrayapi_gpu.kernels.core.tuning import GENERIC
from arrayapi_gpu.memory.layout import broadcast_strides, contiguous_strides

Layouts = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def walked(schedule: Schedule) -> Iterator[tuple[int, ...]]:
    """The element offsets of the operands, element by element, in the order of the schedule."""
    rest = iter(schedule.strides)
    steps = []
    for mode in schedule.modes:
        outer = [next(rest) for _ in schedule.shape]
        steps.append((*outer, {"u": 1, "z": 0}[mode] if mode != "s" else next(rest)))
    assert next(rest, None) is None
    for index in itertools.product(*map(range, (*schedule.shape, schedule.inner))):
        yield tuple(sum(i * s for i, s in zip(index, own, strict=True)) for own in steps)


def expected(shape: tuple[int, ...], layouts: Layouts) -> Iterator[tuple[int, ...]]:
    """The same in C order, from the layouts themselves."""
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    for index in itertools.product(*map(range, shape)):
        yield tuple(sum(i * s for i, s in zip(index, own, strict=True)) for own in strides)


def c_order(*shape: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return shape, contiguous_strides(shape)


CASES: dict[str, tuple[tuple[int, ...], Layouts]] = {
    "contiguous": ((4, 5), (c_order(4, 5), c_order(4, 5))),
    "no dimensions": ((), (c_order(), c_order())),
    "a row for all": ((4, 5), (c_order(4, 5), c_order(5))),
    "a column for all": ((4, 5), (c_order(4, 5), c_order(4, 1))),
    "transposed": ((9, 10), (c_order(9, 10), ((9, 10), (1, 9)))),
    "both transposed": ((9, 10), (((9, 10), (1, 9)), ((9, 10), (1, 9)))),
    "backwards": ((4, 5), (c_order(4, 5), ((4, 5), (-5, -1)))),
    "every other": ((4, 5), (c_order(4, 5), ((4, 5), (20, 2)))),
    "gaps between rows": ((4, 5), (c_order(4, 5), ((4, 5), (8, 1)))),
    "axes of one": ((1, 4, 1, 5), (c_order(1, 4, 1, 5), c_order(4, 1, 5))),
    "five axes": ((2, 3, 2, 3, 2), (c_order(2, 3, 2, 3, 2), ((2, 3, 2, 3, 2), (1, 2, 6, 12, 36)))),
}


@pytest.mark.parametrize("case", CASES)
def test_each_element_is_met_once_where_its_layout_has_it(case: str) -> None:
    shape, layouts = CASES[case]
    schedule = elementwise_schedule(shape, layouts)
    assert sorted(walked(schedule)) == sorted(expected(shape, layouts))
    assert schedule.rows * schedule.inner == math.prod(shape)


@pytest.mark.parametrize("case", CASES)
def test_a_schedule_in_order_keeps_the_c_order(case: str) -> None:
    shape, layouts = CASES[case]
    assert list(walked(in_order(shape, layouts))) == list(expected(shape, layouts))


@pytest.mark.parametrize("case", CASES)
def test_a_generic_schedule_walks_the_same_way_with_every_stride(case: str) -> None:
    schedule = elementwise_schedule(*CASES[case])
    general = generic_schedule(schedule)
    assert list(walked(general)) == list(walked(schedule))
    assert (general.rank, set(general.modes)) == (max(schedule.rank, GENERIC), {"s"})


@pytest.mark.parametrize("case", CASES)
def test_reach_is_the_largest_offset_that_occurs(case: str) -> None:
    shape, layouts = CASES[case]
    found = elementwise_schedule(shape, layouts).reach
    assert found == max(abs(offset) for offsets in expected(shape, layouts) for offset in offsets)


def test_contiguous_operands_have_one_dimension() -> None:
    schedule = elementwise_schedule((4, 5, 6), (c_order(4, 5, 6), c_order(4, 5, 6)))
    assert (schedule.rank, schedule.modes, schedule.inner, schedule.rows) == (1, "uu", 120, 1)
    assert schedule.kind == flat(120, 2).kind
    assert list(walked(flat(6, 3))) == [(k, k, k) for k in range(6)]


def test_modes_tell_the_innermost_strides() -> None:
    layouts = (c_order(4, 5), c_order(4, 1), ((4, 5), (10, 2)))
    assert elementwise_schedule((4, 5), layouts).modes == "uzs"


def test_an_operand_that_is_contiguous_across_the_rows_is_turned() -> None:
    schedule = elementwise_schedule((90, 100), (c_order(90, 100), ((90, 100), (1, 90))))
    assert schedule.transposed == (False, True)


def test_small_extents_are_not_worth_turning() -> None:
    schedule = elementwise_schedule((7, 100), (c_order(7, 100), ((7, 100), (1, 7))))
    assert schedule.transposed == (False, False)


def test_an_operand_with_the_same_elements_in_every_row_is_still() -> None:
    assert elementwise_schedule((4, 5), (c_order(4, 5), c_order(5))).row_invariant == (False, True)


def test_grain_divides_the_distances_between_rows() -> None:
    layouts = (((4, 5), (12, 1)), ((4, 5), (8, 1)))
    assert elementwise_schedule((4, 5), layouts).grain == 4
    assert elementwise_schedule((20,), (((20,), (1,)),)).grain == 0


def test_random_layouts_are_walked_right() -> None:
    rng = np.random.default_rng(11)
    for _ in range(200):
        shape = tuple(rng.integers(1, 5, rng.integers(0, 5)).tolist())
        layouts: Layouts = (c_order(*shape), (shape, tuple(rng.integers(-20, 20, len(shape)).tolist())))
        assert sorted(walked(elementwise_schedule(shape, layouts))) == sorted(expected(shape, layouts))


N = 2000


@pytest.mark.parametrize(
    ("shape", "layouts", "results", "modes"),
    [
        ((N, 3), (c_order(N, 3), c_order(N, 1), c_order(3)), 1, "upp"),
        ((N, 3), (c_order(N, 3), c_order(N, 3), ((N, 3), (4, 1))), 2, "uup"),
        ((N, 3), (c_order(N, 3), ((N, 3), (6, 2)), ((N, 3), (0, 0)), ((N, 3), (5, 1))), 1, "uszp"),
        ((5, N, 3), (c_order(5, N, 3), c_order(5, 1, 1), c_order(N, 1)), 1, "uzp"),
        ((N, 16), (c_order(N, 16), c_order(N, 1)), 1, "uz"),  # rows fill registers
        ((N, 48), (c_order(N, 48), c_order(N, 1)), 1, "uz"),  # or many of them
        ((N, 3), (((N, 3), (4, 1)), c_order(N, 1)), 1, "uz"),  # results lie apart
        ((20, 3), (c_order(20, 3), c_order(20, 1)), 1, "uz"),  # few elements
    ],
)
def test_rows_that_do_not_fill_registers_are_packed(
    shape: tuple[int, ...], layouts: Layouts, results: int, modes: str
) -> None:
    schedule = elementwise_schedule(shape, layouts, results, 16)
    assert schedule.modes == modes
    assert schedule.rows * schedule.inner == math.prod(shape)
    assert elementwise_schedule(shape, layouts, results).packed == ()  # a GPU's registers hold one element
    if schedule.packed:
        width, _, *steps = schedule.packed
        assert (width, len(steps)) == (3, modes.count("p"))
        assert schedule.reach == elementwise_schedule(shape, layouts, results).reach


def test_the_reciprocal_of_a_width_divides_exactly() -> None:
    for width in (n for n in range(2, 32) if n != 16):
        _, reciprocal, _ = elementwise_schedule((9000, width), (c_order(9000, width), c_order(9000, 1)), 1, 16).packed
        for distance in range(width + 16):
            assert distance * reciprocal >> 16 == distance // width
