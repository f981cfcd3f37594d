"""The page that an index shows: README.md without relative links, which lead nowhere there.

A hook of hatchling for the metadata. Where pyproject.toml states the address of the repository (`urls`, Source),
the links lead there; otherwise their text remains.
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


def for_index(text: str, address: str | None) -> str:
    """A page with absolute links, or without relative ones. ``address``: the address of the repository's files."""
    if address is not None:
        return re.sub(rf"(?<=\]){_RELATIVE}", rf"({address.rstrip('/')}/\1)", text)
    without_images = re.sub(rf"!\[[^]]*\]{_RELATIVE}", "", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(rf"\[([^]]*)\]{_RELATIVE}", r"\1", without_images))


class Readme(MetadataHookInterface):
    """Puts the page into the metadata of the package."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the project."""
        text = Path(self.root, "README.md").read_text("utf-8")
        page = for_index(text, metadata.get("urls", {}).get("Source"))
        metadata["readme"] = {"content-type": "text/markdown", "text": page}
