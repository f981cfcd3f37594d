"""Values as Python expressions, which `debug.explain` prints. ``xp`` is the namespace.

The method ``expression`` of each operation, step and leaf uses the functions here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backends import get_device
from ...backends.base import Device
from ...memory.layout import Layout


def literal(value: Any) -> str:
    """The expression of a Python scalar, a shape or a dtype that gives the same bits: ``complex(0.0, -xp.inf)``."""
    if isinstance(value, np.dtype):
        return f"xp.{value.name}"
    if isinstance(value, complex):  # the text of a complex number loses the signs of zeros
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "xp.nan" if value != value else "xp.inf" if value > 0 else "-xp.inf"
    return repr(value)


def call(name: str, *arguments: str, **options: Any) -> str:
    """A call of a function of the namespace, such as ``xp.sum(v0, axis=(1,))``, without options that are None or
    False."""
    given = [f"{key}={literal(value)}" for key, value in options.items() if value is not None and value is not False]
    return f"xp.{name}({', '.join([*arguments, *given])})"


def subscript(operand: str, key: Sequence[Any]) -> str:
    """A view by ints, slices, Ellipsis and None, such as ``v0[::2, 3]``."""
    return f"{operand}[{', '.join(map(_index, key)) or '()'}]"


def _index(item: Any) -> str:
    if item is Ellipsis:
        return "..."
    if not isinstance(item, slice):
        return repr(item)
    start, stop, step = ("" if limit is None else str(limit) for limit in (item.start, item.stop, item.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def full(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any], device: Device) -> str:
    """A call of ``full``: one value for a whole shape."""
    return call("full", literal(shape), literal(value), dtype=dtype, device=_unless_default(device))


def addresses(layout: Layout, device: Device) -> str:
    """The int64 addresses of the elements of a layout, offset + sum(index * stride), as a sum of ranges along its
    axes."""
    shape, strides, offset = layout
    terms: list[str] = []
    extents = [1] * len(shape)  # of their sum
    for axis, (n, stride) in enumerate(zip(shape, strides, strict=True)):
        if n == 1 or stride == 0:
            continue
        extents[axis] = n
        start, stop, step = offset, offset + n * stride, stride
        numbers = [start, stop, step] if step != 1 else [start, stop] if start else [stop]
        term = call("arange", *map(str, numbers), device=_unless_default(device))
        trailing = len(shape) - axis - 1
        terms.append(call("reshape", term, literal((n,) + (1,) * trailing)) if trailing else term)
        offset = 0
    if not terms:
        return full(shape, offset, np.dtype("int64"), device)
    text = " + ".join(terms)
    leading = next(axis for axis, n in enumerate(extents) if n != 1)
    return text if tuple(extents[leading:]) == shape else call("broadcast_to", text, literal(shape))


def _unless_default(device: Device) -> str | None:
    """The name of a device; None for the default device."""
    return None if device == get_device(None) else str(device)
