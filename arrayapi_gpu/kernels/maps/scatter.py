"""The scatter kernel: a fused body gives each element's place and its value.

Of several values for one place the last one stays, as in NumPy, so elements are written in order by one work-item,
unless the caller knows that no two places are the same.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ...backends.base import Buffer, Device
from ...memory.dtypes import SHORT
from ..core import tuning
from ..core.body import Body
from ..core.dialect import (
    Parameters,
    arguments,
    arithmetic,
    operands_of,
    parameters_of,
    pointers_of,
    scalars_of,
    strides_of,
)
from ..core.launch import compiled, launch_kernel
from ..core.schedule import Schedule
from ..core.texts import section
from ..core.traffic import Traffic


class Scatter:
    """A compiled scatter of one body, whose results are the place (int64 element offset) and the value."""

    def __init__(self, device: Device, body: Body, schedule: Schedule):
        self.device = device
        self.body = body
        name = body.kernel_name("scatter", schedule.rank)
        self.text, self.parameters = _text(name, body, schedule)
        self.kernel = compiled(device, self.text, name)

    def run(
        self,
        schedule: Schedule,
        ordered: bool,
        buffers: Sequence[Buffer],
        offsets: Sequence[int],
        scalars: Sequence[Any],
    ) -> None:
        """Launch.

        ``buffers`` and ``offsets``: the target, operands in memory, gathered memory (index variables have offsets
        only).
        """
        n = schedule.inner * schedule.rows
        registers = -(-schedule.inner // self.device.lanes) * schedule.rows
        span, group = (registers, 1) if ordered else (tuning.SCATTER_SPAN, tuning.SCATTER_GROUP)
        packed = self.parameters.pack(
            [schedule.inner, registers, span, *schedule.shape, *offsets, *schedule.strides, *scalars]
        )
        items = -(-registers // span) if n else 0
        sizes = [0 if is_iota else dtype.itemsize for dtype, is_iota in self.body.operands]
        read = sum(map(operator.mul, schedule.extents, sizes)) + n * sum([one.itemsize for one in self.body.memory])
        moved = Traffic(read, n * self.body.dtypes[-1].itemsize)
        launch_kernel(self.device, self.kernel, "scatter", items, buffers, packed, moved, group)


def _text(kernel: str, body: Body, schedule: Schedule) -> tuple[str, Parameters]:
    rank = schedule.rank
    operands = operands_of(body, schedule.modes, f"s{rank - 1}")
    sizes = ["n", "registers", "span", *[f"d{axis}" for axis in range(rank - 1)], "o0"]
    names = [operand.name for operand in operands]
    parameters = parameters_of(body, sizes, names, strides_of(names, schedule.modes, rank), "i64")
    rows = [f"S_i64 c{axis} = row % p.d{axis}; row /= p.d{axis};" for axis in reversed(range(1, rank - 1))]
    if rank > 1:
        rows.append("S_i64 c0 = row;")
    loads: list[str] = []
    for operand in operands:
        name = operand.name
        terms = "".join(f" + c{axis} * p.{name}_s{axis}" for axis in range(rank - 1))
        loads += [f"S_i64 {name}_b = p.{name}_0{terms};", *operand.load(f"{name}_b")]
    place, value = body.results
    text = section(
        "scatter",
        "scatter",
        described=body.described(),
        kernel=kernel,
        arguments=arguments(pointers_of(body, body.dtypes[1:])),
        scalars=scalars_of(body),
        rows=rows,
        operands=loads,
        arithmetic=arithmetic(body),
        T=SHORT[body.dtypes[1]],
        place=place,
        value=value,
    )
    return f"{parameters.text()}\n{text}", parameters
