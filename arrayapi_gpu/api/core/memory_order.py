"""NumPy's ``order``: the order of an array's elements in memory, as a permutation of its axes.

An array whose axes are permuted so lies in C order, or is copied in C order, so all else knows C order alone. The order
of an array is that of its strides. What is computed lies in C order, whatever the order of its operands is.
"""

from __future__ import annotations

from typing import Any

from ...lazy.graph.graph import Node
from ...lazy.graph.views import layout_of
from ...lazy.run.evaluate import memory
from ...memory.layout import Shape, Strides, is_c_contiguous
from .indexing import permuted

ORDERS = ("C", "F", "A", "K")


def axes_in_order(
    name: str, node: Node, order: str | None, allowed: tuple[str, ...] = ORDERS, copying: bool = False
) -> tuple[int, ...]:
    """The axes of a value in the order in which ``order`` takes them, the one that changes fastest last.

    "C" and None: as they are. "F": reversed. "A": reversed if the elements lie so. "K": as they lie in memory, whatever
    the signs of the strides are. ``copying``: whether the order is that of a copy, in which NumPy puts axes of stride 0
    last. ValueError for another order; ``name`` is the function that was called.
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
    """The axes, that of the longest step first; those of equal steps in their order."""
    axes = tuple(range(len(shape)))
    if is_c_contiguous(shape, strides):
        return axes
    if is_c_contiguous(shape[::-1], strides[::-1]):
        return axes[::-1]
    return tuple(sorted(axes, key=lambda axis: -abs(strides[axis])))


def _axes_as_read(strides: Strides) -> tuple[int, ...]:
    """The axes, that of the longest step first. An axis of stride 0 may stand anywhere, so it is not moved."""
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
    """An array in C order, whose axes stand in the order ``axes``, with its axes as they were before.

    It is computed now: if it was pending, its elements might be computed in C order of its axes as they were before.
    """
    if axes == tuple(range(len(axes))):
        return x
    memory(x._node)
    return permuted(x, sorted(range(len(axes)), key=axes.__getitem__))


def is_in_order(node: Node, order: str) -> bool:
    """Whether the elements of a value lie in memory without gaps, in C order or reversed ("F")."""
    layout = layout_of(node)
    step = 1 if order == "C" else -1
    return is_c_contiguous(layout.shape[::step], layout.strides[::step])
