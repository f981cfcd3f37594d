"""What arrays look like in text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .array_object import Array


def text(x: Array, concat: Callable[..., Array], separator: str, indent: int = 0) -> str:
    """The elements as NumPy prints them, in lines that begin with ``indent`` blanks but for the first.

    Of an array of more elements than NumPy's option "threshold" only the edges are brought to the host. ``concat``: the
    function of the namespace.
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
