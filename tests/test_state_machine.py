"""Random programs, run here and with NumPy side by side: the test that guards mutation, views and fusion.

A program makes arrays, views of them and expressions over them, writes through any of them, in whole or in part,
deletes some and reads others. Whatever is read, and in the end everything, equals NumPy's, bit by bit. Programs stick
to operations whose bits the standard settles. ``--programs N`` runs N programs a device instead of a handful.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    multiple,
    rule,
    run_state_machine_as_test,
)
from support import DTYPES, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends import default_device
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from conformance.campaign.spills import all_moves

HostArray = np.ndarray[Any, Any]
STEPS = 40
SHAPES: list[tuple[int, ...]] = [(), (7,), (40,), (4, 5), (4, 1), (1, 5), (2, 4, 5), (3, 16), (0, 5)]

BINARY: list[Callable[[Any, Any, Any], Any]] = [
    lambda np_, a, b: a + b,
    lambda np_, a, b: a - b,
    lambda np_, a, b: np_.maximum(np_.real(a), np_.real(b)) + 0,  # so that zeros are alike
    lambda np_, a, b: np_.where(a == b, a, b),
    lambda np_, a, b: np_.where(b != 0, -a, a + b),
    lambda np_, a, b: a != b,
]
UNARY: list[Callable[[Any, Any], Any]] = [
    lambda np_, a: a + a,
    lambda np_, a: -a,
    lambda np_, a: 3 - a,
    lambda np_, a: np_.real(a) + 0,
    lambda np_, a: np_.where(a != 1, a, 1),
    lambda np_, a: np_.abs(np_.imag(a)),
]
IN_PLACE = [operator.iadd, operator.isub]
VIEWS: list[Callable[[Any, Any], Any]] = [
    lambda np_, a: a[(slice(None, None, -1),) * a.ndim + (...,)],
    lambda np_, a: np_.permute_dims(a, tuple(reversed(range(a.ndim)))),
    lambda np_, a: np_.reshape(a, (-1,)),
    lambda np_, a: np_.expand_dims(a, axis=0),
    lambda np_, a: np_.reshape(a, a.shape),
]
COPIES: list[Callable[[Any, Any], Any]] = [
    lambda np_, a: a.copy(),
    lambda np_, a: np_.concat([a, a], axis=None),
    lambda np_, a: np_.roll(a, 3),
    lambda np_, a: np_.asarray(a, copy=True),
    lambda np_, a: np_.sum(a, axis=()) + 0 if a.dtype.kind != "b" else a.copy(),
]
EXACT_REDUCTIONS = ["max", "min", "any", "all", "argmax", "argmin", "count_nonzero"]


class Variable:
    """A name in the program: our array and NumPy's."""

    def __init__(self, ours: Any, theirs: Any):
        self.ours = ours
        self.theirs = np.asarray(theirs)


class Program(RuleBasedStateMachine):
    """One random program."""

    variables = Bundle("variables")

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[Variable] = []
        self.shared: list[tuple[HostArray, HostArray]] = []

    def _keep(self, ours: Any, theirs: Any) -> Variable:
        variable = Variable(ours, theirs)
        assert ours.shape == variable.theirs.shape
        assert ours.dtype == variable.theirs.dtype
        self.alive.append(variable)
        return variable

    def _both(self, function: Callable[..., Any], *variables: Any) -> Variable | None:
        """Run a function on both sides; where NumPy refuses, so do we."""
        with np.errstate(all="ignore"):
            try:
                theirs = function(np, *[v.theirs if isinstance(v, Variable) else v for v in variables])
            except (TypeError, ValueError, OverflowError):
                with pytest.raises((TypeError, ValueError, OverflowError)):
                    function(xp, *[v.ours if isinstance(v, Variable) else v for v in variables])
                return None
        return self._keep(function(xp, *[v.ours if isinstance(v, Variable) else v for v in variables]), theirs)

    # --- arrays ---

    @initialize(
        target=variables, first=st.sampled_from(DTYPES), second=st.sampled_from(DTYPES), shape=st.sampled_from(SHAPES)
    )
    def start(self, first: str, second: str, shape: tuple[int, ...]) -> Any:
        self.dtypes = (first, second)
        return self.upload(0, shape, 0)

    @rule(target=variables, which=st.sampled_from([0, 0, 0, 1]), shape=st.sampled_from(SHAPES), seed=st.integers(0, 9))
    def upload(self, which: int, shape: tuple[int, ...], seed: int) -> Variable:
        host = sample(self.dtypes[which], shape, seed)
        return self._keep(xp.asarray(host), host)

    @rule(target=variables, shape=st.sampled_from(SHAPES))
    def share(self, shape: tuple[int, ...]) -> Variable:
        host, theirs = sample(self.dtypes[0], shape, 5), sample(self.dtypes[0], shape, 5)
        if not default_device().host_shared or not host.size:
            return self._keep(xp.asarray(host), theirs)
        self.shared.append((host, theirs))
        return self._keep(xp.asarray(host, copy=False), theirs)

    @rule(target=variables, shape=st.sampled_from(SHAPES), value=st.integers(0, 3))
    def fill(self, shape: tuple[int, ...], value: int) -> Variable:
        dtype = self.dtypes[0]
        return self._keep(xp.full(shape, value, dtype=getattr(xp, dtype)), np.full(shape, value, dtype))

    @rule(target=variables, n=st.sampled_from([5, 7, 40]))
    def count(self, n: int) -> Variable:
        dtype = "int64" if self.dtypes[0] == "bool" else self.dtypes[0]
        return self._keep(xp.arange(n, dtype=getattr(xp, dtype)), np.arange(n, dtype=dtype))

    # --- views and copies ---

    @rule(target=variables, of=variables, change=st.sampled_from(VIEWS))
    def view(self, of: Variable, change: Callable[..., Any]) -> Any:
        return self._both(change, of) or multiple()

    @rule(target=variables, of=variables, data=st.data())
    def slice(self, of: Variable, data: st.DataObject) -> Variable:
        key = self._key(of, data)
        return self._keep(of.ours[key], of.theirs[key])

    @rule(target=variables, of=variables, change=st.sampled_from(COPIES))
    def copy(self, of: Variable, change: Callable[..., Any]) -> Any:
        return self._both(change, of) or multiple()

    @rule(target=variables, of=variables)
    def alias(self, of: Variable) -> Variable:
        variable = Variable(of.ours, of.theirs)
        variable.theirs = of.theirs
        self.alive.append(variable)
        return variable

    # --- expressions ---

    @rule(target=variables, a=variables, b=variables, expression=st.sampled_from(BINARY))
    def combine(self, a: Variable, b: Variable, expression: Callable[..., Any]) -> Any:
        return self._both(expression, a, b) or multiple()

    @rule(target=variables, a=variables, expression=st.sampled_from(UNARY))
    def change(self, a: Variable, expression: Callable[..., Any]) -> Any:
        return self._both(expression, a) or multiple()

    @rule(target=variables, a=variables)
    def convert(self, a: Variable) -> Any:
        dtype = self.dtypes[1]
        if not _converts(a.theirs.dtype, dtype):
            return multiple()
        with np.errstate(all="ignore"):
            return self._keep(xp.astype(a.ours, getattr(xp, dtype)), a.theirs.astype(dtype))

    @rule(target=variables, a=variables, name=st.sampled_from(EXACT_REDUCTIONS), data=st.data())
    def reduce(self, a: Variable, name: str, data: st.DataObject) -> Any:
        if a.theirs.dtype.kind == "c" and name not in ("any", "all", "count_nonzero"):
            return multiple()
        axis = data.draw(st.sampled_from([None, *range(-a.theirs.ndim, a.theirs.ndim)]))
        keepdims = data.draw(st.booleans())
        return self._both(lambda np_, x: getattr(np_, name)(x, axis=axis, keepdims=keepdims) + 0, a) or multiple()

    @rule(target=variables, a=variables)
    def add_up(self, a: Variable) -> Any:
        if a.theirs.dtype.kind in "biu":
            return self._keep(xp.sum(a.ours, axis=()) * 1 if not a.theirs.ndim else xp.sum(a.ours), np.sum(a.theirs))
        wide = a.theirs.astype("complex128")
        if np.all(np.abs(wide) < 1e4):
            room = a.theirs.size * float(np.finfo(a.theirs.dtype).eps) * float(np.sum(np.abs(wide)))
            assert abs(complex(xp.sum(a.ours)) - complex(np.sum(wide))) <= room
        return multiple()

    @rule(target=variables, of=variables, data=st.data())
    def gather(self, of: Variable, data: st.DataObject) -> Any:
        if not of.theirs.ndim or not of.theirs.shape[0]:
            return multiple()
        key = data.draw(self._places(of))
        return self._keep(of.ours[key], of.theirs[key])

    @rule(target=variables, of=variables, mask=variables)
    def pick(self, of: Variable, mask: Variable) -> Any:
        if (
            mask.theirs.dtype.kind != "b"
            or not mask.theirs.ndim
            or mask.theirs.shape != of.theirs.shape[: mask.theirs.ndim]
        ):
            return multiple()
        return self._keep(of.ours[mask.ours], of.theirs[mask.theirs])

    # --- writes ---

    @rule(a=variables, b=variables, operation=st.sampled_from(IN_PLACE))
    def in_place(self, a: Variable, b: Variable, operation: Callable[[Any, Any], Any]) -> None:
        self._write(a, lambda side: operation(side(a), side(b)))

    @rule(a=variables, operation=st.sampled_from(IN_PLACE), scalar=st.sampled_from([1, 2]))
    def in_place_scalar(self, a: Variable, operation: Callable[[Any, Any], Any], scalar: int) -> None:
        self._write(a, lambda side: operation(side(a), scalar))

    @rule(a=variables, value=st.sampled_from([0, 1, True]), data=st.data())
    def set_scalar(self, a: Variable, value: Any, data: st.DataObject) -> None:
        key = self._key(a, data)
        self._write(a, lambda side: operator.setitem(side(a), key, value))

    @rule(a=variables, b=variables, data=st.data())
    def set_array(self, a: Variable, b: Variable, data: st.DataObject) -> None:
        if _converts(b.theirs.dtype, a.theirs.dtype):
            key = self._key(a, data)
            self._write(a, lambda side: operator.setitem(side(a), key, _read_first(side(b))))

    @rule(a=variables, data=st.data())
    def set_part_to_part(self, a: Variable, data: st.DataObject) -> None:
        """Both from one array: they may overlap."""
        if a.theirs.ndim and a.theirs.shape[0] > 1:
            n = data.draw(st.integers(1, a.theirs.shape[0] - 1))
            step = data.draw(st.sampled_from([1, -1]))
            to, source = data.draw(st.permutations([slice(n, None), slice(None, a.theirs.shape[0] - n)]))
            self._write(a, lambda side: operator.setitem(side(a), to, _read_first(side(a)[source][::step])))

    @rule(a=variables, value=st.sampled_from([0, 1]), data=st.data())
    def scatter_scalar(self, a: Variable, value: int, data: st.DataObject) -> None:
        if a.theirs.ndim and a.theirs.shape[0]:
            key = data.draw(self._places(a))
            self._write(a, lambda side: operator.setitem(side(a), key, value))

    @rule(a=variables, b=variables, data=st.data())
    def scatter_array(self, a: Variable, b: Variable, data: st.DataObject) -> None:
        if a.theirs.ndim and a.theirs.shape[0] and _converts(b.theirs.dtype, a.theirs.dtype):
            key = data.draw(self._places(a))
            self._write(a, lambda side: operator.setitem(side(a), key, side(b)))

    @rule(a=variables, b=variables)
    def set_where(self, a: Variable, b: Variable) -> None:
        if a.theirs.ndim and b.theirs.shape == a.theirs.shape:
            self._write(a, lambda side: operator.setitem(side(a), side(b) != 0, 1))

    # --- the end of things ---

    @rule(a=consumes(variables))
    def delete(self, a: Variable) -> None:
        self.alive.remove(a)
        a.ours = None
        a.theirs = np.empty(0)

    @rule(a=variables)
    def read(self, a: Variable) -> None:
        assert_same(to_host(a.ours), a.theirs)

    @rule()
    def collect_garbage(self) -> None:
        gc.collect()

    def teardown(self) -> None:
        for variable in self.alive:
            assert_same(to_host(variable.ours), variable.theirs)
        for host, theirs in self.shared:
            assert_same(host, theirs)

    # --- drawing ---

    def _key(self, of: Variable, data: st.DataObject) -> Any:
        """A basic key, with an Ellipsis, so that NumPy gives a view even of one element."""
        key = data.draw(hnp.basic_indices(of.theirs.shape, allow_ellipsis=False, allow_newaxis=False))
        return (*key, ...) if isinstance(key, tuple) else (key, ...)

    def _places(self, of: Variable) -> st.SearchStrategy[Any]:
        n = of.theirs.shape[0]
        return st.lists(st.integers(-n, n - 1), min_size=1, max_size=5).map(np.array)

    def _write(self, a: Variable, action: Callable[[Callable[[Variable], Any]], Any]) -> None:
        """Write on both sides; where NumPy refuses, so do we, and nothing changes."""
        with np.errstate(all="ignore"):
            try:
                action(lambda v: v.theirs)
            except (TypeError, ValueError, OverflowError):
                with pytest.raises((TypeError, ValueError, OverflowError)):
                    action(lambda v: v.ours)
                return
        ours = a.ours
        result = action(lambda v: v.ours)
        assert result is None or result is ours


def _read_first(value: Any) -> Any:
    """A source that may overlap its destination: NumPy does not look into every overlap."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _converts(source: Any, target: Any) -> bool:
    """Whether the standard settles what a cast gives: floats outside an integer dtype are left open by NumPy."""
    source, target = np.dtype(source), np.dtype(target)
    return bool(np.can_cast(source, target, "same_kind")) or (source.kind in "biu" and target.kind in "biu")


MODES: dict[str, tuple[dict[str, object], int]] = {  # knobs, and elements that NumPy computes where it may
    "fused": ({}, 0),
    "unfused": ({"fusion": False}, 0),
    "on the host": ({"small_on_host": True}, 1 << 12),
    "in part on the host": ({"small_on_host": True}, 10),
}


def run_programs(pytestconfig: pytest.Config) -> None:
    """Run as many random programs as the option says."""
    programs = pytestconfig.getoption("--programs")
    run_state_machine_as_test(
        Program,
        settings=settings(
            max_examples=programs,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=programs <= 20,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.nightly
@pytest.mark.parametrize("mode", MODES)
def test_random_programs_are_numpys(
    device: Device, mode: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    knobs, elements = MODES[mode]
    monkeypatch.setattr(tuning, "ON_HOST", elements)
    with xp.config.set(**knobs):
        run_programs(pytestconfig)


@pytest.mark.nightly
@pytest.mark.parametrize("where", ["host", "file"])
def test_random_programs_in_full_memory_are_numpys(
    device: Device, where: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """Before each allocation everything moves that may, and comes back when it is used; nothing of it is left."""
    with all_moves(device, str(tmp_path) if where == "file" else None) as moves:
        run_programs(pytestconfig)
    assert moves["spill"] and moves["return"]


def test_a_loop_of_ten_thousand_steps_keeps_flat_memory_and_compiles_few_kernels(device: Device) -> None:
    x, y = xp.zeros((1000,), dtype=xp.float32), xp.ones((1000,), dtype=xp.float32)
    x, y = x + 1, y + 1
    xp.sync(x, y)
    kernels = device.kernels_compiled
    memory = []
    for step in range(10_000):
        x = x + 0.1 * y
        if step % 1000 == 999:
            gc.collect()
            memory.append(device.live_bytes)
    host = to_host(x)
    expected = np.ones(1000, "float32")
    for _ in range(10_000):
        expected = expected + np.float32(0.1) * np.float32(2)
    assert_same(host, expected)
    assert device.kernels_compiled - kernels <= 10
    assert max(memory) - min(memory) <= 8 * host.nbytes


def test_a_loop_of_ten_thousand_steps_in_place_keeps_flat_memory_too(device: Device) -> None:
    x, y = xp.zeros((1000,), dtype=xp.float32), xp.ones((1000,), dtype=xp.float32)
    view = x[::2]
    kernels, live = device.kernels_compiled, device.live_bytes
    for _ in range(10_000):
        x += y
        view -= 1
    assert to_host(x)[:4].tolist() == [0, 10_000, 0, 10_000]
    assert device.kernels_compiled - kernels <= 10
    assert device.live_bytes - live <= 8 * x.nbytes
