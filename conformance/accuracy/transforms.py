"""Errors of Fourier transforms, over lengths that are powers of two, smooth, odd, prime and one more.

They are measured in u = eps / 2, the error of one rounding, beside the root mean square of the result: the worst
element, and the root mean square of all errors. A transform of n elements rounds each about log2(n) times. The
reference is a transform in integers: numbers of 128 bits behind the point, with roots of unity by mpmath.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

from arrayapi_gpu.backends.base import Device
from conformance.accuracy.sums import HostArray, Sum
from conformance.twin import scalar_twin

SHIFT = 128  # bits behind the point
LENGTHS = ((2, 16, 45, 97, 256, 1000, 1009, 2187, 4096), (16, 45, 97))  # in full and in quick
PLANE = ((45, 64), (6, 10))
FUNCTIONS = ("fft", "ifft", "rfft", "irfft", "hfft", "fftn")
ROWS = 2
OWN = "own kernels for GPUs"

Parts = tuple[HostArray, HostArray]  # real and imaginary parts in integers


@lru_cache(16)
def _roots(n: int) -> Parts:
    with mpmath.workprec(2 * SHIFT):
        angles = [2 * mpmath.pi * k / n for k in range(n)]
        found = [[int(mpmath.nint(mpmath.ldexp(part, SHIFT))) for part in map(f, angles)]
                 for f in (mpmath.cos, mpmath.sin)]  # fmt: skip
    return np.array(found[0], object), -np.array(found[1], object)


def _product(a: Parts, b: Parts) -> Parts:
    re, im = a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
    return re >> SHIFT, im >> SHIFT


def _transformed(x: Parts) -> Parts:
    """The transform along the last axis, by the factors of its length."""
    n = x[0].shape[-1]
    factor = next((k for k in range(2, math.isqrt(n) + 1) if n % k == 0), n)
    parts = [(x[0][..., k::factor], x[1][..., k::factor]) for k in range(factor)]
    if factor < n:
        parts = [_transformed(part) for part in parts]
    index, roots = np.arange(n), _roots(n)
    out = np.zeros_like(x[0]), np.zeros_like(x[1])
    for k, part in enumerate(parts):
        turned = _product(
            (part[0][..., index % (n // factor)], part[1][..., index % (n // factor)]),
            (roots[0][k * index % n], roots[1][k * index % n]),
        )
        out = out[0] + turned[0], out[1] + turned[1]
    return out


def _integers(x: HostArray) -> Parts:
    scaled = [[int(math.ldexp(value, SHIFT // 2)) << SHIFT // 2 for value in part.ravel().tolist()]
              for part in (x.real, x.imag)]  # fmt: skip
    return np.array(scaled[0], object).reshape(x.shape), np.array(scaled[1], object).reshape(x.shape)


def exact(function: str, x: HostArray, n: int) -> Parts:
    """The result of a function, times 2^SHIFT. ``n``: the length of a real result."""
    if function in ("irfft", "hfft"):
        x = np.concatenate([x, x[..., 1 : (n + 1) // 2][..., ::-1].conj()], axis=-1)
    re, im = _integers(x)
    if function in ("ifft", "irfft"):
        im = -im
    re, im = _transformed((re, im))
    if function == "fftn":
        re, im = (part.T for part in _transformed((re.T, im.T)))
    if function in ("ifft", "irfft"):
        re, im = re // x.shape[-1], -im // x.shape[-1]
    if function == "rfft":
        re, im = re[..., : n // 2 + 1], im[..., : n // 2 + 1]
    return re, im


def measure(dtype: str, sources: dict[str, Any], quick: bool) -> Iterator[Sum]:
    """Two rows a function and source; a source computes (function, array, length). ``dtype``: of complex numbers."""
    for function in FUNCTIONS:
        worst = {source: Sum(function, dtype, source, "4 log2(n) + 8") for source in sources}
        mean = {source: Sum(f"{function}, mean", dtype, source, "log2(n) + 2") for source in sources}
        for n in (0,) if function == "fftn" else LENGTHS[quick]:
            x, steps = _input(function, np.dtype(dtype), n, quick), math.log2(n or math.prod(PLANE[quick]))
            true = exact(function, x, n)
            for source, compute in sources.items():
                errors = _errors(compute(function, x, n), true)
                what = f"length {n}" if n else "{} x {}".format(*PLANE[quick])
                _note(worst[source], float(np.max(errors)), 4 * steps + 8, what)
                _note(mean[source], float(np.sqrt(np.mean(errors**2))), steps + 2, what)
        yield from worst.values()
        yield from mean.values()


def _input(function: str, dtype: np.dtype[Any], n: int, quick: bool) -> HostArray:
    rng = np.random.default_rng(n)
    half = n // 2 + 1 if function in ("irfft", "hfft") else n
    shape = PLANE[quick] if function == "fftn" else (ROWS, half)
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    x = x.astype(dtype)
    if function in ("irfft", "hfft"):  # a half, whose ends are real
        x.imag[:, 0] = 0
        x.imag[:, -1:] *= n % 2
    return x.real.copy() if function == "rfft" else x


def _errors(got: HostArray, true: Parts) -> HostArray:
    """The errors in u beside the root mean square of the result."""
    u = float(np.finfo(got.dtype).eps) / 2
    own = _integers(got)
    parts = [(a - b).astype(np.float64) * 2.0**-SHIFT for a, b in zip(own, true, strict=True)]
    if got.dtype.kind != "c":
        parts[1] = np.zeros_like(parts[1])
    size = np.sqrt(np.mean(sum((part.astype(np.float64) * 2.0**-SHIFT) ** 2 for part in true)))
    return np.asarray(np.hypot(*parts) / (u * float(size)))


def _note(row: Sum, error: float, bound: float, what: str) -> None:
    row.broken |= not error <= bound
    if not error <= row.worst:
        row.worst, row.at = error, what


def of_namespace(xp: Any, take: Callable[[HostArray], Any]) -> Callable[[str, HostArray, int], HostArray]:
    """The functions of a namespace. ``take``: makes an array of its own."""

    def compute(function: str, x: HostArray, n: int) -> HostArray:
        options = {"n": n} if function in ("irfft", "hfft") else {}
        return np.asarray(getattr(xp.fft, function)(take(x), **options))

    return compute


def own_kernels(devices: Iterable[Device]) -> dict[str, Device]:
    """OpenCL's drivers of CPUs as if they were those of GPUs, where kernels compute transforms; by name."""
    found = {}
    for device in devices:
        if device.kind == "cpu" and device.name.startswith("opencl"):
            twin = found[f"{device}, {OWN}"] = scalar_twin(device)
            twin.host_shared, twin.library = False, None
    return found
