"""NumPy's ``numpy.emath`` with arrays on devices."""

from __future__ import annotations

import numpy as np

from .mirror import mirror

__all__, __getattr__, __dir__ = mirror(__name__, np.emath, {})
