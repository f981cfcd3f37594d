"""The body of a kernel: its program for each element, in the form that crosses the waist between the lazy engine and
the kernels.

A body takes operands and scalars, and computes one value after the other. Values have the names of the kernel's text:
x0 is an operand, s0 a scalar, t0 the value of a step, m0 memory that is gathered from.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...memory.dtypes import SHORT
from .ops import Rule

# The kinds of values.
OPERAND, SCALAR, STEP, MEMORY = range(4)

NAMED = 4  # operations in the name of a kernel
DESCRIBED = 12  # operations in the comment of a kernel


class Reference(int):
    """A reference to a value of a body; its text is the value's identifier in kernels.

    It is one integer, because references are in the keys by which launches are found.
    """

    __slots__ = ()

    @property
    def kind(self) -> int:
        """OPERAND, SCALAR, STEP or MEMORY."""
        return self & 3

    @property
    def number(self) -> int:
        """Its number among the values of its kind."""
        return self >> 2

    def __repr__(self) -> str:
        return f"{'xstm'[self.kind]}{self.number}"


class _References(dict[int, Reference]):
    """The references to values of one kind, by number. Each is made once."""

    def __init__(self, kind: int):
        super().__init__()
        self.kind = kind

    def __missing__(self, number: int) -> Reference:
        self[number] = reference = Reference(number << 2 | self.kind)
        return reference


X, S, T, M = map(_References, (OPERAND, SCALAR, STEP, MEMORY))


@dataclass(frozen=True)
class Body:
    """A program over operands.

    ``operands``: (dtype, is_iota) of each array or index variable; ``memory``: dtypes of arrays that are only
    gathered from; ``scalars``: dtypes of the scalars; ``steps``: (rule, references to its arguments); ``results``:
    references to the values that the kernel keeps, as ``dtypes``.
    """

    operands: tuple[tuple[np.dtype[Any], bool], ...]
    memory: tuple[np.dtype[Any], ...]
    scalars: tuple[np.dtype[Any], ...]
    steps: tuple[tuple[Rule, tuple[Reference, ...]], ...]
    results: tuple[Reference, ...]
    dtypes: tuple[np.dtype[Any], ...]

    @property
    def operations(self) -> list[str]:
        """The names of the steps, without dtypes."""
        return [rule.function.rsplit("_", 1)[0].lower() for rule, _ in self.steps]

    @property
    def cost(self) -> int:
        """The cost of all steps, see `Rule`."""
        return sum([rule.cost for rule, _ in self.steps])

    def dtype_of(self, reference: Reference) -> np.dtype[Any]:
        """Return the dtype of a value other than memory."""
        if reference.kind == OPERAND:
            return self.operands[reference.number][0]
        if reference.kind == SCALAR:
            return self.scalars[reference.number]
        return self.steps[reference.number][0].result

    def invariant(self, moving: Container[int]) -> frozenset[int]:
        """Return the steps whose values stay the same while the operands of the numbers ``moving`` change."""
        constant = {X[k] for k in range(len(self.operands)) if k not in moving}
        for number, (_, references) in enumerate(self.steps):
            if all(reference.kind == SCALAR or reference in constant for reference in references):
                constant.add(T[number])
        return frozenset(reference.number for reference in constant if reference.kind == STEP)

    def kernel_name(self, kind: str, rank: int) -> str:
        """Return the name of a kernel for profilers, such as elementwise_add_sqrt_2d_f32: operations, rank, dtype."""
        words = self.operations
        shown = words[:NAMED] + [f"and_{len(words) - NAMED}_more"] * (len(words) > NAMED)
        return "_".join([kind, *shown, f"{rank}d", SHORT[self.dtypes[0]]])

    def described(self) -> str:
        """Return users' functions, and a comment with the expression that a kernel computes."""
        steps = [
            f"{T[number]} = {word}({', '.join(map(str, references))})"
            for number, (word, (_, references)) in enumerate(zip(self.operations, self.steps, strict=True))
        ]
        texts = dict.fromkeys(text for rule, _ in self.steps for text in rule.texts)
        comment = f"// {'; '.join(steps[:DESCRIBED]) or 'a copy'}{'; ...' * (len(steps) > DESCRIBED)}"
        return "\n".join([*texts, comment])
