"""The place where NumPy has its windows."""

from __future__ import annotations

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.window_functions import sliding_window_view


def test_the_windows_stand_where_numpy_has_them() -> None:
    assert xp.lib.stride_tricks.sliding_window_view is sliding_window_view
    assert xp.lib.stride_tricks.__all__ == ["sliding_window_view"]
    assert xp.lib.__all__ == ["stride_tricks"]
