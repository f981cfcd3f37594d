"""All single computations that are measured, in groups. Whole programs are in `bench.programs`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from bench.case import Case, Compute
from bench.products import FACTORISATION_CASES, PRODUCT_CASES
from bench.shapes import SHAPES


def expression(xp: Any, x: Any, y: Any) -> Any:
    """Eleven operations that want to be one kernel."""
    d = x - y
    return xp.sqrt(d * d + 1) * xp.exp(-x) + xp.where(x > y, 2 * x, y / 2)


def _softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def _standardise(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True)


def _torch_softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.amax(x, 1, keepdim=True))
    return e / xp.sum(e, 1, keepdim=True)


def _torch_standardise(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, 1, keepdim=True)) / xp.std(x, 1, correction=0, keepdim=True)


def _torch_var(axis: int | None) -> Mapping[str, Compute]:
    return {"torch": lambda xp, x: xp.var(x, axis, correction=0)}


def _launched(xp: Any, x: Any, y: Any) -> Any:
    """Launch the sum without waiting for it; other libraries than ours launch anyway."""
    z = x + y
    if hasattr(xp, "compute"):
        xp.compute(z)
    return z


def _by_kernel(body: str) -> Compute:
    """A user's kernel z of x and y, where the library takes one: in ours, CuPy's and PyTorch's words."""

    @cache
    def made(xp: Any) -> Any:
        if hasattr(xp, "ElementwiseKernel"):
            return xp.ElementwiseKernel("float32 x, float32 y", "float32 z", f"z = {body}", "users")
        text = f"template <typename T> T users(T x, T y) {{ return {body}; }}"
        return xp.cuda.jiterator._create_jit_fn(text) if hasattr(xp, "cuda") else None

    return lambda xp, x, y: made(xp)(x, y)


def _filled(xp: Any, x: Any) -> Any:
    """Memory that is written and not read: how fast that is."""
    z = xp.empty_like(x)
    z[...] = 2.5
    return z


def _written(xp: Any, x: Any) -> Any:
    """Some elements of a small array, all with one value."""
    x[100:600] = 1


def _draw(name: str) -> Compute:
    """A method of a generator: as many float32 samples as x has elements."""

    return lambda xp, x: getattr(_generator(xp), name)(size=x.shape, dtype=xp.float32)


def _drawn(torch: Compute, jax: str) -> Mapping[str, Compute]:
    """The same of libraries with other words."""

    def by_jax(xp: Any, x: Any) -> Any:
        random = importlib.import_module("jax.random")
        return getattr(random, jax)(random.key(1), x.shape, xp.float32)

    return {"torch": torch, "jax": by_jax}


@cache
def _generator(xp: Any) -> Any:
    """A generator over Philox, of which CuPy has that of 32 bits."""
    philox = xp.random.Philox if hasattr(xp.random, "Philox") else xp.random.Philox4x3210
    return xp.random.Generator(philox(1))


_UNIFORM = _drawn(lambda xp, x: xp.rand_like(x), "uniform")
_DRAWN = {
    "random": _UNIFORM,
    # NumPy's `uniform` has no dtype, and CuPy's is of float64.
    "uniform": {"numpy": _draw("random"), "cupy": _draw("random"), **_UNIFORM},
    "standard_normal": _drawn(lambda xp, x: xp.randn_like(x), "normal"),
    "standard_exponential": _drawn(lambda xp, x: xp.empty_like(x).exponential_(), "exponential"),
}
# Where libraries have special functions, if not as `special` in their namespace.
_SPECIAL_MODULES = {"numpy": "scipy.special", "cupy": "cupyx.scipy.special", "jax.numpy": "jax.scipy.special"}


def _special(name: str) -> Compute:
    """A special function by its name in SciPy."""

    def compute(xp: Any, *operands: Any) -> Any:
        module = _SPECIAL_MODULES.get(getattr(xp, "__name__", ""))
        return getattr(importlib.import_module(module) if module else xp.special, name)(*operands)

    return compute


def _in_rows(transform: str, n: int) -> Compute:
    """A transform of rows of n elements."""

    def compute(xp: Any, x: Any) -> Any:
        rows = x.shape[0] // n
        return getattr(xp.fft, transform)(x[: rows * n].reshape(rows, n))

    return compute


def _in_a_cube(xp: Any, x: Any) -> Any:
    """A transform along three axes as equal as can be, of a power of two of elements."""
    bits = x.shape[0].bit_length() - 1
    return xp.fft.fftn(x.reshape(1 << bits // 3, 1 << (bits + 1) // 3, -1))


_TORCH_SOFTMAX = {"torch": _torch_softmax}
_COPY = {"torch": lambda xp, x: x.T.contiguous(), "cupy": lambda xp, x: xp.ascontiguousarray(x.T)}
_CUMSUM = {"torch": lambda xp, x: xp.cumsum(x, 0), "cupy": lambda xp, x: xp.cumsum(x)}
_UNIQUE = {"torch": lambda xp, k: xp.unique(k), "cupy": lambda xp, k: xp.unique(k)}
_USERS = "sqrtf((x - y) * (x - y) + 1.0f) * expf(-x) + (x > y ? 2.0f * x : y / 2.0f)"
_EXPRESSION = "sqrt((x - y) * (x - y) + 1) * exp(-x) + where(x > y, 2 * x, y / 2)"

_MATRICES: dict[str, Compute] = {
    "solve": lambda xp, x: xp.linalg.solve(x, x[..., :1]),
    "inv": lambda xp, x: xp.linalg.inv(x),
    "det": lambda xp, x: xp.linalg.det(x),
    "cholesky": lambda xp, x: xp.linalg.cholesky(x),
    "qr": lambda xp, x: xp.linalg.qr(x)[0],
    "eigh": lambda xp, x: xp.linalg.eigh(x)[1],
    "eigvalsh": lambda xp, x: xp.linalg.eigvalsh(x),
    "svd": lambda xp, x: xp.linalg.svd(x)[0],
    "svdvals": lambda xp, x: xp.linalg.svdvals(x),
}
_VALUES: Mapping[str, Compute] = {"cupy": lambda xp, x: xp.linalg.svd(x, compute_uv=False)}

GROUPS: dict[str, tuple[Case, ...]] = {
    "elementwise": (
        Case("x + y", lambda xp, x, y: x + y, "xy", 12, 4300, swept=True, numexpr="x + y"),
        Case("x + y, float16", lambda xp, x, y: x + y, "uv", 6),
        Case("exp(x)", lambda xp, x: xp.exp(x), "x", 8, 4200, swept=True, numexpr="exp(x)"),
        Case("exp(x), float16", lambda xp, x: xp.exp(x), "u", 4),
        Case("exp(sin(x))", lambda xp, x: xp.exp(xp.sin(x)), "x", 8, many=True, numexpr="exp(sin(x))"),
        Case("x ** x", lambda xp, x: x**x, "x", 8, numexpr="x ** x"),
        Case("x[::2] + y[::2]", lambda xp, x, y: x[::2] + y[::2], "xy", 10, 4100),
        Case("X + X[0]", lambda xp, x: x + x[0], "X", 8, 4200),
        # A copy may keep the order of the axes; reshaping may not.
        Case("copy of X.T", lambda xp, x: xp.reshape(x.T, (-1,)), "X", 8, 3600, instead=_COPY),
        Case("X + X.T", lambda xp, x: x + x.T, "X", 8, 2900),
        Case("expression", expression, "xy", 12, 4200, 26, swept=True, many=True, numexpr=_EXPRESSION),
        Case("x + y, a user's kernel", _by_kernel("x + y"), "xy", 12),
        Case("expression, a user's kernel", _by_kernel(_USERS), "xy", 12, size=26),
    ),
    "reductions": (
        Case("sum(x)", lambda xp, x: xp.sum(x), "x", 4, 4400, swept=True, numexpr="sum(x)"),
        Case("sum(X, axis=0)", lambda xp, x: xp.sum(x, axis=0), "X", 4, 4300),
        Case("sum(X, axis=1)", lambda xp, x: xp.sum(x, axis=1), "X", 4, 4500),
        Case("sum(X3, axis=1)", lambda xp, x: xp.sum(x, axis=1), "Z", 4, 4350),
        Case("sum(x * x + 1)", lambda xp, x: xp.sum(x * x + 1), "x", 4, many=True, numexpr="sum(x * x + 1)"),
        Case("argmax(x)", lambda xp, x: xp.argmax(x), "x", 4, 4300),
        Case("mean(x)", lambda xp, x: xp.mean(x), "x", 4),
        Case("var(x)", lambda xp, x: xp.var(x), "x", 4, many=True, instead=_torch_var(None)),
        Case("var(X, axis=0)", lambda xp, x: xp.var(x, axis=0), "X", 4, many=True, instead=_torch_var(0)),
        Case("var(X, axis=1)", lambda xp, x: xp.var(x, axis=1), "X", 4, many=True, instead=_torch_var(1)),
        Case("softmax of rows", _softmax, "X", 8, many=True, instead=_TORCH_SOFTMAX),
        Case("softmax of rows, half masked", _softmax, "L", 8, many=True, instead=_TORCH_SOFTMAX),
        Case("softmax of rows, float16", _softmax, "U", 4, many=True, instead=_TORCH_SOFTMAX),
        Case("standardised rows", _standardise, "X", 8, many=True, instead={"torch": _torch_standardise}),
        Case("cumulative_sum(x)", lambda xp, x: xp.cumulative_sum(x), "x", 8, 3800, swept=True, instead=_CUMSUM),
    ),
    "selection": (
        Case("sort", lambda xp, x: xp.sort(x), "x", 0, 1.8, 26),
        Case("argsort", lambda xp, x: xp.argsort(x), "x", 0, 3.0, 26),
        Case("unique values of int32", lambda xp, k: xp.unique_values(k), "k", 0, 1.3, 26, instead=_UNIQUE),
        Case("x[index], random int64", lambda xp, x, i: xp.take(x, i), "xi", 0, 1.7, 26),
        Case("x[mask], half true", lambda xp, x, m: x[m], "xm", 0, 0.30, 26),
    ),
    "random": (
        Case("constant float32", _filled, "x", 4, instead={"jax": lambda xp, x: xp.full(x.shape, 2.5, xp.float32)}),
        *(
            Case(title, _draw(name), "x", 4, reach, instead=_DRAWN[name])
            for title, name, reach in (
                ("uniform float32, NumPy's", "random", None),
                ("uniform float32", "uniform", 4300),
                ("normal float32", "standard_normal", 3800),
                ("exponential float32", "standard_exponential", 3800),
            )
        ),
    ),
    "special": (
        *(Case(f"{name}(x)", _special(name), "x", 8) for name in ("erf", "gammaln", "ndtri")),
        *(Case(f"{name}(x, y)", _special(name), "xy", 12) for name in ("gammainc", "stdtr", "gammaincinv")),
    ),
    "libraries": (
        Case("matrix product, float32", lambda xp, a: a @ a, "X", reach=51, size=26, flops=2),
        Case("matrix product, float64", lambda xp, a: a @ a, "D", reach=58, size=26, flops=2),
        Case("matrix product, float16", lambda xp, a: a @ a, "U", reach=794, size=26, flops=2),
        Case("abs(A @ A + row), float32", lambda xp, a: xp.abs(a @ a + a[0]), "X", size=26, flops=2),
        Case("abs(A @ row + 1), float32", lambda xp, a: xp.abs(a @ a[0] + 1), "X", 4, size=26),
        Case("fft, complex64", lambda xp, c: xp.fft.fft(c), "c", 0, 1.01, 26),
    ),
    "transforms": (
        Case("fft, 16 a row", _in_rows("fft", 16), "c", size=24),
        Case("fft, 256 a row", _in_rows("fft", 256), "c", size=24),
        Case("fft, 1,000 a row", _in_rows("fft", 1000), "c", size=24),
        Case("fft, 1,000 a row, complex128", _in_rows("fft", 1000), "C", size=24),
        Case("fft, 1,009 a row", _in_rows("fft", 1009), "c", size=24),
        Case("fft, 16,384 a row", _in_rows("fft", 1 << 14), "c", size=24),
        Case("fft, one row", lambda xp, x: xp.fft.fft(x), "c", size=24),
        Case("fft, one row, 3 elements less", lambda xp, x: xp.fft.fft(x[:-3]), "c", size=24),
        Case("fftn, a square", lambda xp, x: xp.fft.fftn(x), "T", size=24),
        Case("fftn, a cube", _in_a_cube, "c", size=24),
        Case("rfft, 1,000 a row", _in_rows("rfft", 1000), "x", size=24),
        Case("rfftn, a square", lambda xp, x: xp.fft.rfftn(x), "X", size=24),
        Case("irfftn, a square", lambda xp, x: xp.fft.irfftn(x), "T", size=24),
    ),
    "small": (
        Case("expression, 1,000 elements", expression, "st", reach=30, small=True, many=True),
        Case("x + y, 1,000 elements", lambda xp, x, y: x + y, "st", reach=10, small=True),
        Case("sum(x), 1,000 elements", lambda xp, x: xp.sum(x), "s", reach=9, small=True),
        *(
            Case(f"{name}, small", compute, takes, small=True, instead=instead)
            for name, compute, takes, instead in (
                ("exp(x)", lambda xp, x: xp.exp(x), "s", {}),
                ("var(x)", lambda xp, x: xp.var(x), "s", _torch_var(None)),
                ("x[mask]", lambda xp, x, m: x[m], "sB", {}),
                ("x[index]", lambda xp, x, i: x[i], "sj", {}),
                ("sort", lambda xp, x: xp.sort(x), "s", {}),
                ("concat of two", lambda xp, x, y: xp.concat((x, y)), "st", {}),
                ("stack of two", lambda xp, x, y: xp.stack((x, y)), "st", {}),
                ("product of 30 x 30", lambda xp, a: a @ a, "A", {}),
                ("fft", lambda xp, x: xp.fft.fft(x), "s", {}),
            )
        ),
        Case("float(sum(x)), small", lambda xp, x: float(xp.sum(x)), "s", small=True, waits=False),
        Case("x[100:600] = 1, small", _written, "w", small=True, waits=False),
        Case("x[10:500]", lambda xp, x: x[10:500], "s", reach=1.4, small=True),
        Case("building one node", lambda xp, x, y: x + y, "st", reach=1, small=True, waits=False),
        Case("x + y, launched", _launched, "st", reach=10, small=True, waits=False),
    ),
    "matrices": tuple(
        Case(f"{name}, {n} x {n}", compute, takes, size=20, instead=_VALUES if name == "svdvals" else {})
        for n, takes in ((8, "O"), (16, "Q"), (32, "P"), (64, "R"))
        for name, compute in _MATRICES.items()
    )
    + tuple(
        Case(f"{name}, 16 x 16, complex128", compute, "V", size=20, instead=_VALUES if name == "svdvals" else {})
        for name, compute in _MATRICES.items()
    ),
    "products": PRODUCT_CASES,
    "factorisations": FACTORISATION_CASES,
    "shapes": SHAPES,
}
