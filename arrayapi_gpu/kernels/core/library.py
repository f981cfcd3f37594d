"""The functions that kernels call, instantiated from the templates in `functions/*.c`.

A template file has groups, each opened by a line with the dtypes for which it holds (`backends.templates`).

    //: for T in f32 f64
    // Comments stand on lines of their own and are dropped.
    FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

    FN R_b8 equal_$T(R_$T a, R_$T b) { return EQ(a, b); }

* A function starts at a line that begins with `FN` and goes up to the next such line. Its name is
  made of lower-case letters, digits and underscores. Its helpers are functions of the same format.
* Bodies use the words listed at the top of dialect.h and other functions of the library by
  name; a function needs those whose names are in its text.
"""

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache
from importlib.resources import files

from ...backends.templates import bindings, filled
from . import tuning

_NAME = re.compile(r"FN \w+(?:\(\w+\))? (\w+)\(")
_WORD = re.compile(r"\b[a-z]\w*\b")


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of every function that a template file of content `text` makes."""
    text = re.sub(r"^ *//[^:\n].*\n|^ *//\n", "", text, flags=re.MULTILINE)
    for group in re.split(r"^//: ", text, flags=re.MULTILINE)[1:]:
        header, _, body = group.partition("\n")
        templates = [part.strip() for part in re.split(r"^(?=FN )", body, flags=re.MULTILINE)]
        for bound in bindings(header):
            for template in filter(None, templates):
                function = filled(template, bound)
                if (name := _NAME.match(function)) is None:
                    raise SyntaxError(f"kernels/functions: not a function: {function[:60]!r}")
                yield name[1], function


@cache
def _table() -> dict[str, str]:
    """All functions, text by name."""
    table: dict[str, str] = {}
    folder = files(__package__.rpartition(".")[0]).joinpath("functions")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".c"):
            continue
        for name, text in _functions(file.read_text(encoding="utf-8")):
            if name in table:
                raise SyntaxError(f"kernels/functions: {name} is defined twice, in {file.name}")
            table[name] = text
    return table


@cache
def _needs(name: str) -> tuple[str, ...]:
    """``name`` after all functions that it calls, each once, callees first. KeyError: no such function."""
    table = _table()
    called = dict.fromkeys(word for word in _WORD.findall(table[name]) if word in table)
    order = dict.fromkeys(need for word in called if word != name for need in _needs(word))
    return *order, name


def library(names: Iterable[str], called: Container[str] = ()) -> str:
    """Return the C text of the functions ``names`` and of all that they call, callees first, each once.

    Long functions among ``called`` are not inlined. The same names give the same text. Raises KeyError for an unknown
    function.
    """
    order = dict.fromkeys(need for name in sorted(set(names)) for need in _needs(name))
    table = _table()
    return "".join(f"{'CALLED_' if name in called and _is_long(name) else ''}{table[name]}\n" for name in order)


def _is_long(name: str) -> bool:
    """Whether the text of a function, and of all it calls, is long."""
    table = _table()
    return sum(len(table[need]) for need in _needs(name)) > tuning.LONG


def available() -> frozenset[str]:
    """Return the names of all functions, `<name>_<compute dtype>`, helpers included."""
    return frozenset(_table())
