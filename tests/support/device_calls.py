"""Calls of NumPy's functions, as source, that the device computes with NumPy's values, dtypes and shapes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy

_rng = numpy.random.default_rng(8)
OPERANDS = {
    "A": _rng.random((4, 5)) - 0.5,
    "V": _rng.random(7),
    "W": _rng.random(4),
    "I": numpy.array([2, 0, 1, 2, 0]),
    "C": _rng.random(5) + 1j,
    "E": numpy.zeros(0),
}
NEAR = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}


def plain(value: Any) -> Any:
    """A result with host arrays in place of arrays."""
    if isinstance(value, xp.Array):
        return value.to_numpy()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, list):
        for one, other in zip(got, expected, strict=True):
            same(one, other)
        return
    one, other = numpy.asarray(got), numpy.asarray(expected)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    near = NEAR.get(other.dtype.name, 1e-11)
    numpy.testing.assert_allclose(one, other, rtol=near, atol=near)


def check(source: str) -> None:
    """The value of a call without "np." in front is NumPy's, computed on the device; so is an error."""
    try:
        expected = plain(eval(f"np.{source}", {"np": numpy, **{name: x.copy() for name, x in OPERANDS.items()}}))
    except (TypeError, ValueError, numpy.exceptions.RankWarning) as error:
        expected = error
    names = {name: arrayapi_gpu.numpy.asarray(x, copy=True) for name, x in OPERANDS.items()}
    if isinstance(expected, Exception):
        with pytest.raises(type(expected)):
            eval(f"np.{source}", {"np": arrayapi_gpu.numpy, **names})
        return
    with xp.config.set(host_transfers="error"):
        same(plain(eval(f"np.{source}", {"np": arrayapi_gpu.numpy, **names})), expected)
