"""Epilogues of products and of reductions: element-wise operations on their results, in their launch.

A bias, an activation, a residual, a root or a division is computed from the sum that a work-item holds, so the sum is
not written and read again. The other operands are read where they lie, broadcast to the result. The sum is rounded to
the dtype of its own result first, so the bits are those of separate launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray
from ..core.body import Body, S, X
from ..core.dialect import UNIT, ZERO, arithmetic, cast, int64s, value_of
from ..core.texts import defines, section
from ..core.traffic import elements


class Epilogue(NamedTuple):
    """Operations on a product or a reduction: their ``body``, and the ``place`` of the value among its operands.
    ``modes``: of each other operand, how elements below each other and next to each other lie (see `dialect`); for a
    reduction one letter, UNIT if they lie as the results do, or ZERO if one serves all."""

    body: Body
    place: int
    modes: tuple[str, ...] = ()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the value that the operations follow."""
        return self.body.operands[self.place][0]

    @property
    def others(self) -> list[tuple[str, str]]:
        """The names, in a kernel, and the dtypes of the other operands."""
        operands = enumerate(self.body.operands)
        return [(f"then_{X[number]}", SHORT[dtype]) for number, (dtype, _) in operands if number != self.place]

    @property
    def scalars(self) -> list[tuple[str, str]]:
        """The fields of the scalars."""
        return [(f"then_{S[number]}", SHORT[dtype]) for number, dtype in enumerate(self.body.scalars)]

    @property
    def offsets(self) -> list[tuple[str, str]]:
        """The fields of the other operands' offsets."""
        return int64s(*[f"{name}_0" for name, _ in self.others])

    @property
    def strides(self) -> list[tuple[str, str]]:
        """The fields of the other operands' strides, and of the scalars, for a product."""
        return (
            int64s(*[f"{name}_{step}" for name, _ in self.others for step in ("stack", "down", "right")]) + self.scalars
        )

    def pointers(self) -> str:
        """Return the arguments of a kernel for the other operands, which are not written."""
        return "".join([f", GLOBAL M_{short}* RESTRICT p{name}" for name, short in self.others])

    def function(self, short: str) -> str:
        """Return the function that computes the stored element from the value, which is computed in ``short``."""
        body = self.body
        given = [
            (str(X[number]), SHORT[dtype]) for number, (dtype, _) in enumerate(body.operands) if number != self.place
        ]
        given += [(str(S[number]), SHORT[dtype]) for number, dtype in enumerate(body.scalars)]
        return section(
            "epilogues",
            "function",
            O=SHORT[body.dtypes[0]],
            described=body.described(),
            operands=", ".join([f"R_{each} {name}" for name, each in [("value", short), *given]]),
            value=f"R_{SHORT[self.dtype]} {X[self.place]} = {cast('value', DTYPE_OF[short], self.dtype)};",
            steps=arithmetic(body),
            result=value_of(body, body.results[0], body.dtypes[0]),
        )

    def call(self, value: str, places: Sequence[str]) -> str:
        """Return the stored element, given a ``value`` and the places of the other operands."""
        loads = [f"LOAD1_{each}(p{name}, {at})" for (name, each), at in zip(self.others, places, strict=True)]
        return f"epilogue({', '.join([value, *loads, *[f'SPLAT_{each}(p.{name})' for name, each in self.scalars]])})"

    def words(self, short: str) -> str:
        """Return the words that compute the stored element from a product, which is computed in ``short``."""
        begin = [f"p{name} += p.{name}_0 + matrix * p.{name}_stack + (row) * p.{name}_down + (column) * p.{name}_right;"
                 for name, _ in self.others]  # fmt: skip
        places = [_place(name, modes) for (name, _), modes in zip(self.others, self.modes, strict=True)]
        words = {"BEGIN(row, column)": " ".join(begin), "FINISH(sum, down, across)": self.call("NARROW(sum)", places)}
        return self.function(short) + defines(words)

    def of_total(self, value: str, output: str) -> str:
        """Return the stored element of a reduction, given its value and the number of its ``output``."""
        modes = zip(self.others, self.modes, strict=True)
        return self.call(value, [f"p.{name}_0" + f" + {output}" * (mode == UNIT) for (name, _), mode in modes])


def _place(name: str, modes: str) -> str:
    """The offset of the element at (down, across) of a tile from the first one."""
    steps = zip(modes, ("down", "across"), (f"p.{name}_down", f"p.{name}_right"), strict=True)
    return (
        " + ".join([f"({at})" if mode == UNIT else f"({at}) * {step}" for mode, at, step in steps if mode != ZERO])
        or "0"
    )


class Following(NamedTuple):
    """An epilogue with its operands: the other arrays, in the shape of the result, and the scalars."""

    epilogue: Epilogue
    arrays: Sequence[GpuArray]
    scalars: Sequence[Any]

    def of_reduction(self) -> Epilogue:
        """Return the epilogue of a reduction, with the modes of its other operands."""
        return self.epilogue._replace(
            modes=tuple([ZERO if elements(one.shape, one.strides) == 1 else UNIT for one in self.arrays])
        )
