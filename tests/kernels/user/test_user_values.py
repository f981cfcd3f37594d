"""`kernels/user/user_values.py`: operations on numbers with the types of C."""

from __future__ import annotations

import pytest

from arrayapi_gpu.kernels.user.user_values import Unsupported, Value, Values
from arrayapi_gpu.memory.dtypes import DTYPE_OF

F32, F64, I8, C64 = (Value(short, DTYPE_OF[short]) for short in ("f32", "f64", "i8", "c64"))


def values(double: str = "f64") -> Values:
    return Values(DTYPE_OF[double])


def test_signs_promote_as_in_c() -> None:
    assert values().unary("-", I8) == Value("negative_i32(cast_i8_i32(i8))", DTYPE_OF["i32"])
    assert values().unary("+", F32) == F32
    assert values().unary("!", F32) == Value("logical_not_b8(cast_f32_b8(f32))", DTYPE_OF["b8"])
    with pytest.raises(TypeError, match="~: got float32; allowed: integers"):
        values().unary("~", F32)


def test_what_is_chosen_has_the_common_dtype() -> None:
    assert values().where("v1", F32, F64) == Value("where_f64(v1, cast_f32_f64(f32), f64)", DTYPE_OF["f64"])
    assert values().where("v1", I8, I8) == Value("where_i8(v1, i8, i8)", DTYPE_OF["i8"])


def test_numbers_without_a_suffix_are_double_where_the_device_has_it() -> None:
    assert values().number("1.5") == Value("C_f64(1.5)", DTYPE_OF["f64"])
    assert values("f32").number("1.5") == Value("C_f32(1.5f)", DTYPE_OF["f32"])
    assert values("f32").constant("M_PI").dtype == DTYPE_OF["f32"]


def test_only_complex_numbers_have_parts() -> None:
    assert values().part("im", C64) == Value("imag_c64(c64)", DTYPE_OF["f32"])
    with pytest.raises(Unsupported):
        values().part("im", F32)


def test_the_cost_grows_by_what_is_asked_for() -> None:
    found = values()
    found.operate("+", F32, F32)
    before = found.cost
    found.operate("/", I8, I8)
    assert 0 < before < found.cost
