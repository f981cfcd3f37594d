"""NumPy's ``order``: the order of an array's elements in memory, as a permutation of its axes.

With its axes permuted in this way, an array is C-contiguous, or is copied in C order, so the rest of the package knows
only C order. The order of an array follows from its strides. Computed results are in C order, whatever the order of
their operands.
"""

from __future__ import annotations

from typing import Any

from ...lazy import Node, layout_of, memory
from ...memory.layout import Shape, Strides, is_c_contiguous
from .indexing import permuted

ORDERS = ("C", "F", "A", "K")


def axes_in_order(
    name: str, node: Node, order: str | None, allowed: tuple[str, ...] = ORDERS, copying: bool = False
) -> tuple[int, ...]:
    """The axes of a value in the order that ``order`` stands for, the axis that changes fastest last.

    ``order``: "C" or None, as they are; "F", reversed; "A", reversed if the value is Fortran-contiguous and not
    C-contiguous; "K", by the absolute values of the strides. ``copying``: whether the order is that of a copy, for
    which NumPy puts axes of stride 0 last. ``name``: the function that was called. ValueError for another order.
    """
    word = order.upper() if isinstance(order, str) else "C" if order is None else order
    if word not in allowed:
        raise ValueError(f"{name}: got order={order!r}; allowed: {', '.join(map(repr, allowed))}; name one of them")
    ndim = len(node.shape)
    axes = tuple(range(ndim))
    if word == "C" or ndim < 2:
        return axes
    if word == "F":
        return axes[::-1]
    if word == "K":
        layout = layout_of(node)
        return axes_by_stride(layout.shape, layout.strides) if copying else _axes_as_read(layout.strides)
    return axes[::-1] if is_in_order(node, "F") and not is_in_order(node, "C") else axes


def axes_by_stride(shape: Shape, strides: Strides) -> tuple[int, ...]:
    """The axes by decreasing absolute stride; axes of equal strides keep their order."""
    axes = tuple(range(len(shape)))
    if is_c_contiguous(shape, strides):
        return axes
    if is_c_contiguous(shape[::-1], strides[::-1]):
        return axes[::-1]
    return tuple(sorted(axes, key=lambda axis: -abs(strides[axis])))


def _axes_as_read(strides: Strides) -> tuple[int, ...]:
    """The axes by decreasing absolute stride. An axis of stride 0 fits anywhere, so it is not moved."""
    found: list[int] = []  # the last axis first
    for axis in reversed(range(len(strides))):
        place = len(found)
        for k in reversed(range(len(found))):
            if strides[axis] and strides[found[k]]:
                if abs(strides[found[k]]) <= abs(strides[axis]):
                    break
                place = k
        found.insert(place, axis)
    return tuple(reversed(found))


def put_first(x: Any, axes: tuple[int, ...]) -> Any:
    """The array with its axes in the order ``axes``."""
    return permuted(x, axes) if axes != tuple(range(len(axes))) else x


def laid_out(x: Any, axes: tuple[int, ...]) -> Any:
    """The array with its axes put back from the order ``axes`` (the inverse of `put_first`); its memory order is kept.

    It is computed at once, because a pending array would be computed in C order of the axes that it is returned with.
    """
    if axes == tuple(range(len(axes))):
        return x
    memory(x._node)
    return permuted(x, sorted(range(len(axes)), key=axes.__getitem__))


def is_in_order(node: Node, order: str) -> bool:
    """Whether a value is contiguous in ``order``: "C" or "F"."""
    layout = layout_of(node)
    step = 1 if order == "C" else -1
    return is_c_contiguous(layout.shape[::step], layout.strides[::step])
