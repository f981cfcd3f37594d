"""Values as Python expressions: each evaluates to what it stands for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.graph.expressions import addresses, call, full, literal
from arrayapi_gpu.memory.layout import Layout

VALUES = [True, 3, -(2**63), 0.1, -0.0, math.inf, -math.inf, math.nan, 1 - 0j, complex(-0.0, -math.inf), (2, 3), ()]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_literal_gives_its_value_bit_by_bit(value: Any) -> None:
    found = eval(literal(value), {"xp": xp})
    assert type(found) is type(value)
    assert np.asarray(found).tobytes() == np.asarray(value).tobytes()


@pytest.mark.parametrize("name", ["bool", "uint64", "float16", "complex128"])
def test_a_dtype_is_one_of_the_namespace(name: str) -> None:
    assert np.dtype(eval(literal(np.dtype(name)), {"xp": xp})) == np.dtype(name)


def test_options_that_say_nothing_are_left_out() -> None:
    assert call("sum", "x", axis=(1,), keepdims=False, dtype=None) == "xp.sum(x, axis=(1,))"


def test_a_full_array_is_that_array(device: Device) -> None:
    text = full((2, 3), -0.0, np.dtype("float32"), device)
    found = to_host(eval(text, {"xp": xp}))
    assert found.dtype == np.float32 and found.shape == (2, 3) and np.signbit(found).all()


LAYOUTS = [
    Layout((), (), 7), Layout((5,), (1,), 0), Layout((5,), (-2,), 9), Layout((3, 4), (4, 1), 0),
    Layout((3, 4), (0, 1), 2), Layout((3, 4), (5, 0), -1), Layout((2, 3, 4), (0, 0, 0), 6),
    Layout((2, 1, 3), (3, 9, 1), 1),
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_addresses_are_those_of_the_layout(device: Device, layout: Layout) -> None:
    expected = np.full(layout.shape, layout.offset, np.int64)
    for index, stride in zip(np.indices(layout.shape), layout.strides, strict=True):
        expected += index * stride
    found = to_host(eval(addresses(layout, device), {"xp": xp}))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected)
