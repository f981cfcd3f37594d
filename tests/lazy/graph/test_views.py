"""Views of pending values as nodes: their roots, and chains of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.graph.views import View

pytestmark = pytest.mark.usefixtures("device")

SHAPE = (6, 8)
A = np.random.default_rng(14).integers(-9, 9, SHAPE).astype("float32")


def test_views_of_views_have_one_root() -> None:
    x = xp.asarray(A) + 1
    inner = x[1:][::2].T
    assert isinstance(inner._node.op, View) and inner._node.args == (x._node,)


def test_a_reshape_that_needs_a_copy_is_no_view() -> None:
    x = xp.asarray(A) + 1
    flat = xp.reshape(x.T, (-1,))
    flat[0] = 99.0
    assert_same(to_host(x), A + 1)
    with pytest.raises(ValueError, match="has no view"):
        xp.reshape((xp.asarray(A) + 1).T, (-1,), copy=False)


def test_strides_are_those_of_the_view() -> None:
    x = xp.asarray(A) + 1
    assert x[::2, ::-1].strides == (A + 1)[::2, ::-1].strides


@pytest.mark.parametrize(
    ("view", "whole"),
    [
        (lambda x: xp.reshape(x, (-1,)), True),
        (lambda x: x[None], True),
        (lambda x: xp.reshape(x, (2, 3, 8))[:, :, :], True),
        (lambda x: x[1:], False),
        (lambda x: x.T, False),
        (lambda x: x[::-1], False),
        (lambda x: xp.broadcast_to(x, (2, *SHAPE)), False),
        (lambda x: (x + 1j).real, False),
    ],
)
def test_a_reshaped_value_is_computed_with_its_root(view: Callable[[Any], Any], whole: bool) -> None:
    seen = view(xp.asarray(A) + 1)
    op, root = seen._node.op, seen._node.args[0]
    assert isinstance(op, View) and op.shows_all(root.shape) == whole
    xp.sync(seen)
    assert_same(to_host(seen), to_host(view(xp.asarray(A + 1))))
    if whole:
        assert root.array is not None and root.array.storage is seen._node.array.storage


def test_forgotten_views_are_forgotten() -> None:
    x = xp.asarray(A) + 1
    for _ in range(1000):
        x[1:]
    assert x._node.views is not None and len(x._node.views.nodes) < 10


CHAINS: dict[str, Any] = {
    "slices": lambda x: x[1:],
    "flips": lambda x: x[::-1],
    "reshapes": lambda x: xp.reshape(x, (x.shape[0] // 2, 2) if x.ndim == 1 else (-1,)),
    "new axes": lambda x: xp.squeeze(x[None], axis=0),
    "broadcast": lambda x: xp.broadcast_to(x, (1, *x.shape))[0],
    "views of rolls": lambda x: xp.roll(x, 1)[::-1],
    "views of casts": lambda x: xp.astype(x, xp.float64 if x.dtype == xp.float32 else xp.float32)[::-1],
    "views of parts": lambda x: (x + 1j).real[::-1],
    "elements": lambda x: xp.broadcast_to(x[0] * 1.0, x.shape),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("times", [1500])
def test_chains_of_views_end(name: str, times: int) -> None:
    """No RecursionError: to compute them, to explain them, to free them."""
    n = 2 * times if name == "slices" else 8
    begins: list[Callable[[], Any]] = [
        lambda: xp.arange(n, dtype=xp.float64),
        lambda: xp.asarray(np.arange(float(n))) + 0,
    ]
    for begin in begins:
        x, host = begin(), np.arange(float(n))
        for _ in range(times):
            x = CHAINS[name](x)
        xp.explain(x)
        if name == "slices":
            assert_same(to_host(x), host[times:])
        else:
            assert to_host(x).size == n
        y = begin()
        for _ in range(times):
            y = CHAINS[name](y)
        del y
