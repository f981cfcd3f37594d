"""Fourier transforms by own kernels: values against NumPy's in double precision, and the choice of passes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from support import in_part, scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device, Library, Operand, Product
from arrayapi_gpu.kernels.routines import fourier, routine_table
from arrayapi_gpu.kernels.routines.fourier import LONGEST_PASS, compute, convolution, smooth, split
from arrayapi_gpu.memory.gpuarray import upload

# Powers of two, one pass of several stages, primes, a product of primes; parts of numbers apart, two passes;
# convolutions.
LENGTHS = [1, 2, 3, 13, 16, 31, 35, 38, 60, 169, 1000, 4096, 5000, 8192, 8400, 37, 74, 97]
ERROR = {"complex64": 4e-7, "complex128": 1e-15}  # of the norm


@pytest.fixture
def gpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A GPU whose vendor has no library."""
    if device.loops is not None:
        pytest.skip("kernels of GPUs")
    twin = device if device.is_gpu else scalar_twin(device)
    backends.register(twin)
    monkeypatch.setattr(twin, "host_shared", False)
    monkeypatch.setattr(twin, "library", None)
    return twin


def operand(name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(7)
    x = rng.standard_normal(shape)
    if name == "rfftn":
        return x.astype(np.dtype(dtype).type(0).real.dtype)
    return (x + 1j * rng.standard_normal(shape)).astype(dtype)


def compare(gpu: Device, name: str, x: np.ndarray[Any, Any], dtype: str, **options: Any) -> None:
    results = compute(name, [upload(gpu, x)], options)
    assert results is not None
    found = results[0].download()
    expected = getattr(np.fft, name)(x.astype("complex128" if x.dtype.kind == "c" else "float64"), **options)
    assert found.shape == expected.shape
    assert found.dtype == (np.dtype(dtype) if expected.dtype.kind == "c" else np.dtype(dtype).type(0).real.dtype)
    assert np.linalg.norm(found - expected) <= ERROR[dtype] * np.linalg.norm(expected)


@pytest.mark.parametrize("dtype", ERROR)
@pytest.mark.parametrize(("n", "name"), in_part([(n, name) for n in LENGTHS for name in fourier.TRANSFORMS]))
def test_values_of_all_lengths(gpu: Device, n: int, name: str, dtype: str) -> None:
    if dtype == "complex128" and "f64" not in gpu.dtypes:
        pytest.skip("the device has no float64")
    given = n // 2 + 1 if name == "irfftn" else n
    for shape, axis in (((3, given), 1), ((2, given, 5), 1)):
        compare(gpu, name, operand(name, shape, dtype), dtype, axes=(axis,), s=(n,))


@pytest.mark.parametrize("name", fourier.TRANSFORMS)
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((6, 8, 10), {}),
        ((17, 9), {"axes": (0, 1), "s": (20, 6)}),
        ((17, 9), {"axes": (1, 0), "s": (19, 30)}),
        ((5, 12), {"axes": (0,), "norm": "ortho"}),
        ((6, 8), {"norm": "forward"}),
        ((0, 8), {"axes": (1,)}),
        ((8, 0), {"axes": (0,)}),
    ],
    ids=str,
)
def test_axes_lengths_and_norms(gpu: Device, name: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    compare(gpu, name, operand(name, shape, "complex64"), "complex64", **options)


@pytest.mark.parametrize("n", [1, 2, 9, 16, 60, 97])
def test_half_a_spectrum_may_be_real(gpu: Device, n: int) -> None:
    for shape, axis in (((3, n // 2 + 1), 1), ((n // 2 + 1, 5), 0)):
        x = operand("rfftn", shape, "complex64")
        compare(gpu, "irfftn", x, "complex64", axes=(axis,), s=(n,))


def test_passes_over_factors(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fourier, "LONGEST_PASS", {8: (16, 10), 16: (16, 10)})
    split.cache_clear()
    try:
        for n in (64, 8 * 7 * 6):
            assert len(split(n, 8, True) or ()) == (2 if n == 64 else 3)
            for shape, axis in (((2, n), 1), ((2, n, 3), 1)):
                for name in ("fftn", "irfftn"):
                    given = tuple(n // 2 + 1 if name == "irfftn" and k == axis else m for k, m in enumerate(shape))
                    compare(gpu, name, operand(name, given, "complex64"), "complex64", axes=(axis,), s=(n,))
        convolution.cache_clear()
        assert len(convolution(37, 8)) == 2 and len(convolution(211, 8)) == 3
        for n in (37, 211):  # by convolutions in passes there and back
            for shape, axis in (((2, n), 1), ((2, n, 3), 1)):
                for name in fourier.TRANSFORMS:
                    given = tuple(n // 2 + 1 if name == "irfftn" and k == axis else m for k, m in enumerate(shape))
                    compare(gpu, name, operand(name, given, "complex64"), "complex64", axes=(axis,), s=(n,))
    finally:
        convolution.cache_clear()
        split.cache_clear()


def test_bits_do_not_change_from_run_to_run(gpu: Device) -> None:
    x = upload(gpu, operand("fftn", (7, 1000), "complex64"))
    first, second = (compute("fftn", [x], {})[0].download() for _ in range(2))  # type: ignore[index]
    assert first.tobytes() == second.tobytes()


def test_values_that_are_not_finite_stay_in_their_row(gpu: Device) -> None:
    x = operand("fftn", (4, 60), "complex64")
    x[2, 5] = np.nan
    (found,) = compute("fftn", [upload(gpu, x)], {"axes": (1,)}) or ()
    assert np.isnan(found.download()).all(axis=1).tolist() == [False, False, True, False]


def test_functions_of_the_chapter_use_them(gpu: Device) -> None:
    x = xp.asarray(operand("fftn", (4, 60), "complex64"), device=gpu)
    with xp.record() as launches:
        xp.sync(xp.fft.fft(x))
    assert [launch.kernel for launch in launches] == ["transform"]


class AllOnes(Library):
    """A library that has one routine, of vectors."""

    products = frozenset[str]()

    def __init__(self) -> None:
        self.names = {"fftn": "ones"}

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        raise NotImplementedError

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        (x,) = operands
        return None if name != "fftn" or len(x.shape) > 1 else [x]


def test_a_library_comes_first(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "library", AllOnes())
    for name, shape in (("fftn", (8,)), ("fftn", (2, 8)), ("ifftn", (8,))):
        x = np.ones(shape, np.complex64)
        with xp.record() as made:
            (found,) = routine_table.compute(name, upload(gpu, x))
        by_library = name == "fftn" and shape == (8,)
        assert (made[-1].library == "ones") == by_library
        np.testing.assert_allclose(found.download(), x if by_library else getattr(np.fft, name)(x), atol=1e-5)


def test_drivers_of_a_cpu_use_the_libraries_of_the_host(device: Device) -> None:
    assert device.is_gpu or compute("fftn", [upload(device, np.ones(8, np.complex64))], {}) is None


def test_lengths_have_few_passes() -> None:
    assert (
        split(8192, 8, True) == (8192,)
        and split(8192, 16, True) == (128, 64)
        and split(37, 8, True) is None
        and len(split(4096, 8, False) or ()) == 2
    )
    for n in (1 << 26, 10**6, 10**7, 3**15, 7**7):
        for nbytes, (_, most) in LONGEST_PASS.items():
            parts = split(n, nbytes, True)
            assert parts is not None and math.prod(parts) == n and max(parts) <= most
    assert len(split(1 << 26, 8, True) or ()) == 3 and len(split(10**6, 8, True) or ()) == 2


def test_lengths_of_convolutions_have_small_factors() -> None:
    def is_smooth(n: int) -> bool:
        for prime in (2, 3, 5, 7):
            while n % prime == 0:
                n //= prime
        return n == 1

    for least in [*range(1, 200), 1999, 12345]:
        found = set(smooth(least))
        nearest = {n for n in range(least, max(int(fourier.LONGER * least), 1) + 1) if is_smooth(n)}
        assert found == nearest | {1 << (least - 1).bit_length()}


@pytest.mark.parametrize("n", [37, 97, 1009, 2039, 4099, 10007, 10**6 + 3])
def test_convolutions_are_long_enough(n: int) -> None:
    for nbytes, (whole, most) in LONGEST_PASS.items():
        parts = convolution(n, nbytes)
        assert 2 * n - 1 <= math.prod(parts) < 4 * n
        assert (len(parts) == 1 and parts[0] <= whole) or max(parts) <= most


def test_short_convolutions_are_one_launch(gpu: Device) -> None:
    with xp.record() as launches:
        compute("fftn", [upload(gpu, operand("fftn", (2, 97), "complex64"))], {"axes": (1,)})
    assert [launch.kernel for launch in launches] == ["transform"]
