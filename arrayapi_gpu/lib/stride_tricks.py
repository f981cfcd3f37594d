"""Views in which elements occur several times."""

from __future__ import annotations

from ..api.numpy.window_functions import sliding_window_view as sliding_window_view

__all__ = ["sliding_window_view"]
