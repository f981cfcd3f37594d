"""Random numbers: NumPy's ``Generator`` on devices, with the same bits on each of them.

    rng = xp.random.default_rng(1)
    x = rng.normal(size=(1000, 3), dtype=xp.float32)

Reading order: `philox` (the bit generator and positions in its stream), `streams` (samples as expressions of their
positions), `continuous`, `discrete` and `arrangements` (the methods), `generator`.
"""

from __future__ import annotations

from numpy.random import SeedSequence as SeedSequence

from . import streams as streams
from .generator import Generator as Generator, default_rng as default_rng
from .philox import Philox as Philox

__all__ = ["Generator", "Philox", "SeedSequence", "default_rng"]
