"""The preludes: each driver's defines the same words, so that the text of a kernel means the same to all."""

from __future__ import annotations

import re
from pathlib import Path

from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import WARP, dialect
from arrayapi_gpu.backends.templates import expanded

FOLDER = Path(backends.__file__).parent
WORD = re.compile(r"^#define (\w+)|^typedef [^;]* (\w+);", re.MULTILINE)

BUILT_IN = {"INFINITY", "NAN"}  # words that OpenCL C has itself


def words(text: str) -> list[str]:
    """Each word once, also one that depends on the compiler."""
    return list(dict.fromkeys(first or second for first, second in WORD.findall(text)))


def one_lane(file: str) -> str:
    """The text of a prelude where LANES is 1."""
    text = expanded((FOLDER / file).read_text(encoding="utf-8"))
    return re.sub(r"^#if LANES == 1\n(.*?)^#else\n.*^#endif\n\Z", r"\1", text, flags=re.DOTALL | re.MULTILINE)


def test_both_preludes_define_the_same_words_in_the_same_order() -> None:
    cuda, opencl = words(one_lane("cuda_prelude.h")), words(one_lane("opencl_prelude.h"))
    assert [word for word in cuda if word not in BUILT_IN] == opencl
    assert {"KERNEL", "M_f32", "AS_f64"} <= {*cuda}


def test_the_common_part_defines_no_word_of_a_prelude_again() -> None:
    common = words(expanded((FOLDER / "dialect.h").read_text(encoding="utf-8")))
    assert {"SPLAT_i8", "ROTATE_c64", "WHERE_bf16"} <= {*common}
    for prelude in ("cuda_prelude.h", "opencl_prelude.h"):
        assert not {*words(one_lane(prelude))} & {*common}


def test_a_warp_is_as_long_on_the_host() -> None:
    assert f"#define WARP {WARP}\n" in dialect("cuda_prelude.h")
