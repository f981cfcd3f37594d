"""The examples of a page: its blocks of Python run in their order, in one namespace, and print what the page shows.

`python pages.py PAGE DEVICE` runs a page in the current directory, and ends with 1 where something else was printed.

* A `print(...)` with a comment prints the comment. All other output of a block is the next block of the page, of text.
  A text that follows no output is an error, and so is output that the page does not show.
* `...` in a text stands for anything in its line. The name of the device stands as `native` in a text, and without the
  words of `explain` on drivers.
* Times and throughputs are not compared. A text that has some lists launches, and these are those of `native`: it is
  compared on that device, without the order of its lines, because tables are sorted by time.
* A block that begins with `# name.py` is that file, so lines of the program that are shown count from there.
* A block that imports a package that is not installed is left out, with the blocks that need its names and do not set
  them.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import linecache
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\S*)(?: [^\n`]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"(?<![\w.])[0-9.e+-]+ (?:s|ms|us|ns|GB/s|MB/s)(?![\w/])")

DRIVERS = re.compile(r", (?:by NumPy while the device rests|its kernel is being compiled)(?=\))")


@dataclass(frozen=True)
class Block:
    """An example: the line of the page at which it begins, its text, and the text that the page shows behind it."""

    line: int
    text: str
    shown: str | None

    @property
    def imported(self) -> set[str]:
        """The packages that it imports."""
        nodes = list(ast.walk(ast.parse(self.text)))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
        return {name.partition(".")[0] for name in names}

    def names(self, kind: type[ast.expr_context]) -> set[str]:
        """The names that it reads (`ast.Load`) or sets (`ast.Store`)."""
        nodes = list(ast.walk(ast.parse(self.text)))
        found = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, kind)}
        if kind is ast.Store:
            found |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            imports = [node.names for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
            found |= {(alias.asname or alias.name).partition(".")[0] for names in imports for alias in names}
        return found


def blocks(page: str) -> list[Block]:
    """The examples of a page, given by its text."""
    fences = list(FENCE.finditer(page))
    found, used = [], set()
    for fence, following in zip_longest(fences, fences[1:]):
        if fence[1] == "python":
            shown = following[2] if following is not None and following[1] == "text" else None
            used |= {following} if shown is not None else set()
            found.append(Block(page.count("\n", 0, fence.start(2)) + 1, fence[2], shown))
    alone = [fence for fence in fences if fence[1] == "text" and fence not in used]
    assert not alone, f"a text that no example prints: {alone[0][2]}"
    return found


def missing(block: Block) -> set[str]:
    """The packages that it imports and that are not installed."""
    return {name for name in block.imported if importlib.util.find_spec(name) is None}


def masked(text: str) -> list[str]:
    """Lines without the widths of columns and, where there are times, without these, order, and counts of calls."""
    whole = re.sub(r"\n  +(?=\S)", " ", text)  # a sentence over several lines is one
    lines = [re.sub(r"\s+", " ", line).strip() for line in whole.splitlines() if line.strip()]
    if not any(TIME.search(line) for line in lines):
        return lines
    return sorted(re.sub(r"# \d+$|calls: .*", "#", TIME.sub("#", line)) for line in lines)


def same(got: str, shown: str) -> bool:
    """Whether a program printed what a page shows."""
    found, wanted = masked(got), masked(shown)
    patterns = [".*".join(map(re.escape, line.split("..."))) for line in wanted]
    return len(found) == len(wanted) and all(
        line == one or re.fullmatch(pattern, line) for line, one, pattern in zip(found, wanted, patterns, strict=True)
    )


def statements(block: Block, file: str) -> Iterator[tuple[Any, str, str | None]]:
    """The statements of a block, compiled, their places, and the comments behind those that are a `print(...)`."""
    source = block.text.splitlines()
    if named := re.fullmatch(r"# (\w+\.py)", source[0]):
        file, first = named[1], 1
        linecache.cache[file] = (len(block.text), None, block.text.splitlines(keepends=True), file)
    else:
        first = block.line
    tree = ast.parse(block.text)
    for node in tree.body:
        comment = None
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="print")), end_lineno=int(end), end_col_offset=int(column)):
                after = source[end - 1].encode()[column:].decode().strip()
                comment = after.removeprefix("#").strip() if after.startswith("#") else None
        ast.increment_lineno(node, first - 1)
        yield compile(ast.Module([node], []), file, "exec"), f"{file}, line {node.lineno}", comment


def run_block(block: Block, file: str, names: dict[str, Any], device: str) -> None:
    """Run an example, and compare what it prints."""
    rest = ""
    for code, place, comment in statements(block, file):
        with redirect_stdout(io.StringIO()) as found:
            exec(code, names)
        got = DRIVERS.sub("", found.getvalue().replace(device, "native"))
        if comment is None:
            rest += got
        elif not same(got, comment):
            raise AssertionError(f"{place}: shown {comment!r}, printed {got!r}")
    shown = block.shown or ""
    if device != "native" and TIME.search(shown):
        return
    if not same(rest, shown):
        raise AssertionError(f"{file}, example at line {block.line}: shown\n{shown}\nprinted\n{rest}")


def run_page(page: Path, device: str, names: dict[str, Any]) -> set[str]:
    """Run the examples of a page with these names. Return the packages that were missing."""
    absent: set[str] = set()
    unknown: set[str] = set()
    failed: list[Any] = []
    hook, threading.excepthook = threading.excepthook, failed.append
    try:
        for block in blocks(page.read_text("utf-8")):
            lacks = missing(block)
            if lacks or (block.names(ast.Load) - block.names(ast.Store)) & unknown:
                absent |= lacks
                unknown |= block.names(ast.Store) - names.keys()
            else:
                run_block(block, str(page), names, device)
                unknown -= block.names(ast.Store)
                assert not failed, failed
    finally:
        threading.excepthook = hook
    return absent


if __name__ == "__main__":
    for package in sorted(run_page(Path(sys.argv[1]), sys.argv[2], {"__name__": "__main__"})):
        print(package)
