"""The multilinear algebra of CL_ARRAY's thesis (Table 6.IV) and its convolution of images, beside other libraries.

Sums of two tensors, products of two matrices, a contraction of a tensor of four dimensions with one of three, in
float64; and a 3 x 3 convolution of images whose pixels are structures of three bytes.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench.libraries import Library, library, ours
from bench.thesis import Curves, timed

HostArray = np.ndarray[Any, Any]

COMPAT = {"CuPy": "array_api_compat.cupy", "PyTorch": "array_api_compat.torch"}
PIXEL = np.dtype([("red", "u1"), ("green", "u1"), ("blue", "u1")])
WEIGHTS = ((1.0, 2.0, 1.0), (2.0, 4.0, 2.0), (1.0, 2.0, 1.0))


def addition(_: Any, a: Any, b: Any) -> Any:
    """C[i, j, k] = A[i, j, k] + B[i, j, k]."""
    return a + b


def product(space: Any, a: Any, b: Any) -> Any:
    """C[i, j] = sum of A[i, k] B[k, j]."""
    return space.matmul(a, b)


def contraction(space: Any, a: Any, b: Any) -> Any:
    """C[h, i, j, g] = sum of A[h, i, k] B[k, j, g]."""
    return space.tensordot(a, b, axes=1)


def convolution(space: Any, image: Any) -> Any:
    """The weighted mean of each pixel's neighbours, edges repeated, of shape (height, width, 3), uint8.

    ``image``: records of `PIXEL`, or an array of that shape. The attributes of the structures are views, every third
    byte of the image.
    """
    total = sum(map(sum, WEIGHTS))
    height, width = image.shape[:2]
    attributes = []
    for k, name in enumerate(PIXEL.names or ()):
        attribute = image[name] if len(image.shape) == 2 else image[..., k]
        plane = space.astype(attribute, space.float32)
        rows = space.concat([plane[:1], plane, plane[-1:]], axis=0)
        around = space.concat([rows[:, :1], rows, rows[:, -1:]], axis=1)
        found = None
        for i, line in enumerate(WEIGHTS):
            for j, weight in enumerate(line):
                term = around[i : i + height, j : j + width] * (weight / total)
                found = term if found is None else found + term
        attributes.append(space.astype(found, space.uint8))
    return space.stack(attributes, axis=-1)


Work = tuple[Callable[..., Any], Callable[[int], tuple[HostArray, ...]], Mapping[bool, tuple[int, ...]]]


def _cubes(*ranks: int) -> Callable[[int], tuple[HostArray, ...]]:
    def make(n: int) -> tuple[HostArray, ...]:
        rng = np.random.default_rng(n)
        return tuple(rng.random((n,) * rank) for rank in ranks)

    return make


def _doubled(last: int) -> tuple[int, ...]:
    return tuple(100 << k for k in range(6) if 100 << k <= last)


def _image(n: int) -> tuple[HostArray, ...]:
    return (np.random.default_rng(n).integers(0, 256, (n, n, 3), dtype=np.uint8),)


# What is computed, and of what; the extents on CPUs, and on GPUs, where they are the
# thesis's but for the largest sums of tensors.
WORK: dict[str, Work] = {
    "sum of tensors": (addition, _cubes(3, 3), {False: (100, 200, 300), True: tuple(range(100, 700, 100))}),
    "contraction, 2 dimensions": (product, _cubes(2, 2), {False: _doubled(800), True: _doubled(3200)}),
    "contraction, 3 dimensions": (contraction, _cubes(3, 3), {False: (20, 40, 60), True: tuple(range(20, 140, 20))}),
    "convolution of an image": (convolution, _image, {False: _doubled(1600), True: _doubled(3200)}),
}

LARGEST_OF_NUMPY = dict(zip(WORK, (300, 800, 60, 1600), strict=True))


def libraries(device: Device) -> Iterator[tuple[Library, Any]]:
    """Ours and NumPy, on a GPU also CuPy and PyTorch, where they are installed; with the standard's names."""
    yield ours(device.name), xp
    for name in ("NumPy", "CuPy", "PyTorch") if device.is_gpu else ("NumPy",):
        try:
            one = library(name)
            yield one, importlib.import_module(COMPAT[name]) if name in COMPAT else one.namespace
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)


def compare(device: Device) -> Curves:
    """Figures 6.8 to 6.11 by extent: seconds of each library."""
    curves: Curves = {name: {} for name in WORK}
    known = list(libraries(device))
    for name, (compute, make, sizes) in WORK.items():
        for n in sizes[device.is_gpu]:
            hosts = make(n)
            for one, space in known:
                if one.name == "NumPy" and n > LARGEST_OF_NUMPY[name]:
                    continue
                found = timed(partial(_started, one, compute, space, [one.take(host) for host in hosts]), one.wait)
                curves[name].setdefault("ours" if space is xp else one.name, {})[str(n)] = found
    return curves


def _started(one: Library, compute: Callable[..., Any], space: Any, arrays: list[Any]) -> None:
    one.start(compute(space, *arrays))
