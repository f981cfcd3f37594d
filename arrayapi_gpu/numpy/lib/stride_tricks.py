"""NumPy's ``numpy.lib.stride_tricks`` with arrays on devices."""

from __future__ import annotations

import numpy as np

from ..mirror import mirror

__all__, __getattr__, __dir__ = mirror(
    __name__, np.lib.stride_tricks, {}, [name for name in dir(np.lib.stride_tricks) if not name.startswith("_")]
)
