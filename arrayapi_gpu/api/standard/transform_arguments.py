"""The arguments of Fourier, cosine and sine transforms: the dtype of the input, the axes and lengths, the norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, INTEGRAL, NoValueError, defaults
from ...memory.layout import normalize_axes
from ..core.arguments import integer
from ..core.array_object import Array
from .data_type_functions import astype

Norm = Literal["backward", "ortho", "forward"]

NORMS = ("backward", "ortho", "forward")


def numeric_input(name: str, x: Array, real: bool) -> Array:
    """``x`` in a floating-point dtype. TypeError for booleans, and for complex numbers if ``real``."""
    if x.dtype in BOOLEAN or (real and x.dtype in COMPLEX_FLOATING):
        raise TypeError(f"{name}: got {x.dtype}; allowed: {'real' if real else 'numeric'} dtypes; convert first")
    if x.dtype in INTEGRAL:
        return astype(x, defaults("f64" in x.device.dtypes)["real floating"])
    return x


def checked_norm(name: str, norm: Any) -> Any:
    """The norm. ValueError if there is no such one."""
    if not isinstance(norm, str) or norm not in NORMS:
        raise ValueError(f'{name}: norm is {norm!r}; allowed: "backward", "ortho", "forward"')
    return norm


def places_and_lengths(
    name: str, x: Array, lengths: Sequence[int | None] | None, axes: Sequence[int] | None, halved: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of transforms, and their lengths, for which None stands for the whole axis, and so does -1 in transforms
    of several axes. ``halved``: the last axis has half of a spectrum, and the length is that of the result."""
    if lengths is not None and axes is None:
        raise ValueError(f"{name}: s={tuple(lengths)} without axes; allowed: s with axes, or only axes; give axes=")
    places = tuple(range(x.ndim)) if axes is None else normalize_axes(tuple(axes), x.ndim, name)
    if lengths is not None and len(lengths) != len(places):
        raise ValueError(f"{name}: {len(lengths)} lengths for {len(places)} axes; allowed: one length for each axis")
    sizes = []
    for k, place in enumerate(places):
        wanted = None if lengths is None else lengths[k]
        n = None if wanted is None else integer(name, "a length", wanted)
        half = halved and k == len(places) - 1
        if half and not x.shape[place]:
            raise NoValueError(
                f"{name}: axis {place} of shape {x.shape} is empty; allowed: 1 element or more, because the first "
                "element belongs to frequency 0"
            )
        if n is None or (n == -1 and name.endswith("n")):
            n = 2 * (x.shape[place] - 1) if half else x.shape[place]
        if n < 1:
            raise ValueError(f"{name}: length {n} along axis {place} of shape {x.shape}; allowed: 1 or more")
        sizes.append(n)
    return places, tuple(sizes)
