"""Complex functions of the device library: special cases, branch cuts, accuracy.

`SPECIAL` holds the special cases of the standard (2025.12, element-wise functions) as data. A row
reads ``re im : re im``, operand and result. Words of operands may be classes of numbers, see
`_class`; in results ``~`` means that the sign is unspecified, and ``cos`` and ``sin`` are those of
the operand's imaginary part. An unsigned zero in a result is +0. Each row holds for the conjugate
too, and for the negative where `ODD` or `EVEN` says so.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device, Kernel
from arrayapi_gpu.kernels.core.library import library

HostArray = np.ndarray[Any, Any]

DTYPES = ("c64", "c128")
REAL = {"c64": "f32", "c128": "f64"}
HOST = {"c64": np.complex64, "c128": np.complex128, "f32": np.float32, "f64": np.float64, "b8": bool}

TO_REAL = {"abs", "real", "imag"}
TO_TRUTH = {"isnan", "isinf", "isfinite", "equal", "not_equal"}
BINARY = {"add", "subtract", "multiply", "divide", "pow", "equal", "not_equal"}

SPECIAL = {
    "acos": """
        +-0 0 : pi/2 -0
        +-0 nan : pi/2 nan
        finite inf : pi/2 -inf
        nonzero nan : nan nan
        -inf positive : pi -inf
        inf positive : 0 -inf
        -inf inf : 3pi/4 -inf
        inf inf : pi/4 -inf
        +-inf nan : nan ~inf
        nan finite : nan nan
        nan inf : nan -inf
        nan nan : nan nan""",
    "acosh": """
        +-0 0 : 0 pi/2
        finite inf : inf pi/2
        nonzero nan : nan nan
        0 nan : nan ~pi/2
        -inf positive : inf pi
        inf positive : inf 0
        -inf inf : inf 3pi/4
        inf inf : inf pi/4
        +-inf nan : inf nan
        nan finite : nan nan
        nan inf : inf nan
        nan nan : nan nan""",
    "asinh": """
        0 0 : 0 0
        positive inf : inf pi/2
        finite nan : nan nan
        inf positive : inf 0
        inf inf : inf pi/4
        inf nan : inf nan
        nan 0 : nan 0
        nan nonzero : nan nan
        nan inf : ~inf nan
        nan nan : nan nan""",
    "atanh": """
        0 0 : 0 0
        0 nan : 0 nan
        1 0 : inf 0
        positive inf : 0 pi/2
        nonzero nan : nan nan
        inf positive : 0 pi/2
        inf inf : 0 pi/2
        inf nan : 0 nan
        nan finite : nan nan
        nan inf : ~0 pi/2
        nan nan : nan nan""",
    "cosh": """
        0 0 : 1 0
        0 inf : nan ~0
        0 nan : nan ~0
        nonzero inf : nan nan
        nonzero nan : nan nan
        inf 0 : inf 0
        inf nonzero : inf*cos inf*sin
        inf inf : ~inf nan
        inf nan : inf nan
        nan +-0 : nan ~0
        nan nonzero : nan nan
        nan nan : nan nan""",
    "sinh": """
        0 0 : 0 0
        0 inf : ~0 nan
        0 nan : ~0 nan
        positive inf : nan nan
        positive nan : nan nan
        inf 0 : inf 0
        inf positive : inf*cos inf*sin
        inf inf : ~inf nan
        inf nan : ~inf nan
        nan 0 : nan 0
        nan nonzero : nan nan
        nan nan : nan nan""",
    "tanh": """
        0 0 : 0 0
        nonzero inf : nan nan
        0 inf : 0 nan
        nonzero nan : nan nan
        0 nan : 0 nan
        inf positive : 1 0
        inf inf : 1 ~0
        inf nan : 1 ~0
        nan 0 : nan 0
        nan nonzero : nan nan
        nan +-inf : nan nan
        nan nan : nan nan""",
    "exp": """
        +-0 0 : 1 0
        finite inf : nan nan
        finite nan : nan nan
        inf 0 : inf 0
        -inf finite : 0*cos 0*sin
        inf nonzero : inf*cos inf*sin
        -inf inf : ~0 ~0
        inf inf : ~inf nan
        -inf nan : ~0 ~0
        inf nan : ~inf nan
        nan 0 : nan 0
        nan nonzero : nan nan
        nan +-inf : nan nan
        nan nan : nan nan""",
    "expm1": """
        +-0 0 : 0 0
        finite inf : nan nan
        finite nan : nan nan
        inf 0 : inf 0
        -inf finite : -1 0*sin
        inf nonzero : inf*cos inf*sin
        -inf inf : -1 ~0
        inf inf : ~inf nan
        -inf nan : -1 ~0
        inf nan : ~inf nan
        nan 0 : nan 0
        nan nonzero : nan nan
        nan +-inf : nan nan
        nan nan : nan nan""",
    "log": """
        -0 0 : -inf pi
        0 0 : -inf 0
        finite inf : inf pi/2
        finite nan : nan nan
        -inf positive : inf pi
        inf positive : inf 0
        -inf inf : inf 3pi/4
        inf inf : inf pi/4
        +-inf nan : inf nan
        nan finite : nan nan
        nan inf : inf nan
        nan nan : nan nan""",
    "log1p": """
        -1 0 : -inf 0
        finite inf : inf pi/2
        finite nan : nan nan
        -inf positive : inf pi
        inf positive : inf 0
        -inf inf : inf 3pi/4
        inf inf : inf pi/4
        +-inf nan : inf nan
        nan finite : nan nan
        nan inf : inf nan
        nan nan : nan nan""",
    "sqrt": """
        +-0 0 : 0 0
        any inf : inf inf
        finite nan : nan nan
        -inf positive : 0 inf
        inf positive : inf 0
        -inf nan : nan ~inf
        inf nan : inf nan
        nan finite : nan nan
        nan nan : nan nan""",
    "sign": """
        +-0 +-0 : 0 0
        nan any : nan nan
        any nan : nan nan""",
    "reciprocal": """
        nan nan : nan nan
        +-inf finite : ~0 ~0
        +-inf +-inf : ~0 ~0""",
}

# asin is -j asinh(jz), and so on: turned by a right angle, the rows of the one are those of the
# other.
TURNED = {"asin": "asinh", "atan": "atanh", "cos": "cosh", "sin": "sinh", "tan": "tanh"}
SCALED = {"log2": math.log(2), "log10": math.log(10)}
ODD = {"asinh", "atanh", "sinh", "tanh", "sign"}
EVEN = {"cosh"}

_LARGE = {"c64": 2.0**126, "c128": 2.0**1022}
_SMALL = {"c64": 2.0**-149, "c128": 2.0**-1074}


def _class(word: str, dtype: str) -> list[float]:
    """The numbers that stand for a word of an operand."""
    positive = [_SMALL[dtype], 0.75, 1.0, 3.0, _LARGE[dtype]]
    nonzero = positive + [-v for v in positive]
    infinities, zeros = [math.inf, -math.inf], [0.0, -0.0]
    classes = {
        "positive": positive,
        "nonzero": nonzero,
        "finite": zeros + nonzero,
        "any": [*zeros, *nonzero, *infinities, math.nan],
        "+-0": zeros,
        "+-inf": infinities,
    }
    return classes[word] if word in classes else [float(word)]


_NUMBERS = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": 3 * math.pi / 4}


def _expected(word: str, b: float) -> tuple[float, bool]:
    """The number that stands for a word of a result, and whether its sign counts."""
    if "*" in word:
        size, function = word.split("*")
        return math.copysign(float(size), getattr(math, function)(b)), True
    sure, word = word[0] != "~", word.lstrip("~")
    return _NUMBERS[word] if word in _NUMBERS else float(word), sure


Part = tuple[float, bool]
Case = tuple[float, float, Part, Part]


def _cases(name: str, dtype: str) -> Iterator[Case]:
    """Concrete operands of a function and what the standard says of the parts of the result."""
    if name in TURNED:
        for a, b, (re, sure_re), (im, sure_im) in _cases(TURNED[name], dtype):
            # The operand jz has the parts a = -Im z, b = Re z.
            if TURNED[name] == "cosh":
                yield b, -a, (re, sure_re), (im, sure_im)
            else:
                yield b, -a, (im, sure_im), (-re, sure_re)
        return
    if name in SCALED:
        for a, b, (re, sure_re), (im, sure_im) in _cases("log", dtype):
            yield a, b, (re, sure_re), (im / SCALED[name], sure_im)
        return
    for line in SPECIAL[name].strip().splitlines():
        operand, _, result = line.partition(":")
        one, other = operand.split()
        for a, b in itertools.product(_class(one, dtype), _class(other, dtype)):
            (re, sure_re), (im, sure_im) = (_expected(word, b) for word in result.split())
            if name == "sign":
                yield a, b, (re, sure_re), (im, sure_im)
                continue
            yield a, b, (re, sure_re), (im, sure_im)
            yield a, -b, (re, sure_re), (-im, sure_im)
            if name in ODD:
                yield -a, -b, (-re, sure_re), (-im, sure_im)
                yield -a, b, (-re, sure_re), (im, sure_im)
            if name in EVEN:
                yield -a, -b, (re, sure_re), (im, sure_im)
                yield -a, b, (re, sure_re), (-im, sure_im)


def _result(name: str, dtype: str) -> str:
    """The dtype of a function's result."""
    return REAL[dtype] if name in TO_REAL else "b8" if name in TO_TRUTH else dtype


@cache
def _kernel(device: Device, name: str, dtype: str) -> Kernel:
    result, operands = _result(name, dtype), "xy" if name in BINARY else "x"
    arguments = ", ".join(f"GLOBAL M_{dtype} *{x}" for x in operands)
    loads = ", ".join(f"LOAD_{dtype}({x}, i)" for x in operands)
    body = f"long i = GID * LANES; STORE_{result}(r, i, {name}_{dtype}({loads}));"
    text = f"KERNEL void apply({arguments}, GLOBAL M_{result} *r) {{ {body} }}\n"
    return device.compile(library([f"{name}_{dtype}"]) + text, "apply")


GROUP = 4


def apply(device: Device, name: str, dtype: str, *operands: HostArray) -> HostArray:
    """The function, by its name in the standard, of 1-D host arrays, computed on the device."""
    count = operands[0].size
    block = device.lanes * GROUP
    size = -(-count // block) * block
    result: HostArray = np.empty(size, HOST[_result(name, dtype)])
    buffers = []
    for operand in operands:
        padded: HostArray = np.zeros(size, HOST[dtype])
        padded[:count] = operand
        buffers.append(device.alloc(padded.nbytes))
        device.upload(buffers[-1], 0, padded)
    buffers.append(device.alloc(result.nbytes))
    device.launch(_kernel(device, name, dtype), size // block, GROUP, buffers, b"")
    device.download(buffers[-1], 0, result)
    return result[:count]


def _skip_without(device: Device, dtype: str) -> None:
    if dtype not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")


def join(re: Any, im: Any, dtype: str) -> HostArray:
    """Complex numbers of given parts, which ``re + 1j * im`` would not keep (zeros, infinities)."""
    z: HostArray = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), HOST[dtype])
    z.real, z.imag = re, im
    return z


def _eps(dtype: str) -> float:
    return float(np.finfo(HOST[dtype]).eps)


def _right(got: float, expected: Part, eps: float) -> bool:
    value, sure = expected
    if math.isnan(value):
        return math.isnan(got)
    if sure and math.copysign(1, got) != math.copysign(1, value):
        return False
    return abs(got) == abs(value) or abs(abs(got) - abs(value)) <= 2 * eps * abs(value) < math.inf


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*SPECIAL, *TURNED, *SCALED])
def test_special_cases_of_the_standard(twin: Device, name: str, dtype: str) -> None:
    _skip_without(twin, dtype)
    cases = list(_cases(name, dtype))
    with np.errstate(over="ignore"):
        got = apply(twin, name, dtype, join([c[0] for c in cases], [c[1] for c in cases], dtype))
    eps = _eps(dtype)
    wrong = [
        f"{name}({a}, {b}) is ({z.real}, {z.imag}), not ({re}, {im})"
        for (a, b, re, im), z in zip(cases, got, strict=True)
        if not (_right(float(z.real), re, eps) and _right(float(z.imag), im, eps))
    ]
    assert not wrong, "\n".join(wrong[:20])


_PARTS = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan)


def _grid(parts: tuple[float, ...], dtype: str) -> HostArray:
    return join(*np.meshgrid(parts, parts), dtype).ravel()


def _pairs(dtype: str) -> tuple[HostArray, HostArray]:
    grid = _grid(_PARTS, dtype)
    return np.repeat(grid, grid.size), np.tile(grid, grid.size)


@pytest.mark.parametrize("dtype", DTYPES)
def test_multiply_knows_infinities_as_annex_g(twin: Device, dtype: str) -> None:
    """G.5.1: infinity times infinity or a nonzero finite number is an infinity, times zero NaN."""
    _skip_without(twin, dtype)
    x, y = _pairs(dtype)
    got = apply(twin, "multiply", dtype, x, y)
    sizeable_x, sizeable_y = (np.isinf(z) | np.isfinite(z) & (z != 0) for z in (x, y))
    assert np.isinf(got[np.isinf(x) & sizeable_y | sizeable_x & np.isinf(y)]).all()
    lost = got[np.isinf(x) & (y == 0) | (x == 0) & np.isinf(y)]
    assert (np.isnan(lost.real) & np.isnan(lost.imag)).all()
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        plain = join(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real, dtype)
    np.testing.assert_array_equal(got[finite].view(np.uint8), plain[finite].view(np.uint8))
    nans = np.isnan(x.real) & np.isnan(x.imag) & np.isnan(y.real) & np.isnan(y.imag)
    assert (np.isnan(got.real) & np.isnan(got.imag))[nans].all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_divide_knows_infinities_as_annex_g(twin: Device, dtype: str) -> None:
    """G.5.1: infinity / finite and nonzero / zero are infinities, finite / infinity is a zero."""
    _skip_without(twin, dtype)
    x, y = _pairs(dtype)
    got = apply(twin, "divide", dtype, x, y)
    assert np.isinf(got[np.isinf(x) & np.isfinite(y)]).all()
    assert (got[np.isfinite(x) & np.isinf(y)] == 0).all()
    assert np.isinf(got[(x != 0) & ~np.isnan(x) & (y == 0)]).all()
    lost = (x == 0) & (y == 0) | np.isinf(x) & np.isinf(y) & ~np.isnan(x) & ~np.isnan(y)
    assert (np.isnan(got.real) & np.isnan(got.imag))[lost].all()
    nans = np.isnan(x.real) & np.isnan(x.imag) & np.isnan(y.real) & np.isnan(y.imag)
    assert (np.isnan(got.real) & np.isnan(got.imag))[nans].all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_and_predicates(twin: Device, dtype: str) -> None:
    _skip_without(twin, dtype)
    halves = (*_PARTS, 0.5, 1.5, -2.5, -0.25, 1e30)
    z = _grid(halves, dtype)
    for name, expected in {
        "real": z.real,
        "imag": z.imag,
        "positive": z,
        "negative": join(-z.real, -z.imag, dtype),
        "conj": join(z.real, -z.imag, dtype),
        "round": join(np.rint(z.real), np.rint(z.imag), dtype),
        "abs": np.hypot(z.real, z.imag),
        "isnan": np.isnan(z),
        "isinf": np.isinf(z),
        "isfinite": np.isfinite(z),
    }.items():
        got = apply(twin, name, dtype, z)
        if name == "abs":
            np.testing.assert_allclose(got, expected, rtol=2 * _eps(dtype), atol=0)
            continue
        np.testing.assert_array_equal(got, expected, err_msg=name)
        for part in ("real", "imag") if got.dtype.kind == "c" else ():
            one, other = getattr(got, part), getattr(expected, part)
            number = ~np.isnan(other)
            np.testing.assert_array_equal(np.signbit(one)[number], np.signbit(other)[number], name)
    x, y = _pairs(dtype)
    np.testing.assert_array_equal(apply(twin, "equal", dtype, x, y), x == y)
    np.testing.assert_array_equal(apply(twin, "not_equal", dtype, x, y), x != y)
    with np.errstate(all="ignore"):
        total = join(x.real + y.real, x.imag + y.imag, dtype)
        difference = join(x.real - y.real, x.imag - y.imag, dtype)
    np.testing.assert_array_equal(apply(twin, "add", dtype, x, y), total)
    np.testing.assert_array_equal(apply(twin, "subtract", dtype, x, y), difference)


CUTS = {
    "sqrt": [complex(-4, s) for s in (0.0, -0.0)],
    "log": [complex(-4, s) for s in (0.0, -0.0)],
    "acos": [complex(a, s) for a in (-2, -1, 0.5, 1, 2) for s in (0.0, -0.0)],
    "asin": [complex(a, s) for a in (-2, -1, 0.5, 1, 2) for s in (0.0, -0.0)],
    "acosh": [complex(a, s) for a in (-2, -1, 0.5, 1, 2) for s in (0.0, -0.0)],
    "asinh": [complex(s, b) for b in (-2, -1, 0.5, 1, 2) for s in (0.0, -0.0)],
    "atan": [complex(s, b) for b in (-2, 0.5, 2) for s in (0.0, -0.0)],
    "atanh": [complex(a, s) for a in (-2, 0.5, 2) for s in (0.0, -0.0)],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CUTS)
def test_branch_cuts_follow_the_sign_of_zero(twin: Device, name: str, dtype: str) -> None:
    """Each side of a cut, and the signs of zero parts, as C99 Annex G has them (cmath does)."""
    _skip_without(twin, dtype)
    got = apply(twin, name, dtype, np.array(CUTS[name]))
    for z, w in zip(CUTS[name], got.tolist(), strict=True):
        expected = getattr(cmath, name)(z)
        assert w == pytest.approx(expected, rel=4 * _eps(dtype), abs=0), z
        for one, other in ((w.real, expected.real), (w.imag, expected.imag)):
            assert math.copysign(1, one) == math.copysign(1, other), (z, w, expected)


def _powers(rng: np.random.Generator, count: int, low: float, high: float) -> HostArray:
    signs: HostArray = rng.choice([-1.0, 1.0], count)
    return signs * np.exp2(rng.uniform(low, high, count))


def _operands(dtype: str, count: int, seed: int, limit: float = math.inf) -> HostArray:
    """Around one, close to +-1 and +-j, over the whole range with parts far apart or alike."""
    rng = np.random.default_rng(seed)
    info = np.finfo(HOST[dtype])
    low, high = info.minexp - info.nmant + 3, info.maxexp - 0.01
    near = rng.choice([1, -1, 1j, -1j, 0.6 + 0.8j], count)
    tiny = np.exp2(rng.uniform(-info.nmant, -1, count))
    shared = rng.uniform(low, high - 2, count)
    groups = [
        rng.normal(size=count) + 1j * rng.normal(size=count),
        _powers(rng, count, -12, 12) + 1j * _powers(rng, count, -12, 12),
        near + tiny * rng.normal(size=count) + 1j * tiny * rng.normal(size=count),
        _powers(rng, count, low, high) + 1j * _powers(rng, count, low, high),
        np.exp2(shared) * (_powers(rng, count, -1, 1) + 1j * _powers(rng, count, -1, 1)),
    ]
    z: HostArray = np.concatenate(groups).astype(HOST[dtype])
    inside: HostArray = z[(np.abs(z.real) <= limit) & (np.abs(z.imag) <= limit)]
    return inside


def _atanh(z: Any) -> Any:
    """The inverse hyperbolic tangent; mpmath's own loses all digits of small parts."""
    return (mpmath.log1p(z) - mpmath.log1p(-z)) / 2


_SAME = (
    *("sqrt", "exp", "expm1", "log", "log1p", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("asin", "acos", "asinh", "acosh", "sign"),
)
EXACT: dict[str, Callable[..., Any]] = {
    **{name: getattr(mpmath, name) for name in _SAME},
    "abs": mpmath.fabs,
    "atan": lambda z: -1j * _atanh(1j * z),
    "atanh": _atanh,
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "reciprocal": lambda z: 1 / z,
    "square": lambda z: z * z,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
}

# Beyond these the result overflows anyway, or (tangents) is 1.
LIMITS = dict.fromkeys(["exp", "expm1", "sinh", "cosh", "tanh", "sin", "cos", "tan"], 1500.0)
ULPS = 4.0


@cache
def _sample(name: str, dtype: str, count: int = 150) -> tuple[tuple[HostArray, ...], list[Any]]:
    """Operands, and their exact results."""
    operands = [_operands(dtype, count, 1, LIMITS.get(name, math.inf))]
    if name in BINARY:
        operands = [operands[0], np.random.default_rng(2).permutation(_operands(dtype, count, 3))]
    if name == "pow":
        operands = [z[np.abs(np.log2(np.abs(z.astype(np.clongdouble)))) < 12] for z in operands]
        size = min(z.size for z in operands)
        operands = [z[:size] for z in operands]
    # mpmath 1.3 adds 1 and the square of an operand, 2^-2148 at least, before it takes the inverse of a sine.
    with mpmath.workprec(2300 if name in ("acos", "acosh", "asin", "asinh") else 400):
        rows = [[mpmath.mpc(z.real, z.imag) for z in array.tolist()] for array in operands]
        exact = [mpmath.mpc(EXACT[name](*row)) for row in zip(*rows, strict=True)]
    return tuple(operands), exact


def _error(got: complex, exact: Any, dtype: str) -> float:
    """|got - exact| in units of eps |exact|, or of the last digit of subnormal numbers."""
    info = np.finfo(HOST[dtype])
    parts = []
    for part, true in ((got.real, exact.real), (got.imag, exact.imag)):
        beyond = abs(true) > float(info.max) * (1 - ULPS * _eps(dtype)) and part * true > 0
        parts.append(true if math.isinf(part) and beyond else part)
    if not all(mpmath.isfinite(part) for part in parts):
        return math.inf
    size = max(abs(exact), float(info.smallest_normal))
    return float(abs(mpmath.mpc(*parts) - exact) / size / _eps(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_error_beside_the_size_of_the_result(twin: Device, name: str, dtype: str) -> None:
    """At most `ULPS` eps |result|, over the whole range; a power x**y gets 2 |y log(x)| more."""
    _skip_without(twin, dtype)
    operands, exact = _sample(name, dtype)
    got = apply(twin, name, dtype, *operands)
    pairs = zip(got.tolist(), exact, strict=True)
    with mpmath.workprec(400):
        errors = np.array([_error(complex(z), w, dtype) for z, w in pairs])
    room = np.full(errors.shape, ULPS)
    if name in ("multiply", "square"):
        # The textbook formula overflows where a product of two parts does; the standard wants it.
        errors[~np.isfinite(got)] = 0.0
    if name == "pow":
        x, y = (z.astype(np.clongdouble) for z in operands)
        room += 2 * np.abs(y * np.log(x)).astype(float)
    worst = int(np.argmax(errors - room))
    operand = ", ".join(str(z[worst]) for z in operands)
    assert errors[worst] <= room[worst], (
        f"{name}({operand}) is {got[worst]}, not {mpmath.nstr(exact[worst], 20)}: "
        f"{errors[worst]:.3g} eps; {int((errors > room).sum())} of {errors.size} are beyond"
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_powers_are_products(twin: Device, dtype: str) -> None:
    _skip_without(twin, dtype)
    more: HostArray = np.array([0, complex(math.nan, 1)], HOST[dtype])
    z = np.concatenate([_operands(dtype, 50, 5), more])
    for exponent, expected in ((0, np.ones_like(z)), (1, z), (2, apply(twin, "square", dtype, z))):
        got = apply(twin, "pow", dtype, z, np.full(z.size, exponent, HOST[dtype]))
        np.testing.assert_array_equal(got, expected)
