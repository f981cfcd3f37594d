"""Values that cannot be computed any more. Evaluating one raises the error that lost it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backends.base import Device, DeviceError
from ...kernels.core.operation import Operation
from ...memory.gpuarray import GpuArray, Signature
from .graph import Node, new_node


class Lost(Operation):
    """The operation of a value that cannot be computed any more. Evaluating the value raises ``error``."""

    name = "lost"
    reusable = False

    def __init__(self, error: Exception):
        self.error = error

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        raise type(self.error)(*self.error.args)

    def expression(self, node: Node, *operands: str) -> str:
        raise type(self.error)(*self.error.args)


def lost(error: Exception, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """A node whose value does not exist. Evaluating it raises ``error``."""
    return new_node(Lost(error), (), None, dtype, shape, device, 1)


class LostIfInterrupted:
    """A context in which a pending value is computed into memory that it reads.

    An interrupt loses the value, and its error has the text ``doing``. A DeviceError or a MemoryError leaves the memory
    and the value unchanged.
    """

    __slots__ = ("doing", "node")

    def __init__(self, node: Node, doing: str):
        self.node, self.doing = node, doing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, (DeviceError, MemoryError)):
            lose(self.node, DeviceError(f"{self.node.device}: {self.doing}"))


def lose(node: Node, error: Exception) -> None:
    """Make a pending value one whose evaluation raises an error."""
    node.op = Lost(error)
    node.rule = None
    node.args = ()
