"""The libraries compared: how each takes its inputs, computes, and is waited for.

A library that is not installed is left out. Each runs as its users run it: JAX under `jit`, PyTorch
eager, numexpr on its own expressions.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu
from bench.case import Case
from bench.measure import Run


class Peer(NamedTuple):
    """A library: its name, its version, and how it turns a case into a run (None: it cannot)."""

    name: str
    version: str
    prepare: Callable[[Case], Run | None]


def peers() -> list[Peer]:
    """Return NumPy, arrayapi_gpu, and those of the others that are installed."""
    makers = [_numpy, _ours, _torch, _jax, _numexpr, _cupy]
    found = []
    for maker in makers:
        try:
            found.append(maker())
        except ImportError:
            continue
    return found


def _numpy() -> Peer:
    def prepare(case: Case) -> Run:
        return lambda: case.compute(np, *case.arrays)

    return Peer("NumPy", np.__version__, prepare)


def _ours() -> Peer:
    def prepare(case: Case) -> Run:
        arrays = [arrayapi_gpu.asarray(array) for array in case.arrays]
        if not case.waits:
            return lambda: case.compute(arrayapi_gpu, *arrays)
        return lambda: arrayapi_gpu.sync(case.compute(arrayapi_gpu, *arrays))

    return Peer("arrayapi_gpu", arrayapi_gpu.__version__, prepare)


def _torch() -> Peer:
    # Its idle threads shall sleep: by default they spin, and take the cores from whoever is next.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    torch: Any = importlib.import_module("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"

    def wait() -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    def prepare(case: Case) -> Run | None:
        arrays = [torch.from_numpy(array).to(device) for array in case.arrays]

        def run() -> object:
            result = case.compute(torch, *arrays)
            wait()
            return result

        return run if case.arrays else None  # its functions that create arrays differ

    return Peer(f"PyTorch {device}", torch.__version__, prepare)


def _jax() -> Peer:
    jax: Any = importlib.import_module("jax")

    def prepare(case: Case) -> Run | None:
        if not case.arrays:  # compiling a loop of 5,000 steps takes minutes
            return None
        arrays = [jax.numpy.asarray(array) for array in case.arrays]
        compiled = jax.jit(lambda *arrays: case.compute(jax.numpy, *arrays))
        return lambda: compiled(*arrays).block_until_ready()

    return Peer(f"JAX {jax.default_backend()}", jax.__version__, prepare)


def _numexpr() -> Peer:
    numexpr: Any = importlib.import_module("numexpr")

    def prepare(case: Case) -> Run | None:
        if case.numexpr is None:
            return None
        names = dict(zip("ab", case.arrays, strict=False))
        return lambda: numexpr.evaluate(case.numexpr, local_dict=names)

    return Peer("numexpr", numexpr.__version__, prepare)


def _cupy() -> Peer:
    cupy: Any = importlib.import_module("cupy")
    if not cupy.cuda.is_available():
        raise ImportError("CuPy finds no device")

    def prepare(case: Case) -> Run:
        arrays = [cupy.asarray(array) for array in case.arrays]

        def run() -> object:
            result = case.compute(cupy, *arrays)
            cupy.cuda.Device().synchronize()
            return result

        return run

    return Peer("CuPy", cupy.__version__, prepare)
