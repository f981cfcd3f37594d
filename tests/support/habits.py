"""The programs of tests/numpy_programs, run with NumPy and with another module in its place, and compared.

`compare_program` runs each statement with NumPy, then with the module, and compares every name after it. Run as a
program, this file prints the statements that differ:

    python tests/support/habits.py arrayapi_gpu.numpy
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import contextvars
import dataclasses
import importlib
import io
import math
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

Namespace = dict[str, Any]

PROGRAMS = sorted((Path(__file__).parents[1] / "numpy_programs").glob("*.py"))

# The line of a program that lists names whose values NumPy does not define: draws, and vectors of either sign.
FREE = re.compile(r"^# Compared by dtype and shape only: (.*)$", re.MULTILINE)
NUMERIC = "biufc"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A statement that raises an exception or differs: its program, line, text, and the reason."""

    program: str
    line: int
    text: str
    reason: str

    @property
    def key(self) -> str:
        """The program and the first line of the statement."""
        return f"{self.program}: {self.text.splitlines()[0]}"


@dataclasses.dataclass
class Outcome:
    """The number of a program's statements, those that differ, and the names that hold numbers in NumPy's arrays."""

    program: str
    statements: int = 0
    faults: list[Fault] = dataclasses.field(default_factory=list)
    on_host: set[str] = dataclasses.field(default_factory=set)


class _Renamed(ast.NodeTransformer):
    """Imports of NumPy become imports of the module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def _name(self, name: str) -> str:
        return self.module + name[5:] if name == "numpy" or name.startswith("numpy.") else name

    def visit_Import(self, node: ast.Import) -> ast.Import:
        names = []
        for alias in node.names:
            new = self._name(alias.name)
            names.append(ast.alias(new, alias.asname))
            if new != alias.name and alias.asname is None:  # `import numpy.fft` binds `numpy`
                names.append(ast.alias(self.module, "numpy"))
        return ast.copy_location(ast.Import(names), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        return ast.copy_location(ast.ImportFrom(self._name(node.module or ""), node.names, node.level), node)


class _Run:
    """A program's names under one module, in a context of its own: print options and error handling are contexts'."""

    def __init__(self) -> None:
        self.names: Namespace = {"__name__": "__main__"}
        self.adopted: Namespace = {}  # what another run gave, by name
        self.context = contextvars.copy_context()

    def step(self, statement: ast.stmt) -> str:
        """Run a statement; return the text that it printed."""
        code = compile(ast.fix_missing_locations(ast.Module([statement], [])), "<program>", "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.context.run(exec, code, self.names)
        return printed.getvalue()


def compare_program(path: Path, module: str) -> Outcome:
    """Run a program with NumPy and with the module. After a fault, names that differ get the values of NumPy's run, so
    that one fault counts once."""
    source = path.read_text("utf-8")
    free = {name.strip() for line in FREE.findall(source) for name in line.split(",")}
    outcome = Outcome(path.stem)
    expected, got = _Run(), _Run()
    with _quiet():
        for statement in ast.parse(source).body:
            loose = free | _left_empty(statement)
            reason = _compare_step(statement, expected, got, module, loose)
            outcome.statements += 1
            if reason:
                text = ast.get_source_segment(source, statement) or ""
                outcome.faults.append(Fault(path.stem, statement.lineno, text, reason))
                _adopt_all(expected, got, module, loose)
    outcome.on_host = {name for name, value in got.names.items() if _is_numeric(value)}
    return outcome


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No warnings; the folders that a program makes last as long as its run."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before


def _left_empty(statement: ast.stmt) -> set[str]:
    """The names that a statement binds to an array of `np.empty`, which has no values before the next statement."""
    match statement:
        case ast.Assign(targets=[ast.Name(name)], value=ast.Call(func=ast.Attribute(attr="empty" | "empty_like"))):
            return {name}
    return set()


def _compare_step(statement: ast.stmt, expected: _Run, got: _Run, module: str, free: set[str]) -> str | None:
    """Run a statement under both; return the reason why it counts as a fault, or None."""
    tree = ast.parse(ast.unparse(statement)).body[0]
    text = expected.step(statement)
    try:
        printed = got.step(_Renamed(module).visit(tree))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if printed != text:
        return f"printed {printed!r} for {text!r}"
    for name in _shared(expected):
        if reason := _differs(name, expected, got, free):
            if not _was_a_view(name, expected, got):
                return reason
            _adopt(name, expected, got, module)
    return None


def _shared(run: _Run) -> list[str]:
    return [name for name in run.names if not name.startswith("__")]


def _differs(name: str, expected: _Run, got: _Run, free: set[str]) -> str | None:
    if name not in got.names:
        return f"{name} is not bound"
    try:
        reason = difference(got.names[name], expected.names[name], values=name not in free)
    except Exception as error:  # reading may evaluate, and so raise what the statement would have raised
        return f"{name}: {type(error).__name__}: {error}"
    return f"{name}: {reason}" if reason else None


def _adopt_all(expected: _Run, got: _Run, module: str, free: set[str]) -> None:
    """Give the module's run those values of NumPy's run that differ, the files, and the print options."""
    got.context.run(np.set_printoptions, **expected.context.run(np.get_printoptions))
    for name in _shared(expected):
        value = expected.names[name]
        if isinstance(value, Path) and value.is_dir() and name in got.names:
            shutil.copytree(value, got.names[name], dirs_exist_ok=True)
        elif _differs(name, expected, got, free):
            _adopt(name, expected, got, module)
            if _differs(name, expected, got, free):
                got.names[name] = value.copy() if isinstance(value, np.ndarray) else value


def _adopt(name: str, expected: _Run, got: _Run, module: str) -> None:
    got.names[name] = got.adopted[name] = _adopted(expected.names[name], module)


def _was_a_view(name: str, expected: _Run, got: _Run) -> bool:
    """Whether a name has the memory of another in NumPy's run, but not in the module's, where one of them was adopted:
    a write to one of them is then missing in the other, and that is not a fault of the statement that writes."""
    if name not in got.names:
        return False
    adopted = {other for other, its in got.adopted.items() if got.names.get(other) is its}
    return any(
        np.may_share_memory(one, its)
        for other in _shared(expected)
        if other != name and {name, other} & adopted
        for one in _arrays(expected.names[name])
        for its in _arrays(expected.names[other])
    )


def _arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays that a value is, or has as items."""
    items = value if isinstance(value, list | tuple) else [value]
    return [item for item in items if isinstance(item, np.ndarray)]


def _adopted(value: Any, module: str) -> Any:
    """A value of NumPy's run for the module's run: numbers become the module's arrays."""
    if type(value) in (list, tuple):
        return type(value)(_adopted(one, module) for one in value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in NUMERIC:
        try:
            return importlib.import_module(module).asarray(value.copy())
        except Exception:
            return value.copy()
    return value


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in NUMERIC


def difference(got: Any, expected: Any, values: bool = True) -> str | None:
    """Return why a value is not NumPy's, or None. Without ``values`` compare dtypes, shapes and types only.

    A NumPy scalar may be an array without dimensions of its dtype. Python's numbers must be of the same type.
    """
    if isinstance(expected, np.ndarray | np.generic):
        if not hasattr(got, "__array__"):
            return f"{type(got).__name__} for {type(expected).__name__}"
        return _arrays_differ(np.asarray(got), np.asarray(expected), values)
    if isinstance(expected, np.dtype):
        return None if np.dtype(got) == expected else f"{got} for {expected}"
    if isinstance(expected, tuple | list | dict):
        return _containers_differ(got, expected, values)
    if callable(expected) and not hasattr(expected, "coef"):
        return None if callable(got) else f"{got!r} is not callable"
    if type(got).__name__ != type(expected).__name__:
        return f"{type(got).__name__} for {type(expected).__name__}"
    if isinstance(expected, bool | int | str | bytes | None):
        return None if got == expected or not values else f"{got!r} for {expected!r}"
    if isinstance(expected, float | complex):
        return _arrays_differ(np.asarray(got), np.asarray(expected), values)
    for attribute in ("coef", "domain", "window"):  # of polynomials
        if reason := difference(getattr(got, attribute, None), getattr(expected, attribute, None), values):
            return f"{attribute}: {reason}"
    return None


def _containers_differ(got: Any, expected: Any, values: bool) -> str | None:
    kind: Any = next(kind for kind in (tuple, list, dict) if isinstance(expected, kind))
    if not isinstance(got, kind) or len(got) != len(expected):
        return f"{got!r} for {expected!r}"
    if kind is dict:
        if got.keys() != expected.keys():
            return f"the keys {list(got)} for {list(expected)}"
        got, expected = got.values(), expected.values()
    for number, (one, other) in enumerate(zip(got, expected, strict=True)):
        if reason := difference(one, other, values):
            return f"item {number}: {reason}"
    return None


def _arrays_differ(got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], values: bool) -> str | None:
    """Numbers with a fraction may differ by rounding errors, relative to the largest number, and at least to 1."""
    if got.dtype != expected.dtype:
        return f"dtype {got.dtype} for {expected.dtype}"
    if got.shape != expected.shape:
        return f"shape {got.shape} for {expected.shape}"
    if not values or not expected.size:
        return None
    if expected.dtype.kind in "fc":
        finite = expected[np.isfinite(expected)]
        room = tolerance(expected.dtype)
        same = np.isclose(got, expected, room, room * max(1, np.abs(finite).max(initial=0)), equal_nan=True)
    else:
        same = np.asarray(got == expected)
    if same.all():
        return None
    place = tuple(np.argwhere(~same)[0].tolist())
    return f"{got[place]} for {expected[place]} at {place}, {np.count_nonzero(~same)} of {same.size} differ"


def tolerance(dtype: np.dtype[Any]) -> float:
    """The rounding error that a number may have: 4e-11 in double precision, 2e-5 in single precision."""
    return math.pow(np.finfo(dtype).eps, 2 / 3)


def main() -> None:
    """Print the statements that differ, and how many agree."""
    parser = argparse.ArgumentParser(description="Run the programs in NumPy habits with a module in NumPy's place.")
    parser.add_argument("module", help="such as arrayapi_gpu.numpy, arrayapi_gpu or numpy")
    parser.add_argument("programs", nargs="*", help="names of programs (default: all)")
    arguments = parser.parse_args()
    importlib.import_module(arguments.module)
    chosen = [path for path in PROGRAMS if not arguments.programs or path.stem in arguments.programs]
    outcomes = [compare_program(path, arguments.module) for path in chosen]
    for fault in (fault for outcome in outcomes for fault in outcome.faults):
        print(f"{fault.program}.py:{fault.line}: {fault.text.splitlines()[0]}\n    {fault.reason.splitlines()[0]}")
    for outcome in outcomes:
        print(f"{outcome.program:24} {outcome.statements - len(outcome.faults):4} of {outcome.statements}")
    total, failed = sum(one.statements for one in outcomes), sum(len(one.faults) for one in outcomes)
    print(f"{total - failed} of {total} statements agree, {(total - failed) / total:.1%}")
    if arguments.module != "numpy":
        print(f"{sum(len(one.on_host) for one in outcomes)} names hold numbers in NumPy's arrays")


if __name__ == "__main__":
    main()
