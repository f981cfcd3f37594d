"""dask's arrays over chunks of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program

import arrayapi_gpu as xp

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
tokenize = pytest.importorskip("dask.base").tokenize
sizeof = pytest.importorskip("dask.sizeof").sizeof

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(6, 8))
V = rng.normal(size=12)


def chunked(of: Of, values: Any = A, chunks: Any = None) -> Any:
    """A dask array whose chunks are arrays of the library that is tried."""
    return da.from_array(of(values), chunks=chunks or tuple(n // 2 for n in values.shape), asarray=False)


def reduced(name: str, axis: int | None = 1) -> Program:
    return lambda of: getattr(chunked(of), name)(axis=axis)


def mapped(name: str) -> Program:
    return lambda of: getattr(np, name)(chunked(of))


def stored(of: Of) -> Any:
    target = np.zeros_like(A)
    da.store(chunked(of), target, scheduler="sync")
    return target.tolist()


def assigned(of: Of) -> Any:
    x = chunked(of)
    x[:, 0] = 7.0
    return x


REDUCTIONS = ["all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var"]
UFUNCS = ["absolute", "cos", "exp", "isnan", "negative", "sign", "sin", "sqrt"]

PROGRAMS: dict[str, Program] = {
    **{name: reduced(name) for name in REDUCTIONS},
    **{f"{name} of all": reduced(name, axis=None) for name in REDUCTIONS},
    **{f"np.{name}": mapped(name) for name in UFUNCS},
    "arithmetic": lambda of: chunked(of) * 2 + chunked(of) ** 2,
    "number of NumPy": lambda of: np.float64(2) * chunked(of),
    "add with dtype": lambda of: np.add(chunked(of), 1, dtype="float32"),
    "divide": lambda of: chunked(of) / chunked(of),
    "maximum": lambda of: np.maximum(chunked(of), 0.0),
    "matmul": lambda of: chunked(of) @ chunked(of).T,
    "dot": lambda of: da.dot(chunked(of), chunked(of).T),
    "tensordot": lambda of: da.tensordot(chunked(of), chunked(of), axes=((0, 1), (0, 1))),
    "einsum": lambda of: da.einsum("ij,kj->ik", chunked(of), chunked(of)),
    "outer": lambda of: da.outer(chunked(of, V), chunked(of, V)),
    "cumsum": lambda of: da.cumsum(chunked(of), axis=0),
    "diff": lambda of: da.diff(chunked(of), axis=1),
    "gradient": lambda of: da.gradient(chunked(of, V))[0],
    "clip": lambda of: da.clip(chunked(of), -1, 1),
    "round": lambda of: da.round(chunked(of), 1),
    "where": lambda of: da.where(chunked(of) > 0, chunked(of), 0.0),
    "isin": lambda of: da.isin(chunked(of), [A[0, 0]]),
    "take": lambda of: da.take(chunked(of), [0, 3], axis=1),
    "slices": lambda of: chunked(of)[1:, ::2],
    "mask": lambda of: chunked(of, V)[chunked(of, V) > 0],
    "index": lambda of: chunked(of)[:, [0, 5]],
    "transpose": lambda of: chunked(of).T,
    "reshape": lambda of: chunked(of).reshape(48),
    "concatenate": lambda of: da.concatenate([chunked(of), chunked(of)], axis=1),
    "stack": lambda of: da.stack([chunked(of), chunked(of)]),
    "vstack": lambda of: da.vstack([chunked(of), chunked(of)]),
    "repeat": lambda of: da.repeat(chunked(of), 2, axis=0),
    "tile": lambda of: da.tile(chunked(of), 2),
    "pad": lambda of: da.pad(chunked(of), 1, mode="constant"),
    "roll": lambda of: da.roll(chunked(of), 1, axis=0),
    "flip": lambda of: da.flip(chunked(of), 0),
    "broadcast_to": lambda of: da.broadcast_to(chunked(of), (2, 6, 8)),
    "zeros_like": lambda of: da.zeros_like(chunked(of)),
    "full_like": lambda of: da.full_like(chunked(of), 3.0),
    "median": lambda of: da.median(chunked(of), axis=1),
    "percentile": lambda of: da.percentile(chunked(of, V, 12), [25, 50]),
    "quantile": lambda of: da.quantile(chunked(of, V, 12), 0.3),
    "histogram": lambda of: da.histogram(chunked(of, V), bins=4, range=(-3, 3))[0],
    "bincount": lambda of: da.bincount(chunked(of, np.arange(12) % 3), minlength=3),
    "digitize": lambda of: da.digitize(chunked(of, V), np.array([-1.0, 0.0, 1.0])),
    "nansum": lambda of: da.nansum(chunked(of), axis=0),
    "nanmean": lambda of: da.nanmean(chunked(of), axis=0),
    "topk": lambda of: da.topk(chunked(of, V), 3),
    "unique": lambda of: da.unique(chunked(of, np.arange(12) % 3)),
    "cov": lambda of: da.cov(chunked(of, A, (6, 8))),
    "apply_along_axis": lambda of: da.apply_along_axis(np.sum, 1, chunked(of)),
    "map_blocks": lambda of: chunked(of).map_blocks(lambda x: x * 2),
    "map_overlap": lambda of: chunked(of).map_overlap(lambda x: x * 2, depth=1, boundary="reflect"),
    "rechunk": lambda of: chunked(of).rechunk((6, 2)),
    "fft": lambda of: da.fft.fft(chunked(of, A, (3, 8)), axis=1),
    "qr": lambda of: abs(da.linalg.qr(chunked(of, A.T.copy(), (4, 6)))[1]),
    "svd": lambda of: da.linalg.svd(chunked(of, A.T.copy(), (4, 6)))[1],
    "norm": lambda of: da.linalg.norm(chunked(of)),
    "store": lambda of: stored(of),
    "assignment": lambda of: assigned(of),
}


# dask combines these in records, which are NumPy's.
ON_HOST = {"argmax", "argmin", "argmax of all", "argmin of all", "unique"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    def computed(of: Of) -> Any:
        result = PROGRAMS[name](of)
        return result.compute(scheduler="sync") if isinstance(result, da.Array) else result

    check_program(computed, on_device=name not in ON_HOST)


def test_threads() -> None:
    x = chunked(xp.asarray)
    np.testing.assert_allclose((x * 2).sum(axis=0).compute(scheduler="threads").to_numpy(), (A * 2).sum(axis=0))


def test_the_size_of_an_array_is_known() -> None:
    assert sizeof(xp.zeros(100_000)) == 800_000


def test_tokens_follow_the_values() -> None:
    assert tokenize(xp.asarray(A)) == tokenize(xp.asarray(A)) != tokenize(xp.asarray(A + 1))
