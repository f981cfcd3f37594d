"""Bodies of users' kernels, translated for registers: types as in C, and what is refused before a compiler sees it."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.kernels.user.user_expressions import Translator, Variable, tokens
from arrayapi_gpu.kernels.user.user_values import Unsupported, known_function
from arrayapi_gpu.memory.dtypes import DTYPE_OF, SHORT

VARIABLES = {short: Variable(f"a_{short}", dtype, const=True) for short, dtype in DTYPE_OF.items()}


def translator(float64: bool = True) -> Translator:
    raw = Variable("m0", DTYPE_OF["f32"], raw=True)
    return Translator({**VARIABLES, "y": Variable("r0", DTYPE_OF["f32"], unset=True), "raw": raw}, {}, float64)


# As C has it, with floats for halves.
TYPES = {
    "f32 + f32": "f32",
    "f32 + 1": "f32",
    "f32 + 1.0": "f64",
    "f32 + 1.0f": "f32",
    "f16 * f16": "f32",
    "i8 + i8": "i32",
    "b8 + b8": "i32",
    "i32 + u32": "u32",
    "u32 + i64": "i64",
    "i64 + u64": "u64",
    "i64 * f32": "f32",
    "c64 + f64": "c128",
    "c64 * 2": "c64",
    "f32 < i32": "b8",
    "f32 && i32": "b8",
    "!f32": "b8",
    "~i8": "i32",
    "-u8": "i32",
    "i8 << 2": "i32",
    "i64 >> i8": "i64",
    "b8 & b8": "i32",
    "b8 ? i32 : f32": "f32",
    "sqrt(f32)": "f32",
    "sqrtf(f32)": "f32",
    "sqrt(i32)": "f64",
    "abs(c64)": "f32",
    "isnan(f64)": "b8",
    "pow(f32, 2)": "f32",
    "max(i32, 0)": "i32",
    "fmod(f64, 3)": "f64",
    "clamp(f32, 0, 1)": "f32",
    "(float)i32 / 3": "f32",
    "int(f32)": "i32",
    "c64.real()": "f32",
    "c128.im": "f64",
    "4294967296": "i64",
    "0xffffffff": "u32",
    "1u": "u32",
    "1l": "i64",
    "1e3f": "f32",
    "010": "i32",
    "M_PI": "f64",
    "raw[i32]": "f32",
}


@pytest.mark.parametrize("text", TYPES)
def test_types_are_those_of_c(text: str) -> None:
    assert SHORT[translator().value(text).dtype] == TYPES[text]


@pytest.mark.parametrize("text", ["f32 + 1.0", "sqrt(i32)", "M_PI"])
def test_without_float64_it_is_float32(text: str) -> None:
    assert SHORT[translator(False).value(text).dtype] == "f32"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("c64 < c64", "<: got complex64; allowed: real numbers"),
        ("f32 % 2", "%: got float32; allowed: integers; use fmod"),
        ("f32 & 1", "&: got float32; allowed: integers"),
        ("raw[f32]", "an index: got float32"),
        ("sqrt(f32, f32)", "sqrt: got 2 operands; allowed: 1"),
        ("floor(c64)", "floor: got complex64; allowed: real"),
        ("fma(c64, 1, 2)", "fma: got complex64"),
        ("99999999999999999999", "more than 64 bits"),
        ("(float)c64", "got complex64 where float32 is wanted"),
    ],
)
def test_types_that_do_not_go_together_are_refused(text: str, words: str) -> None:
    with pytest.raises(TypeError, match=words.replace("(", r"\(")):
        translator().value(text)


def test_what_is_only_read_is_not_assigned_to() -> None:
    with pytest.raises(TypeError, match="f32 is only read"):
        translator().run("f32 = 1")


@pytest.mark.parametrize(
    "text",
    [
        "for (int k = 0; k < 3; k++) y = k;",
        "while (f32) y = 1;",
        "float t[3];",
        "y = unknown(f32)",
        "y = unknown",
        "raw[0] = 1",
        "y = (f32",
        "y = x->z",
        "y = f32 @ 1",
        "{ y = 1;",
    ],
)
def test_other_bodies_are_left_to_compilers(text: str) -> None:
    with pytest.raises(Unsupported):
        translator().run(text)


@pytest.mark.parametrize(
    ("text", "incoming"),
    [
        ("y = 1", False),
        ("y += 1", True),
        ("y++", True),
        ("y = y + 1", True),
        ("if (b8) y = 1;", True),
        ("if (b8) y = 1; else y = 2;", False),
        ("if (b8) { if (i32) y = 1; else y = 2; } else y = 3;", False),
        ("if (b8) { if (i32) y = 1; } else y = 3;", True),
        ("y = 1; y += 2", False),
    ],
)
def test_old_values_are_wanted_where_they_are_read(text: str, incoming: bool) -> None:
    found = translator()
    found.run(text)
    assert (found.incoming == {"y"}) is incoming


def test_variables_of_a_block_end_with_it() -> None:
    with pytest.raises(Unsupported):
        translator().run("{ float t = 1; } y = t;")


def test_comments_and_spaces_are_no_tokens() -> None:
    assert [token.text for token in tokens("a /* b */ + // c\n 1.5e-3f")] == ["a", "+", "1.5e-3f", ""]


def test_names_of_functions_are_cs_and_ours() -> None:
    names = [known_function(name) for name in ("fabsf", "abs", "lgamma", "erf", "fmin", "mine", "sici")]
    assert [str(name) for name in names] == ["abs", "abs", "gammaln", "erf", "fmin", "None", "None"]


def test_every_constant_has_a_value() -> None:
    assert np.isclose(float(translator().value("M_E").code[6:-1]), np.e)
