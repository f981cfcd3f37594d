"""Drawings of rooms and arrows: a block of mermaid, which a forge draws, as boxes of HTML without a program."""

from __future__ import annotations

import re
from html import escape

NODE = re.compile(r'(\w+)(?:\["?(.*?)"?\])?$')
ARROW = re.compile(r' (?:-->(?:\|"(.*?)"\|)?|---) ')


class Drawing:
    """A flowchart of subgraphs: each is a box with its nodes in rows; arrows between boxes are a list."""

    def __init__(self, text: str) -> None:
        self.titles: dict[str, str] = {}
        self.boxes: list[tuple[str, list[list[str]]]] = []
        self.arrows: list[tuple[str, str, str]] = []
        inside = False
        for line in (line.strip() for line in text.splitlines()):
            subgraph = re.match(r'subgraph (\w+)\["(.*)"\]', line)
            if subgraph:
                self.titles[subgraph[1]] = subgraph[1]
                self.boxes.append((subgraph[2], []))
                inside = True
            elif line == "end":
                inside = False
            elif inside and not line.startswith("direction"):
                self.boxes[-1][1].append([self.node(part) for part in ARROW.split(line)[::2]])
            elif ARROW.search(line):
                first, label, last = ARROW.split(line)
                self.arrows.append((self.node(first), label or "", self.node(last)))

    def node(self, text: str) -> str:
        """The text of a node, which it has where it is first named."""
        found = NODE.match(text)
        assert found is not None, text
        return self.titles.setdefault(found[1], found[2] or found[1])

    def html(self) -> str:
        """The boxes, from top to bottom, and the arrows between them."""
        lines = ['<div class="drawing">']
        for title, rows in self.boxes:
            lines.append(f'<div class="room"><p>{escape(title)}</p>')
            for row in rows:
                lines.append("<div>" + " ".join(f"<span>{escape(node)}</span>" for node in row) + "</div>")
            lines.append("</div>")
        lines.append("<ul>")
        for first, label, last in self.arrows:
            shown = f": {escape(label)}" if label else ""
            lines.append(f"<li>{escape(first)} → {escape(last)}{shown}</li>")
        return "\n".join([*lines, "</ul>", "</div>", ""])
