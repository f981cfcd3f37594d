"""Operations of devices that work together, each in a process, or a thread, of its own: the contract."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .base import Operand

COLLECTIVE_ID = 128  # bytes by which devices that work together find each other


class Communicator(ABC):
    """A device among ``count`` that work together; ``rank`` is its number. Operations are queued like kernels."""

    count: int
    rank: int

    @abstractmethod
    def run(self, name: str, source: Operand, target: Operand, elements: int, operation: str, root: int) -> None:
        """Run "reduce", "all_reduce", "reduce_scatter", "broadcast" or "all_gather" over contiguous memory.

        ``elements`` of them go into the target, and for "all_gather" come from each source. ``operation``: "sum",
        "prod", "max", "min"; empty where nothing is combined. ``root``: the rank that gives or gets; otherwise -1.
        DeviceError.
        """


class Collectives(ABC):
    """Devices that work together, each in a process, or a thread, of its own."""

    @abstractmethod
    def new_id(self) -> bytes:
        """Return `COLLECTIVE_ID` bytes by which devices find each other. DeviceError."""

    @abstractmethod
    def join(self, identity: bytes, count: int, rank: int) -> Communicator:
        """Wait for all ``count`` devices, and return the communicator of this one. DeviceError."""
