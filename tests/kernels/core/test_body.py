"""The body of a kernel: references, dtypes, what stays the same, and what it is called."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.kernels.core.body import MEMORY, OPERAND, SCALAR, STEP, Body, M, S, T, X
from arrayapi_gpu.kernels.core.ops import OPS, Rule
from arrayapi_gpu.memory.dtypes import DTYPE_OF

F32, F64, I64 = (DTYPE_OF[name] for name in ("f32", "f64", "i64"))


def rule(name: str, *dtypes: Any) -> Rule:
    return OPS[name].rules[dtypes if len(dtypes) > 1 else dtypes[0]]


# sqrt(x0) * s0, added to x1
STEPS = (rule("sqrt", F32), (X[0],)), (rule("multiply", F32, F32), (T[0], S[0])), (rule("add", F32, F32), (T[1], X[1]))
BODY = Body(((F32, False), (F32, False)), (), (F32,), STEPS, (T[2],), (F32,))


def test_a_reference_has_a_kind_a_number_and_the_identifier_of_kernels() -> None:
    references = [table[3] for table in (X, S, T, M)]
    assert [reference.kind for reference in references] == [OPERAND, SCALAR, STEP, MEMORY]
    assert [reference.number for reference in references] == [3] * 4
    assert [f"{reference}" for reference in references] == ["x3", "s3", "t3", "m3"]


def test_references_are_distinct_and_each_is_made_once() -> None:
    assert len({table[k] for table in (X, S, T, M) for k in range(100)}) == 400
    assert X[70] is X[70]


def test_a_copy_of_a_reference_is_equal() -> None:
    assert pickle.loads(pickle.dumps(T[5])) == T[5]


def test_a_reference_has_the_dtype_of_what_it_is() -> None:
    body = Body(((I64, True),), (), (F64,), ((rule("less", F32, F32), (X[0], S[0])),), (T[0],), (F32,))
    assert [body.dtype_of(reference) for reference in (X[0], S[0], T[0])] == [I64, F64, np.dtype(bool)]


def test_the_cost_of_a_body_is_that_of_its_steps() -> None:
    assert BODY.cost == sum(step.cost for step, _ in STEPS) > 0


def test_the_name_of_a_kernel_tells_operations_rank_and_dtype() -> None:
    assert BODY.kernel_name("elementwise", 2) == "elementwise_sqrt_multiply_add_2d_f32"


def test_the_name_of_a_kernel_tells_four_operations_at_most() -> None:
    steps = tuple((rule("sqrt", F32), (X[0] if k == 0 else T[k - 1],)) for k in range(6))
    body = Body(((F32, False),), (), (), steps, (T[5],), (F32,))
    assert body.kernel_name("rows", 1) == "rows_sqrt_sqrt_sqrt_sqrt_and_2_more_1d_f32"


def test_the_comment_of_a_kernel_is_its_expression() -> None:
    assert BODY.described() == "// t0 = sqrt(x0); t1 = multiply(t0, s0); t2 = add(t1, x1)"


def test_the_comment_of_a_kernel_without_steps_says_so() -> None:
    assert Body(((F32, False),), (), (), (), (X[0],), (F32,)).described() == "// a copy"


@pytest.mark.parametrize(("moving", "same"), [((), {0, 1, 2}), ((0,), set()), ((1,), {0, 1}), ((0, 1), set())])
def test_a_step_stays_the_same_while_no_operand_below_it_moves(moving: tuple[int, ...], same: set[int]) -> None:
    assert BODY.invariant(moving) == same
