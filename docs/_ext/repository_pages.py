"""The sources of the site: the pages of docs/, and pages of other folders, with links that lead within the site.

Links between pages are relative links to files of the repository, which work on a forge. The site has not all of these
files: a link to a page outside docs/ leads to the page that shows it, and a link to a file without a page leads to the
forge if pyproject.toml states its address, otherwise only the text remains.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from drawings import Drawing

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
URLS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
PICTURES = (".png", ".svg", ".jpg", ".gif")

# Pages of the site that show a file of another folder: as they are, or within a page of docs/ by an include.
SHOWN = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "developer/contributing.md",
    "arrayapi_gpu/DESIGN.md": "developer/design.md",
    "bench/README.md": "speed.md",
    "conformance/README.md": "conformance.md",
    "conformance/WHERE.md": "comparison/where.md",
    "conformance/RANDOM.md": "accuracy/random-numbers.md",
    "conformance/ACCURACY.md": "accuracy.md",
    "conformance/reports/H200.md": "conformance/h200.md",
}
COPIED = ("CONTRIBUTING.md", "arrayapi_gpu/DESIGN.md", "conformance/RANDOM.md", "conformance/reports/H200.md")
SPLIT = "conformance/ACCURACY.md"  # its chapters are pages of the folder accuracy/


def anchor(heading: str) -> str:
    """The anchor that a forge makes of a heading."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def title(page: Path) -> str:
    """The title of a page, which the site shows where a link has the name of its file."""
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def pieces(text: str) -> list[str]:
    """The prose and the blocks of code of a page, alternately."""
    return re.split(r"(^ *(?P<fence>`{3,}|~{3,}).*?^ *(?P=fence) *$\n?)", text, flags=re.MULTILINE | re.DOTALL)


def chapters_of(text: str) -> dict[str, str]:
    """The chapters of a page by heading; "" is its beginning without the title."""
    parts = re.split(r"^## (.*)\n", re.sub(r"\A# .*\n", "", text), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


class Sources:
    """The texts of the site's pages, by path; `docs`: the folder of the pages."""

    def __init__(self, docs: Path = DOCS, root: Path = ROOT) -> None:
        self.docs, self.root = docs, root
        own = [path for path in docs.rglob("*") if path.is_file()]
        inside = [path.relative_to(docs).as_posix() for path in own]
        self.files = {name for name in inside if not name.startswith("_") and not name.startswith("gallery/")}
        self.gallery = {name for name in inside if name.startswith("gallery/") and name.endswith(".py")}
        self.pages: dict[str, str] = {}
        self.chapters = list(chapters_of((root / SPLIT).read_text("utf-8")))[1:]

    def made(self) -> dict[str, str]:
        """All pages of Markdown."""
        for name in sorted(self.files):
            if name.endswith(".md"):
                self.pages[name] = self.mended((self.docs / name).read_text("utf-8"), self.docs / name, name)
        for name in COPIED:
            self.pages[SHOWN[name]] = self.mended((self.root / name).read_text("utf-8"), self.root / name, SHOWN[name])
        self.split()
        return self.pages

    def split(self) -> None:
        """The chapters of a page that is too long for one."""
        text = (self.root / SPLIT).read_text("utf-8")
        for heading, body in list(chapters_of(text).items())[1:]:
            page = f"accuracy/{anchor(heading)}.md"
            self.pages[page] = self.mended(f"# {heading}\n{body}", self.root / SPLIT, page)

    def mended(self, text: str, file: Path, page: str) -> str:
        """The text of a file as that of a page: with included files, and with links within the site."""
        found = pieces(text)
        for number in range(0, len(found), 3):
            found[number] = self.with_links(found[number], file, page)
        for number in range(1, len(found), 3):
            found[number] = self.with_included(found[number], file, page)
            found[number + 1] = ""
        return "".join(found)

    def with_included(self, block: str, file: Path, page: str) -> str:
        """The file that an include names, from its second line on; other blocks remain, with their paths."""
        block = re.sub(
            r"\A( *`{3,}\{(?:literalinclude|image|figure)\} +)(\.\./\S+)",
            lambda found: found[1] + self.link_outside(file.parent / found[2], page),
            block,
        )
        drawn = re.match(r"```mermaid\n(.*)^```", block, re.DOTALL | re.MULTILINE)
        if drawn:
            return Drawing(drawn[1]).html() + "\n"
        directive = re.match(r"`{3,}\{include\} +(\S+)(.*)", block, re.DOTALL)
        if directive is None:
            return block
        included = (file.parent / directive[1]).resolve()
        text = included.read_text("utf-8")
        if included == self.root / SPLIT:
            return self.mended(chapters_of(text)[""], included, page)
        start = re.search(r"^:start-line: (\d+)", directive[2], re.MULTILINE)
        lines = text.splitlines(keepends=True)[int(start[1]) if start else 0 :]
        return self.mended("".join(lines), included, page) + "\n"

    def link_outside(self, target: Path, page: str) -> str:
        """The path of a file of the repository from a page of the folder that Sphinx reads."""
        return os.path.relpath(target.resolve(), (SOURCE / page).parent)

    def with_links(self, text: str, file: Path, page: str) -> str:
        """Prose with links that lead within the site."""

        def picture(found: re.Match[str]) -> str:
            if re.match("[a-z]+:", found[2]):
                return found[0]
            return f"{found[1]}({self.place(found[2], file, page) or self.link_outside(file.parent / found[2], page)})"

        def link(found: re.Match[str]) -> str:
            if re.match("[a-z]+:|#", found[2]):
                return found[0]
            place = self.place(found[2], file, page)
            words = (
                title(file.parent / found[2].partition("#")[0]) if re.fullmatch(r"[\w./-]+\.md", found[1]) else found[1]
            )
            return f"[{words}]({place})" if place else words

        text = re.sub(r"(!\[[^]]*\])\(([^)\s]+)\)", picture, text)
        return re.sub(r"(?<!!)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)", link, text)

    def place(self, link: str, file: Path, page: str) -> str:
        """Where a relative link leads from a page of the site; "" if nowhere."""
        path, _, heading = link.partition("#")
        target = (file.parent / path).resolve() if path else file.resolve()
        if not target.is_relative_to(self.root):
            return ""
        name = target.relative_to(self.root).as_posix()
        inside = name.removeprefix("docs/")
        if name.endswith(PICTURES):
            return inside and self.from_page(inside, page) if inside != name else ""
        if name == SPLIT and heading in (chapters := [anchor(one) for one in self.chapters]):
            return self.from_page(f"accuracy/{chapters[chapters.index(heading)]}.md", page)
        shown = SHOWN.get(name, "")
        if name.startswith("docs/"):
            for found in (inside, f"{inside}/index.md"):
                shown = found if found in self.files and found.endswith(".md") else shown
            if inside in self.gallery:
                shown = f"{inside.removesuffix('.py')}.rst"
            if inside.strip("/") == "gallery":
                shown = "gallery/index.rst"
        if shown:
            anchored = f"#{heading}" if heading and shown != "index.md" else ""
            return self.from_page(shown, page) + anchored
        if "Source" in URLS:
            kind = "tree" if target.is_dir() else "blob"
            return f"{forge()}/{kind}/main/{name}" + (f"#{heading}" if heading else "")
        return ""

    def from_page(self, target: str, page: str) -> str:
        """The relative link from one page of the site to another."""
        return os.path.relpath(target, os.path.dirname(page) or ".")


def forge() -> str:
    """The address of the repository, without the branch that `urls.Source` may have."""
    return re.sub(r"/(?:blob|tree|raw)/.*|/$", "", URLS.get("Source", ""))


SOURCE = ROOT / "build/docs/source"
