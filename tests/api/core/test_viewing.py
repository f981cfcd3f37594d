"""The functions behind the manipulation functions: what they remember, what they share, what they copy."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.api.core import viewing
from arrayapi_gpu.memory import layout as layouts

pytestmark = pytest.mark.usefixtures("device")

numpy: Any = np  # which calls our functions for our arrays
A = np.arange(24, dtype="int32").reshape(4, 1, 6)

# By function: a call with ints, whose answer is remembered, and calls with equal numbers that are no ints.
CALLS: dict[str, tuple[Callable[[Any, Any], Any], list[Any], list[Any]]] = {
    "expand_dims": (lambda x, n: xp.expand_dims(x, axis=n), [1, (1,)], [1.0, (1.0,)]),
    "flip": (lambda x, n: xp.flip(x, axis=n), [1, (1,)], [1.0, (1.0,)]),
    "squeeze": (lambda x, n: xp.squeeze(x, axis=n), [1, (1,)], [1.0, (1.0,)]),
    "roll by": (lambda x, n: xp.roll(x, n, axis=0), [1, (1,)], [1.0, (1.0,)]),
    "roll along": (lambda x, n: xp.roll(x, 2, axis=n), [1, (1,)], [1.0, (1.0,)]),
    "tile": (lambda x, n: xp.tile(x, n), [1, (1,)], [1.0, (1.0,)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_remembered_answer_serves_ints_alone(name: str) -> None:
    call, ints, others = CALLS[name]
    x = xp.asarray(A)
    for number in ints:
        call(x, number)
    for number in others:
        with pytest.raises(TypeError, match="integer"):
            call(x, number)


@pytest.mark.parametrize("name", CALLS)
def test_integers_of_numpy_are_ints(name: str) -> None:
    call, _, _ = CALLS[name]
    assert_same(to_host(call(xp.asarray(A), np.int64(1))), to_host(call(xp.asarray(A), 1)))


VIEWS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "reshape": (lambda x: xp.reshape(x, (3, 8)), lambda x: x.reshape(3, 8)),
    "expand_dims": (lambda x: xp.expand_dims(x, axis=(0, -1)), lambda x: np.expand_dims(x, (0, -1))),
    "flip": (lambda x: xp.flip(x, axis=(0, 2)), lambda x: np.flip(x, (0, 2))),
    "squeeze": (lambda x: xp.squeeze(x), lambda x: np.squeeze(x)),
}


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_views_share_memory(name: str, pending: bool) -> None:
    function, reference = VIEWS[name]
    x, host = xp.asarray(A) + 0, A + 0
    if not pending:
        xp.compute(x)
    view, expected = function(x), reference(host)
    view += 1
    expected += 1
    assert_same(to_host(x), host)


COPIES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "reshape": (lambda x: xp.reshape(x, (-1,), copy=True), lambda x: x.reshape(-1)),
    "roll": (lambda x: xp.roll(x, 5), lambda x: np.roll(x, 5)),
    "roll along": (lambda x: xp.roll(x, (1, -2), axis=(0, 2)), lambda x: np.roll(x, (1, -2), (0, 2))),
    "tile": (lambda x: xp.tile(x, (2, 3, 1, 2)), lambda x: np.tile(x, (2, 3, 1, 2))),
    "tile fewer": (lambda x: xp.tile(x, 3), lambda x: np.tile(x, 3)),
    "tile by nothing": (lambda x: xp.tile(x, (0, 1, 2)), lambda x: np.tile(x, (0, 1, 2))),
    "repeat": (lambda x: xp.repeat(x, 3), lambda x: np.repeat(x, 3)),
    "repeat rows": (lambda x: xp.repeat(x, 70, axis=0), lambda x: np.repeat(x, 70, 0)),
    "repeat by nothing": (lambda x: xp.repeat(x, 0), lambda x: np.repeat(x, 0)),
}  # fmt: skip
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in C order": lambda x: x,
    "reversed": lambda x: x[::-1, :, ::-1],
    "transposed": lambda x: x.transpose((2, 1, 0)),
    "broadcast": lambda x: numpy.broadcast_to(x[:1], x.shape),
    "of no elements": lambda x: x[:, :0],
    "0-dimensional": lambda x: x[1:2, 0, 3].reshape(()),
}  # fmt: skip


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", COPIES)
def test_copies_keep_the_values_of_their_call(name: str, layout: str, pending: bool) -> None:
    function, reference = COPIES[name]
    if name in ("roll along", "repeat rows") and layout == "0-dimensional":
        return  # it has no axes
    x, host = xp.asarray(A) + 0, A + 0
    if not pending:
        xp.compute(x)
    copy = function(LAYOUTS[layout](x))
    x += 1
    assert_same(to_host(copy), reference(LAYOUTS[layout](host)))
    copy[...] = 7
    assert_same(to_host(x), host + 1)


def test_repeated_elements_take_one_launch() -> None:
    x = xp.asarray(np.arange(5000, dtype="int8").reshape(50, 100))
    calls: list[Callable[[], Any]] = [lambda: xp.tile(x, (3, 4)), lambda: xp.repeat(x, 3), lambda: xp.roll(x, 1)]
    for call in calls:
        with xp.record() as made:
            xp.sync(call())
        assert len(made) == 1


def test_shapes_with_the_number_of_elements_are_taken_as_they_are() -> None:
    x = xp.zeros((2, 3))
    good: list[Any] = [(6,), (3, 2), (1, 6, 1), [3, 2], (np.int64(6),), (-1, 2)]
    for shape in good:
        assert viewing.reshaped(x, shape).shape == np.zeros((2, 3)).reshape(shape).shape
    bad: list[Any] = [(7,), (-2, -3), (-1, -1), (2, 0), ()]
    for shape in bad:
        with pytest.raises(ValueError, match="reshape"):
            viewing.reshaped(x, shape)
    floats: Any = (2.0, 3.0)
    with pytest.raises(TypeError, match="integer"):
        viewing.reshaped(x, floats)


HUGE: dict[str, Callable[[Any], Any]] = {
    "tile": lambda x: xp.tile(x, 1 << 62),
    "tile along axes": lambda x: xp.tile(x, (1 << 40, 1 << 40)),
    "tile of nothing": lambda x: xp.tile(x[:0], (1 << 62, 1 << 62)),
    "repeat": lambda x: xp.repeat(x, 1 << 62),
    "repeat along an axis": lambda x: xp.repeat(x, 1 << 70, axis=0),
    "repeat of nothing": lambda x: xp.repeat(x[:0], 1 << 64),
}


@pytest.mark.parametrize("name", HUGE)
def test_results_that_no_address_reaches_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="too large"):
        HUGE[name](xp.arange(6))


@pytest.mark.parametrize("name", ["slice", "flip", "transpose"])
def test_a_view_may_be_computed_while_it_is_reshaped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread computes the view, with memory of its own, between two steps of the reshape."""
    part: Callable[[Any], Any] = {
        "slice": lambda x: x[1:3, 1:5:2],
        "flip": lambda x: x[::-1, ::-1],
        "transpose": lambda x: x.T,
    }[name]
    host = np.arange(24, dtype="float32").reshape(4, 6)
    view = part(xp.asarray(host) * 3)  # no variable holds the root
    reshape = layouts.reshape

    def meanwhile(layout: Any, shape: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(xp.sync, view).result()
        return reshape(layout, shape)

    monkeypatch.setattr(layouts, "reshape", meanwhile)
    found = viewing.reshaped(view, (-1,))
    monkeypatch.undo()
    assert_same(to_host(found), part(host * 3).reshape(-1))
