"""Operators in users' bodies: one value, whichever way a body is computed; and the text that is made of a body."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.user.user_functions import UserBody, functions_of, known_types
from arrayapi_gpu.kernels.user.user_kinds import OTHER, Pointer
from arrayapi_gpu.kernels.user.user_operators import Scope, rewritten, signature
from arrayapi_gpu.kernels.user.user_parameters import parameters
from arrayapi_gpu.memory.dtypes import DTYPE_OF, cast

INT32, FLOAT32 = DTYPE_OF["i32"], DTYPE_OF["f32"]
TYPES = {
    "int8": "char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
    "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long",
}  # fmt: skip
MIXED = [("int32", "int64"), ("int32", "uint32"), ("int8", "uint16"), ("int64", "uint64"), ("uint8", "int8")]
RANKS = [np.dtype(name) for name in ("int32", "uint32", "int64", "uint64")]


# --- values: those of `gcc -fwrapv`; a quotient by 0 is 0, and a shift by the width or more loses all bits ------------


def wrap(value: int, dtype: Any) -> int:
    bits = 8 * np.dtype(dtype).itemsize
    value &= 2**bits - 1
    return value - 2**bits if np.dtype(dtype).kind == "i" and value >> (bits - 1) else value


def promoted(dtype: Any) -> Any:
    return np.dtype(dtype) if np.dtype(dtype).itemsize >= 4 else RANKS[0]


def common(x: Any, y: Any) -> Any:
    return max(promoted(x), promoted(y), key=RANKS.index)


def quotient(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


EXACT: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": quotient,
    "%": lambda a, b: 0 if b == 0 else a - b * quotient(a, b),
}


def operate(sign: str, a: int, b: int, x: Any, y: Any) -> tuple[int, Any]:
    """The value, and its dtype."""
    if sign in EXACT:
        dtype = common(x, y)
        return wrap(EXACT[sign](wrap(a, dtype), wrap(b, dtype)), dtype), dtype
    dtype = promoted(x)
    bits = 8 * dtype.itemsize
    count = wrap(b, dtype) if 0 <= wrap(b, dtype) < bits else bits
    return wrap(a << count if sign == "<<" else a >> count, dtype), dtype


class Case(NamedTuple):
    """A statement about x and y that assigns z, and its value."""

    text: str
    x: str
    y: str
    value: Callable[[int, int], int]


def cases() -> list[Case]:
    found = []
    for x, y in [*[(name, name) for name in TYPES], *MIXED]:
        for sign in ("+", "-", "*", "/", "%", "<<", ">>"):

            def plain(a: int, b: int, sign: str = sign, x: str = x, y: str = y) -> int:
                return operate(sign, a, b, x, y)[0]

            def assigned(a: int, b: int, sign: str = sign, x: str = x, y: str = y) -> int:
                return wrap(operate(sign, a, b, x, y)[0], x)

            found.append(Case(f"z = x {sign} y;", x, y, plain))
            if x == y:
                found.append(Case(f"{{ {TYPES[x]} v = x; v {sign}= y; z = v; }}", x, y, assigned))
    for x in TYPES:

        def nested(a: int, b: int, x: str = x) -> int:
            square, dtype = operate("*", a, a, x, x)
            return operate("-", operate("/", square, 5, dtype, "int32")[0], b, dtype, x)[0]

        found.append(Case("z = x * x / 5 - y;", x, x, nested))

        def negated(a: int, b: int, x: str = x) -> int:
            return wrap(-wrap(a, promoted(x)), promoted(x))

        def increased(a: int, b: int, x: str = x) -> int:
            return wrap(a + 1, x)

        def decreased(a: int, b: int, x: str = x) -> int:
            return wrap(a - 1, x)

        found.append(Case("z = -x;", x, x, negated))
        found.append(Case(f"{{ {TYPES[x]} v = x; v++; z = v; }}", x, x, increased))
        found.append(Case(f"{{ {TYPES[x]} v = x; --v; z = v; }}", x, x, decreased))
    return found


CASES = cases()


def edges(name: str) -> list[int]:
    limits = np.iinfo(name)
    return [wrap(value, name) for value in (limits.min, limits.max, limits.max // 3, 60000, -60001, -1, 0, 1, 7, 40)]


def wrapped_in(form: str, numbers: Iterable[int]) -> tuple[str, str]:
    """A body that computes the case that `which` says, of those with these numbers, and its preamble."""
    lines, functions = [], []
    for number in numbers:
        case = CASES[number]
        text = case.text.replace("x", f"x{list(TYPES).index(case.x)}").replace("y", f"y{list(TYPES).index(case.y)}")
        if form == "function":
            body = f"long long z; {case.text} return z;"
            functions.append(f"long long f{number}({TYPES[case.x]} x, {TYPES[case.y]} y) {{ {body} }}")
            text = f"z = f{number}(x{list(TYPES).index(case.x)}, y{list(TYPES).index(case.y)});"
        if form == "loop with casts" and text.startswith("z = x"):
            text = text.replace("x", f"({TYPES[case.x]})x")
        lines.append(f"if (which == {number}) {text}")
    body = "\n".join(lines)
    if form == "loop with casts":
        body = f"for (int once = 0; once < 1; once++) {{\n{body}\n}}"
    return body, "\n".join(functions)


def is_by_lanes(body: str, preamble: str, inputs: str, results: str) -> bool:
    """Whether a body is computed lane by lane, and not translated."""
    one, other = (tuple((p.name, np.dtype(p.type)) for p in parameters(text, "")) for text in (inputs, results))
    return functions_of(UserBody("f", body, preamble, one, (), other, (), True)).by_lanes


@pytest.mark.parametrize("of", TYPES)
@pytest.mark.parametrize("form", ["expression", "loop with casts", "function"])
def test_integers_have_the_same_values_in_every_form(device: Device, form: str, of: str) -> None:
    """Some cases a kernel: NVRTC miscompiles one with many (docs/upstream.md)."""
    operands = []
    for name in TYPES:
        x, y = np.meshgrid(np.asarray(edges(name), name), np.asarray(edges(name), name))
        operands += [xp.asarray(x.ravel(), device=device), xp.asarray(y.ravel(), device=device)]
    declared = ", ".join(f"{name} x{k}, {name} y{k}" for k, name in enumerate(TYPES))
    numbers = [number for number, case in enumerate(CASES) if case.x == of]
    for first in range(0, len(numbers), 8):
        some = numbers[first : first + 8]
        body, preamble = wrapped_in(form, some)
        assert is_by_lanes(body, preamble, f"int32 which, {declared}", "int64 z") == (form != "expression")
        kernel = xp.ElementwiseKernel(f"int32 which, {declared}", "int64 z", body, "operators", preamble=preamble)
        which = xp.asarray(np.asarray(some, np.int32)[:, None], device=device)
        found = to_host(kernel(which, *operands))
        for number, values in zip(some, found.tolist(), strict=True):
            case = CASES[number]
            pairs = [(a, b) for b in edges(case.y) for a in edges(case.x)]
            expected = [wrap(case.value(a, b), "int64") for a, b in pairs]
            wrong = [each for each in zip(pairs, values, expected, strict=True) if each[1] != each[2]]
            assert not wrong, f"{form}: {case.text} of {case.x} and {case.y}: {wrong[:3]}"


@pytest.mark.parametrize("form", ["translated", "loop"])
def test_floats_become_integers_by_the_rule_of_casts(device: Device, form: str) -> None:
    """Those beyond the limits saturate, and NaN is 0, also where a result or a variable is assigned."""
    values = np.asarray([np.nan, np.inf, -np.inf, 1e10, -1e10, 3e9, 300.0, 2.75, -2.75, 0.0], np.float32)
    texts = {
        "a = (int)x;": "int32", "a = (signed char)x;": "int8", "a = (unsigned short)(x * 1);": "uint16",
        "{ long long v = x; a = v; }": "int64", "{ unsigned int v; v = x; a = v; }": "uint32",
        "{ int v = 0; v += x; a = v; }": "int32",
    }  # fmt: skip
    body = "\n".join(f"if (which == {k}) {text}" for k, text in enumerate(texts)) + "\nb = x; "
    if form == "loop":
        body = f"for (;;) {{ {body} break; }}"
    kernel = xp.ElementwiseKernel("int32 which, float32 x", "int64 a, int16 b", body, f"casts_{form}")
    which = xp.asarray(np.arange(len(texts), dtype=np.int32)[:, None], device=device)
    a, b = kernel(which, xp.asarray(values, device=device))
    assert is_by_lanes(body, "", "int32 which, float32 x", "int64 a, int16 b") == (form == "loop")
    for row, (text, dtype) in zip(to_host(a).tolist(), texts.items(), strict=True):
        assert row == cast(values, np.dtype(dtype)).tolist(), text
    assert to_host(b)[0].tolist() == cast(values, np.dtype("int16")).tolist()


PREAMBLE = "int times(int a, int b) { return a * b; } int spread(int x) { return x * x / 5 - 2000000000; }"


def test_reductions_and_scans_wrap(device: Device) -> None:
    """Their expressions call functions, so they run lane by lane."""
    host = np.asarray([60000, 50000, 7, -3, 123456], np.int32)
    x = xp.asarray(host, device=device)
    texts = "T x", "T y", "spread(x)", "times(a, b)"
    reduced = xp.ReductionKernel(*texts, "y = a", "1", "product", preamble=PREAMBLE)
    scanned = xp.ScanKernel(*texts, "1", "y = item", "products", preamble=PREAMBLE)
    expected = [1]
    for value in host.tolist():
        expected.append(wrap(expected[-1] * wrap(quotient(wrap(value**2, "int32"), 5) - 2000000000, "int32"), "int32"))
    assert int(reduced(x)) == expected[-1]
    assert_same(to_host(scanned(x)), np.asarray(expected[1:], np.int32))


# --- the text ---------------------------------------------------------------------------------------------------------

SCOPE = Scope(
    known_types({"T": INT32}),
    {"f": INT32, "g": OTHER},
    {"x": INT32, "y": INT32, "u": DTYPE_OF["u32"], "z": FLOAT32, "p": Pointer(FLOAT32), "q": Pointer(INT32)},
)
TEXTS = {
    "y = x * x / 5": "y = OP_divide_i32(OP_multiply_i32(x, x), 5)",
    "y += x": "y = OP_add_i32(y, x)",
    "y = N * x": "y = OP_to_i32(OP_multiply(N, x))",
    "q[x]--;": "q[x] = OP_subtract_i32(q[x], 1);",
    "for (int k = 0; k < 3; k++) { z += k; }": "for (int k = 0; k < 3; k = OP_add_i32(k, 1)) { z += k; }",
    "T v[2] = {1, x + 1}; v[0]++;": "T v[2] = {1, OP_add_i32(x, 1)}; v[0] = OP_add_i32(v[0], 1);",
    "y = x++;": "y = (x = OP_add_i32(x, 1), OP_subtract_i32(x, 1));",
    "y = z * 2.5f;": "y = OP_to_i32_f32(z * 2.5f);",
    "y = x > 0 ? x << 1 : -x;": "y = x > 0 ? OP_shift_left_i32(x, 1) : OP_negative_i32(x);",
    "y = f(x + 1) % 3;": "y = OP_modulo_i32(f(OP_add_i32(x, 1)), 3);",
    "#pragma unroll\nfor (;;) y = x * 1L;": "#pragma unroll\nfor (;;) y = OP_multiply_i64(x, ((M_i64)1L));",
}
UNCHANGED = [
    "z = z * z + 1.0f / z;",  # floats
    "u = u * u + 1;",  # unsigned integers wrap anyway
    "float t[2 * N]; y = 2 * 3;",  # constants
    "const int m = 4; const int k = m * 2; float t[k];",
    "*(p + x) = z; p += 2; p++;",  # pointers
    "float4 v = a; v = v * 2; y = v.x * 2;",  # vectors
    "y = g(x) * 2;",  # a structure
    "q[f(x)] += 3;",  # a place that must not be computed twice
    "y = driver(x) * 2;",  # a function of the driver's
    "struct pair { int a; }; y = x * x;",  # texts that are not read
    "y = 09 * x;",
    "for (y = x * x;",
]


@pytest.mark.parametrize("text", TEXTS)
def test_operators_become_calls(text: str) -> None:
    assert rewritten(text, SCOPE) == TEXTS[text]
    assert rewritten(TEXTS[text], SCOPE).count("OP_add") == TEXTS[text].count("OP_add")


@pytest.mark.parametrize("text", UNCHANGED)
def test_other_operators_stay(text: str) -> None:
    assert rewritten(text, SCOPE) == text


def test_signatures_of_functions() -> None:
    kind, variables = signature("unsigned long long f(const int *x, float y, int n)", known_types({}))
    assert kind == np.dtype("uint64")
    assert variables == {"x": Pointer(INT32), "y": FLOAT32, "n": INT32}
    assert signature("template <typename T> T f(T x)", known_types({})) == (OTHER, {})
