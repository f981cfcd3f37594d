"""The library of CUDA's vendor: what it computes goes through no host memory, and keeps what the standard says.

The results themselves are tested in test_linalg.py, test_fft.py and kernels/test_matmul.py, on every device.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import launches

import arrayapi_gpu as xp
from arrayapi_gpu.backends import cuda_library
from arrayapi_gpu.backends.base import Block, Buffer, Device, FixedBuffer, Library, Operand

RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(40, 40))
POSITIVE = SQUARE @ SQUARE.T + np.eye(40)
TALL = RNG.normal(size=(50, 30))

ROUTINES: dict[str, tuple[Callable[[Any], Any], np.ndarray[Any, Any]]] = {
    "cholesky": (xp.linalg.cholesky, POSITIVE),
    "cholesky, upper": (lambda x: xp.linalg.cholesky(x, upper=True), POSITIVE),
    "cholesky of a stack": (xp.linalg.cholesky, np.stack([POSITIVE, POSITIVE])),
    "eigh": (xp.linalg.eigh, POSITIVE),
    "eigvalsh": (xp.linalg.eigvalsh, POSITIVE),
    "inv": (xp.linalg.inv, SQUARE),
    "inv of a stack": (xp.linalg.inv, np.stack([SQUARE, POSITIVE])),
    "lu": (xp.linalg.lu_factor, TALL),
    "qr": (xp.linalg.qr, TALL),
    "qr, complete": (lambda x: xp.linalg.qr(x, mode="complete"), TALL),
    "slogdet": (xp.linalg.slogdet, SQUARE),
    "solve": (lambda x: xp.linalg.solve(x, x[:, :3]), SQUARE),
    "solve_triangular": (lambda x: xp.linalg.solve_triangular(x, x[:, :3]), SQUARE),
    "svd": (xp.linalg.svd, TALL),
    "svd, reduced": (lambda x: xp.linalg.svd(x, full_matrices=False), TALL),
    "svdvals": (xp.linalg.svdvals, TALL),
    "fft": (xp.fft.fft, TALL),
    "fftn": (xp.fft.fftn, TALL),
    "ifft, longer": (lambda x: xp.fft.ifft(x, n=77), TALL),
    "rfftn": (xp.fft.rfftn, TALL),
    "rfftn, turned": (lambda x: xp.fft.rfftn(x, axes=(1, 0), s=(31, 20)), TALL),
    "fftn, turned": (lambda x: xp.fft.fftn(x, axes=(1, 0), s=(31, 60)), TALL),
    "irfftn": (xp.fft.irfftn, TALL),
    "irfftn, turned": (lambda x: xp.fft.irfftn(x, axes=(1, 0), s=(31, 20)), TALL),
    "hfft": (xp.fft.hfft, TALL),
}


@pytest.fixture
def library(device: Device) -> Library:
    if device.library is None or not device.library.products:
        pytest.skip(f"{device} has no library")
    return device.library


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("name", ROUTINES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_routines_stay_on_the_device(name: str, dtype: str, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """No byte of an array comes to the host, and the results are those of NumPy's library."""
    function, values = ROUTINES[name]
    if dtype[0] == "c" and name.startswith("rfftn"):
        pytest.skip("for real numbers only")
    x = xp.asarray(values.astype(dtype))
    xp.sync(x)

    def forbidden(*_: Any) -> None:
        raise AssertionError("a transfer to the host")

    with monkeypatch.context() as patched, launches() as made:
        patched.setattr(type(device), "download", forbidden)
        results = function(x)
        xp.compute(*(results if isinstance(results, tuple) else (results,)))
    assert [launch for launch in made if launch.library]
    assert not [launch for launch in made if launch.copied]
    with monkeypatch.context() as patched:
        patched.setattr(type(device.library), "compute", lambda *_: None)
        wanted = function(x)
    if not isinstance(results, tuple):
        results, wanted = (results,), (wanted,)
    for got, want in zip(results, wanted, strict=True):
        assert (got.shape, got.dtype, got.device) == (want.shape, want.dtype, device)
    if name.split(",")[0] in ("eigh", "qr", "svd"):  # unique but for signs
        results, wanted = ([xp.abs(r) for r in both] for both in (results, wanted))
    if name in ("qr, complete", "svd"):  # ... and for vectors that complete a basis
        results, wanted = results[1:2], wanted[1:2]
    room = 1e-3 if dtype in ("float32", "complex64") else 1e-10
    for got, want in zip(results, wanted, strict=True):
        np.testing.assert_allclose(got.to_numpy(), want.to_numpy(), room, room)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "name, values",
    [
        ("cholesky", -POSITIVE),
        ("cholesky", -np.ones((2, 3, 3))),
        ("inv", np.zeros((4, 4))),
        ("inv", np.zeros((2, 4, 4))),
    ],
)
def test_what_cannot_be_computed_raises(name: str, values: np.ndarray[Any, Any]) -> None:
    with pytest.raises(xp.linalg.LinAlgError, match=f"{name}: a matrix is "):
        getattr(xp.linalg, name)(xp.asarray(values))
    with pytest.raises(xp.linalg.LinAlgError, match="solve: a matrix is singular"):
        xp.linalg.solve(xp.zeros((3, 3)), xp.ones((3,)))


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "shapes",
    [((60, 70), (70, 50)), ((5, 60, 70), (70, 50)), ((3, 1, 9, 8), (4, 8, 7)), ((1, 300), (300,)), ((3, 800), (800,))],
)
def test_products_are_the_librarys(dtype: str, shapes: Any, library: Library) -> None:
    a, b = (RNG.normal(size=shape).astype(dtype) for shape in shapes)
    if dtype[0] == "c":
        a = (a * (1 + 2j)).astype(dtype)
    x, y = xp.asarray(a), xp.asarray(b)
    xp.sync(x, y)
    with launches() as made:
        z = x @ y
        xp.compute(z)
    products = [launch.library for launch in made if "matmul" in launch.kernel]
    m, k, n = (x.shape[-2], x.shape[-1], 1 if y.ndim == 1 else y.shape[-1])
    assert products == [library.names["matmul"] if library.is_fast(z.dtype, max(z.size // (m * n), 1), m, n, k) else ""]
    wide = "complex128" if dtype[0] == "c" else "float64"
    wanted = a.astype(wide) @ b.astype(wide)
    size = np.abs(a).astype("float64") @ np.abs(b).astype("float64")
    error = np.abs(z.to_numpy() - wanted) / size
    assert error.max() < {"float16": 2e-3, "float32": 1e-6, "complex64": 2e-6}.get(dtype, 1e-14)


@pytest.mark.parametrize(
    ("dtype", "sizes", "fast"),
    [
        ("float32", (1, 8192, 8192, 8192), True),
        ("float64", (1, 8192, 8192, 8192), True),
        ("complex128", (1, 1 << 20, 64, 64), True),  # by rows, which are many
        ("float64", (1, 1 << 20, 16, 64), True),
        ("float64", (1, 1 << 20, 8, 8), False),
        ("float64", (1, 1 << 20, 16, 16), False),
        ("float16", (1, 1 << 20, 16, 16), True),
        ("float16", (1, 1 << 20, 8, 16), False),
        ("complex128", (1, 1 << 20, 8, 64), False),
        ("complex64", (1, 1 << 20, 16, 64), False),
        ("complex64", (1, 1 << 20, 32, 32), True),
        ("complex64", (1, 4096, 16, 4096), False),
        ("float16", (1, 304, 304, 304), False),
        ("float64", (1, 16, 1 << 20, 16), False),
        ("complex64", (1, 16, 16, 1 << 20), False),  # a long sum
        ("float32", (1, 1 << 20, 64, 64), False),
        ("float32", (1, 4096, 4096, 8), False),
        ("float64", (1, 4096, 4096, 8), True),
        ("complex128", (1, 100, 100, 100), False),  # little work
        ("complex128", (1, 300, 300, 300), True),
        ("float64", (1, 300, 300, 300), False),
        ("float32", (2000, 32, 32, 32), False),
        ("complex64", (2000, 32, 32, 32), True),
        ("complex64", (2000, 16, 16, 64), False),
        ("float64", (10**6, 3, 1, 3), False),
        ("float64", (10**6, 1, 1, 8), False),
        ("float32", (2000, 64, 64, 64), True),
        ("float32", (1, 8192, 1, 8192), False),  # vectors
        ("float64", (1, 8192, 1, 8192), False),
        ("float64", (1, 1, 8192, 8192), False),
        ("complex128", (1, 64, 1, 1 << 18), False),
        ("complex128", (1, 1000, 1, 1000), False),
        ("complex128", (1, 1 << 24, 1, 1), False),
        ("float16", (1, 1 << 14, 1, 1 << 14), False),
        ("float16", (10000, 10, 1, 100), False),
        ("int32", (1, 8192, 8192, 8192), False),  # it has none
    ],
)
def test_the_products_of_kernels(dtype: str, sizes: tuple[int, int, int, int], fast: bool) -> None:
    """Those which they multiply in less time: small ones, and ones with long extents or with vectors."""
    device: Any = SimpleNamespace(fragments=frozenset())
    assert cuda_library.CudaLibrary(device, 0).is_fast(np.dtype(dtype), *sizes) is fast


@pytest.mark.usefixtures("library")
def test_half_precision_is_summed_in_float32() -> None:
    """Neither overflow on the way nor small terms that are lost beside a large sum."""
    x = xp.full((1, 4096), 200.0, dtype=xp.float16)
    y = xp.asarray(np.resize([300.0, -300.0], (4096, 1)).astype("float16"))
    assert float((x @ y)[0, 0]) == 0
    ones = xp.ones((4096, 2), dtype=xp.float16)
    assert float((xp.ones((1, 4096), dtype=xp.float16) @ ones)[0, 1]) == 4096


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_strides_and_addresses_do_not_show_in_the_bits(dtype: str) -> None:
    a, b = (RNG.normal(size=(129, 129)).astype(dtype) for _ in range(2))
    wanted = (xp.asarray(a) @ xp.asarray(b)).to_numpy().tobytes()
    turned = xp.asarray(np.ascontiguousarray(a.T)).mT
    moved = xp.asarray(np.concatenate([np.zeros(1, dtype), b.ravel()]))[1:]
    assert (turned @ xp.reshape(moved, (129, 129))).to_numpy().tobytes() == wanted
    stepped = xp.asarray(np.repeat(b, 2, axis=1))[:, ::2]
    assert (xp.asarray(a[::-1].copy())[::-1] @ stepped).to_numpy().tobytes() == wanted
    tall = RNG.normal(size=(2000, 5)).astype(dtype)
    products = [xp.asarray(tall).mT @ xp.asarray(tall), xp.asarray(np.ascontiguousarray(tall.T)) @ xp.asarray(tall)]
    assert products[0].to_numpy().tobytes() == products[1].to_numpy().tobytes()


@pytest.mark.usefixtures("library")
def test_plans_of_transforms_do_not_keep_memory_for_ever(device: Device) -> None:
    xp.sync(xp.fft.fft(xp.ones((1 << 20,), dtype=xp.complex64)))
    device.trim()
    live = device.live_bytes
    for n in range(3):
        xp.sync(xp.fft.fftn(xp.ones((1000 + n, 1021), dtype=xp.complex64)))
    device.trim()
    assert device.live_bytes < live + (1 << 20)


@pytest.mark.parametrize("home", ["writable", "a file", "unknown", "chosen"])
def test_cupy_has_a_folder_of_the_process_where_it_can_have_none_at_home(tmp_path: Path, home: str) -> None:
    """CuPy does not work without one. A place that the user has chosen stays."""
    (tmp_path / "a file").touch()
    code = (
        "import os, pathlib, sys\n"
        "def refuse(): raise RuntimeError('no home')\n"
        "if sys.argv[1] == 'unknown': pathlib.Path.home = staticmethod(refuse)\n"
        "import arrayapi_gpu.backends.cuda_library\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait()\n"
        "place = os.environ.get('CUPY_CACHE_DIR', '')\n"
        "print(place, os.path.isdir(os.path.dirname(place)))\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path / home), "TMPDIR": str(tmp_path)}
    environment.pop("CUPY_CACHE_DIR", None)
    if home == "chosen":
        environment["CUPY_CACHE_DIR"] = "chosen"
    out = subprocess.run(
        [sys.executable, "-c", code, home], env=environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    if home == "writable":
        assert out == ["False"]
    elif home == "chosen":
        assert out == ["chosen", "False"]
    else:
        place = Path(out[0])
        assert out[1] == "True" and place.parents[1] == tmp_path and not place.parent.exists()


# --- products, with NumPy in cuBLAS's place


class HostBlas:
    """cuBLAS's product of stacks of matrices by columns, on memory of the host."""

    def create(self) -> int:
        return 1

    def setMathMode(self, handle: int, mode: int) -> None:
        assert handle == 1

    def getVersion(self, handle: int) -> int:
        return 0  # there is no such library

    def gemmStridedBatchedEx(self, handle: int, turn_a: int, turn_b: int, m: int, n: int, k: int, *rest: Any) -> None:
        _, a, kind, a_next, a_step, b, _, b_next, b_step, _, c, _, c_next, c_step, stack, *_ = rest
        assert kind == 0 and c_next == m

        def matrices(address: int, turned: int, rows: int, columns: int, along: int, step: int) -> Any:
            count = (stack - 1) * step + rows * columns
            flat = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), (count,))
            strides = (4 * step, 4 * along, 4) if turned else (4 * step, 4, 4 * along)
            return np.lib.stride_tricks.as_strided(flat, (stack, rows, columns), strides)

        found = matrices(a, turn_a, m, k, a_next, a_step) @ matrices(b, turn_b, k, n, b_next, b_step)
        matrices(c, 0, m, n, c_next, c_step)[...] = found


@pytest.fixture
def blas(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device of the host, which multiplies as CUDA's library does."""
    if not device.host_shared:
        pytest.skip("for memory that the host sees")
    stands_for = SimpleNamespace(_current=lambda _: contextlib.nullcontext(), fragments=frozenset(), direct=None)
    library: Any = cuda_library.CudaLibrary(stands_for, 0)  # type: ignore[arg-type]
    library._stream_ = contextlib.nullcontext()
    library._modules |= {cuda_library._CUBLAS: HostBlas(), "cupy": object()}

    def address(operand: Operand) -> int:
        found: int = device.host_view(operand.buffer).ctypes.data + operand.offset * operand.dtype.itemsize
        return found

    monkeypatch.setattr(cuda_library, "first_address", address)
    monkeypatch.setattr(library, "is_fast", lambda *_: True)
    monkeypatch.setattr(device, "library", library, raising=False)
    return device


WIDE, TALL_ONE = (3, 3 * 256), (3 * 256, 3)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize(
    ("left", "right"), [((5, 7), (7, 4)), (WIDE, TALL_ONE), (TALL_ONE, WIDE), ((2, *WIDE), TALL_ONE), (WIDE, WIDE[1:])]
)
@pytest.mark.parametrize("turn_left", [False, True])
@pytest.mark.parametrize("turn_right", [False, True])
def test_products_of_matrices_by_rows_and_by_columns(left: Any, right: Any, turn_left: bool, turn_right: bool) -> None:
    a, b = (RNG.normal(size=shape).astype("float32") for shape in (left, right))

    def laid(x: np.ndarray[Any, Any], turn: bool) -> Any:
        turned = turn and x.ndim > 1
        return xp.asarray(np.ascontiguousarray(x.swapaxes(-1, -2))).mT if turned else xp.asarray(x)

    np.testing.assert_allclose((laid(a, turn_left) @ laid(b, turn_right)).to_numpy(), a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize(("shape", "copies"), [(TALL_ONE, 0), ((300, 200), 1)])
def test_products_of_a_tall_matrix_with_itself_copy_nothing(shape: tuple[int, int], copies: int) -> None:
    x = xp.asarray(RNG.normal(size=shape).astype("float32"))
    with launches() as made:
        xp.compute(x.T @ x)
    assert len([launch for launch in made if not launch.library]) == copies


@pytest.mark.usefixtures("blas")
def test_a_product_that_is_remembered_keeps_no_memory(device: Device) -> None:
    live = device.live_bytes
    for _ in range(3):
        a, b = (xp.asarray(RNG.normal(size=shape).astype("float32")) for shape in ((30, 40), (40, 20)))
        xp.sync(a @ b)
    del a, b
    assert device.live_bytes == live


# --- eigenvalues, with NumPy in cuSOLVER's place


def _floats(address: int, shape: tuple[int, ...], kind: int) -> np.ndarray[Any, Any]:
    pointer: Any = ctypes.POINTER(ctypes.c_double if kind else ctypes.c_float)
    return np.ctypeslib.as_array(ctypes.cast(address, pointer), shape)


class HostSolver:
    """cuSOLVER's eigenvectors of matrices by columns, of which it reads the upper triangle, on memory of the host."""

    def create(self) -> int:
        return 1

    def createParams(self) -> int:
        return 2

    def xsyevd_bufferSize(self, handle: int, params: int, *problem: int) -> tuple[int, int]:
        assert (handle, params, problem[1]) == (1, 2, 1)
        return 100, 10

    def xsyevd(
        self, handle: int, params: int, vectors: int, uplo: int, n: int, kind: int, a: int, lead: int,
        kind_of_values: int, values: int, computes: int, room: int, here: int, own: int, there: int, status: int,
    ) -> None:  # fmt: skip
        assert lead == n and kind == kind_of_values == computes and (here, there) == (100, 10) and room and own
        by_rows = _floats(a, (n, n), kind)  # the rows of memory are the columns of the matrix
        lower = np.tril(by_rows)  # its upper triangle
        ctypes.memset(status, int(np.isinf(by_rows).any()), 4)
        _floats(values, (n,), kind)[...] = by_rows.sum()
        if np.isfinite(by_rows).all():
            found, columns = np.linalg.eigh(lower + np.tril(by_rows, -1).T)
            _floats(values, (n,), kind)[...] = found
            by_rows[...] = columns.T if vectors else 0


class HostRuntime:
    """Copies that CUDA's runtime makes, on memory of the host."""

    def memcpyAsync(self, target: int, source: int, nbytes: int, kind: int, stream: int) -> None:
        ctypes.memmove(target, source, nbytes)

    def streamSynchronize(self, stream: int) -> None:
        pass


@pytest.fixture
def solver() -> Any:
    """The library of a device whose memory is the host's."""
    kept: list[np.ndarray[Any, Any]] = []

    def alloc(nbytes: int) -> Buffer:
        kept.append(np.zeros(nbytes, np.uint8))
        return FixedBuffer(nbytes, Block(kept[-1].ctypes.data, None, []))

    stands_for = SimpleNamespace(
        _current=lambda _: contextlib.nullcontext(), alloc=alloc, exchange=SimpleNamespace(stream=5)
    )
    library: Any = cuda_library.CudaLibrary(stands_for, 0)  # type: ignore[arg-type]
    library._stream_ = contextlib.nullcontext()
    modules = {"cupy": object(), "cupyx": object()}
    library._modules |= {cuda_library._CUSOLVER: HostSolver(), cuda_library._RUNTIME: HostRuntime(), **modules}
    return library


def _operand_of_host(x: np.ndarray[Any, Any]) -> Operand:
    buffer = Buffer(x.nbytes, Block(x.ctypes.data, None, []))
    return Operand(buffer, 0, x.dtype, x.shape, (x.shape[1], 1))


def _read(found: Operand) -> np.ndarray[Any, Any]:
    strides = [step * found.dtype.itemsize for step in found.strides]
    flat = _floats(found.buffer.handle, (int(np.prod(found.shape)),), int(found.dtype.itemsize == 8))
    return np.lib.stride_tricks.as_strided(flat, found.shape, strides)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_eigenvectors_are_those_of_the_lower_triangle(solver: Any, dtype: str) -> None:
    x = POSITIVE.astype(dtype)
    untrue = np.tril(x) + np.triu(RNG.normal(size=x.shape).astype(dtype), 1)
    before = untrue.copy()
    values, vectors = map(_read, solver.compute("eigh", [_operand_of_host(untrue)], {}))
    np.testing.assert_allclose(x @ vectors, vectors * values, 1e-3, 1e-3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(x)), 1e-3, 1e-3)
    (alone,) = map(_read, solver.compute("eigvalsh", [_operand_of_host(untrue)], {}))
    np.testing.assert_allclose(alone, values, 1e-5)
    assert (untrue == before).all() and (np.diff(values) > 0).all()


@pytest.mark.parametrize(("value", "message"), [(np.nan, "NaN"), (np.inf, "xsyevd")])
def test_eigenvalues_that_are_not_found_raise(solver: Any, value: float, message: str) -> None:
    """cuSOLVER says nothing of NaN."""
    x = np.full((3, 3), value, "float32")
    with pytest.raises(np.linalg.LinAlgError, match=message):
        solver.compute("eigh", [_operand_of_host(x)], {})


def test_results_of_the_solver_may_move(solver: Any) -> None:
    results = solver.compute("eigh", [_operand_of_host(POSITIVE)], {})
    assert [type(result.buffer) for result in results] == [Buffer, Buffer]
