"""The functions that autoray calls for arrays of this package: NumPy's, which run on the device (`numpy_protocols`).

autoray looks up a function in the package of an array's class and passes NumPy's arguments. The standard's functions
with the same names take other arguments, so NumPy's functions are registered with autoray instead. Functions that
create arrays are those of this package, because NumPy's create host arrays. autoray is never imported here. quimb,
cotengra and PennyLane use autoray.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.array_object import Array

NAME = "arrayapi_gpu"  # autoray's name for the package of the class
DISPATCHING = (np.ufunc, type(np.sum))  # functions that dispatch on their arguments
OF_NUMBERS = ("linspace", "logspace")  # they dispatch, too, but are called with numbers: use the namespace's functions
CREATION = {
    "asarray": "asarray",
    "empty": "empty",
    "eye": "eye",
    "full": "full",
    "identity": "eye",
    "ones": "ones",
    "zeros": "zeros",
}
CREATED_ON_HOST = ("geomspace", "indices", "tri")
SCIPYS = ("linalg.expm", "linalg.lu", "scipy.linalg.expm", "scipy.linalg.lu", "scipy.linalg.solve_triangular")


def functions(namespace: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Pairs of a name in autoray and the function to call; ``namespace``: the names of this package."""
    for prefix, module in (("", np), ("linalg.", np.linalg), ("fft.", np.fft)):
        for name, value in vars(module).items():
            if isinstance(value, DISPATCHING) and not name.startswith("_") and name not in OF_NUMBERS:
                yield prefix + name, value
    for name, own_name in CREATION.items():
        yield name, namespace[own_name]
    yield "array", _array(namespace)
    for name in CREATED_ON_HOST:
        yield name, _created_on_host(namespace, name)
    yield "complex", lambda real, imag: real + 1j * imag
    yield "linalg.svd", _svd
    yield "to_device", lambda x, device: x if device is None else x.to_device(device)
    for name in SCIPYS:
        yield name, getattr(namespace["linalg"], name.rpartition(".")[2])
    yield from _samples(namespace)


def _array(namespace: dict[str, Any]) -> Callable[..., Array]:
    def array(values: Any, **options: Any) -> Array:
        made: Array = namespace["asarray"](values, **{"copy": True, **options})
        return made

    return array


def _created_on_host(namespace: dict[str, Any], name: str) -> Callable[..., Array]:
    def function(*args: Any, device: Any = None, **options: Any) -> Array:
        made: Array = namespace["asarray"](getattr(np, name)(*args, **options), device=device)
        return made

    return function


def _svd(a: Any, full_matrices: bool = False, **options: Any) -> Any:
    """The singular value decomposition, reduced by default as in autoray."""
    return np.linalg.svd(a, full_matrices=full_matrices, **options)


def _samples(namespace: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """``random.seed``, and the methods of one generator that all callers share, as NumPy's legacy functions do."""
    random = sys.modules[NAME].random  # no name of the namespace before its first use
    shared = [random.default_rng()]

    def seed(seed: Any = None) -> None:
        shared[0] = random.default_rng(seed)

    def sampling(name: str) -> Callable[..., Any]:
        def function(*args: Any, dtype: Any = None, **options: Any) -> Any:
            samples = getattr(shared[0], name)(*args, **options)
            return samples if dtype is None else namespace["astype"](samples, np.dtype(dtype))

        return function

    yield "random.seed", seed
    for name in dir(random.Generator):
        if not name.startswith("_") and name not in ("bit_generator", "bytes", "spawn"):
            yield f"random.{name}", sampling(name)


def autoray_functions(namespace: dict[str, Any]) -> Callable[[Any], None]:
    """A function that registers all these functions with autoray's module ``autoray.autoray``."""

    def register(autoray: Any) -> None:
        for name, function in functions(namespace):
            autoray.register_function(NAME, name, function)
        for name in (*CREATION, "array"):  # dtype and device are those of the array given as ``like``
            values_have_dtype = name in ("array", "asarray")
            autoray.register_creation_routine(NAME, name, inject_dtype=not values_have_dtype, inject_device=True)

    return register
