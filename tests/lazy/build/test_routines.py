"""Library routines over nodes: in which dtype they are computed, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.routines import routine
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import upload

A = np.array([[4.0, 1.0], [1.0, 3.0]])


def node(device: Device, host: np.ndarray[Any, Any]) -> Node:
    return leaf(upload(device, host))


def close(got: Node, expected: Any) -> None:
    """Within what libraries of vendors differ by."""
    np.testing.assert_allclose(evaluate(got).download(), expected, 1e-5, 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_a_routine_keeps_the_dtype(device: Device, dtype: str) -> None:
    if dtype in ("float64", "complex128") and "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    (inverse,) = routine("inv", node(device, A.astype(dtype)))
    assert inverse.dtype == np.dtype(dtype)
    close(inverse, np.linalg.inv(A))


def test_float16_is_computed_in_float32_and_rounded_once(device: Device) -> None:
    (inverse,) = routine("inv", node(device, A.astype("f2")))
    assert inverse.dtype == np.float16
    (wide,) = routine("inv", node(device, A.astype("f4")))
    assert_same(evaluate(inverse).download(), evaluate(wide).download().astype("f2"))


def test_complex_results_of_float16_are_complex64(device: Device) -> None:
    values, vectors = routine("eig", node(device, A.astype("f2")))
    assert values.dtype == vectors.dtype == np.complex64
    close(build.unary(OPS["real"], values), np.linalg.eig(A)[0])


def test_a_routine_runs_when_it_is_called(device: Device) -> None:
    """It raises what it finds in values."""
    with pytest.raises(np.linalg.LinAlgError, match="inv: a matrix is singular"):
        routine("inv", node(device, np.zeros((2, 2), "f4")))


def test_pending_operands_are_computed_first(device: Device) -> None:
    x = build.binary(OPS["add"], node(device, A.astype("f4")), 1.0)
    close(routine("det", x)[0], np.linalg.det(A + 1))


def test_options_are_passed_on(device: Device) -> None:
    q, r = routine("qr", node(device, np.ones((3, 2), "f4")), mode="complete")
    assert (q.shape, r.shape) == ((3, 3), (3, 2))


def test_several_operands_are_computed_together(device: Device) -> None:
    b = np.array([[1.0], [2.0]])
    (x,) = routine("solve", node(device, A.astype("f4")), node(device, b.astype("f4")))
    close(x, np.linalg.solve(A, b))
