"""Functions of NumPy that are expressions of others: unusual arguments. `tests/test_numpy_functions.py` calls each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.composed_functions import COMPOSED

np: Any = numpy  # arrays of this package are none of NumPy's types
pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

A = np.arange(12.0).reshape(3, 4) - 5.5
V = np.array([1.5, -2.0, 0.5, 3.0, np.nan, -2.0, np.nan])
I = np.array([2, 0, 1, 2, 5])  # noqa: E741
C = A[0] + 1j

Of = Callable[[Any], Any]
CALLS: dict[str, Callable[[Of], Any]] = {
    "angle in degrees": lambda of: np.angle(of(C), True),
    "angle of float32": lambda of: np.angle(of(A.astype("float32"))),
    "angle of integers": lambda of: np.angle(of(I)),
    "append along an axis": lambda of: np.append(of(A), of(A), 0),
    "argwhere of a number": lambda of: np.argwhere(of(np.array(5))),
    "array_equiv of other shapes": lambda of: np.array_equiv(of(A), of(I)),
    "block of blocks": lambda of: np.block([[of(A[0]), of(A[1])], [of(A[2]), of(A[0])]]),
    "block of one": lambda of: np.block(of(A)),
    "block of several depths": lambda of: np.block([of(A[0]), [of(A[1])]]),
    "compress of a longer condition": lambda of: np.compress(of(np.array([True] * 9)), of(I)),
    "copyto where": lambda of: (x := of(A.copy()), np.copyto(x, of(A[0]), where=of(A > 0)), x)[2],
    "copyto of integers": lambda of: (x := of(I.copy()), np.copyto(x, of(A[0, :1])), x),
    "copyto unsafely": lambda of: (x := of(I.copy()), np.copyto(x, of(A[0, :1]), casting="unsafe"), x)[2],
    "digitize decreasing": lambda of: np.digitize(of(A), of(np.array([3.0, 0, -3]))),
    "digitize right": lambda of: np.digitize(of(A), of(np.array([-3.5, 0.5, 3])), right=True),
    "ediff1d with ends": lambda of: np.ediff1d(of(I), to_begin=[-99], to_end=of(I[:2])),
    "ediff1d with floats": lambda of: np.ediff1d(of(I), to_end=[1.5]),
    "fill_diagonal of three axes": lambda of: (x := of(np.zeros((2, 2, 2))), np.fill_diagonal(x, 4), x)[2],
    "fill_diagonal of a list": lambda of: (x := of(np.zeros((2, 2))), np.fill_diagonal(x, [4, 5]), x)[2],
    "fill_diagonal wrapping": lambda of: (x := of(np.zeros((5, 2))), np.fill_diagonal(x, 4, True), x)[2],
    "inner with a number": lambda of: np.inner(of(A), 2),
    "intersect1d with indices": lambda of: np.intersect1d(of(I), of(I[:2]), return_indices=True),
    "intersect1d of several dtypes": lambda of: np.intersect1d(of(I), of(A - 0.5)),
    "intersect1d with NaN": lambda of: np.intersect1d(of(V), of(V)),
    "union1d with NaN": lambda of: np.union1d(of(V), of(V)),
    "setxor1d with NaN": lambda of: np.setxor1d(of(V), of(A)),
    "setdiff1d of unique values": lambda of: np.setdiff1d(of(I), of(I[:1]), assume_unique=True),
    "isneginf of complex": lambda of: np.isneginf(of(C)),
    "isposinf of infinity": lambda of: np.isposinf(of(np.array([np.inf, -np.inf, 0]))),
    "ix_ of a mask": lambda of: np.ix_(of(np.array([True, False, True])), of(I)),
    "ix_ of a matrix": lambda of: np.ix_(of(A)),
    "lexsort of three": lambda of: np.lexsort((of(I), of(I % 2), of(I[::-1]))),
    "lexsort of a matrix": lambda of: np.lexsort(of(A)),
    "percentile of several": lambda of: np.percentile(of(A), [10, 90], axis=1, keepdims=True),
    "percentile of an array": lambda of: np.percentile(of(A), of(np.array([10.0, 90]))),
    "percentile by another method": lambda of: np.percentile(of(A), 30, method="hazen"),
    "nanpercentile": lambda of: np.nanpercentile(of(V), 30),
    "piecewise with a default": lambda of: np.piecewise(of(A), [of(A < 0)], [1, lambda x: x + 1]),
    "piecewise of one condition": lambda of: np.piecewise(of(A), of(A < 0), [lambda x: -x]),
    "piecewise of too many": lambda of: np.piecewise(of(A), [of(A < 0)], [1, 2, 3]),
    "place": lambda of: (x := of(A.copy()), np.place(x, of(A > 0), [1, 2, 3]), x)[2],
    "place of a wider dtype": lambda of: np.place(of(A.astype("float32")), of(A > 0), of(I)),
    "place of a list": lambda of: (x := of(I.copy()), np.place(x, of(I > 0), [1.5, 2.5]), x)[2],
    "place of a number out of range": lambda of: np.place(of(I.astype("int8")), of(I > 0), 300),
    "place of a list out of range": lambda of: np.place(of(I.astype("uint8")), of(I > 0), [-1]),
    "place of nothing": lambda of: np.place(of(I.copy()), of(I > 0), []),
    "place of a narrower dtype": lambda of: (x := of(A.copy()), np.place(x, of(A > 0), of(I)), x)[2],
    "polyval of a matrix of coefficients": lambda of: np.polyval(of(A), 2.0),
    "ptp of integers": lambda of: np.ptp(of(I.astype("int8")), axis=0),
    "putmask of other shapes": lambda of: (x := of(A.copy()), np.putmask(x, of(A > 0), of(A[0])), x)[2],
    "putmask of a wider dtype": lambda of: np.putmask(of(I.astype("uint8")), of(I > 0), of(I)),
    "putmask of a narrower dtype": lambda of: (x := of(I + 0.5), np.putmask(x, of(I > 0), of(I)), x)[2],
    "real_if_close": lambda of: np.real_if_close(of(C * 1e-300), tol=1e-3),
    "real_if_close of others": lambda of: np.real_if_close(of(C)),
    "select of several dtypes": lambda of: np.select([of(A < 0), of(A > 3)], [of(A), 1], 2j),
    "select of integers": lambda of: np.select([of(I)], [of(I)]),
    "select of nothing": lambda of: np.select([], [of(A)]),
    "sinc of integers": lambda of: np.sinc(of(I)),
    "tril_indices_from of three axes": lambda of: np.tril_indices_from(of(A[None])),
    "vdot of complex": lambda of: np.vdot(of(C), of(A[0])),
    "vdot of other sizes": lambda of: np.vdot(of(C), of(I)),
    "diag_indices_from of a rectangle": lambda of: np.diag_indices_from(of(A)),
    "apply_over_axes": lambda of: np.apply_over_axes(np.sum, of(A), [0, -1]),
    "diagflat": lambda of: np.diagflat(of(A), -1),
    "triu_indices_from": lambda of: np.triu_indices_from(of(A), 1),
}  # fmt: skip


def plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.to_numpy() if isinstance(value, xp.Array) else value


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    try:
        expected = plain(CALLS[name](np.array))
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        with pytest.raises(type(error)):
            CALLS[name](lambda host: xp.asarray(host, copy=True))
        return
    got = plain(CALLS[name](lambda host: xp.asarray(host, copy=True)))
    for one, other in zip(*[x if isinstance(x, list) else [x] for x in (got, expected)], strict=True):
        assert (np.asarray(one).dtype, np.shape(one)) == (np.asarray(other).dtype, np.shape(other))
        near = 1e-6 if np.asarray(other).dtype == "float32" else 1e-13
        np.testing.assert_allclose(one, other, rtol=near, atol=near)


@pytest.mark.parametrize(
    "name", ["angle", "block", "percentile", "select", "digitize", "union1d", "inner", "ptp", "sinc"]
)
def test_they_compute_on_the_device(name: str) -> None:
    x = xp.asarray(A, copy=True)
    others = {
        "block": ([[x, x]],),
        "percentile": (x, 30),
        "select": ([x > 0], [x]),
        "digitize": (x, xp.asarray([0.0, 1.0])),
    }
    args: Any = others.get(name, (x, x) if name in ("union1d", "inner") else (x,))
    with xp.config.set(host_transfers="error"):
        getattr(np, name)(*args)
    assert name in COMPOSED


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint64", "float16", "complex64"]
)
@pytest.mark.parametrize("deg", [False, True])
def test_angles_have_the_dtype_of_arctan2(dtype: str, deg: bool) -> None:
    host = np.array([1, 0, 3]).astype(dtype)
    got, expected = numpy.angle(numpy.asarray(host), deg), np.angle(host, deg)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
