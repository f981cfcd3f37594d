"""Users' whole kernels: their texts as kernels of the dialect, with pointers and one struct for all numbers.

A text may be in the dialect, in that of libgpuarray, in CUDA C or in OpenCL C. Words of the same meaning are replaced,
so plain C runs on every device, in whichever of the four it is written. Other words of a driver's language stay, and
compile there alone.

In the text's kernel LID_0 to LID_2 are the numbers of the work-item in its group, LDIM_0 the number of work-items in a
group, GID_0 the number of the group, GDIM_0 the number of groups. Groups and grids of several dimensions are counted
along the first one, for the driver.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import USERS
from ...backends.languages import KERNELS, WORDS
from ...memory.dtypes import BOOLEAN, NARROWER, SHORT
from ..core.dialect import Parameters, arguments
from .number_functions import number_type, numbers_in, our_functions
from .user_functions import definitions, in_dialect
from .user_parameters import (
    C_TYPES,
    OF_OPTIONS,
    c_type,
    from_line,
    is_qualifier,
    kept_lines,
    one_word_types,
    without_comments,
)

# Words of libgpuarray's dialect, and their counterparts here.
GPUARRAYS = {
    r"\bGLOBAL_MEM\b": "GLOBAL",
    r"\bLOCAL_MEM\b": "LOCAL",
    r"\bLOCAL_MEM_ARG\b": "LOCAL",
    r"\bWITHIN_KERNEL\b": "FN",
    r"\blocal_barrier\s*\(\s*\)": "BARRIER",
    r"\bga_half2float\b": "half_to_float",
    r"\bga_float2half\b": "float_to_half",
    r"\batom_add_[iI][gl]\b": "ATOMIC_ADD",
    r"\batom_xchg_[iI][gl]\b": "ATOMIC_XCHG",
    r"\bGA_WARP_SIZE\b": "WARP",
    r"\bGA_DECL_SHARED_PARAM\s*\(([^,()]+),\s*(\w+)\s*\)": r", LOCAL \1 *\2",
    r"\bGA_DECL_SHARED_BODY\s*\([^()]*\)": "",
}
# Numbers that are narrower than any of C have their own type in memory, so that no text computes with their bits.
IN_MEMORY = {"f16": "half", "bf16": "bfloat16"}
_IN_MEMORY = """\
#ifndef HAVE_NARROW
#define HAVE_NARROW
"""
for _short, _word in IN_MEMORY.items():
    _IN_MEMORY += f"""\
typedef struct {{ M_{_short} bits; }} {_word}_in_memory;
FN M_f32 {_word}_to_float({_word}_in_memory h) {{
    M_f32 all[LANES];
    SPILL(FLOAT_{_short}(UNPACK_{_short}(SPLAT_u16(h.bits))), all);
    return all[0];
}}
FN {_word}_in_memory float_to_{_word}(M_f32 x) {{
    {_word}_in_memory h;
    M_u16 all[LANES];
    SPILL(PACK_{_short}(ROUND_{_short}(SPLAT_f32(x))), all);
    h.bits = all[0];
    return h;
}}
"""
_IN_MEMORY += """\
#define load_half(i, p) half_to_float((p)[i])
#define store_half(x, i, p) ((p)[i] = float_to_half(x))
#endif
"""
GROUP_DIMENSIONS = ("l0", "l1", "g0", "g1")  # of the struct
_PLACES = """\
#define LID_0 (LID % p_.l0)
#define LID_1 (LID / p_.l0 % p_.l1)
#define LID_2 (LID / p_.l0 / p_.l1)
#define LDIM_0 p_.l0
#define LDIM_1 p_.l1
#define LDIM_2 (GROUP_SIZE / p_.l0 / p_.l1)
#define GID_0 ((int)GROUP % p_.g0)
#define GID_1 ((int)GROUP / p_.g0 % p_.g1)
#define GID_2 ((int)GROUP / p_.g0 / p_.g1)
#define GDIM_0 p_.g0
#define GDIM_1 p_.g1
#define GDIM_2 ((int)GROUPS / p_.g0 / p_.g1)
"""
# Along one dimension nothing has to be divided.
_ALONG = "".join(
    f"#define {name}_0 ((int){value})\n#define {name}_1 {rest}\n#define {name}_2 {rest}\n"
    for name, value, rest in (("LID", "LID", 0), ("LDIM", "GROUP_SIZE", 1), ("GID", "GROUP", 0), ("GDIM", "GROUPS", 1))
)
_MARKS = re.compile(r"\b(?:FN|static|inline)\b")
_NAMED = re.compile(r"(\w+)\s*\(")
_ALIGNED = r"(__attribute__\s*\(\([^;]*?\)\)\s*)?"
_SHARED = re.compile(rf"{_ALIGNED}\bextern\s+{_ALIGNED}LOCAL\s+{_ALIGNED}((?:\w+\s+)*?\w+)\s*\b(\w+)\s*\[\s*\]\s*;")


# Texts place numbers of any type into memory whose size they leave open.
OPEN_ALIGNMENT = "__attribute__((aligned(16)))"


class RawParameter(NamedTuple):
    """A parameter of a kernel. ``dtype``: of the elements, or of the number; None for elements of an unknown type.
    ``local``: it is local memory, which the launch allocates."""

    name: str
    dtype: np.dtype[Any] | None
    pointer: bool
    const: bool = False
    local: bool = False
    kind: str = ""  # the type's words


class RawText(NamedTuple):
    """``given``: the parameters that a call gives; ``sized``: names of local memory whose size a call gives, and the
    bytes of one element."""

    text: str
    name: str
    given: tuple[RawParameter, ...]
    parameters: Parameters
    sized: tuple[tuple[str, int], ...]


@lru_cache(maxsize=1024)
def raw_text(
    code: str, name: str, structures: tuple[tuple[str, str], ...], local_bytes: int, float64: bool, flat: bool = True
) -> RawText:
    """Return the kernel of a name in a text. ``structures``: names of types and their definitions; ``local_bytes``: of
    local memory whose size the text leaves open; ``flat``: groups and grid have one dimension.

    ValueError if there is no such kernel, or if a declaration is not that of a parameter. TypeError for unknown types.
    """
    text = _words(code)
    head = re.search(rf"\bKERNEL\b[^;{{}}()]*\bvoid\s+{re.escape(name)}\s*\(([^)]*)\)\s*\{{", text)
    if head is None:
        found = re.findall(r"\bKERNEL\b[^;{}()]*\bvoid\s+(\w+)", text)
        raise ValueError(f"kernel {name!r} is not in the text, which has {', '.join(map(repr, found)) or 'no kernel'}")
    known = {kind for kind, _ in structures}
    declared = [_parameter(part, name, known) for part in head[1].split(",") if part.strip() not in ("", "void")]
    before, body = _without_others(text[: head.start()]), _without_others("{" + text[head.end() :])[1:]
    used = set(re.findall(r"\w+", _SHARED.sub("", before + body)))
    start = "".join(f"    {line}\n" for line in _start(declared, local_bytes, float64, used))
    pointers = [("u8", f"{one.name}_at") for one in declared if one.pointer and not one.local]
    fields = [(f"{one.name}_0", "i64") for one in declared if one.pointer and not one.local]
    for one in declared:
        if not one.pointer:
            assert one.dtype is not None
            fields.append((one.name, SHORT[_held(one.dtype, float64)]))
    fields += [(dimension, "i32") for dimension in GROUP_DIMENSIONS]
    signature = f"KERNEL void {name}({arguments(pointers).removesuffix(' p')} p_)"
    sized = [(one.name, one.kind) for one in declared if one.local and one.name in used]
    sized += [(shared, kind) for *_, kind, shared in _SHARED.findall(before + body) if shared in used]
    line = 1 + text[: head.end()].rpartition(OF_OPTIONS)[2].count("\n")
    lines = from_line(1, name, f"{before}{signature} {{\n{start}{from_line(line, name, body)}")
    for *alignment, kind, shared in _SHARED.findall(before + body):
        memory = _local_memory(kind, shared, local_bytes, "".join(alignment) or OPEN_ALIGNMENT)
        lines = kept_lines(_SHARED, memory if shared in used else ";", lines, 1)
    lines = re.sub(r"\bextern\s+(?=FN\b)", "", lines)
    own = {name, *known, *[match[1] for _, head, _ in definitions(lines) if (match := _NAMED.search(head)) is not None]}
    written, called = in_dialect(lines, {}, {word: word for word in own}, float64, memory_type)
    parameters = Parameters(fields)
    functions = our_functions(called, numbers_in(written), float64)
    definitions_of = [definition for _, definition in structures]
    if "_in_memory" in written or any("_in_memory" in definition for definition in definitions_of):
        definitions_of.insert(0, _IN_MEMORY)
    parts = [*definitions_of, *functions, _ALONG if flat else _PLACES, f"{USERS} {name}"]
    given = tuple(one for one in declared if not one.local)
    sizes = tuple((memory, getattr(c_type(kind.split()), "itemsize", 1)) for memory, kind in sized)
    return RawText("\n".join([*parts, written]), name, given, parameters, sizes)


def _without_others(text: str) -> str:
    """A text without its other kernels, in which functions are marked as such."""
    pieces = []
    for before, head, block in definitions(text):
        if "KERNEL" in head:
            pieces.append(before + "\n" * (head + block).count("\n"))
        elif head:
            pieces.append(f"{before} FN {re.sub(_MARKS, '', head)}{block}")
        else:
            pieces.append(f"{before}{block}")
    return "".join(pieces)


def memory_type(dtype: np.dtype[Any], float64: bool) -> str:
    """Return the type in C of an element in memory."""
    short = SHORT[_held(dtype, float64)]
    return f"{IN_MEMORY[short]}_in_memory" if short in IN_MEMORY else f"M_{short}"


def _held(dtype: np.dtype[Any], float64: bool) -> np.dtype[Any]:
    return dtype if float64 else NARROWER.get(dtype, dtype)


def _words(code: str) -> str:
    """The text in words of the dialect."""
    text = without_comments(code)
    for pattern, word in (GPUARRAYS | WORDS).items():
        text = kept_lines(f"(?m:{pattern})", word, text)
    for pattern in KERNELS:
        text = kept_lines(rf"(?s:{pattern}(?=[^;{{}}()]*\bvoid\b))", "KERNEL", text)
    return one_word_types(text)


def _parameter(part: str, kernel: str, structures: set[str]) -> RawParameter:
    words = re.findall(r"\w+|\*", part)
    stars = words.count("*")
    kept = [word for word in words if word != "*" and not is_qualifier(word) and word != "LOCAL"]
    if stars > 1 or len(kept) < 2:
        raise ValueError(
            f"kernel {kernel!r}: got the parameter {part.strip()!r}; allowed: a type, at most one * and a name"
        )
    *kind, name = kept
    dtype = C_TYPES.get(kind[0]) if len(kind) == 1 else None
    if dtype is None and not stars:
        hint = "a pointer to it" if set(kind) & structures else ", ".join(C_TYPES)
        raise TypeError(f"kernel {kernel!r}: unknown type {' '.join(kind)!r} of {name!r}; allowed: {hint}")
    return RawParameter(name, dtype, bool(stars), "const" in words, "LOCAL" in words, " ".join(kind))


def _local_memory(kind: str, name: str, local_bytes: int, alignment: str = OPEN_ALIGNMENT) -> str:
    return f"LOCAL {alignment.strip()} {kind} {name}[{local_bytes} / sizeof({kind})];"


def _start(declared: list[RawParameter], local_bytes: int, float64: bool, used: set[str]) -> list[str]:
    """The statements that make the parameters of the text from those of the kernel. ``used``: words of the text."""
    lines = []
    for one in declared:
        const = "const " if one.const else ""
        if one.local:
            lines += [_local_memory(one.kind, one.name, local_bytes)] * (one.name in used)
        elif one.pointer:
            pointer = f"{const}GLOBAL {one.kind} *"
            lines.append(f"{pointer}{one.name} = ({pointer})({one.name}_at + p_.{one.name}_0);")
        else:
            assert one.dtype is not None
            truth = " != 0" if one.dtype in BOOLEAN else ""
            lines.append(f"{number_type(one.dtype, float64)} {one.name} = p_.{one.name}{truth};")
    return lines
