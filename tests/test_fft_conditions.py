"""Every function of `fft` over lengths, dtypes, layouts, norms and conditions of numbers.

Values are compared with sums of the definition in extended precision. The error of each transform is bounded by that of
a fast transform, a multiple of log2(n) * eps of the norm of the result, however large or small the numbers are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import lay_out, posing_as_gpu, to_host
from support.residuals import wide

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

HostArray = np.ndarray[Any, Any]

LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SPACES = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn")
TO_REAL = ("irfft", "hfft", "irfftn")
INVERSE = ("ifft", "irfft", "ihfft", "ifftn", "irfftn")
DTYPES = ("float16", "float32", "float64", "complex64", "complex128")
NORMS: Any = ("backward", "ortho", "forward")
LAYOUTS = ("contiguous", "backwards", "transposed", "spread", "rows")

# Powers, products of small primes, primes that have and do not have a butterfly, squares of primes, and long ones.
LENGTHS = (1, 2, 3, 5, 8, 13, 16, 17, 35, 60, 97, 128, 169, 243, 289, 1000, 1009)
ON_GPUS = (1, 2, 13, 60, 97)  # each has kernels of its own there
# Shapes, transformed axes, and the lengths to which these are cut or padded.
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...] | None]] = [
    ((6, 8, 10), (0, 1, 2), None),
    ((6, 8, 10), (2, 0), None),
    ((7, 9), (0, 1), (9, 6)),
    ((7, 9), (1, 0), (4, 12)),
    ((3, 17, 4), (1,), (20,)),
    ((0, 8), (1,), None),
    ((2, 5, 16), (1, 2), (5, 31)),
]


class Numbers(NamedTuple):
    """How numbers of a condition are made from ordinary ones, and the exponent of the power of two that scales them."""

    make: Callable[[HostArray], HostArray] = lambda x: x
    exponent: Callable[[Any], int] = lambda info: 0


def _one_of_many(x: HostArray) -> HostArray:
    made = np.zeros_like(x)
    made[..., -1:] = 1
    return made


NUMBERS = {
    "well": Numbers(),
    "zeros": Numbers(lambda x: 0 * x),
    "signed zeros": Numbers(lambda x: np.where(abs(x) < 1, -0.0 * x, x)),
    "constant": Numbers(np.ones_like),
    "one of many": Numbers(_one_of_many),
    "graded": Numbers(lambda x: x * 2.0 ** (-3.0 * np.arange(x.shape[-1]) / max(1, x.shape[-1] / 16))),
    "subnormal": Numbers(exponent=lambda info: int(info.minexp) - 2),
    "tiny": Numbers(exponent=lambda info: int(info.minexp) + 4),
    "huge": Numbers(exponent=lambda info: int(info.maxexp) - 12),
    "overflowing": Numbers(np.ones_like, lambda info: int(info.maxexp) - 1),
}


def numbers(condition: str, dtype: str, shape: tuple[int, ...]) -> HostArray:
    row, info = NUMBERS[condition], np.finfo(dtype)
    rng = np.random.default_rng([*shape, len(condition)])
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    with np.errstate(all="ignore"):
        made = row.make(x).astype("clongdouble" if x.dtype.kind == "c" else "longdouble")
        return np.asarray((made * np.ldexp(np.longdouble(1), row.exponent(info))).astype(dtype))


# --- the definition --------------------------------------------------------------------------------------------------


@cache
def _matrix(n: int) -> HostArray:
    """Of a transform of n elements, by angles of the first quadrant's eighth, whose sines and cosines are accurate."""
    k = np.arange(n)
    turns = np.outer(k, k) % n
    angle = 2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) * turns.astype(np.longdouble) / n
    return np.asarray(np.cos(angle) - 1j * np.sin(angle))


def _line(x: HostArray, axis: int, n: int, inverse: bool) -> HostArray:
    matrix = np.conj(_matrix(n)) if inverse else _matrix(n)
    return np.moveaxis(np.moveaxis(resized(x, axis, n), axis, -1) @ matrix, -1, axis)


def resized(x: HostArray, axis: int, n: int) -> HostArray:
    moved = np.moveaxis(x, axis, -1)[..., :n]
    padded = np.zeros((*moved.shape[:-1], n), x.dtype)
    padded[..., : moved.shape[-1]] = moved
    return np.moveaxis(padded, -1, axis)


def whole(x: HostArray, axis: int, n: int) -> HostArray:
    """A Hermitian array from its first half."""
    half = np.moveaxis(resized(x, axis, n // 2 + 1), axis, -1)
    half[..., 0] = half[..., 0].real
    rest = np.conj(half[..., (n - 1) // 2 : 0 : -1])
    if n % 2 == 0:
        half[..., -1] = half[..., -1].real
    return np.moveaxis(np.concatenate([half, rest], axis=-1), -1, axis)


def definition(name: str, x: HostArray, sizes: tuple[int, ...], axes: tuple[int, ...], norm: str) -> HostArray:
    """A transform in extended precision."""
    inverse = name in INVERSE
    found = wide(x).astype("clongdouble")
    if name == "hfft":
        found = np.conj(found)
        inverse = True
    if name == "ihfft":
        inverse = False
    for axis, n in [*zip(axes, sizes, strict=True)][:-1]:
        found = _line(found, axis, n, inverse)
    axis, n = axes[-1], sizes[-1]
    found = _line(whole(found, axis, n) if name in TO_REAL else found, axis, n, inverse)
    if name in OF_REAL:
        found = np.moveaxis(np.moveaxis(found, axis, -1)[..., : n // 2 + 1], -1, axis)
    count = np.longdouble(np.prod(sizes))
    divides = {"backward": name in INVERSE, "forward": name not in INVERSE, "ortho": False}[norm]
    found = found / count if divides else found / np.sqrt(count) if norm == "ortho" else found
    return np.asarray(found.real if name in TO_REAL else np.conj(found) if name == "ihfft" else found)


# --- comparing -----------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A transform: the axes, the lengths along them, and the normalisation."""

    name: str
    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    given: bool  # whether the call says the lengths
    norm: Any

    def compute(self, x: xp.Array) -> HostArray:
        function: Any = getattr(xp.fft, self.name)
        if self.name in SPACES:
            return to_host(function(x, axes=self.axes, s=self.sizes if self.given else None, norm=self.norm))
        n = self.sizes[0] if self.given else None
        return to_host(function(x, axis=self.axes[0], n=n, norm=self.norm))


def fault(
    case: Case, condition: str, dtype: str, shape: tuple[int, ...], layout: str, by_cufft: bool = False
) -> str | None:
    """What is wrong with a transform; None if it is right.

    ``by_cufft``: cuFFT takes subnormal float32 for 0, and computes two real rows as one complex one.
    """
    host = numbers(condition, dtype, shape)
    x = lay_out(host, layout)
    found = case.compute(x)
    with np.errstate(all="ignore"):
        exact = definition(case.name, host, case.sizes, case.axes, case.norm)
    if found.shape != exact.shape:
        return f"shape {found.shape}, not {exact.shape}"
    if found.tobytes() != case.compute(x).tobytes():
        return "other bits in a second run"
    info = np.finfo(found.dtype)
    count = np.prod(case.sizes)
    with np.errstate(all="ignore"):
        size = abs(wide(host)).sum(axis=case.axes, keepdims=True) * 2
        inside = (size < np.ldexp(np.longdouble(1), int(info.maxexp) - 2)) | (exact == 0) & (size == 0)
        if not np.all(np.isfinite(found) | ~inside):
            return "not finite"
        keep = inside & np.ones(found.shape, bool)
        error, norm = (
            np.sqrt(np.sum(np.where(keep, abs(y), 0) ** 2, axis=case.axes)) for y in (wide(found) - exact, exact)
        )
        precision = np.finfo("float32") if found.dtype == np.float16 else info
        least = info.tiny if by_cufft and info.dtype == np.float32 else info.smallest_subnormal
        if by_cufft and case.name in OF_REAL + TO_REAL and norm.size:
            norm = norm.max()
        allowed = (4 + 2 * np.log2(count)) * precision.eps * norm + np.sqrt(count) * (
            info.eps * norm * (found.dtype == np.float16) + 4 * least * (1 + np.sqrt(count))
        )
        worst = np.max(error / allowed, initial=0)
    return None if worst <= 1 else f"error {worst:.3g} times what is allowed"


def accepted(name: str, dtype: str) -> bool:
    return name not in OF_REAL or np.dtype(dtype).kind == "f"


def lines(name: str, lengths: tuple[int, ...]) -> list[tuple[Case, tuple[int, ...]]]:
    """Transforms along one axis, and shapes; layouts of the axis, norms, and cut and padded axes take turns."""
    cases = []
    for number, n in enumerate(lengths):
        extent = n // 2 + 1 if name in TO_REAL else n
        given = (extent, extent, max(1, extent - 2), extent + 3)[number % 4]
        shape, axis = [((3, given), 1), ((given, 2), 0), ((2, given, 3), -2)][number % 3]
        says = given != extent or name in TO_REAL
        cases.append((Case(name, (axis % len(shape),), (n,), says, NORMS[number % 3]), shape))
    return cases


def spaces(name: str) -> list[tuple[Case, tuple[int, ...]]]:
    cases = []
    for number, (shape, axes, sizes) in enumerate(SHAPES):
        own = [shape[axis] for axis in axes]
        if name in TO_REAL and sizes is None:
            own[-1] = 2 * (own[-1] - 1)
        cases.append((Case(name, axes, sizes or tuple(own), sizes is not None, NORMS[number % 3]), shape))
    return cases


def faults(device: Device, name: str, dtype: str, lengths: tuple[int, ...]) -> list[str]:
    """All conditions on the device that compiles nothing, a third elsewhere."""
    layouts, found = itertools.cycle(LAYOUTS), []
    conditions = [*NUMBERS] if device.loops is not None else [*NUMBERS][len(name + dtype) % 3 :: 3]
    cases = spaces(name) if name in SPACES else lines(name, lengths)
    by_cufft = device.library is not None and device.library.names.get("fftn") == "cuFFT"
    for condition, (case, shape) in itertools.product(conditions, cases):
        layout = next(layouts)
        if wrong := fault(case, condition, dtype, shape, layout, by_cufft):
            found.append(f"{condition} {shape} {layout} {case}: {wrong}")
    return found


names = pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in LINES + SPACES for d in DTYPES if accepted(n, d)])


@names
def test_values(device: Device, name: str, dtype: str) -> None:
    found = faults(device, name, dtype, LENGTHS)
    assert not found, "\n".join([f"{len(found)} faults", *found[:20]])


@names
def test_values_on_gpus(device: Device, name: str, dtype: str) -> None:
    """As on a GPU without a library, whose own kernels transform."""
    if device.is_gpu or dtype in ("float16", "float64", "complex128"):
        pytest.skip("the test before, or dtypes of which tests/kernels has more")
    gpu = posing_as_gpu(device)
    with xp.config.set(device=str(gpu)):
        found = faults(gpu, name, dtype, ON_GPUS)
    assert not found, "\n".join([f"{len(found)} faults", *found[:20]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@names
def test_what_is_no_number_stays_in_its_transform(device: Device, name: str, dtype: str, bad: float) -> None:
    """The others have the bits that they have without it."""
    for n in (1, 8, 17, 60) if device.loops is not None else (8, 17):
        case = Case(name, (1,), (n,), True, "backward")
        host = numbers("well", dtype, (4, n // 2 + 1 if name in TO_REAL else n))
        exact = case.compute(xp.asarray(host))
        host[2, 0] = bad
        found = case.compute(xp.asarray(host))
        assert not np.isfinite(found[2]).any()
        np.testing.assert_array_equal(found[[0, 1, 3]], exact[[0, 1, 3]])


@pytest.mark.parametrize("name", LINES + SPACES)
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_integers_are_transformed_as_the_default_dtype(device: Device, name: str, dtype: str) -> None:
    del device
    host = np.arange(-5, 19).astype(dtype).reshape(4, 6)
    case = Case(name, (1,), (6,), True, "ortho")
    np.testing.assert_array_equal(case.compute(xp.asarray(host)), case.compute(xp.asarray(host.astype("float64"))))


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("dtype", [*DTYPES, "int32", "bool"])
def test_shifts_keep_bits(device: Device, name: str, dtype: str) -> None:
    """Also of NaN, infinities and negative zeros."""
    del device
    host = np.arange(60).reshape(3, 4, 5).astype(dtype)
    if host.dtype.kind in "fc":
        host[0, 0, :4] = np.nan, np.inf, -np.inf, -0.0
    for layout, axes in itertools.product(LAYOUTS, (None, 0, (1, 2), (-1,))):
        found = to_host(getattr(xp.fft, name)(lay_out(host, layout), axes=axes))
        assert found.tobytes() == getattr(np.fft, name)(host, axes=axes).tobytes()


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(device: Device, name: str) -> None:
    del device
    for n, d in itertools.product((1, 2, 3, 8, 17, 1000), (1.0, 0.1, 1e-300, 1e300)):
        found, exact = (to_host(getattr(xp.fft, name)(n, d=d)), getattr(np.fft, name)(n, d=d))
        assert np.all(abs(found - exact) <= 2 * np.finfo("float64").eps * abs(exact))
