"""Kernel texts in C files next to their host half: sections, and the hooks in them.

A line ``//: name`` opens a section. A hook in it is ``$name``, which stands for a word, or on a line of its own for
statements: a list or a text of lines, which get the indentation of that line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

_SECTION = re.compile(r"^//: (\w+)\n(.*?)(?=^//: |\Z)", re.MULTILINE | re.DOTALL)
_HOOK = re.compile(r"( *)\$(\w+)\n")
_WORD = re.compile(r"\$(\w+|\{\w+\})")

Hook = str | int | list[str]


@cache
def sections(name: str) -> dict[str, str]:
    """Return the sections of the C file ``name``.c in one of the rooms of `kernels`."""
    rooms = files(__package__.rpartition(".")[0]).iterdir()
    found = (room.joinpath(f"{name}.c") for room in rooms if room.is_dir() and room.name != "functions")
    text = next(file for file in found if file.is_file()).read_text(encoding="utf-8")
    return dict(_SECTION.findall(text))


@cache
def _lines(name: str, title: str) -> list[tuple[str, str] | str]:
    """The lines of a section: a hook as its indentation and its name, another line as a format with its words."""
    lines: list[tuple[str, str] | str] = []
    for line in sections(name)[title].splitlines(keepends=True):
        hook = _HOOK.fullmatch(line)
        lines.append((hook[1], hook[2]) if hook else _WORD.sub(_format, line.replace("%", "%%")))
    return lines


def _format(word: re.Match[str]) -> str:
    return f"%({word[1].strip('{}')})s"


def section(name: str, title: str, **hooks: Hook) -> str:
    """Return the section ``title`` of ``name``.c with the texts of its hooks. KeyError for a hook that is not given."""
    lines = []
    for line in _lines(name, title):
        if isinstance(line, tuple):
            statements = indented(_listed(hooks[line[1]]))
            lines += [f"{'' if statement[0] == '#' else line[0]}{statement}\n" for statement in statements]
        else:
            lines.append(line % hooks)
    return "".join(lines)


def statements(name: str, title: str, **hooks: Hook) -> list[str]:
    """Return `section` as lines for a hook of another section, which indents them."""
    lines: list[str] = []
    for line in _lines(name, title):
        if isinstance(line, tuple):
            lines += _listed(hooks[line[1]])
        else:
            lines.append(line % hooks)
    return lines


def _listed(hook: Hook) -> Sequence[str]:
    return hook if isinstance(hook, list) else str(hook).splitlines()


def indented(lines: Sequence[str]) -> list[str]:
    """Return the lines indented by their braces, except for those of the preprocessor."""
    text, depth = [], 0
    for line in filter(None, map(str.strip, lines)):
        if line[0] == "#":
            text.append(line)
            continue
        depth -= line[0] == "}"
        text.append("    " * depth + line)
        if "{" in line or "}" in line:
            depth += (line[0] == "}") + line.count("{") - line.count("}")
    return text


def defines(constants: Mapping[str, object]) -> str:
    """Return constants as lines of C. A truth value is 0 or 1."""
    return "".join(
        f"#define {name} {int(value) if isinstance(value, bool) else value}\n" for name, value in constants.items()
    )
