"""Writes to results that do not fit the device, and to views of them: what NumPy makes of the same program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

SHAPE = 12, 5, 4

# Views, which share memory with what they are made of.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x[2:9],
    "a row": lambda x: x[3],
    "an element": lambda x: x[1, 2, 3, ...],
    "a part of each row": lambda x: x[:, 1:4],
    "a box": lambda x: x[1:7, :3, 2:],
    "one dimension": lambda x: x.reshape(-1),
    "in other rows": lambda x: x.reshape(24, 10),
    "rows of other rows": lambda x: x.reshape(60, 4)[7:31],
    "all": lambda x: x[...],
    "an axis more": lambda x: x[:, None],
    "every third row": lambda x: x[1::3],
}


# Views in another order than that of the memory.
OTHERS: dict[str, Callable[[Any], Any]] = {
    "back": lambda x: x[::-1],
    "steps": lambda x: x[:, ::2],
    "turned": lambda x: x.mT,
    "steps of other rows": lambda x: x.reshape(24, 10)[::5, 1:],
    "elements of the turned": lambda x: x.reshape(60, 4).T[1:3, 1:],
}


def _add(x: Any) -> None:
    x += 1


def _multiply_rows(x: Any) -> None:
    x[1:5] *= 2


def _last(x: Any) -> None:
    x[-1] = 7


def _of_itself(x: Any) -> None:
    x[1:4] = x[:3]


def _masked(x: Any) -> None:
    x[x > 1] = 0


# Writes to an array, of three dimensions or to one of its views, which may have fewer.
WRITES: dict[str, Callable[[Any], None]] = {
    "all": _add,
    "rows": _multiply_rows,
    "the last": _last,
    "rows of its own": _of_itself,
    "a mask": _masked,
}


@pytest.fixture
def twin(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device with memory of its own for which every result is too large, read in small blocks."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    monkeypatch.setattr(tuning, "HOST_BLOCK", 200)
    return apart_twin(device) if device.host_shared else device


def result(device: Device, seed: int, computed: bool) -> tuple[xp.Array, Any]:
    """A result in host memory, or one that will be there, and the same as a NumPy array."""
    host = sample("float32", SHAPE, seed)
    x = xp.from_host(host, device=device) * 2
    if computed:
        xp.sync(x)
    return x, host * 2


@pytest.mark.parametrize("fits", [False, True], ids=["too large", "fits"])
@pytest.mark.parametrize("state", ["pending", "computed", "the view computed"])
@pytest.mark.parametrize(
    ("view", "write"), [(view, write) for view in VIEWS for write in WRITES if view != "an element" or write == "all"]
)
def test_views_and_what_they_are_of_see_writes_to_each_other(
    twin: Device, view: str, write: str, state: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fits:
        monkeypatch.setattr(tuning, "HOST_RESULTS", 1)
    for through_view in (False, True):
        x, host = result(twin, len(view), state == "computed")
        seen, expected = VIEWS[view](x), VIEWS[view](host)
        before, old = x + 1, host + 1
        if state == "the view computed":
            xp.sync(seen)
        WRITES[write](seen if through_view else x)
        if through_view and expected.ndim == 0:
            host[1, 2, 3] += 1
            expected = host[1, 2, 3]
        else:
            WRITES[write](expected if through_view else host)
            expected = VIEWS[view](host)
        for found, right in ((x, host), (seen, expected), (before, old)):
            assert_same(to_host(found), np.asarray(right))


@pytest.mark.parametrize("fits", [False, True], ids=["too large", "fits"])
@pytest.mark.parametrize("seed", range(30))
def test_programs_of_writes_and_views(twin: Device, seed: int, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if fits:
        monkeypatch.setattr(tuning, "HOST_RESULTS", 1)
    rng = np.random.default_rng(seed)
    pairs = [result(twin, seed, bool(seed % 2))]
    views = {name: view for name, view in {**VIEWS, **OTHERS}.items() if name != "an element"}

    def one_of(table: Any) -> Any:
        return [*table][int(rng.integers(len(table)))]

    for _ in range(20):
        k = int(rng.integers(len(pairs)))
        x, host = pairs[k]
        choice = rng.integers(6)
        if choice == 0 and x.shape == SHAPE:
            view = views[one_of(views)]
            pairs.append((view(x), view(host)))
        elif choice == 1 and len(pairs) > 1:
            del pairs[k]
        elif choice == 2:
            xp.sync(x)
        elif choice == 3:
            pairs.append((x + 1, host + 1))
        elif x.shape[0] > 4:
            other, others = one_of([pair for pair in pairs if pair[0].shape == x.shape])
            write = WRITES[one_of(WRITES)]
            try:
                x.__setitem__(..., other) if choice == 4 else write(x)
            except ValueError as error:
                assert "takes steps or turns axes" in str(error)
                continue
            host.__setitem__(..., others) if choice == 4 else write(host)
        del x, host  # what nobody holds does not count
    for x, host in pairs:
        assert_same(to_host(x), host)


def _rows(x: Any) -> None:
    for k in range(700):
        x[k] = k


def _columns(x: Any) -> None:
    for k in range(60):
        x[:, k % 3] = k


def _in_turn(x: Any) -> None:
    for k in range(60):
        x[k : k + 5] *= 2
        x -= 1


@pytest.mark.parametrize("write", [_rows, _columns, _in_turn])
@pytest.mark.parametrize("computed", [False, True], ids=["pending", "computed"])
def test_many_writes_are_no_deep_expression(twin: Device, write: Callable[[Any], None], computed: bool) -> None:
    host = sample("float32", (700, 3), 4)
    x = xp.from_host(host, device=twin) * 1
    if computed:
        xp.sync(x)
    write(x)
    write(host)
    assert_same(to_host(x), host)


@pytest.mark.parametrize("write", WRITES)
def test_writes_to_what_is_computed_wait(twin: Device, write: str) -> None:
    x, host = result(twin, 3, True)
    with xp.record() as launches:
        WRITES[write](x)
        assert not launches
    WRITES[write](host)
    assert_same(to_host(x), host)


@pytest.mark.parametrize("computed", [False, True], ids=["pending", "computed"])
@pytest.mark.parametrize("view", OTHERS)
def test_views_in_other_orders_see_writes_and_refuse_them(twin: Device, view: str, computed: bool) -> None:
    x, host = result(twin, len(view), computed)
    seen, expected = OTHERS[view](x), OTHERS[view](host)
    refused = r"takes steps or turns axes; allowed: to write to the array that it is a view of"
    with pytest.raises(ValueError, match=refused):
        seen += 1
    for write in WRITES.values():
        write(x)
        write(host)
        assert_same(to_host(seen), expected)
    assert_same(to_host(x), host)
    del x
    seen += 1
    assert_same(to_host(seen), expected + 1)


def test_what_numpy_copies_is_a_copy(twin: Device) -> None:
    x, host = result(twin, 5, True)
    back, turned = x[::-1], host[::-1]
    copy, expected = back.reshape(60, 4), turned.reshape(60, 4)
    part = copy[3:20]
    xp.sync(part)
    x += 1
    copy[5:7] *= 2
    expected[5:7] *= 2
    for one, other in ((copy, expected), (part, expected[3:20]), (x, host + 1), (back, turned + 1)):
        assert_same(to_host(one), other)


# Writes that are not done in host memory.
REFUSED: dict[str, Callable[[Any], Any]] = {
    "integers": lambda x: x.__setitem__(xp.asarray([1, 2], device=x.device), 0),
    "steps": lambda x: x.__setitem__(slice(None, None, 2), 0),
    "add_at": lambda x: xp.add_at(x, xp.asarray([1, 1], device=x.device), 1),
}


@pytest.mark.parametrize("write", REFUSED.values(), ids=REFUSED)
def test_other_writes_are_refused(twin: Device, write: Callable[[Any], Any]) -> None:
    x, host = result(twin, 2, True)
    with pytest.raises(ValueError, match=r"a result in host memory.*allowed"):
        write(x)
    assert_same(to_host(x), host)
    operand = xp.from_host(host, device=twin)
    with pytest.raises(ValueError, match=r"only read.*x = x \+ y"):
        write(operand)
