"""Words of OpenCL C and what they are in the dialect."""

from __future__ import annotations

import re

import pytest

from arrayapi_gpu.backends.opencl_words import OPENCL_KERNEL, OPENCL_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "BARRIER"),
        ("get_local_id(1) + get_group_id( 2 )", "LID_1 + GID_2"),
        ("get_global_id(0)", "(GID_0 * LDIM_0 + LID_0)"),
        ("global const float *x, local float *s", "GLOBAL const float *x, LOCAL float *s"),
        ("int local = global + 1;", "int local = global + 1;"),
        ("__private int *p", " int *p"),
    ],
)
def test_words(text: str, expected: str) -> None:
    for pattern, word in OPENCL_WORDS.items():
        text = re.sub(pattern, word, text)
    assert text == expected


@pytest.mark.parametrize("word", ["kernel", "__kernel"])
def test_kernels(word: str) -> None:
    assert re.sub(OPENCL_KERNEL, "KERNEL", f"{word} void f()") == "KERNEL void f()"
