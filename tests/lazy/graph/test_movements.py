"""Movements: a view is the same as a layout, as an expression, and in a chain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.graph.movements import Movement, as_strided, keyed
from arrayapi_gpu.memory.layout import Layout, contiguous_strides

A = np.arange(24, dtype="float32").reshape(2, 3, 4)

# A movement, and NumPy's view.
MOVEMENTS: list[tuple[Movement, Any]] = [
    (keyed((slice(None), 1, slice(None, None, -2))), A[:, 1, ::-2]),
    (keyed((Ellipsis, None, 3)), A[..., None, 3]),
    (keyed(()), A),
    (Movement("broadcast_to", {"shape": (5, 2, 3, 4)}), np.broadcast_to(A, (5, 2, 3, 4))),
    (Movement("linalg.diagonal", {"offset": -1}), np.diagonal(A, -1, 1, 2)),
    (Movement("matrix_transpose", {}), A.swapaxes(1, 2)),
    (Movement("permute_dims", {"axes": (2, 0, 1)}), A.transpose(2, 0, 1)),
    (Movement("reshape", {"shape": (4, 6)}), A.reshape(4, 6)),
    (Movement("lib.stride_tricks.sliding_window_view", {"window_shape": (2,), "axis": (2,)}),
     np.lib.stride_tricks.sliding_window_view(A, 2, 2)),
]  # fmt: skip


def elements(layout: Layout) -> Any:
    strides = [4 * step for step in layout.strides]
    return np.lib.stride_tricks.as_strided(A.reshape(-1)[layout.offset :], layout.shape, strides)


@pytest.mark.parametrize(("movement", "expected"), MOVEMENTS, ids=lambda x: x.name if isinstance(x, Movement) else "")
def test_the_layout_and_the_expression_show_the_same(movement: Movement, expected: Any) -> None:
    layout = movement.layout(Layout(A.shape, contiguous_strides(A.shape), 0))
    assert layout is not None
    np.testing.assert_array_equal(elements(layout), expected, strict=True)
    found = eval(movement.expression("a"), {"xp": xp, "a": xp.asarray(A)})
    np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


def test_a_reshape_that_needs_a_copy_has_no_layout() -> None:
    assert Movement("reshape", {"shape": (12, 2)}).layout(Layout((4, 6), (1, 4), 0)) is None


def test_a_chain_is_written_from_the_first_movement_on() -> None:
    chain = Movement("reshape", {"shape": (4,)}, Movement("matrix_transpose", {}, keyed((0, slice(1, None)))))
    assert chain.expression("v0") == "xp.reshape(xp.matrix_transpose(v0[0, 1:]), shape=(4,))"
    assert [one.name for one in chain.chain()] == ["[]", "matrix_transpose", "reshape"]


def test_a_strided_movement_is_a_view_of_elements_in_c_order() -> None:
    view = Layout((3,), (-5,), 11)
    assert as_strided(view).layout(Layout((12,), (2,), 1)) == Layout((3,), (-10,), 23)


def test_a_long_chain_is_written_in_time_that_grows_with_it() -> None:
    chain = keyed((Ellipsis,))
    for _ in range(100_000):
        chain = chain._replace(before=chain)
    assert chain.expression("v0") == "v0" + "[...]" * 100_001
