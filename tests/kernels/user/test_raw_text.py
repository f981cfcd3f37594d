"""Texts of whole kernels, rewritten: parameters, words, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.kernels.user.raw_text import RawParameter, raw_text

TEXT = """
#define SIZE 4
struct pair { float a, b; };
__global__ void other(float *z) { z[0] = 1; }
__device__ inline float square(const float x) { return x * x; }
extern "C" __global__ void __launch_bounds__(64) f(const double *x, unsigned long long n, short k) {
    __shared__ float s[SIZE];
}
"""


def test_parameters() -> None:
    assert raw_text(TEXT, "f", (), 0, True).given == (
        RawParameter("x", np.dtype("float64"), True, True, False, "double"),
        RawParameter("n", np.dtype("uint64"), False, kind="ulong"),
        RawParameter("k", np.dtype("int16"), False, kind="short"),
    )


def test_words_are_the_dialects() -> None:
    text = raw_text(TEXT, "f", (), 0, True).text
    assert "KERNEL void f(GLOBAL M_u8* x_at, const Parameters p_) {" in text
    assert "const GLOBAL M_f64 *x = (const GLOBAL M_f64 *)(x_at + p_.x_0);" in text
    assert "LOCAL M_f32 s[SIZE];" in text
    assert "FN M_f32 square(const M_f32 x)" in " ".join(text.split())
    assert "struct pair { M_f32 a, b; };" in text
    assert "#define SIZE 4" in text


def test_other_kernels_are_left_out() -> None:
    assert "other" not in raw_text(TEXT, "f", (), 0, True).text


def test_open_local_memory_has_the_size_of_the_launch() -> None:
    text = raw_text("KERNEL void f(LOCAL_MEM_ARG ga_double *s, int n) { s[0] = n; }", "f", (), 80, True)
    assert "LOCAL __attribute__((aligned(16))) M_f64 s[80 / sizeof(M_f64)];" in text.text
    assert [one.name for one in text.given] == ["n"]
    assert text.sized == (("s", 8),)
    shared = "__global__ void f(int n) { extern __shared__ volatile unsigned short s[]; __shared__ int t[3]; *s = n; }"
    assert raw_text(shared, "f", (), 80, True).sized == (("s", 2),)
    others = "__global__ void g() { extern __shared__ pair s[]; s[0]; } __global__ void f(int n) { }"
    assert raw_text(others, "f", (), 0, True).sized == ()
    assert raw_text(others, "g", (), 0, True).sized == (("s", 1),)


def test_open_local_memory_that_is_not_used_is_left_out() -> None:
    for unused in ("__global__ void f(int n) { extern __shared__ double s[]; }", "__kernel void f(__local int *s) { }"):
        text = raw_text(unused, "f", (), 0, True)
        assert text.sized == () and "LOCAL" not in text.text


def test_one_dimension_divides_nothing() -> None:
    code = "KERNEL void f(int n) { int k = GID_0 * LDIM_0 + LID_0; }"
    assert "p_.l0" not in raw_text(code, "f", (), 0, True, True).text
    assert "p_.l0" in raw_text(code, "f", (), 0, True, False).text


@pytest.mark.parametrize("code", ["KERNEL void f(float **x) { }", "KERNEL void f(float) { }"])
def test_what_is_no_parameter_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="got the parameter"):
        raw_text(code, "f", (), 0, True)


def test_unknown_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="unknown type 'pair' of 'x'"):
        raw_text("KERNEL void f(pair x) { }", "f", (), 0, True)
