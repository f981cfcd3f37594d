"""Kernel texts that stand in C files beside their host half: sections, and what is put into them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template

_SECTION = re.compile(r"^//: (\w+)\n(.*?)(?=^//: |\Z)", re.MULTILINE | re.DOTALL)


@cache
def sections(name: str) -> dict[str, Template]:
    """The sections, each opened by a line ``//: name``, of the C file ``name``.c."""
    text = Path(__file__).with_name(f"{name}.c").read_text(encoding="utf-8")
    return {title: Template(body) for title, body in _SECTION.findall(text)}
