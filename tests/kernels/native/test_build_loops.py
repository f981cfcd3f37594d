"""The build of loops, as far as it can be seen without a compiler."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arrayapi_gpu.backends import native_compiler, native_library
from arrayapi_gpu.kernels.native import build_loops


def test_a_library_of_the_same_sources_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def compiled(command: list[str], version: str, texts: list[str], objects: Path, file: Path) -> None:
        made.append(file)
        file.touch()

    monkeypatch.setattr(native_compiler, "compiler", lambda: ("cc", "gcc 12"))
    monkeypatch.setattr(build_loops, "_compile", compiled)
    first = build_loops.build(tmp_path, ["x86-64-v2", "x86-64-v3"], tmp_path)
    assert build_loops.build(tmp_path, ["x86-64-v2", "x86-64-v3"], tmp_path) == first and all(
        file.exists() for file in first
    )
    assert [file.name for file in made] == ["native-x86-64-v2.so", "native-x86-64-v3.so"]
    native_library.mark_of(made[0]).write_text("of other sources")
    build_loops.build(tmp_path, ["x86-64-v2", "x86-64-v3"], tmp_path)
    assert len(made) == 3


def test_without_a_compiler_the_build_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_compiler, "compiler", lambda: None)
    with pytest.raises(OSError, match="no C compiler"):
        build_loops.build(tmp_path, ["x86-64-v2"], tmp_path)


def test_a_compiler_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\necho this is broken >&2\nexit 1\n")
    os.chmod(script, 0o755)
    monkeypatch.setattr(native_compiler, "compiler", lambda: (str(script), "gcc 12"))
    with pytest.raises(OSError, match="this is broken"):
        build_loops.build(tmp_path / "made", ["x86-64-v2"], tmp_path)


def test_a_unit_that_was_compiled_before_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], text: str) -> None:
        ran.append(command)
        Path(command[-3] if "-shared" in command else command[-1]).write_text(text)

    monkeypatch.setattr(build_loops, "_run", run)
    for texts in (["one", "two"], ["two", "three"]):
        build_loops._compile(["cc"], "gcc 12", texts, tmp_path, tmp_path / "made" / "library.so")
    assert [command[-1] for command in ran if "-shared" in command] == ["-lpthread"] * 2
    assert len(ran) == 3 + 2
