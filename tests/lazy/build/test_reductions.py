"""Building reductions: shapes, dtypes, and what is reduced of nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, launches

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.reductions import reduction
from arrayapi_gpu.lazy.graph.graph import CONSTANT, Node, leaf
from arrayapi_gpu.lazy.graph.reduction import Reduce
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import upload

A = np.random.default_rng(4).integers(-5, 5, (3, 4, 5)).astype("i4")
I32, I64, BOOL = (DTYPE_OF[name] for name in ("i32", "i64", "b8"))


def node(device: Device, host: np.ndarray[Any, Any] = A) -> Node:
    return leaf(upload(device, host))


MONOIDS: dict[Monoid, tuple[Any, np.dtype[Any]]] = {
    SUM: (np.sum, I32), PROD: (np.prod, I32), MIN: (np.min, I32), MAX: (np.max, I32), ANY: (np.any, BOOL),
    ALL: (np.all, BOOL),
}  # fmt: skip


@pytest.mark.parametrize("monoid", MONOIDS, ids=lambda monoid: monoid.name)
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_are_reduced_as_numpy_does(device: Device, monoid: Monoid, axes: tuple[int, ...], keepdims: bool) -> None:
    function, dtype = MONOIDS[monoid]
    host = A.astype(dtype)
    made = reduction(monoid, node(device, host), axes, keepdims, dtype)
    expected = np.asarray(function(host, axis=axes, keepdims=keepdims)).astype(dtype)
    assert (made.shape, made.dtype) == (expected.shape, dtype)
    assert_same(evaluate(made).download(), expected)


@pytest.mark.parametrize(("monoid", "function"), [(ARGMIN, np.argmin), (ARGMAX, np.argmax)], ids=["argmin", "argmax"])
def test_positions_are_the_first_of_equals(device: Device, monoid: Monoid, function: Any) -> None:
    assert_same(evaluate(reduction(monoid, node(device), (1,), False, I64)).download(), function(A, axis=1))


def test_the_operand_is_taken_into_the_launch(device: Device) -> None:
    made = reduction(SUM, build.binary(OPS["multiply"], node(device), 2), (1,), False, I32)
    with launches() as listed:
        found = evaluate(made).download()
    assert len(listed) == 1
    assert_same(found, (2 * A).sum(axis=1, dtype="i4"))


def test_without_axes_values_are_cast_alone(device: Device) -> None:
    made = reduction(SUM, node(device), (), False, I64)
    assert not isinstance(made.op, Reduce)
    assert_same(evaluate(made).download(), A.astype("i8"))


@pytest.mark.parametrize(
    ("monoid", "value"), [(SUM, 0), (PROD, 1), (ANY, False), (ALL, True)], ids=["sum", "prod", "any", "all"]
)
def test_of_nothing_there_is_the_identity_which_is_a_constant(monoid: Monoid, value: Any) -> None:
    device = RecordingDevice()
    dtype = BOOL if monoid in (ANY, ALL) else I32
    made = reduction(monoid, node(device, np.zeros((2, 0), dtype)), (1,), False, dtype)
    assert (made.op, made.args, made.shape) == (CONSTANT, (value,), (2,))


@pytest.mark.parametrize("monoid", [MIN, MAX, ARGMIN, ARGMAX], ids=lambda monoid: monoid.name)
def test_what_has_no_identity_is_refused_of_nothing(monoid: Monoid) -> None:
    x = node(RecordingDevice(), np.zeros((2, 0), "i4"))
    with pytest.raises(ValueError, match=rf"{monoid.name}: axes \(1,\) of an array of shape \(2, 0\) hold no element"):
        reduction(monoid, x, (1,), False, I32)


def test_no_results_need_no_elements() -> None:
    made = reduction(MAX, node(RecordingDevice(), np.zeros((0, 3), "i4")), (1,), False, I32)
    assert made.shape == (0,)


def test_reductions_alike_are_one_operation() -> None:
    """So that launches can be remembered by it."""
    x, y = (node(RecordingDevice()) for _ in range(2))
    first, second = (reduction(SUM, z, (1,), keepdims, I32).op for z, keepdims in ((x, True), (y, False)))
    assert first is second and first is not reduction(SUM, x, (2,), True, I32).op
