"""NumPy's ``numpy.polynomial.hermite``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

Hermite: Any
__all__ = list(np.polynomial.hermite.__all__)
globals().update(family(__name__, np.polynomial.hermite))
