"""How a fused kernel walks its operands: dimensions collapsed over all of them, the innermost in registers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..memory.layout import broadcast_strides, collapse, collapse_ordered

INT32 = 2**31 - 2**16  # the largest element offset for 32-bit arithmetic, with room for loops to run past the end


class Geometry(NamedTuple):
    """What of a set of layouts shapes the kernel (the first four) and what it is told as parameters (the rest)."""

    rank: int
    modes: str  # a letter an operand: how its innermost stride is (see dialect)
    still: tuple[bool, ...]  # operand by operand: whether neighbouring rows are the same elements
    across: bool  # neighbouring work-items take neighbouring rows, because some operand is contiguous that way
    inner: int
    rows: int
    shape: tuple[int, ...]  # of the rows, outermost first
    strides: tuple[int, ...]  # operand by operand, outermost first; an innermost one only where the mode is "s"
    reach: int  # the largest element offset that occurs, for the index width


@lru_cache(maxsize=4096)
def geometry(shape: tuple[int, ...], layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]) -> Geometry:
    """The walk over ``shape`` for operands of the given (shape, strides), the first of which is the output."""
    strides = tuple(broadcast_strides(own, steps, shape) for own, steps in layouts)
    shape, strides = collapse(shape, strides)
    across = len(shape) > 1 and any(
        abs(s[-1]) > 1 and any(0 < abs(step) < abs(s[-1]) for step in s[:-1]) for s in strides
    )
    return _walk(shape, strides, across)


def _walk(shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...], across: bool) -> Geometry:
    modes = "".join("u" if s[-1] == 1 else "z" if s[-1] == 0 else "s" for s in strides)
    rows = 1
    for n in shape[:-1]:
        rows *= n
    reach = max(sum((n - 1) * abs(step) for n, step in zip(shape, s, strict=True)) for s in strides)
    needed = tuple(step for s, mode in zip(strides, modes, strict=True) for step in (s if mode == "s" else s[:-1]))
    still = tuple(len(shape) > 1 and s[-2] == 0 for s in strides)
    return Geometry(len(shape), modes, still, across, shape[-1], rows, shape[:-1], needed, reach)


@lru_cache(maxsize=4096)
def flat(n: int, operands: int) -> Geometry:
    """The walk over ``n`` elements that lie side by side in every operand."""
    return Geometry(1, "u" * operands, (False,) * operands, False, n, 1, (), (), n)


@lru_cache(maxsize=4096)
def in_order(shape: tuple[int, ...], layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]) -> Geometry:
    """The walk over ``shape`` in C order, for kernels to which the order of elements matters."""
    strides = tuple(broadcast_strides(own, steps, shape) for own, steps in layouts)
    return _walk(*collapse_ordered(shape, strides), across=False)
