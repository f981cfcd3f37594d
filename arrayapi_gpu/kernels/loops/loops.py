"""The text of the loops: each element-wise operation over contiguous elements for each of its rules, and reductions.

The device functions are those of all kernels (functions/*.c), behind the prelude of the native back end. A function of
one number after another becomes vectors in the compiler. A function that asks a question of all lanes at once (ANY) is
written for registers of 16 lanes, because a branch keeps the compiler from making vectors.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from ...backends import native_library
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPUTES_IN, DTYPE_OF, DTYPES, REAL_FLOATING, SHORT
from ..core.library import available, library
from ..core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from ..core.ops import CAST, GATHER, OPS, RANDOM, SPECIAL, WRAP_INDEX, Rule

LOOP = "loop_"  # before the names of loops
EXPAND = "expand_"  # before the number of bytes, in the names of the loops of blocks.c that repeat a number
MONOIDS = (SUM, PROD, MIN, MAX, ANY, ALL, ARGMIN, ARGMAX)

_CHEAP = 4  # the cost of a function up to which there are loops with numbers: others take longer than a copy of one
_ARRAY = re.compile(r"\b[RM]_\w+ \w+\[")  # of a function's own, which all elements of a loop would share
_OF_ALL_LANES = re.compile(r"\b(?:ANY|ALL|OF_QUARTERS|SHIFT_IN)\b")

# A loop may write to the memory that it reads, element by element.
_VECTORS = """
#define VECTORS_OF _Pragma("GCC ivdep")
#ifdef __clang__
#undef VECTORS_OF
#define VECTORS_OF _Pragma("clang loop vectorize(assume_safety)")
#endif
"""

# Functions whose loops are joined with those of a function that computes one of their operands.
_JOINED_DTYPES = (DTYPE_OF["f32"], DTYPE_OF["f64"])
_INNER = ("add", "subtract", "multiply", "square")
_OUTER = (*_INNER, "minimum", "maximum")

# Functions of positions: those that are true of values that are no better, and of equal ones, and those that give the
# better of two values, and of two booleans.
_OF_POSITIONS = {
    "greater": ("less_equal", "equal", "maximum", "logical_or"),
    "less": ("greater_equal", "equal", "minimum", "logical_and"),
}


def rules() -> dict[str, Rule]:
    """Return one rule for each device function that an operation calls, by the function's name."""
    tables = [*OPS.values(), *SPECIAL.values(), *RANDOM.values(), *CAST.values(), WRAP_INDEX]
    found = {rule.function: rule for op in tables for rule in op.rules.values()}
    known = available()
    return {name: rule for name, rule in sorted(found.items()) if name in known}


def texts(units: int, registers: bool) -> Iterator[str]:
    """Yield translation units, which may be compiled at the same time: some of numbers and, with ``registers``, some of
    the functions that ask all lanes."""
    found = rules()
    whole = [name for name in found if registers and _OF_ALL_LANES.search(library([name]))]
    numbers = [name for name in found if name not in whole]
    for width, names, text in ((1, numbers, _of_numbers), (16, whole, _of_registers)):
        for unit in range(units):
            own = names[unit::units]
            if own:
                yield _head(width, own) + "".join([text(_of_rule(found[name])) for name in own])
    cheap = [name for name, rule in found.items() if len(rule.args) > 1 and rule.cost <= _CHEAP and name in numbers]
    for unit in range(units):
        some = cheap[unit::units]
        if some:
            made = [loop for name in some for loop in _with_numbers(_of_rule(found[name]))]
            yield _head(1, some) + "".join(map(_of_numbers, made))
    for dtype in _JOINED_DTYPES:
        for outer in _OUTER:
            names = [f"{name}_{SHORT[dtype]}" for name in dict.fromkeys((outer, *_INNER))]
            yield _head(1, names) + "".join(map(_of_numbers, _pairs(found, names)))
    yield _head(1, ()) + "".join(map(_gather, DTYPES))
    fixed = files(__package__).joinpath("folds.c").read_text(encoding="utf-8")
    for monoid in MONOIDS:
        dtypes = [dtype for dtype in DTYPES if _reduces(monoid, dtype)]
        words = monoid.function, *_OF_POSITIONS.get(monoid.function, ())
        needs = {f"{word}_{SHORT[dtype]}" for dtype in dtypes for word in words}
        yield _head(1, sorted(needs & available())) + fixed + "".join([_fold(monoid, dtype) for dtype in dtypes])


def fold_name(monoid: Monoid, dtype: np.dtype[Any]) -> str:
    """Return the name of the function that reduces elements of a dtype."""
    return f"fold_{monoid.name}_{SHORT[dtype]}"


def with_numbers(function: str, ones: Sequence[int]) -> str:
    """Return the name of a loop after `LOOP`: of a function of elements and, as operands number ``ones``, of one number
    that is the same for all elements."""
    return "_".join([function, *["number" + "".join(map(str, ones))] * bool(ones)])


def joined(outer: str, place: int, inner: str) -> str:
    """Return the name of a loop after `LOOP`: of a function whose operand ``place`` is another's value."""
    return f"{outer}_{place}_{inner}"


class _Loop(NamedTuple):
    """A loop: its name after `LOOP`, the dtypes, the expression of elements ``{0}`` and so on, the device functions,
    and the operands that are the same number for all elements."""

    name: str
    args: tuple[np.dtype[Any], ...]
    result: np.dtype[Any]
    expression: str
    functions: tuple[str, ...]
    ones: tuple[int, ...] = ()


def _of_rule(rule: Rule) -> _Loop:
    places = ", ".join([f"{{{k}}}" for k in range(len(rule.args))])
    return _Loop(rule.function, rule.args, rule.result, f"{rule.function}({places})", (rule.function,))


def _with_numbers(loop: _Loop, alone: tuple[int, ...] = ()) -> Iterator[_Loop]:
    """Yield the loops that take numbers as operands: some, but not all, and not all of those ``alone``."""
    for n in range(1, len(loop.args)):
        for ones in itertools.combinations(range(len(loop.args)), n):
            if not alone or not set(alone) <= set(ones):
                yield loop._replace(name=with_numbers(loop.name, ones), ones=ones)


def _pairs(found: dict[str, Rule], names: Sequence[str]) -> Iterator[_Loop]:
    """Yield the loops of the first function, joined with each of the others and with itself."""
    outer = found[names[0]]
    for name in names:
        inner = found[name]
        for place in range(len(outer.args)) if name.rpartition("_")[0] in _INNER else ():
            own = [f"{{{place + k}}}" for k in range(len(inner.args))]
            after = [f"{{{k + len(own) - 1}}}" for k in range(place + 1, len(outer.args))]
            operands = [*[f"{{{k}}}" for k in range(place)], f"{name}({', '.join(own)})", *after]
            args = (*outer.args[:place], *inner.args, *outer.args[place + 1 :])
            loop = _Loop(
                joined(outer.function, place, name), args, outer.result,
                f"{outer.function}({', '.join(operands)})", (outer.function, name),
            )  # fmt: skip
            yield loop
            yield from _with_numbers(loop, tuple(range(place, place + len(own))))


def _head(width: int, names: tuple[str, ...] | list[str]) -> str:
    return f"{native_library.prelude(width)}{library(names)}{_VECTORS}"


def _opening(loop: _Loop) -> str:
    """The first lines of a loop: ``x0`` and so on are the elements of the operands, ``o`` those of the result."""
    result = SHORT[loop.result]
    pointers = [
        f"const M_{SHORT[dtype]} *x{k} = (const M_{SHORT[dtype]} *)x[{k}];" for k, dtype in enumerate(loop.args)
    ]
    lines = [f"void {LOOP}{loop.name}(char *out, char *const *x, int64 n) {{", f"M_{result} *o = (M_{result} *)out;"]
    return "\n    ".join([*lines, *pointers])


def _of_numbers(loop: _Loop) -> str:
    shorts = [SHORT[dtype] for dtype in loop.args]
    first = "".join([f"    R_{shorts[k]} y{k} = FROM_{shorts[k]}(x{k}[0]);\n" for k in loop.ones])
    values = [f"y{k}" if k in loop.ones else f"FROM_{short}(x{k}[i])" for k, short in enumerate(shorts)]
    value = f"INTO_{SHORT[loop.result]}({loop.expression.format(*values)})"
    vectors = "" if _ARRAY.search(library(loop.functions)) else "VECTORS_OF "
    return f"{_opening(loop)}\n{first}    {vectors}for (int64 i = 0; i < n; i++) o[i] = {value};\n}}\n"


def _of_registers(loop: _Loop) -> str:
    function, result, shorts = loop.name, SHORT[loop.result], [SHORT[dtype] for dtype in loop.args]
    given = ", ".join([f"r{k}" for k in range(len(shorts))])
    declared = ", ".join([f"R_{short} r{k}" for k, short in enumerate(shorts)])
    whole = ", ".join([f"LOAD_{short}(x{k}, i)" for k, short in enumerate(shorts)])
    part = ", ".join([f"LOADN_{short}(x{k}, i, 1, (int)(n - i))" for k, short in enumerate(shorts)])
    return f"""static __attribute__((noinline)) R_{result} of_{function}({declared}) {{ return {function}({given}); }}
{_opening(loop)}
    int64 i = 0;
    for (; i + 16 <= n; i += 16) STORE_{result}(o, i, {function}({whole}));
    if (i < n) STOREN_{result}(o, i, 1, (int)(n - i), of_{function}({part}));
}}
"""


def _gather(dtype: np.dtype[Any]) -> str:
    """The loop of `GATHER`. ``x[0]``: memory; ``x[1]``: places in it, counted in elements."""
    name, t = GATHER.rules[dtype].function, SHORT[dtype]
    return f"""void {LOOP}{name}(char *out, char *const *x, int64 n) {{
    const M_{t} *p = (const M_{t} *)x[0];
    const int64 *places = (const int64 *)x[1];
    M_{t} *o = (M_{t} *)out;
    for (int64 i = 0; i < n; i++) o[i] = p[places[i]];
}}
"""


def _reduces(monoid: Monoid, dtype: np.dtype[Any]) -> bool:
    """Whether a monoid has accumulators of a dtype."""
    if monoid.indexed and dtype in COMPLEX_FLOATING:
        return False
    return COMPUTES_IN[dtype] == dtype and f"{monoid.function}_{SHORT[dtype]}" in available()


def _fold(monoid: Monoid, dtype: np.dtype[Any]) -> str:
    """The function that reduces elements of a dtype, see folds.c."""
    t, function, identity = SHORT[dtype], monoid.function, monoid.identity(dtype)
    name = f"{monoid.name}_{t}"
    if not monoid.indexed:
        return f"FOLD({name}, {t}, {function}_{t}, {identity}, {int(monoid.rounds(dtype))})\n"
    no_better, equal, better, better_truth = _OF_POSITIONS[function]
    beats = f"{function}_{t}(x, y)"
    if dtype in REAL_FLOATING:
        beats = f"(~{no_better}_{t}(x, y) & {equal}_{t}(y, y))"
    if dtype in BOOLEAN:
        better = better_truth
    return f"#define BEATS_{name}(x, y) {beats}\nPLACE({name}, {t}, {better}_{t}, BEATS_{name}, {identity})\n"
