"""Random numbers: NumPy's ``Generator`` on devices, with the same bits on each of them.

    rng = xp.random.default_rng(1)
    x = rng.normal(size=(1000, 3), dtype=xp.float32)

Reading order: `philox` (the bit generator and positions in its stream), `streams` (samples as expressions of their
positions), `continuous`, `discrete` and `arrangements` (the methods), `generator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.random import SeedSequence as SeedSequence

from ..api.core.names import attributes
from . import streams as streams
from .generator import Generator as Generator, default_rng as default_rng
from .philox import Philox as Philox

__all__ = ["Generator", "Philox", "SeedSequence", "default_rng"]

if not TYPE_CHECKING:  # with ``__getattr__`` mypy would accept every name
    __getattr__, __dir__ = attributes(__name__, __all__)
