"""The text of the loops: each element-wise operation over contiguous elements, for each of its rules.

The device functions are those of all kernels (functions/*.c), behind the prelude of the native back end. A function of
one number after another becomes vectors in the compiler. Where a function asks a question of all lanes at once (ANY),
it is written for registers of 16 lanes, because a branch keeps the compiler from making vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from importlib.resources import files
from typing import Any

import numpy as np

from ...backends.base import dialect
from ...memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPES, REAL_FLOATING, SHORT
from ..core.library import available, library
from ..core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from ..core.ops import CAST, GATHER, OPS, RANDOM, SPECIAL, WRAP_INDEX, Rule

PREFIX = "loop_"  # of the names of loops
MONOIDS = (SUM, PROD, MIN, MAX, ANY, ALL, ARGMIN, ARGMAX)

_OF_ALL_LANES = re.compile(r"\b(?:ANY|ALL|OF_QUARTERS|SHIFT_IN)\b")


def rules() -> dict[str, Rule]:
    """Return one rule for each device function that an operation calls, by the function's name."""
    tables = [*OPS.values(), *SPECIAL.values(), *RANDOM.values(), *CAST.values(), WRAP_INDEX]
    found = {rule.function: rule for op in tables for rule in op.rules.values()}
    known = available()
    return {name: rule for name, rule in sorted(found.items()) if name in known}


def texts(parts: int, registers: bool) -> Iterator[str]:
    """Yield translation units, which may be compiled at the same time: some of numbers and, with ``registers``, some of
    the functions that ask all lanes."""
    found = rules()
    whole = [name for name in found if registers and _OF_ALL_LANES.search(library([name]))]
    numbers = [name for name in found if name not in whole]
    for lanes, names in ((1, numbers), (16, whole)):
        for part in range(parts):
            own = names[part::parts]
            if own:
                loops = "".join([_loop(found[name], lanes) for name in own])
                yield f"#define LANES {lanes}\n{dialect('native_prelude.h')}{library(own)}{_MACROS}{loops}"
    head = f"#define LANES 1\n{dialect('native_prelude.h')}"
    yield f"{head}{_MACROS}{''.join(map(_gather, map(SHORT.get, DTYPES)))}"
    fixed = files(__package__).joinpath("folds.c").read_text(encoding="utf-8")
    for monoid in MONOIDS:
        own = [dtype for dtype in DTYPES if f"{monoid.function}_{SHORT[dtype]}" in available()]
        own = [dtype for dtype in own if COMPUTES_IN[dtype] == dtype and not (monoid.indexed and dtype in COMPLEX_FLOATING)]
        needs = [f"{name}_{SHORT[dtype]}" for dtype in own for name in (monoid.function, *_ORDER.get(monoid.function, ()))]
        needs = [name for name in needs if name in available()]
        yield f"{head}{library(needs)}{_MACROS}{fixed}{''.join([_fold(monoid, dtype) for dtype in own])}"


# `x[k]`: the elements of operand k. A loop may write to the memory that it reads, element by element.
_MACROS = """
#ifdef __clang__
#define VECTORS_OF _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECTORS_OF _Pragma("GCC ivdep")
#endif
"""


def _loop(rule: Rule, lanes: int) -> str:
    shorts = [SHORT[dtype] for dtype in rule.args]
    result, places = SHORT[rule.result], range(len(shorts))
    pointers = "".join(f"    const M_{short} *x{k} = (const M_{short} *)x[{k}];\n" for k, short in enumerate(shorts))
    head = f"void {PREFIX}{rule.function}(char *out, char *const *x, int64 n) {{\n    M_{result} *o = (M_{result} *)out;\n"
    if lanes == 1:
        values = ", ".join(f"FROM_{short}(x{k}[i])" for k, short in enumerate(shorts))
        body = f"    VECTORS_OF for (int64 i = 0; i < n; i++) o[i] = INTO_{result}({rule.function}({values}));\n"
        return f"{head}{pointers}{body}}}\n"
    values = ", ".join(f"LOAD_{short}(x{k}, i)" for k, short in enumerate(shorts))
    rest = "".join(f"    R_{shorts[k]} r{k} = LOADN_{shorts[k]}(x{k}, i, 1, (int)(n - i));\n" for k in places)
    given = ", ".join(f"r{k}" for k in places)
    return (
        f"static __attribute__((noinline)) R_{result} of_{rule.function}("
        f"{', '.join(f'R_{short} r{k}' for k, short in enumerate(shorts))}) {{ return {rule.function}({given}); }}\n"
        f"{head}{pointers}    int64 i = 0;\n"
        f"    for (; i + 16 <= n; i += 16) STORE_{result}(o, i, {rule.function}({values}));\n"
        f"    if (i == n) return;\n{rest}"
        f"    STOREN_{result}(o, i, 1, (int)(n - i), of_{rule.function}({given}));\n}}\n"
    )


# Reductions to the position of the least or the greatest: the operation that no better value passes.
_ORDER = {"greater": ("less_equal", "equal"), "less": ("greater_equal", "equal")}


def fold_name(monoid: Monoid, dtype: np.dtype[Any]) -> str:
    """Return the name of the function that reduces elements of a dtype."""
    return f"fold_{monoid.name}_{SHORT[dtype]}"


def _fold(monoid: Monoid, dtype: np.dtype[Any]) -> str:
    t, function, identity = SHORT[dtype], monoid.function, monoid.identity(dtype)
    name = f"{monoid.name}_{t}"
    if not monoid.indexed:
        return f"FOLD({name}, {t}, {function}_{t}, {identity}, {int(monoid.rounds(dtype))})\n"
    beats = f"{function}_{t}(x, y)"
    if dtype in REAL_FLOATING:
        no_better = _ORDER[function][0]
        beats = f"(~{no_better}_{t}(x, y) & equal_{t}(y, y))"
    return f"#define BEATS_{name}(x, y) {beats}\nPLACE({name}, {t}, BEATS_{name}, {identity})\n"


def _gather(short: str | None) -> str:
    """The loop of `GATHER`: ``x[0]``: memory; ``x[1]``: places in it, counted in elements."""
    return (
        f"void {PREFIX}{GATHER.rules[DTYPES[0]].function.partition('_')[0]}_{short}(char *out, char *const *x, int64 n) {{\n"
        f"    const M_{short} *p = (const M_{short} *)x[0];\n    const int64 *places = (const int64 *)x[1];\n"
        f"    M_{short} *o = (M_{short} *)out;\n    for (int64 i = 0; i < n; i++) o[i] = p[places[i]];\n}}\n"
    )
