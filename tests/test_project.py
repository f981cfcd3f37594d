"""What the project declares is what is tried: bounds, Pythons, how long a commit may take, and in which order."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import arrayapi_gpu as xp
from hatch_readme import Readme, for_index

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Every page of the repository, but none of environments and builds.
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part == "build" for part in path.relative_to(ROOT).parts)
)
WORKFLOWS = {path.stem: path.read_text("utf-8") for path in (ROOT / ".github/workflows").glob("*.yml")}
README = (ROOT / "README.md").read_text("utf-8")
PICTURES = (".svg", ".png")
MINUTES = 45  # that the work of a commit takes at most


def test_every_requirement_has_one_lower_bound() -> None:
    bounds: dict[str, set[str]] = runpy.run_path(str(ROOT / ".ci/lower_bounds.py"))["bounds"]()
    assert {name: several for name, several in bounds.items() if len(several) > 1} == {}


def test_the_pythons_of_the_classifiers_are_those_of_the_workflows() -> None:
    declared = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c}
    lines = [line for text in WORKFLOWS.values() for line in re.findall("python.*:.*", text)]
    tried = {version for line in lines for version in re.findall(r"\b3\.\d+\b", line)}
    assert tried == declared
    assert min(declared, key=lambda version: int(version[2:])) == PROJECT["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned_by_hash(name: str) -> None:
    used = re.findall(r"uses: (.*)", WORKFLOWS[name])
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("name", WORKFLOWS)
def test_what_a_commit_runs_is_bounded(name: str) -> None:
    """Every job has a limit, and one that a commit starts has a short one."""
    text = WORKFLOWS[name]
    limits = [int(limit) for limit in re.findall(r"timeout-minutes: .*?(\d+)(?: }})?$", text, re.MULTILINE)]
    assert len(limits) == len(re.findall(r"runs-on:", text))
    if re.search(r"^  (push|pull_request):", text, re.MULTILINE):
        assert max(limits) <= MINUTES


def test_lint_comes_first_and_all_tests_last() -> None:
    """A missing blank is reported within two minutes, and pytest's summary of all tests is the last output."""
    lines = [line for line in (ROOT / ".ci/run").read_text("utf-8").splitlines() if line]
    top = [line for line in lines if re.match(r"run |first_driver$|if ", line)]
    assert top[-3:] == ["run cpu lint", 'if [ "$(nproc)" -ge 4 ]; then', lines[-1]]
    assert lines[-1] == 'run cpu pytest ARGS="--device native"'


def test_the_jobs_of_a_commit_wait_for_lint() -> None:
    jobs = re.split(r"^  (\w+):", WORKFLOWS["ci"].partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    steps = dict(zip(jobs[::2], jobs[1::2], strict=True))
    assert re.findall(r"- run: (.*)", steps.pop("lint")) == ["make lint"]
    assert all("\n    needs: lint\n" in text for text in steps.values())


def uncoded(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page as GitHub makes them: from headings, those that come again with a number."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *$", uncoded(page.read_text("utf-8")), re.MULTILINE):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        again = sum(re.fullmatch(re.escape(name) + r"(-\d+)?", other) is not None for other in found)
        found.add(f"{name}-{again}" if again else name)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    file = ROOT / page
    text = re.sub(r"`[^`\n]*`", "", uncoded(file.read_text("utf-8")))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match("https?://", link):
            target, _, anchor = link.partition("#")
            assert (file.parent / target).exists(), link
            assert not anchor or anchor in anchors(file.parent / target if target else file), link


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(("docs/developer/", "CONTRIBUTING"))])
def test_files_that_pages_for_developers_name_exist(page: str) -> None:
    """From the root of the repository, or from the package. A word in angle brackets stands for any name."""
    named = re.findall(r"`((?:\w+/)[\w/.]*\w\.(?:py|c|h|md|yml))`", (ROOT / page).read_text("utf-8"))
    assert [
        name for name in named if not any((folder / name).exists() for folder in (ROOT, ROOT / "arrayapi_gpu"))
    ] == []


def test_programs_find_this_implementation_of_the_standard() -> None:
    """By the entry point group of the standard, chapter "Purpose and scope"."""
    declared = PROJECT["entry-points"]["array_api"]
    assert declared == {"arrayapi_gpu": "arrayapi_gpu"}
    (name,) = declared
    namespace = metadata.EntryPoint(name, declared[name], "array_api").load()
    assert namespace is xp and namespace.__array_api_version__


def test_the_installed_package_has_the_entry_points_that_are_declared() -> None:
    try:
        found = metadata.distribution("arrayapi_gpu")
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    if str(ROOT) not in str(found.read_text("direct_url.json")):
        pytest.skip("another checkout is installed")
    declared = {(group, *pair) for group, own in PROJECT["entry-points"].items() for pair in own.items()}
    assert {(one.group, one.name, one.value) for one in found.entry_points} == declared
    assert "arrayapi_gpu" in metadata.entry_points(group="array_api").names


@pytest.mark.parametrize("address", [None, "https://example.org/files/"])
def test_the_page_of_an_index_has_no_relative_link(address: str | None) -> None:
    page, text = for_index(README, address), README
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    absolute = [link for link in links if re.match("https?://", link)]
    wanted = [
        link if link in absolute else f"{address}{'raw' if link.endswith(PICTURES) else 'blob'}/HEAD/{link}"
        for link in links
    ]
    assert re.findall(r"\]\(([^)\s]+)\)", page) == (absolute if address is None else wanted) != links
    assert address is not None or "ten programs give NumPy's results" in " ".join(page.split())


def test_links_to_pages_lead_to_the_site_of_the_main_branch() -> None:
    page = for_index("[a](docs/guide/index.md#b) [c](docs/d.png) [e](f.md)", "https://forge/x", "https://site/")
    assert page == (
        "[a](https://site/dev/guide/index.html#b) [c](https://forge/x/blob/HEAD/docs/d.png) [e](https://forge/x/blob/HEAD/f.md)"
    )


def test_the_metadata_take_that_page() -> None:
    found: dict[str, Any] = {}
    Readme.update(cast("Any", SimpleNamespace(root=str(ROOT))), found)
    assert found["readme"] == {"content-type": "text/markdown", "text": for_index(README, None)}
    assert "readme" in PROJECT["dynamic"]


def test_the_address_of_the_repository_is_the_same_everywhere() -> None:
    """pyproject.toml is its place. The files that cannot read it are compared."""
    files = [*PAGES, "CITATION.cff", "packaging/recipe.yaml", ".github/ISSUE_TEMPLATE/config.yml"]
    text = "\n".join([*((ROOT / name).read_text("utf-8") for name in files), *PROJECT["urls"].values()])
    name = r"arrayapi[\w-]*"
    assert set(re.findall(rf"https://github\.com/{name}/{name}", text)) == {PROJECT["urls"]["Source"]}
    assert set(re.findall(rf"https://{name}\.github\.io/{name}/", text)) == {PROJECT["urls"]["Documentation"]}


def test_the_recipe_has_the_requirements_of_the_project() -> None:
    """As conda writes them; the lists of driver libraries are extras, which conda does not have."""
    text = (ROOT / "packaging/recipe.yaml").read_text("utf-8")
    lists = {name: re.findall("- (.*)", part) for name, part in re.findall(r"^  (\w+):\n((?:    - .*\n)+)", text, re.M)}
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert sorted([*(line.replace(">=", " >=") for line in build), "pip", "python"]) == sorted(lists["host"])
    assert ["python", *(line.replace(">=", " >=") for line in PROJECT["dependencies"])] == lists["run"]


@pytest.mark.parametrize("path", sorted((ROOT / "packaging").glob("*.Dockerfile")), ids=lambda path: path.stem)
def test_images_install_an_extra_that_exists_on_a_python_that_is_tried(path: Path) -> None:
    text = path.read_text("utf-8")
    extras = re.findall(r"arrayapi_gpu\[(\w+)\]", text)
    assert extras and set(extras) <= set(PROJECT["optional-dependencies"])
    (python,) = re.findall(r"^FROM python:([\d.]+)-slim$", text, re.MULTILINE)
    assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]


def test_a_report_of_a_bug_has_the_output_of_the_report() -> None:
    assert "python -m arrayapi_gpu" in (ROOT / ".github/ISSUE_TEMPLATE/bug.yml").read_text("utf-8")


def test_the_package_does_not_state_its_version_twice() -> None:
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+.*|(a|b|rc)\d+)?", xp.__version__)


def test_a_share_of_the_cases_has_every_test_function() -> None:
    """`pytest --share N`, which `.ci/run` uses on a second driver: one in N of those that do not wait for the night."""

    def collected(*options: str) -> set[str]:
        files = ("tests/kernels/ordering/test_scan.py", "tests/lazy/plan/test_merged_reductions.py")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only"]
        command += ["--device", "native", *options, *files]
        made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        return {line for line in made.stdout.splitlines() if "::" in line}

    every = collected("-m", "not nightly")
    third = collected("--share", "3") & every
    functions = Counter(name.partition("[")[0] for name in every)
    assert third < every
    assert Counter(name.partition("[")[0] for name in third) == {name: -(-n // 3) for name, n in functions.items()}
