"""NumPy's ``numpy.polynomial.polynomial``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

Polynomial: Any
__all__ = list(np.polynomial.polynomial.__all__)
globals().update(family(__name__, np.polynomial.polynomial))
