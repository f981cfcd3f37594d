"""Manipulation functions against NumPy on every layout; which of them are views, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, check_refused, check_same, lay_out, no_launch, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

A = sample("int32", (2, 3, 4))
Program = Callable[..., Any]

PROGRAMS: dict[str, Program] = {
    "broadcast_to": lambda np_, a: np_.broadcast_to(a, (5, 2, 3, 4)),
    "expand_dims": lambda np_, a: np_.expand_dims(a, axis=1),
    "expand_dims of two": lambda np_, a: np_.expand_dims(a, axis=(0, -1)),
    "flip": lambda np_, a: np_.flip(a),
    "flip one": lambda np_, a: np_.flip(a, axis=-1),
    "flip two": lambda np_, a: np_.flip(a, axis=(0, 2)),
    "moveaxis": lambda np_, a: np_.moveaxis(a, 0, -1),
    "moveaxis of two": lambda np_, a: np_.moveaxis(a, (0, 1), (-1, 0)),
    "permute_dims": lambda np_, a: np_.permute_dims(a, (2, 0, 1)),
    "permute_dims with negative axes": lambda np_, a: np_.permute_dims(a, (-1, 0, -2)),
    "reshape": lambda np_, a: np_.reshape(a, (4, 6)),
    "reshape with -1": lambda np_, a: np_.reshape(a, (-1, 2)),
    "reshape flat": lambda np_, a: np_.reshape(a, (-1,)),
    "reshape with a copy": lambda np_, a: np_.reshape(a, (24,), copy=True),
    "concat": lambda np_, a: np_.concat([a, a, a[:1]]),
    "concat inside": lambda np_, a: np_.concat((a, a[:, 1:]), axis=1),
    "concat flat": lambda np_, a: np_.concat([a, a[0]], axis=None),
    "stack": lambda np_, a: np_.stack([a, a]),
    "stack at the end": lambda np_, a: np_.stack((a, a + 1), axis=-1),
    "unstack": lambda np_, a: np_.unstack(a),
    "unstack inside": lambda np_, a: np_.unstack(a, axis=-2),
    "repeat": lambda np_, a: np_.repeat(a, 2),
    "repeat an axis": lambda np_, a: np_.repeat(a, 3, axis=1),
    "repeat not at all": lambda np_, a: np_.repeat(a, 0, axis=0),
    "repeat by counts": lambda np_, a: np_.repeat(a, np_.asarray([1, 0, 2]), axis=1),
    "roll": lambda np_, a: np_.roll(a, 5),
    "roll an axis": lambda np_, a: np_.roll(a, -1, axis=2),
    "roll two axes": lambda np_, a: np_.roll(a, (1, -2), axis=(0, 2)),
    "roll far": lambda np_, a: np_.roll(a, 10**20, axis=1),
    "tile": lambda np_, a: np_.tile(a, (2, 1, 3)),
    "tile with fewer": lambda np_, a: np_.tile(a, (2,)),
    "tile with more": lambda np_, a: np_.tile(a, (2, 1, 1, 2)),
    "tile to nothing": lambda np_, a: np_.tile(a, (0, 1)),
    "squeeze": lambda np_, a: np_.squeeze(a[:1], axis=0),
    "squeeze two": lambda np_, a: np_.squeeze(a[:1, :, :1], axis=(0, -1)),
    "matrix_transpose": lambda np_, a: np_.matrix_transpose(a),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_manipulations_are_numpys_in_every_layout(name: str, layout: str) -> None:
    program = PROGRAMS[name]
    expected, got = program(np, A), program(xp, lay_out(A, layout))
    if isinstance(expected, np.ndarray):
        expected, got = (expected,), (got,)
    assert isinstance(got, tuple)
    for one, other in zip(got, expected, strict=True):
        assert_same(to_host(one), other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["concat", "reshape flat", "repeat an axis", "roll", "tile"])
def test_copying_manipulations_of_every_dtype(name: str, dtype: str) -> None:
    check_same(PROGRAMS[name], sample(dtype, (2, 3, 4)))


@pytest.mark.parametrize("name", ["flip", "roll", "reshape flat", "repeat", "tile with more", "expand_dims"])
@pytest.mark.parametrize("shape", [(0,), (2, 0, 3)])
def test_arrays_of_no_elements_are_manipulated(name: str, shape: tuple[int, ...]) -> None:
    check_same(PROGRAMS[name], np.zeros((*shape, 1, 1)[:3] if len(shape) < 2 else shape))


def test_zero_dimensions_are_manipulated() -> None:
    a = np.array(3.5)
    for name in ("reshape flat", "flip", "expand_dims", "concat flat", "repeat", "roll", "tile with more"):
        if name == "expand_dims":
            check_same(lambda np_, x: np_.expand_dims(x, axis=0), a)
        elif name == "concat flat":
            check_same(lambda np_, x: np_.concat([x, x], axis=None), a)
        else:
            check_same(PROGRAMS[name], a)


@pytest.mark.parametrize("rank", [9, 16])
def test_many_axes_are_manipulated(rank: int) -> None:
    a = sample("int16", (2,) * 9 + (1,) * (rank - 9))
    order = tuple(range(0, rank, 2)) + tuple(range(1, rank, 2))
    check_same(lambda np_, x: np_.permute_dims(x, order) + 1, a)
    check_same(lambda np_, x: np_.flip(np_.moveaxis(x, 0, -1)), a)
    check_same(lambda np_, x: np_.reshape(np_.permute_dims(x, order), (-1,)), a)


def test_concat_promotes() -> None:
    check_same(lambda np_, a, b: np_.concat([a, b]), np.ones(2, "int8"), np.full(3, 0.5, "float32"))


def test_broadcast_arrays_gives_a_tuple_of_one_shape() -> None:
    check_same(lambda np_, a, b: tuple(np_.broadcast_arrays(a, b)), np.arange(3), np.arange(2).reshape(2, 1))
    assert isinstance(xp.broadcast_arrays(xp.ones(2)), tuple)


def test_broadcast_shapes_is_arithmetic() -> None:
    with no_launch():
        assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)
        assert xp.broadcast_shapes() == ()
        with pytest.raises(ValueError, match=r"\(2,\)"):
            xp.broadcast_shapes((2,), (3,))


VIEWS: dict[str, Program] = {
    name: PROGRAMS[name]
    for name in ("expand_dims", "flip", "moveaxis", "permute_dims", "reshape", "matrix_transpose", "squeeze")
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_share_memory_both_ways(name: str) -> None:
    check_same(lambda np_, a: _written(a, VIEWS[name](np_, a)), A)


def _written(a: Any, view: Any) -> tuple[Any, Any]:
    """Write through the view, then through the array; both see both."""
    view[...] = view * 2
    a[0, 0, 0] = 99
    return a, view


@pytest.mark.parametrize(
    "name", ["moveaxis", "permute_dims", "flip", "matrix_transpose", "expand_dims", "broadcast_to"]
)
def test_views_of_arrays_in_memory_launch_nothing(name: str) -> None:
    x = xp.asarray(A)
    with no_launch():
        PROGRAMS[name](xp, x)


def test_reshape_without_copy_is_a_view_or_refused() -> None:
    x = xp.asarray(A)
    y = xp.reshape(x, (24,), copy=False)
    y[0] = 77
    assert int(x[0, 0, 0]) == 77
    with pytest.raises(ValueError, match="no view"):
        xp.reshape(xp.permute_dims(x, (2, 0, 1)), (24,), copy=False)


REFUSED: dict[str, Program] = {
    "reshape to another size": lambda np_, a: np_.reshape(a, (5, 5)),
    "reshape with two unknowns": lambda np_, a: np_.reshape(a, (-1, -1)),
    "reshape with an impossible unknown": lambda np_, a: np_.reshape(a, (-1, 7)),
    "permute with a repeated axis": lambda np_, a: np_.permute_dims(a, (0, 0, 1)),
    "permute with too few axes": lambda np_, a: np_.permute_dims(a, (0, 1)),
    "permute with an axis that is not there": lambda np_, a: np_.permute_dims(a, (0, 1, 3)),
    "squeeze a long axis": lambda np_, a: np_.squeeze(a, axis=1),
    "concat other shapes": lambda np_, a: np_.concat([a, a[:, :2]], axis=0),
    "concat along no axis": lambda np_, a: np_.concat([a, a], axis=3),
    "concat nothing": lambda np_, a: np_.concat([]),
    "concat other ranks": lambda np_, a: np_.concat([a, a[0]]),
    "stack other shapes": lambda np_, a: np_.stack([a, a[:1]]),
    "stack nothing": lambda np_, a: np_.stack([]),
    "flip an axis that is not there": lambda np_, a: np_.flip(a, axis=5),
    "roll an axis that is not there": lambda np_, a: np_.roll(a, 1, axis=-4),
    "broadcast to less": lambda np_, a: np_.broadcast_to(a, (3, 4)),
    "broadcast to another extent": lambda np_, a: np_.broadcast_to(a, (2, 3, 5)),
    "moveaxis to too few": lambda np_, a: np_.moveaxis(a, (0, 1), (0,)),
    "repeat a negative number": lambda np_, a: np_.repeat(a, -1, axis=0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_refused(name: str) -> None:
    check_refused(REFUSED[name], A)


def test_expand_dims_outside_the_result_is_an_index_error() -> None:
    for axis in (4, -5):
        with pytest.raises(IndexError, match="expand_dims"):
            xp.expand_dims(xp.asarray(A), axis=axis)


def test_squeeze_of_a_long_axis_says_its_extent() -> None:
    with pytest.raises(ValueError, match="squeeze: axis 1 has extent 3; allowed: 1"):
        xp.squeeze(xp.asarray(A), axis=1)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda m, x: m.roll(x, 1.5), TypeError, "roll: got 1.5 for shift; allowed: an integer"),
        (lambda m, x: m.roll(x, (1, "a"), axis=(0, 0)), TypeError, "roll: got 'a' for shift; allowed: an integer"),
        (lambda m, x: m.repeat(x, 1.5), TypeError, "repeat: got 1.5 for repeats; allowed: an integer"),
        (lambda m, x: m.repeat(x, m.ones(6)), TypeError, "repeat: repeats has dtype float64; allowed: integers"),
        (lambda m, x: m.repeat(x, m.asarray([1, 2])), ValueError, r"shape \(2,\); allowed: one number, or \(6,\)"),
        (lambda m, x: m.repeat(x, -1), ValueError, "repeat: repeats is -1; allowed: 0 or more"),
        (lambda m, x: m.tile(x, 1.5), TypeError, "tile: got 1.5 for a repetition; allowed: an integer"),
        (lambda m, x: m.linspace(0, 1, 2.5), TypeError, "linspace: got 2.5 for num; allowed: an integer"),
        (lambda m, x: m.topk(x, 1.5), TypeError, "topk: got 1.5 for k; allowed: an integer"),
        (lambda m, x: m.fft.fft(x, n=2.5), TypeError, "fft: got 2.5 for a length; allowed: an integer"),
        (lambda m, x: m.fft.fftfreq(2.5), TypeError, "fftfreq: got 2.5 for n; allowed: an integer"),
        (lambda m, x: m.fft.dct(x, type=1.5), TypeError, "dct: got 1.5 for type; allowed: an integer"),
        (lambda m, x: m.diff(x, n=1.5), TypeError, "diff: got 1.5 for n; allowed: an integer"),
        (
            lambda m, x: m.fft.rfftn(x, s=("3",), axes=(0,)),
            TypeError,
            "rfftn: got '3' for a length; allowed: an integer",
        ),
    ],
)
def test_what_is_no_integer_is_refused(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call(xp, xp.arange(6))


@pytest.mark.parametrize("repeats", [2, np.int64(2), np.uint8(2), True, [2], [0, 1, 2, 0, 3, 1], np.array(2)])
def test_what_repeats_may_be(repeats: Any) -> None:
    assert_same(to_host(xp.repeat(xp.arange(6), repeats)), np.repeat(np.arange(6), repeats))
