"""From the records of the suites to a table, CONSUMERS.md and consumers.json."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.consumers.suites import Suite, namespace_of
from conformance.report import counts
from conformance.suite import NO_RESULT, OURS, Run

_NUMBERS = ("passed", "failed", "skipped", "seconds", "cpu")
_LONGEST = 160  # characters of a message in Markdown
_SHOWN = 8  # ids below a message


@dataclass
class Outcome:
    """What a suite, or a part of it, gave: one run, or one a namespace. ``turn``: cold or warm, where it ran twice."""

    suite: Suite
    part: str
    runs: list[Run]
    turn: str = ""

    @property
    def label(self) -> str:
        """The word on the command line, and the turn."""
        return self.suite.name + (f".{self.part}" if self.part else "") + (f", {self.turn}" if self.turn else "")

    @property
    def times_the_other(self) -> str:
        """How many times the other namespace's processor time ours took, for tests that both passed."""
        ours, other = (self.by_namespace[name] for name in self.suite.namespaces())
        seconds = [0.0, 0.0]
        for nodeid, test in ours.items():
            same = other.get(nodeid.replace(OURS, self.suite.beside) if self.suite.together else nodeid)
            if same is not None and test["outcome"] == same["outcome"] == "passed":
                seconds[0] += test.get("cpu", 0)
                seconds[1] += same.get("cpu", 0)
        return f"{seconds[0] / seconds[1]:.1f}" if seconds[1] else ""

    @functools.cached_property
    def by_namespace(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The tests by namespace and node id."""
        names = self.suite.namespaces()
        found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
        for run in self.runs:
            for test in run.tests:
                name = namespace_of(test["nodeid"], names) if self.suite.together else run.module
                if name is not None:
                    found[name][test["nodeid"]] = test
        return found

    def tests(self, namespace: str) -> list[dict[str, Any]]:
        """Return the tests about a namespace."""
        return list(self.by_namespace[namespace].values())

    def failed(self) -> list[dict[str, Any]]:
        """Return the tests of ours that failed."""
        return [test for test in self.tests(OURS) if test["outcome"] == "failed"]

    def excuse(self, nodeid: str) -> str | None:
        """Return what the same test with the other namespace tells. One without a result tells nothing."""
        other = nodeid.replace(OURS, self.suite.beside) if self.suite.together else nodeid
        test = self.by_namespace[self.suite.beside].get(other, {"outcome": "absent"})
        if test["outcome"] == "failed" and not test["text"].startswith(NO_RESULT):
            return f"{self.suite.beside} fails, too"
        if test["outcome"] == "skipped" and self.suite.skips_beyond:
            return f"skipped with {self.suite.beside}, so outside of the standard"
        return None


def reason(nodeid: str, expected: Mapping[str, str]) -> str | None:
    """Return why a test may fail: the list has its id, with "*" for anything, or its id without parameters."""
    for listed, why in expected.items():
        parts = [re.escape(part) for part in listed.split("*")]
        if re.fullmatch(".*".join(parts) + ("" if "[" in listed else r"(\[.*)?"), nodeid):
            return why
    return None


@dataclass
class Report:
    """All outcomes of one call, and the expected failures."""

    facts: dict[str, Any]
    outcomes: list[Outcome]
    expected: dict[str, str]

    def unexpected(self, outcome: Outcome) -> list[dict[str, Any]]:
        """Return the failed tests that neither the list nor the other namespace excuses."""
        return [
            test
            for test in outcome.failed()
            if reason(test["nodeid"], self.expected) is None and outcome.excuse(test["nodeid"]) is None
        ]

    def table(self) -> str:
        """Return the table in Markdown: a line a suite and namespace."""
        head = ["suite", "version", "namespace", *_NUMBERS, "times the other's", "not expected"]
        lines = [_cells(*head), "|---|---|---|" + "--:|" * 7]
        for outcome in self.outcomes:
            version = outcome.runs[0].facts.get("version", "?")
            for namespace in outcome.suite.namespaces():
                found = counts(outcome.tests(namespace))
                numbers = [f"{found.get(key, 0):,.0f}" for key in _NUMBERS]
                last = (outcome.times_the_other, len(self.unexpected(outcome))) if namespace == OURS else ("", "")
                lines.append(_cells(outcome.label, version, namespace, *numbers, *last))
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return CONSUMERS.md: the table, versions, and the failures by message."""
        facts = ", ".join(f"{key} {value}" for key, value in self.facts.items() if value)
        lines = ["# Suites of other libraries, with our arrays", "", facts + ".", "", self.table()]
        lines += ["", "Seconds are those of the tests, kernels compiled for the first time among them; cpu: seconds of"]
        lines += [
            "the processor, threads of drivers among them, and those beside the other's of tests that both passed."
        ]
        lines += ["", "## Versions", ""]
        for outcome in self.outcomes:
            facts_of = outcome.runs[0].facts
            packages = ", ".join(f"{name} {version}" for name, version in facts_of.get("packages", {}).items())
            device = f"{facts_of.get('device')} ({facts_of.get('driver')})"
            lines.append(f"- {outcome.label}: Python {facts_of.get('python')}, {packages}, {device}")
        for outcome in self.outcomes:
            lines += ["", f"## {outcome.label}: failed ({len(outcome.failed())})", "", *self._by_message(outcome)]
        return "\n".join(lines) + "\n"

    def _by_message(self, outcome: Outcome) -> list[str]:
        """Return lines of the failures, those of one message together, the most frequent first."""
        groups: dict[str, list[str]] = {}
        for test in outcome.failed():
            nodeid = test["nodeid"]
            listed = reason(nodeid, self.expected)
            why = f"expected: {listed}" if listed else outcome.excuse(nodeid) or f"`{first_line(test)}`"
            groups.setdefault(why, []).append(nodeid)
        lines = []
        for why, nodeids in sorted(groups.items(), key=lambda group: -len(group[1])):
            lines.append(f"- {len(nodeids)}: {why}")
            lines += [f"  - `{nodeid}`" for nodeid in nodeids[:_SHOWN]]
            lines += [f"  - and {len(nodeids) - _SHOWN} more"] * (len(nodeids) > _SHOWN)
        return lines

    def json(self) -> dict[str, Any]:
        """Return consumers.json: the facts, and each suite with its counts and what did not pass."""
        suites = [
            {
                "suite": outcome.label,
                **outcome.runs[0].facts,
                "wall": sum(run.seconds for run in outcome.runs),
                "namespaces": {name: counts(outcome.tests(name)) for name in outcome.suite.namespaces()},
                "unexpected": [test["nodeid"] for test in self.unexpected(outcome)],
                "not passed": {
                    name: [test for test in outcome.tests(name) if test["outcome"] != "passed"]
                    for name in outcome.suite.namespaces()
                },
            }
            for outcome in self.outcomes
        ]
        return {**self.facts, "expected": self.expected, "suites": suites}

    def write(self, folder: Path) -> None:
        """Write the files."""
        (folder / "CONSUMERS.md").write_text(self.markdown(), encoding="utf-8")
        (folder / "consumers.json").write_text(json.dumps(self.json(), indent=1) + "\n", encoding="utf-8")


def first_line(test: dict[str, Any]) -> str:
    """Return the first line of a failure, without what would break Markdown."""
    line: str = test.get("text", "").partition("\n")[0]
    return line[:_LONGEST].replace("`", "'")


def _cells(*cells: Any) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(map(str, cells)) + " |"
