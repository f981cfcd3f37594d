"""The stubs of `arrayapi_gpu.numpy` are those that `conformance.numpy_stubs` writes, and type checkers read them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu import Array
from conformance.numpy_stubs import FOLDER, kind, parameters, stubs

FILES = ["__init__.pyi", "emath.pyi", "fft.pyi", "linalg.pyi", "random.pyi"]


def test_the_stubs_are_those_that_are_written() -> None:
    """By the version of NumPy that wrote them; others have other names."""
    if f"from NumPy {numpy.__version__}." not in (FOLDER / FILES[0]).read_text("utf-8"):
        pytest.skip("the stubs are of another version of NumPy")
    written = stubs()
    assert sorted(written) == FILES
    for name, text in written.items():
        assert text == (FOLDER / name).read_text("utf-8"), f"run python -m conformance.numpy_stubs for {name}"


@pytest.mark.parametrize("file", FILES)
def test_names(file: str) -> None:
    """Of a stub are those of the module, or NumPy's of another version."""
    module = np if file == "__init__.pyi" else getattr(np, file.partition(".")[0])
    names = set()
    for node in ast.parse((FOLDER / file).read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            names.add(ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]))
    assert len(set(module.__all__) - names) < 5 and len(names - {*module.__all__, "__all__", "_ufunc_of_several"}) < 5


def test_kinds_of_results() -> None:
    x = np.zeros(1)
    assert [kind(value) for value in (x, (x, x), [x], 1.5, None, object(), x.dtype)] == [
        "Array",
        "builtins.tuple[Array, ...]",
        "builtins.list[Array]",
        "builtins.float",
        "None",
        "Any",
        "numpy.dtype[Any]",
    ]
    assert isinstance(x, Array)


def test_parameters() -> None:
    def function(a, b=1, /, c=2, *, d, e=3, **f): ...  # type: ignore[no-untyped-def]

    assert ", ".join(parameters(function)) == "a: Any, b: Any = ..., /, c: Any = ..., *, d: Any, e: Any = ..., **f: Any"
    assert parameters(lambda *args, key=1: None) == ["*args: Any", "key: Any = ..."]
    assert parameters(numpy.trapezoid)[:2] == ["y: Any", "x: Any = ..."]
    assert parameters(numpy.fromstring) == ["*args: Any", "**kwargs: Any"] or len(parameters(numpy.fromstring)) > 2


PROGRAM = """
import arrayapi_gpu.numpy as np
from typing import reveal_type
reveal_type(np.sum([1, 2], 0))
reveal_type(np.random.rand(3))
reveal_type(np.linalg.inv(np.eye(3)))
reveal_type(np.array_equal([1], [2]))
np.sun([1])
np.linalg.imv([1])
np.random.rnad(3)
np.sum([1], frobnicate=2)
with np.errstate(all="ignore"):
    x = np.float64(3) + np.pi + np.newaxis
"""


def test_a_type_checker_finds_mistakes(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": root, "PATH": ""})
    errors = re.findall(r"^program.py:(\d+): error", done.stdout, re.MULTILINE)
    assert errors == ["8", "9", "10", "11", "13"], done.stdout
    revealed = [name.rpartition(".")[2] for name in re.findall(r'Revealed type is "(.*?)"', done.stdout)]
    assert revealed == ["Array", "Array", "Array", "bool"]
