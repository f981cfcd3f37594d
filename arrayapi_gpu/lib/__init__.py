"""The parts of ``numpy.lib`` that other libraries use."""

from __future__ import annotations

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
