"""dask's arrays over chunks of ours."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device

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


def reduced(name: str, axis: int | None = 1, chunks: Any = None) -> Program:
    return lambda of: getattr(chunked(of, chunks=chunks), name)(axis=axis)


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
    **{f"{name} of one chunk": reduced(name, chunks=A.shape) for name in REDUCTIONS},
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


# --- dask.config.set({"array.backend": "arrayapi_gpu"})

CREATED: dict[str, Callable[[], Any]] = {
    "ones": lambda: da.ones((4, 6), chunks=(2, 3)),
    "ones, dtype": lambda: da.ones((4, 6), chunks=4, dtype="int16"),
    "ones, one number": lambda: da.ones(5, chunks=2),
    "ones, 0 dimensions": lambda: da.ones(()),
    "ones, nothing": lambda: da.ones((0, 3)),
    "zeros": lambda: da.zeros((4, 6), chunks=(2, 3)),
    "zeros, dtype": lambda: da.zeros(5, dtype="complex64"),
    "full": lambda: da.full((3, 2), 2, chunks=1),
    "full, float": lambda: da.full((3, 2), 2.5),
    "full, dtype": lambda: da.full((3, 2), 2, dtype="float32"),
    "empty": lambda: da.empty((3, 2), chunks=2) * 0 == 7,
    "arange": lambda: da.arange(10, chunks=4),
    "arange, floats": lambda: da.arange(2.0, 9.0, 2.0, chunks=2),
    "arange, dtype": lambda: da.arange(2, 9, dtype="float32"),
    "arange, backwards": lambda: da.arange(9, 2, -2),
    "arange, nothing": lambda: da.arange(0),
    "to_backend": lambda: da.from_array(A, chunks=3).to_backend(),
    "to_backend twice": lambda: da.from_array(A, chunks=3).to_backend().to_backend(),
    "arithmetic": lambda: (da.ones((4, 6), chunks=3) + da.arange(6, chunks=3)).sum(axis=0),
    "mean": lambda: da.ones((4, 6), chunks=3).mean(axis=1),
    "mean of all": lambda: da.arange(6.0, chunks=4).mean(),
    "nanmean": lambda: da.nanmean(da.ones((4, 6), chunks=3), axis=0),
    "rechunk": lambda: da.arange(12, chunks=5).rechunk(4).reshape(3, 4),
}


@pytest.mark.parametrize("name", CREATED)
def test_arrays_are_made_on_the_device(name: str, device: Device) -> None:
    expected = CREATED[name]()
    with dask.config.set({"array.backend": "arrayapi_gpu"}):
        made = CREATED[name]()
    assert isinstance(made._meta, xp.Array)
    assert made.dtype == expected.dtype and made.chunks == expected.chunks
    got = made.compute(scheduler="sync")
    assert isinstance(got, xp.Array) and got.device is device
    np.testing.assert_array_equal(got.to_numpy(), expected.compute(scheduler="sync"), strict=got.ndim > 0)


def test_chunks_lie_on_the_device_of_the_block_in_which_an_array_is_made() -> None:
    """Whatever the threads of dask have, which compute them later."""
    last = devices()[-1]
    with dask.config.set({"array.backend": "arrayapi_gpu"}), xp.config.set(device=str(last)):
        made = {name: CREATED[name]() for name in ("ones", "zeros, dtype", "full", "to_backend", "mean", "nanmean")}
    for name, x in made.items():
        assert x.compute(scheduler="threads").device is last, name


def test_arrays_of_ours_need_no_backend() -> None:
    with dask.config.set({"array.backend": "arrayapi_gpu"}):
        x = da.from_array(xp.asarray(A), chunks=4)
    assert isinstance(x._meta, xp.Array) and isinstance(x.compute(), xp.Array)
    back = x.to_backend("numpy")
    assert isinstance(back._meta, np.ndarray)
    np.testing.assert_array_equal(back.compute(), A)


METHODS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda rng: rng.normal(size=(6, 4), chunks=3),
    "integers": lambda rng: rng.integers(-3, 9, size=7, chunks=2),
    "gamma": lambda rng: rng.gamma(2.5, 3.0, size=7, chunks=4),
    "choice": lambda rng: rng.choice(10, size=6, chunks=2),
}


@pytest.mark.parametrize("name", METHODS)
def test_random_numbers_are_made_here(name: str) -> None:
    """Each chunk has a stream of its own, and a seed gives the same again."""
    with dask.config.set({"array.backend": "arrayapi_gpu"}):
        x, y = (METHODS[name](da.random.default_rng(3)) for _ in range(2))
        assert x.name == y.name
        first, again = x.compute(), y.compute()
        assert isinstance(x._meta, xp.Array) and isinstance(first, xp.Array)
        np.testing.assert_array_equal(first.to_numpy(), again.to_numpy())
        assert len(np.unique(METHODS["normal"](da.random.default_rng(3)).compute().to_numpy())) == 24


def test_the_old_random_state_is_refused_with_a_way_out() -> None:
    with (
        dask.config.set({"array.backend": "arrayapi_gpu"}),
        pytest.raises(NotImplementedError, match=r"use da.random.default_rng"),
    ):
        da.random.random(3)


def test_graphs_over_arrays_made_here_are_pickled() -> None:
    with dask.config.set({"array.backend": "arrayapi_gpu"}):
        x = da.arange(8, chunks=3).to_backend() + da.from_array(A[0], chunks=3).to_backend()
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).compute().to_numpy(), np.arange(8) + A[0])


# --- which chunks are equal, and how large they are

TOKENS: dict[str, tuple[Program, Program]] = {
    "values": (lambda of: of(A), lambda of: of(A + 1)),
    "dtype": (lambda of: of(np.zeros(4, "int32")), lambda of: of(np.zeros(4, "float32"))),
    "shape": (lambda of: of(A), lambda of: of(A.reshape(8, 6))),
    "strides": (lambda of: of(A)[:, ::2], lambda of: of(A)[:, 1::2]),
    "pending": (lambda of: of(A) * 2 + 1, lambda of: of(A) * 3 + 1),
    "nothing": (lambda of: of(A[:0]), lambda of: of(A[:, :0])),
}


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_follow_the_contents(name: str) -> None:
    one, other = TOKENS[name]
    assert tokenize(one(xp.asarray)) == tokenize(one(xp.asarray))
    assert tokenize(one(xp.asarray)) == tokenize(xp.asarray(np.ascontiguousarray(one(np.asarray))))
    assert tokenize(one(xp.asarray)) != tokenize(other(xp.asarray))


def test_equal_arrays_are_one_chunk_in_the_graph() -> None:
    one, other = (da.from_array(xp.asarray(A), chunks=4) for _ in range(2))
    assert one.name == other.name != da.from_array(xp.asarray(A + 1), chunks=4).name


# --- what is told to dask, in a process of its own

ASKED = """
from dask.array import dispatch
known = [name for name in dir(dispatch) if name.endswith("_lookup") and xp.Array in getattr(dispatch, name)._lookup]
assert len(known) == 9, known
assert isinstance(dispatch.to_numpy_dispatch(xp.ones(3)), np.ndarray)
assert "dask.array.backends" not in [getattr(finder, "name", None) for finder in sys.meta_path]
"""
ORDERS = {
    "ours first": "import arrayapi_gpu as xp; assert 'dask' not in sys.modules; import dask.array as da",
    "dask first": "import dask.array as da; import arrayapi_gpu as xp",
    "dask, ours, dask.array": "import dask; import arrayapi_gpu as xp; import dask.array as da",
    "again, after an error": "import arrayapi_gpu as xp, dask\n"
    "sys.modules['dask.array.chunk'] = None\n"
    "try: import dask.array\n"
    "except ImportError: del sys.modules['dask.array.chunk']\n"
    "import dask.array as da",
}


@pytest.mark.parametrize("order", ORDERS)
def test_dask_is_told_whichever_is_imported_first(order: str) -> None:
    code = f"import sys, numpy as np\n{ORDERS[order]}\n{ASKED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
