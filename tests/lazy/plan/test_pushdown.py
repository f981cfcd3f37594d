"""Views of pending values: their elements, and that a view and what it is of are one memory in the eyes of users."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, in_turn, launches, needs_rows, no_launch, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph.views import View

pytestmark = pytest.mark.usefixtures("device", "small_parts")

HostArray = np.ndarray[Any, Any]
SHAPE = (6, 8)
RNG = np.random.default_rng(14)
A, B = RNG.integers(-9, 9, SHAPE).astype("float32"), RNG.integers(1, 9, SHAPE).astype("float32")
CUBE = RNG.integers(-9, 9, (3, *SHAPE)).astype("float32")

# Pending values of two arrays; ``m`` is numpy or our namespace.
ROOTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "an operation": lambda m, a, b: a + b,
    "a long expression": lambda m, a, b: m.where(a > b, a * b - a, m.abs(a) + b * b * b - a) / 2,
    "a row and a column": lambda m, a, b: a[:1, :] * 2 + b[:, :1] * 3,
    "an expensive row": lambda m, a, b: a + m.round(m.sqrt(m.abs(b[0, :]))),
    "a cast": lambda m, a, b: m.astype(a * b, m.int32),
    "a constant": lambda m, a, b: m.full(SHAPE, 2.5, dtype=m.float32),
    "an index variable": lambda m, a, b: m.reshape(m.arange(48, dtype=m.int64), SHAPE),
    "a range": lambda m, a, b: m.reshape(m.arange(48, dtype=m.float32) + a[0, 0], SHAPE),
    "a reduction": lambda m, a, b: m.sum(m.asarray(CUBE) * a, axis=0),
    "over a reduction": lambda m, a, b: a - m.max(a * b, axis=1, keepdims=True),
    "a scan": lambda m, a, b: m.cumulative_sum(a + b, axis=1),
    "a sort": lambda m, a, b: m.sort(a * b, axis=0),
    "gathered": lambda m, a, b: m.take(a, m.asarray([3, 0, 5, 5, 1, 2]), axis=0) + b,
    "of a view": lambda m, a, b: (a + b)[::-1, :] * m.permute_dims(m.reshape(a - b, (8, 6)), (1, 0)),
    "a concatenation": lambda m, a, b: m.concat([a[:2] * 2, b[:3] + a[:3], b[5:]]),
    "over a stack": lambda m, a, b: m.reshape(m.stack([a[::2] + 1, b[::2]], axis=2), SHAPE) - a,
    "a view of a view": lambda m, a, b: (m.reshape(m.concat([a, b]), (2, *SHAPE)) * 2)[1],
}
VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "all": lambda m, x: x[...],
    "a slice": lambda m, x: x[1:4],
    "one row": lambda m, x: x[2],
    "one element": lambda m, x: x[-1, 3],
    "every other": lambda m, x: x[::2, 1::3],
    "backwards": lambda m, x: x[::-1, ::-2],
    "nothing": lambda m, x: x[3:3],
    "an axis more": lambda m, x: x[:, None, 2:],
    "transposed": lambda m, x: x.T,
    "axes moved": lambda m, x: m.moveaxis(x[None], 0, 1),
    "flipped": lambda m, x: m.flip(x, axis=0),
    "one axis": lambda m, x: m.reshape(x, (-1,)),
    "one element of one axis": lambda m, x: m.reshape(x, (-1,))[-5],
    "a row of one element": lambda m, x: m.reshape(x, (24, 2))[7:8, None, 1],
    "an axis split": lambda m, x: m.reshape(x, (2, 3, 4, 2)),
    "axes cut otherwise": lambda m, x: m.reshape(x, (16, 3)),
    "squeezed": lambda m, x: m.squeeze(x[:, 1:2], axis=1),
    "a slice of a slice": lambda m, x: x[1:][::2, 3:],
    "a slice of the transpose": lambda m, x: m.permute_dims(x, (1, 0))[2:5],
    "unstacked": lambda m, x: m.unstack(x, axis=1)[3],
    "the diagonal": lambda m, x: m.linalg.diagonal(x, offset=1),
}


def pair(root: str) -> tuple[HostArray, Any, tuple[Any, Any]]:
    """A root of NumPy's, one of ours, and its operands."""
    a, b = xp.asarray(A, copy=True), xp.asarray(B, copy=True)
    expected = ROOTS[root](np, A.copy(), B.copy())
    return np.ascontiguousarray(expected), ROOTS[root](xp, a, b), (a, b)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Concatenations of few elements wait, too."""
    monkeypatch.setattr(tuning, "PARTS_FROM", (0, 0))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("held", [True, False])
def test_a_view_has_the_elements_of_its_root(root: str, view: str, held: bool) -> None:
    expected, x, _ = pair(root)
    seen = VIEWS[view](xp, x)
    if not held:
        del x
    assert_same(to_host(seen), VIEWS[view](np, expected))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("root", ROOTS)
def test_an_expression_of_views_has_the_elements_of_its_root(root: str, view: str) -> None:
    """Of two views, one of which is of a root that is held."""
    expected, x, _ = pair(root)
    _, other, _ = pair(root)
    seen = VIEWS[view](xp, x) * 3 - VIEWS[view](xp, other)
    del other
    want = VIEWS[view](np, expected)
    assert_same(to_host(seen), (want * 3 - want).astype(want.dtype))


@pytest.mark.parametrize(("root", "view"), in_turn(ROOTS, [view for view in VIEWS if view != "nothing"], 4))
def test_a_reduction_of_a_view(root: str, view: str) -> None:
    expected, x, _ = pair(root)
    seen = xp.max(VIEWS[view](xp, x * 2))
    assert to_host(seen) == np.max(VIEWS[view](np, expected * 2))


# What happens to a root, a view of it and another view: each changes or reads some of them.
Names = dict[str, Any]


def _set(name: str, value: Any) -> Callable[[Any, Names], None]:
    def write(m: Any, names: Names) -> None:
        names[name][...] = value

    return write


def _add(name: str) -> Callable[[Any, Names], None]:
    def write(m: Any, names: Names) -> None:
        names[name] += 2

    return write


def _read(name: str) -> Callable[[Any, Names], None]:
    def read(m: Any, names: Names) -> None:
        np.array(names[name]) if m is np else to_host(names[name])

    return read


def _exported(name: str) -> Callable[[Any, Names], None]:
    """A write by somebody else, who was given the memory."""

    def write(m: Any, names: Names) -> None:
        memory = np.asarray(names[name])
        if memory.flags.writeable:
            memory[...] = 5
        else:  # a device with memory of its own gives copies
            names[name][...] = 5

    return write


def _forget(name: str) -> Callable[[Any, Names], None]:
    return lambda m, names: names.__delitem__(name)


def _assign(name: str, other: str) -> Callable[[Any, Names], None]:
    def write(m: Any, names: Names) -> None:
        names[name][...] = names[other]

    return write


EVENTS: dict[str, list[Callable[[Any, Names], None]]] = {
    "written through the view": [_set("view", 7)],
    "written through the root": [_set("root", 7)],
    "added to the view": [_add("view")],
    "added to the root": [_add("root")],
    "the view is read, then the root is written": [_read("view"), _set("root", 7)],
    "the view is read, then written": [_read("view"), _set("view", 7)],
    "the view is read, then added to": [_read("view"), _add("view")],
    "the view is read, then the root is added to": [_read("view"), _add("root")],
    "both views are read, the root is forgotten, one is written": [
        _read("view"), _read("other"), _forget("root"), _set("other", 7),
    ],
    "the root is forgotten, one view is read, the other is written": [_forget("root"), _read("view"), _add("other")],
    "the root and one view are forgotten": [_forget("root"), _forget("other"), _add("view"), _set("view", 3)],
    "the view is added to twice": [_add("view"), _add("view"), _add("root")],
    "an operand is written": [_set("a", 0), _set("view", 7)],
    "the view is read, then an operand is written": [_read("view"), _set("a", 0), _set("b", 1), _add("root")],
    "both views are read, then an operand, then one is written": [
        _read("view"), _read("other"), _forget("root"), _set("a", 0), _set("b", 1), _set("other", 7),
    ],
    "written by somebody else through the view": [_exported("view")],
    "written by somebody else through the root": [_read("view"), _exported("root")],
    "one view is written from the other": [_assign("view", "other")],
    "the root is written from itself": [_assign("root", "root")],
    "an operand is written from the view": [_assign("other", "view"), _add("root")],
}  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("view", ["a slice", "one row", "every other", "transposed", "one axis"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_view_and_its_root_are_one_memory(root: str, view: str, event: str) -> None:
    expected, x, (a, b) = pair(root)
    worlds: list[tuple[Any, Names]] = []
    for m, base, operands in ((np, expected, (A.copy(), B.copy())), (xp, x, (a, b))):
        seen = VIEWS[view](m, base)
        # The other view has the view's shape, and some of its elements.
        other = VIEWS[view](m, base[::-1])
        names = {"root": base, "view": seen, "other": other, "a": operands[0], "b": operands[1]}
        names["made of a view"] = base[::-1] * 2
        worlds.append((m, names))
    del expected, x, a, b, base, seen, other, operands, names
    for m, names in worlds:
        for change in EVENTS[event]:
            change(m, names)
    (_, host), (_, ours) = worlds
    assert host.keys() == ours.keys()
    for name in host:
        if name not in ("a", "b"):  # the expected root does not read them any more
            assert_same(to_host(ours[name]), host[name])


def test_a_view_of_a_pending_value_launches_nothing() -> None:
    x = xp.asarray(A) + 1
    with no_launch():
        for view in VIEWS.values():
            view(xp, x)


@pytest.mark.parametrize("view", ["a slice", "every other", "transposed", "one axis", "an axis split"])
def test_a_view_of_a_value_that_nobody_holds_is_part_of_the_expression(view: str) -> None:
    a, b = xp.asarray(A), xp.asarray(B)
    with launches() as made:
        to_host(VIEWS[view](xp, a * b) + VIEWS[view](xp, a - b))
    assert len(made) == 1


def test_only_the_elements_that_are_asked_for_are_computed() -> None:
    a = xp.asarray(np.ones((1000, 8), "float32"))
    held = a + 1
    with launches() as made:
        to_host(held[10])
    assert [launch.items <= 8 for launch in made] == [True]
    assert held._node.array is None


def test_who_asks_for_some_elements_again_and_again_gets_all_computed() -> None:
    held = xp.asarray(np.ones((1000, 8), "float32")) + 1
    with launches() as made:
        for k in range(20):
            to_host(held[k])
    assert len(made) <= 6 and held._node.array is not None


def test_what_several_views_need_is_computed_once_if_it_is_expensive() -> None:
    a = xp.asarray(np.ones((1000,), "float32"))
    with launches() as made:
        u = xp.exp(xp.sin(a)) * 2
        s = u[1:] - u[:-1]
        del u
        to_host(s)
    assert len(made) == 2


def test_what_several_views_need_is_computed_within_them_if_it_is_cheap() -> None:
    a = xp.asarray(np.ones((1000,), "float32"))
    with launches() as made:
        u = a * 2
        s = u[1:] - u[:-1]
        del u
        to_host(s)
    assert len(made) == 1


def test_an_expression_over_a_mean_without_keepdims_is_one_launch() -> None:
    needs_rows()
    a = xp.asarray(RNG.random((40, 50), dtype="float32"))
    with launches() as made:
        found = to_host(a - xp.mean(a, axis=1)[:, None])
    assert len(made) == 1
    np.testing.assert_allclose(found, to_host(a) - to_host(a).mean(axis=1)[:, None], atol=1e-6)


def test_an_index_that_is_an_array_counts_as_it_was() -> None:
    place = xp.asarray(2)
    x = xp.asarray(A) + 1
    row = x[place]
    place[...] = 3
    assert_same(to_host(row), A[2] + 1)


def test_stencils_of_stencils_stay_bounded() -> None:
    u = xp.asarray(np.arange(100, dtype="float32"))
    expected = np.arange(100, dtype="float32")
    for _ in range(30):
        u, expected = (u[1:] + u[:-1]) * 0.5, (expected[1:] + expected[:-1]) * np.float32(0.5)
    with launches() as made:
        assert_same(to_host(u), expected)
    assert len(made) <= 30


ROLLS: list[tuple[tuple[int, ...], Any, Any]] = [
    ((7,), 3, 0), ((7,), -10, None), ((40,), 25, 0), ((5, 9), (1, 2), (0, 1)), ((5, 9), 1, 1),
    ((33, 70), (40, -1), (0, 1)),
    ((2, 17, 3, 19), (1, 5, -2, 18), (0, 1, 2, 3)), ((1, 50), (1, 1), (0, 1)), ((64, 64), 63, 0), ((0, 4), 2, 1),
    ((3, 4, 5), (1, 1), (0, 0)), ((1,), 5, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("roll", "dtype"), in_turn(ROLLS, ["int8", "float16", "float64", "complex64", "bool"], 2), ids=str
)
def test_rolls_in_expressions(twin: Device, roll: tuple[tuple[int, ...], Any, Any], dtype: str) -> None:
    shape, shift, axis = roll
    a = (RNG.integers(0, 2, shape) if dtype == "bool" else RNG.integers(-9, 9, shape)).astype(dtype)
    x = xp.asarray(a, device=twin)
    assert_same(to_host(xp.roll(x, shift, axis=axis)), np.roll(a, shift, axis=axis))
    if a.ndim:
        turned, back = np.swapaxes(a, 0, -1), xp.asarray(a, device=twin)[..., ::-1]
        assert_same(to_host(xp.roll(xp.moveaxis(x, 0, -1) if a.ndim == 2 else x, 1, axis=0)),
                    np.roll(turned if a.ndim == 2 else a, 1, axis=0))  # fmt: skip
        assert_same(to_host(xp.roll(back, shift, axis=axis)), np.roll(a[..., ::-1], shift, axis=axis))
    if dtype != "bool":
        seen = xp.roll(x * 2, shift, axis=axis) + x - xp.roll(xp.roll(x, shift, axis=axis), 1, axis=axis)
        want = np.roll(a * 2, shift, axis=axis) + a - np.roll(np.roll(a, shift, axis=axis), 1, axis=axis)
        assert_same(to_host(seen), want.astype(dtype))


def test_a_step_of_life_is_one_launch() -> None:
    cells = RNG.integers(0, 2, (50, 60)).astype("int8")

    def step(m: Any, x: Any) -> Any:
        around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        count = sum(m.roll(m.roll(x, i, axis=0), j, axis=1) for i, j in around)
        return m.astype((count == 3) | ((x == 1) & (count == 2)), x.dtype)

    x = xp.asarray(cells)
    with launches() as made:
        found = to_host(step(xp, x))
    assert len(made) == 1
    assert_same(found, step(np, cells))


@pytest.mark.parametrize("consumer", ["sum of rows", "rows", "sort", "gather", "scatter", "matmul"])
def test_what_reads_memory_reads_a_roll_from_memory(consumer: str) -> None:
    a = RNG.integers(-9, 9, (6, 8)).astype("float64")
    x = xp.asarray(a)

    def use(m: Any, r: Any) -> Any:
        if consumer == "sum of rows":
            return m.sum(r * 2, axis=1)
        if consumer == "rows":
            e = r - m.max(r, axis=1, keepdims=True)
            return e * m.sum(e, axis=1, keepdims=True)
        if consumer == "sort":
            return m.sort(r, axis=1)
        if consumer == "gather":
            return m.take(r, m.asarray([1, 1, 4]), axis=0) + 1
        if consumer == "scatter":
            out = m.zeros((6, 8))
            out[m.asarray([5, 4, 3, 2, 1, 0])] = r
            return out
        return m.matmul(r, m.permute_dims(r, (1, 0)))

    assert_same(to_host(use(xp, xp.roll(x, (1, 3), axis=(0, 1)))), use(np, np.roll(a, (1, 3), axis=(0, 1))))


OWN: dict[str, Callable[[Any, Any], Any]] = {
    "a roll": lambda m, x: m.roll(x, 1, axis=0) * 2,
    "a view of an expression": lambda m, x: (x + 1)[::-1],
    "a view in an expression": lambda m, x: m.flip(x * 2, axis=1) + x,
    "a transpose": lambda m, x: m.reshape((m.reshape(x * 1, (8, 6)) + 0).T, (6, 8)),
}


@pytest.mark.parametrize("what", OWN)
def test_an_array_may_be_assigned_what_is_made_of_it(what: str) -> None:
    host, x = A.copy(), xp.asarray(A, copy=True)
    view = x[1:]
    x[...] = OWN[what](xp, x)
    host[...] = OWN[what](np, host)
    assert_same(to_host(x), host)
    assert_same(to_host(view), host[1:])


def test_a_roll_keeps_the_old_values() -> None:
    x = xp.asarray(A, copy=True)
    rolled = xp.roll(x, 1, axis=0)
    x[...] = 0
    assert_same(to_host(rolled), np.roll(A, 1, axis=0))
    y = xp.asarray(A, copy=True)
    rolled = xp.roll(y, 1, axis=0)
    rolled[...] = 5
    assert_same(to_host(y), A)


def test_a_view_of_a_view_that_has_elements_of_its_own_is_of_the_memory() -> None:
    """Also where views are not made pending."""
    for fusion in (True, False):
        x = xp.asarray(np.ones((1000, 8), "float32")) + 1
        part = x[10:20]
        to_host(part)
        assert isinstance(part._node.op, View) and part._node.op.own is not None
        with xp.config.set(fusion=fusion):
            inner = part[2:4]
            inner[...] = 7
        assert to_host(x)[12, 0] == 7 and to_host(part)[2, 0] == 7


def test_threads_that_take_views_of_one_value() -> None:
    expected = np.arange(4000, dtype="float32").reshape(1000, 4)

    def work(x: Any, number: int) -> None:
        view = x[number::8]
        view += 1
        found.append(np.array_equal(to_host(view), expected[number::8] + 2))

    for _ in range(20):
        found: list[bool] = []
        x = xp.asarray(expected) + 1
        threads = [threading.Thread(target=work, args=(x, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 8
        assert_same(to_host(x), expected + 2)


def test_a_view_that_is_given_away_is_not_computed_with_all_of_its_root() -> None:
    a = xp.asarray(np.ones((1000, 8), "float32"))
    with launches() as made:
        row = (a + 1)[10]
        memory = np.asarray(row)
    assert memory.tolist() == [2] * 8 and [launch.items <= 8 for launch in made] == [True]


@pytest.mark.parametrize("operand", [lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2]], ids=["C", "F", "strided"])
def test_one_element_of_a_reshaped_value_is_computed_alone(operand: Callable[[Any], Any]) -> None:
    """Whatever the layout of what it is made of; so does `is_lazy_array` of array-api-compat ask for it."""
    x = xp.log(xp.abs(operand(xp.asarray(A))) + 1)
    first = float(xp.reshape(x, (-1,))[0])
    assert x._node.array is None
    assert first == pytest.approx(np.log1p(np.abs(operand(A)[0, 0])), rel=1e-6)


def test_a_view_that_is_left_alone_has_its_elements_to_itself() -> None:
    x = xp.asarray(np.ones((1000, 8), "float32")) + 1
    part = x[10:20]
    to_host(part)
    del x
    part[...] = 7
    assert to_host(part[2:4]).tolist() == [[7] * 8] * 2
    part += 1
    assert to_host(part[:1]).tolist() == [[8] * 8]


MADE: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": lambda m, v: m.matmul(v * 1, m.permute_dims(v, (0, 2, 1))),
    "solve": lambda m, v: m.linalg.solve(v * 1, v[:, ::-1] + 1),
    "fft": lambda m, v: m.real(m.fft.fft(v * 1, axis=1)),
    "sort": lambda m, v: m.sort(m.permute_dims(v, (2, 0, 1)) * 1, axis=0),
    "cumulative sum": lambda m, v: m.cumulative_sum(m.permute_dims(v, (2, 0, 1)) * 1, axis=1),
    "qr": lambda m, v: m.abs(m.linalg.qr(v * 1)[1]),
}


@pytest.mark.parametrize("step", MADE)
def test_views_of_what_other_kernels_and_routines_make(step: str) -> None:
    a = RNG.random((4, 6, 6)) + 6 * np.eye(6)
    host, ours = MADE[step](np, a), MADE[step](xp, xp.asarray(a))
    flat, turned = xp.reshape(ours, (-1,)), xp.permute_dims(ours, (2, 1, 0))[1:]
    np.testing.assert_allclose(to_host(flat), host.reshape(-1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(to_host(turned), host.transpose(2, 1, 0)[1:], rtol=1e-9, atol=1e-9)
