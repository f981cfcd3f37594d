"""Programs of other libraries: the same program over NumPy's arrays and over ours, with results compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

Of = Callable[[Any], Any]  # makes an array of the library that is tried
Program = Callable[[Of], Any]


def rows(programs: Mapping[str, Program], failures: Mapping[str, str]) -> list[Any]:
    """The names of programs as parameters of a test; those that are known to fail are expected to fail."""
    assert failures.keys() <= programs.keys()
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=failures[name], strict=True)) if name in failures else name
        for name in programs
    ]


def check_program(program: Program, *, rtol: float = 1e-9, atol: float = 1e-12, on_device: bool = True) -> None:
    """The program gives with our arrays what it gives with NumPy's.

    With ``on_device`` each array among the results is ours. Without it the library may give NumPy's arrays.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = program(np.array)
        got = program(lambda values: xp.asarray(values, copy=True))
    compare(got, expected, rtol=rtol, atol=atol, on_device=on_device)


def compare(got: Any, expected: Any, *, rtol: float, atol: float, on_device: bool) -> None:
    """The results have equal dtypes, shapes and, within a tolerance, values: numbers, arrays, lists, dictionaries."""
    if isinstance(expected, dict):
        assert got.keys() == expected.keys()
        got, expected = list(got.values()), list(expected.values())
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other, rtol=rtol, atol=atol, on_device=on_device)
    elif isinstance(expected, (np.ndarray, np.generic, float, complex)):
        is_array = isinstance(expected, np.ndarray) and expected.ndim > 0
        assert isinstance(got, xp.Array) or not (on_device and is_array), f"got {type(got).__name__}"
        assert np.shape(got) == np.shape(expected)
        host = got.to_numpy() if isinstance(got, xp.Array) else np.asarray(got)
        assert not isinstance(expected, (np.ndarray, np.generic)) or host.dtype == expected.dtype
        np.testing.assert_allclose(host, np.asarray(expected), rtol=rtol, atol=atol)
    else:
        assert got == expected
