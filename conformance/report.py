"""From the records of the runs to REPORT.md, report.json, report.html and badge.svg."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from conformance.suite import OURS, REPAIRS, Run

_OUTCOMES = ("passed", "failed", "skipped")
_EXTENSIONS = ("linalg", "fft")


def read_expected(path: Path) -> dict[str, str]:
    """Return reason by node id. Raises ValueError for a line without a reason."""
    reasons: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        nodeid, _, reason = line.rpartition("  #")
        if not nodeid or not reason.strip():
            raise ValueError(f"{path.name}, line {number}: want 'node id  # reason', got {line!r}")
        reasons[nodeid.strip()] = reason.strip()
    return reasons


def place(nodeid: str, chapters: dict[str, str]) -> tuple[str, str]:
    """Return chapter and function that a test is about, from the words of its node id.

    The parameter comes first (`test_unary[exp(x_i is NaN) -> NaN]`, `test_has_names[fft-ifft]`),
    then the test's name, ever shorter (`test_searchsorted_with_scalars`), then the file's.
    """
    file, _, rest = nodeid.partition("::")
    group, _, test = rest.partition("[")[0].rpartition("::")
    parameter = rest.partition("[")[2]
    words = re.match(r"(?:(\w+)[-.])?(\w+)", parameter)
    first, name = words.groups() if words else ("", "")
    named = [f"{first}.{name}" if first in _EXTENSIONS else name, first]
    word = test.removeprefix("test_").removeprefix("dunder_").replace("linalg_", "linalg.")
    while word:
        named += [word, f"__{word}__"]
        word = word.rpartition("_")[0]
    named.append(re.sub(r"\B(?=[A-Z])", "_", group.removeprefix("Test")).lower())  # TestResultType
    for candidate in named:
        for full in (candidate, *(f"{extension}.{candidate}" for extension in _EXTENSIONS)):
            if full in chapters:
                return chapters[full], full
        if candidate == name and re.fullmatch(r"__i\w+__", name):  # x += y: not in the stubs
            return "array_object", name
    stem = Path(file).stem.removeprefix("test_").removesuffix("_functions")
    prefix = f"{stem}." if stem in _EXTENSIONS else ""
    return stem, prefix + test.removeprefix("test_")


def counts(tests: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how many tests had each outcome, their seconds, the processor's for them, and the kernels compiled."""
    found: dict[str, Any] = {outcome: sum(test["outcome"] == outcome for test in tests) for outcome in _OUTCOMES}
    found["seconds"] = round(sum(test["seconds"] for test in tests), 2)
    if any("cpu" in test for test in tests):
        found["cpu"] = round(sum(test.get("cpu", 0) for test in tests), 2)
    if any("kernels" in test for test in tests):
        found["kernels"] = sum(test.get("kernels", 0) for test in tests)
    return found


def _passed(found: dict[str, Any]) -> str:
    """Return "4/5", or nothing where there is no test."""
    total = sum(found[outcome] for outcome in _OUTCOMES)
    return f"{found['passed']}/{total}" if total else ""


def _cells(*cells: Any) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(map(str, cells)) + " |"


@dataclass
class Report:
    """All runs of one call, with the facts that hold for all, and the expected failures of ours."""

    facts: dict[str, Any]
    runs: list[Run]
    chapters: dict[str, str]
    expected: dict[str, str]

    def unexpected(self, run: Run) -> list[dict[str, Any]]:
        """Return the tests of a run of ours that neither passed nor failed as expected.

        A skip is unexpected, and so is a pass of a test that is listed. Other modules have none.
        """
        if run.module != OURS:
            return []
        want = {nodeid: "failed" for nodeid in self.expected}
        return [test for test in run.tests if test["outcome"] != want.get(test["nodeid"], "passed")]

    def unknown(self) -> list[str]:
        """Return the expected failures that no run of ours has, if the whole suite was run."""
        ours = [run for run in self.runs if run.module == OURS]
        if self.facts.get("keyword") or not ours:
            return []
        known = {test["nodeid"] for run in ours for test in run.tests}
        return [nodeid for nodeid in self.expected if nodeid not in known]

    def complaints(self) -> list[str]:
        """Return a line for everything unexpected."""
        lines = [
            f"{run.label}: {test['nodeid']} {test['outcome']}"
            + (", listed as an expected failure" if test["nodeid"] in self.expected else "")
            for run in self.runs
            for test in self.unexpected(run)
        ]
        return lines + [f"expected to fail, but no such test: {nodeid}" for nodeid in self.unknown()]

    def table(self) -> dict[str, dict[str, list[list[dict[str, Any]]]]]:
        """Return chapter -> function -> for each run the tests about it."""
        found: dict[str, dict[str, list[list[dict[str, Any]]]]] = {}
        for column, run in enumerate(self.runs):
            for test in run.tests:
                chapter, function = place(test["nodeid"], self.chapters)
                cells = found.setdefault(chapter, {}).setdefault(function, [[] for _ in self.runs])
                cells[column].append(test)
        order = sorted(found, key=lambda chapter: (chapter in _EXTENSIONS, chapter))
        return {chapter: dict(sorted(found[chapter].items())) for chapter in order}

    def summary(self) -> str:
        """Return two tables in Markdown: a line a run; and a line a chapter, a column a run."""
        head = ["namespace", "version", "device", "tests", "passed", "failed", "skipped", "seconds", "kernels"]
        lines = [_cells(*head), "|---|---|---|" + "--:|" * 6]
        for run in self.runs:
            found = counts(run.tests)
            name = run.module + (" with float16" if run.half else "")
            outcomes = [found[outcome] for outcome in _OUTCOMES]
            line = [name, run.facts.get("version", "?"), run.device or "", len(run.tests), *outcomes]
            lines.append(_cells(*line, f"{run.seconds:.0f}", found.get("kernels", "")))
        labels = [run.label for run in self.runs]
        lines += ["", _cells("passed, of all tests", *labels), "|---|" + "--:|" * len(labels)]
        for chapter, functions in self.table().items():
            columns = zip(*functions.values(), strict=True)
            found_by_run = [counts([test for cell in column for test in cell]) for column in columns]
            lines.append(_cells(chapter.replace("_", " "), *map(_passed, found_by_run)))
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return REPORT.md: totals, chapters, versions, what did not pass, functions."""
        facts = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in self.facts.items() if value)
        lines = ["# Conformance to the array API standard", "", facts + ".", "", self.summary(), ""]
        lines += ["Hypothesis' deadlines are off. What else differs from the pinned suite:", ""]
        lines += [f"- {repair}" for repair in REPAIRS]
        lines += ["", "## Versions", ""]
        for run in self.runs:
            packages = run.facts.get("packages", {}).items()
            versions = [f"{run.module} {run.facts.get('version', '?')}", run.facts.get("driver")]
            versions += [f"Python {run.facts.get('python', '?')}"]
            versions += [f"{name} {version}" for name, version in packages]
            lines.append(f"- {run.label}: " + ", ".join(filter(None, versions)))
        for run in self.runs:
            failed = [test for test in run.tests if test["outcome"] != "passed"]
            lines += ["", f"## {run.label}: not passed ({len(failed)})", ""]
            for test in failed:
                reason = self.expected.get(test["nodeid"]) if run.module == OURS else None
                first = reason or test.get("text", "").partition("\n")[0][:160]
                lines.append(f"- `{test['nodeid']}` {test['outcome']}: {first}")
        lines += ["", "## Functions", "", "Passed of all tests; seconds of their setup and calls; kernels compiled."]
        head = [f"{run.label} | s | kernels" for run in self.runs]
        for chapter, functions in self.table().items():
            lines += ["", _cells(chapter.replace("_", " "), *head), "|---|" + "--:|" * 3 * len(head)]
            for name, cells in functions.items():
                line: list[Any] = [f"`{name}`"]
                for found in map(counts, cells):
                    line += [_passed(found), found["seconds"], found.get("kernels", "")]
                lines.append(_cells(*line))
        return "\n".join(lines) + "\n"

    def json(self) -> dict[str, Any]:
        """Return report.json: the facts, and each run with its counts, by function too, and its tests."""
        table = self.table()
        runs = [
            {
                "label": run.label,
                "module": run.module,
                "device": run.device,
                "half": run.half,
                **counts(run.tests),
                "seconds": run.seconds,
                "unexpected": len(self.unexpected(run)),
                **run.facts,
                "chapters": {
                    chapter: {name: counts(cells[column]) for name, cells in functions.items()}
                    for chapter, functions in table.items()
                },
                "tests": run.tests,
            }
            for column, run in enumerate(self.runs)
        ]
        return {**self.facts, "repairs": REPAIRS, "expected": self.expected, "runs": runs}

    def html(self) -> str:
        """Return report.html: page.html with the data put in, passed tests as a number only."""

        def cell(tests: list[dict[str, Any]]) -> dict[str, Any]:
            return {**counts(tests), "bad": [test for test in tests if test["outcome"] != "passed"]}

        table = {
            chapter: {name: [cell(tests) for tests in cells] for name, cells in functions.items()}
            for chapter, functions in self.table().items()
        }
        summary = self.json()
        for run in summary["runs"]:
            del run["tests"], run["chapters"]
        data = json.dumps({"summary": summary, "table": table}).replace("</", "<\\/")
        page = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
        return page.replace("{{data}}", data)

    def badge(self) -> str:
        """Return badge.svg for the worst run, of ours if there is one."""
        runs = [run for run in self.runs if run.module == OURS] or self.runs
        worst = min(runs, key=lambda run: (run.count("passed") / (len(run.tests) or 1), run.label))
        passed, total = worst.count("passed"), len(worst.tests)
        colour = "#2a7d3f" if passed == total > 0 else "#a33"
        left, right = escape(f"array API {self.facts['standard']}"), f"{passed} of {total}"
        one, two = len(left) * 7 + 10, len(right) * 7 + 10
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{one + two}" height="20" role="img" '
            f'aria-label="{left}: {right}"><g font-family="Verdana,sans-serif" font-size="11" '
            f'fill="#fff" text-anchor="middle"><rect width="{one + two}" height="20" rx="3" '
            f'fill="{colour}"/><path d="M3 0h{one - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3" '
            f'fill="#444"/>'
            f'<text x="{one / 2}" y="14">{left}</text>'
            f'<text x="{one + two / 2}" y="14">{right}</text></g></svg>\n'
        )

    def write(self, folder: Path) -> None:
        """Write the files; no badge when only some of the tests were run."""
        files = {
            "REPORT.md": self.markdown(),
            "report.json": json.dumps(self.json(), indent=1) + "\n",
            "report.html": self.html(),
        }
        if not self.facts.get("keyword"):
            files["badge.svg"] = self.badge()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
