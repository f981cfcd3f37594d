"""Kernel texts in C files: their sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arrayapi_gpu.kernels import texts

FOLDER = Path(texts.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))


@pytest.mark.parametrize("name", NAMES)
def test_sections_have_every_line_below_their_titles(name: str) -> None:
    text = (FOLDER / f"{name}.c").read_text("utf-8")
    found = texts.sections(name)
    rebuilt = "".join(f"//: {title}\n{section.template}" for title, section in found.items())
    assert text.endswith(rebuilt) and rebuilt.count("\n//: ") == text.count("\n//: ") - (not text.startswith("//: "))
    assert re.findall("^//: (.*)$", text, re.MULTILINE) == list(found)


def test_what_stands_before_the_first_section_belongs_to_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some.c").write_text("// a preface\n//: first\nint $x;\n\n//: second\n// of two\nfloat y;\n")
    monkeypatch.setattr(texts, "__file__", str(tmp_path / "texts.py"))
    found = texts.sections("some")
    assert {title: section.template for title, section in found.items()} == {
        "first": "int $x;\n\n", "second": "// of two\nfloat y;\n",
    }  # fmt: skip
    assert found["first"].substitute(x="n") == "int n;\n\n"
