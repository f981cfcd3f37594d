"""The library table of CUDA: cuBLAS for matrix products, cuSOLVER (`cuda_solver`) and cuFFT through CuPy.

CuPy works on the device's memory as it is, takes its own from the device's pool, and queues its work on the device's
stream. CuPy and each library are loaded at their first use; libraries that are not installed are not used.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import binaries
from .base import Buffer, Library, Operand, Product
from .cuda_functions import blas_addresses
from .cuda_solver import SOLVERS, UNCHECKED, results_of
from .cuda_transforms import CUFFT, CudaTransforms, first_address

try:
    from .launching import CudaProduct
except ImportError:  # in the Python form
    CudaProduct = None  # type: ignore[assignment,misc]

if TYPE_CHECKING:
    from .cuda import CudaDevice


def _give_cupy_a_folder() -> None:
    """Name a folder of this process to CuPy where it can have none below the home folder, because CuPy needs one."""
    if CUPY_FOLDER in os.environ:
        return
    with contextlib.suppress(RuntimeError):  # HOME is not set, and the system does not know the user
        if binaries.writable(Path.home() / ".cupy"):
            return
    own = binaries.own_folder()
    if own is not None:
        os.environ[CUPY_FOLDER] = str(own / "cupy")


CUPY_FOLDER = "CUPY_CACHE_DIR"
_give_cupy_a_folder()

_CUBLAS = "cupy_backends.cuda.libs.cublas"
_CUSOLVER = "cupy_backends.cuda.libs.cusolver"
_RUNTIME = "cupy_backends.cuda.api.runtime"
_DEVICE_TO_HOST, _DEVICE_TO_DEVICE = 2, 3  # cudaMemcpyKind
_UPPER = 1  # CUBLAS_FILL_MODE_UPPER
_AS_IT_LIES, _TRANSPOSED, _ANY_ALGORITHM = 0, 1, -1  # CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_GEMM_DEFAULT
_EXACT_SUMS = 16  # CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
_FLOAT, _DOUBLE = 68, 70  # CUBLAS_COMPUTE_32F, which is no TensorFloat-32, and CUBLAS_COMPUTE_64F

_scalars = {name: (np.ones(1, name), np.zeros(1, name)) for name in ("f4", "f8", "c8", "c16")}


def _product(kind: int, sums: int, scalar: str) -> tuple[int, int, int, int]:
    """Return cudaDataType and cublasComputeType of a dtype, and the addresses of 1 and 0."""
    one, zero = _scalars[scalar]
    return kind, sums, one.ctypes.data, zero.ctypes.data


_PRODUCTS = {
    "float16": _product(2, _FLOAT, "f4"),
    "bfloat16": _product(14, _FLOAT, "f4"),
    "float32": _product(0, _FLOAT, "f4"),
    "float64": _product(1, _DOUBLE, "f8"),
    "complex64": _product(4, _FLOAT, "c8"),
    "complex128": _product(5, _DOUBLE, "c16"),
}
# Products that kernels compute; the others are cuBLAS's. In brackets, ms on an H200, by a kernel and by cuBLAS; extents
# are rows x summed places x columns.
#
# Products with a vector: 8,192 x 8,192 float64 0.127, 0.126, with contiguous columns 0.127, 0.394; stacks of 500 x 300
# x 300 0.090, 0.106, and 0.102, 0.294. A kernel takes longer for rows of complex128: 4,096 x 4,096 0.093, 0.067, but
# with contiguous columns 0.089, 0.220.
# Stacks of matrices with so many multiply-adds each at most, by the bytes of an element (2,000 of 32 x 32 float32:
# 0.010, 0.015, float16: 0.010, 0.016, complex64: 0.028, 0.023; 2,000 of 16 x 64 x 16 complex64: 0.013, 0.032).
SMALL_PRODUCT = {2: 1 << 15, 4: 1 << 15, 8: 1 << 14, 16: 1 << 14}
# Products of so many multiply-adds at most (100 x 100 x 100: 0.008, 0.012 to 0.020; 304 x 304 x 304 float16: 0.008,
# 0.015).
SMALL_WORK = dict.fromkeys(("float16", "bfloat16", "float32", "float64"), 1 << 25)
LESS_WORK = 1 << 20  # of other dtypes (300 x 300 x 300 complex128: 0.022, 0.017)
# Products of matrices with one extent that is LONG_SUMS times longer than the others, whose own product is at most FEW
# (16 x 2^20 x 16 float16: 0.064, 0.101, float64: 0.077, 0.175, complex128: 0.176, 0.298; 32 x 2^20 x 32 complex64:
# 0.246, 0.409; 16 x 16 x 2^20 float64: 0.103, 0.183). If the long extent is the number of rows, it is at most this
# (2^20 x 16 x 16 float64: 0.081, 0.123, float16: 0.045, 0.040; 2^20 x 64 x 8 complex128: 0.323, 0.527, float64: 0.201,
# 0.156).
LONG_SUMS = 64
FEW, FEW_OF_MANY_ROWS = 64 * 64, {"float16": 128, "bfloat16": 128, "float64": 256, "complex64": 256, "complex128": 512}
# Products of float32 and complex64 need no long extent: one of at most this is enough (4,096 x 8 x 4,096 float32:
# 0.026, 0.043; 4,096 x 4,096 x 16 complex64: 0.067, 0.102), and, of float32, two with a product of at most FEW.
LEAST_EXTENT = 16
_ALL, _NONE = frozenset({"f16", "f32", "f64", "c64", "c128"}), frozenset[str]()
_WITH_UNITS = _ALL | {"bf16"}  # where the processor has units for it


class CudaLibrary(Library):
    """NVIDIA's libraries on one device."""

    def __init__(self, device: CudaDevice, ordinal: int):
        self.names = {"matmul": "cuBLAS"} | {name: "cuFFT" if "fft" in name else "cuSOLVER" for name in _ROUTINES}
        self._device = device
        self._ordinal = ordinal
        self._lock = threading.RLock()  # of loading, and of cuBLAS, whose handle one thread may use at a time
        self._modules: dict[str, Any] = {}
        self._stream_: Any = None
        self._handle = 0
        self._solver: tuple[int, int] | None = None  # cuSOLVER's handle and parameters
        self._transforms = CudaTransforms(self)

    def _load(self, name: str) -> Any:
        """Return a module of CuPy; None where it, or the library behind it, is not installed."""
        if name not in self._modules:
            with self._lock:
                try:
                    self._modules[name] = importlib.import_module(name)
                except (ImportError, RuntimeError):
                    self._modules[name] = None
        return self._modules[name]

    @property
    def _stream(self) -> Any:
        """The device's stream as one of CuPy, a context manager: CuPy's wrappers use its current stream."""
        if self._stream_ is None:
            cupy = self._load("cupy")
            if hasattr(cupy.cuda.Stream, "from_external"):
                self._stream_ = cupy.cuda.Stream.from_external(self)
            else:  # CuPy 13
                self._stream_ = cupy.cuda.ExternalStream(self._device.exchange.stream, self._ordinal)
        return self._stream_

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of this protocol, and the stream."""
        return 0, self._device.exchange.stream

    # cuBLAS

    @property
    def products(self) -> frozenset[str]:
        if not self._load(_CUBLAS) or not self._load("cupy"):
            return _NONE
        return _WITH_UNITS if "bf16" in self._device.fragments else _ALL

    def is_fast(self, dtype: np.dtype[Any], matrices: int, m: int, n: int, k: int) -> bool:
        """Return False for products with a vector, small ones, and single ones with two short extents."""
        name, (least, middle, longest) = dtype.name, sorted((m, n, k))
        if name not in _PRODUCTS or min(m, n) == 1:
            return False
        if matrices > 1:
            return m * n * k > SMALL_PRODUCT[dtype.itemsize]
        if m * n * k <= SMALL_WORK.get(name, LESS_WORK):
            return False
        if name in ("float32", "complex64") and least <= LEAST_EXTENT:
            return False
        if name == "float32":
            return least * middle > FEW
        return longest < LONG_SUMS * middle or least * middle > (FEW_OF_MANY_ROWS[name] if longest == m else FEW)

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        """cuBLAS reads memory by columns, so it gets the transposed matrices: out.T = b.T @ a.T."""
        (stack, m, n), k = out.shape, a.shape[2]
        kind, sums, one, zero = _PRODUCTS[out.dtype.name]
        own, step = (out.offset, a.offset, b.offset), out.strides[0]
        lie = _order(b), _order(a)
        first, second = (max(b.strides[1:]), b.strides[0]), (max(a.strides[1:]), a.strides[0])
        cublas = self._load(_CUBLAS)
        nothing: Any = None
        places = [operand._replace(buffer=nothing) for operand in (out, a, b)]  # which keep no memory alive

        def again(buffers: list[Buffer], offsets: Sequence[int] | None) -> None:
            with self._device._current("matrix product"), self._lock, self._stream:
                if not self._handle:
                    self._handle = cublas.create()
                    cublas.setMathMode(self._handle, _EXACT_SUMS)
                product, x, y = (
                    first_address(operand._replace(buffer=buffer, offset=offset))
                    for operand, buffer, offset in zip(places, buffers, offsets or own, strict=True)
                )
                cublas.gemmStridedBatchedEx(
                    self._handle, *lie, n, m, k, one, y, kind, *first, x, kind, *second,
                    zero, product, kind, n, step, stack, sums, _ANY_ALGORITHM,
                )  # fmt: skip

        again([out.buffer, a.buffer, b.buffer], None)  # which gives the handle this device's stream
        queue = self._device.direct
        blas = blas_addresses(cublas.getVersion(self._handle), "cublasGemmStridedBatchedEx")
        if CudaProduct is None or queue is None or blas is None:
            return again
        numbers = (*lie, n, m, k, *first, *second, n, step, stack, kind, sums, _ANY_ALGORITHM)
        return CudaProduct(queue, blas[0], self._handle, numbers, (one, zero), out.dtype.itemsize, own, again)

    # cuSOLVER

    by_rows = frozenset({"eigh", "eigvalsh", "rfftn"})
    of_complex = frozenset({"fftn", "ifftn", "irfftn"})

    def _eigen(self, x: Operand, vectors: bool) -> list[Operand]:
        """Return eigenvalues, and eigenvectors in columns, of a real symmetric matrix that lies by rows. cuSOLVER reads
        memory by columns, so it gets the lower triangle as the upper one.

        CuPy's function takes several times as much Python code, two launches, and a wait for convergence.
        """
        n, size = x.shape[0], x.dtype.itemsize
        kind, cusolver, runtime = _PRODUCTS[x.dtype.name][0], self._load(_CUSOLVER), self._load(_RUNTIME)
        alloc, stream = self._device.alloc, self._device.exchange.stream
        columns, values, status = alloc(n * n * size), alloc(n * size), alloc(4)
        failed, found = np.zeros((), np.int32), np.empty(n, x.dtype)
        with self._device._current("eigh"), self._lock, self._stream:
            if self._solver is None:
                self._solver = cusolver.create(), cusolver.createParams()
            problem = *self._solver, int(vectors), _UPPER, n, kind, columns.handle, n, kind, values.handle, kind
            self._copy(columns.handle, first_address(x), columns.nbytes)
            here, there = cusolver.xsyevd_bufferSize(*problem)
            room, own = alloc(here), np.empty(there, np.uint8)
            cusolver.xsyevd(*problem, room.handle, here, own.ctypes.data, there, status.handle)
            runtime.memcpyAsync(failed.ctypes.data, status.handle, 4, _DEVICE_TO_HOST, stream)
            runtime.memcpyAsync(found.ctypes.data, values.handle, n * size, _DEVICE_TO_HOST, stream)
            runtime.streamSynchronize(stream)
        if np.isnan(found).any():
            raise np.linalg.LinAlgError("eigh: a matrix holds NaN or infinities; isfinite finds them")
        if failed:
            raise np.linalg.LinAlgError(f"eigh: no convergence: xsyevd of cuSOLVER returned {failed}; scale the matrix")
        results = [Operand(values, 0, x.dtype, (n,), (1,)), Operand(columns, 0, x.dtype, (n, n), (1, n))]
        for result in results:
            result.buffer.__class__ = Buffer  # like that of any array, it may move from now on
        return results if vectors else results[:1]

    # cuSOLVER and cuFFT, through CuPy

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        routine = _ROUTINES.get(name)
        if routine is None or any(0 in operand.shape for operand in operands) or options.get("axes") == ():
            return None
        if name not in _STACKS and any(len(operand.shape) > 2 for operand in operands):
            return None  # CuPy would compute matrix by matrix, or in another way
        cupy = self._load("cupy")
        if not cupy or not self._load("cupyx"):
            return None
        if "fft" in name and self._load(CUFFT):
            with self._device._current(name), self._lock:
                if (found := self._transforms.compute(cupy, name, operands[0], options)) is not None:
                    return found
        if name in _SYMMETRIC and np.issubdtype(operands[0].dtype, np.floating) and self._load(_CUSOLVER):
            return self._eigen(operands[0], name == "eigh")
        with self._device._current(name), self._at_work(raises=name in SOLVERS and name not in UNCHECKED) as made:
            arrays = [self._view(cupy, operand) for operand in operands]
            results = results_of(cupy, name, routine, arrays, options)
            if results is None:
                return None
            return [_operand(result if result.data.mem.ptr in made else result.copy(), made) for result in results]

    @contextmanager
    def _at_work(self, raises: bool) -> Iterator[weakref.WeakValueDictionary[int, Buffer]]:
        """Let CuPy use the device's stream and memory; give CuPy's buffers by address. ``raises``: CuPy waits for the
        status of linear algebra, and raises its errors."""
        cupy = self._modules["cupy"]
        made: weakref.WeakValueDictionary[int, Buffer] = weakref.WeakValueDictionary()

        def allocate(nbytes: int) -> Any:
            buffer = self._device.alloc(nbytes)
            made[buffer.handle] = buffer
            return cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(buffer.handle, nbytes, buffer, self._ordinal), 0)

        errors = self._modules["cupyx"].errstate(linalg="raise") if raises else contextlib.nullcontext()
        with self._stream, cupy.cuda.using_allocator(allocate), errors:
            yield made

    def _view(self, cupy: Any, operand: Operand) -> Any:
        """Return an operand as an array of CuPy."""
        buffer, offset, dtype, shape, strides = operand
        memory = cupy.cuda.UnownedMemory(buffer.handle, buffer.nbytes, buffer, self._ordinal)
        pointer = cupy.cuda.MemoryPointer(memory, offset * dtype.itemsize)
        return cupy.ndarray(shape, dtype, pointer, tuple(step * dtype.itemsize for step in strides))

    def _copy(self, target: int, source: int, nbytes: int) -> None:
        """Queue a copy of the device's memory between addresses."""
        self._load(_RUNTIME).memcpyAsync(target, source, nbytes, _DEVICE_TO_DEVICE, self._device.exchange.stream)

    def release(self) -> None:
        """Free the memory of plans for transforms."""
        self._transforms.release()
        if self._modules.get("cupy"):
            with contextlib.suppress(Exception):  # there are none
                self._modules["cupy"].fft.config.get_plan_cache().clear()


def _order(operand: Operand) -> int:
    """Return how cuBLAS must read matrices, which it assumes to lie by columns."""
    return _AS_IT_LIES if operand.strides[2] == 1 else _TRANSPOSED


def _operand(array: Any, made: Mapping[int, Buffer]) -> Operand:
    """Return an array of CuPy in this device's memory as an operand."""
    buffer, size = made[array.data.mem.ptr], array.dtype.itemsize
    offset = (array.data.ptr - buffer.handle) // size
    buffer.__class__ = Buffer  # like that of any array, it may move when CuPy has dropped it
    return Operand(buffer, offset, array.dtype, array.shape, tuple(step // size for step in array.strides))


# Routines take CuPy, then the operands and options of the NumPy function of that name.


def _rfftn(cupy: Any, x: Any, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
    """CuPy 14 halves a wrong axis where the axes are not in order."""
    if tuple(axes) == tuple(sorted(axes)):
        return cupy.fft.rfftn(x, s, axes, norm)
    return cupy.fft.fftn(cupy.fft.rfft(x, s[-1], axes[-1], norm), s[:-1], axes[:-1], norm)


def _irfftn(cupy: Any, x: Any, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
    """cuFFT assumes that halves are conjugates along all axes, so it transforms the last axis separately."""
    if len(axes) > 1:
        x = cupy.fft.ifftn(x, s[:-1], axes[:-1], norm)
    return cupy.fft.irfft(x, s[-1], axes[-1], norm)


_ROUTINES: dict[str, Callable[..., Any]] = {
    **SOLVERS,
    "fftn": lambda cupy, x, *, s, axes, norm: cupy.fft.fftn(x, s, axes, norm),
    "ifftn": lambda cupy, x, *, s, axes, norm: cupy.fft.ifftn(x, s, axes, norm),
    "irfftn": _irfftn,
    "rfftn": _rfftn,
}

_SYMMETRIC = {"eigh", "eigvalsh"}
_STACKS = {"cholesky", "inv", "slogdet", "fftn", "ifftn", "irfftn", "rfftn"}  # of matrices, or of vectors
