"""Epilogues of products: element-wise operations on a product, in its launch.

A bias, an activation or a residual is computed from the sum that a work-item holds, so the product is not written and
read again. The other operands are read where they lie, broadcast to the product. The product is rounded to its dtype
first, so the bits are those of separate launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray
from ..core.body import Body, X
from ..core.dialect import UNIT, ZERO, arithmetic, cast, int64s, value_of
from ..core.texts import defines, section


class Epilogue(NamedTuple):
    """Operations on a product: their ``body``, and the ``place`` of the product among its operands. ``modes``: of each
    other operand, how elements below each other and next to each other lie (see `dialect`)."""

    body: Body
    place: int
    modes: tuple[str, ...] = ()

    @property
    def others(self) -> list[tuple[str, str]]:
        """The names and the dtypes of the other operands."""
        operands = enumerate(self.body.operands)
        return [(str(X[number]), SHORT[dtype]) for number, (dtype, _) in operands if number != self.place]

    @property
    def offsets(self) -> list[tuple[str, str]]:
        """The fields of the other operands' offsets."""
        return int64s(*[f"{name}_0" for name, _ in self.others])

    @property
    def strides(self) -> list[tuple[str, str]]:
        """The fields of the other operands' strides, and of the scalars."""
        names = [f"{name}_{step}" for name, _ in self.others for step in ("stack", "down", "right")]
        return int64s(*names) + [(f"s{number}", SHORT[dtype]) for number, dtype in enumerate(self.body.scalars)]

    def pointers(self) -> str:
        """Return the arguments of a kernel for the other operands, which are not written."""
        return "".join([f", GLOBAL M_{short}* RESTRICT p{name}" for name, short in self.others])

    def words(self, short: str) -> str:
        """Return the words that compute the stored element from a product, which is computed in ``short``."""
        body, own = self.body, self.body.operands[self.place][0]
        scalars = [(f"s{number}", SHORT[dtype]) for number, dtype in enumerate(body.scalars)]
        operands = [("product", short), *self.others, *scalars]
        text = section(
            "matmul",
            "epilogue",
            O=SHORT[body.dtypes[0]],
            described=body.described(),
            operands=", ".join([f"R_{each} {name}" for name, each in operands]),
            product=f"R_{SHORT[own]} {X[self.place]} = {cast('product', DTYPE_OF[short], own)};",
            steps=arithmetic(body),
            value=value_of(body, body.results[0], body.dtypes[0]),
        )
        begin = [f"p{name} += p.{name}_0 + matrix * p.{name}_stack + (row) * p.{name}_down + (column) * p.{name}_right;"
                 for name, _ in self.others]  # fmt: skip
        values = [f"LOAD1_{each}(p{name}, {_place(name, modes)})"
                  for (name, each), modes in zip(self.others, self.modes, strict=True)]  # fmt: skip
        values += [f"SPLAT_{each}(p.{name})" for name, each in scalars]
        words = {
            "BEGIN(row, column)": " ".join(begin),
            "FINISH(sum, down, across)": f"epilogue({', '.join(['NARROW(sum)', *values])})",
        }
        return text + defines(words)


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
