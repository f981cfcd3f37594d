"""Kernel texts that stand in C files beside their host half: sections, and what is put into them.

A section is opened by a line ``//: name``. In it ``$word`` stands for a word, and a line that is ``$word`` alone for
statements, a hook: a list or a text of lines, which get the indentation of that line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import Template

_SECTION = re.compile(r"^//: (\w+)\n(.*?)(?=^//: |\Z)", re.MULTILINE | re.DOTALL)
_HOOK = re.compile(r"( *)\$(\w+)\n")

Hook = str | int | Sequence[str]


@cache
def sections(name: str) -> dict[str, str]:
    """The sections of the C file ``name``.c, which lies in one of the rooms of `kernels`."""
    rooms = files(__package__.rpartition(".")[0]).iterdir()
    found = (room.joinpath(f"{name}.c") for room in rooms if room.is_dir() and room.name != "functions")
    text = next(file for file in found if file.is_file()).read_text(encoding="utf-8")
    return dict(_SECTION.findall(text))


def section(name: str, title: str, **hooks: Hook) -> str:
    """The section ``title`` of ``name``.c with its words, and with the lines of its hooks. KeyError for a word that is
    not given."""
    lines = []
    for line in sections(name)[title].splitlines(keepends=True):
        found = _HOOK.fullmatch(line)
        if found:
            hook = hooks[found[2]]
            statements = hook if isinstance(hook, Sequence) and not isinstance(hook, str) else str(hook).splitlines()
            lines += [f"{'' if statement[0] == '#' else found[1]}{statement}\n" for statement in indented(statements)]
        else:
            lines.append(Template(line).substitute(hooks))
    return "".join(lines)


def indented(lines: Sequence[str]) -> list[str]:
    """Lines that are indented by their braces, but for those of the preprocessor."""
    text, depth = [], 0
    for line in filter(None, map(str.strip, lines)):
        if line.startswith("#"):
            text.append(line)
            continue
        depth -= line.startswith("}")
        text.append("    " * depth + line)
        depth += line.startswith("}") + line.count("{") - line.count("}")
    return text


def defines(constants: Mapping[str, object]) -> str:
    """Constants as lines of C. A truth value is 0 or 1."""
    return "".join(
        f"#define {name} {int(value) if isinstance(value, bool) else value}\n" for name, value in constants.items()
    )
