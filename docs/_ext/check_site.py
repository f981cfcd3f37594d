"""Check a built site: links inside it, sizes, the pages of public names, and that the contents lead to each page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

MOST_OF_SITE = 120_000_000  # bytes
MOST_OF_PAGE = 300_000
MOST_OF_PICTURE = 200_000
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")
NO_CONTENTS = ("search.html", "index.html")  # pages that no contents list
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("iframe", "src")}


class Page(HTMLParser):
    """The anchors, the links and the loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        values = {key: value or "" for key, value in attrs}
        self.anchors.update(values[key] for key in ("id", "name") if key in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and values.get("rel") not in ("stylesheet", "icon", "preload", "modulepreload"):
            return  # it is read by programs alone
        self.loaded += [values[key] for key in ("src", "href") if (tag, key) in LOADED and key in values]


class Site:
    """A folder of pages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.files = {path.relative_to(self.folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}

    @cached_property
    def pages(self) -> dict[str, Page]:
        """The pages by path."""
        return {
            name: Page(path.read_text("utf-8"))
            for name, path in self.files.items()
            if name.endswith(".html") and not name.startswith("_static/")
        }

    def target(self, page: str, link: str) -> tuple[str, str]:
        """The file and the anchor that a link within the site leads to."""
        parts = urlsplit(link)
        path = (self.folder / page).parent / unquote(parts.path) if parts.path else self.folder / page
        resolved = path.resolve()
        name = resolved.relative_to(self.folder).as_posix() if resolved.is_relative_to(self.folder) else str(path)
        return name, unquote(parts.fragment)

    def dead_links(self) -> list[str]:
        """The links inside that lead nowhere, and files of other hosts that a page loads."""
        dead = []
        for name, page in self.pages.items():
            dead += [f"{name} loads {one}" for one in page.loaded if re.match("(?:https?:)?//", one)]
            for link in {*page.links, *(one for one in page.loaded if not re.match("(?:https?:|data:)?//|data:", one))}:
                if urlsplit(link).scheme or link.startswith("//"):
                    continue
                file, anchor = self.target(name, link)
                if file not in self.files:
                    dead.append(f"{name}: {link}")
                elif anchor and file in self.pages and anchor not in self.pages[file].anchors:
                    dead.append(f"{name}: {link}, no such anchor")
        return sorted(dead)

    def large(self) -> list[str]:
        """The pages and pictures that are too large, and the site if it is."""
        found = []
        sizes = {name: path.stat().st_size for name, path in self.files.items()}
        for name, size in sizes.items():
            limit = MOST_OF_PAGE if name in self.pages else MOST_OF_PICTURE
            if size > limit and (name in self.pages or name.endswith(PICTURES)):
                found.append(f"{name}: {size:,} bytes, at most {limit:,}")
        if sum(sizes.values()) > MOST_OF_SITE:
            found.append(f"the site: {sum(sizes.values()):,} bytes, at most {MOST_OF_SITE:,}")
        return found

    def unlisted(self, contents: Iterable[str]) -> list[str]:
        """The pages that no contents list."""
        listed = {f"{name}.html" for name in contents}
        return sorted(name for name in self.pages if name not in listed and name not in NO_CONTENTS)

    def without_page(self, names: dict[str, str]) -> list[str]:
        """The public names whose page does not exist or has no anchor of the name; ``names``: their pages."""
        anchors = {name: page.anchors for name, page in self.pages.items()}
        pages = {name: anchors.get(f"api/{file}.html", set()) for name, file in names.items()}
        return [name for name, found in pages.items() if not found & {name, f"module-{name}"}]
