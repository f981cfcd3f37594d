"""A pytest plugin (`-p conformance.plugin`) that runs inside the official suite.

1. It makes the two repairs of the pinned suite that `suite.REPAIRS` states, and no other.
2. `--conformance-log FILE` writes JSON lines: the ids collected, a line a test (with the kernels
   compiled for it, if the module under test counts them), and at the end the versions.
3. `--conformance-half` widens the suite's real floating-point dtype lists by float16.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import platform
import sys
import types
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_EXAMPLE_LIMIT = 2000  # characters of a failure that are kept
_PACKAGES = ("numpy", "hypothesis", "pytest")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two options, which xdist hands on to its workers."""
    parser.addoption("--conformance-log", metavar="FILE", help="write results as JSON lines")
    parser.addoption("--conformance-half", action="store_true", help="test float16, too")


def pytest_configure(config: pytest.Config) -> None:
    """Widen the dtype lists before test modules are imported; start the log (not in workers)."""
    if config.getoption("--conformance-half"):
        add_half(importlib.import_module("array_api_tests.dtype_helpers"))
    config.pluginmanager.register(KernelCounter())
    log = config.getoption("--conformance-log")
    if log and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(log)))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Make the repairs."""
    if config.getoption("--conformance-half"):
        keep_integers_small()
    for item in items:
        if item.name.startswith("test_remainder"):
            item.own_markers[:] = [
                mark for mark in item.own_markers if not (mark.name == "skip" and mark.kwargs.get("reason") == "flaky")
            ]
        if item.name == "test_dunder_dlpack":
            handle = item.obj.hypothesis  # type: ignore[attr-defined]  # of a function under @given
            handle.inner_test = accepting_refusal(handle.inner_test)


def accepting_refusal(test: Callable[..., None]) -> Callable[..., None]:
    """Return `test_dunder_dlpack` for one example, passing on a BufferError that the standard demands.

    That is one for ``copy=False`` and a ``dl_device`` which is not the array's own. The same request
    may also succeed, where memory is shared; all else must succeed, as before.
    """

    @functools.wraps(test)
    def repaired(x: Any, copy_kw: Any, dl_device_kw: Any, **others: Any) -> None:
        own = tuple(map(int, x.__dlpack_device__()))
        elsewhere = tuple(map(int, dl_device_kw.get("dl_device", own))) != own
        try:
            test(x=x, copy_kw=copy_kw, dl_device_kw=dl_device_kw, **others)
        except BufferError:
            if copy_kw.get("copy") is not False or not elsewhere:
                raise

    return repaired


def device_under_test() -> Any:
    """Return the device, None for a module that has none of ours."""
    try:
        backends = importlib.import_module(os.environ["ARRAY_API_TESTS_MODULE"] + ".backends")
        return backends.get_device(os.environ.get("ARRAYAPI_GPU_DEVICE"))
    except (ImportError, AttributeError):  # a foreign module: numpy has no such thing
        return None


class KernelCounter:
    """Notes with each test how many kernels were compiled since the one before it in the process."""

    def __init__(self) -> None:
        self._before = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Add the number to the properties, which travel from workers to the controlling process."""
        if call.when == "call" and (device := device_under_test()) is not None:
            compiled = device.kernels_compiled
            item.user_properties.append(("kernels", compiled - self._before))
            self._before = compiled


def versions() -> dict[str, Any]:
    """Return what was tested, on what, and with what."""
    name = os.environ.get("ARRAY_API_TESTS_MODULE", "pytest")
    named = [importlib.import_module(name), importlib.import_module(name.partition(".")[0])]  # jax.numpy has no version
    found = [module.__version__ for module in named if hasattr(module, "__version__")]
    facts: dict[str, Any] = {
        "version": found[0] if found else "unknown",
        "python": platform.python_version(),
        "packages": {package: metadata.version(package) for package in _PACKAGES},
    }
    if (device := device_under_test()) is not None:
        facts |= {"device": str(device), "driver": device.description}
        facts["packages"] |= importlib.import_module(f"{name}.backends").drivers()
    return facts


def failing_example(text: str) -> str:
    """Return the lines of a pytest traceback that say what failed, and on which example."""
    marked = [line[4:] for line in text.splitlines() if line.startswith("E ")]
    short = "\n".join(marked) or text[-_EXAMPLE_LIMIT:]
    return short if len(short) <= _EXAMPLE_LIMIT else short[:_EXAMPLE_LIMIT] + " …"


class Recorder:
    """Writes the log line by line, so that a crash loses only the tests that were running."""

    def __init__(self, path: Path, facts: Callable[[], dict[str, Any]] = versions) -> None:
        self._facts = facts
        self._file = path.open("w", encoding="utf-8", buffering=1)
        self._collected = False
        self._tests: dict[str, dict[str, Any]] = {}

    def _write(self, record: dict[str, Any]) -> None:
        self._file.write(json.dumps(record) + "\n")

    def _write_collected(self, ids: list[str]) -> None:
        if not self._collected:
            self._collected = True
            self._write({"collected": ids})

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """One process: the session knows the ids."""
        if session.items:
            self._write_collected([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Several processes: each worker sends the same ids."""
        self._write_collected(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Join set-up, call and tear-down of a test to one record."""
        record = self._tests.setdefault(report.nodeid, {"nodeid": report.nodeid, "outcome": "passed", "seconds": 0.0})
        record["seconds"] = round(record["seconds"] + report.duration, 4)
        if report.failed or (report.skipped and record["outcome"] == "passed"):
            record["outcome"] = report.outcome
            skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else None
            record["text"] = skipped or failing_example(report.longreprtext)
        if report.when == "teardown":
            record.update((name, n) for name, n in report.user_properties if name in ("kernels", "cpu"))
            self._write(self._tests.pop(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        """Write the versions."""
        self._write({"facts": self._facts()})
        self._file.close()


# --- float16 ------------------------------------------------------------------------------------
# The standard of 2025.12 has no float16. The rules tested are those that follow by analogy: it is
# the narrowest real floating-point type, and its complex partner is complex64.


class _FloatOrHalf:
    """Equals float32 and float16: for the suite's own `x.dtype in [float32, float64]`."""

    def __init__(self, *dtypes: Any) -> None:
        self._dtypes = dtypes

    def __eq__(self, other: object) -> bool:
        return any(bool(dtype == other) for dtype in self._dtypes)

    __hash__ = None  # type: ignore[assignment]


def add_half(helpers: Any) -> None:
    """Add float16 to `helpers`, the suite's imported `dtype_helpers`, and to what hypothesis knows.

    Test modules derive their lists from these when they are imported, so this must come first.
    Raises UsageError when the module under test has no float16.
    """
    if not hasattr(helpers.xp, "float16"):
        raise pytest.UsageError(f"{helpers.xp.__name__} has no float16 to test")
    half, single, double = helpers.xp.float16, helpers.xp.float32, helpers.xp.float64

    # Every tuple of dtypes (or names) that holds float32 gets float16 before it. One that stands in
    # several places stays one object. The old ones are kept so that no id is used twice.
    new: dict[int, tuple[Any, Any]] = {}

    def widened(value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        if id(value) not in new:
            wider = list(value)
            for mark, added in ((single, half), ("float32", "float16")):
                at = [i for i, x in enumerate(wider) if type(x) is type(mark) and x == mark]
                if at:
                    wider.insert(at[0], added)
            new[id(value)] = value, tuple(wider)
        return new[id(value)][1]

    mappings = (helpers.kind_to_dtypes, helpers.category_to_dtypes, helpers.func_in_dtypes)
    for scope in (vars(helpers), *mappings):
        scope.update({name: widened(value) for name, value in scope.items()})

    ranges = type(helpers.dtype_ranges[single])
    _append(helpers.dtype_to_name, half, "float16")
    _append(helpers.dtype_ranges, half, ranges(-65504.0, 65504.0))
    _append(helpers.dtype_nbits, half, 16)
    for other, result in ((half, half), (single, single), (double, double)):
        _append(helpers.promotion_table, (half, other), result)
        if other != half:
            _append(helpers.promotion_table, (other, half), result)
    helpers._name_to_dtype["float16"] = half
    helpers.widest_real_dtype = half  # the special cases of binary functions are tested with this one

    of_single = helpers.complex_dtype_for
    helpers.complex_dtype_for = lambda dtype: of_single(single if dtype == half else dtype)
    arrays: Any = importlib.import_module("array_api_tests.array_helpers")
    arrays.float32 = _FloatOrHalf(single, half)
    _teach_hypothesis(half)


def _append(mapping: Any, key: Any, value: Any) -> None:
    """Add to the suite's EqualityMapping, which is read-only but for its list of pairs."""
    mapping._key_value_pairs.append((key, value))


def _teach_hypothesis(half: Any) -> None:
    """Let hypothesis' array strategies know float16, favour it, and round its bounds inwards."""
    strategies: Any = importlib.import_module("hypothesis.strategies")
    extra = importlib.import_module("hypothesis.extra.array_api")
    for name in ("FLOAT_NAMES", "REAL_NAMES", "NUMERIC_NAMES", "DTYPE_NAMES"):
        setattr(extra, name, ("float16", *getattr(extra, name)))
    floats, sampled_from = strategies.floats, strategies.sampled_from

    @functools.wraps(floats)
    def rounded(min_value: Any = None, max_value: Any = None, *, width: int = 64, **options: Any) -> Any:
        if width == 16:
            min_value = None if min_value is None else -half_below(-float(min_value))
            max_value = None if max_value is None else half_below(float(max_value))
        return floats(min_value, max_value, width=width, **options)

    @functools.wraps(sampled_from)
    def favouring(elements: Any) -> Any:
        # One dtype of fourteen would come up too seldom: some tests draw ten examples only.
        if isinstance(elements, list | tuple):
            with_half = [x for x in elements if x is half or (isinstance(x, tuple) and any(part is half for part in x))]
            if with_half:
                return sampled_from(with_half) | sampled_from(elements)
        return sampled_from(elements)

    strategies.floats, strategies.sampled_from = rounded, favouring


def keep_integers_small() -> None:
    """Draw only integers that a half holds exactly, where tests convert integers to a float dtype.

    These are the special cases (also integers plus one half) and `asarray` of lists of numbers.
    """
    modules: Mapping[str, Any] = sys.modules
    if module := modules.get("array_api_tests.test_special_cases"):
        integers = module.st.integers
        module.st = types.SimpleNamespace(**vars(module.st))
        module.st.integers = lambda low, high: integers(max(low, -1023), min(high, 1023))
    if module := modules.get("array_api_tests.test_creation_functions"):
        from_dtype, int32 = module.hh.from_dtype, module.xp.int32
        small = {"min_value": -2048, "max_value": 2048}
        module.hh = types.SimpleNamespace(**vars(module.hh))
        module.hh.from_dtype = lambda dtype, **bounds: from_dtype(
            dtype, **({**small, **bounds} if dtype == int32 else bounds)
        )


def half_below(value: float) -> float:
    """Return the greatest finite half that is not above `value`, -65504 if there is none."""
    clamped = max(-65504.0, min(65504.0, value))
    half = np.float16(clamped)
    return float(np.nextafter(half, np.float16("-inf")) if float(half) > clamped else half)
