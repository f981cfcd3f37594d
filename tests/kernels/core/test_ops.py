"""Operations: which dtypes each takes, what comes of them, and which device function serves."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.kernels.core.ops import CAST, GATHER, OPS, PAIRS, SINGLES, WHERE, WRAP_INDEX, Rule, weak_dtype
from arrayapi_gpu.memory.dtypes import DTYPE_OF, DTYPES, NARROWER, SHORT

STANDARD = [dtype for dtype in DTYPES if dtype.kind in "biufc"]
BOOL, I8, I64, U64, F16, F32, F64, C64, C128 = (
    DTYPE_OF[name] for name in ("b8", "i8", "i64", "u64", "f16", "f32", "f64", "c64", "c128")
)
BINARY = sorted(name for name, op in OPS.items() if op.arity == 2)
UNARY = sorted(name for name, op in OPS.items() if op.arity == 1)
PYTHONS = {bool: True, int: 1, float: 1.0, complex: 1j}


@pytest.mark.parametrize("scalar", PYTHONS)
@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_a_python_scalar_has_no_precision_of_its_own(dtype: np.dtype, scalar: type) -> None:
    """As in NumPy 2, whose Python scalars are weak."""
    assert weak_dtype(dtype, scalar) == np.result_type(np.zeros(1, dtype), PYTHONS[scalar])


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
def test_two_dtypes_are_computed_in_the_one_that_numpy_promotes_to(name: str) -> None:
    for a, b in itertools.product(STANDARD, STANDARD):
        rule = OPS[name].rules.get((a, b))
        if rule is not None:
            assert rule.args == (np.result_type(a, b),) * 2 and rule.result == np.result_type(a, b)


@pytest.mark.parametrize("name", ["equal", "less", "not_equal", "greater_equal"])
def test_comparisons_give_bool(name: str) -> None:
    assert {rule.result for rule in OPS[name].rules.values()} == {BOOL}


@pytest.mark.parametrize("name", ["abs", "real", "imag"])
def test_parts_of_complex_numbers_are_real(name: str) -> None:
    assert [OPS[name].rules[dtype].result for dtype in (C64, C128)] == [F32, F64]


REFUSED: list[tuple[str, Any]] = [
    ("subtract", (BOOL, BOOL)), ("negative", BOOL), ("bitwise_and", (F32, F32)), ("less", (C64, C64)),
    ("floor_divide", (C64, F32)), ("bitwise_left_shift", (BOOL, BOOL)), ("logical_and", (I8, I8)), ("floor", C64),
    ("real", F32), ("atan2", (C64, C64)), ("copysign", (C64, F32)), ("signbit", C64), ("bitwise_invert", F64),
]  # fmt: skip


@pytest.mark.parametrize(("name", "key"), REFUSED, ids=str)
def test_what_an_operation_does_not_take_has_no_rule(name: str, key: Any) -> None:
    assert key not in OPS[name].rules


@pytest.mark.parametrize("name", ["sqrt", "exp", "divide", "atan2"])
def test_integers_into_functions_of_floats_are_float64(name: str) -> None:
    key = (I8, I8) if OPS[name].arity == 2 else I8
    assert (OPS[name].rules[key].args[0], OPS[name].rules[key].result) == (F64, F64)


@pytest.mark.parametrize(
    ("name", "function"),
    [("add", "logical_or_b8"), ("multiply", "logical_and_b8"), ("bitwise_xor", "logical_xor_b8"), ("less", "less_b8")],
)
def test_booleans_are_served_by_functions_of_booleans(name: str, function: str) -> None:
    assert OPS[name].rules[BOOL, BOOL].function == function


def test_a_rule_is_named_by_the_operation_and_the_dtype_in_which_is_computed() -> None:
    assert OPS["add"].rules[I8, F32].function == "add_f32"
    assert OPS["sqrt"].rules[F16].function == "sqrt_f16"


@pytest.mark.parametrize("name", [*BINARY, *UNARY, "where"])
def test_where_float64_comes_of_promotion_alone_there_is_a_narrower_rule(name: str) -> None:
    for key, rule in OPS[name].rules.items():
        given = key if isinstance(key, tuple) else (key,)
        wide = {dtype for dtype in (*rule.args, rule.result) if dtype in NARROWER}
        if not wide or any(dtype in NARROWER for dtype in given):
            assert rule.narrower is None, key
        else:
            narrower = rule.narrower
            assert isinstance(narrower, Rule), key
            assert narrower.result == NARROWER.get(rule.result, rule.result)
            assert narrower.args == tuple(NARROWER.get(dtype, dtype) for dtype in rule.args)


@pytest.mark.parametrize("target", DTYPES, ids=str)
def test_every_dtype_is_cast_to_every_other(target: np.dtype) -> None:
    rules = CAST[target].rules
    assert set(rules) == set(DTYPES)
    assert {rule.result for rule in rules.values()} == {target}
    assert {rule.function for rule in rules.values()} == {f"cast_{SHORT[s]}_{SHORT[target]}" for s in DTYPES}


def test_where_takes_every_pair_and_a_condition() -> None:
    assert set(WHERE.rules) == {key for key, _ in PAIRS}
    assert WHERE.rules[I8, F32].args == (BOOL, F32, F32)
    assert WHERE.rules[U64, int].result == U64


def test_gathered_elements_keep_their_dtype() -> None:
    assert {key: rule.result for key, rule in GATHER.rules.items()} == {dtype: dtype for dtype in DTYPES}
    assert {rule.args[1] for rule in GATHER.rules.values()} == {I64}
    assert WRAP_INDEX.rules[I64].args == (I64, I64)


def test_only_values_of_the_exact_type_need_no_conversion() -> None:
    """A Python float is exact in float32's and float64's field of a launch, nothing else is but a complex one."""
    exact = {dtype: OPS["add"].rules[dtype, dtype].exact for dtype in (I64, F16, F32, F64, C64, C128)}
    assert exact == {I64: None, F16: None, F32: float, F64: float, C64: None, C128: complex}


def test_each_operation_has_rules_for_its_number_of_operands() -> None:
    pairs, singles = {key for key, _ in PAIRS}, {key for key, _ in SINGLES}
    for name in BINARY:
        assert OPS[name].rules.keys() <= pairs, name
    for name in UNARY:
        assert OPS[name].rules.keys() <= singles, name
