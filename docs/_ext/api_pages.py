"""The pages of the API: one for each public name, and one for each chapter, as reStructuredText for Sphinx.

A page has the docstring in numpydoc's form, a table of where the function computes, and links to the pages of the
standard, NumPy and SciPy that define it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from inventories import Inventories
from numpydoc.docscrape_sphinx import SphinxDocString
from public_names import Chapter, Name, chapters, every_name, members
from where_rows import kinds, where

INDENT = "   "
LONGEST_DEFAULT = 30  # characters; longer ones are left out
NOT_LINKED = ("where",)  # names of functions that docstrings use for parameters of others


def escaped(text: str) -> str:
    """A name as text of reStructuredText, where underscores and asterisks are signs."""
    return re.sub(r"([_*`|\\])", r"\\\1", text)


def heading(text: str) -> list[str]:
    """The title of a page."""
    return [escaped(text), "=" * len(escaped(text)), ""]


def signature(name: Name) -> str:
    """The parameters without types, which stand in the docstring."""
    try:
        found = inspect.signature(name.value)
    except (TypeError, ValueError):
        return "(other)" if "other" in name.doc else "()"
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    plain = [one.replace(default=...) if len(repr(one.default)) > LONGEST_DEFAULT else one for one in plain]
    if name.parent is not None and plain and plain[0].name in ("self", "cls"):
        plain = plain[1:]
    text = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


class Pages:
    """All pages, by name of the file in the folder of the API."""

    def __init__(self, inventories: Inventories, found: list[Chapter] | None = None) -> None:
        self.chapters = found if found is not None else chapters()
        self.inventories = inventories
        self.names = {one.whole: one for one in every_name(self.chapters)}
        self.files: dict[str, str] = {}
        # Some classes have several names: the first one's page has the methods.
        self.classes: dict[int, Name] = {}
        for one in self.names.values():
            if one.kind == "class" and one.is_own:
                self.classes.setdefault(id(one.value), one)
        taken: set[str] = set()
        for one in sorted(self.names.values(), key=lambda name: name.kind in ("class", "module")):
            file = one.whole if one.whole.lower() not in taken else f"{one.whole}-{one.kind}"
            taken.add(file.lower())
            self.files[one.whole] = file

    def pages(self) -> dict[str, str]:
        """The text of each page."""
        made = {file: "\n".join(self.page(self.names[whole])) for whole, file in self.files.items()}
        for chapter in self.chapters:
            made |= self.of_chapter(chapter)
        return made

    # --- links ---

    def link(self, whole: str, text: str | None = None) -> str:
        """A link to the page of a public name."""
        return f":doc:`{escaped(text or self.names[whole].short)} <{self.files[whole]}>`"

    def resolved(self, text: str, inside: Name) -> str | None:
        """The public name for which a text stands within a docstring, other than that of the docstring itself."""
        text = text.removesuffix("()").removeprefix("xp.")
        container = inside.whole.rpartition(".")[0]
        for whole in (text, f"{container}.{text}", f"arrayapi_gpu.{text}"):
            if whole in self.names and whole != inside.whole:
                return whole
        return None

    def linked(self, text: str, inside: Name) -> str:
        """A docstring's text with links for names in backquotes, which are code otherwise."""

        def replaced(found: re.Match[str]) -> str:
            shown = found[1]
            if shown in parameters or shown in NOT_LINKED:
                return f"``{shown}``"
            if shown == inside.short and inside.short.startswith("numpy."):
                return self.inventories.link("numpy", shown) or f"``{shown}``"
            external = self.inventories.link("numpy", shown) if not inside.is_own else ""
            if external:
                return external
            whole = self.resolved(shown, inside)
            return self.link(whole, shown) if whole else f"``{shown}``"

        parameters = re.findall(r"\w+", signature(inside)) if inside.kind not in ("data", "property") else []
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if not line.lstrip().startswith((">>>", "...")):
                line = re.sub(r":(?:py:)?obj:`([^`]+)`", r"`\1`", line)
                lines[number] = re.sub(r"(?<![`:\w\\])`([^`]+)`(?![`\w])", replaced, line)
        return "\n".join(lines)

    # --- parts of a page ---

    def docstring(self, name: Name) -> list[str]:
        """The docstring with the sections of numpydoc as fields."""
        if not name.doc:
            return [self.linked(name.summary, name), ""]
        text = self.linked(str(SphinxDocString(name.doc)), name)
        return re.sub(r"\n(\s*\n)+", "\n\n", text.replace(".. only:: latex", "")).split("\n")

    def described(self, name: Name) -> list[str]:
        """The directive of one object, with its docstring."""
        call = "" if name.kind in ("property", "data", "module") else signature(name)
        lines = [f".. py:{name.kind}:: {name.whole}{call}"]
        if name.kind == "data" and isinstance(name.value, int | float | str):
            lines.append(f"{INDENT}:value: {name.value!r}")
        lines.append("")
        lines += [INDENT + line if line else "" for line in self.docstring(name)]
        return lines

    def places(self, name: Name) -> list[str]:
        """The table of where a function computes."""
        found = where(name)
        if found is None:
            return []
        lines = [".. rubric:: Where it computes", ""]
        if found.function != name.short and name.short.startswith("numpy."):
            lines += [f"As ``{found.function}``, on small arrays.", ""]
        lines += [".. list-table::", f"{INDENT}:header-rows: 1", f"{INDENT}:class: where", ""]
        lines += row([*["case"] * (list(found.cases) != [""]), *kinds()])
        for case, cells in found.cases.items():
            shown = [cells.get(kind, "") or "not available" for kind in kinds()]
            shown = ["nothing to compute" if cell == "-" else cell for cell in shown]
            lines += row([*[case or "plain"] * (list(found.cases) != [""]), *shown])
        return [*lines, "", ":doc:`The whole table <../comparison/where>` explains the words.", ""]

    def definitions(self, name: Name) -> list[str]:
        """Links to the pages of the standard, NumPy and SciPy that define the name."""
        short = name.short
        if short.startswith("numpy."):
            found = [("NumPy", self.inventories.link("numpy", short))]
        else:
            key = f"array_api.{short.replace('Array.', 'array.') if name.parent else short}"
            theirs = f"numpy.{short}" if name.kind == "function" else ""
            found = [
                ("the standard", self.inventories.link("standard", key.replace("__array_name", "info.__array_name"))),
                ("NumPy", self.inventories.link("numpy", theirs)),
                ("SciPy", self.inventories.link("scipy", f"scipy.{short}")),
            ]
        links = [f"{link} of {title}" for title, link in found if link]
        return [f"Defined by: {', '.join(links)}.", ""] if links else []

    def inner(self, name: Name) -> list[str]:
        """The members of a class or module: those with pages as a table, the others with their docstrings."""
        first = self.classes.get(id(name.value), name)
        if first is not name:
            return [f"This class is {self.link(first.whole)}, whose page lists the methods.", ""]
        if name.kind == "class" and name.is_own:
            own = members(name)
        elif name.kind == "module" and name.is_own:
            shown = getattr(name.value, "__all__", [])
            own = [Name(f"{name.whole}.{one}", getattr(name.value, one)) for one in shown]
        else:
            return []
        with_page = [one for one in own if one.whole in self.names]
        lines = self.table(with_page) if with_page else []
        for one in own:
            if one.whole not in self.names and one.kind != "module":
                lines += self.described(one)
        return lines

    def table(self, names: list[Name]) -> list[str]:
        """A table of names with the first lines of their docstrings."""
        lines = [".. list-table::", f"{INDENT}:widths: 30 70", f"{INDENT}:class: names", ""]
        for one in names:
            lines += row([self.link(one.whole), self.linked(one.summary, one)])
        return [*lines, ""]

    # --- pages ---

    def page(self, name: Name) -> list[str]:
        """The page of one name."""
        lines = [*heading(name.short), *self.described(name), ""]
        lines += [*self.places(name), *self.definitions(name)]
        inner = self.inner(name)
        return [*lines, *inner] if inner else [":html_theme.sidebar_secondary.remove: true", "", *lines]

    def of_chapter(self, chapter: Chapter) -> dict[str, str]:
        """The page of a chapter and those of its parts."""
        lines = heading(chapter.title)
        text = re.sub(r"`+([^`]+)`+", r"``\1``", chapter.text.replace("\n", " "))
        lines += [text, ""] if text else []
        lines += self.table(chapter.names) if chapter.names else []
        files = [self.files[one.whole] for one in chapter.names] + [part.page for part in chapter.parts]
        hidden = [f"{INDENT}:hidden:"] if chapter.names else []
        lines += [".. toctree::", *hidden, f"{INDENT}:maxdepth: 1", "", *(INDENT + file for file in files)]
        made = {chapter.page: "\n".join(lines)}
        for part in chapter.parts:
            made |= self.of_chapter(part)
        return made

    def contents(self) -> Iterator[str]:
        """The pages of the chapters, in order."""
        return (chapter.page for chapter in self.chapters)


def row(cells: list[str]) -> list[str]:
    """A row of a list-table."""
    return [f"{INDENT}{'* -' if number == 0 else '  -'} {cell}" for number, cell in enumerate(cells)]
