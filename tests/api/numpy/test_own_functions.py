"""Functions with NumPy's arguments: of lists, numbers and unusual arguments. `tests/test_numpy_functions.py` calls
each."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.own_functions import OWN
from arrayapi_gpu.api.numpy.through_host import arrays_in

np: Any = numpy  # arrays of this package are none of NumPy's types
pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("args", [(0, 5, 0.5), (-3, 3, 0.5), (2.7, 6), (0, 3, 2), (5.5,), (3, 0), (0.9, 4, 1.5)])
@pytest.mark.parametrize("dtype", [int, "int32", "uint8", float, None])
def test_arange(args: tuple[Any, ...], dtype: Any) -> None:
    if dtype == "uint8" and min(args) < 0:
        return
    got: Any = np.arange(*args, dtype=dtype, like=xp.zeros(1))
    expected = np.arange(*args, dtype=dtype)
    assert (got.dtype, got.tolist()) == (expected.dtype, expected.tolist())


def test_out_is_written_on_the_device() -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    for function in (np.sum, np.cumsum, np.take, np.median, np.argmax):
        args = (x, [0, 1], 0) if function is np.take else (x,)
        options: Any = {} if function is np.take else {"axis": 0}
        expected = function(*[np.asarray(a) if isinstance(a, xp.Array) else a for a in args], **options)
        out = xp.zeros(expected.shape, dtype=expected.dtype)
        with xp.config.set(host_transfers="error"):
            assert function(*args, **options, out=out) is out
        assert out.tolist() == expected.tolist()


def test_each_takes_the_namespace() -> None:
    assert float(OWN["dot"](vars(xp), [1, 2], xp.asarray([3, 4]))) == 11
    assert len([*arrays_in(OWN["broadcast_arrays"](vars(xp), [1], [2, 3]))]) == 2


A, B = np.array([0.5, 2.0, 3.0]), np.array([[1.0], [2.0]])


@pytest.mark.parametrize(
    "source",
    [
        "np.linspace(A, B)",
        "np.linspace(A, B, 5, axis=-1)",
        "np.linspace(A, 3.0, 4, endpoint=False)",
        "np.linspace(A, A, 3)",
        "np.linspace(A, B, 1)",
        "np.linspace(A, B, 0)",
        "np.linspace(A, B, 3, dtype=int)",
        "np.linspace(A, B, 3, retstep=True)[1]",
        "np.logspace(A, 2.0, 3)",
        "np.meshgrid(A, [1, 2])[0]",
        "np.meshgrid(A, [1, 2], sparse=True)[1]",
        "np.meshgrid(A, [1, 2], [3], indexing='ij')[2]",
        "np.meshgrid(A)[0]",
        "np.meshgrid(A, A, copy=False)[0]",
        "np.meshgrid(A, A, indexing='wrong')",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_grids(source: str) -> None:
    try:
        expected = eval(source, {"np": np, "A": A, "B": B})
    except ValueError as error:
        with pytest.raises(type(error)):
            eval(source, {"np": np, "A": xp.asarray(A), "B": xp.asarray(B)})
        return
    got = eval(source, {"np": np, "A": xp.asarray(A, copy=True), "B": xp.asarray(B, copy=True)})
    assert isinstance(got, xp.Array) and (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=1e-15)
