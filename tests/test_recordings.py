"""`record`: launches with times, bytes and lines, in tables, in a trace and in a plot."""

from __future__ import annotations

import doctest
import inspect
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.events import SETTLED, Event
from arrayapi_gpu.benchmarking import Benchmark
from arrayapi_gpu.debug import Explanation
from arrayapi_gpu.recordings import Recording
from arrayapi_gpu.tables import Table

pytestmark = pytest.mark.usefixtures("device")


def line_before() -> str:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return f"{Path(__file__).name}:{frame.f_back.f_lineno - 1}"


def program() -> tuple[Recording, dict[str, str]]:
    """What a program with reads, a function through NumPy and a copy did, and its lines."""
    host, lines = np.linspace(0, 1, 100_000, dtype=np.float32), {}
    with xp.record() as made:
        x = xp.asarray(host)
        lines["copy"] = line_before()
        for number in range(10):
            float(xp.sum(x * number))
            lines["read"] = line_before()
        np.ldexp(x, 2)
        lines["function"] = line_before()
    return made, lines


def test_a_recording_has_launches_reads_functions_and_copies(device: Device) -> None:
    made, lines = program()
    assert len(made) >= 11 and {event.device for event in made} == {str(device)}
    assert [(read.kernel, read.read) for read in made.reads[:10]] == [("float", 4)] * 10
    assert {Path(read.line).name for read in made.reads[:10]} == {lines["read"]}
    assert [(call.kernel, call.library, Path(call.line).name) for call in made.functions] == [
        ("numpy.ldexp", "NumPy", lines["function"])
    ]
    assert Path(made.copies[0].line).name == lines["copy"] and made.copies[0].bytes == 400_000
    assert all(event.seconds > 0 for event in [*made, *made.reads])
    assert made.seconds > sum(read.seconds for read in made.reads[:10])


def test_totals_by_kernel_and_by_line() -> None:
    made, lines = program()
    kernels, rows = made.by_kernel(), {row.line: row for row in made.by_line()}
    assert sum(row.launches for row in kernels) == len(made)
    assert sum(row.bytes for row in kernels) == sum(event.bytes for event in made)
    assert rows[lines["read"]].reads == 10 and rows[lines["read"]].waited > 0
    assert rows[lines["function"]].launches >= 1
    assert [row.seconds for row in kernels] == sorted((row.seconds for row in kernels), reverse=True)


def test_a_recording_prints_its_tables_and_hints() -> None:
    made, lines = program()
    text = str(made)
    assert f"* {lines['read']} reads values 10 times (float)" in text
    assert f"* {lines['function']} calls numpy.ldexp by NumPy, on host copies, once" in text
    assert "10 reads by the host" in text.splitlines()[0] or "11 reads by the host" in text.splitlines()[0]
    printed: list[str] = []
    made._repr_pretty_(SimpleNamespace(text=printed.append), False)
    assert printed == [text]
    assert made._repr_html_().count("<table>") == 3


def test_an_empty_recording_prints() -> None:
    with xp.record() as made:
        pass
    assert str(made).endswith(" in all") and made == [] and made.memory() == [] and made.hints() == []


def test_compilations_have_the_line_that_asked(device: Device) -> None:
    if device.loops is not None:
        pytest.skip("the device has loops and no kernels")
    x = xp.ones((33, 57))
    with xp.config.set(wait_for_compiler=True), xp.record() as made:
        xp.sync(xp.expm1(x) * 7.25 - xp.log1p(x) / 3)
        line = line_before()
    assert all(Path(one.line).name == line and one.seconds >= 0 for one in made.compilations)


def test_memory_over_time_has_its_peak(device: Device) -> None:
    xp.sync()
    with xp.record() as made:
        x = xp.asarray(np.ones(1_000_000))
        y = x + 1
        xp.sync(y)
        del y
        xp.sync(x * 2)
    curve = made.memory(device)
    assert max(nbytes for _, nbytes in curve) >= 16_000_000
    assert [seconds for seconds, _ in curve] == sorted(seconds for seconds, _ in curve)


def test_a_trace_has_rows_slices_and_curves(device: Device, tmp_path: Path) -> None:
    made, _ = program()
    made.trace(tmp_path / "trace.json")
    entries = json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]
    rows = {entry["tid"]: entry["args"]["name"] for entry in entries if entry["name"] == "thread_name"}
    slices = [entry for entry in entries if entry["ph"] == "X"]
    curves = [entry for entry in entries if entry["ph"] == "C"]
    assert str(device) in rows.values() and "host, MainThread" in rows.values()
    assert {entry["tid"] for entry in slices} == rows.keys()
    assert all(entry["dur"] >= 0 and entry["ts"] >= -1e4 for entry in slices)
    assert {entry["name"] for entry in curves} == {f"memory of {device}"}
    assert {"float", "numpy.ldexp by NumPy, on host copies"} <= {entry["name"] for entry in slices}


def test_slices_of_a_row_are_nested(tmp_path: Path) -> None:
    """As the format asks: a slice lies inside of another one, or beside it."""
    made, _ = program()
    made.trace(tmp_path / "trace.json")
    rows: dict[int, list[tuple[float, float]]] = {}
    for entry in json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]:
        if entry["ph"] == "X":
            rows.setdefault(entry["tid"], []).append((entry["ts"], entry["ts"] + entry["dur"]))
    slack = 1e-3  # microseconds, by rounding
    for row in rows.values():
        open_: list[float] = []
        for begin, end in sorted(row, key=lambda one: (one[0], -one[1])):
            while open_ and open_[-1] <= begin + slack:
                open_.pop()
            assert not open_ or end <= open_[-1] + slack
            open_.append(end)


def test_times_are_read_now_and_then() -> None:
    made = Recording()
    for _ in range(SETTLED + 1):
        made.add(Event("add", "d", 1))
    assert made._settled == SETTLED and len(made) == SETTLED + 1


class Axes:
    """The methods of Matplotlib's axes that a plot calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: self.calls.append((name, args))


def test_a_plot_of_memory_has_a_curve_for_each_device() -> None:
    made, _ = program()
    axes = Axes()
    assert made.plot_memory(axes) is axes
    ((times, sizes),) = [args for name, args in axes.calls if name == "step"]
    assert len(times) == len(sizes) and max(sizes) >= 400_000


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    made, _ = program()
    with pytest.raises(ImportError, match="plot_memory: matplotlib is not installed; run: pip install matplotlib"):
        made.plot_memory()


def test_a_failed_block_is_recorded_until_it_failed() -> None:
    x = xp.asarray(np.ones(1000, np.float32))
    with pytest.raises(ValueError, match="stop"), xp.record() as made:
        xp.sync(x + 1)
        raise ValueError("stop")
    assert len(made) == 1 and made[0].seconds > 0


@pytest.mark.parametrize("kind", [Event, Recording, Table, Benchmark, Explanation])
def test_docstrings_of_what_a_user_gets(kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In numpydoc's form, with examples that run; the public namespace does not lead to these classes."""
    monkeypatch.chdir(tmp_path)
    members = [
        (kind.__name__, kind),
        *[(name, value) for name, value in vars(kind).items() if not name.startswith("_")],
    ]
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for name, value in members:
        doc = inspect.getdoc(value) if isinstance(value, (property, type)) or inspect.isfunction(value) else None
        if doc and ">>>" in doc:
            test = doctest.DocTestParser().get_doctest(doc, {"xp": xp, "np": np}, name, None, None)
            runner.run(test, out=failures.append)
    assert not failures, "".join(failures)
