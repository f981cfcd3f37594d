"""The parameters of users' kernels: the texts in which they are declared, and the names of types in C.

Two forms are read. In the form of CuPy, "float32 x, raw T y", each parameter has a dtype or a placeholder, which is one
letter and stands for the dtype of the arrays that are given. In the form of PyOpenCL and pygpu, "float *x, double a",
types are C's, and a pointer is an array.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import DTYPE_OF, as_dtype

# The dtypes of C's types, and of those that other libraries define.
_C_TYPES = {
    "b8": "bool ga_bool",
    "i8": "char int8_t ga_byte",
    "i16": "short int16_t ga_short",
    "i32": "int int32_t signed ga_int",
    "i64": "long int64_t ptrdiff_t ssize_t intptr_t ga_long ga_ssize",
    "u8": "uchar uint8_t ga_ubyte",
    "u16": "ushort uint16_t ga_ushort",
    "u32": "uint uint32_t unsigned ga_uint",
    "u64": "ulong uint64_t size_t uintptr_t ga_ulong ga_size",
    "bf16": "bfloat16_t",
    "f16": "half ga_half",
    "f32": "float ga_float",
    "f64": "double ga_double",
    "c64": "cfloat_t ga_cfloat",
    "c128": "cdouble_t ga_cdouble",
}
C_TYPES: dict[str, np.dtype[Any]] = {
    name: DTYPE_OF[short] for short, names in _C_TYPES.items() if short in DTYPE_OF for name in names.split()
}
C_TYPES |= {f"M_{short}": dtype for short, dtype in DTYPE_OF.items()}
_SHORTER = (
    (r"complex\s*<\s*float\s*>", "cfloat_t"),
    (r"complex\s*<\s*double\s*>", "cdouble_t"),
    (r"long\s+long", "long"),
    (r"(long|short)\s+int\b", r"\1"),
    (r"unsigned\s+(char|short|int|long)", r"u\1"),
    (r"signed\s+(char|short|int|long)", r"\1"),
)
_QUALIFIER = re.compile(r"const|volatile|restrict|global|GLOBAL|GLOBAL_MEM|__\w+")
_NAME = re.compile(r"[A-Za-z_]\w*")
PLACEHOLDER = re.compile(r"[A-Za-z]")


class Parameter(NamedTuple):
    """A parameter: an array, or a number. A kernel reads the element at its place or, of a ``raw`` array, any element.

    ``type``: a dtype, or the letter of a placeholder. ``pointer``: it is declared as a pointer of C, and its elements
    are ``name[i]``. ``const``: it is only read.
    """

    name: str
    type: np.dtype[Any] | str
    raw: bool = False
    pointer: bool = False
    const: bool = False


def one_word_types(text: str) -> str:
    """Return a text of C in which every type is one word."""
    for pattern, word in _SHORTER:
        text = re.sub(rf"\b{pattern}" if pattern[-1] == ">" else rf"\b{pattern}\b", word, text)
    return text


def kept_lines(pattern: str | re.Pattern[str], word: str, text: str, count: int = 0) -> str:
    """Return a text with a word in place of each match, or of the first ``count``, with as many lines, as compilers
    count them in errors."""
    return re.sub(pattern, lambda match: match.expand(word) + "\n" * match[0].count("\n"), text, count=count)


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def without_comments(text: str) -> str:
    return kept_lines(_COMMENT, " ", text)


OF_OPTIONS = "#line 1\n"  # ends the lines that options define before a text


def from_line(number: int, name: str, text: str) -> str:
    """Return a text whose lines a compiler counts from a number on, in a file of this name."""
    return f'#line {number} "{name}"\n{text}'


def is_qualifier(word: str) -> bool:
    """Return whether a word is a qualifier of a variable's use or memory. Those of drivers have two underscores."""
    return _QUALIFIER.fullmatch(word) is not None


def c_type(words: list[str]) -> np.dtype[Any] | None:
    """Return the dtype of a type of C, given its words; None if it is no type."""
    left = [word for word in one_word_types(" ".join(words)).split() if not is_qualifier(word)]
    return C_TYPES.get(left[0]) if len(left) == 1 else None


def parameters(text: str, where: str) -> tuple[Parameter, ...]:
    """Return the parameters that a text declares, in either form. ``where``: the name of the text in errors.

    ValueError for a wrong declaration, and for a name that comes twice. TypeError for an unknown type.
    """
    found = []
    in_c = "*" in text
    for part in text.split(","):
        if part.strip():
            found.append(_c_parameter(part, where) if in_c else _parameter(part, where))
    names = [parameter.name for parameter in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: the name {name!r} comes twice in {text!r}; give each parameter its own")
    return tuple(found)


def _parameter(part: str, where: str) -> Parameter:
    words = part.split()
    flags = []
    while words and words[0] in ("raw", "const"):
        flags.append(words.pop(0))
    if len(words) != 2 or not _NAME.fullmatch(words[1]):
        raise ValueError(
            f"{where}: got {part.strip()!r}; allowed: a type and a name, as in 'float32 x' and 'raw T y', with commas "
            "between the parameters"
        )
    kind, name = words
    if name in RESERVED:
        raise ValueError(f"{where}: the name {name!r} is not free; kernels have {name!r} already; take another one")
    dtype = kind if PLACEHOLDER.fullmatch(kind) else _dtype(kind, where)
    return Parameter(name, dtype, "raw" in flags, False, "const" in flags)


RESERVED = frozenset(["_ind", "GID", "LID", "GROUP"])


def _dtype(name: str, where: str) -> np.dtype[Any]:
    try:
        return as_dtype(name)
    except TypeError as error:
        raise TypeError(f"{where}: {error}; or one letter, which stands for any dtype") from None


def _c_parameter(part: str, where: str) -> Parameter:
    words = re.findall(r"\w+|<|>|\*", part)
    stars = words.count("*")
    kept = [word for word in words if word != "*"]
    name = kept.pop() if kept else ""
    dtype = c_type(kept)
    if dtype is None and len(kept) == 1:
        try:
            dtype = as_dtype(kept[0])
        except TypeError:
            dtype = None
    if stars > 1 or not _NAME.fullmatch(name) or not kept:
        raise ValueError(
            f"{where}: got {part.strip()!r}; allowed: a type of C, at most one * and a name, as in 'float *x'"
        )
    if dtype is None:
        raise TypeError(f"{where}: unknown type {' '.join(kept)!r} of {name!r}; allowed: {', '.join(C_TYPES)}")
    return Parameter(name, dtype, False, bool(stars), "const" in kept)
