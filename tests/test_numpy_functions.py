"""Every function and ufunc of NumPy's that can be overridden, called with our arrays: it gives what NumPy gives, by a
function of ours or through the host."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions, get_overridable_numpy_ufuncs

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(7)
A = rng.permutation(np.arange(12.0)).reshape(3, 4) - 5.5
B = rng.permutation(np.arange(12.0)).reshape(3, 4) / 4
V = np.array([1.5, -2.0, 0.5, 3.0, 3.0, -2.0])
N = np.where(A > 3, np.nan, A)
S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])  # positive definite
I = np.array([2, 0, 1, 2, 5])  # noqa: E741
U = np.array([3, 200, 7], "uint8")
M = A > 0

Of = Callable[[Any], Any]  # makes an array of the library that is tried


def each(function: Callable[..., Any], *arrays: Any, **options: Any) -> Callable[[Of], Any]:
    """A call of the function with these arrays."""
    return lambda of: function(*[of(x) if isinstance(x, np.ndarray) else x for x in arrays], **options)


def written(function: Callable[..., Any], array: Any, *others: Any) -> Callable[[Of], Any]:
    """The array into which the function writes."""

    def call(of: Of) -> Any:
        target = of(array.copy())
        function(target, *[of(x) if isinstance(x, np.ndarray) else x for x in others])
        return target

    return call


def text(save: Callable[[Any, Any], None]) -> Callable[[Of], Any]:
    """What the function writes into a file."""

    def call(of: Of) -> Any:
        file = io.BytesIO()
        save(file, of(A))
        return file.getvalue()

    return call


OF_A = [
    "all", "amax", "amin", "angle", "any", "argmax", "argmin", "argsort", "argwhere", "array_repr", "array_str",
    "array2string", "asanyarray", "ascontiguousarray", "asfortranarray", "around", "atleast_1d", "atleast_2d",
    "atleast_3d", "average", "common_type", "copy", "corrcoef", "count_nonzero", "cov", "cumprod", "cumsum", "diag",
    "diagflat", "diagonal", "diff", "ediff1d", "fix", "flatnonzero", "flip", "fliplr", "flipud", "gradient",
    "histogram", "histogram_bin_edges", "i0", "imag", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal",
    "isrealobj", "max", "mean", "median", "min", "min_scalar_type", "nan_to_num", "nanargmax", "nanargmin",
    "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanprod", "nanstd", "nansum", "nanvar",
    "ndim", "nonzero", "ones_like", "prod", "ptp", "ravel", "real", "real_if_close", "rot90", "round", "shape",
    "sinc", "size", "sort", "sort_complex", "squeeze", "std", "sum", "trace", "transpose", "trapezoid", "tril",
    "triu", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "unwrap", "var",
    "zeros_like",
]  # fmt: skip
OF_S = [
    "cholesky", "cond", "det", "diagonal", "eigh", "eigvals", "eigvalsh", "inv", "matrix_norm", "matrix_rank",
    "matrix_transpose", "norm", "pinv", "qr", "slogdet", "svdvals", "trace", "vector_norm",
]  # fmt: skip
OF_FFT = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn",
    "irfftn", "fftshift", "ifftshift",
]  # fmt: skip
OF_TWO = ["cross", "matmul", "outer", "solve", "tensordot", "vecdot"]

CALLS: dict[str, Callable[[Of], Any]] = {
    **{name: each(getattr(np, name), A) for name in OF_A},
    **{f"linalg.{name}": each(getattr(np.linalg, name), S) for name in OF_S},
    **{f"linalg.{name}": each(getattr(np.linalg, name), S, S[::-1] + 1.0) for name in OF_TWO if name != "outer"},
    **{f"fft.{name}": each(getattr(np.fft, name), A) for name in OF_FFT},
    **{
        f"lib.scimath.{name}": each(getattr(np.emath, name), V)
        for name in ("arccos", "arcsin", "arctanh", "log", "log10", "log2", "sqrt")
    },
    "allclose": each(np.allclose, A, A + 1e-12),
    "append": each(np.append, A, V),
    "apply_along_axis": each(np.apply_along_axis, np.cumsum, 1, A),
    "apply_over_axes": each(np.apply_over_axes, np.sum, A, [0, 1]),
    "arange": lambda of: np.arange(3.0, like=of(A)),
    "argpartition": lambda of: np.argpartition(of(A), 2, axis=1)[:, 2],
    "array": lambda of: np.array([[1.0, 2.0]], like=of(A)),
    "array_equal": each(np.array_equal, A, A),
    "array_equiv": each(np.array_equiv, A, A[None]),
    "array_split": each(np.array_split, A, 3, axis=1),
    "asarray": lambda of: np.asarray([1, 2], like=of(A)),
    "astype": each(np.astype, A, np.float32),
    "bincount": each(np.bincount, I, minlength=7),
    "block": lambda of: np.block([[of(A), of(B)], [of(B), of(A)]]),
    "broadcast_arrays": each(np.broadcast_arrays, A, B[0]),
    "broadcast_to": each(np.broadcast_to, A, (2, 3, 4)),
    "busday_count": each(np.busday_count, "2026-01-01", "2026-02-01"),
    "can_cast": each(np.can_cast, np.float32, np.float64),
    "choose": each(np.choose, I[:3], [U, U + 1, U + 2]),
    "clip": each(np.clip, A, -1, 2),
    "column_stack": lambda of: np.column_stack([of(V), of(V)]),
    "compress": each(np.compress, M[0], A, axis=1),
    "concatenate": lambda of: np.concatenate([of(A), of(B)], axis=1),
    "convolve": each(np.convolve, V, B[0]),
    "copyto": written(np.copyto, A, B),
    "correlate": each(np.correlate, V, B[0], "full"),
    "cross": each(np.cross, S, S[::-1]),
    "cumulative_prod": each(np.cumulative_prod, A, axis=1),
    "cumulative_sum": each(np.cumulative_sum, A, axis=0),
    "delete": each(np.delete, A, 1, axis=0),
    "diag_indices_from": each(np.diag_indices_from, S),
    "digitize": each(np.digitize, V, np.array([-1.0, 0.0, 2.0])),
    "dot": each(np.dot, A, A.T.copy()),
    "dsplit": each(np.dsplit, A.reshape(1, 3, 4), 2),
    "dstack": lambda of: np.dstack([of(A), of(B)]),
    "einsum": each(np.einsum, "ij,kj->ik", A, B),
    "einsum_path": each(np.einsum_path, "ij,kj->ik", A, B),
    "empty": lambda of: np.empty((2, 3), like=of(A)).shape,
    "empty_like": lambda of: np.empty_like(of(A)).shape,
    "expand_dims": each(np.expand_dims, A, 1),
    "extract": each(np.extract, M, A),
    "eye": lambda of: np.eye(3, like=of(A)),
    "fill_diagonal": written(np.fill_diagonal, A, 7.0),
    "frombuffer": lambda of: np.frombuffer(b"\x01\x02", dtype=np.uint8, like=of(A)),
    "fromfunction": lambda of: np.fromfunction(lambda i, j: i + j, (2, 3), like=of(A)),
    "fromiter": lambda of: np.fromiter([1, 2], dtype=np.int64, like=of(A)),
    "fromstring": lambda of: np.fromstring("1 2", sep=" ", like=of(A)),
    "full": lambda of: np.full((2, 2), 3.0, like=of(A)),
    "full_like": each(np.full_like, A, 3),
    "genfromtxt": lambda of: np.genfromtxt(["1 2", "3 4"], like=of(A)),
    "geomspace": each(np.geomspace, U[:2], 1000.0, 5),
    "histogram2d": each(np.histogram2d, V, V[::-1]),
    "histogramdd": each(np.histogramdd, A),
    "hsplit": each(np.hsplit, A, 2),
    "hstack": lambda of: np.hstack([of(A), of(B)]),
    "identity": lambda of: np.identity(3, like=of(A)),
    "inner": each(np.inner, A, B),
    "insert": each(np.insert, A, 1, B[0], axis=0),
    "interp": each(np.interp, B, np.sort(V[:4]), V[2:]),
    "intersect1d": each(np.intersect1d, V, B),
    "is_busday": each(np.is_busday, "2026-01-01"),
    "isclose": each(np.isclose, A, B),
    "isin": each(np.isin, V, B),
    "ix_": each(np.ix_, I, I[:2]),
    "kron": each(np.kron, S, B),
    "lexsort": lambda of: np.lexsort((of(V), of(I[[0, 1, 2, 0, 1, 2]]))),
    "lib.scimath.logn": each(np.emath.logn, 2, V),
    "lib.scimath.power": each(np.emath.power, V, 0.5),
    "lib.stride_tricks.sliding_window_view": each(np.lib.stride_tricks.sliding_window_view, A, 2, axis=1),
    "linalg.eig": lambda of: np.linalg.eig(of(S))[0],
    "linalg.eigh": lambda of: np.linalg.eigh(of(S))[0],
    "linalg.lstsq": lambda of: np.linalg.lstsq(of(A.T.copy()), of(V[: A.shape[1]]))[0],
    "linalg.matrix_power": each(np.linalg.matrix_power, S, 3),
    "linalg.multi_dot": lambda of: np.linalg.multi_dot([of(S), of(S), of(A)]),
    "linalg.outer": each(np.linalg.outer, V, I),
    "linalg.qr": lambda of: [abs(part) for part in np.linalg.qr(of(S))],
    "linalg.svd": lambda of: np.linalg.svd(of(A))[1],
    "linalg.tensorinv": each(np.linalg.tensorinv, S.reshape(3, 3, 1), ind=1),
    "linalg.tensorsolve": each(np.linalg.tensorsolve, S, S[0]),
    "linspace": each(np.linspace, A[0], B[0], 5),
    "loadtxt": lambda of: np.loadtxt(["1 2", "3 4"], like=of(A)),
    "logspace": each(np.logspace, B[0], 2.0, 3),
    "matrix_transpose": each(np.matrix_transpose, A),
    "meshgrid": each(np.meshgrid, V, I),
    "moveaxis": each(np.moveaxis, A, 0, 1),
    "nanpercentile": each(np.nanpercentile, N, 40, axis=1),
    "nanquantile": each(np.nanquantile, N, 0.4),
    "ones": lambda of: np.ones((2, 3), like=of(A)),
    "outer": each(np.outer, V, I),
    "packbits": each(np.packbits, M),
    "pad": each(np.pad, A, 1, mode="reflect"),
    "partition": lambda of: np.partition(of(A), 2, axis=1)[:, 2],
    "percentile": each(np.percentile, A, [10, 50], axis=0),
    "piecewise": lambda of: np.piecewise(of(V), [of(V) < 0, of(V) >= 0], [-1.0, 1.0]),
    "place": written(np.place, A, M, np.array([1.0, 2.0])),
    "poly": each(np.poly, V),
    "polyadd": each(np.polyadd, V, B[0]),
    "polyder": each(np.polyder, V),
    "polydiv": each(np.polydiv, V, B[0][::-1] + 1),
    "polyfit": each(np.polyfit, V[:4] + np.arange(4), B[0], 1),
    "polyint": each(np.polyint, V),
    "polymul": each(np.polymul, V, B[0]),
    "polysub": each(np.polysub, V, B[0]),
    "polyval": each(np.polyval, V, B),
    "put": written(np.put, A, I, V[:5]),
    "put_along_axis": written(lambda a, i, v: np.put_along_axis(a, i, v, axis=1), A, I[:3, None], V[:3, None]),
    "putmask": written(np.putmask, A, M, B),
    "quantile": each(np.quantile, A, 0.3),
    "ravel_multi_index": lambda of: np.ravel_multi_index((of(I[:3]), of(I[:3])), (3, 4)),
    "repeat": each(np.repeat, A, 2, axis=1),
    "require": lambda of: np.require([1.0], like=of(A)),
    "reshape": each(np.reshape, A, (4, 3)),
    "resize": each(np.resize, A, (2, 8)),
    "result_type": each(np.result_type, A, U),
    "roll": each(np.roll, A, 1, axis=1),
    "rollaxis": each(np.rollaxis, A, 1),
    "roots": each(np.roots, V),
    "save": text(np.save),
    "savetxt": text(np.savetxt),
    "savez": lambda of: np.load(_archive(np.savez, of))["a"],
    "savez_compressed": lambda of: np.load(_archive(np.savez_compressed, of))["a"],
    "searchsorted": each(np.searchsorted, np.sort(V), B),
    "select": lambda of: np.select([of(A) < 0, of(A) > 3], [of(A), of(B)], 0.0),
    "setdiff1d": each(np.setdiff1d, V, B),
    "setxor1d": each(np.setxor1d, V, B),
    "shares_memory": lambda of: np.shares_memory((x := of(A)), x[1:]),
    "may_share_memory": lambda of: [np.may_share_memory(of(A), of(A)), np.may_share_memory((x := of(A)), x[1:])],
    "split": each(np.split, A, 2, axis=1),
    "stack": lambda of: np.stack([of(A), of(B)], axis=1),
    "swapaxes": each(np.swapaxes, A, 0, 1),
    "take": each(np.take, A, I[:3], axis=1),
    "take_along_axis": each(np.take_along_axis, A, I[:3, None], axis=1),
    "tensordot": each(np.tensordot, A, B, axes=2),
    "tile": each(np.tile, A, (2, 1)),
    "tri": lambda of: np.tri(3, like=of(A)),
    "tril_indices_from": each(np.tril_indices_from, A),
    "trim_zeros": each(np.trim_zeros, I[1:2].repeat(3)),
    "triu_indices_from": each(np.triu_indices_from, A),
    "union1d": each(np.union1d, V, B),
    "unpackbits": each(np.unpackbits, U),
    "unravel_index": each(np.unravel_index, I, (3, 4)),
    "vander": each(np.vander, V),
    "vdot": each(np.vdot, A, B),
    "vecdot": each(np.linalg.vecdot, A, B),
    "vsplit": each(np.vsplit, A, 3),
    "vstack": lambda of: np.vstack([of(A), of(B)]),
    "where": each(np.where, M, A, B),
    "zeros": lambda of: np.zeros((2, 3), like=of(A)),
}

# Of records, strings and dates, none of which our arrays hold; and of files.
for _name in ("polyval2d", "polygrid2d"):
    CALLS[f"polynomial.polynomial.{_name}"] = each(getattr(np.polynomial.polynomial, _name), V, V, A)
_valnd: Any = getattr(np.polynomial.polynomial, "polyvalnd", None)  # since NumPy 2.5
if _valnd is not None:
    CALLS["polynomial.polynomial.polyvalnd"] = lambda of: _valnd((of(V), of(V)), of(A))
WITHOUT = ("char.", "strings.", "ma.", "rec.", "lib.recfunctions.", "busday_offset", "datetime_as_string", "fromfile")


def _archive(save: Callable[..., None], of: Of) -> io.BytesIO:
    file = io.BytesIO()
    save(file, a=of(A))
    file.seek(0)
    return file


def plain(value: Any) -> Any:
    """A result with host arrays in the places of ours."""
    if isinstance(value, xp.Array):
        return value.to_numpy()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


NEAR = {"float16": 2e-3, "float32": 5e-7, "complex64": 5e-7}  # a few ulps


def same(got: Any, expected: Any) -> None:
    """Equal values and dtypes; floats nearly so."""
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert np.asarray(got).dtype == expected.dtype
        assert np.shape(got) == np.shape(expected)
        near = NEAR.get(expected.dtype.name, 1e-12)
        np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=near, atol=near)
    else:
        assert got == expected


@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str) -> None:
    with np.errstate(all="ignore"):
        expected, got = CALLS[name](np.array), CALLS[name](lambda host: xp.asarray(host, copy=True))
    if name in ("array2string", "array_repr", "array_str"):
        assert isinstance(got, str)
        return
    same(plain(got), expected)


def test_the_table_has_every_function() -> None:
    """Of NumPy 2.3 to 2.5."""
    names = {f"{function.__module__}.{function.__name__}"[6:] for function in get_overridable_numpy_array_functions()}
    missing = {name for name in names if not name.startswith(WITHOUT)} - set(CALLS)
    assert not missing


def names_of_ufuncs() -> list[str]:
    """Those of numbers."""
    names = {ufunc.__name__ for ufunc in get_overridable_numpy_ufuncs()}
    return sorted(name for name in names if isinstance(getattr(np, name, None), np.ufunc) and name != "isnat")


def operands(ufunc: np.ufunc) -> list[Any]:
    """Arrays that it takes, as many as it needs: of floats, else of integers."""
    vectors = ufunc.__name__ in ("matvec", "vecmat", "vecdot", "matmul")
    floats = [S, S[0] if ufunc.__name__ == "matvec" else S] if vectors else [abs(A) + 0.5, B + 0.25]
    if ufunc.__name__ == "vecmat":
        floats.reverse()
        floats[0] = S[0]
    integers = [np.array([[3, 7, 200], [5, 6, 9]]), np.array([2, 3, 1])]
    found = floats[: ufunc.nin]
    try:
        with np.errstate(all="ignore"):
            ufunc(*found)
    except TypeError:
        found = integers[: ufunc.nin]
    return found


def compare(call: Callable[[Of], Any]) -> None:
    """The call gives with our arrays what it gives with NumPy's, or raises what it raises there."""
    with np.errstate(all="ignore"):
        try:
            expected = call(np.array)
        except (TypeError, ValueError, RuntimeError) as error:
            with pytest.raises(type(error)):
                call(lambda host: xp.asarray(host, copy=True))
        else:
            same(plain(call(lambda host: xp.asarray(host, copy=True))), expected)


@pytest.mark.parametrize("name", names_of_ufuncs())
def test_ufuncs(name: str) -> None:
    ufunc = getattr(np, name)
    arrays = operands(ufunc)
    compare(lambda of: ufunc(*[of(x) for x in arrays]))
    result = ufunc(*arrays)
    if ufunc.nout == 1:
        mask = np.arange(result.size).reshape(result.shape) % 2 == 0
        compare(lambda of: ufunc(*[of(x) for x in arrays], out=of(np.zeros_like(result))))
        if ufunc.signature is None:
            compare(lambda of: ufunc(*[of(x) for x in arrays], out=of(np.zeros_like(result)), where=of(mask)))
            compare(lambda of: ufunc(*[of(x) for x in arrays], dtype="float32"))


@pytest.mark.parametrize("name", [name for name in names_of_ufuncs() if getattr(np, name).nin == 2])
def test_methods_of_ufuncs(name: str) -> None:
    ufunc = getattr(np, name)
    a, b = operands(ufunc)
    for method, options in (
        ("reduce", {}), ("reduce", {"axis": None}), ("reduce", {"axis": -1, "keepdims": True}),
        ("reduce", {"initial": 2}), ("accumulate", {}), ("accumulate", {"axis": -1}),
    ):  # fmt: skip
        compare(lambda of, m=method, o=options: getattr(ufunc, m)(of(a), **o))  # type: ignore[misc]
    compare(lambda of: ufunc.reduceat(of(a), [0, 1], axis=-1))
    compare(lambda of: ufunc.outer(of(a), of(b)))

    def at(of: Of) -> Any:
        target = of(a)
        ufunc.at(target, (of(np.array([0, 0, 1])), of(np.array([1, 1, 0]))), 2)
        return target

    compare(at)
