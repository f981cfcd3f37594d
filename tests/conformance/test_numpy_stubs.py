"""The stubs of `arrayapi_gpu.numpy` are those that `conformance.numpy_stubs` writes."""

from __future__ import annotations

import ast

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
    shown = {name for name in names if not name.startswith("_")}
    assert len(set(module.__all__) - names) < 5 and len(shown - set(module.__all__)) < 5


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

    assert ", ".join(parameters(function)) == (
        "a: _Values, b: _Values = ..., /, c: _Number = ..., *, d: Any, e: _Number = ..., **f: Any"
    )
    overload = "a: _Values, b: _Values = ..., /, *, c: Literal[3], d: Any, e: _Number = ..., **f: Any"
    assert ", ".join(parameters(function, {"c": "Literal[3]"})) == overload
    assert ", ".join(parameters(numpy.argmax)[:2]) == "a: _Values, axis: _Axis = ..."
    assert parameters(lambda *args, key=1: None) == ["*args: Any", "key: _Number = ..."]
    assert parameters(numpy.trapezoid)[:2] == ["y: _Values", "x: _Values | None = ..."]
    assert parameters(numpy.fromstring) == ["*args: Any", "**kwargs: Any"] or len(parameters(numpy.fromstring)) > 2
