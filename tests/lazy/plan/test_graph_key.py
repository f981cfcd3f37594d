"""Structures of graphs: the keys by which they are told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import sample

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.plan.graph_key import structure_of

pytestmark = pytest.mark.usefixtures("device")


def pair(seed: int = 1) -> tuple[xp.Array, np.ndarray[Any, Any]]:
    host = sample("float32", (7, 30), seed)
    return xp.asarray(host, copy=True), host


def key(array: xp.Array) -> object:
    found = structure_of(array._node)
    assert found is not None
    return [str(node.op) for node in found.needs] or tuple(found.key)


def test_keys_tell_apart_what_launches_depend_on_and_nothing_else() -> None:
    x, y, other = (pair(seed)[0] for seed in range(3))
    assert key(x * y + 1) == key(other * x + 2)
    different = {
        key(tree)
        for tree in (
            x * y + 1, x * x + 1, 1 + x * y, x * y + x, x * y + y, x[1:] * y[1:] + 1, x * y[0] + 1, xp.exp(x * y),
            xp.sum(x * y), xp.sum(x * y, axis=0), xp.sum(x * y, axis=0, keepdims=True), xp.max(x * y), x.T * y.T + 1,
            x[::-1] * y + 1,
        )
    }  # fmt: skip
    assert len(different) == 14
    held = x * y
    keys = key(x * y + 1), key(held + 1)  # `assert` would hold what is within
    assert keys[0] != keys[1]
