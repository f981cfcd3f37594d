"""The extension of IPython, on a shell with the two functions that it calls, and on IPython where that is installed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.benchmarking import Benchmark
from arrayapi_gpu.recordings import Recording

NOTEBOOK = Path(__file__).with_name("notebooks") / "tour.ipynb"

pytestmark = pytest.mark.usefixtures("device")


class Shell:
    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"x": xp.asarray(np.ones(1000)), "xp": xp}
        self.magics: dict[str, Callable[..., Any]] = {}

    def register_magic_function(self, function: Callable[..., Any], magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "line_cell"
        self.magics[magic_name] = function

    def run_cell(self, cell: str) -> Any:
        exec(cell, self.user_ns)
        return SimpleNamespace(raise_error=lambda: None)


@pytest.fixture
def time_it() -> Callable[..., Any]:
    shell = Shell()
    xp.load_ipython_extension(shell)
    assert [*shell.magics] == ["xp_time"]
    return shell.magics["xp_time"]


def test_a_line_is_measured(time_it: Callable[..., Any]) -> None:
    measured = time_it(" x * 2 + 1 ")
    assert isinstance(measured, Benchmark) and measured.name == "x * 2 + 1" and measured.launches == 1


def test_a_cell_is_recorded(time_it: Callable[..., Any]) -> None:
    made = time_it("", "y = x * 2\nprint(float(y[0]))\n")
    assert isinstance(made, Recording) and [read.kernel for read in made.reads] == ["float"]


def test_explain_and_record_print_themselves_in_ipython() -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.run_line_magic("load_ext", "arrayapi_gpu")
    shell.user_ns.update(xp=xp, x=xp.asarray(np.ones(1000)))
    measured = shell.run_line_magic("xp_time", "x + 1")
    made = shell.run_cell_magic("xp_time", "", "float(xp.sum(x))")
    explained = xp.explain(shell.user_ns["x"] + 1)
    for value, word in ((measured, "median"), (made, "reads"), (explained, "xp.add")):
        found, _ = shell.display_formatter.format(value)
        assert word in found["text/plain"] and "<table>" in found["text/html"]


def test_the_notebook_shows_what_it_has_kept(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells of tests/notebooks/tour.ipynb run in a kernel of Jupyter; their printed text is that of the file."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("ARRAYAPI_GPU_DEVICE", device.name)
    kept = nbformat.read(NOTEBOOK, as_version=4)
    made = nbformat.from_dict(copy.deepcopy(kept))
    nbclient.NotebookClient(made, timeout=300, resources={"metadata": {"path": str(NOTEBOOK.parents[2])}}).execute()
    for before, after in zip(kept.cells, made.cells, strict=True):
        if before.cell_type == "code":
            shown = [
                [out.get("text") for out in cell.outputs if out.output_type == "stream"] for cell in (before, after)
            ]
            assert shown[0] == shown[1], before.source


def test_it_is_no_name_of_the_namespace() -> None:
    assert "load_ipython_extension" not in xp.__all__ and callable(xp.load_ipython_extension)
