"""`make smoke`: a little of everything, in seconds; whether an installation, a driver or a change works at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

X = np.random.default_rng(1).standard_normal((12, 20)).astype(np.float32)

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "an expression": lambda m, x: m.sqrt(m.abs(x)) * 2 + x,
    "a reduction": lambda m, x: m.sum(m.round(x) * x.shape[0], axis=0),
    "rows": lambda m, x: x - m.max(x, axis=1, keepdims=True),
    "positions": lambda m, x: m.argmax(x, axis=1),
    "a view": lambda m, x: x[::2, ::-3] + 1,
    "a mask": lambda m, x: x[x > 0],
    "an index": lambda m, x: m.take(x, m.asarray([3, 0, 3]), axis=0),
    "a sort": lambda m, x: m.sort(x, axis=-1),
    "a running sum": lambda m, x: m.cumulative_sum(m.astype(m.round(x), m.int32), axis=0),
    "a product": lambda m, x: m.round(x) @ m.round(x).T,
    "unique values": lambda m, x: m.unique_values(m.round(x) + 0),  # of two zeros, NumPy keeps one or the other
    "a transform": lambda m, x: m.abs(m.fft.fft(m.round(x))),
    "a decomposition": lambda m, x: m.linalg.cholesky(m.eye(4) * 4),
    "complex numbers": lambda m, x: m.real(x * 1j * (x + 2j)),
    "half precision": lambda m, x: m.astype(x, m.float16) * 2,
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_it_computes_what_numpy_computes(what: str, device: Device) -> None:
    check_same(PROGRAMS[what], X, ulps=64 if what == "a transform" else 0)


def test_assignments_are_seen_by_views(device: Device) -> None:
    x = xp.asarray(X, device=device)
    view = x[2:5]
    x[3, ::2] = 7
    x += 1
    expected = X.copy()
    expected[3, ::2] = 7
    expected += 1
    assert to_host(view).tobytes() == expected[2:5].tobytes()


def test_an_expression_is_one_launch(device: Device) -> None:
    x = xp.asarray(X, device=device)
    with xp.record() as made:
        xp.compute(xp.exp(x) * 2 + x)
    assert len(made) == 1
