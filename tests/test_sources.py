"""Values of sources at the first read, without elements, and written as a whole: they are NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, run_on, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

Program = Callable[[Any, Any], Any]


class Boxes:
    """A source that is no memory."""

    def __init__(self, host: Any):
        self._host, self.shape, self.dtype = host, host.shape, host.dtype

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        return self._host[key].copy()


# --- the first read of a view, in a process that has computed nothing

FIRST_READS = """
import sys
import numpy as np
import arrayapi_gpu as xp
from arrayapi_gpu.kernels.core import tuning

tuning.HOST_BLOCK = 1 << 13
HOST = np.arange(4000.0).reshape(200, 20) % 7
VALUES = {
    "sum": lambda m, x: m.sum(x, axis=0),
    "sums of rows": lambda m, x: m.sum(x, axis=1),
    "max": lambda m, x: m.max(x * 2, axis=0),
    "argmax": lambda m, x: m.argmax(x, axis=0),
    "mean": lambda m, x: m.mean(x, axis=0),
    "var": lambda m, x: m.var(x, axis=0),
    "scan": lambda m, x: m.cumulative_sum(x, axis=0),
    "scan of rows": lambda m, x: m.cumulative_sum(x, axis=1),
    "sort": lambda m, x: m.sort(x, axis=0),
    "sort of rows": lambda m, x: m.sort(x, axis=1),
    "sort of all": lambda m, x: m.sort(m.reshape(x, (-1,))),
    "product": lambda m, x: x.T @ x,
    "vector": lambda m, x: x @ x[0],
    "any": lambda m, x: m.any(x > 5, axis=0),
    "joined": lambda m, x: m.concat([x[:3], x[5:]]),
    "an expression": lambda m, x: m.sum(x, axis=0) * 2 + 1,
    "a difference": lambda m, x: x - m.mean(x, axis=0),
}
VIEWS = {
    "slice": lambda v: v[1:3],
    "steps": lambda v: v[::-2],
    "integer": lambda v: v[-1],
    "iteration": lambda v: [*v][2],
    "reshape": lambda v: v.reshape(-1)[3:9],
    "flip": lambda v: np.flip(v),
    "turned": lambda v: np.transpose(v)[:2],
    "an axis more": lambda v: v[None],
}
for results in (4, 1 << 60):
    tuning.HOST_RESULTS = results
    for value, compute in VALUES.items():
        expected = compute(np, HOST)
        for name, view in VIEWS.items():
            try:
                held = compute(xp, xp.from_host(HOST))
                seen = view(held)
                first = np.asarray(seen).copy()
                np.testing.assert_allclose(first, view(expected), err_msg="the first read", rtol=1e-12)
                np.testing.assert_array_equal(np.asarray(seen), first, "the second read")
                np.testing.assert_allclose(np.asarray(held), expected, err_msg="the whole", rtol=1e-12)
                held[...] = 1
                if getattr(view(expected), "ndim", 0):  # an element is a value
                    assert (np.asarray(seen) == 1).all(), "a write is not seen"
            except Exception as error:
                print(f"{value}, {name}, HOST_RESULTS={results}: {type(error).__name__}: {error}"[:300])
"""


def test_views_of_results_are_right_at_the_first_read_in_a_fresh_process(device: Device) -> None:
    done = run_on(device, FIRST_READS)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


ONE: dict[str, Program] = {
    "of sums": lambda m, x: m.sum(x, axis=1)[5],
    "of sums, with an axis": lambda m, x: m.sum(x, axis=1)[5:6],
    "of an expression": lambda m, x: (x * 2)[3, 4] + m.sum(x, axis=1)[3],
    "of a scan": lambda m, x: m.cumulative_sum(x, axis=1)[3, -1],
    "of a sort": lambda m, x: m.sort(x, axis=1)[3, 4] + 1,
    "of a product": lambda m, x: (x @ x[0])[7],
    "of a cast": lambda m, x: m.astype(m.sum(x, axis=1)[5], m.int32),
}


@pytest.mark.parametrize("held", [False, True], ids=["alone", "of a value that is held"])
def test_one_element_needs_no_more_than_it_is_made_of(device: Device, held: bool) -> None:
    """It cannot be cut, and was refused where all that its root is made of does not fit."""
    host, kept, wrong = np.arange(40_000.0).reshape(400, 100) % 7, [], []
    xp.sync()
    device.trim()
    with xp.config.set(memory_limit=device.live_bytes + (80 << 10)):
        for name, program in ONE.items():
            x = xp.from_host(Boxes(host), device=device)
            kept.append((x, xp.sum(x, axis=1)) if held else None)
            try:
                np.testing.assert_array_equal(np.asarray(program(xp, x)), program(np, host))
            except Exception as error:
                wrong.append(f"{name}: {error}"[:200])
    assert not wrong, "\n".join(wrong)


# --- extents of zero

EMPTY: dict[str, Program] = {
    "an operation": lambda m, x: m.astype(x, np.float32) + 1,
    "where": lambda m, x: m.where(x > 0, x, 1),
    "a slice": lambda m, x: x[..., ::-1] * 2,
    "a row": lambda m, x: (x + 1)[:1],
    "turned": lambda m, x: (x + 1).mT * 2,
    "reshaped": lambda m, x: m.reshape(x + 1, (-1,)),
    "broadcast": lambda m, x: m.broadcast_to(x + 1, (2, *x.shape)) * 2,
    "rolled": lambda m, x: m.roll(x + 1, 1, axis=0) + m.roll(x, 2),
    "a sum": lambda m, x: m.sum(x + 1),
    "sums": lambda m, x: m.sum(x, axis=0) + m.prod(x * 2, axis=0),
    "sums of rows": lambda m, x: m.sum(x * 2, axis=-1, keepdims=True),
    "any": lambda m, x: m.any(x > 0, axis=0),
    "all": lambda m, x: m.all(x > 0, axis=-1),
    "a count": lambda m, x: m.count_nonzero(x, axis=-1),
    "max": lambda m, x: m.max(x, axis=0),
    "argmax": lambda m, x: m.argmax(x, axis=-1),
    "mean": lambda m, x: m.mean(x, axis=0),
    "var": lambda m, x: m.var(x, axis=-1),
    "scan": lambda m, x: m.cumulative_sum(x + 1, axis=0),
    "scan, initial": lambda m, x: m.cumulative_prod(x + 1, axis=-1, include_initial=True),
    "scan, initial first": lambda m, x: m.cumulative_sum(x, axis=0, include_initial=True),
    "sort": lambda m, x: m.sort(x + 1, axis=0),
    "argsort": lambda m, x: m.argsort(x, axis=-1),
    "a product": lambda m, x: (x + 1) @ (x + 1).mT,
    "a turned product": lambda m, x: x.mT @ x,
    "a vector": lambda m, x: x @ x[0],
    "tensordot": lambda m, x: m.tensordot(x, x, axes=((0,), (0,))),
    "vecdot": lambda m, x: m.vecdot(x, x),
    "joined": lambda m, x: m.concat([x, x + 1]) * 2,
    "joined beside": lambda m, x: m.concat([x, x * 2], axis=-1) + 1,
    "joined with more": lambda m, x: m.concat([x, m.ones((2, *x.shape[1:]), dtype=x.dtype)]) * 2,
    "a stack": lambda m, x: m.stack([x, x + 1]),
    "a mask": lambda m, x: (x + 1)[x + 1 < 5],
    "places": lambda m, x: m.take(x + 1, m.asarray([], dtype=m.int64), axis=0),
    "unique": lambda m, x: m.unique_values(x),
    "repeat": lambda m, x: m.repeat(x, 2, axis=-1),
    "standardised": lambda m, x: x - m.mean(x, axis=-1, keepdims=True),
}
EMPTY_SHAPES = ((0,), (5, 0), (0, 5), (0, 0), (1, 0), (4, 0, 3), (0, 4, 3), (4, 3, 0))


@pytest.mark.parametrize("shape", EMPTY_SHAPES, ids=str)
def test_extents_of_zero(device: Device, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What NumPy refuses is refused. The values of the rest are NumPy's."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 64)
    host, wrong = np.zeros(shape), []
    for results, source in ((4, Boxes), (1 << 60, np.asarray)):
        monkeypatch.setattr(tuning, "HOST_RESULTS", results)
        for name, program in EMPTY.items():
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = program(np, host)
                except (ValueError, IndexError):
                    expected = None
            try:
                got = to_host(program(xp, xp.from_host(source(host), device=device)))
            except (ValueError, IndexError) as error:
                if expected is not None:
                    wrong.append(f"{name}: {error}")
                continue
            except Exception as error:
                wrong.append(f"{name}: {error!r}")
                continue
            if expected is None or got.shape != expected.shape or not np.array_equal(got, expected, equal_nan=True):
                wrong.append(f"{name}: {got!r}, NumPy {expected!r}")
    assert not wrong, "\n".join(wrong)


# --- writes to all elements of what does not fit


def _mask_of_all(y: Any) -> None:
    y[y == y] = 4


def _own_rows(y: Any) -> None:
    y[...] = y[::-1] + 0


WHOLE: dict[str, Callable[[Any], Any]] = {
    "[...] = a number": lambda y: y.__setitem__(..., 0),
    "[:] = a number": lambda y: y.__setitem__(slice(None), 7),
    "[:, :] = a number": lambda y: y.__setitem__((slice(None), slice(None)), 7.5),
    "[0:] = a number": lambda y: y.__setitem__(slice(0, None), 2),
    "[...] = a row": lambda y: y.__setitem__(..., _like(y, np.arange(30.0, dtype=np.float32))),
    "[...] = a column": lambda y: y.__setitem__(..., _like(y, np.arange(200.0, dtype=np.float32)[:, None])),
    "[...] = an array": lambda y: y.__setitem__(..., _like(y, sample("float32", (200, 30), 9))),
    "[...] = an array of zero axes": lambda y: y.__setitem__(..., _like(y, np.float32(3))),
    "[...] = an array of NumPy": lambda y: y.__setitem__(..., np.array([[1.5]], np.float32)),
    "[...] = its own rows": _own_rows,
    "fill": lambda y: y.fill(3),
    "*= 0": lambda y: y.__imul__(0),
    "-= itself": lambda y: y.__isub__(y),
    "a mask of all": _mask_of_all,
    "a mask of True": lambda y: y.__setitem__(_like(y, np.ones((200, 30), bool)), 6),
    "copyto": lambda y: np.copyto(y, 8),
    "out": lambda y: np.add(_like(y, np.float32(1)), 2, out=y),
}


def _like(y: Any, host: Any) -> Any:
    return host if isinstance(y, np.ndarray) else xp.asarray(host, device=y.device)


@pytest.fixture(params=["pending", "computed", "a view is held"])
def state(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["memory", "boxes, apart"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def little(kind: str, device: Device) -> Iterator[Device]:
    """A device on which a result of 24,000 bytes does not fit, and more is taken already than there is room for."""
    twin = apart_twin(device) if "apart" in kind and device.host_shared else device
    taken = xp.empty(1_500_000, dtype=xp.uint8, device=twin)
    xp.sync(taken)
    xp.sync()
    twin.trim()
    with xp.config.set(memory_limit=twin.live_bytes + (80 << 10)):
        yield twin
    del taken


def test_whole_writes_to_what_does_not_fit(little: Device, state: str, kind: str) -> None:
    wrong = []
    host = sample("float32", (200, 30), 1)
    for name, write in WHOLE.items():
        y, expected = xp.from_host(Boxes(host) if "boxes" in kind else host, device=little) * 2, host * 2
        before = y + 1
        views = [(y[3:9], expected[3:9]), (y.reshape(-1)[5:], expected.reshape(-1)[5:])] if "view" in state else []
        if state == "computed":
            xp.sync(y)
        try:
            write(y)
            write(expected)
            for found, right in [(y, expected), *views, (before, host * 2 + 1)]:
                for _ in range(2):
                    assert_same(to_host(found), right)
            assert float(xp.sum(y)) == pytest.approx(float(expected.sum(dtype=np.float64)), rel=1e-4, abs=1e-2)
            y[2:4] += 1
            expected[2:4] += 1
            assert_same(to_host(y), expected)
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}"[:300])
    assert not wrong, "\n".join(wrong)


def test_a_value_of_numbers_alone_is_computed_in_blocks(little: Device) -> None:
    """Each read was MemoryError. What was written is read from nowhere, and takes room all the same."""
    with xp.config.set(memory_limit=little.live_bytes + (1 << 20)):
        y = xp.from_host(np.ones((1100, 125)), device=little) * 2  # more bytes than the limit
        xp.sync(y)
        y[...] = 0
        assert float(xp.sum(y)) == 0 and float(y[3, 3]) == 0
        y[5] = 2
        assert float(xp.sum(y)) == 250 and float(xp.sum(y, axis=0)[3]) == 2


def test_stacks_of_small_products_are_multiplied_as_many_as_there_is_room_for(little: Device) -> None:
    host = np.arange(1800.0).reshape(60, 2, 15) % 7
    x = xp.from_host(Boxes(host), device=little)
    assert_same(to_host(x.mT @ x), host.mT @ host)
