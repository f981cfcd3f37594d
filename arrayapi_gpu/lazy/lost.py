"""Values that cannot be computed any more: who asks for one gets the error that made it so."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.base import Device
from ..memory.gpuarray import GpuArray
from .graph import Node, new_node


class Lost:
    """The operation of a value that cannot be computed any more: to ask for the value raises ``error``."""

    name = "lost"

    def __init__(self, error: Exception):
        self.error = error

    def run(self, node: Node) -> GpuArray:
        raise type(self.error)(*self.error.args)

    def expression(self, node: Node, *operands: str) -> str:
        raise type(self.error)(*self.error.args)


def lost(error: Exception, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """A value that there is not: to ask for it raises an error."""
    return new_node(Lost(error), (), None, dtype, shape, device, 1)


def lose(node: Node, error: Exception) -> None:
    """Let everybody who asks for a pending value get an error."""
    node.op = Lost(error)
    node.rule = None
    node.args = ()
