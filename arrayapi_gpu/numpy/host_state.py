"""The state of NumPy on the host: handling of floating-point errors."""

from __future__ import annotations

from typing import Any

import numpy as np


class errstate(np.errstate):
    """NumPy's `errstate`, for functions that NumPy computes on the host. Devices raise no floating-point errors: they
    return NaN or infinity, without a warning."""


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """Set how NumPy handles floating-point errors on the host. Devices raise none."""
    found: dict[str, Any] = dict(np.seterr(all, divide, over, under, invalid))
    return found


def geterr() -> dict[str, Any]:
    """How NumPy handles floating-point errors on the host. Devices raise none."""
    return dict(np.geterr())
