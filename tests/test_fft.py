"""The Fourier transform extension against NumPy's in double precision, and against the definition.

Bounds are relative to the root mean square of the result: a fast transform's error grows with the
logarithm of the length, so ten times eps is roomy for the lengths here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from support import FLOATING, NUMERIC, REAL_FLOATING, assert_same, lay_out, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.host.host_transforms import HOST_TRANSFORMS

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
fft = xp.fft

LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SPACES = ("fftn", "ifftn", "rfftn", "irfftn")
OF_REAL = ("rfft", "ihfft", "rfftn")  # take real numbers only
TO_REAL = ("irfft", "hfft", "irfftn")
NORMS: Any = ("backward", "ortho", "forward")
unknown: Any = "unitary"

line = pytest.mark.parametrize("name", LINES)
space = pytest.mark.parametrize("name", SPACES)
every = pytest.mark.parametrize("name", LINES + SPACES)


def result_dtype(name: str, dtype: str, axes: int = 1) -> np.dtype[Any]:
    double = dtype in ("float64", "complex128")
    if name in TO_REAL:
        return np.dtype("float16" if dtype == "float16" and axes == 1 else "float64" if double else "float32")
    return np.dtype("complex128" if double else "complex64")


def check(name: str, a: HostArray, layout: str = "contiguous", **options: Any) -> None:
    """Our transform is NumPy's of the same numbers in double precision."""
    got = getattr(fft, name)(lay_out(a, layout), **options)
    real = name in OF_REAL
    exact = getattr(np.fft, name)(a.astype("float64" if real else "complex128"), **options)
    assert got.shape == exact.shape
    axes = len(options.get("axes") or a.shape) if name in SPACES else 1
    assert got.dtype == result_dtype(name, a.dtype.name, axes)
    size = np.sqrt(np.mean(np.abs(exact) ** 2))
    worst = np.max(np.abs(to_host(got).astype(exact.dtype) - exact)) / size
    assert worst <= 10 * np.finfo(got.dtype).eps


def accepted(name: str, dtype: str) -> bool:
    return name not in OF_REAL or dtype in REAL_FLOATING


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name in LINES for dtype in FLOATING if accepted(name, dtype)]
)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("shape", "layout", "axis", "n"),
    [
        ((8,), "contiguous", -1, None),
        ((17,), "backwards", 0, None),
        ((6,), "contiguous", -1, 4),
        ((6,), "spread", -1, 9),
        ((5,), "contiguous", 0, 1),
        ((3, 7), "rows", 1, 7),
        ((4, 5, 3), "transposed", 1, None),
        ((4, 5, 3), "contiguous", -3, 6),
    ],
)
def test_lines(name: str, dtype: str, norm: Any, shape: tuple[int, ...], layout: str, axis: int, n: int | None) -> None:
    check(name, sample(dtype, shape), layout, axis=axis, n=n, norm=norm)


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name in SPACES for dtype in FLOATING if accepted(name, dtype)]
)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("shape", "layout", "axes", "s"),
    [
        ((6,), "contiguous", None, None),
        ((4, 6), "rows", None, None),
        ((3, 4, 5), "transposed", None, None),
        ((3, 4, 5), "contiguous", (0, 2), (4, 3)),
        ((3, 4, 5), "backwards", (-1, 0), (7, 2)),
        ((2, 3, 4), "spread", [1], [5]),
    ],
)
def test_spaces(name: str, dtype: str, norm: Any, shape: tuple[int, ...], layout: str, axes: Any, s: Any) -> None:
    check(name, sample(dtype, shape), layout, axes=axes, s=s, norm=norm)


def test_length_minus_one_is_the_whole_axis() -> None:
    x = xp.asarray(sample("complex128", (3, 4)))
    assert_same(to_host(fft.fftn(x, s=(-1, 2), axes=(0, 1))), to_host(fft.fftn(x, s=(3, 2), axes=(0, 1))))
    assert fft.irfftn(x, s=(-1, -1), axes=(0, 1)).shape == (3, 6)


def test_fft_is_the_sum_of_its_definition() -> None:
    x = sample("complex128", 12)
    k = np.arange(12)
    exact = np.exp(-2j * np.pi * np.outer(k, k) / 12) @ x
    np.testing.assert_allclose(to_host(fft.fft(xp.asarray(x))), exact, atol=1e-13)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("there", "back"), [("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft"), ("fftn", "ifftn"), ("rfftn", "irfftn")]
)
def test_inverses(there: str, back: str, norm: Any) -> None:
    a = sample("float32", (4, 6))
    again = getattr(fft, back)(getattr(fft, there)(xp.asarray(a), norm=norm), norm=norm)
    np.testing.assert_allclose(to_host(again), a, atol=1e-5)


@every
def test_integers_are_transformed_in_the_default_dtype(name: str) -> None:
    a = np.arange(6, dtype="int8").reshape(2, 3)
    function = getattr(fft, name)
    assert_same(to_host(function(xp.asarray(a))), to_host(function(xp.asarray(a * 1.0))))


@every
@pytest.mark.parametrize("shape", [(0, 3), (0, 2, 4)])
def test_empty_stacks(name: str, shape: tuple[int, ...]) -> None:
    options = {"axes": (-1,)} if name in SPACES else {}
    got = getattr(fft, name)(xp.zeros(shape), **options)
    assert got.shape[0] == 0
    assert got.size == 0


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0)])
@pytest.mark.parametrize("dtype", ["complex128", "float32"])
def test_real_results_of_empty_axes_are_refused(shape: tuple[int, ...], dtype: str) -> None:
    """RELIABILITY A10: NumPy gives memory that nobody wrote, whatever the length; other transforms give zeros."""
    x = xp.zeros(shape, dtype=getattr(xp, dtype))
    calls: list[Callable[[], Any]] = []
    for n in (None, 0, 1, 4):
        calls += [partial(getattr(fft, name), x, n=n) for name in ("irfft", "hfft")]
        calls += [partial(getattr(np.fft, name), x, n=n) for name in ("irfft", "hfft")]
        s = None if n is None else (n,)
        calls += [partial(module.irfftn, x, s=s, axes=(-1,)) for module in (fft, np.fft)]
        if len(shape) == 2:
            both = None if n is None else (4, n)
            calls += [partial(module.irfftn, x, s=both, axes=(0, 1)) for module in (fft, np.fft)]
            calls += [partial(np.fft.irfft2, x, s=both)]
    for call in calls:
        with pytest.raises(ValueError, match=r"axis \d of shape .* is empty|length 0 along axis 0|data points"):
            call()
    for name in ("fft", "ifft") if dtype == "complex128" else ("rfft", "ihfft"):
        got = to_host(getattr(fft, name)(x, n=4))
        assert_same(got, getattr(np.fft, name)(np.zeros(shape, dtype), n=4))
    if shape == (3, 0):  # the first of the axes may be empty
        assert to_host(fft.irfftn(x.T, s=(4, 4), axes=(0, 1))).tolist() == np.zeros((4, 4)).tolist()


def test_dtypes_of_float16_are_numpys() -> None:
    host = sample("float16", (4, 4))
    for name in (*LINES, *SPACES):
        for namespace in (fft, np.fft):
            got = getattr(namespace, name)(xp.asarray(host))
            assert got.dtype == getattr(np.fft, name)(host).dtype, name
    assert fft.irfftn(xp.asarray(host), axes=(0,)).dtype == np.fft.irfftn(host, axes=(0,)).dtype
    for name in ("fft2", "ifft2", "rfft2", "irfft2"):
        got, expected = (getattr(np.fft, name)(v, (3, 6)) for v in (xp.asarray(host), host))
        np.testing.assert_allclose(to_host(got), expected, atol=1e-3)
        assert got.dtype == expected.dtype


REFUSED: dict[str, tuple[Callable[..., Any], tuple[int, ...], str, type[Exception]]] = {
    "length 0": (lambda x: fft.fft(x, n=0), (4,), "complex64", ValueError),
    "negative length": (lambda x: fft.rfft(x, n=-3), (4,), "float32", ValueError),
    "an axis of no elements": (lambda x: fft.fft(x), (2, 0), "complex64", ValueError),
    "irfft of one element": (lambda x: fft.irfft(x), (1,), "complex64", ValueError),
    "fractional length": (lambda x: fft.fft(x, n=unknown), (4,), "complex64", TypeError),
    "an axis that is not there": (lambda x: fft.fft(x, axis=1), (4,), "complex64", ValueError),
    "no axis at all": (lambda x: fft.fft(x), (), "complex64", ValueError),
    "unknown norm": (lambda x: fft.hfft(x, norm=unknown), (4,), "complex64", ValueError),
    "unknown norm in space": (lambda x: fft.fftn(x, norm=unknown), (4,), "complex64", ValueError),
    "s without axes": (lambda x: fft.fftn(x, s=(3,)), (4,), "complex64", ValueError),
    "more lengths than axes": (
        lambda x: fft.fftn(x, s=(3, 3), axes=(0,)), (4, 4), "complex64", ValueError
    ),
    "rfft of complex numbers": (lambda x: fft.rfft(x), (4,), "complex64", TypeError),
    "ihfft of complex numbers": (lambda x: fft.ihfft(x), (4,), "complex64", TypeError),
    "rfftn of complex numbers": (lambda x: fft.rfftn(x), (4,), "complex64", TypeError),
    "rfftn over no axes": (lambda x: fft.rfftn(x, axes=()), (4,), "float32", ValueError),
    "fft of bool": (lambda x: fft.fft(x), (4,), "bool", TypeError),
    "fftshift off the axes": (lambda x: fft.fftshift(x, axes=1), (4,), "float32", ValueError),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    function, shape, dtype, error = REFUSED[case]
    with pytest.raises(error):
        function(xp.asarray(sample(dtype, shape)))


@every
def test_numpy_arrays_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match="asarray"):
        getattr(fft, name)(np.ones(3))


# --- frequencies and shifts ----------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 8, 1001])
@pytest.mark.parametrize("d", [1.0, 0.1, 3])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name: str, n: int, d: float) -> None:
    got = getattr(fft, name)(n, d=d)
    assert got.dtype == xp.float64
    np.testing.assert_allclose(to_host(got), getattr(np.fft, name)(n, d), rtol=1e-15)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_in_a_dtype_are_rounded_once(name: str, dtype: str) -> None:
    double = to_host(getattr(fft, name)(11, d=0.3))
    got = to_host(getattr(fft, name)(11, d=0.3, dtype=getattr(xp, dtype)))
    assert_same(got, double.astype(dtype))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_take_no_memory(name: str) -> None:
    with no_launch():
        getattr(fft, name)(10**9)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_made_on_the_device_asked_for(name: str) -> None:
    apart = RecordingDevice(host_shared=False)
    assert getattr(fft, name)(4, device=apart).device is apart


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_refuse(name: str) -> None:
    function = getattr(fft, name)
    for arguments, options, error in (
        ((0,), {}, ValueError),
        ((2.5,), {}, TypeError),
        ((4,), {"dtype": xp.int64}, TypeError),
        ((4,), {"dtype": xp.complex64}, TypeError),
    ):
        with pytest.raises(error):
            function(*arguments, **options)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_of_every_dtype(name: str, dtype: str) -> None:
    a = sample(dtype, (4, 5))
    assert_same(to_host(getattr(fft, name)(xp.asarray(a))), getattr(np.fft, name)(a))


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), [1], ()])
@pytest.mark.parametrize("shape", [(4, 5, 3), (2, 0, 3), (1, 2, 7)])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_along_axes(name: str, shape: tuple[int, ...], axes: Any) -> None:
    a = sample("float32", shape)
    got = to_host(getattr(fft, name)(lay_out(a, "transposed"), axes=axes))
    assert_same(got, getattr(np.fft, name)(a, axes=axes))


# --- where ---------------------------------------------------------------------------------------


def test_nothing_is_copied_where_memory_is_shared() -> None:
    shared = RecordingDevice()
    x = xp.asarray(sample("complex128", (40, 40)), device=shared)
    shared.calls.clear()
    assert fft.fftn(x).device is shared
    assert not {verb for verb, _ in shared.calls} & {"upload", "download", "copy"}


def test_other_devices_get_copies() -> None:
    apart = RecordingDevice(host_shared=False)
    apart.is_gpu = False  # a GPU has kernels
    a = sample("complex128", (40, 40))
    x = fft.fftn(xp.asarray(a, device=apart))
    assert x.device is apart
    assert_same(to_host(x), HOST_TRANSFORMS["fftn"](a))


def test_results_can_be_changed_in_place(device: Device) -> None:
    """Large results are NumPy's memory, adopted; they behave like any other array."""
    x = fft.fft(xp.asarray(sample("complex128", (40, 40)), device=device))
    y, before = x[0], to_host(x)
    x *= 2
    assert_same(to_host(y), before[0] * 2)
