"""Programs in NumPy habits, with `arrayapi_gpu.numpy` in NumPy's place: values, dtypes, shapes and printed text.

The programs of tests/numpy_programs were written before the namespace was, and are frozen. Each statement that differs
from NumPy is a row of `DIFFERS`.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.habits import PROGRAMS, Outcome, compare_program, difference

from arrayapi_gpu.backends.base import Device

MODULE = "arrayapi_gpu.numpy"
LEAST = 420  # statements of the programs
AGREE = 0.99

# "program: first line of the statement", and why it does not give NumPy's value.
DIFFERS: dict[str, str] = {
    "saving_and_text: shown = repr(np.array([1.5, 2], dtype=np.float32))": "the text of an array names its device"
}


def test_there_are_ten_programs_of_many_statements() -> None:
    bodies = [ast.parse(path.read_text("utf-8")).body for path in PROGRAMS]
    assert len(bodies) == 10
    assert sum(not isinstance(node, ast.Import | ast.ImportFrom) for body in bodies for node in body) >= LEAST
    assert {ast.unparse(body[0]) for body in bodies} == {"import numpy as np"}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_numpy_agrees_with_itself(path: Path) -> None:
    assert compare_program(path, "numpy").faults == []


def test_programs_give_what_numpy_gives(device: Device) -> None:
    if importlib.util.find_spec(MODULE) is None:
        pytest.skip(f"there is no module {MODULE}")
    if "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    outcomes = [compare_program(path, MODULE) for path in PROGRAMS]
    faults = {fault.key: fault.reason for outcome in outcomes for fault in outcome.faults}
    print(*(f"{key}\n    {reason}" for key, reason in faults.items()), sep="\n")
    assert {key: reason for key, reason in faults.items() if key not in DIFFERS} == {}
    assert sorted(DIFFERS.keys() - faults.keys()) == []
    total = sum(outcome.statements for outcome in outcomes)
    assert total - sum(len(outcome.faults) for outcome in outcomes) >= AGREE * total


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Compare a text with NumPy in which some names are replaced by others, or are missing where they are None."""

    def compare(text: str, **planted: Any) -> Outcome:
        module = types.ModuleType("planted")
        vars(module).update({name: value for name, value in vars(np).items() if not name.startswith("__")} | planted)
        for name, value in planted.items():
            if value is None:
                delattr(module, name)
        monkeypatch.setitem(sys.modules, "planted", module)
        path = tmp_path / "text.py"
        path.write_text(f"import numpy as np\n{text}", "utf-8")
        return compare_program(path, "planted")

    return compare


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "a missing name": ("x = np.sort([2, 1])\ny = x + 1", {"sort": None}),
    "a value": ("x = np.sort([2, 1])\ny = x + 1", {"sort": np.asarray}),
    "a dtype": ("x = np.ones(3)\ny = x.sum()", {"ones": lambda n: np.zeros(n, np.float32) + 1}),
    "a shape": ("x = np.ones(3)\ny = x.sum()", {"ones": lambda n: np.zeros((1, n)) + 1}),
    "a rounding error that is large": ("x = np.sin(1.0)\ny = 2 * x", {"sin": lambda x: np.sin(x) + 1e-9}),
    "a Python number": ("x = np.sum([1, 2])\ny = int(x)", {"sum": lambda x: int(np.sum(x))}),
    "an array for a Python number": ("x = np.ndim([1, 2])", {"ndim": lambda x: np.asarray(1)}),
    "printed text": ("x = 1\nprint(np.pi, x)\ny = 2", {"pi": 3}),
    "a name in a function": ("def f(x):\n    return np.abs(x)\nx = f(-1)\ny = x", {"abs": None}),
    "a changed array": ("x = np.zeros(3)\nnp.copyto(x, 1)\ny = x + 1", {"copyto": lambda x, y: None}),
    "a copy for a view": ("x = np.zeros(3)\ny = np.ravel(x)\nx[0] = 1\nz = y + 1", {"ravel": lambda x: x.copy()}),
    "a missing view": ("x = np.zeros(3)\ny = np.ravel(x)\nx[0] = 1\nz = y + 1\ny[1] = 2\nx += 1", {"ravel": None}),
    "a missing list of views": (
        "x = np.ones(4)\ny = np.split(x, 2)\nx[0] = 2\nz = y[0] + 1\ny[1][0] = 3",
        {"split": None},
    ),
    "print options": ("np.set_printoptions(precision=2)\nx = np.pi\nprint(np.ones(2) / 3)", {"set_printoptions": None}),
    "a file": (
        "import pathlib, tempfile\nd = pathlib.Path(tempfile.mkdtemp())\n"
        "np.save(d / 'x', [1])\nx = np.load(d / 'x.npy')\n# Compared by dtype and shape only: d",
        {"save": None},
    ),
    "a value of an item": ("x = [np.sort([2, 1])]\ny = len(x)", {"sort": np.asarray}),
}


@pytest.mark.parametrize("case", WRONG)
def test_one_fault_counts_once(run: Callable[..., Outcome], case: str) -> None:
    text, planted = WRONG[case]
    assert run(text).faults == []
    assert len(run(text, **planted).faults) == 1


def test_a_fault_names_its_statement_and_reason(run: Callable[..., Outcome]) -> None:
    (fault,) = run("x = 1\ny = np.sort(\n    [2, 1]\n)", sort=None).faults
    assert (fault.key, fault.line) == ("text: y = np.sort(", 3)
    assert "sort" in fault.reason


IMPORTS = [
    "import numpy\nx = numpy.sin(1)",
    "import numpy.linalg\nx = numpy.linalg.norm([3, 4])",
    "import numpy.linalg as la\nx = la.norm([3, 4])",
    "from numpy import sin\nx = sin(1)",
    "from numpy.linalg import norm\nx = norm([3, 4])",
]


@pytest.mark.parametrize("text", IMPORTS)
def test_each_form_of_import_is_of_the_module(
    run: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    linalg = types.ModuleType("planted.linalg")
    vars(linalg)["norm"] = lambda x: -1.0
    monkeypatch.setitem(sys.modules, "planted.linalg", linalg)
    (fault,) = run(text, sin=lambda x: np.float64(-1), linalg=linalg, __path__=[]).faults
    assert fault.reason.startswith("x: ")


def test_draws_are_compared_by_dtype_and_shape(run: Callable[..., Outcome]) -> None:
    text = "# Compared by dtype and shape only: x, r\nr = np.random.default_rng()\nx = r.random(3)\ny = x.shape"
    assert run(text).faults == []
    assert run(text.replace(": x, r", ": r")).faults[0].text.startswith("x = ")


SAME = [
    (np.float64(1), np.asarray(1.0)),
    (np.asarray(1.0) + 1e-13, 1 + np.zeros(())),
    (np.asarray([np.nan, np.inf]), np.asarray([np.nan, np.inf])),
    ((1, [2.0]), (1, [2.0])),
    (np.asarray(["a"]), np.asarray(["a"])),
]


@pytest.mark.parametrize(("got", "expected"), SAME)
def test_equal_values_are_the_same(got: Any, expected: Any) -> None:
    assert difference(got, expected) is None


@pytest.mark.parametrize(
    ("got", "expected"),
    [(1, True), (1.0, 1), ("1", 1), ([1], (1,)), ({"a": 1}, {"b": 1}), (np.polynomial.Polynomial([1]), None)],
)
def test_other_types_differ(got: Any, expected: Any) -> None:
    assert difference(got, expected) is not None
