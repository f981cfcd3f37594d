"""The libraries compared: how each takes its inputs, computes, and is waited for.

Each runs as its users run it: JAX under `jit`, PyTorch eager and under `torch.compile`, numexpr on expressions of its
own. Where a library finds a GPU it computes there.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import arrayapi_gpu
from bench.case import Compute


def _nothing(*results: Any) -> None:
    pass


@dataclass(frozen=True)
class Library:
    """A library: ``compute(namespace, *arrays)`` is the work, ``take`` makes an array of NumPy's.

    ``start(*results)`` is what a lazy library does to begin; ``wait()`` returns when all that was started is done.
    ``spelling`` names the functions where they are not the standard's. ``expressions``: it computes texts alone.
    ``patient``: sets whether new expressions wait for the compiler.
    """

    name: str
    version: str
    namespace: Any
    take: Callable[[Any], Any]
    start: Callable[..., None] = _nothing
    wait: Callable[[], None] = _nothing
    compiled: Callable[[Compute], Compute] = lambda compute: compute
    spelling: str = ""
    expressions: bool = False
    patient: Callable[[bool], None] = _nothing


def _numpy() -> Library:
    return Library("NumPy", np.__version__, np, np.asarray, spelling="numpy")


def ours(device: str = "") -> Library:
    """This library, on a device such as cuda:0."""
    xp = arrayapi_gpu
    if device:
        xp.config.set(device=device)
    xp.config.set(specialise="always")  # what is measured is the state after many uses
    version = f"{xp.__version__}, {xp.asarray(0).device.description}"

    def patient(waits: bool) -> None:
        xp.config.set(wait_for_compiler=waits)

    return Library(device or "arrayapi_gpu", version, xp, xp.asarray, xp.compute, xp.sync, patient=patient)


def _torch(compiled: bool = False) -> Library:
    # Its idle threads shall sleep: by default they spin, and take the cores from whoever is next.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    torch: Any = importlib.import_module("torch")
    gpu = torch.cuda.is_available()
    torch.backends.cuda.matmul.allow_tf32 = False

    def take(array: Any) -> Any:
        return torch.from_numpy(array).to("cuda" if gpu else "cpu")

    return Library(
        "torch.compile" if compiled else "PyTorch",
        torch.__version__,
        torch,
        take,
        wait=torch.cuda.synchronize if gpu else _nothing,
        compiled=torch.compile if compiled else Library.compiled,
        spelling="torch",
    )


def _jax() -> Library:
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    last: list[Any] = []

    def start(*results: Any) -> None:
        last[:] = results

    return Library(
        "JAX",
        jax.__version__,
        jax.numpy,
        jax.device_put,
        start,
        lambda: jax.block_until_ready(last),
        lambda compute: jax.jit(compute, static_argnums=0),
        "jax",
    )


def _numexpr() -> Library:
    numexpr: Any = importlib.import_module("numexpr")
    return Library("numexpr", numexpr.__version__, numexpr, np.asarray, expressions=True)


def _cupy() -> Library:
    cupy: Any = importlib.import_module("cupy")
    if not cupy.cuda.is_available():
        raise ImportError("CuPy finds no device")
    wait = cupy.cuda.Device().synchronize
    return Library("CuPy", cupy.__version__, cupy, cupy.asarray, wait=wait, spelling="cupy")


ON_GPUS = ("CuPy", "PyTorch", "torch.compile", "JAX")
PEERS: dict[str, Callable[[], Library]] = {
    "NumPy": _numpy,
    "CuPy": _cupy,
    "PyTorch": _torch,
    "torch.compile": lambda: _torch(compiled=True),
    "JAX": _jax,
    "numexpr": _numexpr,
}


def library(name: str) -> Library:
    """A library by its name, ours by that of its device; ImportError where it is not installed."""
    return PEERS[name]() if name in PEERS else ours(name)


def standard_namespace(lib: Library) -> Any:
    """A library's namespace with the standard's functions, which CuPy and PyTorch get from array_api_compat."""
    return importlib.import_module(f"array_api_compat.{lib.spelling}") if lib.spelling in ADAPTED else lib.namespace


ADAPTED = ("cupy", "torch")


def installed() -> list[str]:
    """The names of the libraries that are there and start at once; where CuPy finds a GPU, of those that use it."""
    gpu = _starts("CuPy")
    return [name for name in PEERS if _starts(name) and (name in ON_GPUS if gpu else name != "torch.compile")]


def _starts(name: str) -> bool:
    try:
        PEERS[name]()
    except ImportError:
        return False
    return True
