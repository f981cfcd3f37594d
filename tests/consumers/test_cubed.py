"""cubed computes its chunks in our namespace. It chooses one when it is imported, so it has a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import run_on

from arrayapi_gpu.backends.base import Device

pytest.importorskip("cubed")

PROGRAM = """
import os
os.environ["CUBED_BACKEND_ARRAY_API_MODULE"] = "arrayapi_gpu"
import cubed
import cubed.array_api as ca
import numpy as np
from cubed.backend_array_api import namespace

import arrayapi_gpu as xp

assert namespace is xp
A = np.random.default_rng(0).normal(size=(6, 8))
spec = cubed.Spec(allowed_mem="200MB")
x = ca.asarray(A, chunks=(3, 4), spec=spec)
CASES = {
    "add": lambda: (x + x, A + A),
    "scalar": lambda: (2 * x - 1, 2 * A - 1),
    "exp": lambda: (ca.exp(x), np.exp(A)),
    "sum": lambda: (ca.sum(x, axis=0), A.sum(axis=0)),
    "mean": lambda: (ca.mean(x, axis=1), A.mean(axis=1)),
    "var": lambda: (ca.var(x), A.var()),
    "max": lambda: (ca.max(x), A.max()),
    "argmax": lambda: (ca.argmax(x, axis=1), A.argmax(axis=1)),
    "any": lambda: (ca.any(x > 2), (A > 2).any()),
    "matmul": lambda: (ca.matmul(x, x.T), A @ A.T),
    "tensordot": lambda: (ca.tensordot(x, x, axes=2), np.tensordot(A, A, axes=2)),
    "transpose": lambda: (x.T, A.T),
    "slice": lambda: (x[1:4, ::2], A[1:4, ::2]),
    "index": lambda: (x[:, [0, 5]], A[:, [0, 5]]),
    "reshape": lambda: (ca.reshape(x, (2, 3, 8)), A.reshape(2, 3, 8)),
    "concat": lambda: (ca.concat([x, x], axis=1), np.concatenate([A, A], axis=1)),
    "stack": lambda: (ca.stack([x, x]), np.stack([A, A])),
    "where": lambda: (ca.where(x > 0, x, ca.asarray(0.0, spec=spec)), np.where(A > 0, A, 0.0)),
    "astype": lambda: (ca.astype(x, ca.float32), A.astype("float32")),
    "nanmean": lambda: (cubed.nanmean(x), np.nanmean(A)),
    "nansum": lambda: (cubed.nansum(x), np.nansum(A)),
    "rechunk": lambda: (x.rechunk((2, 8)), A),
    "diff": lambda: (ca.diff(x, axis=1), np.diff(A, axis=1)),
    "cumulative_sum": lambda: (ca.cumulative_sum(x, axis=1), np.cumsum(A, axis=1)),
    "roll": lambda: (ca.roll(x, 1, axis=0), np.roll(A, 1, axis=0)),
    "flip": lambda: (ca.flip(x), np.flip(A)),
    "repeat": lambda: (ca.repeat(x, 2, axis=0), np.repeat(A, 2, axis=0)),
    "outer": lambda: (ca.linalg.outer(x[:, 0], x[:, 1]), np.outer(A[:, 0], A[:, 1])),
    "qr": lambda: (ca.abs(ca.linalg.qr(x.T.rechunk((8, 6))).R), abs(np.linalg.qr(A.T).R)),
}
for name, case in CASES.items():
    try:
        graph, expected = case()
        np.testing.assert_allclose(np.asarray(graph.compute()), expected, rtol=1e-6 if name == "astype" else 1e-10)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
"""


def test_chunks_are_ours(device: Device) -> None:
    done = run_on(device, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert not done.stdout, done.stdout


EXECUTOR = """
import os, tempfile
os.environ["CUBED_BACKEND_ARRAY_API_MODULE"] = "arrayapi_gpu"
name = os.environ["ARRAYAPI_GPU_DEVICE"].removeprefix("own:")  # started processes import this, too
os.environ["ARRAYAPI_GPU_DEVICE"] = f"own:{name}"
import cubed
import cubed.array_api as ca
import numpy as np
import zarr

import arrayapi_gpu as xp


def told(block):
    x = xp.asarray(block) * 0
    assert str(x.device) == str(xp.config.device).removeprefix("own:")
    return x + os.getpid()


if __name__ == "__main__":
    A = np.random.default_rng(0).normal(size=(6, 8))
    with tempfile.TemporaryDirectory() as folder:
        spec = cubed.Spec(folder, allowed_mem=xp.memory().limit // 4, executor_name=NAME, executor_options=OPTIONS)
        source = zarr.create_array(folder + "/source.zarr", shape=A.shape, chunks=(2, 8), dtype=A.dtype)
        source[:] = A
        x = cubed.from_zarr(folder + "/source.zarr", spec=spec)
        cubed.to_zarr(ca.matmul(x.T, x) / 6, folder + "/target.zarr")
        np.testing.assert_allclose(zarr.open_array(folder + "/target.zarr")[:], A.T @ A / 6, rtol=1e-10)
        processes = set(np.asarray(cubed.map_blocks(told, x, dtype=x.dtype).compute()).ravel().tolist())
        assert (processes == {os.getpid()}) == (NAME != "processes"), processes
"""
EXECUTORS = {"single-threaded": "{}", "threads": "{'max_workers': 2}", "processes": "{'max_workers': 2}"}


@pytest.mark.parametrize("name", EXECUTORS)
def test_executors_have_a_device_a_process(name: str, device: Device, tmp_path: Path) -> None:
    """Chunks come from Zarr and go there, whoever computes them; workers may take what the device has."""
    program = tmp_path / "program.py"  # which processes import
    program.write_text(f"NAME, OPTIONS = {name!r}, {EXECUTORS[name]}\n{EXECUTOR}")
    done = run_on(device, program)
    assert done.returncode == 0, done.stderr
