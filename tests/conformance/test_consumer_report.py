"""The report of the suites of other libraries, made of recorded results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conformance import suite
from conformance.consumers import report
from conformance.consumers.suites import SUITES
from conformance.report import read_expected

FILE = "scipy/stats/tests/test_stats.py"


def record_of(name: str, outcome: str = "passed", text: str = "") -> dict[str, Any]:
    """Return a record."""
    return {"nodeid": f"{FILE}::{name}", "outcome": outcome, "seconds": 0.5, "text": text}


def made(*tests: dict[str, Any], **expected: str) -> report.Report:
    """Return the report of SciPy's tests."""
    run = suite.Run("scipy-stats", tests=list(tests), facts={"version": "9.9"}, seconds=2.0)
    reasons = {f"{FILE}::{name}": why for name, why in expected.items()}
    return report.Report({"date": "today"}, [report.Outcome(SUITES["scipy"], "stats", [run])], reasons)


def unexpected(made: report.Report) -> list[str]:
    """Return the names of the unexpected failures."""
    return [test["nodeid"].partition("::")[2] for test in made.unexpected(made.outcomes[0])]


def test_a_failure_is_unexpected_unless_it_is_listed() -> None:
    tests = record_of("test_a[arrayapi_gpu]", "failed"), record_of("test_b[arrayapi_gpu]", "skipped")
    assert unexpected(made(*tests)) == ["test_a[arrayapi_gpu]"]
    assert unexpected(made(*tests, test_a="all its parameters")) == []
    assert unexpected(made(*tests, **{"test_a[arrayapi_gpu]": "this one"})) == []
    assert unexpected(made(*tests, **{"test_a[*_gpu*]": "those of ours"})) == []
    assert unexpected(made(*tests, **{"test_a[*-2]": "another"})) == ["test_a[arrayapi_gpu]"]
    assert unexpected(made(*tests, test_="another")) == ["test_a[arrayapi_gpu]"]


@pytest.mark.parametrize(("text", "excused"), [("assert 1 == 2", True), (f"{suite.NO_RESULT}: code 9", False)])
def test_a_failure_of_both_is_not_ours_unless_the_process_died(text: str, excused: bool) -> None:
    tests = record_of("test_a[arrayapi_gpu-1]", "failed", text), record_of("test_a[numpy-1]", "failed", text)
    assert unexpected(made(*tests)) == ([] if excused else ["test_a[arrayapi_gpu-1]"])


def test_what_marray_skips_for_strict_is_outside_of_the_standard() -> None:
    tests = record_of("test_a[arrayapi_gpu-1]", "failed"), record_of("test_a[array_api_strict-1]", "skipped")
    result = made(*tests)
    assert unexpected(result) == ["test_a[arrayapi_gpu-1]"]
    result.outcomes[0] = report.Outcome(SUITES["marray"], "", result.outcomes[0].runs)
    assert unexpected(result) == []


def test_files(tmp_path: Path) -> None:
    names = [f"test_a[arrayapi_gpu-{number}]" for number in range(10)]
    tests = [record_of(name, "failed", "TypeError: `x`\nmore") for name in names]
    result = made(*tests, record_of("test_a[numpy-1]"), record_of("test_b[arrayapi_gpu]", "skipped", "slow"))
    result.write(tmp_path)
    page = (tmp_path / "CONSUMERS.md").read_text()
    assert "| scipy.stats | 9.9 | arrayapi_gpu | 0 | 10 | 1 | 6 | 0 |  | 10 |" in page
    assert "| scipy.stats | 9.9 | numpy | 1 | 0 | 0 | 0 | 0 |  |  |" in page
    assert f"- 10: `TypeError: 'x'`\n  - `{FILE}::test_a[arrayapi_gpu-0]`" in page
    assert "  - and 2 more" in page
    (record,) = json.loads((tmp_path / "consumers.json").read_text())["suites"]
    assert record["wall"] == 2.0
    assert record["namespaces"]["numpy"] == {"passed": 1, "failed": 0, "skipped": 0, "seconds": 0.5}
    assert len(record["not passed"]["arrayapi_gpu"]) == 11


def test_processor_time_is_compared_for_tests_that_both_passed() -> None:
    seconds = {"a": (3.0, 1.0), "b": (2.0, 1.5), "c": (50.0, 1.0)}
    tests = [
        {**record_of(f"test_{name}[{namespace}]", "failed" if (name, number) == ("c", 1) else "passed"), "cpu": cpu}
        for name, both in seconds.items()
        for number, (namespace, cpu) in enumerate(zip(("arrayapi_gpu", "numpy"), both, strict=True))
    ]
    result = made(*tests)
    assert result.outcomes[0].times_the_other == "2.0"
    result.outcomes[0].turn = "warm"
    assert "| scipy.stats, warm | 9.9 | arrayapi_gpu | 3 | 0 | 0 | 2 | 55 | 2.0 | 0 |" in result.table()


def test_each_expected_failure_names_a_line() -> None:
    """The reason names a file and a line of the other library."""
    listed = read_expected(Path(report.__file__).with_name("expected_failures.txt"))
    assert [nodeid for nodeid, why in listed.items() if not re.search(r"\.pyx?:\d", why)] == []
