"""Words of CUDA C and what they are in the dialect."""

from __future__ import annotations

import re

import pytest

from arrayapi_gpu.backends.cuda_words import CUDA_KERNEL, CUDA_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__syncthreads( )", "BARRIER"),
        ("static __device__ inline float f()", "FN float f()"),
        ("threadIdx.y + blockIdx . z", "LID_1 + GID_2"),
        ("blockDim.x * gridDim.x", "LDIM_0 * GDIM_0"),
        ("__shared__ int s[4]", "LOCAL int s[4]"),
        ('extern "C" __global__ void __launch_bounds__(64) f()', " __global__ void  f()"),
    ],
)
def test_words(text: str, expected: str) -> None:
    for pattern, word in CUDA_WORDS.items():
        text = re.sub(pattern, word, text)
    assert text == expected


def test_kernels() -> None:
    assert re.sub(CUDA_KERNEL, "KERNEL", "__global__ void f()") == "KERNEL void f()"
