"""A pytest plugin (`-p conformance.consumers.plugin`) that runs inside the suites of other libraries.

1. Our namespace joins their back ends: as a parameter of a fixture (SciPy, array-api-extra), as a name of a list
   (array-api-compat, autoray, marray, scikit-learn), or in place of array_api_strict (xarray). cubed reads its own
   variable.
2. Tests that are not about one of the two namespaces of the suite are left out, and those with certain marks.
3. `--consumers-log FILE` writes JSON lines as `conformance.plugin` does.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import platform
import re
import sys
import time
import types
from collections.abc import Callable, Generator, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from conformance.consumers.suites import EVERYTHING, STRICT, SUITES, namespace_of
from conformance.plugin import Recorder
from conformance.suite import OURS


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, which xdist hands on to its workers."""
    parser.addoption("--consumers-log", metavar="FILE", help="write results as JSON lines")
    parser.addoption("--consumers-suite", metavar="NAME", help="whose tests run")
    parser.addoption("--consumers-alone", metavar="NAMESPACE", help="all tests are about this namespace")


def pytest_configure(config: pytest.Config) -> None:
    """Add our namespace where test modules read a list when they are imported; start the log (not in workers)."""
    name, alone = config.getoption("--consumers-suite"), config.getoption("--consumers-alone")
    if name == "xarray" and alone == OURS:
        stand_in_for_strict()
    elif name in _LISTS:
        _LISTS[name]()
    config.pluginmanager.register(ProcessorTime())
    log = config.getoption("--consumers-log")
    if log and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(log), functools.partial(versions, name)))


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Add our namespace to the fixture of a conftest, before pytest reads it."""
    path = Path(getattr(plugin, "__file__", None) or "").as_posix()
    for end, add in _CONFTESTS.items():
        if path.endswith(f"/{end}"):
            add(plugin)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Give a namespace its name in the ids of tests, where pytest would count (marray)."""
    return val.__name__ if isinstance(val, types.ModuleType) else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Add our namespace to marray's list, of which the decorators of its tests hold the same object."""
    if metafunc.config.getoption("--consumers-suite") == "marray":
        namespaces: list[Any] = metafunc.module.xps
        if all(namespace.__name__ != OURS for namespace in namespaces):
            namespaces.append(importlib.import_module(OURS))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not about one of the namespaces."""
    name, alone = config.getoption("--consumers-suite"), config.getoption("--consumers-alone")
    suite = SUITES[name]
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        about = bool(alone) or namespace_of(item.nodeid, suite.namespaces()) is not None
        marked = any(item.get_closest_marker(mark) for mark in suite.marks)
        (kept if about and not marked and re.search(suite.select, item.nodeid) else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


class ProcessorTime:
    """Notes with each test the processor's seconds for its call, those of a driver's threads among them."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Add the number to the properties, which travel from workers to the controlling process."""
        began = time.process_time()
        try:
            return (yield)
        finally:
            item.user_properties.append(("cpu", round(time.process_time() - began, 4)))


def versions(name: str) -> dict[str, Any]:
    """Return what was tested, on what, and with what."""
    ours = importlib.import_module(OURS)
    device = importlib.import_module(f"{OURS}.backends").get_device(None)
    suite = SUITES[name]
    packages = {package: metadata.version(package) for package in ("numpy", "pytest")}
    if suite.beside != "numpy":
        packages[suite.beside] = importlib.import_module(suite.beside).__version__
    return {
        "version": suite.version(),
        OURS: ours.__version__,
        "python": platform.python_version(),
        "device": str(device),
        "driver": device.description,
        "packages": packages,
    }


# --- how ours joins ------------------------------------------------------------------------------


class Backend:
    """Stands beside the members of array-api-extra's enumeration of back ends."""

    value = modname = OURS
    name = OURS.upper()

    def like(self, *others: Any) -> bool:
        """Tell whether one of the others is of the same module."""
        return any(other.modname == self.modname for other in others)


def add_to_scipy(conftest: Any) -> None:
    """Add our namespace to the parameters of the fixture `xp`, and let tests have our devices.

    Tests that SciPy marks for NumPy alone are left out for `xp_known_backends`, so with `EVERYTHING` ours is none.
    Up to 1.17 the fixture `devices` adds a list to what `devices()` returns, which is a tuple since 2025.12.
    Where transfers to the host are forbidden, SciPy's rule for CuPy holds: tests of what it computes on the host
    (`cpu_only`) are skipped. Its assertions may convert, which they do by NumPy for a namespace they do not know.
    """
    if EVERYTHING not in os.environ:
        conftest.xp_known_backends.add(OURS)
    config = importlib.import_module(f"{OURS}.config").config
    if config.host_transfers == "error":
        conftest.xp_skip_cpu_only_backends.add(OURS)
        conftest.xp_known_backends.add(OURS)
        assertions = importlib.import_module("scipy._lib._array_api")
        for name in _CONVERTING:
            setattr(assertions, name, _allowed(config, getattr(assertions, name)))
    _add_parameter(conftest, "xp", conftest.xp_available_backends, importlib.import_module(OURS))
    theirs = inspect.unwrap(conftest.devices)

    def devices(xp: Any) -> Any:
        return [*xp.__array_namespace_info__().devices(), None] if xp.__name__ == OURS else theirs(xp)

    conftest.devices = pytest.fixture(devices)


_CONVERTING = (  # functions of scipy._lib._array_api
    "xp_assert_equal", "xp_assert_close", "xp_assert_close_nulp", "xp_assert_less", "xp_assert_less_equal",
    "_xp_copy_to_numpy",
)  # fmt: skip


def _allowed(config: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that may convert our arrays to NumPy's."""

    @functools.wraps(function)
    def allowed(*arguments: Any, **named: Any) -> Any:
        with config.set(host_transfers="allow"):
            return function(*arguments, **named)

    return allowed


def add_to_extra(conftest: Any) -> None:
    """Add a back end of ours to the parameters of the fixture `library`."""
    _add_parameter(conftest, "library", [backend.pytest_param() for backend in conftest.Backend], Backend())


def add_to_autoray(conftest: Any) -> None:
    """Add our name to the lists of back ends, of which NumPy stays."""
    conftest._ALL_BACKENDS[:] = [OURS, "numpy"]
    conftest._AVAILABLE_BACKENDS.add(OURS)


_CONFTESTS = {
    "scipy/conftest.py": add_to_scipy,
    "array_api_extra/tests/main/conftest.py": add_to_extra,
    "autoray/tests/conftest.py": add_to_autoray,
}


def _add_parameter(conftest: Any, name: str, theirs: list[Any], ours: Any) -> None:
    """Make a fixture anew: with the parameters of the libraries beside ours, and ours."""
    beside = {suite.beside for suite in SUITES.values()}
    parameters = [parameter for parameter in theirs if parameter.id in beside]
    fixture = pytest.fixture(params=[pytest.param(ours, id=OURS), *parameters])
    setattr(conftest, name, fixture(inspect.unwrap(getattr(conftest, name))))


def add_to_compat() -> None:
    """Add our name to the list that its tests import."""
    importlib.import_module("array_api_compat.tests._helpers").all_libraries.append(OURS)


def add_to_scikit_learn() -> None:
    """Add our namespace to what its tests and its checks of estimators iterate over."""
    arrays: Any = importlib.import_module("sklearn.utils._array_api")
    checks: Any = importlib.import_module("sklearn.utils.estimator_checks")
    pair = arrays.NamespaceAndDevice
    mixed = [
        (pair(one, None), pair(other, None), f"{one} to {other}") for one, other in ((OURS, "numpy"), ("numpy", OURS))
    ]
    dtypes = [(OURS, None, dtype) for dtype in ("float64", "float32")]
    same = functools.partial(checks.check_array_api_same_namespace, array_namespace=OURS)
    for name, added in (
        ("yield_namespace_device_dtype_combinations", dtypes),
        ("yield_mixed_namespace_input_permutations", mixed),
    ):
        longer = _longer(getattr(arrays, name), added)
        setattr(arrays, name, longer)
        setattr(checks, name, longer)
    of_estimator = checks._yield_array_api_checks
    with_ours = _longer(of_estimator, [same])

    def array_api_checks(estimator: Any, only_numpy: bool = False) -> Iterator[Any]:
        return of_estimator(estimator, only_numpy) if only_numpy else with_ours(estimator)

    checks._yield_array_api_checks = array_api_checks


def _longer(function: Callable[..., Iterator[Any]], added: list[Any]) -> Callable[..., Iterator[Any]]:
    """Return a function that yields more at the end."""

    @functools.wraps(function)
    def yielding(*arguments: Any, **named: Any) -> Iterator[Any]:
        yield from function(*arguments, **named)
        yield from added

    return yielding


def stand_in_for_strict() -> None:
    """Let `import array_api_strict` give our namespace, and its class of arrays ours."""
    ours = importlib.import_module(OURS)
    sys.modules[STRICT] = ours
    sys.modules[f"{STRICT}._array_object"] = ours


_LISTS: dict[str | None, Callable[[], None]] = {"compat": add_to_compat, "sklearn": add_to_scikit_learn}
