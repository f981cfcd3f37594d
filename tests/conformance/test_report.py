"""The reports, made of recorded results; the suite itself does not run here."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance import report, suite

QR = "array_api_tests/test_linalg.py::test_qr"
WHERE = "array_api_tests/test_searching_functions.py::test_where"
CHAPTERS = {
    "exp": "elementwise",
    "isin": "set",
    "linalg.matmul": "linalg",
    "linalg.qr": "linalg",
    "matmul": "linear_algebra",
    "result_type": "data_type",
    "where": "searching",
    "__dlpack__": "array_object",
    "__int__": "array_object",
    "e": "constants",
}


def recorded(module: str = suite.OURS, device: str | None = "opencl:0:0") -> suite.Run:
    """Return the run of sample.jsonl."""
    run = suite.Run(module, device, seconds=1.5)
    lines = Path(__file__).with_name("sample.jsonl").read_text(encoding="utf-8").splitlines()
    run.read(lines, [])
    return run


def made(*runs: suite.Run, expected: dict[str, str] | None = None) -> report.Report:
    """Return the report of `runs`."""
    facts = {"standard": "2025.12", "seed": 1, "keyword": None}
    return report.Report(facts, list(runs), CHAPTERS, expected or {})


@pytest.mark.parametrize(
    ("test", "place"),
    [
        ("test_special_cases.py::test_unary[exp(x_i is NaN) -> NaN]", ("elementwise", "exp")),
        ("test_has_names.py::test_has_names[linalg-matmul]", ("linalg", "linalg.matmul")),
        ("test_has_names.py::test_has_names[array_method-__int__]", ("array_object", "__int__")),
        ("test_signatures.py::test_extension_func_signature[linalg.qr]", ("linalg", "linalg.qr")),
        ("test_linalg.py::test_matmul", ("linear_algebra", "matmul")),
        ("test_linalg.py::test_linalg_matmul", ("linalg", "linalg.matmul")),
        ("test_set_functions.py::TestIsin::test_isin_scalars", ("set", "isin")),
        ("test_data_type_functions.py::TestResultType::test_odd", ("data_type", "result_type")),
        ("test_dlpack.py::test_dunder_dlpack", ("array_object", "__dlpack__")),
        ("test_special_cases.py::test_iop[__iadd__(x1_i is NaN)]", ("array_object", "__iadd__")),
        ("test_constants.py::test_irrational_numbers[e-2.71]", ("constants", "e")),
        ("test_utility_functions.py::test_new[dtype0]", ("utility", "new")),
        ("test_linalg.py::test_new", ("linalg", "linalg.new")),
    ],
)
def test_a_test_is_placed_by_chapter_and_function(test: str, place: tuple[str, str]) -> None:
    assert report.place(f"array_api_tests/{test}", CHAPTERS) == place


def test_failures_and_skips_are_unexpected() -> None:
    run = recorded()
    assert [test["nodeid"] for test in made(run).unexpected(run)] == [QR, WHERE]


def test_an_expected_failure_must_fail() -> None:
    run = recorded()
    listed = {QR: "reason", run.tests[0]["nodeid"]: "stale: it passes"}
    found = [test["nodeid"] for test in made(run, expected=listed).unexpected(run)]
    assert found == [run.tests[0]["nodeid"], WHERE]


def test_an_expected_failure_must_exist() -> None:
    run, gone = recorded(), "array_api_tests/test_fft.py::test_gone"
    result = made(run, expected={QR: "reason", WHERE: "reason", gone: "reason"})
    assert result.unknown() == [gone]
    assert f"expected to fail, but no such test: {gone}" in result.complaints()
    result.facts["keyword"] = "qr"  # a part of the suite: tests are missing
    assert result.unknown() == []


def test_everything_unexpected_is_a_line() -> None:
    run = recorded()
    listed = {run.tests[0]["nodeid"]: "stale", QR: "reason"}
    assert made(run, expected=listed).complaints() == [
        f"opencl:0:0: {run.tests[0]['nodeid']} passed, listed as an expected failure",
        f"opencl:0:0: {WHERE} skipped",
    ]


def test_other_modules_are_only_reported() -> None:
    run = recorded("numpy", None)
    assert made(run).unexpected(run) == []


def test_files(tmp_path: Path) -> None:
    made(recorded(), recorded("numpy", None)).write(tmp_path)
    data = json.loads((tmp_path / "report.json").read_text())
    assert [run["label"] for run in data["runs"]] == ["opencl:0:0", "numpy"]
    counts = ("passed", "failed", "skipped", "unexpected", "kernels")
    assert [data["runs"][0][key] for key in counts] == [2, 1, 1, 2, 7]
    exp = {"passed": 1, "failed": 0, "skipped": 0, "seconds": 0.01, "kernels": 5}
    assert data["runs"][0]["chapters"]["elementwise"]["exp"] == exp
    markdown = (tmp_path / "REPORT.md").read_text()
    assert "| arrayapi_gpu | 0.1.0 | opencl:0:0 | 4 | 2 | 1 | 1 | 2 | 7 |" in markdown
    assert "| linalg | 1/2 | 1/2 |" in markdown
    assert "| `linalg.qr` | 1/2 | 0.53 | 2 | 1/2 | 0.53 | 2 |" in markdown
    assert "PoCL 3.0" in markdown
    for repair in suite.REPAIRS:
        assert repair in markdown
    assert "2 of 4" in "".join(ElementTree.parse(tmp_path / "badge.svg").getroot().itertext())


def test_page_holds_its_data_safely() -> None:
    page = made(recorded()).html()
    assert page.count("</script>") == 2  # a failing example cannot end the element
    text = page.partition('id="data">')[2].partition("</script>")[0]
    table = json.loads(text)["table"]
    (exp,) = table["elementwise"]["exp"]
    assert exp == {"passed": 1, "failed": 0, "skipped": 0, "seconds": 0.01, "kernels": 5, "bad": []}
    assert table["linalg"]["linalg.qr"][0]["bad"][0]["text"].endswith("</script>")


def test_no_badge_for_a_part_of_the_suite(tmp_path: Path) -> None:
    some = made(recorded())
    some.facts["keyword"] = "qr"
    some.write(tmp_path)
    assert not (tmp_path / "badge.svg").exists()


def test_expected_failures_need_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_text(f"# comment\n\n{QR}[a # b]  # a reason\n")
    assert report.read_expected(file) == {f"{QR}[a # b]": "a reason"}
    file.write_text(f"{QR}\n")
    with pytest.raises(ValueError, match="line 1"):
        report.read_expected(file)


def test_no_failure_is_expected() -> None:
    listed = Path(report.__file__).with_name("expected_failures.txt")
    assert report.read_expected(listed) == {}


@pytest.mark.parametrize("page", ["README.md", "conformance/README.md"])
def test_pages_say_what_the_badge_says(page: str) -> None:
    """CI compares the badge with its own run (.ci/run and .github/workflows)."""
    root = Path(report.__file__).parent.parent
    badge = ElementTree.parse(root / "conformance" / "badge.svg").getroot()
    text = (root / page).read_text(encoding="utf-8")
    (ours,) = (line for line in text.splitlines() if line.startswith("| **arrayapi_gpu**"))
    passed, failed, skipped, total = ours.replace(",", "").replace("*", "").strip("| ").split("|")[-4:]
    assert badge.get("aria-label") == f"array API {suite.VERSION}: {passed.strip()} of {total.strip()}"
    assert int(passed) + int(failed) + int(skipped) == int(total)
