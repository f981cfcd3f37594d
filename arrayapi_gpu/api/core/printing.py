"""The text of arrays, for ``repr`` and ``str``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .array_object import Array


def text(x: Array, concat: Callable[..., Array], separator: str, indent: int = 0) -> str:
    """The elements as NumPy prints them; lines after the first begin with ``indent`` blanks.

    If the array has more elements than NumPy's print option "threshold", only the edges are copied to the host.
    ``concat``: the function of the namespace.
    """
    options: Any = np.get_printoptions()
    edge, threshold = options["edgeitems"], options["threshold"]
    if x.size <= threshold:
        return np.array2string(x.to_numpy(), separator=separator, prefix=" " * indent)
    corners = x
    for axis, n in enumerate(x.shape):
        if n > 2 * edge + 1:
            start = tuple([slice(None)] * axis)
            first, last = corners[(*start, slice(edge + 1))], corners[(*start, slice(n - edge, None))]
            corners = concat([first, last], axis=axis)
    return np.array2string(corners.to_numpy(), separator=separator, prefix=" " * indent, threshold=0)
