"""NumPy's ``numpy.polynomial.laguerre``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

Laguerre: Any
__all__ = list(np.polynomial.laguerre.__all__)
globals().update(family(__name__, np.polynomial.laguerre))
