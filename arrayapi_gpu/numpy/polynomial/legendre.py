"""NumPy's ``numpy.polynomial.legendre``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

Legendre: Any
__all__ = list(np.polynomial.legendre.__all__)
globals().update(family(__name__, np.polynomial.legendre))
