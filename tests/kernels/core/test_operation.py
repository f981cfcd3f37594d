"""What operations have in common: the defaults of a new kind."""

from __future__ import annotations

import pytest

from arrayapi_gpu.kernels.core.operation import Kind, Operation, any_of
from arrayapi_gpu.kernels.core.ops import OPS


class Plain(Operation):
    name = "plain"


def test_a_new_kind_is_a_kernel_of_its_own_that_moves_nothing() -> None:
    op = Plain()
    assert (op.kind, op.reusable, op.fixed, op.own, op.on_host) == (Kind.STEP, True, False, None, False)
    assert op.boxes(None, ()) is op.rolled(None, (), lambda node, shifts: node) is op.value(None, ()) is None
    assert op.value_range((), lambda operand: (0, 1)) is None


def test_a_new_kind_must_say_how_it_is_run_and_written() -> None:
    for call in (lambda: Plain().run((), None), lambda: Plain().expression(None)):
        with pytest.raises(NotImplementedError):
            call()


def test_element_wise_operations_are_operations() -> None:
    assert {op.kind for op in OPS.values()} == {Kind.ELEMENTWISE}


def test_the_interval_of_several() -> None:
    assert any_of([(0, 3), (-1, 2)]) == (-1, 3)
    assert any_of([(0, 3), None]) is None
