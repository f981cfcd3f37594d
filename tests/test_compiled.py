"""The compiled form and the Python form: which one is imported, and that both have the same names."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import arrayapi_gpu
from arrayapi_gpu import compiled

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "arrayapi_gpu"


def build_hook() -> ModuleType:
    """The module `hatch_build`, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULES = sorted(name for name, path in build_hook().modules(ROOT).items() if path.suffix == ".py")


def run(code: str, folder: Path = ROOT, switch: str = "") -> str:
    """What a program prints in a new process. ``switch``: the value of the environment's variable, if it is set."""
    given = {key: value for key, value in os.environ.items() if key != compiled.SWITCH}
    given |= {compiled.SWITCH: switch} if switch else {}
    given["PYTHONPATH"] = str(folder)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


FILES = f"""
import importlib, json, inspect
modules = {MODULES}
import arrayapi_gpu
print(json.dumps([inspect.getfile(importlib.import_module(name)) for name in modules]))
"""


@pytest.mark.parametrize(
    ("failing", "said", "kept"),
    [
        ((), [], ["module", "loops"]),
        (("build",), ["without the compiled form of its modules"], ["loops"]),
        (("build_loops",), ["without the loops of native"], ["module"]),
        (("build", "build_loops"), ["without the compiled form of its modules", "without the loops of native"], []),
    ],
)
def test_a_compiler_that_fails_costs_only_what_it_was_to_make(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failing: tuple[str, ...], said: list[str], kept: list[str]
) -> None:
    hook = build_hook()

    def makes(name: str, file: str) -> Any:
        def make(root: Path, folder: Path) -> list[Path]:
            if name in failing:
                raise OSError("internal compiler error")
            return [folder / file]

        return make

    monkeypatch.setattr(hook, "build", makes("build", "module"))
    monkeypatch.setattr(hook, "build_loops", makes("build_loops", "loops"))
    monkeypatch.delenv(compiled.SWITCH, raising=False)
    warnings: list[str] = []
    build = SimpleNamespace(
        target_name="wheel", root=str(tmp_path), app=SimpleNamespace(display_warning=warnings.append)
    )
    data: dict[str, Any] = {"artifacts": []}
    hook.CompiledForm.initialize(build, "standard", data)
    assert [Path(file).name for file in data["artifacts"]] == kept
    assert [text for text, warning in zip(said, warnings, strict=True) if text in warning] == said
    assert data.get("pure_python") is (False if kept else None)


def test_each_file_of_types_has_a_module() -> None:
    typed = {path.with_suffix(".py") for path in PACKAGE.rglob("*.pxd")}
    assert typed and all(path.exists() for path in typed)
    assert len(MODULES) == len(typed)


def test_the_switch_takes_the_python_form() -> None:
    files = json.loads(run(FILES, switch="0"))
    assert all(file.endswith(".py") for file in files)
    assert run("import arrayapi_gpu.compiled as c; print(c.missing)", switch="0").strip().endswith("is 0")


def test_all_modules_are_of_one_form() -> None:
    files = json.loads(run(FILES))
    suffixes = {file.endswith(tuple(EXTENSION_SUFFIXES)) for file in files}
    assert suffixes == {compiled_here()}


def compiled_here() -> bool:
    """Whether a new process takes the compiled form."""
    return run("import arrayapi_gpu.compiled as c; print(bool(c.missing))").strip() == "False"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package, with extensions that cannot be loaded."""
    shutil.copytree(PACKAGE, tmp_path / "arrayapi_gpu", ignore=shutil.ignore_patterns("__pycache__", "_compiled"))
    folder = tmp_path / "arrayapi_gpu" / "_compiled"
    folder.mkdir()
    manifest = folder / f"manifest{EXTENSION_SUFFIXES[0]}.json"
    manifest.write_text(json.dumps(build_hook().digests(ROOT)))
    return tmp_path


WHY = """
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("arrayapi_gpu.compiled", "arrayapi_gpu/compiled.py")
module = module_from_spec(spec)
spec.loader.exec_module(module)
print(module.missing)
"""


def test_a_changed_source_takes_the_python_form(copied: Path) -> None:
    assert run(WHY, copied).strip() == ""
    with (copied / "arrayapi_gpu" / "lazy" / "graph" / "graph.py").open("a") as file:
        file.write("\n# changed\n")
    assert run(WHY, copied).startswith("lazy/graph/graph.py has changed since")


def test_a_package_without_extensions_takes_the_python_form(copied: Path) -> None:
    shutil.rmtree(copied / "arrayapi_gpu" / "_compiled")
    assert "without a C compiler" in run(WHY, copied)
    assert run("import arrayapi_gpu as xp; print(xp.compiled.missing != '')", copied).strip() == "True"


NAMES = f"""
import importlib, json
import arrayapi_gpu
found = {{}}
for name in {MODULES}:
    module = importlib.import_module(name)
    found[name] = {{
        key: sorted(k for k in vars(value) if not k.startswith('_')) if isinstance(value, type) else None
        for key, value in vars(module).items()
        if callable(value) and not key.startswith('_') and value.__module__ == name
    }}
print(json.dumps(found))
"""


def test_both_forms_have_the_same_names() -> None:
    """Functions, classes and their attributes."""
    python = json.loads(run(NAMES, switch="0"))
    assert json.loads(run(NAMES)) == python
    assert sum(map(len, python.values())) > 100


@pytest.mark.parametrize("name", ["exp", "add", "sum", "reshape", "asarray"])
def test_public_functions_have_signatures_and_docstrings(name: str) -> None:
    function = getattr(arrayapi_gpu, name)
    assert inspect.signature(function).parameters and function.__doc__ and function.__name__ == name


IN_A_SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as interpreters
interpreters.run_string(interpreters.create(), '''
import sys
sys.path.insert(0, {ROOT!r})
try:
    import arrayapi_gpu
except ImportError as error:
    sys.stdout.write(str(error))
''')
"""


@pytest.mark.parametrize("first", ["", "import arrayapi_gpu"])
@pytest.mark.parametrize("switch", ["", "0"])
def test_subinterpreters_are_refused(switch: str, first: str) -> None:
    """Whether the main interpreter has imported the package or not."""
    assert "subinterpreter" in run(first + IN_A_SUBINTERPRETER.replace("{ROOT!r}", repr(str(ROOT))), switch=switch)


LINES = """
import arrayapi_gpu as xp
from arrayapi_gpu.memory import gpuarray
xp.config.set(debug=1, fusion=False, small_on_host=False)
x = xp.ones(8) + 1
y = x * 2
kept = y * x
print(*gpuarray._lines.values())
"""


@pytest.mark.parametrize("switch", ["", "0"])
def test_memory_has_the_line_of_the_program_that_made_it(switch: str) -> None:
    """Operators of the compiled form have no frame, and here no function of the program calls them."""
    assert run(LINES, switch=switch).splitlines()[-1] == "<string>:6 <string>:7"


def test_the_environments_switch_is_known() -> None:
    run("import warnings; warnings.simplefilter('error'); import arrayapi_gpu", switch="0")
