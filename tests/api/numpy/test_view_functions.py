"""The views that NumPy has beside the standard's: their values, their errors, and that they are views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(48.0).reshape(4, 3, 4)

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "split": lambda lib, x: lib.split(x, 2),
    "split by indices": lambda lib, x: lib.split(x, [1, 2, 9], axis=2),
    "split by an array of indices": lambda lib, x: lib.split(x, np.array([1, -1]), -1),
    "array_split": lambda lib, x: lib.array_split(x, 3),
    "array_split by more than there are": lambda lib, x: lib.array_split(x, 6, axis=-1),
    "array_split by indices backwards": lambda lib, x: lib.array_split(x, (3, 1)),
    "hsplit": lambda lib, x: lib.hsplit(x, 3),
    "hsplit of a vector": lambda lib, x: lib.hsplit(x[0, 0], 2),
    "vsplit": lambda lib, x: lib.vsplit(x, 4),
    "dsplit": lambda lib, x: lib.dsplit(x, [1]),
    "rollaxis": lambda lib, x: [lib.rollaxis(x, a, s) for a in range(-3, 3) for s in range(-3, 4)],
    "fliplr": lambda lib, x: lib.fliplr(x),
    "flipud": lambda lib, x: lib.flipud(x),
    "rot90": lambda lib, x: [lib.rot90(x, k) for k in range(-5, 6)],
    "rot90 of other axes": lambda lib, x: [lib.rot90(x, k, (2, 0)) for k in range(4)],
    "atleast_1d": lambda lib, x: [lib.atleast_1d(y) for y in (x, x[0], x[0, 0], x[0, 0, 0, ...])],
    "atleast_2d": lambda lib, x: [lib.atleast_2d(y) for y in (x, x[0], x[0, 0], x[0, 0, 0, ...])],
    "atleast_3d": lambda lib, x: lib.atleast_3d(x, x[0], x[0, 0], x[0, 0, 0, ...]),
    "meshgrid": lambda lib, x: lib.meshgrid(x[0, 0], x[:, 0, 0], copy=False),
    "real and imag": lambda lib, x: [lib.real(x), lib.imag(x)],
    "diag": lambda lib, x: [lib.diag(x[0], k) for k in range(-3, 5)],
}  # fmt: skip


@pytest.mark.parametrize("lib", [xp, np], ids=["xp", "np"])
@pytest.mark.parametrize("name", CALLS)
def test_they_give_what_numpy_gives_and_stay_on_the_device(name: str, lib: Any) -> None:
    with xp.record() as made:
        got = CALLS[name](lib, xp.asarray(A))
    assert not [launch for launch in made if launch.copied]
    results, expected = (x if isinstance(x, (list, tuple)) else [x] for x in (got, CALLS[name](np, A)))
    for one, right in zip(results, expected, strict=True):
        assert isinstance(one, xp.Array)
        np.testing.assert_array_equal(one.to_numpy(), right, strict=True)


ERRORS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "parts that differ": (lambda x: xp.split(x, 3), "split: 3 parts of an axis of 4 elements"),
    "no parts": (lambda x: xp.array_split(x, 0), "array_split: got 0 parts"),
    "no columns": (lambda x: xp.hsplit(x[0, 0, 0], 1), "hsplit: the array has 0 axes"),
    "no rows": (lambda x: xp.vsplit(x[0, 0], 1), "vsplit: the array has 1 axes"),
    "no depth": (lambda x: xp.dsplit(x[0], 1), "dsplit: the array has 2 axes"),
    "one axis": (lambda x: xp.fliplr(x[0, 0]), "fliplr: the array has 1 axes"),
    "no axes": (lambda x: xp.flipud(x[0, 0, 0]), "flipud: the array has 0 axes"),
    "one axis to turn": (lambda x: xp.rot90(x, 1, (0,)), "rot90: axes=\\(0,\\)"),  # type: ignore[arg-type]
    "an axis too far": (lambda x: xp.rollaxis(x, 0, 4), "rollaxis: axis 4 is out of range"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_name_the_function(name: str) -> None:
    call, text = ERRORS[name]
    with pytest.raises(ValueError, match=text):
        call(xp.asarray(A))


COMPLEX = A + 1j


@pytest.mark.parametrize("state", ["in memory", "pending", "a view"])
@pytest.mark.parametrize("part", ["real", "imag"])
def test_parts_of_complex_numbers_are_views(part: str, state: str) -> None:
    x, host = xp.asarray(COMPLEX), COMPLEX.copy()
    if state == "pending":
        x = x * 2
        host = host * 2
    if state == "a view":
        x, host = xp.permute_dims(x, (2, 1, 0))[1:], host.transpose(2, 1, 0)[1:]
    seen, right = getattr(x, part)[:, ::-2], getattr(host, part)[:, ::-2]
    seen[0] = 7.0
    right[0] = 7.0
    np.testing.assert_array_equal(x.to_numpy(), host)
    x *= 3.0
    host *= 3.0
    np.testing.assert_array_equal(seen.to_numpy(), right)
    np.testing.assert_array_equal((seen + 1).to_numpy(), right + 1)


def test_the_parts_of_a_pending_value_are_one_launch() -> None:
    x = xp.asarray(COMPLEX)
    xp.compute(x)
    with xp.record() as made:
        y = (x * xp.conj(x)).real + 1
        xp.compute(y)
    assert len(made) == 1
    np.testing.assert_array_equal(y.to_numpy(), (COMPLEX * COMPLEX.conj()).real + 1)


# --- views that refuse writes

FIXED: dict[str, Callable[[Any], Any]] = {
    "broadcast_to": lambda x: xp.broadcast_to(x, (2, *x.shape)),
    "broadcast_to of one shape": lambda x: xp.broadcast_to(x, x.shape),
    "broadcast_to of one element": lambda x: xp.broadcast_to(xp.ones(1), (3,)),
    "np.broadcast_to": lambda x: np.broadcast_to(x, x.shape),
    "broadcast_arrays": lambda x: xp.broadcast_arrays(x, xp.ones((2, *x.shape)))[0],
    "meshgrid": lambda x: xp.meshgrid(x[0], x[1], copy=False)[1],
    "a view of it": lambda x: xp.broadcast_to(x, (2, *x.shape))[0, 1:].T,
    "diagonal": lambda x: xp.linalg.diagonal(x),
    "np.diagonal": lambda x: np.diagonal(x),
    "imag": lambda x: x.imag,
    "windows": lambda x: xp.lib.stride_tricks.sliding_window_view(x, (1, 1)),
}

CHANGES: dict[str, Callable[[Any], Any]] = {
    "an element": lambda t: t.__setitem__((0,) * t.ndim, 5.0),
    "all": lambda t: t.__setitem__(..., 5.0),
    "in place": lambda t: t.__iadd__(1.0),
    "a mask": lambda t: t.__setitem__(t == t, 5.0),
    "indices": lambda t: t.__setitem__([0], 5.0),
    "out": lambda t: np.add(t, 1.0, out=t),
    "fill": lambda t: t.fill(1.0),
    "add_at": lambda t: xp.add_at(t, (xp.asarray([0]),), 1.0),
}


@pytest.mark.parametrize("pending", [False, True], ids=["in memory", "pending"])
@pytest.mark.parametrize("held", [False, True], ids=["not held", "held"])
@pytest.mark.parametrize("name", FIXED)
def test_some_views_refuse_writes(name: str, held: bool, pending: bool) -> None:
    for change in CHANGES.values():
        x = xp.asarray(A[0, :3, :3])
        x = x + 1 if pending else x
        t = FIXED[name](x)
        before = FIXED[name](x).to_numpy()
        if not held:
            del x
        with pytest.raises(ValueError, match="read-only"):
            change(t)
        np.testing.assert_array_equal(t.to_numpy(), before)


def test_the_methods_of_real_arrays_give_the_array() -> None:
    x: Any = xp.asarray(A)
    assert x.real is x and x.conj() is x and x.conjugate() is x and xp.real(x) is x
    assert xp.conj(x) is not x
