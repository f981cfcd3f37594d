"""Boxes: pure arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.memory.boxes import (
    box_of,
    boxes_along,
    chosen,
    first_box,
    in_order,
    inside,
    leading,
    like_it,
    longest,
    merged,
    moved,
    placed_box,
    shape_of,
)
from arrayapi_gpu.memory.layout import Layout


@pytest.mark.parametrize(
    ("first", "last", "box"),
    [
        (0, 120, ((0, 3), (0, 4), (0, 10))),
        (41, 45, ((1, 2), (0, 1), (1, 5))),
        (45, 51, ((1, 2), (0, 2), (0, 10))),
        (39, 41, ((0, 2), (0, 4), (0, 10))),
    ],
)
def test_leading_boxes_hold_the_elements(first: int, last: int, box: Any) -> None:
    assert leading(first, last, (3, 4, 10)) == box


@pytest.mark.parametrize("axes", [[0], [0, 1], [1], [2, 0], []])
def test_boxes_along_axes_are_all_elements_once(axes: list[int]) -> None:
    seen = np.zeros((3, 4, 10), int)
    for box in boxes_along((3, 4, 10), axes, 3):
        seen[tuple(slice(*ends) for ends in box)] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize(("room", "length"), [(10, 2), (100, 9), (109, 9), (110, 10), (10_000, 30)])
def test_a_block_is_as_long_as_there_is_room(room: int, length: int) -> None:
    assert longest(room, 30, lambda n: 10 + 10 * n) == length


@pytest.mark.parametrize("nbytes", [lambda n: 500 + n, lambda n: n if n < 2 else 500 + n])
def test_blocks_are_no_shorter_where_that_saves_little(nbytes: Any) -> None:
    assert longest(100, 10_000, nbytes) >= 99


@pytest.mark.parametrize("shape", [(3, 4, 5), (7,), (2, 1, 3), (1, 1), (0, 3), ()])
def test_boxes_in_order_hold_these_elements_and_no_others(shape: tuple[int, ...]) -> None:
    elements = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for first in range(elements.size + 1):
        for last in range(first, elements.size + 1):
            boxes = in_order(first, last, shape)
            found = [elements[tuple(slice(*ends) for ends in box)].ravel() for box in boxes]
            assert [*np.concatenate([*found, []])] == [*range(first, last)] and all(one.size for one in found)


@pytest.mark.parametrize(
    ("room", "boxes"), [(10_000, 1), (120, 1), (119, 2), (40, 3), (39, 6), (20, 6), (9, 12), (1, 12)]
)
def test_boxes_have_room(room: int, boxes: int) -> None:
    found, nbytes = chosen((3, 4, 10), [0, 1], room, lambda box: int(np.prod(shape_of(box))))
    assert len(found) == boxes
    assert nbytes <= max(room, 10)


def test_the_first_box_is_the_first() -> None:
    for axes in ([0], [1, 0], [2]):
        assert first_box((3, 4, 10), axes, 2) == boxes_along((3, 4, 10), axes, 2)[0]


def test_boxes_like_one_lie_at_both_ends_and_between() -> None:
    assert like_it(((0, 2), (0, 4)), (7, 4)) == [((0, 2), (0, 4)), ((2, 4), (0, 4)), ((5, 7), (0, 4))]
    assert like_it(((0, 7),), (7,)) == [((0, 7),)]


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([], []),
        ([((0, 2),), ((0, 2),)], [((0, 2),)]),
        ([((0, 2),), ((2, 3),)], [((0, 3),)]),
        ([((0, 2),), ((3, 5),)], [((0, 2),), ((3, 5),)]),
        ([((0, 2),), ((6, 8),), ((1, 7),)], [((0, 8),)]),
        ([((0, 1), (0, 9)), ((1, 2), (1, 9))], [((0, 1), (0, 9)), ((1, 2), (1, 9))]),
        ([((0, 1), (0, 9)), ((1, 2), (0, 9)), ((7, 8), (0, 9))], [((7, 8), (0, 9)), ((0, 2), (0, 9))]),
    ],
)
def test_boxes_that_overlap_or_touch_become_one(boxes: list[Any], expected: list[Any]) -> None:
    found = merged(boxes)
    assert sorted(found) == sorted(expected)
    assert all(any(inside(box, one) for one in found) for box in boxes)
    assert sum(np.prod(shape_of(box)) for box in found) <= sum(np.prod(shape_of(box)) for box in boxes)


WHOLE = Layout((6, 5, 4), (20, 4, 1), 3)
SLICES = [
    np.s_[:], np.s_[1:], np.s_[2:3, 1:4], np.s_[:, :, 1:3], np.s_[5:, 4:, 3:], np.s_[::2], np.s_[::-1], np.s_[:, ::3],
    np.s_[2], np.s_[:0], np.s_[None], np.s_[..., 1],
]  # fmt: skip


@pytest.mark.parametrize("key", SLICES, ids=str)
def test_a_slice_is_a_box(key: Any) -> None:
    host = np.arange(120).reshape(6, 5, 4)
    seen = host[key]
    offset = 3 + int(seen.flat[0]) if seen.size else 0
    found = box_of(Layout(seen.shape, tuple(step // 8 for step in seen.strides), offset), WHOLE)
    if seen.size and seen.strides == host.strides:
        assert found is not None
        np.testing.assert_array_equal(host[tuple(slice(*ends) for ends in found)], seen)
        assert moved(moved(found, ((1, 2), (3, 4), (5, 6))), ((1, 2), (3, 4), (5, 6)), -1) == found
    else:
        assert found is None


def test_a_layout_that_leaves_the_array_is_no_box() -> None:
    assert box_of(Layout((6, 5, 4), (20, 4, 1), 4), WHOLE) is None
    assert box_of(Layout((1, 1, 1), (20, 4, 1), 2), WHOLE) is None


@pytest.mark.parametrize("seed", range(60))
def test_a_placed_box_has_the_elements_of_a_layout_in_their_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = np.arange(240).reshape([(240,), (12, 20), (12, 5, 4), (2, 3, 1, 40)][seed % 4])
    key = []
    for n in whole.shape:
        start, step = int(rng.integers(n)), int(rng.choice([1, 1, 2, 3, -1]))
        key.append(int(rng.integers(n)) if rng.integers(5) == 0 else slice(start if step > 0 else None, None, step))
    part = whole[tuple(key)]
    layout = Layout(part.shape, tuple(step // 8 for step in part.strides), int(part.flat[0]))
    found = placed_box(layout, 240)
    if found is not None:
        shape, box = found
        np.testing.assert_array_equal(
            np.arange(240).reshape(shape)[tuple(slice(*ends) for ends in box)].ravel(), part.ravel()
        )
    in_order = all(isinstance(one, int) or one.step == 1 for one in key)
    assert found is not None or not in_order


@pytest.mark.parametrize(
    ("shape", "strides"), [((3, 4), (-4, 1)), ((3, 4), (0, 1)), ((4, 3), (1, 4)), ((2, 4), (7, 1))]
)
def test_a_layout_in_another_order_has_no_place(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    assert placed_box(Layout(shape, strides, 8), 240) is None
