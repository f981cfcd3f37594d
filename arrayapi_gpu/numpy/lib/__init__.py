"""NumPy's ``numpy.lib``: `stride_tricks` and ``scimath`` with arrays on devices, and NumPy's other modules."""

from __future__ import annotations

import numpy as np

from .. import emath
from ..mirror import mirror
from . import stride_tricks

__all__, __getattr__, __dir__ = mirror(
    __name__, np.lib, {"stride_tricks": stride_tricks, "scimath": emath, "NumpyVersion": np.lib.NumpyVersion}
)
