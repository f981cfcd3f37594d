"""NumPy's ``numpy.polynomial.chebyshev``, with points on devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .families import family

Chebyshev: Any
__all__ = list(np.polynomial.chebyshev.__all__)
globals().update(family(__name__, np.polynomial.chebyshev))
