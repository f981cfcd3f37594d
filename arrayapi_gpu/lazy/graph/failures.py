"""Values that cannot be computed any more: who asks for one gets the error that made it so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backends.base import Device, DeviceError
from ...kernels.core.operation import Operation
from ...memory.gpuarray import GpuArray, Signature
from .graph import Node, new_node


class Lost(Operation):
    """The operation of a value that cannot be computed any more: to ask for the value raises ``error``."""

    name = "lost"
    reusable = False

    def __init__(self, error: Exception):
        self.error = error

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        raise type(self.error)(*self.error.args)

    def expression(self, node: Node, *operands: str) -> str:
        raise type(self.error)(*self.error.args)


def lost(error: Exception, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """A value that there is not: to ask for it raises an error."""
    return new_node(Lost(error), (), None, dtype, shape, device, 1)


class LostIfInterrupted:
    """A block that computes a pending value into memory that it reads. An interrupt loses the value, with an error that
    says ``doing``; after a DeviceError or MemoryError the memory is as it was, and so is the value."""

    __slots__ = ("doing", "node")

    def __init__(self, node: Node, doing: str):
        self.node, self.doing = node, doing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, (DeviceError, MemoryError)):
            lose(self.node, DeviceError(f"{self.node.device}: {self.doing}"))


def lose(node: Node, error: Exception) -> None:
    """Let everybody who asks for a pending value get an error."""
    node.op = Lost(error)
    node.rule = None
    node.args = ()
