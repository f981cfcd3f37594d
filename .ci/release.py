"""Check and describe a release. The workflow release.yml calls it; docs/developer/releasing.md has the steps.

python .ci/release.py check v0.1.0 OWNER/NAME     # whether this tag of this repository may be published
python .ci/release.py notes v0.1.0                # the chapter of CHANGELOG.md
python .ci/release.py page                        # README as an index shows it, in HTML
python .ci/release.py recipe dist/arrayapi_gpu-0.1.0.tar.gz    # packaging/recipe.yaml for this sdist
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TAG = re.compile(r"v(?P<version>\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)")
TITLE = r"^## {version}(?:, (?P<date>\d{{4}}-\d\d-\d\d))?$"


def version_of(tag: str) -> str:
    """The version that a tag names; ValueError for another tag."""
    match = TAG.fullmatch(tag)
    if match is None:
        raise ValueError(f"got the tag {tag!r}; allowed: v1.2.3, v1.2.3rc1")
    return match["version"]


def notes(changelog: str, version: str) -> str:
    """The chapter of a release without its title; ValueError if the changelog has none, or one without a date.

    Relative links lead nowhere on the page of a release, so their text remains.
    """
    match = re.search(TITLE.format(version=re.escape(version)), changelog, re.MULTILINE)
    if match is None or match["date"] is None:
        raise ValueError(f"CHANGELOG.md has no chapter '## {version}, YYYY-MM-DD'; rename 'Unreleased'")
    text = re.split(r"^## ", changelog[match.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not text:
        raise ValueError(f"the chapter {version} of CHANGELOG.md is empty")
    return re.sub(r"\[([^]]*)\]\((?!https?://)[^)\s]*\)", r"\1", text) + "\n"


def address(name: str = "Source") -> str:
    """An address of the project. pyproject.toml is its one place; a test compares all others."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"][name])


def check(tag: str, repository: str) -> None:
    """Raise ValueError if the tag cannot be published from this repository."""
    notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version_of(tag))
    if address() != f"https://github.com/{repository}":
        raise ValueError(f"pyproject.toml says that the repository is {address()}, but this is {repository}")


def recipe(text: str, sdist: Path) -> str:
    """The recipe of conda-forge with the version and the digest of an sdist."""
    version = sdist.name.removeprefix("arrayapi_gpu-").removesuffix(".tar.gz")
    text = re.sub(r'^  version: ".*"', f'  version: "{version}"', text, flags=re.MULTILINE)
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    return re.sub(r'sha256: "\w+"', f'sha256: "{digest}"', text)


def page() -> str:
    """README as an index shows it, in HTML; ValueError if the index would refuse it. It takes readme_renderer."""
    sys.path.insert(0, str(ROOT))
    made = importlib.import_module("hatch_readme").for_index
    text = made((ROOT / "README.md").read_text("utf-8"), address(), address("Documentation"))
    html: str | None = importlib.import_module("readme_renderer.markdown").render(text)
    if html is None or (relative := re.findall(r'(?:href|src)="(?!https://|#)([^"]*)"', html)):
        raise ValueError(f"README does not render on an index: {relative if html else 'no HTML'}")
    return html


def main(words: list[str]) -> None:
    """Run one command."""
    if words[:1] == ["check"]:
        check(*words[1:])
    elif words[:1] == ["notes"]:
        print(notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version_of(words[1])), end="")
    elif words[:1] == ["page"]:
        print(page())
    elif words[:1] == ["recipe"]:
        print(recipe((ROOT / "packaging/recipe.yaml").read_text("utf-8"), Path(words[1])), end="")
    else:
        raise ValueError(f"got {words}; allowed: check TAG OWNER/NAME, notes TAG, page, recipe SDIST")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
