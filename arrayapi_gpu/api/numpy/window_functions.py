"""Windows of arrays: an extra that NumPy has in ``lib.stride_tricks``."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import SupportsIndex

from ...lazy.build.build import handle, view
from ...lazy.graph.expressions import call
from ...lazy.graph.graph import leaf
from ...lazy.run.evaluate import memory
from ...memory.layout import normalize_axis, windows
from ..core.arguments import of_arrays
from ..core.array_object import Array


@of_arrays
def sliding_window_view(
    x: Array, window_shape: int | Sequence[int], /, axis: int | Sequence[int] | None = None
) -> Array:
    """All windows of some lengths along axes (all by default), as a view that cannot be written.

    The axes along which windows begin get shorter by length - 1; behind all of them stands an axis for each length.
    ValueError for windows that are longer than their axes, or that are not one an axis.
    Source: NumPy, ``lib.stride_tricks.sliding_window_view``.

    >>> sliding_window_view(xp.arange(4), 3)  # [[0, 1, 2], [1, 2, 3]]
    """
    lengths = tuple(map(operator.index, _several(window_shape)))
    axes = tuple(range(x.ndim)) if axis is None else tuple(
        normalize_axis(one, x.ndim, "sliding_window_view") for one in _several(axis)
    )  # fmt: skip
    if len(lengths) != len(axes):
        raise ValueError(f"sliding_window_view: {len(lengths)} lengths for {len(axes)} axes; allowed: one for each")
    left = list(x.shape)
    for length, place in zip(lengths, axes, strict=True):
        left[place] -= length - 1
        if length < 0 or left[place] <= 0:
            raise ValueError(
                f"sliding_window_view: windows of {lengths} along axes {axes} of shape {x.shape}; allowed: 0 or more, "
                "as long as the axis at most"
            )
    # A pending value is computed first: to compute it again for each window would cost more.
    text = partial(call, "lib.stride_tricks.sliding_window_view", window_shape=lengths, axis=axes)
    windowed = view(leaf(memory(x._node)), lambda layout: windows(layout, lengths, axes), text, fixed=True)
    return handle(Array, windowed)


def _several(value: int | Sequence[int]) -> Sequence[SupportsIndex]:
    """A number as a sequence of one."""
    return value if isinstance(value, Sequence) else (value,)
