"""Fusion as a pure function: which nodes one launch computes, asked without any driver."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.monoid import ARGMAX, MAX, SUM
from arrayapi_gpu.kernels.core.operation import Kind
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.reductions import reduction
from arrayapi_gpu.lazy.build.scans import cumulative
from arrayapi_gpu.lazy.graph.graph import Handle, Node, constant, flat_index, leaf
from arrayapi_gpu.lazy.plan.fuse import Group, claim, fuse as fuse_planned, with_siblings
from arrayapi_gpu.lazy.plan.pushdown import Need, Planned
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import GpuArray, Storage
from arrayapi_gpu.memory.layout import contiguous_strides

FLOAT32, INT64 = DTYPE_OF["f32"], DTYPE_OF["i64"]
SHAPE = (40, 50)


def fuse(node: Node) -> Group | list[Need]:
    """The group of a node, where nothing is planned."""
    return fuse_planned(node, Planned())


@pytest.fixture(params=[True, False], ids=["cpu", "gpu"])
def recorder(request: pytest.FixtureRequest) -> RecordingDevice:
    """A device that only writes down what it is asked to do."""
    return RecordingDevice("recording:fuse", request.param)


def array(device: Device, shape: tuple[int, ...] = SHAPE) -> Node:
    """A node in memory."""
    buffer = device.pool.alloc(4 * int(np.prod(shape)))
    return leaf(GpuArray(Storage(device, buffer), FLOAT32, shape, contiguous_strides(shape), 0))


def add(x: Any, y: Any) -> Node:
    return build.binary(OPS["add"], x, y)


def exp(x: Node) -> Node:
    return build.unary(OPS["exp"], x)


def total(x: Node, axis: int = 1, keepdims: bool = True, monoid: Any = SUM) -> Node:
    dtype = INT64 if monoid.indexed else x.dtype
    return reduction(monoid, x, (axis,), keepdims, dtype)


def names(found: Group) -> list[str]:
    """The operations of a group, from the top down."""
    return [node.op.name for node in found.nodes]


# What is fused: a program over x and y of one shape, the kind of its launch, its operations from the top down, and how
# many arrays it reads.
Program = Callable[[Node, Node], Node]
FUSED: dict[str, tuple[Program, Kind, list[str], int]] = {
    "an array is copied": (lambda x, y: x, Kind.ELEMENTWISE, [], 1),
    "operations": (lambda x, y: exp(add(x, y)), Kind.ELEMENTWISE, ["exp", "add"], 2),
    "an operand that occurs twice": (lambda x, y: add(x, x), Kind.ELEMENTWISE, ["add"], 1),
    "a scalar": (lambda x, y: add(x, 2.0), Kind.ELEMENTWISE, ["add"], 1),
    "a constant": (lambda x, y: constant(2.0, FLOAT32, SHAPE, x.device), Kind.ELEMENTWISE, [], 0),
    "an index variable": (lambda x, y: add(x, flat_index(SHAPE, x.device)), Kind.ELEMENTWISE, ["add"], 2),
    "a reduction": (lambda x, y: total(x), Kind.REDUCTION, [], 1),
    "a reduction of an expression": (lambda x, y: total(add(x, y)), Kind.REDUCTION, ["add"], 2),
    "positions": (lambda x, y: total(x, monoid=ARGMAX), Kind.REDUCTION, [], 1),
    "rows less their largest": (lambda x, y: add(x, total(x, monoid=MAX)), Kind.ROWS, ["add", "max"], 1),
    "a reduction of that": (lambda x, y: total(exp(add(x, total(x)))), Kind.ROWS, ["exp", "add", "sum"], 1),
    "a scan of an array": (lambda x, y: cumulative(SUM, x, 1, FLOAT32, False), Kind.STEP, [], 0),
    "a small cheap operand": (
        lambda x, y: add(x, build.broadcast(add(array(x.device, (50,)), 1.0), (50,))),
        Kind.ELEMENTWISE, ["add", "add"], 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FUSED)
def test_what_one_launch_computes(recorder: RecordingDevice, what: str) -> None:
    program, kind, operations, arrays = FUSED[what]
    node = program(array(recorder), array(recorder))
    recorder.calls.clear()
    found = fuse(node)
    assert isinstance(found, Group)
    assert (found.kind, names(found), len(found.leaves)) == (kind, operations, arrays)
    assert not recorder.calls


# What is computed first: a program, and the operations of the nodes that it needs.
NEEDS: dict[str, tuple[Program, list[str]]] = {
    "the operand of a scan": (lambda x, y: cumulative(SUM, add(x, y), 1, FLOAT32, False), ["add"]),
    "a scan": (lambda x, y: add(x, cumulative(SUM, y, 1, FLOAT32, False)), ["cumulative_sum"]),
    "two scans": (
        lambda x, y: add(cumulative(SUM, x, 0, FLOAT32, False), cumulative(SUM, y, 1, FLOAT32, False)),
        ["cumulative_sum", "cumulative_sum"],
    ),
    "a reduction of all elements": (
        lambda x, y: add(x, reduction(SUM, y, (0, 1), True, FLOAT32)), ["sum"],
    ),
    "a cheap function of a reduction of all elements": (
        lambda x, y: add(x, build.unary(OPS["sqrt"], reduction(SUM, exp(add(y, 1.0)), (0, 1), True, FLOAT32))), ["sum"],
    ),
    "a costly function of a reduction of all elements": (
        lambda x, y: add(x, exp(reduction(SUM, y, (0, 1), True, FLOAT32))), ["exp"],
    ),
    "rows of positions": (lambda x, y: add(x, build.astype(total(x, monoid=ARGMAX), FLOAT32)), ["argmax"]),
    "an expensive operand that is broadcast": (lambda x, y: add(x, exp(array(x.device, (50,)))), ["exp"]),
    "memory that is gathered": (
        lambda x, y: build.gather(cumulative(SUM, y, 1, FLOAT32, False), flat_index(SHAPE, x.device)),
        ["cumulative_sum"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NEEDS)
def test_what_is_computed_first(recorder: RecordingDevice, what: str) -> None:
    program, operations = NEEDS[what]
    x = array(recorder, (2**11, 50) if what.endswith("a reduction of all elements") else SHAPE)
    node = program(x, x if x.shape != SHAPE else array(recorder))
    recorder.calls.clear()
    found = fuse(node)
    assert not isinstance(found, Group)
    assert [needed.op.name for needed, _ in found] == operations
    assert not recorder.calls


@pytest.mark.parametrize("limit", [3, 4, 7, 8])
@pytest.mark.parametrize("cost", [4, 8])
def test_a_cheap_row_is_stored_if_it_is_broadcast_to_many_elements(
    recorder: RecordingDevice, cost: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "BROADCAST_COST", (tuning.BROADCAST_COST[False], limit * math.prod(SHAPE)))
    row = array(recorder, (50,))
    row = build.unary(OPS["sqrt"], row if cost == 4 else build.binary(OPS["divide"], row, 2.0))
    found = fuse(add(array(recorder), row))
    stored = recorder.is_gpu and cost > limit
    assert isinstance(found, Group) != stored
    assert stored or fuse(add(array(recorder, (0, 50)), row))  # no elements, no division by their number


def test_what_is_planned_counts_as_computed(recorder: RecordingDevice) -> None:
    x = array(recorder)
    scan = cumulative(SUM, x, 1, FLOAT32, False)
    node = add(scan, 1.0)
    plan = Planned()
    plan[scan] = x.array
    found = fuse_planned(node, plan)
    assert isinstance(found, Group) and found.leaves == [x.array] and names(found) == ["add"]


def test_a_node_that_a_user_holds_is_one_more_result(recorder: RecordingDevice) -> None:
    inner = add(array(recorder), 1.0)
    holder = build.handle(Handle, inner)
    found = fuse(exp(inner))
    assert isinstance(found, Group) and found.kept == [holder._node]
    del holder
    found = fuse(exp(inner))
    assert isinstance(found, Group) and not found.kept


def test_what_a_user_holds_is_computed_before_it_is_reduced(recorder: RecordingDevice) -> None:
    inner = add(array(recorder), 1.0)
    node = total(inner)
    holder = build.handle(Handle, inner)
    assert fuse(node) == [(holder._node, "a user holds it")]


def test_too_many_arguments_are_computed_in_parts(recorder: RecordingDevice) -> None:
    parts = [add(array(recorder), array(recorder)) for _ in range(40)]
    node = parts[0]
    for part in parts[1:]:
        node = add(node, part)
    recorder.parameter_bytes = 512
    found = fuse(node)
    assert not isinstance(found, Group)
    ((part, reason),) = found
    assert part is not node and "bytes of arguments" in reason


def test_a_claim_keeps_what_a_launch_computes_on_its_way(recorder: RecordingDevice) -> None:
    """The sums of rows are computed with the sums of squared distances from them, and needed once more."""
    x = array(recorder)
    sums = total(x)
    squares = total(build.unary(OPS["square"], add(x, sums)))
    needs = fuse(add(squares, sums))
    assert isinstance(needs, list) and {node for node, _ in needs} == {squares, sums}
    alone = fuse(squares)
    assert isinstance(alone, Group) and not alone.kept
    claims = claim(needs)
    found = fuse(squares)
    assert isinstance(found, Group) and found.kind is Kind.ROWS and found.kept == [sums]
    del claims
    assert not sums.held


def test_a_claim_leaves_users_handles_alone(recorder: RecordingDevice) -> None:
    x, y = total(array(recorder)), total(array(recorder))
    holder = build.handle(Handle, x)
    claims = claim([(x, ""), (y, "")])
    assert len(claims) == 1 and x.held and y.held
    del claims
    assert x.held and not y.held and holder._node is x


def test_a_node_that_is_needed_alone_is_not_claimed(recorder: RecordingDevice) -> None:
    assert claim([(total(array(recorder)), "")]) == []


# Siblings: of shared = exp(x), a program gives the value that is wanted and another one that a user holds; whether one
# launch computes both.
SIBLINGS: dict[str, tuple[Callable[[Node, Node], tuple[Node, Node]], bool]] = {
    "what is expensive is shared": (lambda x, e: (add(e, 1.0), add(e, 2.0)), True),
    "nothing is shared but memory": (lambda x, e: (add(e, 1.0), add(x, 2.0)), False),
    "what is shared is cheap, the rest is not": (lambda x, e: (exp(add(x, x)), exp(exp(x))), False),
    "another shape": (lambda x, e: (add(e, 1.0), add(e, array(x.device, (3, *SHAPE)))), False),
    "it depends on the wanted value alone": (lambda x, e: ((first := add(e, 1.0)), add(first, 2.0)), False),
    "it depends on the wanted value and on what is shared": (
        lambda x, e: ((first := add(e, 1.0)), add(first, e)), True,
    ),
    "it needs a kernel of its own": (lambda x, e: (add(e, 1.0), add(e, cumulative(SUM, x, 1, FLOAT32, False))), False),
    "it needs a reduction": (lambda x, e: (add(e, 1.0), add(e, total(x, 0))), False),
    "rows": (lambda x, e: (add(e, (s := total(e))), build.binary(OPS["multiply"], e, s)), True),
}  # fmt: skip


@pytest.mark.parametrize("what", SIBLINGS)
def test_a_launch_computes_what_would_compute_a_part_of_it_again(recorder: RecordingDevice, what: str) -> None:
    program, expected = SIBLINGS[what]
    x = array(recorder)
    wanted, other = program(x, exp(x))
    found = fuse(wanted)
    assert isinstance(found, Group)
    wider = with_siblings(found, [wanted, other], Planned())
    assert isinstance(wider, Group) and wider.kept == ([other] if expected else [])
    assert wider is found or wider.kind is found.kind


def test_reductions_that_a_sibling_needs_come_first_where_much_is_shared(recorder: RecordingDevice) -> None:
    x = array(recorder)
    shared = exp(x)
    for _ in range(60):
        shared = add(shared, 1.0)
    wanted, needed = add(shared, 1.0), total(x, 0)
    found = fuse(wanted)
    assert isinstance(found, Group)
    assert with_siblings(found, [add(shared, needed)], Planned()) == [(needed, "it is a kernel of its own")]


def test_siblings_are_no_more_than_one_kernel_may_hold(recorder: RecordingDevice) -> None:
    shared = exp(array(recorder))
    others = [add(shared, float(k)) for k in range(20)]
    found = fuse(others[0])
    assert isinstance(found, Group)
    wider = with_siblings(found, others, Planned())
    assert isinstance(wider, Group) and wider.kept == others[1:9]
