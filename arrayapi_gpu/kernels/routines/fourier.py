"""Fourier transforms by own kernels, on GPUs whose vendor has no library for them.

A transform along an axis takes one pass over memory, or, where its elements do not fit in the local memory of a group,
a pass for each of its factors (`fourier_passes`). A length with a prime factor above 31 becomes a convolution, whose
length has none. Roots of unity are tables that were computed on the host in a higher precision, so errors are a few
roundings for each stage (`fourier_tables`).

Real input is read as it is, and of a real result only the half that is wanted is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import DTYPE_OF, REAL_FLOATING, promote
from ...memory.gpuarray import GpuArray
from ...memory.layout import size
from ..core.store import kept
from ..host.host_transforms import default_lengths
from ..maps.copy import contiguous
from .fourier_passes import Line, Pass, passes, stages

LONGEST_PASS = {8: (8192, 1024), 16: (4096, 512)}  # by bytes: longest transform of one pass, and of each of several
OF_A_STAGE = 0.15  # of the time of a pass over memory
LONGER = 1.125  # times the least length of a convolution: others are tried up to that


def compute(name: str, operands: Sequence[GpuArray], options: Mapping[str, Any]) -> tuple[GpuArray, ...] | None:
    """Return the result of a transform; None for a device that uses the host's libraries, and for empty axes.

    ``name``: of NumPy's function. ``options``: its lengths ``s`` along ``axes``, and ``norm``.
    """
    (x,) = operands
    device = x.storage.device
    axes = options.get("axes") or tuple(range(len(x.shape)))
    if not device.is_gpu or device.host_shared or 0 in [x.shape[axis] for axis in axes]:
        return None
    lengths = options.get("s") or default_lengths(name, x.shape, axes)
    plan = _plan(device, name, x.dtype, x.shape, tuple(axes), tuple(lengths), options.get("norm") or "backward")
    x = contiguous(x)
    for one in plan:
        x = one.run(x)
    return (x,)


@kept
def _plan(
    device: Device,
    name: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    lengths: tuple[int, ...],
    norm: str,
) -> list[Pass]:
    """The passes of a transform, each over the result of the one before."""
    inverse = name in ("ifftn", "irfftn")
    pair = promote(dtype, DTYPE_OF["c64"])
    order = [*zip(axes, lengths, strict=True)]
    if name == "rfftn":
        order = [order[-1], *order[:-1]]
    found: list[Pass] = []
    for number, (axis, n) in enumerate(order):
        first, last = number == 0, number == len(order) - 1
        hermitian = name == "irfftn" and last
        line = Line(
            size(shape[:axis]), size(shape[axis + 1 :]), n, shape[axis],
            min(shape[axis], n // 2 + 1 if hermitian else n), n // 2 + 1 if name == "rfftn" and first else n, inverse,
            first and dtype in REAL_FLOATING, hermitian,
        )  # fmt: skip
        parts = split(n, pair.itemsize, line.inner == 1)
        factors = convolution(n, pair.itemsize) if parts is None else parts
        factor = scale(math.prod(lengths), norm, inverse) if last else 1.0
        shape = (*shape[:axis], line.kept, *shape[axis + 1 :])
        found += passes(device, line, factors, parts is None, pair, shape, factor)
    return found


def scale(n: int, norm: str, inverse: bool) -> float:
    """Return the factor of a transform of ``n`` elements."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "backward") is inverse else 1.0


@lru_cache(4096)
def split(n: int, nbytes: int, last: bool) -> tuple[int, ...] | None:
    """Return the factors of a length that separate passes transform; None where a prime factor is too large. ``last``:
    whether the axis is the last, whose elements are neighbours: otherwise groups have several rows."""
    whole, part = LONGEST_PASS[nbytes]
    if stages(n) is None:
        return None
    if n <= (whole if last else part):
        return (n,)
    count = 2
    while part**count < n:
        count += 1
    while True:
        found = _balanced(n, count, part)
        if found is not None:
            return found
        count += 1


def _balanced(n: int, count: int, most: int) -> tuple[int, ...] | None:
    """The factors of a number, so many and as equal as can be; None where one would be larger than ``most``."""
    if count == 1:
        return (n,) if n <= most else None
    wanted = n ** (1 / count)
    divisors = [k for k in range(1, most + 1) if n % k == 0]
    for factor in sorted(divisors, key=lambda k: abs(math.log(k / wanted))):
        if n // factor > most ** (count - 1):
            continue
        rest = _balanced(n // factor, count - 1, most)
        if rest is not None:
            return (factor, *rest)
    return None


@lru_cache(4096)
def convolution(n: int, nbytes: int) -> tuple[int, ...]:
    """Return the factors of the length of a convolution for a transform of ``n`` elements: the one that takes the
    least time, by an estimate."""
    found = [parts for m in smooth(2 * n - 1) if (parts := split(m, nbytes, True)) is not None]
    return min(
        found, key=lambda parts: math.prod(parts) * sum(1 + OF_A_STAGE * len(stages(part) or ()) for part in parts)
    )


def smooth(least: int) -> Iterator[int]:
    """Yield numbers of at least ``least`` with no prime factor above 7: all up to a little more, and a power of 2."""
    most = max(int(LONGER * least), 1)
    yield 1 << (least - 1).bit_length()
    sevens = 1
    while sevens <= most:
        fives = sevens
        while fives <= most:
            threes = fives
            while threes <= most:
                number = threes << max((-(-least // threes) - 1).bit_length(), 0)
                if number <= most:
                    yield number
                threes *= 3
            fives *= 5
        sevens *= 7


TRANSFORMS = {name: partial(compute, name) for name in ("fftn", "ifftn", "rfftn", "irfftn")}
