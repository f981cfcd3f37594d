"""The routines of the host: NumPy's results, in memory of the device, and what is said where one gives up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches

from arrayapi_gpu.backends.base import Device, Library, Operand
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.tuning import SMALL
from arrayapi_gpu.kernels.host.host_library import TABLE, by_host, by_library
from arrayapi_gpu.memory.gpuarray import GpuArray, upload
from arrayapi_gpu.memory.layout import Layout

RNG = np.random.default_rng(3)
SQUARE = RNG.normal(size=(5, 5))
POSITIVE = SQUARE @ SQUARE.T + np.eye(5)
LARGE = RNG.normal(size=(60, 60))
HERMITIAN = {"cholesky", "eigh", "eigvalsh"}
OPTIONS: dict[str, dict[str, Any]] = {
    "row_order": {"rows": 7},
    "solve_triangular": {"lower": True, "unit_diagonal": False},
}


def compute(name: str, *operands: GpuArray, **options: Any) -> tuple[GpuArray, ...]:
    return by_host(name, operands, options)


@pytest.fixture
def on_host(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device, whose vendor has no library."""
    monkeypatch.setattr(device, "library", None)
    return device


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_a_routine_gives_numpys_bits(on_host: Device, name: str, dtype: str) -> None:
    if dtype[0] == "c" and name == "rfftn":
        pytest.skip("for real numbers only")
    a = (POSITIVE if name in HERMITIAN else SQUARE).astype(dtype)
    operands = (a, a[:, :2].copy()) if name.startswith("solve") else (a,)
    if name == "row_order":
        operands = (np.asarray([3, 1, 6, 4], "int32"),)
    options = OPTIONS.get(name, {})
    got = compute(name, *[upload(on_host, operand) for operand in operands], **options)
    expected = TABLE[name].function(*operands, **options)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.storage.device is on_host
        assert_same(one.download(), np.asarray(other))


class Copies(Library):
    """A library that notes its operands and computes nothing."""

    products = frozenset[str]()
    by_rows = frozenset({"rfftn"})
    of_complex = frozenset({"fftn"})

    def __init__(self) -> None:
        self.names = {}
        self.taken: list[Operand] = []

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Any:
        raise NotImplementedError

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> None:
        self.taken = list(operands)


@pytest.mark.parametrize(
    ("name", "given", "dtype", "strides"),
    [
        ("rfftn", "float32", "float32", (4, 1)),
        ("fftn", "float32", "complex64", (4, 1)),
        ("fftn", "float64", "complex128", (4, 1)),
        ("fftn", "complex64", "complex64", (4, 1)),
        ("ifftn", "float32", "float32", (8, 2)),  # which takes any
    ],
)
def test_a_library_gets_operands_as_it_takes_them(
    device: Device, monkeypatch: pytest.MonkeyPatch, name: str, given: str, dtype: str, strides: tuple[int, ...]
) -> None:
    monkeypatch.setattr(device, "library", library := Copies())
    whole = np.arange(24).reshape(3, 8).astype(given)
    layout = Layout((3, 4), (8, 2), 0)
    assert by_library(name, [upload(device, whole).through(layout)], {}) is None
    (taken,) = library.taken
    assert (taken.dtype.name, taken.strides) == (dtype, strides)


def test_options_are_those_of_numpys_function(on_host: Device) -> None:
    (got,) = compute("fftn", upload(on_host, SQUARE), s=(8,), axes=(0,), norm="ortho")
    np.testing.assert_allclose(got.download(), np.fft.fftn(SQUARE, s=(8,), axes=(0,), norm="ortho"), 1e-12)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_are_complex_though_all_are_real(on_host: Device, name: str) -> None:
    values = compute(name, upload(on_host, np.diag([3.0, 1.0, 2.0])))[0]
    assert values.dtype == np.complex128
    assert values.download().tolist() == [3, 1, 2]


def test_operands_may_be_views(on_host: Device) -> None:
    turned = upload(on_host, LARGE).view(Layout((5, 5), (2, 60), 61))
    assert_same(compute("det", turned)[0].download(), np.asarray(np.linalg.det(LARGE[1:6, 1:11:2].T)))


@pytest.mark.parametrize("operand", [SQUARE, LARGE], ids=["small", "large"])
def test_results_are_memory_of_their_own(on_host: Device, operand: np.ndarray[Any, Any]) -> None:
    assert SQUARE.nbytes < SMALL < LARGE.nbytes
    x = upload(on_host, operand)
    (got,) = compute("inv", x)
    assert not got.storage.shared and not got.storage.readonly and got.storage is not x.storage
    assert_same(x.download(), operand)


@pytest.mark.parametrize(
    ("name", "operand", "words"),
    [
        ("inv", np.zeros((2, 2)), "inv: a matrix is singular, it has no inverse; pinv"),
        ("solve", np.zeros((2, 2)), "solve: a matrix is singular"),
        ("cholesky", -np.eye(2), "cholesky: a matrix is not positive definite"),
        ("svd", np.full((2, 2), np.nan), "svd: the iteration did not converge, or a matrix holds NaN"),
    ],
)
def test_the_error_says_what_the_routine_gave_up_on(
    on_host: Device, name: str, operand: np.ndarray[Any, Any], words: str
) -> None:
    operands = [upload(on_host, operand)] * (2 if name == "solve" else 1)
    with pytest.raises(np.linalg.LinAlgError, match=words):
        compute(name, *operands)


def test_a_call_is_listed_with_its_library(on_host: Device) -> None:
    with launches() as made:
        compute("det", upload(on_host, SQUARE))
    (call,) = made
    assert (call.kernel, call.device, call.items, call.library) == ("det", str(on_host), 25, "LAPACK")
    assert (call.read, call.written) == (200, 8)
    assert call.copied is not on_host.host_shared


def test_memory_of_a_gpu_is_copied_and_that_is_told() -> None:
    apart = RecordingDevice(host_shared=False)
    x: GpuArray = upload(apart, SQUARE)
    with launches() as made:
        (got,) = compute("inv", x)
    assert [launch.copied for launch in made] == [True]
    assert_same(got.download(), np.linalg.inv(SQUARE))
