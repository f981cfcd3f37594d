"""NumPy's ``numpy.polynomial.hermite_e``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

HermiteE: Any
__all__ = list(np.polynomial.hermite_e.__all__)
globals().update(family(__name__, np.polynomial.hermite_e))
