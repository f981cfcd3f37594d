"""Reductions with ``where=``, ``initial=`` and ``mean=``: NumPy's values, on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.masked_reductions import MASKED

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

HOSTS = {
    "float64": np.array([[1.5, -2.0, 0.5], [3.0, np.nan, 7.0]]),
    "float32": np.array([[1.5, -2.0, 0.5], [3.0, 0.25, 7.0]], "float32"),
    "float16": np.array([[1.5, -2.0, 0.5], [3.0, 0.25, 7.0]], "float16"),
    "int8": np.array([[1, -2, 100], [3, 4, 100]], "int8"),
    "bool": np.array([[True, False, True], [False, False, True]]),
    "complex128": np.array([[1 + 2j, 3, 1j], [2, 3 - 1j, 0]]),
}
MASK = np.array([[True, False, True], [True, False, False]])
OPTIONS: list[dict[str, Any]] = [
    {"where": MASK}, {"where": MASK, "axis": 0}, {"where": MASK[0], "axis": 1, "keepdims": True}, {"where": False},
    {"where": MASK, "initial": 2}, {"initial": 3, "axis": 0}, {"where": MASK, "initial": 1, "axis": (0, 1)},
    {"where": MASK, "dtype": "float64"}, {"where": MASK, "ddof": 1}, {"where": MASK, "correction": 1, "axis": 1},
    {"mean": 0.5}, {"where": [True, False, True]}, {"where": MASK, "dtype": "int32"}, {"where": MASK, "dtype": "uint8"},
]  # fmt: skip


@pytest.mark.parametrize("dtype", HOSTS)
@pytest.mark.parametrize("name", MASKED)
def test_values(name: str, dtype: str) -> None:
    host, function = HOSTS[dtype], getattr(np, name)
    for options in OPTIONS:
        given = {k: xp.asarray(v, copy=True) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        try:
            expected = function(host, **options)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                function(xp.asarray(host, copy=True), **given)
            continue
        got = function(xp.asarray(host, copy=True), **given)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), options
        near = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}.get(expected.dtype.name, 1e-13)
        np.testing.assert_allclose(got.to_numpy(), expected, rtol=near, atol=near, err_msg=str(options))


@pytest.mark.parametrize("name", MASKED)
def test_they_compute_on_the_device(name: str) -> None:
    x = xp.asarray(HOSTS["float32"], copy=True)
    options: Any = {"where": xp.asarray(MASK), "axis": 0}
    with xp.config.set(host_transfers="error"):
        getattr(np, name)(x, **options, **({"initial": 1} if name in ("max", "min", "amax", "amin") else {}))


def test_empty_arrays() -> None:
    for name in ("max", "sum"):
        assert float(getattr(np, name)(xp.zeros((0,)), initial=3)) == 3
