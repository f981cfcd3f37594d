"""Templates of device code: lines that are written once for many dtypes.

A group of lines begins with a line that lists its values:

    //: for T in f32 f64
    //: for T P in f32 24  f64 53               several names take several values a row
    //: for S in i8 i16 for T in f32 f64        several clauses multiply

Parameters are single capital letters and are written ``$T`` (``$Tx`` is ``$T`` followed by x). From ``T`` follow,
unless the group names them: the real dtype ``$F`` (f32 for c64, otherwise T), the complex one ``$C`` (c64 for f32), and
the unsigned and signed integers of the width of ``$F``, ``$U`` and ``$I``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product

_WIDTH = {"b8": "8"} | {kind + width: width for kind in "iuf" for width in ("8", "16", "32", "64")}
_REAL = {"c64": "f32", "c128": "f64"}
_COMPLEX = {"f32": "c64", "f64": "c128"}
_CLAUSE = re.compile(r"for ((?:[A-Z] )+)in ((?:(?!for )\S+ *)+)")
_PARAMETER = re.compile(r"\$([A-Z])")
_GROUP = re.compile(r"^//: (.*)\n((?:.+\n)+)", re.MULTILINE)


def bindings(header: str) -> Iterator[dict[str, str]]:
    """Yield the values of the parameters of a group, given its first line without ``//:``; SyntaxError."""
    clauses = []
    for names, values in _CLAUSE.findall(header):
        keys, flat = names.split(), values.split()
        rows = zip(*(flat[k :: len(keys)] for k in range(len(keys))), strict=True)
        clauses.append([dict(zip(keys, row, strict=True)) for row in rows])
    if not clauses:
        raise SyntaxError(f"not a group's first line: {header!r}")
    for combination in product(*clauses):
        bound = {key: value for row in combination for key, value in row.items()}
        if (dtype := bound.get("T")) is not None:
            real = _REAL.get(dtype, dtype)
            derived = {"F": real, "C": _COMPLEX.get(dtype, dtype)}
            if real in _WIDTH:
                derived |= {"U": "u" + _WIDTH[real], "I": "i" + _WIDTH[real]}
            bound = derived | bound
        yield bound


def filled(template: str, bound: Mapping[str, str]) -> str:
    """Return a template with the values of its parameters; KeyError for one without a value."""
    return _PARAMETER.sub(lambda parameter: bound[parameter[1]], template)


def expanded(text: str) -> str:
    """Return a text in which each group, up to the next empty line, is repeated for its values."""
    return _GROUP.sub(lambda group: "".join(filled(group[2], bound) for bound in bindings(group[1])), text)
