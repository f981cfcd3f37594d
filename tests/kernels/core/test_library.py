"""The device library: how templates become functions, and which functions a text needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arrayapi_gpu.kernels.core import library as module
from arrayapi_gpu.kernels.core.library import available, library
from arrayapi_gpu.kernels.core.ops import CAST, OPS, SPECIAL


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library with no file yet."""
    (tmp_path / "functions").mkdir()
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    for cached in (module._table, module._needs):
        cached.cache_clear()
    yield tmp_path / "functions"
    for cached in (module._table, module._needs):
        cached.cache_clear()


def names(text: str) -> list[str]:
    """The functions that a text defines, in order."""
    return re.findall(r"^FN (?:INLINED\()?\w+\)? (\w+)\(", text, re.MULTILINE)


def test_a_group_gives_a_function_for_each_dtype(folder: Path) -> None:
    (folder / "a.c").write_text("//: for T in f32 i8\nFN R_$T twice_$T(R_$T a) { return a + a; }\n")
    assert available() == {"twice_f32", "twice_i8"}
    assert library(["twice_i8"]) == "FN R_i8 twice_i8(R_i8 a) { return a + a; }\n"


def test_several_names_take_several_values_a_row_and_clauses_multiply(folder: Path) -> None:
    (folder / "a.c").write_text("//: for T P in f32 24  f64 53 for S in i8 i16\nFN R_$T f_$S_$T() { return $P; }\n")
    assert available() == {"f_i8_f32", "f_i16_f32", "f_i8_f64", "f_i16_f64"}
    assert library(["f_i16_f64"]) == "FN R_f64 f_i16_f64() { return 53; }\n"


def test_integers_and_parts_of_a_dtype_follow_from_it(folder: Path) -> None:
    (folder / "a.c").write_text("//: for T in c64 f64\nFN R_$T f_$T(R_$F a, R_$C b, R_$U c, R_$I d) { }\n")
    assert library(["f_c64"]).startswith("FN R_c64 f_c64(R_f32 a, R_c64 b, R_u32 c, R_i32 d)")
    assert library(["f_f64"]).startswith("FN R_f64 f_f64(R_f64 a, R_c128 b, R_u64 c, R_i64 d)")


def test_comments_are_dropped(folder: Path) -> None:
    (folder / "a.c").write_text("// a file\n//: for T in f32\n// one\n//\nFN R_$T f_$T() {\n  // two\n  return 1;\n}\n")
    assert library(["f_f32"]) == "FN R_f32 f_f32() {\n  return 1;\n}\n"


def test_callees_come_first_and_once(folder: Path) -> None:
    (folder / "a.c").write_text(
        "//: for T in f32\nFN R_$T a_$T() { b_$T(); c_$T(); }\nFN R_$T b_$T() { c_$T(); }\nFN R_$T c_$T() { }\n"
        "FN R_$T d_$T() { }\n"
    )
    assert names(library(["a_f32", "c_f32"])) == ["c_f32", "b_f32", "a_f32"]


def test_files_may_be_cut_anywhere_between_groups(folder: Path) -> None:
    first, second = "//: for T in f32\nFN R_$T a_$T() { b_$T(); }\n", "//: for T in f32\nFN R_$T b_$T() { }\n"
    (folder / "a.c").write_text(first + second)
    whole = library(["a_f32"])
    for cached in (module._table, module._needs):
        cached.cache_clear()
    (folder / "a.c").write_text(first)
    (folder / "z.c").write_text(second)
    assert library(["a_f32"]) == whole


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("//: nothing\nFN R_f32 f() { }\n", "not a group's first line"),
        ("//: for T in f32\nint f;\n", "not a function: 'int f;'"),
        ("//: for T in f32 f64\nFN R_$T f() { }\n", "f is defined twice, in a.c"),
    ],
)
def test_what_is_no_template_is_a_syntax_error(folder: Path, text: str, error: str) -> None:
    (folder / "a.c").write_text(text)
    with pytest.raises(SyntaxError, match=error):
        available()


def test_no_such_function_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nothing_f32"):
        library(["nothing_f32"])


def test_the_order_of_the_names_does_not_matter() -> None:
    assert library(["sin_f32", "exp_f64"]) == library(["exp_f64", "sin_f32", "exp_f64"])


def test_every_rule_has_its_function() -> None:
    needed = {rule.function for op in (*OPS.values(), *SPECIAL.values(), *CAST.values()) for rule in op.rules.values()}
    casts_to_itself = {f"cast_{name}_{name}" for name in re.findall(r"cast_(\w+)_\1\b", " ".join(needed))}
    assert needed - available() - casts_to_itself == set()


def test_no_function_is_defined_after_a_function_that_calls_it() -> None:
    text = library(available())
    order = {name: place for place, name in enumerate(names(text))}
    bodies = re.split(r"^(?=FN )", text, flags=re.MULTILINE)[1:]
    for place, body in enumerate(bodies):
        called = {order[word] for word in re.findall(r"\b[a-z]\w*\b", body) if word in order}
        assert max(called) == place


def test_long_functions_that_are_called_are_not_inlined() -> None:
    text = library(["sin_f32", "add_f32"], called={"sin_f32", "add_f32"})
    assert re.findall(r"^CALLED_FN \w+ (\w+)", text, re.MULTILINE) == ["sin_f32"]
    assert "CALLED_FN" not in library(["sin_f32", "add_f32"])
