"""Put the sites of all versions into one folder, which is published: `python docs/_ext/versions.py build/pages https://ADDRESS`.

The folder has a site for the checkout ("dev"), one for the last release of each of the newest series, the list of the
versions that their switcher reads, and a first page that leads to the newest release. The site of a tag is built once,
from a checkout of the tag: a cache keeps the folder between runs. Sites of tags that are not listed are removed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERIES = 5  # so many releases are kept: the last of each series, as 1.2.3 is of 1.2
DEV = "dev"


def kept(tags: list[str]) -> list[str]:
    """The releases that have a site, the newest first."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for tag in tags:
        version = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)", tag)
        if version:
            series, patch = (int(version[1]), int(version[2])), int(version[3])
            found[series] = max(found.get(series, (-1, "")), (patch, tag))
    return [found[series][1] for series in sorted(found, reverse=True)][:SERIES]


def switcher(releases: list[str], address: str) -> list[dict[str, object]]:
    """The entries of the list of versions; ``address``: that of the folder with all sites."""
    address = address.rstrip("/")
    entries: list[dict[str, object]] = [{"name": "dev (main)", "version": DEV, "url": f"{address}/{DEV}/"}]
    for number, tag in enumerate(releases):
        name = f"{tag.removeprefix('v')} (newest release)" if number == 0 else tag.removeprefix("v")
        entries.append({"name": name, "version": tag, "url": f"{address}/{tag}/", "preferred": number == 0})
    return entries


def build(checkout: Path, version: str, place: Path) -> None:
    """Build the site of a checkout, and put it into a folder."""
    environment = {**os.environ, "DOCS_VERSION": version, "DOCS_SWITCHER": "../switcher.json"}
    subprocess.run(["make", "docs"], cwd=checkout, env=environment, check=True)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(checkout / "build/docs/html", place)


def build_tag(tag: str, place: Path) -> None:
    """Build the site of a tag in a checkout of its own."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder, tag)
        subprocess.run(["git", "worktree", "add", "--detach", str(checkout), tag], cwd=ROOT, check=True)
        try:
            build(checkout, tag, place)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(checkout)], cwd=ROOT, check=True)


def main() -> None:
    """Build the versions that are missing; write the list of versions and the first page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("address", help="where the folder is published")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    tags = subprocess.run(["git", "tag"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    # A tag from before the site has no configuration of it.
    has = ["git", "cat-file", "-e"]
    releases = kept([tag for tag in tags if not subprocess.run([*has, f"{tag}:docs/conf.py"], cwd=ROOT).returncode])
    for old in folder.glob("v*"):
        if old.name not in releases:
            shutil.rmtree(old)
    build(ROOT, DEV, folder / DEV)
    for tag in releases:
        if not (folder / tag / "index.html").exists():
            build_tag(tag, folder / tag)
    (folder / "switcher.json").write_text(json.dumps(switcher(releases, arguments.address), indent=1) + "\n", "utf-8")
    first = releases[0] if releases else DEV
    (folder / "index.html").write_text(f'<meta http-equiv="refresh" content="0; url={first}/">\n', "utf-8")


if __name__ == "__main__":
    main()
