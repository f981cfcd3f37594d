"""Sliding windows: an extension, which NumPy has in ``lib.stride_tricks``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from ...lazy import Movement, handle, leaf, memory, view
from ...memory.layout import normalize_axis
from ..core.arguments import integer, of_arrays
from ..core.array_object import Array


@of_arrays
def sliding_window_view(
    x: Array, /, window_shape: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> Array:
    """View all windows of a given length along axes.

    Parameters
    ----------
    x : Array
        The array. A pending expression is computed first.
    window_shape : int or sequence of int
        The length of a window along each of ``axis``.
    axis : int or sequence of int, optional
        The axes along which windows slide; by default all.

    Returns
    -------
    Array
        A read-only view. Each of the axes is shorter by the window's length minus 1, and an axis is appended for each
        length.

    Raises
    ------
    ValueError
        For windows longer than their axes, and unless there is one length for each axis.

    References
    ----------
    NumPy, ``lib.stride_tricks.sliding_window_view``.

    Examples
    --------
    >>> windows = xp.lib.stride_tricks.sliding_window_view(xp.arange(5), 3)
    >>> print(windows)
    [[0 1 2]
     [1 2 3]
     [2 3 4]]
    >>> print(xp.mean(windows, axis=-1))
    [1. 2. 3.]
    """
    lengths = tuple([integer("sliding_window_view", "window_shape", n) for n in _several(window_shape)])
    axes = tuple(range(x.ndim)) if axis is None else tuple(
        normalize_axis(one, x.ndim, "sliding_window_view") for one in _several(axis)
    )  # fmt: skip
    if len(lengths) != len(axes):
        raise ValueError(
            f"sliding_window_view: {len(lengths)} lengths for {len(axes)} axes; allowed: one length per axis"
        )
    left = list(x.shape)
    for length, place in zip(lengths, axes, strict=True):
        left[place] -= length - 1
        if length < 0 or left[place] <= 0:
            raise ValueError(
                f"sliding_window_view: windows of {lengths} along axes {axes} of shape {x.shape}; allowed: 0 to the "
                "length of the axis"
            )
    # A pending value is computed first, because computing it again for each window would take longer.
    movement = Movement("lib.stride_tricks.sliding_window_view", {"window_shape": lengths, "axis": axes})
    return handle(Array, view(leaf(memory(x._node)), movement, fixed=True))


def _several(value: int | Sequence[int]) -> Sequence[SupportsIndex]:
    """The value as a sequence; a number as a sequence of one."""
    return value if isinstance(value, Sequence) else (value,)
