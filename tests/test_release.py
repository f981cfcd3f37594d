"""`.ci/release.py`: the notes of a release, the tags that may be published, the recipe for an sdist."""

from __future__ import annotations

import hashlib
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RELEASE: dict[str, Any] = runpy.run_path(str(ROOT / ".ci/release.py"))
CHANGELOG = """# Changelog

## Unreleased

- Later.

## 0.2.0, 2027-01-31

### Added

- One; see [a page](docs/policies.md) and [another](https://example.org/page).

## 0.1.0

- Without a date.

## 0.0.9, 2026-01-01
"""


def test_the_notes_are_the_chapter_of_the_version() -> None:
    notes = RELEASE["notes"](CHANGELOG, "0.2.0")
    assert notes == "### Added\n\n- One; see a page and [another](https://example.org/page).\n"


@pytest.mark.parametrize(("version", "words"), [("0.1.0", "rename"), ("0.3.0", "rename"), ("0.0.9", "empty")])
def test_a_chapter_without_date_or_text_is_refused(version: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RELEASE["notes"](CHANGELOG, version)


def test_the_versions_of_tags() -> None:
    assert [RELEASE["version_of"](tag) for tag in ("v0.1.0", "v1.2.3rc1")] == ["0.1.0", "1.2.3rc1"]
    for tag in ("0.1.0", "v0.1", "v0.1.0.dev1", "v0.1.0-final"):
        with pytest.raises(ValueError, match="allowed"):
            RELEASE["version_of"](tag)


def test_only_the_repository_that_the_project_names_may_publish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RELEASE["check"].__globals__, "notes", lambda text, version: "")
    owner_and_name = RELEASE["address"]().removeprefix("https://github.com/")
    RELEASE["check"]("v0.1.0", owner_and_name)
    with pytest.raises(ValueError, match="somebody/else"):
        RELEASE["check"]("v0.1.0", "somebody/else")


def test_the_changelog_begins_with_what_is_unreleased_or_a_release() -> None:
    titles = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+, \d{4}-\d\d-\d\d", title) for title in titles if title != "Unreleased")
    assert "Unreleased" not in titles[1:]


def test_the_recipe_gets_version_and_digest(tmp_path: Path) -> None:
    sdist = tmp_path / "arrayapi_gpu-0.7.1.tar.gz"
    sdist.write_bytes(b"packed")
    text = RELEASE["recipe"]((ROOT / "packaging/recipe.yaml").read_text("utf-8"), sdist)
    assert '\n  version: "0.7.1"\n' in text
    assert f'\n  sha256: "{hashlib.sha256(b"packed").hexdigest()}"\n' in text


def test_an_unknown_command_is_refused() -> None:
    with pytest.raises(ValueError, match="allowed: check"):
        RELEASE["main"](["publish"])


def test_readme_renders_on_an_index() -> None:
    pytest.importorskip("readme_renderer.markdown")
    html: str = RELEASE["page"]()
    assert "<table>" in html and html.count("<img") == 3
