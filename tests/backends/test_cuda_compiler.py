"""The compiler of CUDA, which needs no GPU: options, binaries on disk, errors."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arrayapi_gpu.backends.base import dialect
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core.library import available, library

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)

from arrayapi_gpu.backends import cuda_compiler

PRELUDE = f"#define LANES 1\n{dialect('cuda_prelude.h')}"
TARGET = "sm_90"
KERNEL = "KERNEL void twice(GLOBAL M_f32* x) { STORE_f32(x, GID, LOAD_f32(x, GID) * C_f32(2)); }\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[Path]:
    """An empty cache for each test."""
    if cuda_compiler.compiler_version() is None:
        pytest.skip("NVRTC is not installed")
    with config.set(cache_dir=tmp_path):
        yield tmp_path / "binaries"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the compiler gets."""
    seen: list[str] = []
    compile_ = cuda_compiler._compile

    def counted(text: str, *rest: object) -> bytes:
        seen.append(text)
        return compile_(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(cuda_compiler, "_compile", counted)
    return seen


def test_every_device_function_compiles() -> None:
    """All functions in one text; a kernel that calls none of them is enough, since they are checked all the same."""
    image = cuda_compiler.compiled(PRELUDE + library(available()) + KERNEL, TARGET)
    assert image.startswith(b"\x7fELF")


def test_arithmetic_is_neither_contracted_nor_approximated() -> None:
    """What the options ask for, in the assembly: separate rounding, correct division and root, subnormals kept."""
    text = "KERNEL void f(GLOBAL M_f32* x) { x[3] = x[0] * x[1] + x[2]; x[4] = SQRT(x[0]) / x[1]; }\n"
    assembly = cuda_compiler.compiled(PRELUDE + text, "compute_90").decode("ascii", "replace")
    words = {*re.findall(r"\w+(?:\.\w+)*\.f32", assembly)}
    assert {"mul.rn.f32", "add.rn.f32", "sqrt.rn.f32", "div.rn.f32"} <= words
    assert not [word for word in words if "fma" in word or "approx" in word or "ftz" in word]


def test_a_binary_is_found_again(compilations: list[str], cache: Path) -> None:
    first = cuda_compiler.compiled(PRELUDE + KERNEL, TARGET)
    assert cuda_compiler.compiled(PRELUDE + KERNEL, TARGET) == first
    assert len(compilations) == 1
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o077 == 0 or sys.platform == "win32"


def test_text_target_and_version_make_another_binary(compilations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    cuda_compiler.compiled(PRELUDE + KERNEL, TARGET)
    cuda_compiler.compiled(PRELUDE + KERNEL + "\n", TARGET)
    cuda_compiler.compiled(PRELUDE + KERNEL, "sm_80")
    monkeypatch.setattr("arrayapi_gpu.backends.cuda_compiler.nvrtc.getVersion", lambda: (99, 9))
    cuda_compiler.compiled(PRELUDE + KERNEL, TARGET)
    assert len(compilations) == 4


def test_a_new_device_is_given_what_its_driver_can_translate() -> None:
    """A compute capability that NVRTC does not know yet."""
    assert cuda_compiler.architecture(90) == "sm_90"
    assert re.fullmatch(r"compute_\d+", cuda_compiler.architecture(999))
    assert b".target" in cuda_compiler.compiled(PRELUDE + KERNEL, cuda_compiler.architecture(999))


def test_a_text_that_does_not_compile_has_a_log() -> None:
    with pytest.raises(cuda_compiler.BuildError, match="nonsense"):
        cuda_compiler.compiled("KERNEL nonsense", TARGET)
