"""Scans as nodes: along any axis, with and without the identity in front."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, no_launch

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.monoid import PROD, SUM, Monoid
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.scans import cumulative
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.graph.movements import as_strided
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

A = np.random.default_rng(6).integers(-3, 4, (3, 4, 5)).astype("i4")
I32, I64 = DTYPE_OF["i32"], DTYPE_OF["i64"]


def node(device: Device, host: np.ndarray[Any, Any] = A) -> Node:
    return leaf(upload(device, host))


def expected(monoid: Monoid, host: np.ndarray[Any, Any], axis: int, initial: bool, dtype: str = "i4") -> Any:
    """NumPy's running results, with the identity in front."""
    function = np.cumsum if monoid is SUM else np.cumprod
    found = function(host, axis=axis, dtype=dtype)
    if not initial:
        return found
    first = np.full_like(np.take(host, [0] if host.shape[axis] else [], axis=axis), monoid is PROD, dtype=dtype)
    return np.concatenate([first, found], axis=axis)


@pytest.mark.parametrize("monoid", [SUM, PROD], ids=["sum", "prod"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("initial", [False, True])
def test_running_results_are_numpys_along_every_axis(device: Device, monoid: Monoid, axis: int, initial: bool) -> None:
    made = cumulative(monoid, node(device), axis, I32, initial)
    wanted = expected(monoid, A, axis, initial)
    assert made.shape == wanted.shape
    assert_same(evaluate(made).download(), wanted)


def test_results_have_the_dtype_that_was_asked_for(device: Device) -> None:
    small = np.full((2, 100), 127, "i1")
    made = cumulative(SUM, node(device, small), 1, I64, True)
    assert_same(evaluate(made).download(), expected(SUM, small, 1, True, "i8"))


@pytest.mark.parametrize(("monoid", "identity"), [(SUM, 0), (PROD, 1)], ids=["sum", "prod"])
def test_of_nothing_there_is_the_identity_alone(device: Device, monoid: Monoid, identity: int) -> None:
    made = cumulative(monoid, node(device, np.zeros((2, 0), "i4")), 1, I32, True)
    assert evaluate(made).download().tolist() == [[identity], [identity]]


def test_a_scan_is_pending_until_it_is_wanted(device: Device) -> None:
    x = node(device)
    with no_launch():
        made = cumulative(SUM, x, 1, I32, False)
    assert made.array is None


def test_pending_operands_and_views_are_scanned(device: Device) -> None:
    turned = build.view(node(device, A[0]), as_strided(Layout((5, 4), (1, 5), 0)))
    made = cumulative(SUM, build.binary(OPS["multiply"], turned, 3), 0, I32, False)
    assert_same(evaluate(made).download(), np.cumsum(3 * A[0].T, axis=0, dtype="i4"))


def test_scans_alike_are_one_operation(device: Device) -> None:
    x = node(device)
    first, second, other = (cumulative(SUM, x, 1, I32, initial).op for initial in (False, False, True))
    assert first is second and first is not other
