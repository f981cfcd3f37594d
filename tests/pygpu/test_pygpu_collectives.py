"""Collective operations: on devices that have them, and over a stand-in, whose ranks all have the same values."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.backends.base import Device, Operand
from arrayapi_gpu.backends.collectives import Collectives, Communicator
from arrayapi_gpu.pygpu.collectives import COMM_ID_BYTES, GpuComm, GpuCommCliqueId
from arrayapi_gpu.pygpu.errors import GpuArrayException, UnsupportedException
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext

RANKS = 2


class Twins(Communicator):
    """The first of ranks that all call with the same values."""

    def __init__(self, device: Device):
        self._device, self.count, self.rank = device, RANKS, 0

    def run(self, name: str, source: Operand, target: Operand, elements: int, operation: str, root: int) -> None:
        whole = elements * RANKS if name == "reduce_scatter" else elements
        host = np.empty(whole, source.dtype)
        self._device.download(source.buffer, source.offset * source.dtype.itemsize, host)
        combine = {"sum": host * RANKS, "prod": host**RANKS, "max": host, "min": host, "": host}[operation][:elements]
        result = np.tile(combine, RANKS) if name == "all_gather" else combine
        if root in (-1, 0):
            self._device.upload(target.buffer, target.offset * target.dtype.itemsize, result)


class Clique(Collectives):
    def __init__(self, device: Device):
        self._device = device

    def new_id(self) -> bytes:
        return bytes(range(COMM_ID_BYTES))

    def join(self, identity: bytes, count: int, rank: int) -> Communicator:
        assert identity == self.new_id()
        return Twins(self._device)


@pytest.fixture
def clique(ctx: GpuContext, monkeypatch: pytest.MonkeyPatch) -> GpuComm:
    monkeypatch.setattr(ctx._device, "collectives", Clique(ctx._device))
    return GpuComm(GpuCommCliqueId(ctx), RANKS, 0)


def array(ctx: GpuContext, order: Any = "C", dtype: str = "float32") -> tuple[Any, GpuArray]:
    host = np.asarray(np.arange(24).reshape(4, 6), dtype, order=order)
    return host, pygpu.array(host, order=order, context=ctx)


def test_a_driver_without_collective_operations_says_so(ctx: GpuContext) -> None:
    if ctx.kind == b"cuda":
        pytest.skip("this driver has them")
    with pytest.raises(UnsupportedException, match="does not support collective operations"):
        GpuCommCliqueId(ctx)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(
    "op, combine", [("sum", lambda x: 2 * x), ("+", lambda x: 2 * x), ("PROD", np.square), ("max", abs)]
)
def test_reductions_combine_ranks(ctx: GpuContext, clique: GpuComm, op: str, combine: Any, order: Any) -> None:
    host, x = array(ctx, order)
    for made in (clique.all_reduce(x, op), clique.reduce(x, op), clique.reduce(x, op, root=0)):
        assert isinstance(made, GpuArray) and made.strides == x.strides
        np.testing.assert_array_equal(np.asarray(made), combine(host))
    out = x._empty_like_me(order="A")
    assert clique.all_reduce(x, op, out) is None
    np.testing.assert_array_equal(np.asarray(out), combine(host))
    assert clique.reduce(x, op, root=1) is None
    np.testing.assert_array_equal(np.asarray(x), host)


@pytest.mark.parametrize("order, shape", [("C", (2, 6)), ("F", (4, 3))])
def test_parts_are_scattered_along_the_outer_axis(ctx: GpuContext, clique: GpuComm, order: Any, shape: Any) -> None:
    host, x = array(ctx, order)
    part = clique.reduce_scatter(x, "sum")
    assert part is not None and part.shape == shape
    np.testing.assert_array_equal(np.asarray(part), 2 * host[:2] if order == "C" else 2 * host[:, :3])
    one = clique.reduce_scatter(x[:2] if order == "C" else x[:, :2], "max")
    assert one is not None and one.shape == ((6,) if order == "C" else (4,))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("nd_up", [0, 1, 2])
def test_arrays_of_all_ranks_are_gathered(ctx: GpuContext, clique: GpuComm, nd_up: int, order: Any) -> None:
    host, x = array(ctx, order)
    made = clique.all_gather(x, nd_up=nd_up)
    if nd_up == 0:
        expected = np.concatenate([host, host], 0 if order == "C" else 1)
    else:
        expected = np.stack([host, host], 0 if order == "C" else -1)
        if nd_up == 2:
            expected = np.expand_dims(expected, 1 if order == "C" else 2)
    assert made is not None
    np.testing.assert_array_equal(np.asarray(made), expected)


def test_what_waits_for_the_old_values_is_computed_before_a_rank_writes(ctx: GpuContext, clique: GpuComm) -> None:
    host, x = array(ctx)
    later: Any = x._array
    later = later + 1
    clique.all_reduce(x, "sum", x)
    clique.broadcast(x)
    np.testing.assert_array_equal(later.to_numpy(), host + 1)
    np.testing.assert_array_equal(np.asarray(x), 2 * host)


def test_what_does_not_go_together_is_refused(ctx: GpuContext, clique: GpuComm) -> None:
    _, x = array(ctx)
    wrong: Any = np.zeros(3)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: clique.all_reduce(x, "median"), ValueError, "Invalid reduce operation: median; allowed"),
        (lambda: clique.all_reduce(x, "sum", x[:1]), TypeError, "dest has 6 elements; allowed: 24"),
        (
            lambda: clique.all_reduce(x, "sum", x.astype("int32")),
            TypeError,
            "of int32; allowed: contiguous arrays of float32",
        ),
        (lambda: clique.all_reduce(x[:, ::2], "sum"), TypeError, "allowed: contiguous"),
        (lambda: clique.reduce_scatter(x[:3], "sum"), TypeError, "3 elements along axis 0 in 2 parts"),
        (lambda: clique.reduce_scatter(x, "sum", x), TypeError, "allowed: 24 / 2"),
        (lambda: clique.all_gather(x, x), TypeError, "allowed: 24 \\* 2"),
        (lambda: clique.all_gather(x[0, 0]), TypeError, ">= 1"),
        (lambda: clique.all_gather(x, nd_up=-2), ValueError, "nd_up=-2; allowed: 0 or more"),
        (lambda: clique.broadcast(wrong), TypeError, "got ndarray"),
        (lambda: GpuComm(GpuCommCliqueId(ctx), 2, 2), ValueError, "allowed: 0 to 1"),
        (lambda: GpuComm(wrong, 2, 0), TypeError, "allowed: a GpuCommCliqueId"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()


@pytest.mark.usefixtures("clique")
def test_an_id_is_bytes_that_compare(ctx: GpuContext) -> None:
    one, same, other = (GpuCommCliqueId(ctx, bytearray(letter * COMM_ID_BYTES)) for letter in (b"y", b"y", b"z"))
    assert one == same and hash(one) == hash(same) and one != other and one < other >= same and other > one <= same
    assert one.comm_id == b"y" * COMM_ID_BYTES
    one.comm_id = bytearray(b"pipes" * COMM_ID_BYTES)
    assert one.comm_id == (b"pipes" * COMM_ID_BYTES)[:COMM_ID_BYTES]
    with pytest.raises(ValueError, match="must have length 128 bytes: got 4"):
        one.comm_id = b"four"
    for compare in (operator.eq, operator.gt):
        with pytest.raises(TypeError, match="Cannot compare"):
            compare(one, "y")


def test_neither_ids_nor_communicators_are_pickled(ctx: GpuContext, clique: GpuComm) -> None:
    for each in (clique, GpuCommCliqueId(ctx)):
        with pytest.raises(RuntimeError, match="Cannot pickle"):
            pickle.dumps(each)


def test_a_clique_of_one_device(ctx: GpuContext) -> None:
    if ctx.kind != b"cuda":
        pytest.skip("the driver does not support collective operations")
    try:
        identity = GpuCommCliqueId(ctx)
    except GpuArrayException as error:
        pytest.skip(str(error))
    comm = GpuComm(identity, 1, 0)
    assert (comm.count, comm.rank) == (1, 0)
    host, x = array(ctx)
    for made in (comm.all_reduce(x, "sum"), comm.reduce(x, "max"), comm.reduce_scatter(x, "prod"), comm.all_gather(x)):
        assert made is not None
        np.testing.assert_array_equal(np.asarray(made).reshape(4, 6), host)
    comm.broadcast(x)
    np.testing.assert_array_equal(np.asarray(x), host)
