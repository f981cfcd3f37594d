"""What type checkers find in users' lines. `make lint` runs mypy and pyright; here are public names, too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np
from conformance.numpy_stubs import FOLDER

ROOT = Path(__file__).parents[2]
PLACES = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
PYRIGHT = shutil.which("basedpyright", path=PLACES) or shutil.which("pyright", path=PLACES)
MODULES: dict[str, ModuleType] = {
    "arrayapi_gpu": xp,
    **{f"arrayapi_gpu.{name}": getattr(xp, name) for name in ("fft", "linalg", "random", "special")},
}
if f"from NumPy {numpy.__version__}." in (FOLDER / "random.pyi").read_text("utf-8"):  # others have other names
    MODULES |= {f"arrayapi_gpu.numpy.{name}": getattr(np, name) for name in ("emath", "fft", "linalg", "random")}
    MODULES["arrayapi_gpu.numpy"] = np


def errors(*arguments: str) -> list[str]:
    """The errors that pyright reports, as in "lines.py:12: ..."."""
    command = [str(PYRIGHT), "--pythonpath", sys.executable, "--outputjson", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [one for one in json.loads(done.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    return [f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}" for one in found]


def test_there_are_enough_lines() -> None:
    files = [Path(__file__).with_name(name) for name in ("lines.py", "numpy_lines.py", "mistakes.py")]
    standard, numpys, mistakes = (file.read_text("utf-8") for file in files)
    assert (standard + numpys).count("assert_type") >= 200
    assert min(part.count("type: ignore") for part in mistakes.split("# NumPy's namespace")) >= 20


@pytest.mark.skipif(PYRIGHT is None, reason="needs pyright or basedpyright (the extra lint)")
def test_pyright(tmp_path: Path) -> None:
    """Pyright finds no error in the lines, each mistake, and a type of every public name and attribute."""
    attributes = [name for name in dir(xp.Array) if not name.startswith("_")]
    modules = [f"import {module}" for module in MODULES]
    names = [f"{module}.{name}" for module, found in MODULES.items() for name in found.__all__]
    uses = [f"print({name})" for name in chain(names, [f"x.{name}" for name in attributes])]
    (tmp_path / "names.py").write_text("\n".join([*modules, "x = arrayapi_gpu.zeros(3)", *uses]))
    assert errors("tests/typing", str(tmp_path / "names.py")) == []
