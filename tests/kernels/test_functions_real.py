"""The device library's functions of real, integer and boolean operands, each on every device.

Exact functions are held to NumPy bit by bit, others to `numpy.longdouble` within the bounds of the
design: 4 ulp float32, 3 ulp float64, 1 ulp float16.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels.apply import apply, apply_all

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.library import available, library
from arrayapi_gpu.memory.dtypes import DTYPE_OF

HostArray = np.ndarray[Any, Any]
Reference = Callable[..., HostArray]

SIGNED = ["i8", "i16", "i32", "i64"]
INTEGERS = [*SIGNED, "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "f32", "f64"]
ULPS = {"f16": 1.0, "f32": 4.0, "f64": 3.0}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def need(device: Device, *dtypes: str) -> None:
    """Skip where the device lacks a dtype: float64 is an option of the hardware."""
    if missing := set(dtypes) - device.dtypes:
        pytest.skip(f"{device} has no {', '.join(sorted(missing))}")


# Operands


def integers(t: str) -> HostArray:
    """Random integers of all sizes with the ends of the range and small numbers among them."""
    dtype = DTYPE_OF[t]
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    bits = rng.integers(info.min, info.max, 400, dtype, endpoint=True)
    ends = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33]
    ends += [63, 64, 65, 100] + ([-1, -2, -3, -7, -8, -64] if info.min else [])
    shifted = bits >> rng.integers(0, info.bits, bits.size).astype(dtype)
    return np.concatenate([bits, shifted, np.array(ends, dtype)])


def specials(t: str) -> HostArray:
    """Floats at which functions change their mind."""
    dtype = DTYPE_OF[t]
    info = np.finfo(dtype)
    one = dtype.type(1)
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 10.0, 100.0, math.pi, math.inf]
    positive += [info.max, info.tiny, info.smallest_subnormal, np.nextafter(one, one * 2)]
    positive += [np.nextafter(one, one * 0), info.tiny / 3, info.max / 3, 88.7, 103.9, 709.7, 745.1]
    values = np.array(positive, dtype)
    return np.concatenate([values, -values, np.array([np.nan, -np.nan], dtype)])


def floats(t: str) -> HostArray:
    """Random floats of several distributions, and the special ones; of float16 all."""
    if t == "f16":
        return np.arange(1 << 16).astype(np.uint16).view(np.float16)
    dtype = DTYPE_OF[t]
    rng = np.random.default_rng(2)
    n = 2000
    bits = rng.integers(0, 256, 4 * n * dtype.itemsize, np.uint8).view(dtype)
    near_one = 1 + rng.normal(size=n) * 10.0 ** rng.uniform(-7, 0, n)
    sizes = [rng.normal(size=n) * scale for scale in (1e-4, 1e-1, 1, 10, 100, 1000)]
    quarters = rng.integers(1, 100000, n) * (np.pi / 2)
    parts = [bits, *sizes, near_one, quarters]
    return np.concatenate([*(p.astype(dtype) for p in parts), specials(t)])


def pairs(values: HostArray) -> tuple[HostArray, HostArray]:
    """Every value with every other one."""
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


def float_pairs(t: str) -> tuple[HostArray, HostArray]:
    """Random pairs of floats, near and far apart, and all pairs of special ones."""
    rng = np.random.default_rng(3)
    a = floats(t)
    a = a if t != "f16" else rng.permutation(a)[:20000]
    b = rng.permutation(a)
    scaled = (a * rng.uniform(0.1, 10, a.size)).astype(a.dtype)
    small = rng.uniform(-20, 20, a.size).astype(a.dtype)
    one, other = pairs(specials(t))
    return np.concatenate([a, a, a, one]), np.concatenate([b, scaled, small, other])


# Comparing


def check_exact(got: HostArray, expected: HostArray, *operands: HostArray) -> None:
    """The same values, zeros with the same sign; NaNs are equal."""
    assert got.dtype == expected.dtype
    same = got == expected
    if got.dtype.kind == "f":
        same &= np.signbit(got) == np.signbit(expected)
        same |= np.isnan(got) & np.isnan(expected)
    report(~same, got, expected, operands)


def check_close(
    got: HostArray, exact: HostArray, limit: float, *operands: HostArray, scale: HostArray | None = None
) -> None:
    """Within ``limit`` ulp of the exact result (or of ``scale``); special values as they are."""
    info = np.finfo(got.dtype)
    expected = exact.astype(got.dtype)
    size = np.abs(expected if scale is None else scale.astype(got.dtype))
    ulp = np.spacing(np.minimum(size, info.max)).astype(np.longdouble)
    wrong = np.abs(got.astype(np.longdouble) - exact) > limit * ulp
    overflow = np.isinf(got) & (np.abs(exact) >= info.max) & (np.sign(got) == np.sign(exact))
    special = ~np.isfinite(expected) & ~(np.abs(exact) > info.max)
    zero = (exact == 0) & (got == 0)
    wrong = np.where(special, got != expected, wrong & ~overflow) | (~np.isfinite(got) & ~special & ~overflow)
    wrong |= zero & (np.signbit(got) != np.signbit(exact))
    wrong &= ~(np.isnan(got) & np.isnan(exact))
    report(wrong, got, exact, operands)


def report(wrong: HostArray, got: HostArray, expected: HostArray, operands: tuple[HostArray, ...]) -> None:
    """Fail with a few examples where ``wrong``."""
    if wrong.any():
        places = np.flatnonzero(wrong)
        some = places[np.linspace(0, places.size - 1, 6).astype(int)]
        lines = [f"{[a[i] for a in operands]}: got {got[i]!r}, expected {expected[i]!r}" for i in some]
        pytest.fail(f"{places.size} of {wrong.size} are wrong\n" + "\n".join(lines))


# The functions of floats

UNARY: dict[str, Reference] = {
    "sqrt": np.sqrt, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}  # fmt: skip
BINARY: dict[str, Reference] = {"pow": np.power, "atan2": np.arctan2, "hypot": np.hypot}


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_function_is_within_the_bound(device: Device, name: str, t: str) -> None:
    need(device, t)
    x = floats(t)
    exact = UNARY[name](x.astype(np.longdouble))
    check_close(apply(device, f"{name}_{t}", t, x), exact, ULPS[t], x)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_is_within_the_bound(device: Device, name: str, t: str) -> None:
    need(device, t)
    a, b = float_pairs(t)
    exact = BINARY[name](a.astype(np.longdouble), b.astype(np.longdouble))
    check_close(apply(device, f"{name}_{t}", t, a, b), exact, ULPS[t], a, b)


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_an_angle_is_known_to_less_than_an_ulp(device: Device, t: str) -> None:
    """SciPy's rotations ask for the last bit of one."""
    need(device, t)
    rng = np.random.default_rng(8)
    a, b = (rng.normal(size=(2, 40000)) * 2.0 ** (rng.integers(-30, 30, (2, 40000)) * [[0], [1]]) for _ in "ab")
    y, x = (operand.astype(DTYPE_OF[t]).ravel() for operand in (a, b))
    check_close(apply(device, f"atan2_{t}", t, y, x), np.arctan2(*(v.astype(np.longdouble) for v in (y, x))), 1, y, x)


@pytest.mark.parametrize("t", FLOATS)
def test_logaddexp_is_within_the_bound_of_its_larger_operand(device: Device, t: str) -> None:
    need(device, t)
    a, b = float_pairs(t)
    wide = a.astype(np.longdouble), b.astype(np.longdouble)
    exact = np.logaddexp(*wide)
    scale = np.maximum(np.abs(exact), np.minimum(np.abs(np.maximum(*wide)), 1))
    check_close(apply(device, f"logaddexp_{t}", t, a, b), exact, ULPS[t], a, b, scale=scale)


@pytest.mark.parametrize("t", ["f32", "f64"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY, "logaddexp", "remainder"])
def test_neighbours_in_a_register_do_not_change_a_result(device: Device, name: str, t: str) -> None:
    need(device, t)
    x = np.random.default_rng(4).normal(size=2000).astype(DTYPE_OF[t])
    operands = [x] if name in UNARY else [x, x[::-1].copy()]
    got = apply(device, f"{name}_{t}", t, *operands)
    for poison in (math.inf, math.nan, 1e30, -1e30, 1e10, 1e-40, 0.0):
        for operand in operands:
            operand[5::16] = poison
        again = apply(device, f"{name}_{t}", t, *operands)
        got[5::16] = again[5::16]
        if name not in UNARY:
            got[10::16] = again[10::16]
        check_exact(again, got, *operands)


EXACT_UNARY: dict[str, Reference] = {
    "negative": np.negative, "positive": np.positive, "abs": np.abs, "square": np.square,
    "reciprocal": np.reciprocal, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.rint, "sign": np.sign,
}  # fmt: skip
EXACT_BINARY: dict[str, Reference] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "copysign": np.copysign, "nextafter": np.nextafter, "maximum": np.maximum,
    "minimum": np.minimum, "remainder": np.remainder,
}  # fmt: skip
TESTS: dict[str, Reference] = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit
}  # fmt: skip
COMPARISONS: dict[str, Reference] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", EXACT_UNARY)
def test_exact_function_is_numpys(twin: Device, name: str, t: str) -> None:
    need(twin, t)
    x = floats(t)
    check_exact(apply(twin, f"{name}_{t}", t, x), EXACT_UNARY[name](x), x)


@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", EXACT_BINARY)
def test_exact_function_of_two_is_numpys(twin: Device, name: str, t: str) -> None:
    need(twin, t)
    a, b = float_pairs(t)
    expected = EXACT_BINARY[name](a, b)
    if name in {"maximum", "minimum"}:  # of two zeros the standard lets either win; here the first does
        expected = np.where((a == 0) & (b == 0), a, expected)
    if name == "nextafter":  # of two zeros NumPy's float16 gives the first, C and the standard not
        expected = np.where((a == 0) & (b == 0), b, expected)
    check_exact(apply(twin, f"{name}_{t}", t, a, b), expected, a, b)


@pytest.mark.parametrize("t", FLOATS)
def test_floor_divide_is_numpys_and_the_floor_of_the_quotient_at_infinity(twin: Device, t: str) -> None:
    need(twin, t)
    a, b = float_pairs(t)
    at_infinity = np.isinf(a) | np.isinf(b)
    expected = np.where(at_infinity, np.floor(a / b), np.floor_divide(a, b))
    check_exact(apply(twin, f"floor_divide_{t}", t, a, b), expected, a, b)


@pytest.mark.parametrize("t", FLOATS)
def test_sign_bits_of_nan_count(twin: Device, t: str) -> None:
    need(twin, t)
    nan = np.array([np.nan, -np.nan], DTYPE_OF[t])
    assert apply(twin, f"signbit_{t}", "b8", nan).tolist() == np.signbit(nan).tolist()
    one = np.ones_like(nan)
    assert apply(twin, f"copysign_{t}", t, one, nan).tolist() == np.copysign(one, nan).tolist()
    copied = apply(twin, f"copysign_{t}", t, nan, -one)
    assert np.isnan(copied).all() and np.signbit(copied).all()


def test_negative_and_abs_change_the_sign_bit_of_every_half(twin: Device) -> None:
    """Also of NaNs, whose sign the standard leaves open (NVIDIA's float32 and float64 lose it)."""
    bits = np.arange(2**16, dtype="uint16")
    numbers = ~np.isnan(bits.view("float16"))
    for name, expected in {"negative": bits ^ 0x8000, "abs": bits & 0x7FFF}.items():
        found = apply(twin, f"{name}_f16", "f16", bits.view("float16")).view("uint16")
        assert np.array_equal(found[numbers], expected[numbers])
        assert np.array_equal(found >> 15, expected >> 15)


@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "log", "log2", "log10", "sin", "cos", "tan"])
def test_the_form_for_halves_gives_what_float32_gives_or_the_nearest_half(twin: Device, name: str) -> None:
    halves = floats("f16")
    got = apply(twin, f"{name}_f16", "f16", halves)
    with np.errstate(all="ignore"):
        nearest = getattr(np, name)(halves.astype(np.float64)).astype(np.float16)
        expected = apply(twin, f"{name}_f32", "f32", halves.astype(np.float32)).astype(np.float16)
    check_exact(got, np.where(got == nearest, nearest, expected), halves)


def test_quotients_of_halves_round_once(twin: Device) -> None:
    """Subnormal quotients often lie in the middle between two halves."""
    a, b = pairs(np.concatenate([floats("f16")[::97], np.arange(3, 200, 4).astype(np.float16), specials("f16")]))
    check_exact(apply(twin, "divide_f16", "f16", a, b), a / b, a, b)
    ties = np.arange(1, 2048).astype(np.float16) * np.float16(2**-24)
    a, b = (ties[:, None] * np.ones(9, np.float16)).ravel(), np.tile(np.arange(2, 20, 2).astype(np.float16), ties.size)
    for sign in (1, -1):
        check_exact(apply(twin, "divide_f16", "f16", a, b * np.float16(sign)), a / (b * np.float16(sign)), a, b)


@pytest.mark.parametrize("t", FLOATS)
def test_classes_of_floats(twin: Device, t: str) -> None:
    need(twin, t)
    x = floats(t)
    got = apply_all(twin, [f"{name}_{t}" for name in TESTS], ["b8"] * len(TESTS), x)
    for one, reference in zip(got, TESTS.values(), strict=True):
        check_exact(one, reference(x), x)


# Comparisons, logic, selection


@pytest.mark.parametrize("t", ["b8", *INTEGERS, *FLOATS])
def test_comparisons(twin: Device, t: str) -> None:
    need(twin, t)
    values = np.array([False, True]) if t == "b8" else specials(t) if t in FLOATS else integers(t)[-60:]
    a, b = pairs(values)
    got = apply_all(twin, [f"{name}_{t}" for name in COMPARISONS], ["b8"] * len(COMPARISONS), a, b)
    for one, reference in zip(got, COMPARISONS.values(), strict=True):
        check_exact(one, reference(a, b), a, b)


def test_logic(twin: Device) -> None:
    a, b = pairs(np.array([False, True]))
    for name in ("and", "or", "xor"):
        expected = getattr(np, f"logical_{name}")(a, b)
        for kind in ("logical", "bitwise"):
            check_exact(apply(twin, f"{kind}_{name}_b8", "b8", a, b), expected, a, b)
    for name in ("logical_not", "bitwise_invert"):
        check_exact(apply(twin, f"{name}_b8", "b8", a), ~a, a)


def sample(t: str) -> HostArray:
    """Some values of any dtype."""
    if t == "b8":
        return np.random.default_rng(5).random(600) < 0.5
    if t in INTEGERS:
        return integers(t)
    if t in FLOATS:
        return specials(t)
    real = specials({"c64": "f32", "c128": "f64"}[t])
    joined = np.stack(pairs(real), axis=-1)
    return np.ascontiguousarray(joined).view(DTYPE_OF[t])[:, 0]


@pytest.mark.parametrize("t", ["b8", *INTEGERS, *FLOATS, "c64", "c128"])
def test_where(twin: Device, t: str) -> None:
    need(twin, t)
    a = sample(t)
    b = a[::-1].copy()
    mask = np.random.default_rng(6).random(a.size) < 0.5
    got = apply(twin, f"where_{t}", t, mask, a, b)
    expected = np.where(mask, a, b)
    parts = (
        (got, expected) if t[0] != "c" else (got.view(f"f{got.itemsize // 2}"), expected.view(f"f{got.itemsize // 2}"))
    )
    check_exact(*parts)


# Integers

WRAPPING: dict[str, Reference] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "floor_divide": np.floor_divide, "remainder": np.remainder, "gcd": np.gcd,
}  # fmt: skip
WRAPPING_UNARY: dict[str, Reference] = {
    "negative": np.negative, "positive": np.positive, "abs": np.abs, "square": np.square,
    "sign": np.sign, "bitwise_invert": np.invert, "round": np.positive, "floor": np.positive,
    "ceil": np.positive, "trunc": np.positive,
}  # fmt: skip


def integer_pairs(t: str) -> tuple[HostArray, HostArray]:
    """Random pairs of integers, and all pairs of the special ones."""
    values = integers(t)
    a, b = pairs(values[-26:])
    shuffled = np.random.default_rng(7).permutation(values)
    return np.concatenate([values, a]), np.concatenate([shuffled, b])


@pytest.mark.parametrize("t", INTEGERS)
def test_integer_functions_wrap_and_never_trap(twin: Device, t: str) -> None:
    a, b = integer_pairs(t)  # x // 0 == x % 0 == 0 and MIN // -1 == MIN are NumPy's results too
    got = apply_all(twin, [f"{name}_{t}" for name in WRAPPING], [t] * len(WRAPPING), a, b)
    for one, reference in zip(got, WRAPPING.values(), strict=True):
        check_exact(one, reference(a, b), a, b)


@pytest.mark.parametrize("t", INTEGERS)
def test_integer_functions_of_one(twin: Device, t: str) -> None:
    x = integers(t)
    names = [f"{name}_{t}" for name in WRAPPING_UNARY]
    for one, reference in zip(apply_all(twin, names, [t] * len(names), x), WRAPPING_UNARY.values(), strict=True):
        check_exact(one, reference(x), x)


def wrapped(values: list[int], t: str) -> HostArray:
    """Integers of any size, brought into the range of a dtype."""
    bits = np.iinfo(DTYPE_OF[t]).bits
    return np.array([v % (1 << bits) for v in values], f"u{bits // 8}").view(DTYPE_OF[t])


@pytest.mark.parametrize("t", INTEGERS)
def test_shifts_past_the_width_give_zero_or_the_sign(twin: Device, t: str) -> None:
    a, b = integer_pairs(t)
    width = np.iinfo(DTYPE_OF[t]).bits
    counts = [int(n) if 0 <= n < width else width for n in b]
    left = wrapped([int(v) << n for v, n in zip(a, counts, strict=True)], t)
    right = wrapped([int(v) >> n for v, n in zip(a, counts, strict=True)], t)
    check_exact(apply(twin, f"bitwise_left_shift_{t}", t, a, b), left, a, b)
    check_exact(apply(twin, f"bitwise_right_shift_{t}", t, a, b), right, a, b)


@pytest.mark.parametrize("t", INTEGERS)
def test_integer_powers_wrap_and_negative_exponents_round_toward_zero(twin: Device, t: str) -> None:
    a, b = integer_pairs(t)
    modulus = 1 << np.iinfo(DTYPE_OF[t]).bits

    def power(x: int, n: int) -> int:
        if n >= 0:
            return pow(x, n, modulus)
        return x ** (n % 2) if abs(x) == 1 else 0

    expected = wrapped([power(int(x), int(n)) for x, n in zip(a, b, strict=True)], t)
    check_exact(apply(twin, f"pow_{t}", t, a, b), expected, a, b)


# Casts


def cast(x: HostArray, to: str) -> HostArray:
    """NumPy's cast with what it leaves undefined: floats saturate, NaN gives 0, complex drops j."""
    target = DTYPE_OF[to]
    if x.dtype.kind == "c" and target.kind not in "cb":
        x = x.real
    if x.dtype.kind == "f" and target.kind in "iu":
        info = np.iinfo(target)
        exact = [0 if math.isnan(v) else v for v in x.astype(np.float64).tolist()]
        ints = [int(max(min(v, 2.0**70), -(2.0**70))) for v in exact]
        return np.array([max(min(v, info.max), info.min) for v in ints], target)
    if x.dtype.kind == "f" and target.kind == "c":
        parts = np.stack([x, np.zeros_like(x)], -1).astype(f"f{target.itemsize // 2}")
        return np.ascontiguousarray(parts).view(target)[:, 0]
    return x.astype(target)


CASTS = ["b8", *INTEGERS, *FLOATS, "c64", "c128"]


@pytest.mark.parametrize("source", CASTS)
def test_casts(twin: Device, source: str) -> None:
    need(twin, source)
    x = sample(source)
    if source in FLOATS:
        near = [v + d for v in (127, 255, 32767, 65535, 2.0**31, 2.0**32, 2.0**63, 2.0**64) for d in (-1, 0.5, 1)]
        x = np.concatenate([x, floats(source)[:8000], np.array(near + [-v for v in near], x.dtype)])
    targets = [t for t in CASTS if t in twin.dtypes]
    got = apply_all(twin, [f"cast_{source}_{t}" for t in targets], targets, x)
    for one, t in zip(got, targets, strict=True):
        expected = cast(x, t)
        if t[0] == "c":
            real = f"f{one.itemsize // 2}"
            one, expected = one.view(real), expected.view(real)
        check_exact(one, expected)


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_casts_to_half_round_once(twin: Device, t: str) -> None:
    need(twin, t)
    halves = np.arange(0x7C00).astype(np.uint16).view(np.float16).astype(DTYPE_OF[t])
    ties = (halves[:-1] + halves[1:]) / 2
    ties = np.concatenate([ties, -ties, np.array([65519.9, 65520, 65536], ties.dtype)])
    x = np.concatenate([ties, np.nextafter(ties, 0), np.nextafter(ties, ties * 2)])
    check_exact(apply(twin, f"cast_{t}_f16", "f16", x), x.astype(np.float16), x)


# The library


def test_unknown_functions_are_key_errors() -> None:
    with pytest.raises(KeyError):
        library(["add_f32", "no_such_function_f32"])


def test_functions_come_once_and_callees_first() -> None:
    text = library(["hypot_f16", "atan2_f16", "hypot_f32"])
    assert text.count(" hypot_f32(R_f32 a") == 1
    assert text.index(" hypot_f32(R_f32 a") < text.index(" hypot_f16(")


def test_text_does_not_depend_on_the_order_of_names() -> None:
    assert library(["sin_f32", "add_f16"]) == library(["add_f16", "sin_f32"])


def test_every_cast_exists() -> None:
    assert {f"cast_{a}_{b}" for a, b in product(CASTS, CASTS)} <= available()
