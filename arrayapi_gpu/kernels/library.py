"""The functions that kernels call, instantiated from the templates in `functions/*.c`.

The format of a template file: groups, each opened by a line that says for which dtypes it holds.

    //: for T in f32 f64
    // Comments stand on lines of their own and are dropped.
    FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

    FN R_b8 equal_$T(R_$T a, R_$T b) { return EQ(a, b); }

* A function starts at a line that begins with `FN` and goes up to the next such line. Its name is
  made of lower-case letters, digits and underscores. Its helpers are functions of the same format.
* Parameters are single capital letters and are written `$T` (`$Tx` is `$T` followed by `x`).
  Several names take several values a row, several clauses multiply:
  `//: for T P in f32 24  f64 53`, `//: for S in i8 i16 for T in f32 f64`.
* From `T` follow, unless named by the group: `$F` the real dtype (c64 -> f32, else T), `$C` the
  complex one (f32 -> c64), `$U` and `$I` the unsigned and signed integer of the width of `$F`.
* Bodies use the words listed at the top of dialect.h and other functions of the library by
  name; which ones a function needs is found by looking for their names in its text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path

_WIDTH = {"b8": "8"} | {kind + width: width for kind in "iuf" for width in ("8", "16", "32", "64")}
_REAL = {"c64": "f32", "c128": "f64"}
_COMPLEX = {"f32": "c64", "f64": "c128"}
_CLAUSE = re.compile(r"for ((?:[A-Z] )+)in ((?:(?!for )\S+ *)+)")
_NAME = re.compile(r"FN \w+(?:\(\w+\))? (\w+)\(")
_PARAMETER = re.compile(r"\$([A-Z])")
_WORD = re.compile(r"\b[a-z]\w*\b")


def _bindings(header: str) -> Iterator[dict[str, str]]:
    """The parameter values for which a group of this header holds, one dict an instance."""
    clauses = []
    for names, values in _CLAUSE.findall(header):
        keys, flat = names.split(), values.split()
        rows = zip(*(flat[k :: len(keys)] for k in range(len(keys))), strict=True)
        clauses.append([dict(zip(keys, row, strict=True)) for row in rows])
    if not clauses:
        raise SyntaxError(f"kernels/functions: not a group's first line: {header!r}")
    for combination in product(*clauses):
        bound = {key: value for row in combination for key, value in row.items()}
        if (dtype := bound.get("T")) is not None:
            real = _REAL.get(dtype, dtype)
            derived = {"F": real, "C": _COMPLEX.get(dtype, dtype)}
            if real in _WIDTH:
                derived |= {"U": "u" + _WIDTH[real], "I": "i" + _WIDTH[real]}
            bound = derived | bound
        yield bound


def _value(bound: dict[str, str], parameter: re.Match[str]) -> str:
    return bound[parameter[1]]


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """The name and the text of every function that a template file of content `text` makes."""
    text = re.sub(r"^ *//[^:\n].*\n|^ *//\n", "", text, flags=re.MULTILINE)
    for group in re.split(r"^//: ", text, flags=re.MULTILINE)[1:]:
        header, _, body = group.partition("\n")
        templates = [part.strip() for part in re.split(r"^(?=FN )", body, flags=re.MULTILINE)]
        for bound in _bindings(header):
            for template in filter(None, templates):
                function = _PARAMETER.sub(partial(_value, bound), template)
                if (name := _NAME.match(function)) is None:
                    raise SyntaxError(f"kernels/functions: not a function: {function[:60]!r}")
                yield name[1], function


@cache
def _table() -> dict[str, str]:
    """All functions, text by name."""
    table: dict[str, str] = {}
    for file in sorted(Path(__file__).with_name("functions").glob("*.c")):
        for name, text in _functions(file.read_text(encoding="utf-8")):
            if name in table:
                raise SyntaxError(f"kernels/functions: {name} is defined twice, in {file.name}")
            table[name] = text
    return table


@cache
def _needs(name: str) -> tuple[str, ...]:
    """`name` behind all that it calls, each once, callees first. KeyError: no such function."""
    table = _table()
    called = dict.fromkeys(word for word in _WORD.findall(table[name]) if word in table)
    order = dict.fromkeys(need for word in called if word != name for need in _needs(word))
    return *order, name


def library(names: Iterable[str]) -> str:
    """The C text of the functions `names` and of all they call, callees first, each once.

    The same set of names gives the same text. Raises KeyError for a name that is no function.
    """
    order = dict.fromkeys(need for name in sorted(set(names)) for need in _needs(name))
    table = _table()
    return "".join(f"{table[name]}\n" for name in order)


def available() -> frozenset[str]:
    """The names of all functions, `<name>_<compute dtype>`, helpers included."""
    return frozenset(_table())
