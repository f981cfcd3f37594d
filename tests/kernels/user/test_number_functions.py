"""Functions of numbers: which of them a text needs, and their texts."""

from __future__ import annotations

from arrayapi_gpu.kernels.user.number_functions import numbers_in, operator_functions, our_functions


def text_of(text: str, float64: bool = True) -> str:
    return "\n".join(operator_functions(text, float64))


def test_an_operator_of_known_types_is_one_function() -> None:
    found = operator_functions("y = OP_add_i32(OP_add_i32(x, 1), OP_shift_left_i64(x, 2));", True)
    assert len(found) == 2
    assert "FN M_i32 OP_add_i32(M_i32 a, M_i32 b) { return (M_i32)((M_u32)a + (M_u32)b); }" in found[0]
    assert "M_u64" in found[1]


def test_an_operator_of_unknown_types_is_overloaded() -> None:
    text = text_of("y = OP_multiply(N, x);")
    assert text.count("OP_multiply(") == 36
    assert "M_u64 OVERLOADED OP_multiply(M_i64 a, M_u64 b)" in text
    assert "OP_modulo(M_f32" not in text_of("OP_modulo(x, y)")


def test_a_device_without_float64_has_no_doubles() -> None:
    assert "M_f64" not in text_of("OP_multiply(N, x) + OP_to_i32_f64(x) + OP_to_i8(y)", float64=False)


def test_conversions_are_the_librarys() -> None:
    assert "cast_f32_i8(SPLAT_f32(a))" in text_of("OP_to_i8_f32(x)")


def test_functions_are_overloaded_for_the_numbers_of_a_text() -> None:
    assert numbers_in("M_i64 k = 2.5 * x;") == ["i32", "i64", "f32", "f64"]
    (text,) = our_functions({"maximum"}, ["i32", "f32"], True)
    assert text.count("OVERLOADED ours_maximum(") == 4
