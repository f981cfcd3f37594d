"""The rows that a group takes through local memory; `test_rows` and `test_scan` have what kernels do with them."""

from __future__ import annotations

import pytest

from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.staging import UNIT_BYTES, padding, staging_of

ROOM = 48 << 10


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("n", range(1, 130, 3))
def test_chunks_are_whole_accesses_and_have_room(n: int, itemsize: int) -> None:
    for arrays in ([n * itemsize], [n * itemsize, n], [n * itemsize] * 3):
        found = staging_of(arrays, 256, ROOM)
        if found is not None:
            assert found.rows == found.group * found.turns
            assert found.rows * sum(own + padding(own) for own in arrays) <= tuning.STAGED_BYTES
            assert all(found.rows * own % UNIT_BYTES == 0 for own in arrays)


def test_short_rows_are_taken_several_a_work_item() -> None:
    for row_bytes in (1, 2, 3, 8, 12, 20, 40):
        found = staging_of([row_bytes], 256, ROOM)
        assert found is not None
        assert found.turns == max(1, tuning.STAGED_AHEAD // row_bytes)


def test_work_items_that_share_a_row_take_one_at_a_time() -> None:
    found = staging_of([20 * 2], 256, ROOM, items_per_row=2)
    assert found is not None
    assert (found.turns, found.rows) == (1, tuning.STAGED_GROUP // 2)


def test_what_does_not_fit_is_not_staged() -> None:
    assert staging_of([4 << 10], 256, ROOM) is None
    assert staging_of([64, 64], 256, 1 << 10) is None
    assert staging_of([8], 256, ROOM, pitch=3) is None, "a group takes whole rounds of rows that alternate"
    small = staging_of([240, 240], 256, ROOM)
    assert small is not None
    assert small.group < tuning.STAGED_GROUP


def test_rows_begin_in_different_banks() -> None:
    """Work-items that read accesses of neighbouring rows: no two of eight, or of 32 where rows are words, share a
    bank."""
    for row_bytes in range(4, 1024, 4):
        pitch = row_bytes + padding(row_bytes)
        assert pitch % UNIT_BYTES == row_bytes % UNIT_BYTES
        if row_bytes % UNIT_BYTES == 0:
            assert len({row * pitch // UNIT_BYTES % 8 for row in range(8)}) == 8
        elif row_bytes % 8:
            assert len({row * pitch // 4 % 32 for row in range(32)}) == 32
