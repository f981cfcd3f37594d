"""Templates of device code: which values a group holds for, and what its lines become."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends.templates import bindings, expanded, filled


def test_several_names_take_several_values_a_row_and_clauses_multiply() -> None:
    found = list(bindings("for A P in x 24  y 53 for S in i8 i16"))
    assert found == [{"A": a, "P": p, "S": s} for a, p in (("x", "24"), ("y", "53")) for s in ("i8", "i16")]


def test_integers_and_parts_follow_from_a_dtype() -> None:
    (complex64,) = bindings("for T in c64")
    assert complex64 == {"T": "c64", "F": "f32", "C": "c64", "U": "u32", "I": "i32"}
    (boolean,) = bindings("for T in b8")
    assert (boolean["U"], boolean["I"]) == ("u8", "i8")


def test_what_a_group_names_does_not_follow() -> None:
    (bound,) = bindings("for T I in f32 i64")
    assert bound["I"] == "i64"


@pytest.mark.parametrize("header", ["", "nothing", "for T", "in f32"])
def test_a_group_begins_with_its_values(header: str) -> None:
    with pytest.raises(SyntaxError, match="not a group's first line"):
        list(bindings(header))


def test_a_row_has_a_value_for_each_name() -> None:
    with pytest.raises(ValueError):
        list(bindings("for T P in f32 24  f64"))


def test_a_parameter_ends_after_its_letter() -> None:
    assert filled("$T $Tx $$ $t", {"T": "f32"}) == "f32 f32x $$ $t"
    with pytest.raises(KeyError):
        filled("$P", {"T": "f32"})


def test_a_group_ends_at_an_empty_line() -> None:
    text = "a $T\n//: for T in f32 f64\n#define N_$T 1\ntypedef R_$T;\n\nb $T\n"
    lines = "#define N_f32 1\ntypedef R_f32;\n#define N_f64 1\ntypedef R_f64;\n"
    assert expanded(text) == f"a $T\n{lines}\nb $T\n"


def test_a_text_without_groups_stays() -> None:
    assert expanded("a\n\nb $T\n") == "a\n\nb $T\n"
