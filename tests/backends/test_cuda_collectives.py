"""NCCL: what can be tested without a GPU. On one, pygpu/test_pygpu_collectives.py has a clique of one device."""

from __future__ import annotations

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends import cuda_collectives
from arrayapi_gpu.backends.base import DeviceError, Operand


class Handle:
    def __init__(self, *arguments: Any):
        self.calls: list[Any] = [arguments]

    def size(self) -> int:
        return 2

    def rank_id(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


def device() -> Any:
    return SimpleNamespace(_current=lambda verb: contextlib.nullcontext(), _stream=77)


@pytest.mark.parametrize("version", [13, 14])
def test_an_id_goes_as_cupy_takes_it_and_back(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    own: Any = bytes([255, 0, 127, 128] * 32) if version == 14 else (-1, 0, 127, -128) * 32

    def joined(count: int, identity: Any, rank: int) -> Handle:
        if type(identity) is not type(own):
            raise TypeError("Argument 'commId' has incorrect type")
        return Handle(count, identity, rank)

    library = SimpleNamespace(
        available=True, NcclError=RuntimeError, NcclCommunicator=joined, get_unique_id=lambda: own
    )
    monkeypatch.setattr(importlib, "import_module", lambda name: library)
    collectives = cuda_collectives.CudaCollectives(device())
    identity = collectives.new_id()
    assert identity == bytes([255, 0, 127, 128] * 32)
    communicator: Any = collectives.join(identity, 2, 1)
    assert communicator._handle.calls[0] == (2, own, 1)
    assert (communicator.count, communicator.rank) == (2, 1)


def test_operations_get_addresses_counts_and_the_stream() -> None:
    handle = Handle()
    communicator = cuda_collectives.CudaCommunicator(device(), SimpleNamespace(NcclError=RuntimeError), handle)
    buffer: Any = SimpleNamespace(handle=1000)
    operand = Operand(buffer, 2, np.dtype("f4"), (5,), (1,))
    communicator.run("reduce", operand, operand, 5, "max", 1)
    communicator.run("all_gather", operand, operand, 5, "", -1)
    communicator.run("broadcast", operand, operand, 5, "", 0)
    assert handle.calls[1:] == [
        ("reduce", 1008, 1008, 5, 7, 2, 1, 77), ("allGather", 1008, 1008, 5, 7, 77),
        ("broadcast", 1008, 1008, 5, 7, 0, 77),
    ]  # fmt: skip
    with pytest.raises(DeviceError, match="got complex64; allowed: int8"):
        communicator.run("broadcast", operand._replace(dtype=np.dtype("c8")), operand, 5, "", 0)
