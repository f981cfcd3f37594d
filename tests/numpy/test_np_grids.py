"""``r_``, ``c_``, ``mgrid``, ``ogrid``, `vectorize` and `from_dlpack` of `arrayapi_gpu.numpy`."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np
from arrayapi_gpu.numpy.grids import Indexed

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "source",
    [
        "np.r_[1:4, 0, 4]",
        "np.r_[0:1:5j]",
        "np.r_['-1', [1, 2], [3]]",
        "np.r_[np.arange(3), 5]",
        "np.c_[[1, 2], [3, 4]]",
        "np.c_[np.ones(2), np.zeros(2)]",
        "np.mgrid[0:2, 0:3]",
        "np.mgrid[-1:1:5j]",
        "np.ogrid[0:2, 0:3]",
        "np.s_[1:2]",
        "np.index_exp[1:2, ...]",
        "np.vectorize(lambda a, b: a + b)([1, 2], 3)",
        "np.vectorize(lambda a: a > 1)(np.arange(3))",
        "np.vectorize(lambda a: (a, -a))([1.0, 2])[1]",
        "np.arange(3)[np.newaxis].shape",
        "np.pi",
        "np.inf",
        "np.e",
    ],
)
def test_values(source: str) -> None:
    got, expected = (eval(source, {"np": namespace}) for namespace in (np, numpy))
    parts = expected if isinstance(expected, tuple) else (expected,)
    if not any(isinstance(part, numpy.ndarray) for part in parts):
        assert got == expected
        return
    for one, other in zip(got if isinstance(got, tuple) else (got,), parts, strict=True):
        assert isinstance(one, xp.Array)
        assert (one.dtype, one.shape, one.tolist()) == (other.dtype, other.shape, other.tolist())


def test_transfers_are_refused() -> None:
    x = np.arange(3)
    with xp.config.set(host_transfers="error"):
        with pytest.raises(TypeError, match=r"numpy\.r_ is not implemented on the device"):
            np.r_[x, 1]
        with pytest.raises(TypeError, match=r"numpy\.vectorize is not implemented"):
            np.vectorize(abs)(x)
        assert np.r_[1:3].tolist() == [1, 2]


def test_objects_have_docstrings() -> None:
    assert "r_" in (Indexed("r_").__doc__ or "") and len(np.r_) == 0


def test_dlpack(device: Any) -> None:
    x = np.from_dlpack(numpy.arange(3.0))
    assert isinstance(x, xp.Array) and x.tolist() == [0, 1, 2]
