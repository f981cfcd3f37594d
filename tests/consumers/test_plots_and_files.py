"""Libraries of host memory: plots, tables, files, pictures, compiled functions. Values go out and come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.consumers import Program, check_program

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(6, 4))
V = rng.normal(size=6)
P = (np.arange(60).reshape(4, 5, 3) * 4).astype("uint8")  # a picture


# --- matplotlib ------------------------------------------------------------------------------------------------------

PLOTS: dict[str, Program] = {
    "lines": lambda of: axes().plot(of(V), of(V * 2))[0].get_ydata(),
    "lines of columns": lambda of: [line.get_ydata() for line in axes().plot(of(A))],
    "scatter": lambda of: axes().scatter(of(V), of(V), c=of(V), s=of(abs(V))).get_offsets().tolist(),
    "image": lambda of: axes().imshow(of(A)).get_array().tolist(),
    "coloured image": lambda of: axes().imshow(of(P)).get_array().tolist(),
    "histogram": lambda of: axes().hist(of(V), bins=3)[:2],
    "histogram of two": lambda of: axes().hist2d(of(V), of(V), bins=3)[0],
    "bars": lambda of: [bar.get_height() for bar in axes().bar(of(np.arange(6)), of(V))],
    "errors": lambda of: axes().errorbar(of(V), of(V), yerr=of(abs(V)))[0].get_ydata().tolist(),
    "area": lambda of: axes().fill_between(of(V), of(V), of(V * 2)).get_datalim(axes().transData).size > 0,
    "mesh": lambda of: axes().pcolormesh(of(A)).get_array().tolist(),
    "contours": lambda of: axes().contourf(of(A)).levels,
    "boxes": lambda of: axes().boxplot(of(A))["medians"][1].get_ydata(),
    "steps": lambda of: axes().step(of(V), of(V))[0].get_ydata(),
    "stems": lambda of: axes().stem(of(V)).markerline.get_ydata(),
    "arrows": lambda of: axes().quiver(of(A), of(A)).U.tolist(),
    "limits": lambda of: axes().set_xlim(of(V)[0], of(V)[0] + 1),
    "ticks": lambda of: len(axes().set_xticks(of(np.arange(3)))),
    "colours": lambda of: pyplot().cm.viridis(of(V)),
}


def pyplot() -> Any:
    pytest.importorskip("matplotlib").use("Agg")
    return pytest.importorskip("matplotlib.pyplot")


def axes() -> Any:
    plt = pyplot()
    plt.close("all")
    return plt.figure().add_subplot()


@pytest.mark.parametrize("name", PLOTS)
def test_plots(name: str) -> None:
    pyplot()
    check_program(PLOTS[name], on_device=False)


def test_pictures_of_plots_are_the_same(tmp_path: Path) -> None:
    for of in (np.asarray, xp.asarray):
        drawn = axes()
        drawn.plot(of(V), of(V * 2))
        drawn.imshow(of(A))
        drawn.figure.savefig(tmp_path / f"{of.__module__}.png", metadata={"Software": None})
    one, other = (path.read_bytes() for path in tmp_path.iterdir())
    assert one == other


# --- pandas ----------------------------------------------------------------------------------------------------------

TABLES: dict[str, Program] = {
    "a frame": lambda of: frames().DataFrame(of(A), columns=list("abcd")).sum().to_numpy(),
    "columns": lambda of: frames().DataFrame({"a": of(V), "b": of(V * 2)}).mean().to_numpy(),
    "a series": lambda of: frames().Series(of(V), index=of(np.arange(6)))[3],
    "a new column": lambda of: frames().DataFrame({"a": V}).assign(b=of(V))["b"].to_numpy(),
    "series + array": lambda of: (frames().Series(V) + of(V)).to_numpy(),
    "array + series": lambda of: (of(V) + frames().Series(V)).to_numpy(),
    "where": lambda of: frames().Series(V).where(of(V) > 0, 0.0).to_numpy(),
    "isin": lambda of: frames().Series(V).isin(of(V[:2])).to_numpy(),
    "iloc": lambda of: frames().Series(V).iloc[of(np.array([0, 2]))].to_numpy(),
    "mask": lambda of: frames().Series(V)[np.asarray(of(V) > 0)].to_numpy(),
    "cut": lambda of: frames().cut(of(V), 3).codes,
    "dot": lambda of: frames().Series(V).dot(of(V)),
    "isna": lambda of: frames().isna(of(V)),
}


def frames() -> Any:
    return pytest.importorskip("pandas")


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    frames()
    check_program(TABLES[name], on_device=False)


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "Int64", "float64[pyarrow]"])
def test_columns_come_in(dtype: str) -> None:
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    column = frames().Series([1, 0, 1]).astype(dtype)
    np.testing.assert_array_equal(xp.asarray(column).to_numpy(), column.to_numpy())


# --- h5py and zarr ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool", "complex128"])
def test_h5py_keeps_arrays(dtype: str, tmp_path: Path) -> None:
    values = A.astype(dtype)
    with pytest.importorskip("h5py").File(tmp_path / "a.h5", "w") as store:
        store["x"] = xp.asarray(values)
        parts = store.create_dataset("parts", shape=(6, 4), dtype=dtype)
        parts[:5], parts[5] = xp.asarray(values[:5]), xp.asarray(values[5])
        store.attrs["v"] = xp.asarray(values[0])
        for kept in (store["x"], store["x"][...], parts):
            np.testing.assert_array_equal(xp.asarray(kept).to_numpy(), values)
        np.testing.assert_array_equal(store.attrs["v"], values[0])


def test_h5py_reads_into_memory_that_is_shared(device: Device, tmp_path: Path) -> None:
    if not device.host_shared:
        pytest.skip("np.asarray gives a copy there")
    x = xp.zeros((6, 4))
    with pytest.importorskip("h5py").File(tmp_path / "a.h5", "w") as store:
        store["x"] = A
        store["x"].read_direct(np.asarray(x))
    np.testing.assert_array_equal(x.to_numpy(), A)


def test_zarr_keeps_arrays(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    store = zarr.create_array(str(tmp_path / "a.zarr"), data=np.asarray(xp.asarray(A)), chunks=(3, 2))
    np.testing.assert_array_equal(xp.asarray(store[1:5]).to_numpy(), A[1:5])
    store[0] = xp.asarray(A[5])
    np.testing.assert_array_equal(xp.asarray(store).to_numpy()[0], A[5])


# --- Pillow, pyarrow, Numba ------------------------------------------------------------------------------------------


def test_pillow_makes_pictures() -> None:
    image = pytest.importorskip("PIL.Image").fromarray(np.asarray(xp.asarray(P)))
    assert image.size == (5, 4)
    np.testing.assert_array_equal(xp.asarray(image).to_numpy(), P)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint64", "bool"])
def test_pyarrow_takes_vectors(dtype: str) -> None:
    pa = pytest.importorskip("pyarrow")
    values = V.astype(dtype)
    table = pa.table({"a": xp.asarray(values)})
    assert table["a"].type == pa.array(values).type
    np.testing.assert_array_equal(xp.asarray(table["a"]).to_numpy(), values)
    np.testing.assert_array_equal(pa.array(xp.asarray(values)).to_numpy(zero_copy_only=False), values)


def test_pyarrow_shares_numbers_without_nulls() -> None:
    pa = pytest.importorskip("pyarrow")
    np.testing.assert_array_equal(xp.from_dlpack(pa.array(V)).to_numpy(), V)


def test_numba_computes_in_our_memory(device: Device) -> None:
    numba = pytest.importorskip("numba")

    @numba.njit  # type: ignore[untyped-decorator]
    def double(a: Any) -> float:
        a *= 2
        return float(a.sum())

    x = xp.asarray(V, copy=True)
    assert double(np.array(x)) == pytest.approx(2 * V.sum())
    if device.host_shared:
        double(np.asarray(x))
        np.testing.assert_array_equal(x.to_numpy(), 2 * V)


def test_numbas_ufuncs_go_through_the_host() -> None:
    """Those whose signatures are given; others ask for the type of each operand, and do not know ours."""
    numba = pytest.importorskip("numba")

    @numba.vectorize(["float64(float64, float64)"])  # type: ignore[untyped-decorator]
    def apart(a: Any, b: Any) -> Any:
        return abs(a - b)

    @numba.guvectorize(["void(float64[:], float64[:])"], "(n)->()")  # type: ignore[untyped-decorator]
    def largest(a: Any, found: Any) -> None:
        found[0] = a.max()

    for program in (
        lambda of: apart(of(V), 1.5),
        lambda of: apart(of(V), of(V[::-1]), out=of(np.zeros(6))),
        lambda of: apart.outer(of(V), of(V)),
        lambda of: largest(of(A)),
    ):
        check_program(program)


def test_numba_computes_in_our_memory_on_cuda(device: Device) -> None:
    cuda = pytest.importorskip("numba.cuda")
    if not str(device).startswith("cuda") or not cuda.is_available():
        pytest.skip("no CUDA")

    @cuda.jit  # type: ignore[untyped-decorator]
    def double(a: Any) -> None:
        k = cuda.grid(1)
        if k < a.size:
            a[k] *= 2

    x = xp.asarray(V)
    try:
        double[1, 32](x)
    except AttributeError as error:
        if "module 'numpy'" not in str(error):
            raise
        pytest.skip(f"this Numba is older than NumPy {np.__version__}: {error}")
    cuda.synchronize()
    np.testing.assert_array_equal(x.to_numpy(), 2 * V)
