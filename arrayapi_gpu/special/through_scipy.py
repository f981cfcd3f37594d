"""Functions of SciPy's that have no good form here yet: SciPy computes them on host copies (`wrappers.through_scipy`).

A function that gets kernels leaves the table.
"""

from __future__ import annotations

from .wrappers import through_scipy

__all__ = ["lambertw"]

lambertw = through_scipy("lambertw", "z k")
