"""xarray's arithmetic, indexing and reductions keep our arrays, and give what they give over NumPy's."""

from __future__ import annotations

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
