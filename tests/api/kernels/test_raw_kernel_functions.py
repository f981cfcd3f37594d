"""Whole kernels of users: the same plain C, in four languages' words, on every device."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, KernelBuildError

pytestmark = pytest.mark.usefixtures("device")

X = sample("float32", 1000, 1)
IN_WORDS = {
    "the dialect": """
        FN M_f32 twice(M_f32 x) { return x + x; }
        KERNEL void f(GLOBAL const M_f32 *x, GLOBAL M_f32 *y, M_f32 c, M_i32 n) {
            S_i64 k = GID;
            if (k < n) y[k] = twice(x[k]) + c;
        }""",
    "libgpuarray's": """
        WITHIN_KERNEL ga_float twice(ga_float x) { return x + x; }
        KERNEL void f(GLOBAL_MEM const ga_float *x, GLOBAL_MEM ga_float *y, ga_float c, ga_int n) {
            ga_size k = GID_0 * LDIM_0 + LID_0;
            if (k < n) y[k] = twice(x[k]) + c;
        }""",
    "CUDA's": """
        __global__ void other(float *z) { z[threadIdx.x] = 0; }
        __device__ __forceinline__ float twice(float x) { return x + x; }
        extern "C" __global__ void f(const float* __restrict__ x, float *y, float c, int n) {
            const unsigned int k = blockDim.x * blockIdx.x + threadIdx.x;  // one element
            if (k < n) y[k] = twice(x[k]) + c;
        }""",
    "OpenCL's": """
        float twice(float x) { return x + x; }
        __kernel void f(__global const float *x, __global float *y, float c, int n) {
            int k = get_global_id(0);
            if (k < n) y[k] = twice(x[k]) + c;
        }""",
}


@pytest.mark.parametrize("language", IN_WORDS)
def test_languages(twin: Device, language: str) -> None:
    x, y = xp.asarray(X, device=twin), xp.zeros(1000, dtype=xp.float32, device=twin)
    xp.RawKernel(IN_WORDS[language], "f")((8,), (128,), (x, y, 1.5, 1000))
    assert_same(to_host(y), X + X + np.float32(1.5))
    z = xp.zeros(1000, dtype=xp.float32, device=twin)
    xp.GpuKernel(IN_WORDS[language], "f")(x, z, 1.5, 1000, n=1000)
    assert_same(to_host(z), to_host(y))


def test_groups_and_grids_of_several_dimensions(twin: Device) -> None:
    kernel = xp.RawKernel(
        """__global__ void places(int *out) {
            int z = blockIdx.z * blockDim.z + threadIdx.z, y = blockIdx.y * blockDim.y + threadIdx.y;
            int x = blockIdx.x * blockDim.x + threadIdx.x;
            int wide = gridDim.x * blockDim.x, high = gridDim.y * blockDim.y;
            out[(z * high + y) * wide + x] = 10000 * z + 100 * y + x;
        }""",
        "places",
    )
    out = xp.zeros((3 * 2, 2 * 4, 5 * 2), dtype=xp.int32, device=twin)
    kernel((5, 2, 3), (2, 4, 2), (out,))
    z, y, x = np.indices(out.shape, dtype=np.int32)
    assert_same(to_host(out), 10000 * z + 100 * y + x)


SHARED = {
    "of a size": "__global__ void f(float *x, int n) { __shared__ float s[64]; BODY }",
    "open": "__global__ void f(float *x, int n) { extern __shared__ float s[]; BODY }",
    "an argument": "__kernel void f(__global float *x, int n, __local float *s) { BODY }",
}


@pytest.mark.parametrize("name", SHARED)
def test_local_memory(twin: Device, name: str) -> None:
    body = "int t = threadIdx.x; s[t] = x[t]; __syncthreads(); x[t] = s[n - 1 - t];"
    x = xp.asarray(X[:64], device=twin)
    xp.RawKernel(SHARED[name].replace("BODY", body), "f")((1,), (64,), (x, 64), shared_mem=256)
    assert_same(to_host(x), X[63::-1])


@pytest.mark.parametrize("name", [name for name in SHARED if name != "of a size"])
@pytest.mark.parametrize("given", [0, 3])
def test_local_memory_without_a_size_is_refused_before_the_launch(twin: Device, name: str, given: int) -> None:
    x, text = xp.asarray(X[:64], device=twin), SHARED[name].replace("BODY", "s[threadIdx.x] = x[0]; x[1] = 7;")
    words = f"got {given} bytes of local memory for 's', .* at least 4; pass the bytes as"
    with pytest.raises(ValueError, match=f"{words} shared_mem="):
        xp.RawKernel(text, "f")((1,), (64,), (x, 64), shared_mem=given)
    with pytest.raises(ValueError, match=f"{words} shared="):
        xp.GpuKernel(text, "f")(x, 64, gs=1, ls=64, shared=given)
    assert_same(to_host(x), X[:64])


OPEN = [
    "extern __shared__ char s[];",
    "extern __shared__ __align__(16) char s[];",
    "extern __align__(16) __shared__ unsigned char s[];",
    "__align__(16) extern __shared__ float s[];",
    "extern __shared__ alignas(16) long\n long s[];",
]


@pytest.mark.parametrize("declared", OPEN)
def test_local_memory_of_an_open_size_is_aligned_for_all_types(twin: Device, declared: str) -> None:
    text = f"__global__ void f(float *x) {{ __shared__ char odd[3]; {declared} BODY odd[0] = 1; x[0] = odd[0]; }}"
    x = xp.zeros(2, dtype=xp.float32, device=twin)
    xp.RawKernel(text.replace("BODY", "s[1] = 2; x[1] = (size_t)s % 16;"), "f")((1,), (1,), (x,), shared_mem=16)
    assert to_host(x).tolist() == [1, 0]


@pytest.mark.parametrize("declared", [*OPEN, "KERNEL void other(LOCAL float *t) { }"])
def test_local_memory_that_is_not_used_needs_no_size(twin: Device, declared: str) -> None:
    """As in CuPy."""
    x = xp.zeros(1, dtype=xp.float32, device=twin)
    before, inside = (declared, "") if "other" in declared else ("", declared)
    xp.RawKernel(f"{before} __global__ void f(float *x, __local int *t) {{ {inside} x[0] = 1; }}", "f")(
        (1,), (1,), (x,)
    )
    assert to_host(x).tolist() == [1]


INTEGERS = {
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long", "uint8": "unsigned char",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
}  # fmt: skip


@pytest.mark.parametrize("dtype", INTEGERS)
def test_no_division_ends_the_process(twin: Device, dtype: str) -> None:
    """0, and the lowest number by -1, also in a macro, and where the compiler knows the divisor."""
    if getattr(twin, "platform", "") == "Portable Computing Language":
        pytest.skip("it has a handler of the signal, which other drivers of the process may replace")
    limits = np.iinfo(dtype)
    numbers = np.unique(np.array([0, 1, 2, 3, limits.min, limits.max, limits.max - 1, limits.min // 3], dtype))
    numbers = np.append(numbers, np.array(limits.max).astype(dtype) if limits.min == 0 else np.array(-1, dtype))
    a, b = (host.ravel() for host in np.meshgrid(numbers, numbers))
    text = """#define QUOTIENT(x, y) ((x) / (y))
        __global__ void f(const T *a, const T *b, T *q, T *r, int n) {
            int k = blockIdx.x * blockDim.x + threadIdx.x;
            if (k >= n) return;
            q[k] = QUOTIENT(a[k], b[k]);
            r[k] = b[k] == 0 ? a[k] % b[k] : a[k] % b[k];
        }"""
    x, y = (xp.asarray(host, device=twin) for host in (a, b))
    q, r = xp.zeros_like(x), xp.zeros_like(x)
    xp.RawKernel(text.replace("T ", f"{INTEGERS[dtype]} "), "f")((2,), (64,), (x, y, q, r, a.size))
    pairs = [(int(one), int(other)) for one, other in zip(a, b, strict=True)]
    quotients = [abs(one) // abs(other) * (-1) ** ((one < 0) != (other < 0)) if other else 0 for one, other in pairs]
    rests = [one - other * quotient if other else 0 for (one, other), quotient in zip(pairs, quotients, strict=True)]
    defined = b != 0 if str(twin) != "native" else np.full(b.shape, True)
    for found, wanted in ((q, quotients), (r, rests)):
        bits = np.array([value % (1 << 8 * a.itemsize) for value in wanted], f"u{a.itemsize}")
        assert_same(to_host(found)[defined], bits.view(dtype)[defined])


@pytest.mark.parametrize("text", [b"__global__ void f() { }", None, 3])
def test_a_text_is_a_str(text: Any) -> None:
    for kernel in (xp.RawKernel, xp.GpuKernel):
        with pytest.raises(TypeError, match=f"{kernel.__name__}: got {type(text).__name__} as the text; allowed: str"):
            kernel(text, "f")
        with pytest.raises(TypeError, match=f"{kernel.__name__}: got {type(text).__name__} as the name; allowed: str"):
            kernel(KERNEL, text)


def test_functions_are_ours() -> None:
    x = xp.asarray(np.abs(X))
    expected = to_host(xp.log(x))
    xp.GpuKernel("KERNEL void f(GLOBAL float *x, int n) { if (GID < n) x[GID] = logf(x[GID]); }", "f")(x, 1000, n=1000)
    assert_same(to_host(x), expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float32", "complex64"])
def test_numbers_and_pointers_of_any_dtype(twin: Device, dtype: str) -> None:
    kind = {"bool": "bool", "complex64": "complex<float>"}.get(dtype, f"{dtype}_t" if "int" in dtype else "float")
    host = sample(dtype, 40, 2)
    x = xp.zeros(40, dtype=dtype, device=twin)
    text = f"__global__ void f({kind} *x, {kind} value) {{ if (threadIdx.x < 40) x[threadIdx.x] = value; }}"
    if dtype == "complex64":
        text = text.replace("complex<float> value", "float value").replace("= value;", "= x[0];")
    xp.RawKernel(text, "f")((1,), (64,), (x, 1.0 if dtype == "complex64" else host[3]))
    assert_same(to_host(x), np.full(40, 0 if dtype == "complex64" else host[3], dtype))


def test_views_are_copied_and_written_back() -> None:
    x = xp.zeros((10, 2), dtype=xp.float32)
    kernel = xp.RawKernel("__global__ void f(float *x) { x[threadIdx.x] = threadIdx.x; }", "f")
    kernel((1,), (10,), (x[::-1, 1],))
    assert_same(to_host(x), np.stack([np.zeros(10, np.float32), np.arange(9, -1, -1, dtype=np.float32)], axis=1))


def test_a_view_with_an_offset_is_its_own_memory() -> None:
    x = xp.zeros(10, dtype=xp.float32)
    xp.RawKernel("__global__ void f(float *x) { x[threadIdx.x] = 1; }", "f")((1,), (3,), (x[4:7],))
    assert_same(to_host(x), np.asarray([0, 0, 0, 0, 1, 1, 1, 0, 0, 0], np.float32))


def test_strided_arrays_as_they_are() -> None:
    x = xp.zeros(10, dtype=xp.float32)
    kernel = xp.GpuKernel(
        "KERNEL void f(GLOBAL_MEM ga_float *x, ga_int step) { x[LID_0 * step] = 1; }", "f", strided=True
    )
    kernel(x[1::3], 3, gs=1, ls=3)
    assert_same(to_host(x), np.asarray([0, 1, 0, 0, 1, 0, 0, 1, 0, 0], np.float32))


def test_pending_values_keep_what_they_read() -> None:
    x = xp.asarray(X[:8])
    before = x * 2
    xp.RawKernel("__global__ void f(float *x) { x[threadIdx.x] = 0; }", "f")((1,), (8,), (x,))
    assert_same(to_host(before), X[:8] * 2)
    assert_same(to_host(x), np.zeros(8, np.float32))


def test_options_define_macros() -> None:
    x = xp.zeros(4, dtype=xp.int32)
    xp.RawKernel("__global__ void f(int *x) { x[threadIdx.x] = VALUE; }", "f", ("-DVALUE=7",))((1,), (4,), (x,))
    assert_same(to_host(x), np.full(4, 7, np.int32))


KERNEL = "__global__ void f(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }"
REFUSED: dict[str, tuple[Any, Any, str]] = {
    "too few": (TypeError, lambda k, x: k((1,), (1,), (x,)), r"got 1 argument; allowed: 2 \(x, n\)"),
    "a dtype": (
        TypeError,
        lambda k, x: k((1,), (1,), (xp.astype(x, xp.int8), 1)),
        "got int8 for 'x'; allowed: float32",
    ),
    "a number": (TypeError, lambda k, x: k((1,), (1,), (1.0, 1)), "'x': got float"),
    "an array": (TypeError, lambda k, x: k((1,), (1,), (x, x)), "'n': got Array; allowed: a number; use x.item"),
    "None": (TypeError, lambda k, x: k((1,), (1,), (x, None)), "'n': got NoneType; allowed: a number$"),
    "no work-items": (ValueError, lambda k, x: k((1,), (0,), (x, 1)), "got 0 for work-items of a group"),
    "large groups": (ValueError, lambda k, x: k((1,), (1 << 20,), (x, 1)), "groups of 1048576 work-items"),
    "four axes": (ValueError, lambda k, x: k((1, 1, 1, 1), (1,), (x, 1)), "groups; allowed: 1 to 3"),
    "local memory": (ValueError, lambda k, x: k((1,), (1,), (x, 1), shared_mem=1 << 30), "bytes of local memory"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_calls(name: str) -> None:
    error, call, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call(xp.RawKernel(KERNEL, "f"), xp.zeros(4, dtype=xp.float32))


def test_nothing_is_launched_for_no_groups() -> None:
    x = xp.zeros(4, dtype=xp.float32)
    xp.RawKernel(KERNEL, "f")((0,), (4,), (x, 4))
    xp.GpuKernel(KERNEL, "f")(x, 4, n=0)
    assert_same(to_host(x), np.zeros(4, np.float32))


def test_read_only_memory_is_not_written() -> None:
    host = np.zeros(4, np.float32)
    host.flags.writeable = False
    x = xp.broadcast_to(xp.asarray(host), (3, 4))
    with pytest.raises(ValueError, match="broadcast view"):
        xp.RawKernel(KERNEL, "f")((1,), (4,), (x, 4))


def test_a_text_without_the_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match="kernel 'g' is not in the text, which has 'f'"):
        xp.RawKernel(KERNEL, "g")


def test_gpu_kernels_take_one_size() -> None:
    with pytest.raises(ValueError, match="got n=None, gs=None"):
        xp.GpuKernel(KERNEL, "f")(xp.zeros(4, dtype=xp.float32), 4)


def test_a_text_that_does_not_compile_is_shown() -> None:
    kernel = xp.RawKernel("__global__ void f(float *x) { x[0] = undeclared_name; }", "f")
    with pytest.raises(KernelBuildError, match=r"Correct the user's kernel[\s\S]*\d+ .*undeclared_name"):
        kernel((1,), (1,), (xp.zeros(1, dtype=xp.float32),))


def test_errors_have_the_lines_of_the_text(device: Device) -> None:
    text = """/* a comment
        of two lines */ #define TWICE(x) \\
            ((x) + (x))
        __device__ float known(float x) // of a number
        {
            return x + unknown;
        }
        __global__ void other(float *z)
        {
            z[threadIdx.x] = 0;
        }
        extern "C" __global__ __launch_bounds__(64,
                                                1)
        void lines(
            const float *x,
            float *y
        ) {
            extern __shared__
                float s[];
            y[0] = undeclared;
        }
        __device__ float late(float x) { return
            missing;
        }""".replace("*/ #define", "*/\n#define")
    with pytest.raises(KernelBuildError) as caught:
        xp.RawKernel(text, "lines", options=("-DA=1", "-DB"))((1,), (1,), [xp.ones(1, dtype=xp.float32)] * 2)
    messages = str(caught.value)
    lines = text.split("\n")
    for word in ("unknown", "undeclared", "missing"):
        (number,) = [number for number, line in enumerate(lines, 1) if word in line]
        assert re.search(rf"\blines(?::{number}:\d+: |\({number}\): )[^\n]*{word}", messages), word
        assert re.search(rf"^ *{number}  [^\n]*{word}", messages, re.MULTILINE), word


@pytest.mark.parametrize(
    ("word", "statement"),
    [
        ("atomicMax", "atomicMax(x, 1);"),
        ("auto", "auto v = x[0]; x[1] = v;"),
        ("__ldg", "x[1] = __ldg(x);"),
        ("static_cast", "x[1] = static_cast<int>(x[0]);"),
        ("template", "} template <class T> void g(T *x) {"),
    ],
)
def test_words_that_cuda_alone_has_are_named(device: Device, word: str, statement: str) -> None:
    """They compile there. Elsewhere none is taken for something else, as `auto` is in C."""
    kernel = xp.RawKernel(f"__global__ void f(int *x) {{ {statement} }}", "f")
    if str(device).startswith("cuda"):
        pytest.skip("its compiler takes them")
    with pytest.raises(KernelBuildError, match=f"Other languages than CUDA C lack: {word}"):
        kernel((1,), (1,), (xp.zeros(2, dtype=xp.int32),))


def test_the_function_that_adds_floats_is_named(device: Device) -> None:
    if str(device).startswith("cuda"):
        pytest.skip("its atomicAdd takes floats")
    kernel = xp.RawKernel("__global__ void f(float *x) { atomicAdd(&x[0], 1.0f); }", "f")
    with pytest.raises(KernelBuildError, match=f"integers of 32 bits on {device}; xp.add_at adds floats there"):
        kernel((1,), (1,), (xp.zeros(2, dtype=xp.float32),))


TRIPLE = {
    "libgpuarray": """#include "cluda.h"
        KERNEL void triple(GLOBAL_MEM const ga_half *x, GLOBAL_MEM ga_half *y, ga_half a, ga_int n) {
            ga_int i = GID_0 * LDIM_0 + LID_0;
            if (i < n) y[i] = ga_float2half(ga_half2float(x[i]) * a);
        }""",
    "CUDA C": """#include <cuda_fp16.h>
        __device__ __half times(__half x, float a) { return __float2half(__half2float(x) * a); }
        extern "C" __global__ void triple(const __half *x, __half *y, float a, int n) {
            __shared__ __half part[64];
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) part[threadIdx.x] = x[i];
            __syncthreads();
            if (i < n) y[i] = times(part[threadIdx.x], a);
        }""",
    "OpenCL C": """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        __kernel void triple(__global const half *x, __global half *y, float a, int n) {
            int i = get_global_id(0);
            if (i < n) vstore_half(vload_half(i, x) * a, i, y);
        }""",
}


@pytest.mark.parametrize("language", TRIPLE)
def test_halves_are_converted_by_the_words_of_each_language(twin: Device, language: str) -> None:
    host = (np.arange(100) / 7).astype(np.float16)
    x = xp.asarray(host, device=twin)
    y = xp.zeros(100, dtype=xp.float16, device=twin)
    xp.RawKernel(TRIPLE[language].replace('#include "cluda.h"', ""), "triple")((2,), (64,), (x, y, 3.0, 100))
    assert_same(to_host(y), (host.astype(np.float32) * 3).astype(np.float16))


def test_bfloat16_is_converted_too(twin: Device) -> None:
    x = xp.asarray(np.arange(9, dtype=np.float32), device=twin).astype(xp.bfloat16)
    text = """__global__ void f(__nv_bfloat16 *x) {
        int i = threadIdx.x;
        x[i] = __float2bfloat16(__bfloat162float(x[i]) / 3);
    }"""
    y = +x
    xp.RawKernel(text, "f")((1,), (9,), (y,))
    assert xp.all(y == (x.astype(xp.float32) / 3).astype(xp.bfloat16))


def test_halves_in_structures_are_converted(twin: Device) -> None:
    records = xp.Records(np.dtype([("mass", "f4"), ("weights", "f2", 8)]), (10,), device=twin)
    records["weights"] = 2
    text = "KERNEL void f(GLOBAL item *r, int n) { int k = GID; if (k < n) r[k].weights[3] = ga_float2half(k); }"
    xp.GpuKernel(text, "f")(records, 10, n=10)
    assert to_host(records["weights"])[:, 2:4].tolist() == [[2.0, k] for k in range(10)]


def test_nobody_computes_with_the_bits_of_halves(twin: Device) -> None:
    """OpenCL's and CUDA's texts may do so where the driver has halves; here that is an error, and no wrong value."""
    with pytest.raises(KernelBuildError, match="half_in_memory"):
        xp.RawKernel("__global__ void f(half *x) { x[0] = x[0] * 2; }", "f")(
            (1,), (1,), (xp.zeros(3, dtype=xp.float16, device=twin),)
        )


@pytest.mark.parametrize("word", ["atomicAdd", "atomic_add", "atom_add_ig", "ATOMIC_ADD"])
def test_integers_are_added_by_all_at_a_time(twin: Device, word: str) -> None:
    count = xp.zeros(2, dtype=xp.int32, device=twin)
    xp.RawKernel(f"KERNEL void f(GLOBAL int *c) {{ {word}(&c[1], 2); }}", "f")((3,), (50,), (count,))
    assert to_host(count).tolist() == [0, 300]


def test_structures_of_the_texts_own(twin: Device) -> None:
    records = xp.Records(np.dtype([("flag", "u1"), ("x", "f4")]), (4,), device=twin)
    text = """typedef struct __attribute__((packed)) { unsigned char flag; float x; } item;
    static inline float twice(float x) { return 2 * x; }
    KERNEL void f(GLOBAL item *r) { int k = GID; r[k].x = twice(k); r[k].flag = 1; }"""
    xp.RawKernel(text, "f")((4,), (1,), (records,))
    assert np.asarray(records).tolist() == [(1, 0.0), (1, 2.0), (1, 4.0), (1, 6.0)]


def test_local_memory_as_libgpuarray_declares_it(twin: Device) -> None:
    x = xp.asarray(np.arange(8, dtype=np.float32), device=twin)
    text = """KERNEL void reverse(GLOBAL_MEM ga_float *x GA_DECL_SHARED_PARAM(ga_float, part)) {
        GA_DECL_SHARED_BODY(ga_float, part);
        part[LID_0] = x[LID_0];
        local_barrier();
        x[LID_0] = part[LDIM_0 - 1 - LID_0];
    }"""
    xp.GpuKernel(text, "reverse")(x, gs=1, ls=8, shared=32)
    assert to_host(x).tolist() == list(range(7, -1, -1))
