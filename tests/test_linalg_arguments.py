"""Checks of arguments: the dtypes in which linear algebra computes, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.linalg_arguments import (
    cast,
    computed,
    floating_array,
    matrices_of,
    numeric_pair,
    real_dtype,
    square_matrices,
    widened,
)

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    ("dtype", "computes", "parts"),
    [
        ("int8", "float64", "float64"),
        ("float16", "float32", "float16"),
        ("float32", "float32", "float32"),
        ("complex64", "complex64", "float32"),
    ],
)
def test_dtypes(dtype: str, computes: str, parts: str, device: Device) -> None:
    """Integers are computed in the default dtype, and half precision in single precision."""
    if "f64" not in device.dtypes and computes == "float64":
        pytest.skip("the device has no float64")
    x = floating_array("inv", xp.ones((2, 2), dtype=np.dtype(dtype)))
    assert widened(x).dtype == computes and real_dtype(x) == parts
    assert cast(x, x.dtype)._node is x._node


@pytest.mark.parametrize(
    ("shape", "words"), [((), "2 axes or more"), ((3,), "2 axes or more"), ((2, 3), "square matrices")]
)
def test_shapes(shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=f"det: .*{words}"):
        square_matrices("det", xp.ones(shape))
    assert matrices_of("qr", xp.ones((2, 3))).shape == (2, 3)


def test_what_is_refused() -> None:
    x = xp.ones((2, 2))
    with pytest.raises(TypeError, match="det: got bool"):
        floating_array("det", x > 0)
    with pytest.raises(TypeError, match="det: got ndarray"):
        floating_array("det", np.ones(3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="outer: got bool"):
        numeric_pair("outer", x, x > 0)
    with pytest.raises(TypeError, match="outer: got list"):
        numeric_pair("outer", x, [1])  # type: ignore[arg-type]


def test_a_routine_gives_arrays() -> None:
    (found,) = computed("inv", xp.eye(3) * 2)
    assert found.to_numpy().tolist() == (np.eye(3) / 2).tolist()
