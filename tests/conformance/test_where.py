"""The page that says what computes each function: that it is current, and that it is measured."""

from __future__ import annotations

import re
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance import where


def test_the_page_is_current(device: Device) -> None:
    """What it says of every sixth function, on devices of this kind; else run `python -m conformance.where`."""
    page = where.PAGE.read_text(encoding="utf-8")
    columns = where.read(page)
    if where.kind(device) not in columns:
        pytest.skip("the page has no column for devices of this kind")
    cells = columns[where.kind(device)]
    found = where.column(device, every=6)
    assert found.items() <= cells.items()
    assert len(found) > len(cells) / 8
    assert where.written(columns, where.read_numpys(page)) == page


def test_the_page_has_a_row_for_every_function() -> None:
    rows = {name.partition(",")[0] for cells in where.read(where.PAGE.read_text("utf-8")).values() for _, name in cells}
    assert rows == {name for _, name, _ in where.functions()}


def test_the_list_of_what_goes_through_the_host_is_current(device: Device) -> None:
    """NumPy's functions; else run `python -m conformance.where`."""
    if device.loops is not None:
        pytest.skip("NumPy computes in the device's memory, not on copies")
    here = where.calls()  # of this version of NumPy's
    names = [name for name in where.read_numpys(where.PAGE.read_text(encoding="utf-8")) if name in here]
    assert where.numpys(device) == names
    assert len(names) < len(here) / 2


def test_the_lists_are_of_what_was_recorded() -> None:
    cells = {
        ("a", "one"): "kernels", ("a", "two"): "NumPy, on host copies (f16) / kernels (f32)",
        ("a", "six"): "kernels (f32) / SciPy, on host copies (c64)",
    }  # fmt: skip
    lines = where.hosts({"a device": cells}, ["linalg.cond", "rot90"])
    assert lines[-7:] == [
        "NumPy's functions:",
        "",
        "`linalg.cond`, `rot90`",
        "",
        "Ours, a device:",
        "",
        "`six` (complex), `two`",
    ]
    assert where.read_numpys("\n".join(lines)) == ["linalg.cond", "rot90"]


def test_every_function_of_numpy_is_called() -> None:
    names = set(where.calls())
    assert {"rot90", "linalg.cond", "fft.fft", "sin", "add", "polyfit"} <= names
    assert len(names) > 300


def test_every_public_function_is_called() -> None:
    names = {name for _, name, _ in where.functions()}
    assert {"add", "unique_all", "linalg.qr", "fft.fft", "Array.__add__", "Array.mT", "Array.__rshift__"} <= names
    assert not {"Array.__radd__", "Array.__iadd__", "Array._scalar"} & names


def test_every_parameter_has_a_value(device: Device) -> None:
    """Of each function, or is left out: the page is made of calls of all functions, and its test of every sixth."""
    with xp.config.set(device=str(device)):
        values = where.examples(where.DTYPES["f32"]) | {"key": slice(1, 3)}
        for _, name, function in where.functions():
            where.call(name, wraps(function)(lambda *_, **__: None), values)


def test_a_routine_of_a_library_is_recorded(device: Device) -> None:
    """Of a matrix that is too large for the kernels of small ones."""
    n = 300
    x = xp.eye(n, dtype=xp.float32)
    xp.compute(x)
    with xp.record() as made:
        xp.linalg.qr(x)
    found = [(one.kernel, one.items, one.read, one.written) for one in made if one.library]
    if device.is_gpu and not device.name.startswith("cuda"):
        assert found == [], "GPUs of OpenCL have own kernels"
    else:
        assert found == [("qr", n * n, 4 * n * n, 8 * n * n)]


def test_transfers_are_seen_only_meanwhile(device: Device) -> None:
    x = xp.ones((2, 2))
    with where.transfers(device) as moved:
        float(x[0, 0])
    assert moved
    before = len(moved)
    float(x[1, 1])
    assert len(moved) == before


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x + 1, "kernels"),
        (lambda x: x.T, where.NOTHING),
        (lambda x: float(x[0, 0]), "waits"),
        (lambda x: xp.linalg.det(x + 1), r"\w+(, on host copies)?"),
    ],
)
def test_places(device: Device, function: Any, words: str) -> None:
    assert re.fullmatch(words, where.place(device, "function", function, {"x": xp.ones((4, 4), dtype=xp.float32)}))


def test_columns_of_absent_devices_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: Device) -> None:
    if device.loops is not None:
        pytest.skip("its column does not renew the list of what goes through the host")
    row = ("utility", "all")
    file = tmp_path / "page.md"
    file.write_text(where.written({"CUDA, memory of its own": {row: "magic"}}, ["flipud", "newer"]), encoding="utf-8")
    monkeypatch.setattr(where, "column", lambda device: {row: "kernels"})
    monkeypatch.setattr(where, "numpys", lambda device: ["rot90"])
    monkeypatch.setattr(where, "calls", lambda: {"rot90": None, "flipud": None})
    assert where.main(["--device", str(device), "--output", str(file)]) == 0
    assert where.read_numpys(file.read_text(encoding="utf-8")) == ["newer", "rot90"]
    assert where.read(file.read_text(encoding="utf-8")) == {
        "CUDA, memory of its own": {row: "magic"},
        where.kind(device): {row: "kernels"},
    }


def test_a_function_that_nobody_can_call_is_an_error(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def new(x: Any) -> None:
        raise TypeError("no such thing")

    monkeypatch.setattr(where, "functions", lambda: [("utility", "new", new)])
    with pytest.raises(TypeError, match=r"new takes none of the example values: b8: no such thing"):
        where.column(device)
