"""What kernels have in common: the parameter block, casts, loads and stores, as text."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.body import Body, M, S, T, X
from arrayapi_gpu.kernels.core.dialect import (
    STRIDED,
    UNIT,
    ZERO,
    Operand,
    Parameters,
    Place,
    arguments,
    arithmetic,
    assemble,
    bases_of,
    cast,
    fill,
    int64s,
    parameters_of,
    pointers_of,
    scalars_of,
    store,
    value_of,
)
from arrayapi_gpu.kernels.core.ops import GATHER, OPS, Rule
from arrayapi_gpu.memory.dtypes import DTYPE_OF

F32, F64, I64 = (DTYPE_OF[name] for name in ("f32", "f64", "i64"))


def rule(name: str, *dtypes: Any) -> Rule:
    return OPS[name].rules[dtypes if len(dtypes) > 1 else dtypes[0]]


# sqrt(x0) * s0, added to x1
BODY = Body(
    ((F32, False), (F32, False)), (), (F32,),
    (
        (rule("sqrt", F32), (X[0],)), (rule("multiply", F32, F32), (T[0], S[0])), (rule("add", F32, F32), (T[1], X[1])),
    ),
    (T[2],), (F32,),
)  # fmt: skip


def packed(fields: list[tuple[str, Any]]) -> bytes:
    parameters = Parameters([(f"v{number}", short) for number, (short, _) in enumerate(fields)])
    return parameters.pack([value for _, value in fields])


def test_wide_fields_come_first_and_the_struct_is_padded_to_eight_bytes() -> None:
    parameters = Parameters([("a", "i32"), *int64s("b"), ("c", "f32"), ("d", "f32")])
    assert parameters.text() == "typedef struct {S_i64 b; S_i32 a; S_f32 c; S_f32 d;} Parameters;"
    assert parameters.pack([1, 2, 3.0, 4.0]) == struct.pack("<qiff4x", 2, 1, 3.0, 4.0)


def test_narrow_fields_alone_need_no_padding() -> None:
    assert packed([("i32", -1)]) == struct.pack("<i", -1)


@pytest.mark.parametrize(
    ("short", "value", "expected"),
    [
        ("u64", 2**64 - 1, struct.pack("<Q", 2**64 - 1)),
        ("f32", 1e300, struct.pack("<f", np.inf)),
        ("f32", -1e300, struct.pack("<f", -np.inf)),
        ("c64", 1 + 2j, struct.pack("<ff", 1, 2)),
        ("c128", -1j, struct.pack("<dd", -0.0, -1)),
        ("c64", 3, struct.pack("<ff", 3, 0)),
    ],
)
def test_scalars_are_packed_as_their_dtype(short: str, value: Any, expected: bytes) -> None:
    assert packed([(short, value)])[: len(expected)] == expected


def test_arithmetic_is_one_register_a_step() -> None:
    assert arithmetic(BODY) == [
        "R_f32 t0 = sqrt_f32(x0);", "R_f32 t1 = multiply_f32(t0, s0);", "R_f32 t2 = add_f32(t1, x1);",
    ]  # fmt: skip


def test_operands_of_another_dtype_are_cast() -> None:
    body = Body(((I64, False),), (), (), ((rule("sqrt", F64), (X[0],)),), (T[0],), (F64,))
    assert arithmetic(body) == ["R_f64 t0 = sqrt_f64(cast_i64_f64(x0));"]
    assert cast("a", F32, F32) == "a"


def test_a_value_is_cast_to_the_dtype_that_is_asked_for() -> None:
    assert [value_of(BODY, T[2], dtype) for dtype in (F32, F64)] == ["t2", "cast_f32_f64(t2)"]


def test_lanes_without_elements_gather_from_the_first_place() -> None:
    """Their indices are anything, and memory there may be nobody's."""
    body = Body(((I64, False),), (F32,), (), ((GATHER.rules[F32], (M[0], X[0])),), (T[0],), (F32,))
    assert arithmetic(body) == [
        "R_f32 t0 = LOADG_f32(m0 + p.m0, n == LANES ? x0 : where_i64(less_i64(IOTA, SPLAT_i64(n)), x0, SPLAT_i64(0)));"
    ]


def test_a_register_of_one_value_is_read_from_one_element() -> None:
    assert Operand("x0", "f32", False, ZERO, "1").load("b") == ("R_f32 x0;", "x0 = LOAD1_f32(px0, b);")


def test_a_partial_register_reads_its_own_lanes_only() -> None:
    declaration, statement = Operand("x0", "f32", False, UNIT, "1").load("b")
    assert declaration == "R_f32 x0;"
    assert statement == "if (n == LANES) x0 = LOAD_f32(px0, b + i); else x0 = LOADN_f32(px0, b + i, 1, n);"


def test_a_strided_register_is_read_by_its_step() -> None:
    statement = fill("r", "p", "i8", False, STRIDED, Place("b", "k", "s", "c"))
    assert statement == "if (c == LANES) r = LOADS_i8(p, b + k * s, s); else r = LOADN_i8(p, b + k * s, s, c);"


def test_an_index_variable_reads_no_memory() -> None:
    declaration, statement = Operand("x0", "i64", True, STRIDED, "s").load("b")
    assert (declaration, statement) == ("R_i64 x0;", "x0 = SPLAT_i64(b + i * s) + IOTA * SPLAT_i64(s);")


@pytest.mark.parametrize(
    ("mode", "whole"), [(UNIT, "STORE_f32(p, b + i, v)"), (STRIDED, "STORES_f32(p, b + i * s, s, v)")]
)
def test_a_partial_register_writes_its_own_lanes_only(mode: str, whole: str) -> None:
    statement = store("p", "f32", mode, "v", Place("b", "i", "s"))
    assert statement == f"if (n == LANES) {whole}; else STOREN_f32(p, b + i * s, s, n, v);"


def test_a_text_gets_the_functions_that_it_calls_in_front() -> None:
    kernel = "KERNEL void k() { x = square_f32(y); nothing_f32(); }\n"
    assert assemble(kernel) == "FN R_f32 square_f32(R_f32 a) { return a * a; }\n" + kernel


def test_arguments_are_pointers_and_the_block() -> None:
    assert arguments([("f32", "out"), ("i8", "x0")]) == "GLOBAL M_f32* out, GLOBAL M_i8* x0, const Parameters p"


C64 = DTYPE_OF["c64"]
GATHERED = Body(((F32, False), (I64, True)), (C64,), (F32, C64), (), (X[0],), (F32,))  # x0, an index variable, m0


def test_pointers_are_results_then_operands_in_memory_then_gathered_memory() -> None:
    assert pointers_of(GATHERED, [F32, I64]) == [("f32", "o0"), ("i64", "o1"), ("f32", "px0"), ("c64", "m0")]


def test_parameters_stand_in_the_order_in_which_they_are_packed() -> None:
    parameters = parameters_of(GATHERED, ["n", "d0"], ["o0", "x0", "x1"], ["x0_s0", "x1_s0"], "i32")
    sizes, offsets = [("n", "i32"), ("d0", "i32")], [("o0_0", "i64"), ("x0_0", "i64"), ("x1_0", "i64"), ("m0", "i64")]
    assert parameters.fields == [
        *sizes, *offsets, ("x0_s0", "i32"), ("x1_s0", "i32"), ("s0", "f32"), ("s1", "c64"),
    ]  # fmt: skip


def test_scalars_fill_registers() -> None:
    assert scalars_of(GATHERED) == ["R_f32 s0 = SPLAT_f32(p.s0);", "R_c64 s1 = SPLAT_c64(p.s1);"]


def test_bases_are_found_by_dividing_by_the_kept_extents() -> None:
    assert bases_of(["x0"], 2, "i32") == [
        "S_i32 c1 = rest % p.k1; rest /= p.k1;",
        "S_i32 c0 = rest;",
        "S_i64 x0_b = p.x0_0 + (S_i64)c0 * p.x0_k0 + (S_i64)c1 * p.x0_k1;",
    ]
    assert bases_of(["x0"], 0, "i64") == ["S_i64 x0_b = p.x0_0;"]


@pytest.mark.parametrize("often", [False, True])
def test_a_long_function_that_a_text_names_often_is_called(often: bool) -> None:
    text = "v = sin_f32(v);\n" * (tuning.INLINED + often)
    assert ("CALLED_FN R_f32 sin_f32(" in assemble(text)) == often
