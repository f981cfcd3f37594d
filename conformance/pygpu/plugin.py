"""A pytest plugin (`-p conformance.pygpu.plugin`) that runs libgpuarray's tests with ``pygpu`` pointed at ours.

1. ``pygpu``, ``nose``, ``six`` and ``mako`` are stood in for, as far as the tests need them.
2. A test that yields (function, arguments) becomes a case for each, as nose had it.
3. ``--pygpu-log FILE`` writes JSON lines as `conformance.plugin` does.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import string
import sys
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.plugin import Recorder
from conformance.pygpu.suite import IMPOSSIBLE, PACKAGE
from conformance.suite import OURS

PYGPU = f"{OURS}.pygpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option, which xdist hands on to its workers."""
    parser.addoption("--pygpu-log", metavar="FILE", help="write results as JSON lines")


def pytest_configure(config: pytest.Config) -> None:
    """Stand in for what the tests import; start the log (not in workers)."""
    ours = importlib.import_module(PYGPU)
    sys.modules["pygpu"] = ours
    for module in pkgutil.iter_modules(ours.__path__):
        sys.modules[f"pygpu.{module.name}"] = importlib.import_module(f"{PYGPU}.{module.name}")
    for name, contents in stand_ins().items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(contents)
    sys.path.insert(0, str(config.rootpath))
    sys.modules["pygpu.tests"] = importlib.import_module(PACKAGE)
    sys.modules["pygpu.tests.support"] = importlib.import_module(f"{PACKAGE}.support")
    log = config.getoption("--pygpu-log")
    if log and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(log)))


def assert_raises(error: type[BaseException], function: Callable[..., Any], *args: Any) -> None:
    """As nose's: the call raises this error."""
    with pytest.raises(error):
        function(*args)


class Template:
    """As Mako's, for texts in which names alone stand in ``${}``."""

    def __init__(self, text: str) -> None:
        self._text = string.Template(text)

    def render(self, **names: str) -> str:
        """Return the text with the names replaced."""
        return self._text.substitute(names)


def stand_ins() -> dict[str, dict[str, Any]]:
    """Return the contents of modules that the tests import and that are not there any more."""
    return {
        "nose": {},
        "nose.plugins": {},
        "nose.plugins.skip": {"SkipTest": unittest.SkipTest},
        "nose.tools": {"assert_raises": assert_raises},
        "six": {"PY2": False, "PY3": True},
        "six.moves": {"range": range},
        "mako": {},
        "mako.template": {"Template": Template},
    }


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> list[pytest.Item] | None:
    """Make a case of each thing that a test yields."""
    if not (isinstance(collector, pytest.Module) and name.startswith("test_") and inspect.isgeneratorfunction(obj)):
        return None
    cases: list[pytest.Item] = []
    for function, *args in obj():
        title = f"{name}[{'-'.join(map(shown, (function, *args)))}]"
        cases.append(pytest.Function.from_parent(collector, name=title, callobj=functools.partial(function, *args)))
    return cases


def shown(value: object) -> str:
    """Return an argument as the name of a case has it."""
    name = getattr(value, "__name__", None)
    if name == "f":  # guarded against devices without a dtype: the function within knows its name
        cells = getattr(value, "__closure__", None) or ()
        name = next((cell.cell_contents.__name__ for cell in cells if inspect.isfunction(cell.cell_contents)), name)
    return str(name or value).replace(" ", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot run here, with the reason."""
    for item in items:
        for beginning, reason in IMPOSSIBLE.items():
            if item.name == beginning:
                item.add_marker(pytest.mark.skip(reason=reason))
