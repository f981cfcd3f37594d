"""Kernel texts in C files: their sections."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arrayapi_gpu.kernels.core import texts

FOLDER = Path(texts.__file__).parents[1]
TEXTS = {path.stem: path for path in sorted(FOLDER.glob("*/*.c")) if path.parent.name not in ("functions", "loops")}


@pytest.mark.parametrize("name", TEXTS)
def test_sections_have_every_line_below_their_titles(name: str) -> None:
    text = TEXTS[name].read_text("utf-8")
    found = texts.sections(name)
    rebuilt = "".join(f"//: {title}\n{section}" for title, section in found.items())
    assert text.endswith(rebuilt) and rebuilt.count("\n//: ") == text.count("\n//: ") - (not text.startswith("//: "))
    assert re.findall("^//: (.*)$", text, re.MULTILINE) == list(found)


def test_what_stands_before_the_first_section_belongs_to_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room/some.c").write_text("// a preface\n//: first\nint $x;\n\n//: second\n// of two\nfloat y;\n")
    monkeypatch.setattr(texts, "files", lambda package: tmp_path)
    found = texts.sections("some")
    assert found == {"first": "int $x;\n\n", "second": "// of two\nfloat y;\n"}


def filled(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, **hooks: texts.Hook) -> str:
    (folder / "room").mkdir()
    (folder / "room/other.c").write_text(f"//: only\n{text}")
    monkeypatch.setattr(texts, "files", lambda package: folder)
    for cache in (texts.sections, texts._lines):
        cache.cache_clear()
    try:
        return texts.section("other", "only", **hooks)
    finally:
        for cache in (texts.sections, texts._lines):
            cache.cache_clear()


def test_words_are_put_into_their_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled(tmp_path, monkeypatch, "R_$T x = ${f}_$T($n);\n", T="f32", f="exp", n=3) == "R_f32 x = exp_f32(3);\n"


def test_a_hook_gets_the_indentation_of_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = filled(tmp_path, monkeypatch, "{\n    $hook\n}\n", hook=["if (x) {", "y();", "}", "#if GPU", "z();"])
    assert found == "{\n    if (x) {\n        y();\n    }\n#if GPU\n    z();\n}\n"


def test_an_empty_hook_leaves_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled(tmp_path, monkeypatch, "a;\n    $hook\nb;\n", hook=[]) == "a;\nb;\n"


def test_a_word_that_is_not_given_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError, match="missing"):
        filled(tmp_path, monkeypatch, "int $missing;\n")


def test_constants_are_lines_of_the_preprocessor() -> None:
    assert texts.defines({"SIZE": 4, "WHOLE": True, "NAME": "x"}) == "#define SIZE 4\n#define WHOLE 1\n#define NAME x\n"


def test_the_package_runs_from_a_zip_file(tmp_path: Path) -> None:
    package = FOLDER.parent
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in package.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, Path(package.name) / path.relative_to(package))
    code = """
import arrayapi_gpu
from arrayapi_gpu.backends.base import dialect
from arrayapi_gpu.kernels.core import library, texts
from arrayapi_gpu.kernels.core.ops import OPS
assert ".zip" in arrayapi_gpu.__file__, arrayapi_gpu.__file__
assert "add_i32" in library.available() and texts.sections("sort") and dialect("opencl_prelude.h")
print("read")
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "all.zip")}
    got = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert got.stdout == "read\n", got.stderr
