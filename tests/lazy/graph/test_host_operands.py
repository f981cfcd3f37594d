"""Host operands as nodes: their memory, its views and boxes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph import host_operands
from arrayapi_gpu.lazy.graph.graph import HOST
from arrayapi_gpu.lazy.graph.host_operands import Block, Indexed, OnHost, Strided, host_operand, view_on_host
from arrayapi_gpu.lazy.graph.movements import Movement
from arrayapi_gpu.memory.boxes import whole
from arrayapi_gpu.memory.gpuarray import MAX_WEIGHT, signature_of, span_of

A = sample("float32", (6, 8))


@pytest.mark.parametrize("view", [A, A[::-1, ::2], A.T, A[2:2], A[1, 3], A[:, :1]])
def test_the_span_and_the_layout_give_the_array(view: np.ndarray) -> None:
    spanned = span_of(np.asarray(view))
    assert spanned is not None
    assert_same(Strided(*spanned).read(), np.asarray(view))


def test_boxes_of_boxes_are_boxes() -> None:
    spanned = span_of(A)
    assert spanned is not None
    for memory in (Strided(*spanned), Indexed(A, A.dtype, whole(A.shape))):
        assert_same(memory.part(((1, 5), (2, 8))).part(((1, 3), (0, 4))).read(), A[2:4, 2:6])


def test_a_host_operand_weighs_more_than_any_expression_may(device: Device) -> None:
    x = xp.from_host(A)
    assert x._node.weight == HOST > MAX_WEIGHT
    assert (x * 2 + 1)._node.weight == (x[1:] + x[:-1])._node.weight == HOST


def test_views_are_host_operands(device: Device) -> None:
    node = host_operand(A, A.dtype, device)
    view = view_on_host(node, Movement("matrix_transpose", {}), True)
    assert view is not None
    assert type(view.op) is OnHost
    assert_same(view.op.memory.read(), A.T)


def test_the_next_block_is_read_meanwhile(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 100)
    names = []

    class Source:
        shape, dtype = A.shape, A.dtype

        def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray:
            names.append(threading.current_thread().name)
            return A[key].copy()

    assert_same((xp.from_host(Source()) * 2).to_numpy(), A * 2)
    assert names == ["arrayapi_gpu reading"] * 6


class Given:
    """A source whose boxes come out of a function."""

    def __init__(self, host: Any, give: Callable[[Any], Any]):
        self.host, self.give = host, give
        self.shape, self.dtype = host.shape, host.dtype

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        return np.asarray(self.give(self.host[key].copy()))


GIVE: dict[str, Callable[[Any], Any]] = {
    "an expression": lambda box: xp.asarray(box) * 2 - xp.asarray(box),
    "a host operand": lambda box: xp.from_host(box) * 2 - xp.from_host(box),
    "another source": lambda box: xp.from_host(Given(box, lambda own: xp.asarray(own) * 1)) * 1,
}


@pytest.mark.parametrize("kind", ["itself", "beside", "late"])
@pytest.mark.parametrize("give", GIVE)
def test_sources_may_compute_with_arrays_of_ours(
    device: Device, monkeypatch: pytest.MonkeyPatch, give: str, kind: str
) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 100)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    where = apart_twin(device, kind == "late") if kind != "itself" and device.host_shared else device
    got: list[Any] = []

    def compute() -> None:
        with config.set(device=str(where)):
            x = xp.from_host(Given(A, GIVE[give]))
            got.extend([np.asarray(x * 2), np.asarray(xp.sum(x, axis=0)), np.asarray(x - xp.max(x, axis=0))])

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    thread.join(60)
    assert len(got) == 3, "it waits for ever, or has failed"
    assert_same(got[0], A * 2)
    assert_same(got[2], A - A.max(0))
    np.testing.assert_allclose(got[1], A.sum(0), rtol=1e-6)


def test_a_source_sees_the_configuration_of_who_computes(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a thread reads it beside the program."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 100)
    monkeypatch.setattr(host_operands, "READ_BY_THREAD", 1)
    where = apart_twin(device) if device.host_shared else device
    seen: set[tuple[Any, ...]] = set()
    threads: set[str] = set()

    def give(box: np.ndarray) -> Any:
        seen.add((config.device, config.host_transfers, config.specialise))
        threads.add(threading.current_thread().name)
        return box

    x = xp.from_host(Given(A, give), device=where)
    with config.set(device=str(where), host_transfers="log", specialise="never"):
        got = (x * 2).to_numpy()
    assert_same(got, A * 2)
    assert seen == {(str(where), "log", "never")} and "arrayapi_gpu reading" in threads


def test_an_error_of_reading_comes_to_who_computes(device: Device) -> None:
    class Source:
        shape, dtype = A.shape, A.dtype

        def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray:
            raise OSError("the file is gone")

    with pytest.raises(OSError, match="the file is gone"):
        xp.compute(xp.from_host(Source()) + 1)


def test_a_block_brings_its_elements_to_the_device(device: Device) -> None:
    node = host_operand(A, A.dtype, device)
    assert isinstance(node.op, OnHost)
    array = Block(node.op.memory.part(((2, 4), (0, 8)))).run((), signature_of(device, A.dtype, (2, 8)))
    assert_same(array.download(), A[2:4])


def test_blocks_of_the_hosts_memory_are_not_copied(device: Device, host_shared: None) -> None:
    node = host_operand(A, A.dtype, device)
    assert isinstance(node.op, OnHost)
    assert np.shares_memory(Block(node.op.memory).run((), signature_of(device, A.dtype, A.shape)).host_view(), A)
