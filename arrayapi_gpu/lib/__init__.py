"""What NumPy has in ``numpy.lib``, as far as others ask for it."""

from __future__ import annotations

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
