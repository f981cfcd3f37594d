"""Whose memory it is: views, exports and holders of operands."""

from __future__ import annotations

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.run.ownership import is_ours_again

pytestmark = pytest.mark.usefixtures("device")


def test_memory_is_the_arrays_own_again_when_the_last_view_is_gone() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    xp.compute(x)
    view = x[1:]
    assert not is_ours_again(x._node)
    del view
    assert is_ours_again(x._node)


def test_an_element_is_no_view_and_keeps_its_value() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    xp.compute(x)
    t = x[1]
    x += 1.0
    assert float(t) == 2.0 and x.tolist() == [2.0, 3.0, 4.0]


def test_what_may_not_be_written_to_stays_so() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    fixed = xp.broadcast_to(x, (3,))
    del x
    with pytest.raises(ValueError, match="read-only"):
        fixed += 1.0
    assert not is_ours_again(fixed._node)
    np.testing.assert_array_equal(fixed.to_numpy(), [1.0, 2.0, 3.0])
