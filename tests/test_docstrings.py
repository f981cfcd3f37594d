"""The docstrings of public functions, methods and attributes: they have numpydoc's form, and their examples run.

The codes that numpydoc checks stand in pyproject.toml. Examples may use ``xp``, this package, and ``np``, its mirror of
NumPy; they import other modules.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import pydoc
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numpydoc import docscrape, validate

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

ROOT = Path(__file__).parents[1]
CHECKS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["numpydoc_validation"]["checks"]

# The modules whose public names users import. Classes that are reached from values alone are added to them.
PUBLIC = [
    "arrayapi_gpu",
    "arrayapi_gpu.linalg",
    "arrayapi_gpu.fft",
    "arrayapi_gpu.special",
    "arrayapi_gpu.random",
    "arrayapi_gpu.lib",
    "arrayapi_gpu.numpy",
    "arrayapi_gpu.numpy.linalg",
    "arrayapi_gpu.numpy.fft",
    "arrayapi_gpu.numpy.random",
    "arrayapi_gpu.numpy.polynomial",
]
if importlib.util.find_spec("distributed") is not None:
    PUBLIC.append("arrayapi_gpu.dask")


# Modules whose docstrings are not in numpydoc's form yet.
def ours(value: Any) -> bool:
    """Whether a function or class is defined in this package."""
    return str(getattr(value, "__module__", "")).partition(".")[0] == "arrayapi_gpu"


def members(name: str, kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, with their names below that of the class."""
    for member in dir(kind):
        value = inspect.getattr_static(kind, member)
        value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if not member.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)):
            yield f"{name}.{member}", value


@cache
def documented() -> dict[str, list[tuple[str, Any]]]:
    """The public names and their objects, by the module that defines them."""
    found: dict[int, tuple[str, Any]] = {}
    for path in PUBLIC:
        module = importlib.import_module(path)
        for name in getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")]):
            value = getattr(module, name)
            if isinstance(value, ModuleType) or name.startswith("_"):
                continue
            if not inspect.isroutine(value) and not inspect.isclass(value):  # an instance, such as `config`
                kind: Any = type(value)
            else:
                found.setdefault(id(value), (f"{path}.{name}", value))
                kind = value
            if inspect.isclass(kind) and ours(kind):
                for whole, member in members(f"{path}.{name}", kind):
                    found.setdefault(id(member), (whole, member))
    for whole, member in members("arrayapi_gpu.__array_namespace_info__()", type(xp.__array_namespace_info__())):
        found.setdefault(id(member), (whole, member))
    by_module: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for name, value in found.values():
        function = value.fget if isinstance(value, property) else value
        if ours(function):
            by_module[function.__module__].append((name, value))
    return by_module


def faults(name: str, value: Any) -> list[str]:
    """The codes that numpydoc finds for one object."""
    errors = validate.validate(docscrape.get_doc_object(value))["errors"]
    return [f"{name}: {code} {text}" for code, text in errors if code in CHECKS]


MODULES = sorted(documented())


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_have_numpydocs_form(module: str) -> None:
    assert [fault for name, value in documented()[module] for fault in faults(name, value)] == []


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, device: Device) -> None:
    if "f64" not in device.dtypes:
        pytest.skip("examples print numbers of float64")
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    parser = doctest.DocTestParser()
    for name, value in documented()[module]:
        globs = {"xp": xp, "np": importlib.import_module("arrayapi_gpu.numpy")}
        test = parser.get_doctest(inspect.getdoc(value) or "", globs, name, None, None)
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def is_found(name: str, whole: str) -> bool:
    """Whether a name in "See Also" is that of an object: a whole name, or one in the class or module of the object
    ``whole``, or one in the package."""
    container = whole.rpartition(".")[0]
    for path in (name, f"{container}.{name}", f"arrayapi_gpu.{name}"):
        package, *parts = path.split(".")
        if package != "arrayapi_gpu":
            continue
        found: Any = importlib.import_module(package)
        for part in parts:
            found = getattr(found, part, None)
        if found is not None:
            return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_related_names_are_found(module: str) -> None:
    lost = []
    for whole, value in documented()[module]:
        path = whole.replace("__array_namespace_info__()", "Info")
        for names, _ in docscrape.NumpyDocString(inspect.getdoc(value) or "")["See Also"]:
            lost += [f"{whole}: {name}" for name, _ in names if not is_found(name, path)]
    assert lost == []


def listed(chapter: str) -> list[str]:
    """The names that the docstring of the package lists under a heading, without remarks such as "(with a package)"."""
    found = re.search(rf"^{chapter}\n((?:    \S.*\n)+)", xp.__doc__ or "", re.MULTILINE)
    assert found is not None, chapter
    return [name.partition(" ")[0] for name in re.split(r",\s+", found[1].strip())]


def test_help_begins_with_the_functions() -> None:
    """They are listed before classes, which pydoc describes first, in the order of the standard's chapters."""
    begin = pydoc.plain(pydoc.render_doc(xp)).partition("\nCLASSES\n")[0]
    headings = re.findall(r"^(\S.*)\n    \S", xp.__doc__ or "", re.MULTILINE)
    assert all(f"\n    {heading}\n" in begin for heading in headings)
    chapters = [heading for heading in headings if heading.endswith(" functions")]
    assert len(chapters) == 11 and chapters == sorted(chapters) == headings[:11]
    for chapter in chapters:
        name = re.sub("[ -]", "_", chapter.lower().replace("element-wise", "elementwise"))
        public: list[str] = importlib.import_module(f"arrayapi_gpu.api.standard.{name}").__all__
        functions = {name for name in public if inspect.isfunction(getattr(xp, name))}
        assert set(listed(chapter)) - {"from_dlpack"} == functions
    names = [name for heading in headings for name in listed(heading)]
    public_names = {name for name in xp.__all__ if not name.startswith("_")}
    assert len(names) == len(set(names)) and set(names) | {"bfloat16"} == public_names | {"bfloat16"}
