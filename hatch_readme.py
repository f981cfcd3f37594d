"""The page that an index shows: README.md without relative links, which lead nowhere there.

A hook of hatchling for the metadata. Where pyproject.toml states the address of the repository (`urls`, Source),
the links lead to its files there, and pictures to their bytes; otherwise the text of links remains. Links to pages of
docs/ lead to the site (`urls`, Documentation): to that of the main branch, which exists longer than those of releases.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # for tests, without hatchling
    MetadataHookInterface = object  # type: ignore[assignment,misc]

_RELATIVE = r"\((?!https?://)([^)\s]+)\)"


def for_index(text: str, address: str | None, site: str | None = None) -> str:
    """A page with absolute links, or without relative ones. ``address`` is that of the repository."""
    if site is not None:
        text = re.sub(r"(?<=\])\(docs/([\w/-]+)\.md(#[\w-]+)?\)", rf"({site.rstrip('/')}/dev/\1.html\2)", text)
    if address is not None:
        page = re.sub(rf"(!\[[^]]*\]){_RELATIVE}", rf"\1({address.rstrip('/')}/raw/HEAD/\2)", text)
        return re.sub(rf"(?<=\]){_RELATIVE}", rf"({address.rstrip('/')}/blob/HEAD/\1)", page)
    without_images = re.sub(rf"!\[[^]]*\]{_RELATIVE}", "", text)
    linked = rf"\[((?:!\[[^]]*\]\([^)]*\)|[^]])*)\]{_RELATIVE}"  # a text, which may have a picture in it
    return re.sub(r"\n{3,}", "\n\n", re.sub(linked, r"\1", without_images))


class Readme(MetadataHookInterface):
    """Puts the page into the metadata of the package."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the project."""
        text = Path(self.root, "README.md").read_text("utf-8")
        urls = metadata.get("urls", {})
        page = for_index(text, urls.get("Source"), urls.get("Documentation"))
        metadata["readme"] = {"content-type": "text/markdown", "text": page}
