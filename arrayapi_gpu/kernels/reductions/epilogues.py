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
from ..core.dialect import arithmetic, cast, int64s, scalars_of, value_of
from ..core.texts import defines, section


class Epilogue(NamedTuple):
    """Operations on a product: their ``body``, and the ``place`` of the product among its operands."""

    body: Body
    place: int

    @property
    def others(self) -> list[str]:
        """The names of the other operands."""
        return [str(X[number]) for number in range(len(self.body.operands)) if number != self.place]

    @property
    def offsets(self) -> list[tuple[str, str]]:
        """The fields of the other operands' offsets."""
        return int64s(*[f"{name}_0" for name in self.others])

    @property
    def strides(self) -> list[tuple[str, str]]:
        """The fields of the other operands' strides, and of the scalars."""
        names = [f"{name}_{step}" for name in self.others for step in ("stack", "down", "right")]
        return int64s(*names) + [(f"s{number}", SHORT[dtype]) for number, dtype in enumerate(self.body.scalars)]

    def pointers(self) -> str:
        """Return the arguments of a kernel for the other operands."""
        shorts = [SHORT[dtype] for number, (dtype, _) in enumerate(self.body.operands) if number != self.place]
        return "".join([f", GLOBAL M_{short}* p{name}" for short, name in zip(shorts, self.others, strict=True)])

    def words(self, short: str) -> str:
        """Return the words that compute the stored element from a product, which is computed in ``short``."""
        body, others = self.body, self.others
        dtypes = {str(X[number]): dtype for number, (dtype, _) in enumerate(body.operands)}
        product, own = str(X[self.place]), body.operands[self.place][0]
        places = {
            name: f"p.{name}_0 + matrix * p.{name}_stack + row * p.{name}_down + column * p.{name}_right"
            for name in others
        }
        text = section(
            "matmul",
            "epilogue",
            T=short,
            O=SHORT[body.dtypes[0]],
            others=self.pointers(),
            described=body.described(),
            operands=[
                f"R_{SHORT[own]} {product} = {cast('product', DTYPE_OF[short], own)};",
                *[
                    f"R_{SHORT[dtypes[name]]} {name} = LOAD1_{SHORT[dtypes[name]]}(p{name}, {places[name]});"
                    for name in others
                ],
            ],
            scalars=scalars_of(body),
            steps=arithmetic(body),
            value=value_of(body, body.results[0], body.dtypes[0]),
        )
        pointers = "".join([f", p{name}" for name in others])
        return text + defines({"FINISH(sum, row, column)": f"epilogue(NARROW(sum), matrix, row, column, p{pointers})"})


class Following(NamedTuple):
    """An epilogue with its operands: the other arrays, in the shape of the result, and the scalars."""

    epilogue: Epilogue
    arrays: Sequence[GpuArray]
    scalars: Sequence[Any]
