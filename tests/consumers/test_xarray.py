"""xarray's arithmetic, indexing and reductions keep our arrays, and give what they give over NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program

xr = pytest.importorskip("xarray")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(4, 6))
N = np.where(A > 0.5, np.nan, A)
T = np.arange(6)


def table(of: Of, values: Any = A) -> Any:
    """A labelled array."""
    return xr.DataArray(of(values), dims=("station", "time"), coords={"station": list("abcd"), "time": T})


REDUCTIONS = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count",
    "cumprod",
    "cumsum",
    "max",
    "mean",
    "median",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def reduced(name: str, values: Any = A, **options: Any) -> Program:
    """A reduction along the time."""
    return lambda of: getattr(table(of, values), name)("time", **options).data


def assigned(of: Of) -> Any:
    labelled = table(of)
    labelled[{"time": 0}] = 7.0
    return labelled.data


PROGRAMS: dict[str, Program] = {
    **{name: reduced(name) for name in REDUCTIONS},
    **{f"{name} with NaN": reduced(name, N) for name in REDUCTIONS},
    **{f"{name}, no skipna": reduced(name, N, skipna=False) for name in ("max", "mean", "std", "sum")},
    "arithmetic": lambda of: (table(of) * 2 + table(of) ** 2 - 1).data,
    "numbers of NumPy": lambda of: (np.float64(2) * table(of)).data,
    "broadcasting": lambda of: (table(of) - table(of).mean("time")).data,
    "comparison": lambda of: (table(of) > 0).data,
    "ufunc": lambda of: np.exp(table(of)).data,
    "two ufunc": lambda of: np.maximum(table(of), 0.0).data,
    "transpose": lambda of: table(of).transpose("time", "station").data,
    "isel": lambda of: table(of).isel(time=slice(1, 4), station=0).data,
    "isel, list": lambda of: table(of).isel(time=[0, 3]).data,
    "sel": lambda of: table(of).sel(station="b", time=[2, 3]).data,
    "where": lambda of: table(of).where(table(of) > 0).data,
    "where, other": lambda of: table(of).where(table(of) > 0, 0.0).data,
    "fillna": lambda of: table(of, N).fillna(0.0).data,
    "isnull": lambda of: table(of, N).isnull().data,
    "clip": lambda of: table(of).clip(-1, 1).data,
    "round": lambda of: table(of).round(2).data,
    "astype": lambda of: table(of).astype("float32").data,
    "concat": lambda of: xr.concat([table(of), table(of)], "station").data,
    "stack": lambda of: table(of).stack(point=("station", "time")).data,
    "expand_dims": lambda of: table(of).expand_dims("level").data,
    "squeeze": lambda of: table(of).isel(time=[0]).squeeze().data,
    "roll": lambda of: table(of).roll(time=2).data,
    "shift": lambda of: table(of).shift(time=1).data,
    "diff": lambda of: table(of).diff("time").data,
    "pad": lambda of: table(of).pad(time=1, constant_values=0.0).data,
    "pad, edge": lambda of: table(of).pad(time=1, mode="edge").data,
    "dot": lambda of: xr.dot(table(of), table(of), dim="time").data,
    "matmul": lambda of: (table(of) @ table(of)).data,
    "weighted": lambda of: table(of).weighted(xr.DataArray(of(np.arange(6.0)), dims="time")).mean("time").data,
    "quantile": lambda of: table(of).quantile([0.25, 0.5], "time").data,
    "cov": lambda of: xr.cov(table(of), table(of), "time").data,
    "corr": lambda of: xr.corr(table(of), table(of) ** 2, "time").data,
    "differentiate": lambda of: table(of).differentiate("time").data,
    "integrate": lambda of: table(of).integrate("time").data,
    "cumulative_integrate": lambda of: table(of).cumulative_integrate("time").data,
    "polyfit": lambda of: table(of).polyfit("time", 1).polyfit_coefficients.data,
    "groupby": lambda of: table(of).groupby(xr.DataArray(T % 2, dims="time", name="odd")).mean().data,
    "groupby, arithmetic": lambda of: (
        ((g := table(of).groupby(xr.DataArray(T % 2, dims="time", name="odd"))) - g.mean())
        .transpose("station", "time")
        .data
    ),
    "coarsen": lambda of: table(of).coarsen(time=2).mean().data,
    "rolling": lambda of: table(of).rolling(time=3).mean().data,
    "rolling, construct": lambda of: table(of).rolling(time=3).construct("window").data,
    "interp": lambda of: table(of).interp(time=[0.5, 1.5]).data,
    "idxmax": lambda of: table(of).idxmax("time").data,
    "sortby": lambda of: table(of).sortby("time", ascending=False).data,
    "reindex": lambda of: table(of).reindex(time=[1, 2, 9]).data,
    "align": lambda of: xr.align(table(of), table(of).isel(time=slice(2)))[0].data,
    "identical": lambda of: table(of).identical(table(of)),
    "equals": lambda of: table(of).equals(table(of)),
    "allclose": lambda of: xr.testing.assert_allclose(table(of), table(of) + 1e-12),
    "dataset": lambda of: (xr.Dataset({"a": table(of), "b": table(of) * 2}).mean("time"))["b"].data,
    "to_array": lambda of: xr.Dataset({"a": table(of), "b": table(of)}).to_array().data,
    "apply_ufunc": lambda of: xr.apply_ufunc(lambda x: x * 2, table(of)).data,
    "apply_ufunc, core": lambda of: (
        xr.apply_ufunc(lambda x: x.sum(axis=-1), table(of), input_core_dims=[["time"]]).data
    ),
    "assignment": lambda of: assigned(of),
    "values": lambda of: table(of).values.tolist(),
    "item": lambda of: table(of)[0, 0].item(),
    "repr": lambda of: "station" in repr(table(of)),
    "html": lambda of: "station" in table(of)._repr_html_(),
    "to_dict": lambda of: table(of).to_dict()["data"],
    "to_dataframe": lambda of: table(of).to_dataframe("v")["v"].tolist(),
    "to_series": lambda of: table(of).to_series().tolist(),
    "real": lambda of: table(of).real.data,
    "copy": lambda of: table(of).copy().data,
    "isin": lambda of: table(of).isin([A[0, 0]]).data,
    "as_numpy": lambda of: table(of).as_numpy().data.tolist(),
    "swap_dims": lambda of: table(of).swap_dims(time="moment").data,
    "thin": lambda of: table(of).thin(time=2).data,
    "dropna": lambda of: table(of, N).dropna("time", how="all").data,
    "mean of all": lambda of: float(table(of).mean()),
}


# --- arrays of ours beside coordinates, masks and weights, which are NumPy's

LAT = np.array([0.0, 10.0, 35.0, 80.0])
FIRST = np.where(np.arange(24).reshape(4, 6) % 5 == 1, np.nan, A)


def field(of: Of, values: Any = A) -> Any:
    """An array whose first axis is the one that coordinates, masks and weights have."""
    coords = {"y": np.arange(4.0), "x": T, "lat": ("y", LAT), "zone": ("y", ["n", "s", "n", "s"])}
    return xr.DataArray(of(values), dims=("y", "x"), coords=coords)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "coordinate": lambda d: d.lat,
    "mask": lambda d: d.lat > 20.0,
    "weight": lambda d: np.cos(np.deg2rad(d.lat)),
}
MIXED: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda d, o: d * o,
    "reflected product": lambda d, o: o * d,
    "division": lambda d, o: o / d,
    "comparison": lambda d, o: d > o,
    "ufunc": lambda d, o: np.maximum(d, o),
    "reflected ufunc": lambda d, o: np.add(o, d),
    "where": lambda d, o: d.where(o > 0.5),
    "where, other": lambda d, o: d.where(o > 0.5, o),
    "where, drop": lambda d, o: d.where(o > 0.5, drop=True),
    "xr.where": lambda d, o: xr.where(o > 0.5, d, o),
    "xr.where, ours decides": lambda d, o: xr.where(d > 0, o, 0.0),
    "fillna": lambda d, o: d.where(d > 0).fillna(o),
    "combine_first": lambda d, o: d.where(d > 0).combine_first(o),
    "clip": lambda d, o: d.clip(max=o * 1.0),
    "weighted mean": lambda d, o: d.weighted(o).mean(),
    "weighted mean of an axis": lambda d, o: d.weighted(o).mean("y"),
    "weighted sum of NaN": lambda d, o: d.where(d > 0).weighted(o).sum("y"),
    "weighted std": lambda d, o: d.weighted(o).std("y"),
    "weighted quantile": lambda d, o: d.weighted(o).quantile(0.5, dim="y"),
    "dot": lambda d, o: xr.dot(d, o, dim="y"),
    "dot of the other": lambda d, o: xr.dot(o, d),
    "dot of three": lambda d, o: xr.dot(d, o, d, dim="y"),
    "matmul": lambda d, o: o @ d,
    "cov": lambda d, o: xr.cov(d, o, "y"),
    "corr": lambda d, o: xr.corr(d, o * 1.0, "y"),
    "quantile": lambda d, o: (d * o).quantile([0.25, 0.5], "y"),
    "quantile of NaN": lambda d, o: d.where(o > 0.5).quantile(0.5, "y"),
    "cross": lambda d, o: xr.cross(d.isel(y=slice(3)), (o * 1.0).isel(y=slice(3)), dim="y"),
    "cross of the other": lambda d, o: xr.cross((o * 1.0).isel(y=slice(3)), d.isel(y=slice(3)), dim="y"),
    "apply_ufunc": lambda d, o: xr.apply_ufunc(lambda a, b: a * b, d, o),
    "apply_ufunc, core": lambda d, o: xr.apply_ufunc(
        lambda a, b: (a * b).sum(axis=-1), d, o, input_core_dims=[["y"], ["y"]]
    ),
    "apply_ufunc, core of the last": lambda d, o: xr.apply_ufunc(
        lambda a, b: a * b[..., None], d, o, input_core_dims=[["x"], []], output_core_dims=[["x"]]
    ),
    "apply_ufunc, einsum": lambda d, o: xr.apply_ufunc(
        lambda a, b: np.einsum("...i,...i", a, b), d, o, input_core_dims=[["y"], ["y"]]
    ),
    "groupby": lambda d, o: d.groupby(o).mean(),
    "groupby, arithmetic": lambda d, o: (d.groupby("zone") - (d * o).groupby("zone").mean()).transpose("y", "x"),
    "groupby_bins": lambda d, o: (d * o).groupby_bins("lat", [-1, 20, 90]).sum(),
    "rolling": lambda d, o: (d * o).rolling(y=2).mean(),
    "rolling, reduced": lambda d, o: d.where(o > 0.5).rolling(y=3, min_periods=1).max(),
    "rolling, construct": lambda d, o: d.rolling(y=2).construct("w", fill_value=0.0) * o,
    "coarsen": lambda d, o: (d * o).drop_vars("zone").coarsen(y=2).sum(),
    "cumsum": lambda d, o: (d * o).cumsum("y"),
    "interpolate_na": lambda d, o: d.where(o <= 0.9).interpolate_na("y"),
    "interpolate_na, limit": lambda d, o: (d * o).where(d > 0).interpolate_na("y", limit=1),
    "isin": lambda d, o: d.isin(o),
    "concat": lambda d, o: xr.concat([d, (o * 1.0).broadcast_like(d)], "z"),
    "assigned": lambda d, o: d.assign_coords(x=d.x * 2.0) - o,
    "dataset": lambda d, o: xr.Dataset({"a": d, "b": o * 1.0}).to_array().mean("variable").transpose("y", "x"),
    "polyfit": lambda d, o: (d * o).polyfit("y", 1).polyfit_coefficients,
    "idxmax": lambda d, o: (d + o).idxmax("y"),
    "sortby": lambda d, o: d.sortby(o),
    "differentiate": lambda d, o: (d * o).differentiate("lat"),
    "integrate": lambda d, o: (d * o).integrate("y"),
}


def mixed(name: str, other: str, values: Any = A) -> Program:
    def program(of: Of) -> Any:
        d = field(of, values)
        return MIXED[name](d, OTHERS[other](d)).data

    return program


# NumPy's functions that xarray reaches through ``__array_function__`` and ``__array_ufunc__``
REACHED: dict[str, Callable[[Any], Any]] = {
    **{f"np.{name}": getattr(np, name) for name in ("absolute", "conjugate", "exp", "isnan", "sin", "sqrt")},
    **{
        f"nan{name}": lambda d, name=name: getattr(d, name)("y")  # type: ignore[misc]
        for name in ("prod", "cumsum", "argmax", "median", "std")
    },
    "nanquantile": lambda d: d.quantile(0.5, "y"),
    "isclose": lambda d: xr.apply_ufunc(np.isclose, d, d + 1e-12),
    "concatenate": lambda d: xr.concat([d, d], "y"),
    "np.divide": lambda d: np.divide(d, 2),
    "np.greater_equal": lambda d: np.greater_equal(d, 0.0),
    "np.matmul": lambda d: d @ d.rename(x="z"),
}
BESIDE: dict[str, Program] = {
    **{f"{name}, {other}": mixed(name, other) for name in MIXED for other in OTHERS},
    **{f"{name}, NaN": lambda of, name=name: REACHED[name](field(of, FIRST)).data for name in REACHED},  # type: ignore[misc]
}

BESIDE_ON_HOST = {"interpolate_na", "weighted quantile"}  # loops by numpy.vectorize, which gives NumPy's arrays
ON_HOST = {"interp"}  # xarray computes these with SciPy, on NumPy's arrays
PRODUCTS = ("dot", "matmul", "weighted")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    with xr.set_options(use_opt_einsum=False):
        check_program(PROGRAMS[name], on_device=name not in ON_HOST)


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_by_opt_einsum(name: str) -> None:
    pytest.importorskip("opt_einsum")
    check_program(PROGRAMS[name])


@pytest.mark.parametrize("name", BESIDE)
def test_arrays_beside_numpys(name: str) -> None:
    on_device = name.partition(",")[0] not in BESIDE_ON_HOST
    with xr.set_options(use_opt_einsum=name.startswith("dot")):  # where xarray is told so, and opt_einsum is there
        check_program(BESIDE[name], on_device=on_device)
