"""Kernels as CuPy's and PyOpenCL's users write them, in words of our own: the same bodies on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

X, Y = (sample("float32", (20, 33), seed) for seed in range(2))
V = X.ravel()
K = np.arange(660, dtype=np.int32) * 7919 % 100


@pytest.fixture
def x(twin: Device) -> Any:
    return xp.asarray(X, device=twin)


@pytest.fixture
def y(twin: Device) -> Any:
    return xp.asarray(Y, device=twin)


def new(like: Any, shape: Any, dtype: str = "float32") -> Any:
    return xp.zeros(shape, dtype=dtype, device=like.device)


def test_squared_difference(x: Any, y: Any) -> None:
    kernel = xp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_diff")
    assert_same(to_host(kernel(x, y)), (X - Y) * (X - Y))


def test_a_placeholder_for_two_kinds_of_operands(x: Any) -> None:
    kernel = xp.ElementwiseKernel("T x, S n", "T z", "z = x * n", "scaled")
    assert_same(to_host(kernel(x, xp.asarray(K[:33], device=x.device))), X * K[:33].astype(np.float32))


def test_reverse_by_a_raw_argument(x: Any) -> None:
    kernel = xp.ElementwiseKernel("raw T x", "T y", "y = x[_ind.size() - i - 1]", "reverse")
    assert_same(to_host(kernel(x, size=660)), V[::-1])


def test_divmod_gives_two_results(x: Any, y: Any) -> None:
    kernel = xp.ElementwiseKernel("T x, T y", "T quotient, T rest", "quotient = floor(x / y); rest = x - quotient * y")
    quotient, rest = kernel(x, y)
    assert_same(to_host(quotient), np.floor(X / Y))
    assert_same(to_host(rest), X - np.floor(X / Y) * Y)


def test_collatz_steps(twin: Device) -> None:
    kernel = xp.ElementwiseKernel(
        "int64 start", "int32 steps",
        """
        long long k = start;
        steps = 0;
        while (k > 1) {
            k = k % 2 ? 3 * k + 1 : k / 2;
            ++steps;
        }
        """,
        "collatz",
    )  # fmt: skip

    def steps(k: int) -> int:
        return 0 if k < 2 else 1 + steps(3 * k + 1 if k % 2 else k // 2)

    expected = np.asarray([steps(k) for k in range(100)], np.int32)
    assert_same(to_host(kernel(xp.arange(100, device=twin))), expected)


def test_mandelbrot(twin: Device) -> None:
    kernel = xp.ElementwiseKernel(
        "float32 a, float32 b, int32 most", "int32 count",
        """
        float re = 0, im = 0;
        count = most;
        for (int k = 0; k < most; k++) {
            float next = re * re - im * im + a;
            im = 2 * re * im + b;
            re = next;
            if (re * re + im * im > 4) { count = k; break; }
        }
        """,
        "mandelbrot",
    )  # fmt: skip
    a, b = np.linspace(-2, 1, 31, dtype=np.float32), np.linspace(-1, 1, 21, dtype=np.float32)[:, None]
    expected = np.full((21, 31), 40, np.int32)
    re = im = np.zeros((21, 31), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(40):
            re, im = re * re - im * im + a, 2 * re * im + b
            expected[(expected == 40) & (re * re + im * im > 4)] = k
    found = kernel(xp.asarray(a, device=twin), xp.asarray(b, device=twin), 40)
    assert_same(to_host(found), expected)


def test_heat_by_neighbours(x: Any) -> None:
    kernel = xp.ElementwiseKernel(
        "raw T u, int32 columns", "T v",
        """
        int row = i / columns, column = i % columns, rows = u.size() / columns;
        T sum = 0;
        if (row > 0) sum += u[i - columns];
        if (row < rows - 1) sum += u[i + columns];
        if (column > 0) sum += u[i - 1];
        if (column < columns - 1) sum += u[i + 1];
        v = u[i] + (sum - 4 * u[i]) / 8;
        """,
        "heat",
    )  # fmt: skip
    total = np.zeros_like(X)
    total[1:] += X[:-1]
    total[:-1] += X[1:]
    total[:, 1:] += X[:, :-1]
    total[:, :-1] += X[:, 1:]
    assert_same(to_host(kernel(x, 33, size=660)), (X + (total - 4 * X) / 8).ravel())


def test_linear_combination_in_place(x: Any, y: Any) -> None:
    z = new(x, X.shape)
    kernel = xp.ElementwiseKernel(
        "float a, float *x, float b, float *y, float *z", "z[i] = a * x[i] + b * y[i]", "lin_comb"
    )
    kernel(5, x, 6, y, z)
    assert_same(to_host(z), np.float32(5) * X + np.float32(6) * Y)


def test_complex_linear_combination(twin: Device) -> None:
    z, w = (sample("complex64", 50, seed) for seed in (3, 4))
    kernel = xp.ElementwiseKernel("complex64 a, complex64 z, complex64 w", "complex64 r", "r = a * z + w", "c_lin_comb")
    ours = xp.asarray(z, device=twin), xp.asarray(w, device=twin)
    assert_same(to_host(kernel(2 - 1j, *ours)), to_host(ours[0] * (2 - 1j) + ours[1]))


def test_a_preamble_of_functions(x: Any) -> None:
    kernel = xp.ElementwiseKernel(
        "T x", "T y", "y = poly(x, 3)",
        preamble="""
        #define ONE 1.0f
        __device__ float poly(float x, int degree) {
            float sum = ONE;
            for (int k = 0; k < degree; k++) sum = sum * x + ONE;
            return sum;
        }
        """,
    )  # fmt: skip
    expected = np.ones_like(X)
    for _ in range(3):
        expected = expected * X + np.float32(1)
    assert_same(to_host(kernel(x)), expected)


def test_l2_norm(x: Any) -> None:
    kernel = xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    assert_same(to_host(kernel(x, axis=1)), to_host(xp.sqrt(xp.sum(x * x, axis=1))))


def test_the_largest_distance(x: Any, y: Any) -> None:
    kernel = xp.ReductionKernel("T x, T y", "T d", "fabs(x - y)", "max(a, b)", "d = a", "0", "largest_distance")
    assert_same(to_host(kernel(x, y, axis=0)), np.abs(X - Y).max(axis=0))


def test_how_many_are_positive(x: Any) -> None:
    kernel = xp.ReductionKernel("T x", "int64 n", "x > 0", "a + b", "n = a", "0", "positive")
    assert int(kernel(x)) == np.count_nonzero(X > 0)


def test_dot_product_in_c(x: Any, y: Any) -> None:
    kernel = xp.ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y")
    assert_same(to_host(kernel(x, y)), to_host(xp.sum(x * y)))


def test_bits_that_any_element_has(twin: Device) -> None:
    kernel = xp.ReductionKernel("uint32 x", "uint32 bits", "x", "a | b", "bits = a", "0", "any_bits")
    host = (K.astype(np.uint32) * 4096).reshape(20, 33)
    assert_same(to_host(kernel(xp.asarray(host, device=twin), axis=1)), np.bitwise_or.reduce(host, axis=1))


def test_a_raw_kernel_adds(x: Any, y: Any) -> None:
    z = new(x, X.shape)
    kernel = xp.RawKernel(
        """
        extern "C" __global__
        void my_add(const float* x1, const float* x2, float* y) {
            int tid = blockDim.x * blockIdx.x + threadIdx.x;
            y[tid] = x1[tid] + x2[tid];
        }
        """,
        "my_add",
    )
    kernel((20,), (33,), (x, y, z))
    assert_same(to_host(z), X + Y)


def test_a_tiled_transpose(x: Any) -> None:
    z = new(x, (33, 20))
    kernel = xp.RawKernel(
        """
        #define TILE 8
        __kernel void transpose(__global const float *a, __global float *b, const int rows, const int columns) {
            __local float tile[TILE][TILE + 1];
            int c = get_global_id(0), r = get_global_id(1);
            if (r < rows && c < columns) tile[get_local_id(1)][get_local_id(0)] = a[r * columns + c];
            barrier(CLK_LOCAL_MEM_FENCE);
            r = get_group_id(1) * TILE + get_local_id(0);
            c = get_group_id(0) * TILE + get_local_id(1);
            if (r < rows && c < columns) b[c * rows + r] = tile[get_local_id(0)][get_local_id(1)];
        }
        """,
        "transpose",
    )
    kernel((5, 3), (8, 8), (x, z, 20, 33))
    assert_same(to_host(z), X.T)


def test_sums_of_groups_in_shared_memory(x: Any) -> None:
    sums = new(x, 6)
    kernel = xp.RawKernel(
        """
        extern "C" __global__ void sums(const float *x, float *out, int n) {
            extern __shared__ float part[];
            int t = threadIdx.x, k = blockIdx.x * blockDim.x + t;
            part[t] = k < n ? x[k] : 0;
            __syncthreads();
            for (int half = blockDim.x / 2; half > 0; half /= 2) {
                if (t < half) part[t] += part[t + half];
                __syncthreads();
            }
            if (t == 0) out[blockIdx.x] = part[0];
        }
        """,
        "sums",
    )
    kernel((6,), (128,), (x, sums, 660), shared_mem=512)
    part: Any = np.append(V, np.zeros(108, np.float32)).reshape(6, 128)
    while part.shape[1] > 1:
        part = part[:, : part.shape[1] // 2] + part[:, part.shape[1] // 2 :]
    assert_same(to_host(sums), part[:, 0])


def test_a_matrix_product(x: Any, y: Any) -> None:
    z = new(x, (20, 20))
    kernel = xp.GpuKernel(
        """
        KERNEL void product(GLOBAL_MEM const ga_float *a, GLOBAL_MEM const ga_float *b, GLOBAL_MEM ga_float *c,
                            ga_int rows, ga_int inner, ga_int columns) {
            ga_int r = GID_1 * LDIM_1 + LID_1, k = GID_0 * LDIM_0 + LID_0;
            if (r >= rows || k >= columns) return;
            ga_float sum = 0;
            for (ga_int i = 0; i < inner; i++) sum += a[r * inner + i] * b[i * columns + k];
            c[r * columns + k] = sum;
        }
        """,
        "product",
    )
    kernel(x, y.T, z, 20, 33, 20, gs=(3, 3), ls=(8, 8))
    expected = np.zeros((20, 20), np.float32)
    for i in range(33):
        expected += X[:, i : i + 1] * Y.T[i : i + 1]
    assert_same(to_host(z), expected)


def test_running_sums(twin: Device) -> None:
    kernel = xp.ScanKernel("T x", "T y", "x", "a + b", "0", "y = item", "cumsum")
    assert_same(to_host(kernel(xp.asarray(K, device=twin))), np.cumsum(K, dtype=np.int32))


def test_compaction_by_a_scan(twin: Device) -> None:
    kernel = xp.ScanKernel(
        np.int32, "const int *x, int *out, int *count", "(x[i] > 50) ? 1 : 0", "a+b", "0",
        """
        if (prev_item != item) out[item-1] = x[i];
        if (i == n - 1) *count = item;
        """,
    )  # fmt: skip
    x, out, count = (xp.asarray(host, device=twin) for host in (K, np.zeros_like(K), K[:1]))
    kernel(x, out, count)
    kept = K[K > 50]
    assert int(count[0]) == len(kept)
    assert_same(to_host(out[: len(kept)]), kept)


def test_run_lengths_by_a_scan(twin: Device) -> None:
    host = np.sort(K)
    kernel = xp.ScanKernel(
        np.int32, "const int *x, int *starts", "i == 0 || x[i] != x[i - 1] ? 1 : 0", "a+b", "0",
        "if (prev_item != item) starts[prev_item] = i;",
    )  # fmt: skip
    starts = xp.zeros(100, dtype=xp.int32, device=twin)
    kernel(xp.asarray(host, device=twin), starts)
    _, expected = np.unique(host, return_index=True)
    assert_same(to_host(starts)[: len(expected)], expected.astype(np.int32))


def sums_in_segments(values: Any, starts: Any) -> Any:
    groups = np.cumsum(starts)
    before = np.append(0, np.cumsum(values))[:-1]
    first = np.append(True, groups[1:] != groups[:-1])
    return np.cumsum(values) - before[np.maximum.accumulate(np.where(first, np.arange(len(values)), 0))]


def test_sums_in_segments_by_a_scan(twin: Device) -> None:
    """As PyOpenCL's users write them: `scan_expr` says itself what happens between segments."""
    starts = K % 13 == 0
    kernel = xp.ScanKernel(
        np.int32, "const int *x, const char *flags, int *out", "x[i]", "across_seg_boundary ? b : (a+b)", "0",
        "out[i] = item;", is_segment_start_expr="flags[i]",
    )  # fmt: skip
    x, flags, out = (xp.asarray(host, device=twin) for host in (K, starts.astype(np.int8), np.zeros_like(K)))
    kernel(x, flags, out)
    assert_same(to_host(out), sums_in_segments(K, starts).astype(np.int32))


def test_places_within_runs_by_a_scan(twin: Device) -> None:
    """A segment begins where an element is not the one before it; the place is what was counted until then."""
    host = np.sort(K)
    kernel = xp.ScanKernel(
        np.int32, "const int *x, int *place, int *length", "1", "across_seg_boundary ? b : a + b", "0",
        "place[i] = prev_item; if (i == n - 1) *length = last_item;",
        is_segment_start_expr="i > 0 && now != before", input_fetch_exprs=[("now", "x", 0), ("before", "x", -1)],
    )  # fmt: skip
    x, place, length = (xp.asarray(a, device=twin) for a in (host, np.zeros_like(host), np.zeros(1, np.int32)))
    kernel(x, place, length)
    starts = np.append(True, host[1:] != host[:-1])
    expected = sums_in_segments(np.ones_like(host), starts).astype(np.int32)
    assert_same(to_host(place), expected - 1)
    assert int(length[0]) == expected[-1]


def test_exclusive_sums_by_a_scan(twin: Device) -> None:
    kernel = xp.ScanKernel("T x", "T y", "x", "a+b", "0", "y = prev_item", "exclusive")
    assert_same(to_host(kernel(xp.asarray(K, device=twin))), np.cumsum(K, dtype=np.int32) - K)
