"""Functions of numbers, for bodies that run lane by lane and for whole kernels.

They give the results of the library's functions of registers. Their names are ``ours_`` and the function's; those of
operators have the names that `user_operators` calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, DTYPE_OF, FLOATING, NARROWER, SHORT
from ..core.ops import Op
from .user_expressions import Translator, Variable
from .user_values import OF_C, Value, known_function

_SCALARS = ("i32", "u32", "i64", "u64", "f32", "f64", "c64", "c128")  # of operands, after C's promotions


def number_type(dtype: np.dtype[Any], float64: bool = True) -> str:
    """Return the type in C of a number in a body: half precision is computed as float."""
    if dtype in BOOLEAN:
        return "bool"
    if dtype in FLOATING and dtype.itemsize == 2:
        return "M_f32"
    return f"M_{SHORT[dtype if float64 else NARROWER.get(dtype, dtype)]}"


def numbers_in(text: str, shorts: Iterable[str] = ()) -> list[str]:
    """Return the short names of the dtypes that operands of functions in a text may have, including those given."""
    found = {*shorts, "i32", "f32"} | {word.removeprefix("M_") for word in re.findall(r"\bM_\w+", text)}
    if re.search(r"\d\.\d*(?![\df])|\.\d+(?![\df])|\de[-+]?\d+(?![\df])|\bM_[A-Z]", text):
        found.add("f64")
    if "c128" in found:
        found |= {"c64", "f64"}
    return [short for short in _SCALARS if short in found]


def once(text: str) -> str:
    """Return a definition that several texts of a kernel may have, so that it counts once."""
    guard = f"HAVE_{blake2b(text.encode(), digest_size=5).hexdigest()}"
    return f"#ifndef {guard}\n#define {guard}\n{text}\n#endif"


def our_functions(names: Iterable[str], numbers: Iterable[str], float64: bool) -> list[str]:
    """Return functions of numbers, named ``ours_`` and the name, with the results of the library's functions of
    registers.

    ``numbers``: the short names of their operands' dtypes.
    """
    pairs = [
        "FN M_c64 pair_c64(M_f32 re, M_f32 im) { M_c64 z = {re, im}; return z; }",
        "#ifdef HAS_f64\nFN M_c128 pair_c128(M_f64 re, M_f64 im) { M_c128 z = {re, im}; return z; }\n#endif",
    ]
    shorts = [short for short in numbers if float64 or DTYPE_OF[short] not in NARROWER]
    texts = pairs if any(short in ("c64", "c128") for short in shorts) else []
    for name in sorted(names):
        function = known_function(name)
        assert function is not None, "asked before"
        arity = function.arity if isinstance(function, Op) else OF_C[function]
        exact, mixed = [], []
        for short in shorts:
            exact += _of_numbers(name, [DTYPE_OF[short]] * arity, float64)
        for one in shorts:
            for other in shorts if arity == 2 else ():
                if one != other:
                    mixed += _of_numbers(name, [DTYPE_OF[one], DTYPE_OF[other]], float64)
        texts.append("\n".join(exact + mixed))
    return [once(text) for text in texts]


def _of_numbers(name: str, dtypes: list[np.dtype[Any]], float64: bool) -> list[str]:
    """The overload for operands of these dtypes, if there is one."""
    variables = {f"a{k}": Variable(f"SPLAT_{SHORT[dtype]}(a{k})", dtype) for k, dtype in enumerate(dtypes)}
    translator = Translator(variables, {}, float64)
    try:
        value = translator.value(f"{name}({', '.join(variables)})")
    except TypeError:
        return []
    words = ", ".join(f"M_{SHORT[dtype]} a{k}" for k, dtype in enumerate(dtypes))
    return [f"FN {number_type(value.dtype)} OVERLOADED ours_{name}({words}) {{ {_first_lane(value)} }}"]


def _first_lane(value: Value) -> str:
    short = SHORT[value.dtype]
    if value.dtype in COMPLEX_FLOATING:
        part = SHORT[COMPONENT[value.dtype]]
        return (
            f"const R_{short} all = {value.code}; M_{part} re[LANES], im[LANES]; "
            f"SPILL(all.re, re); SPILL(all.im, im); return pair_{short}(re[0], im[0]);"
        )
    kind = "i8" if short == "b8" else short
    return f"M_{kind} all[LANES]; SPILL({value.code}, all); return all[0]{' != 0' if short == 'b8' else ''};"


# --- operators --------------------------------------------------------------------------------------------------------

_REAL = ("i32", "u32", "i64", "u64", "f32", "f64")
_CALLED = re.compile(r"\bOP_(to_[a-z]+\d+|[a-z]+(?:_left|_right)?)(?:_([a-z]+\d+))?(?=\()")
_UNSIGNED = {"i32": "u32", "i64": "u64"}
# For operands a and b: S is the dtype in which C computes, U the unsigned one of the same width and W its bits.
_INTEGERS = {
    "add": "(S)((U)a + (U)b)",
    "subtract": "(S)((U)a - (U)b)",
    "multiply": "(S)((U)a * (U)b)",
    "divide": "(S)b == 0 ? (S)0 : (S)b == (S)-1 ? (S)((U)0 - (U)a) : (S)((S)a / (S)b)",
    "modulo": "(S)b == 0 || (S)b == (S)-1 ? (S)0 : (S)((S)a % (S)b)",
    "shift_left": "(U)b < W ? (S)((U)a << ((U)b & (W - 1))) : (S)0",
    "shift_right": "(S)a >> ((U)b < W ? (U)b : (U)(W - 1))",
    "negative": "(S)((U)0 - (U)a)",
}
_OF_UNSIGNED = {
    "divide": "(S)b == 0 ? (S)0 : (S)((S)a / (S)b)",
    "modulo": "(S)b == 0 ? (S)0 : (S)((S)a % (S)b)",
    "shift_right": "(U)b < W ? (S)((S)a >> ((U)b & (W - 1))) : (S)0",
}
_OF_FLOATS = {"add": "a + b", "subtract": "a - b", "multiply": "a * b", "divide": "a / b", "negative": "-a"}


def operator_functions(text: str, float64: bool) -> list[str]:
    """Return the functions of operators that a text calls."""
    found = []
    for operator, short in dict.fromkeys(_CALLED.findall(text)):
        if short:
            found.append(_operator(operator, f"OP_{operator}_{short}", "", [short] * _arity(operator), float64))
        else:
            found += _overloaded(operator, float64)
    return [once(one) for one in found if one]


def _arity(operator: str) -> int:
    return 1 if operator == "negative" or operator.startswith("to_") else 2


def _overloaded(operator: str, float64: bool) -> Iterator[str]:
    shorts = [short for short in _REAL if float64 or DTYPE_OF[short] not in NARROWER]
    for one in shorts:
        for other in shorts if _arity(operator) == 2 else [""]:
            pair = [one, other] if other else [one]
            yield _operator(operator, f"OP_{operator}", "OVERLOADED ", pair, float64)


def _operator(operator: str, name: str, mark: str, shorts: list[str], float64: bool) -> str:
    """The function of an operator for operands of these dtypes; nothing where C has none."""
    dtypes = [DTYPE_OF[short] for short in shorts]
    dtypes = dtypes if float64 else [NARROWER.get(dtype, dtype) for dtype in dtypes]
    words = ", ".join(f"M_{SHORT[dtype]} {letter}" for dtype, letter in zip(dtypes, "ab", strict=False))
    translator = Translator({}, {}, float64)
    if operator.startswith("to_"):
        target = DTYPE_OF[operator.removeprefix("to_")]
        translator.variables["a"] = Variable(f"SPLAT_{SHORT[dtypes[0]]}(a)", dtypes[0])
        value = translator.value(f"({target.name})a")
        return f"FN {number_type(target)} {mark}{name}({words}) {{ {_first_lane(value)} }}"
    translator.variables |= {letter: Variable(letter, dtype) for dtype, letter in zip(dtypes, "ab", strict=False)}
    is_float = any(dtype in FLOATING for dtype in dtypes)
    if is_float and operator not in _OF_FLOATS:
        return ""
    sign = {"shift_left": "a << b", "shift_right": "a >> b", "negative": "-a"}.get(operator, "a + b")
    short = SHORT[translator.value(sign).dtype]  # by the rules of C
    unsigned = _UNSIGNED.get(short, short)
    text = _OF_FLOATS[operator] if is_float else _INTEGERS[operator]
    if not is_float and short == unsigned:
        text = _OF_UNSIGNED.get(operator, text)
    meaning = {"S": f"M_{short}", "U": f"M_{unsigned}", "W": short[1:]}
    text = re.sub(r"\b[SUW]\b", lambda match: meaning[match[0]], text)
    return f"FN M_{short} {mark}{name}({words}) {{ return {text}; }}"
