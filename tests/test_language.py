"""The language of pages and code: phrases that readers have to decode, and names that stand for several things.

To extend: add a row to `FORBIDDEN`, or a room whose sentences are clean to `CLEAN`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "arrayapi_gpu"

# A phrase, as a regular expression that is searched for between the ends of words, and a better one. Case counts only
# where a phrase begins with a capital: that is the beginning of a sentence.
FORBIDDEN = {
    "shall": "must, should or will",
    "of which": "whose, or a sentence of its own",
    "but for": "except for",
    "on (?:its|their|his) own": "automatically, or separately",
    r"(?:has|have) not(?= (?:the|a|an|any|enough)\b|[.,;:)])": "does not have",
    "minded": "respected",
    "anew": "again",
    "ours": "this library's, or its name",
    "beside": "next to, with, or in addition to",
    "apart": "separately, or except for",
    "(?:tell|tells|told|telling)": "say, show or indicate",
    "seen": "visible, met, known or read",
    "what (?:is|are|was|were)": "the noun itself",
    r"What\b(?![^.?!]*\?)": "the noun itself",
    r"Who\b(?![^.?!]*\?)": "code that, or the noun itself",
    "Such as": "those that",
    "such as (?:is|are|has|have)": "those that",
    r"(?<!thing )(?<!body )(?<!what )(?<!one )(?<!where )else": "otherwise",
    "for want of": "because there is no",
    "had better": "should",
    "(?:let|lets) go": "drop, free or release",
    "in turns": "alternately",
    "(?:and|or) (?:its|their|the) like": "and similar ones",
    "sooner": "faster, or earlier",
    "thereof": "of it",
    "whoever": "code that, or the noun itself",
    "(?:some|any)body": "a program, a thread, or the noun itself",
    "nothing but": "only",
    "need be": "necessary",
    "of late": "recently",
}
PHRASES = {
    re.compile(rf"\b{phrase}(?!\w)", 0 if phrase[0].isupper() else re.I): better for phrase, better in FORBIDDEN.items()
}

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "SECURITY.md",
    "bench/README.md",
    "conformance/README.md",
    "arrayapi_gpu/DESIGN.md",
]
PAGES += sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))

# Rooms and modules of the package whose docstrings, comments and strings are clean, those of C files, too.
CLEAN = (
    "__init__.py",
    "__main__.py",
    "backends",
    "config.py",
    "dask.py",
    "debug.py",
    "fft.py",
    "kernels",
    "lazy",
    "lib",
    "linalg.py",
    "memory",
    "scopes.py",
    "special",
)

# Names that differ by a capital alone, in one room. In `special` and `random` these are a function and its type. The
# rows of `api`, `kernels` and `lazy` are left to the rewriting of these rooms.
CAPITALS = {
    "api/core: PLAIN, plain",
    "api/exchange: Memory, memory",
    "api/numpy: FUNCTIONS, functions",
    "api/standard: BOOL, bool",
    "lazy/build: Product, product",
    "lazy/graph: CONSTANT, constant",
    "lazy/graph: IOTA, iota",
    "lazy/graph: Leaf, leaf",
    "lazy/graph: Lost, lost",
    "random: BLOCKS, Blocks",
    "random: Sampling, sampling",
    "special: Binary, binary",
    "special: Ternary, ternary",
    "special: Unary, unary",
}

# Public classes of one name in one of the large rooms, also left to that.
SEVERAL: set[str] = set()


def faults(text: str, line: int = 1) -> list[str]:
    """The forbidden phrases of a text, which begins in a line of its file. Sentences may go over lines."""
    flat = text.replace("\n", " ")
    return [
        f"line {line + text.count(chr(10), 0, found.start())}: {found[0]!r}; better: {better}"
        for phrase, better in PHRASES.items()
        for found in phrase.finditer(flat)
    ]


def prose(page: str) -> str:
    """A page without its code, each line in its place."""
    text = (ROOT / page).read_text("utf-8")
    for code in (r"^ *```.*?^ *```", r"`[^`]*`", r"^    .*?$", r"\]\([^)]*\)"):
        text = re.sub(code, lambda found: re.sub(r"[^\n]", "_", found[0]), text, flags=re.MULTILINE | re.DOTALL)
    return text


def joined(comments: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines and texts of comments; those on successive lines are one text."""
    block: list[str] = []
    last = 0
    for line, comment in comments:
        if block and line != last + 1:
            yield last - len(block) + 1, "\n".join(block)
            block = []
        block.append(comment)
        last = line
    if block:
        yield last - len(block) + 1, "\n".join(block)


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Lines and texts of the comments, docstrings and other strings of a Python file."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    yield from joined((own.start[0], own.string.lstrip("# ")) for own in tokens if own.type == tokenize.COMMENT)
    for node in ast.walk(ast.parse(source)):
        # A keyword with signs, and a word of the dialect, is C.
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not re.fullmatch(r"\W*else\W*[A-Z_]*", node.value)
        ):
            yield node.lineno, re.sub(r"`[^`\n]*`", "_", node.value)


def sentences_in_c(source: str) -> Iterator[tuple[int, str]]:
    """Lines and texts of the comments of a C file, except for the titles of sections."""
    lines = enumerate(source.splitlines(), 1)
    found = [
        (line, comment) for line, text in lines if (comment := text.partition("//")[2].strip()) and comment[0] != ":"
    ]
    for line, text in joined(found):
        yield line, re.sub(r"`[^`\n]*`", "_", text)


READERS = {".py": sentences, ".c": sentences_in_c}


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_no_forbidden_phrase(page: str) -> None:
    assert faults(prose(page)) == []


@pytest.mark.parametrize("room", CLEAN)
def test_rooms_have_no_forbidden_phrase(room: str) -> None:
    found = [PACKAGE / room, *(PACKAGE / room).rglob("*")]
    readers = [(path, READERS[path.suffix]) for path in sorted(found) if path.suffix in READERS]
    assert readers
    wrong = {
        f"{path.relative_to(PACKAGE).as_posix()}, {fault}"
        for path, read in readers
        for line, text in read(path.read_text("utf-8"))
        for fault in faults(text, line)
    }
    assert wrong == set()


def test_phrases_are_found() -> None:
    """In comments, docstrings and strings, over the ends of lines, and not within words."""
    text = '"""Takes all\nbut for\none."""\n# It has not\n# any.\nx = "shall" + f"anew {1}"\ny = "marshal, `beside`"\n'
    text += 'z = f"if ({x}) f({y}); else STORE_{x}"\n'
    found = [each.partition(";")[0] for line, text in sentences(text) for each in faults(text, line)]
    assert sorted(found) == ["line 2: 'but for'", "line 4: 'has not'", "line 6: 'anew'", "line 6: 'shall'"]
    assert faults("What now?") == [] and len(faults("What now.")) == 1
    text = '//: beside\n// All but\n// for `else`.\nif (x) return; // apart\nelse return;\nx = "anew";\n'
    found = [each.partition(";")[0] for line, text in sentences_in_c(text) for each in faults(text, line)]
    assert sorted(found) == ["line 2: 'but for'", "line 4: 'apart'"]


def rooms() -> dict[str, list[Path]]:
    """The files of each room: a folder of the package that has modules."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        found[path.parent.relative_to(PACKAGE).as_posix()].append(path)
    return {room: files for room, files in found.items() if room != "."}


def defined(path: Path) -> Iterator[str]:
    """The functions, classes and constants of a module. Methods do not count: `target` gives a `Target`."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_no_two_names_of_a_room_differ_by_a_capital_alone() -> None:
    found = set()
    for room, files in rooms().items():
        spellings: dict[str, set[str]] = defaultdict(set)
        for name in {name for path in files for name in defined(path)}:
            spellings[name.lower()].add(name)
        found |= {f"{room}: {', '.join(sorted(names))}" for names in spellings.values() if len(names) > 1}
    assert found - CAPITALS == set(), "rename one of both"
    assert CAPITALS - found == set(), "no exception is needed any more"


def test_a_public_class_of_a_room_has_a_name_of_its_own() -> None:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for room, files in rooms().items():
        for path in files:
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[room.partition("/")[0], node.name].append(path.stem)
    found = {f"{room}: {name} in {', '.join(sorted(own))}" for (room, name), own in places.items() if len(own) > 1}
    assert found - SEVERAL == set(), "rename all but one"
    assert SEVERAL - found == set(), "no exception is needed any more"
