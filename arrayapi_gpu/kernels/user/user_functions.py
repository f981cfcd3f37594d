"""Device functions made of users' bodies: one for each result, called from fused kernels like the library's own.

A body without loops is translated for registers (`user_expressions`). Any other is C as a compiler takes it: the
function runs it once for each lane that holds an element, on numbers instead of registers. The names of functions mean
this library's there, too, so both ways give the same bits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from ...backends.base import USERS
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, DTYPE_OF, SHORT
from ..core.ops import UserRule
from .number_functions import number_type, numbers_in, once, operator_functions, our_functions
from .user_expressions import Translator, Variable
from .user_kinds import ANY_NUMBER, Kind, Pointer, computed_kind
from .user_operators import Scope, rewritten, signature
from .user_parameters import C_TYPES, from_line, kept_lines, one_word_types, without_comments
from .user_values import Unsupported, known_function

Named = tuple[tuple[str, np.dtype[Any]], ...]  # names and dtypes

COST_OF_LANES = 64  # of a body that runs lane by lane, as `ops` counts
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_LOOP = re.compile(r"\b(?=for\s*\()|(?<![}\s\w])(?<=[;{)])\s*\b(?=while\s*\()|^\s*(?=while\s*\()")


@dataclass(frozen=True)
class UserBody:
    """A body with the dtypes that it is for.

    ``inputs``: elements that it reads; ``raws``: arrays in which it reads any element; ``results``: elements that it
    gives. ``types``: the dtypes of placeholders. ``float64``: whether the device has it. ``written``: the raw arrays
    into which it writes.
    """

    name: str
    text: str
    preamble: str
    inputs: Named
    raws: Named
    results: Named
    types: Named
    float64: bool
    written: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Letters and digits that distinguish it from others."""
        return "u" + blake2b(repr(self).encode(), digest_size=5).hexdigest()


@dataclass(frozen=True)
class UserFunctions:
    """The rules of a body, one for each result. Their operands are the inputs, then the old values of the results
    ``incoming``, then the raw arrays."""

    rules: tuple[UserRule, ...]
    incoming: tuple[str, ...]
    by_lanes: bool


@lru_cache(maxsize=4096)
def functions_of(body: UserBody) -> UserFunctions:
    """Return the device functions of a body. TypeError if its types do not fit together."""
    try:
        return _for_registers(body)
    except Unsupported:
        return _by_lanes(body)


def _for_registers(body: UserBody) -> UserFunctions:
    variables = {name: Variable(f"a{k}", dtype, const=True) for k, (name, dtype) in enumerate(body.inputs)}
    variables |= {name: Variable(f"m{k}", dtype, raw=True) for k, (name, dtype) in enumerate(body.raws)}
    variables |= {name: Variable(f"r{k}", dtype, unset=True) for k, (name, dtype) in enumerate(body.results)}
    translator = Translator(variables, dict(body.types), body.float64)
    translator.run(one_word_types(body.text))
    unset = {name for name, _ in body.results if translator.variables[name].unset}
    incoming = _incoming(body, translator.incoming | unset)
    texts = []
    for number in range(len(body.results)):
        lines = [_declared(f"r{k}", dtype, name in incoming) for k, (name, dtype) in enumerate(body.results)]
        lines += [*translator.lines, f"return r{number};"]
        comment = "".join(f"{USERS} {line}\n" for line in body.text.splitlines())
        texts.append(comment + "\n    ".join([f"{_signature(body, incoming, number)} {{", *lines]) + "\n}")
    return _rules(body, incoming, [(text,) for text in texts], 1 + translator.cost, False)


def _declared(name: str, dtype: np.dtype[Any], old: bool) -> str:
    zero = f"C_{SHORT[dtype]}({'0, 0' if dtype in COMPLEX_FLOATING else '0'})"
    return f"R_{SHORT[dtype]} {name} = {f'{name}_old' if old else zero};"


def _incoming(body: UserBody, names: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in body.results if name in names)


def _function_name(body: UserBody, number: int) -> str:
    """The name of a body's function; kernels have the part before the last underscore in their names."""
    return f"{body.name}_{body.digest}{number if len(body.results) > 1 else ''}"


def _signature(body: UserBody, incoming: Collection[str], number: int) -> str:
    words = ["const int count", *[f"const R_{SHORT[dtype]} a{k}" for k, (_, dtype) in enumerate(body.inputs)]]
    words += [f"const R_{SHORT[dtype]} r{k}_old" for k, (name, dtype) in enumerate(body.results) if name in incoming]
    words += [f"const GLOBAL M_{SHORT[dtype]} *m{k}" for k, (_, dtype) in enumerate(body.raws)]
    return f"FN R_{SHORT[body.results[number][1]]} {_function_name(body, number)}({', '.join(words)})"


def _rules(
    body: UserBody, incoming: tuple[str, ...], texts: list[tuple[str, ...]], cost: int, by_lanes: bool
) -> UserFunctions:
    args = [dtype for _, dtype in body.inputs]
    args += [dtype for name, dtype in body.results if name in incoming]
    args += [dtype for _, dtype in body.raws]
    rules = [
        UserRule(tuple(args), dtype, _function_name(body, number), cost, texts[number], body)
        for number, (_, dtype) in enumerate(body.results)
    ]
    return UserFunctions(tuple(rules), incoming, by_lanes)


def combining(body: UserBody) -> tuple[str, tuple[str, ...]]:
    """Return the function, without its dtype, that combines two values, and its definition. The body's first two inputs
    have the dtype of its only result; others are passed on."""
    (rule,) = functions_of(body).rules
    short, name = SHORT[rule.result], f"combine_{body.digest}"
    words = [input_name for input_name, _ in body.inputs]
    declared = ", ".join(f"const R_{SHORT[dtype]} {word}" for word, dtype in body.inputs)
    text = f"FN R_{short} {name}_{short}({declared}) {{ return {rule.function}(LANES, {', '.join(words)}); }}"
    return name, (*rule.texts, text)


# --- lane by lane -----------------------------------------------------------------------------------------------------


def known_types(types: Mapping[str, np.dtype[Any]]) -> dict[str, np.dtype[Any]]:
    """Return the names of types in a body, and their dtypes. ``types``: those of placeholders."""
    return {**C_TYPES, **{dtype.name: dtype for dtype in DTYPE_OF.values()}, **types}


def in_dialect(
    text: str,
    types: Mapping[str, np.dtype[Any]],
    renamed: Mapping[str, str],
    float64: bool,
    kind: Callable[[np.dtype[Any], bool], str] = number_type,
) -> tuple[str, set[str]]:
    """Return a text of C with its types, and the names ``renamed``, in the dialect; and the names of the library's
    functions that it calls, which are now ``ours_`` and the name.

    ``kind`` gives the types of C.
    """
    text = one_word_types(without_comments(text))
    text = re.sub(r"\.\s*(re|im)(?:al|ag)\s*\(\s*\)", r".\1", text)
    known = known_types(types)
    called = set()

    def word(match: re.Match[str]) -> str:
        name = match[0]
        if name in renamed:
            return renamed[name]
        if name in known:
            return kind(known[name], float64)
        if text[match.end() :].lstrip().startswith("(") and known_function(name) is not None:
            called.add(name)
            return f"ours_{name}"
        return name

    # Compilers must not change the order of additions.
    return kept_lines(_LOOP, "IN_ORDER ", _WORD.sub(word, text)), called


def _by_lanes(body: UserBody) -> UserFunctions:
    shared, incoming = lane_function(body)
    texts = [(*shared, _lanes(body, incoming, number)) for number in range(len(body.results))]
    return _rules(body, incoming, texts, COST_OF_LANES, True)


def lane_function(body: UserBody, checked: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the function that runs a body for one element, named ``lane_`` and the body's digest, after all functions
    that it calls; and the results whose old values it reads.

    Its arguments are the inputs, pointers to the results, and the raw arrays. ``checked``: after these come the numbers
    of their elements, and the memory that records a wrong index (`user_launch`).
    """
    preamble, defined = preamble_of(body.preamble, body.name, body.digest, body.float64)
    text, narrow, stored = rewritten(without_comments(body.text), _scope(body)), [], []
    for number, (name, dtype) in enumerate(body.raws):
        at = f"checked_place({{}}, {name}_elements, {number}, found)" if checked else "{}"
        if number_type(dtype) == f"M_{SHORT[dtype]}":
            text = indexed(text, name, f"{name}[{at}]".format) if checked else text
            continue
        if name in body.written:
            text = assigned(text, name, f"store_{SHORT[dtype]}({name}, {at}, {{}})", at)
            stored.append(SHORT[dtype])
        text = indexed(text, name, f"element_{SHORT[dtype]}({name}, {at})".format)
        narrow.append(SHORT[dtype])
    dereferenced = {name: f"(*{name})" for name, _ in body.results}
    text, called = in_dialect(text, dict(body.types), {**defined, **dereferenced}, body.float64)
    words = [f"const {number_type(dtype)} {name}" for name, dtype in body.inputs]
    words += [f"{number_type(dtype)} *{name}" for name, dtype in body.results]
    for name, dtype in body.raws:
        words.append(f"{'' if name in body.written else 'const '}GLOBAL M_{SHORT[dtype]} *{name}")
    if checked:
        words += [*[f"const M_i64 {name}_elements" for name, _ in body.raws], "GLOBAL M_i64 *found"]
    lane = f"{USERS} {body.name}\nFN void lane_{body.digest}({', '.join(words)}) {{\n    do {{\n"
    lane += f"{from_line(1, body.name, text)};\n    }} while (0);\n}}"
    helpers = [element_function(short) for short in dict.fromkeys(narrow)]
    helpers += [_store_function(short) for short in dict.fromkeys(stored)]
    called |= preamble_calls(body.preamble, defined)
    everything = text + " ".join(preamble)
    functions = our_functions(called, _numbers_in(body, everything), body.float64)
    functions += operator_functions(everything, body.float64)
    incoming = _incoming(body, [name for name, _ in body.results if not _is_set_first(text, f"(*{name})")])
    return (*functions, *helpers, *preamble, lane), incoming


def _scope(body: UserBody) -> Scope:
    """The meaning of the names in a body."""
    variables: dict[str, Kind] = {name: computed_kind(dtype) for name, dtype in (*body.inputs, *body.results)}
    variables |= {name: Pointer(computed_kind(dtype)) for name, dtype in body.raws}
    return Scope(known_types(dict(body.types)), _signatures(body.preamble)[0], variables)


def _numbers_in(body: UserBody, text: str) -> list[str]:
    """The short names of the dtypes that operands of functions in a body may have, after C's promotions."""
    return numbers_in(text, [SHORT[dtype] for _, dtype in (*body.inputs, *body.raws, *body.results)])


def _is_set_first(text: str, name: str) -> bool:
    """Whether a result is only assigned to, on every path."""
    if re.search(r"\b(if|for|while|switch|return|break|continue|goto)\b|\?", text):
        return False
    return all(re.match(r"\s*=[^=]", rest) for rest in text.split(name)[1:])


def indexed(text: str, name: str, element: Any) -> str:
    """Return a text in which ``name[index]`` is replaced by ``element`` of the index, which may occur once,
    unchanged."""
    pattern, at = re.compile(rf"(?<![\w.]){name}\s*\["), 0
    while (found := pattern.search(text, at)) is not None:
        end = _closed(text, found.end())
        text = text[: found.start()] + element(text[found.end() : end - 1]) + text[end:]
        at = found.start() + 1
    return text


def element_function(short: str) -> str:
    """Return the function that reads an element of an array whose numbers have another form in memory."""
    value = "p[i] != 0" if short == "b8" else "first[0]"
    lines = [] if short == "b8" else ["M_f32 first[LANES];", f"SPILL(FLOAT_{short}(LOAD1_{short}(p, i)), first);"]
    kind = number_type(DTYPE_OF[short])
    return once(
        f"FN {kind} element_{short}(const GLOBAL M_{short} *p, M_i64 i) {{ {' '.join(lines)} return {value}; }}"
    )


_ASSIGNED = re.compile(r"\s*(?:([-+*/%&|^]|<<|>>)?=(?!=)|(\+\+|--))")


def assigned(text: str, name: str, store: str, at: str) -> str:
    """Return a text in which assignments to ``name[index]`` are calls of ``store`` with the index and then the value.

    TypeError for a pointer that is used otherwise than for an element, and for an index that changes its variables
    where the old value is needed, too.
    """
    text = re.sub(rf"(?<=[=;{{}}(,?:!&|])(\s*)\*\s*{name}\b(?!\s*\[)|^(\s*)\*\s*{name}\b", rf"\1\2{name}[0]", text)
    if re.search(rf"(?<![\w.]){name}\b(?!\s*\[)|(?:\+\+|--|&)\s*{name}\s*\[", text):
        raise TypeError(
            f"{name}: its elements are narrower than any number of C; allowed: {name}[index], read or assigned"
        )
    end = 0
    while (found := re.compile(rf"(?<![\w.]){name}\s*\[").search(text, end)) is not None:
        end = _closed(text, found.end())
        sign = _ASSIGNED.match(text, end)
        if sign is None:
            continue
        index, rest = text[found.end() : end - 1], sign.end()
        if sign[2] is not None:
            value = f"({name}[{index}] {sign[2][0]} 1)"
        else:
            rest = _ended(text, sign.end())
            own = assigned(text[sign.end() : rest], name, store, at)
            value = f"({name}[{index}] {sign[1]} ({own}))" if sign[1] else f"({own})"
        if value.startswith(f"({name}[{index}]") and re.search(r"\+\+|--|[^=!<>]=(?!=)", index):
            raise TypeError(f"{name}[{index}]: got an index that is assigned; allowed: one that stays the same")
        call = store.replace(at, at.format(index), 1).replace("{}", value)
        text = text[: found.start()] + call + text[rest:]
        end = found.start() + len(call)
    return text


def _closed(text: str, start: int) -> int:
    """The place behind the bracket that closes the one before ``start``."""
    depth, end = 1, start
    while end < len(text) and depth:
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        end += 1
    return end


def _ended(text: str, start: int) -> int:
    """The place at which the expression that begins at ``start`` ends."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
        if depth < 0 or (not depth and text[at] in ",;}"):
            return at
    return len(text)


def _store_function(short: str) -> str:
    """The function that writes a number into an array whose numbers have another form in memory, and returns it."""
    kind, value = number_type(DTYPE_OF[short]), "v"
    lines = ["p[i] = v;"]
    if short != "b8":
        lines = [f"R_{short} r = ROUND_{short}(SPLAT_f32(v)); STOREN_{short}(p, i, 1, 1, r);"]
        lines += ["M_f32 all[LANES];", f"SPILL(FLOAT_{short}(r), all);"]
        value = "all[0]"
    words = f"GLOBAL M_{short} *p, M_i64 i, {kind} v"
    return once(f"FN {kind} store_{short}({words}) {{ {' '.join(lines)} return {value}; }}")


def _lanes(body: UserBody, incoming: Collection[str], number: int) -> str:
    """The function that runs a body for each lane."""
    lines, words = [], []
    for k, (_, dtype) in enumerate(body.inputs):
        lines += _spilled(f"a{k}", dtype, f"x{k}")
        words.append(_lane_of(f"x{k}", dtype))
    before, after = [], []
    for k, (name, dtype) in enumerate(body.results):
        kind = number_type(dtype)
        if name in incoming:
            lines += _spilled(f"r{k}_old", dtype, f"y{k}")
            before.append(f"{kind} z{k} = {_lane_of(f'y{k}', dtype)};")
        else:
            before.append(f"{kind} z{k} = {'{0, 0}' if dtype in COMPLEX_FLOATING else '0'};")
        words.append(f"&z{k}")
    words += [f"m{k}" for k in range(len(body.raws))]
    dtype = body.results[number][1]
    short, part = SHORT[dtype], SHORT[COMPONENT.get(dtype, dtype)]
    store = {"b8": "i8", "f16": "f32", "bf16": "f32"}.get(short, part)
    if dtype in COMPLEX_FLOATING:
        lines.append(f"M_{store} re[LANES] = {{0}}, im[LANES] = {{0}};")
        after.append(f"re[lane] = z{number}.re; im[lane] = z{number}.im;")
        ending = [f"R_{short} result = {{UNSPILL(re), UNSPILL(im)}};", "return result;"]
    else:
        lines.append(f"M_{store} z[LANES] = {{0}};")
        after.append(f"z[lane] = {f'z{number} ? -1 : 0' if short == 'b8' else f'z{number}'};")
        ending = [f"return {f'ROUND_{short}' if store != part and short != 'b8' else ''}(UNSPILL(z));"]
    lines += ["for (int lane = 0; lane < count; lane++) {", *before, f"lane_{body.digest}({', '.join(words)});", *after]
    return "\n    ".join([f"{_signature(body, incoming, number)} {{", *lines, "}", *ending]) + "\n}"


def _spilled(register: str, dtype: np.dtype[Any], array: str) -> list[str]:
    """The lanes of a register in private memory."""
    short = SHORT[dtype]
    if dtype in COMPLEX_FLOATING:
        part = SHORT[COMPONENT[dtype]]
        return [
            f"M_{part} {array}_re[LANES], {array}_im[LANES];",
            f"SPILL({register}.re, {array}_re); SPILL({register}.im, {array}_im);",
        ]
    kind = {"b8": "i8", "f16": "f32", "bf16": "f32"}.get(short, short)
    value = f"FLOAT_{short}({register})" if short in ("f16", "bf16") else register
    return [f"M_{kind} {array}[LANES];", f"SPILL({value}, {array});"]


def _lane_of(array: str, dtype: np.dtype[Any]) -> str:
    if dtype in COMPLEX_FLOATING:
        return f"pair_{SHORT[dtype]}({array}_re[lane], {array}_im[lane])"
    return f"{array}[lane] != 0" if dtype in BOOLEAN else f"{array}[lane]"


# --- preambles --------------------------------------------------------------------------------------------------------

_DECORATION = re.compile(r"\b(__\w+|static|inline|FN|WITHIN_KERNEL)\b")
_DEFINITION = re.compile(r"(?<!\w)(?!__)([A-Za-z_]\w*)\s*\([^;{}]*\)\s*$", re.DOTALL)  # and no __attribute__((...))


def preamble_of(text: str, kernel: str, digest: str, float64: bool) -> tuple[list[str], dict[str, str]]:
    """Return users' own functions in the dialect, under names of their own; and these names. ``kernel``: its name.

    Code that uses these texts undefines their macros after the last one, so that the names stay private.
    """
    if not text.strip():
        return [], {}
    text = _DECORATION.sub("", without_comments(text))
    macros = re.findall(r"^\s*#\s*define\s+([A-Za-z_]\w*)", text, re.MULTILINE)
    found = definitions(text)
    functions = [match[1] for _, head, _ in found if (match := _DEFINITION.search(head)) is not None]
    renamed = {name: f"{name}_{digest}" for name in (*functions, *macros)}
    results, arrays = _signatures(text)
    pieces = []
    for before, head, block in found:
        if head:
            scope = Scope(known_types({}), results, {**arrays, **signature(head, known_types({}))[1]})
            block = rewritten(block, scope, signature(head, known_types({}))[0])
        pieces.append(f"{before} FN {head}{block}" if head else f"{before}{block}")
    written, _ = in_dialect("".join(pieces), {}, renamed, float64)
    return [from_line(1, f"preamble of {kernel}", written.rstrip())], renamed


def _signatures(text: str) -> tuple[dict[str, Kind], dict[str, Kind]]:
    """The kinds of results of the functions that a preamble defines, and its arrays."""
    functions: dict[str, Kind] = {}
    arrays: dict[str, Kind] = {}
    for before, head, _ in definitions(_DECORATION.sub("", without_comments(text))):
        if (match := _DEFINITION.search(head)) is not None:
            functions[match[1]] = signature(head, known_types({}))[0]
        arrays |= {name: Pointer(ANY_NUMBER) for name in re.findall(r"\b(\w+)\s*\[", before)}
    return functions, arrays


def definitions(text: str) -> list[tuple[str, str, str]]:
    """Return the pieces of a text: the text before a definition, the head of a function, or nothing for a structure,
    and the block in braces, after blanks. The last piece has only the text behind all definitions."""
    pieces, depth, start, head = [], 0, 0, ("", "")
    for at, sign in enumerate(text):
        if sign == "{":
            if depth == 0:
                lines = text[start:at]
                declared = lines[1 + max(lines.rfind(";"), _after_macros(lines)) :]
                is_function = _DEFINITION.search(declared) is not None
                found = declared.strip() if is_function else ""
                before = lines[: len(lines) - len(declared.lstrip())] if is_function else lines
                head = before, found
                start += len(before) + len(found)
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                pieces.append((*head, text[start : at + 1]))
                start = at + 1
    return [*pieces, (text[start:], "", "")]


def _after_macros(text: str) -> int:
    """The place of the end of the last line of the preprocessor."""
    found = [match.end() - 1 for match in re.finditer(r"^\s*#(?:[^\n]*\\\n)*[^\n]*\n", text, re.MULTILINE)]
    return found[-1] if found else -1


def preamble_calls(text: str, defined: Collection[str]) -> set[str]:
    """Return the names of the library's functions that a preamble calls."""
    if not text.strip():
        return set()
    _, called = in_dialect(text, {}, {name: name for name in defined}, True)
    return called
