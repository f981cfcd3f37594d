"""Random calls of NumPy's ufuncs, functions and methods, with options that few programs use.

A call is made from a seed. Its array operands are `Operand`, which `doors.py` replaces by arrays of either library.
Values are small integers in every dtype, so sums and products are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .row import HostArray

DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64", "complex128")


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


SHAPES: tuple[tuple[int, ...], ...] = ((4,), (3,), (2, 3), (3, 3), (2, 1, 3), (1, 4), (0, 3), ())


@dataclass(eq=False)
class Operand:
    """An array operand; ``target``: NumPy writes into it, so it is no list."""

    values: HostArray
    target: bool = False


@dataclass
class Call:
    """``module.name(*args, **options)``, or the method ``name`` of the first argument, where ``kind`` is "method"."""

    kind: str
    name: str
    args: list[Any]
    options: dict[str, Any] = field(default_factory=dict)
    undefined: str = ""  # why NumPy leaves values of the result undefined


class Draw:
    """Random operands and options."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def one(self, choices: Any) -> Any:
        """One of the choices."""
        return choices[int(self.rng.integers(len(choices)))]

    def often(self, probability: float) -> bool:
        """Whether an event of this probability happens."""
        return bool(self.rng.random() < probability)

    def options(self, **choices: Any) -> dict[str, Any]:
        """Some of the options, each with one of its values."""
        return {name: self.one(values) for name, values in choices.items() if self.often(0.35)}

    def values(self, shape: tuple[int, ...], dtype: str | None = None) -> HostArray:
        """An array of small integers, with NaN among some floats, in a random memory layout."""
        kind = np.dtype(dtype or self.one(DTYPES))
        low = 0 if kind.kind in "bu" else -4
        found = np.asarray(self.rng.integers(low, 5, shape)).astype(kind)
        if kind.kind == "c":
            found = np.asarray(found + 1j * self.rng.integers(-2, 3, shape)).astype(kind)
        if kind.kind == "f" and found.size and self.often(0.15):
            found[np.unravel_index(int(self.rng.integers(found.size)), shape)] = np.nan
        return found

    def array(self, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> Operand:
        """An operand to read."""
        return Operand(self.values(self.one(SHAPES) if shape is None else shape, dtype))

    def real(self, shape: tuple[int, ...] | None = None) -> Operand:
        """An operand of a dtype that has an order."""
        return self.array(shape, self.one(DTYPES[1:-1]))

    def target(self, shape: tuple[int, ...], dtype: str | None = None) -> Operand:
        """An operand into which NumPy writes."""
        return Operand(self.values(shape, dtype), target=True)

    def mask(self, shape: tuple[int, ...]) -> Operand:
        """Booleans, of this shape or of one that broadcasts to it."""
        return self.array(shape if self.often(0.7) else shape[1:], "bool")

    def indices(self, n: int, shape: tuple[int, ...] = (3,), low: int | None = None) -> Operand:
        """Positions on an axis of extent ``n``; a few of them are outside."""
        ends = (-n if low is None else low, max(n, 1) + self.often(0.1))
        return Operand(np.asarray(self.rng.integers(*ends, shape)).astype(self.one(("int64", "int32", "uint8"))))

    def axis(self, ndim: int) -> Any:
        """One axis, several, or None; seldom one that the array lacks."""
        if self.often(0.3) or ndim == 0:
            return None
        if self.often(0.3) and ndim > 1:
            return tuple(int(a) for a in self.rng.permutation(ndim)[:2])
        return int(self.rng.integers(-ndim, ndim)) if self.often(0.95) else ndim

    def a_dtype(self) -> Any:
        """A dtype in one of its spellings."""
        name = self.one(DTYPES)
        return self.one((name, np.dtype(name), np.dtype(name).type))


def broadcast(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with this one."""
    if draw.often(0.5):
        return shape
    return tuple(n if draw.often(0.6) else 1 for n in shape)[int(draw.rng.integers(len(shape) + 1)) :]


# --- ufuncs


UFUNCS = words(
    "absolute add bitwise_and bitwise_or bitwise_xor cbrt ceil conjugate copysign cos deg2rad divide divmod equal "
    "exp exp2 expm1 fabs floor floor_divide fmax fmin fmod frexp gcd greater greater_equal heaviside hypot invert "
    "isfinite isinf isnan lcm ldexp left_shift less less_equal log1p logaddexp logical_and logical_not logical_or "
    "logical_xor maximum minimum modf multiply negative nextafter not_equal positive power rad2deg reciprocal "
    "remainder right_shift rint sign signbit sin sqrt square subtract tanh true_divide trunc matmul vecdot "
    "arctan2 bitwise_count"
)
REDUCING = words("add multiply maximum minimum logical_and logical_or bitwise_and bitwise_or bitwise_xor fmax hypot")


def ufunc(draw: Draw) -> Call:
    """A ufunc on arrays and numbers, with out, where, dtype, casting and order."""
    name = draw.one(UFUNCS)
    function = getattr(np, name)
    shape = draw.one(SHAPES)
    args: list[Any] = [draw.array(broadcast(draw, shape)) for _ in range(function.nin)]
    if function.nin == 2 and draw.often(0.2):
        args[draw.one((0, 1))] = draw.one((2, 1.5, True, np.float32(2), np.int8(3), 0))
    if not any(isinstance(x, Operand) for x in args):
        args[0] = draw.array(shape)
    plain = function.signature is None
    options = draw.options(casting=("same_kind", "unsafe", "safe"), order=("C", "F", "K", "A"))
    if draw.often(0.2):
        options["dtype"] = draw.a_dtype()
    undefined = ""
    if plain and draw.often(0.25):
        options["where"] = draw.mask(shape)
        undefined = "where"
    if draw.often(0.4):
        outs = [draw.target(shape) for _ in range(function.nout)]
        undefined = ""
        if draw.often(0.3):
            args.extend(outs)
        else:
            options["out"] = outs[0] if function.nout == 1 and draw.often(0.5) else tuple(outs)
    return Call("ufunc", name, args, options, undefined)


def method_of_ufunc(draw: Draw) -> Call:
    """reduce, accumulate, outer, at and reduceat."""
    name, method = draw.one(REDUCING), draw.one(("reduce", "accumulate", "outer", "at", "reduceat"))
    x = draw.array(draw.one(SHAPES[:-1]))
    options: dict[str, Any] = {}
    if method == "outer":
        if draw.often(0.3):
            options["dtype"] = draw.a_dtype()
        return Call("ufunc", f"{name}.{method}", [x, draw.array(draw.one(SHAPES[:3]))], options)
    if method == "at":
        y = draw.target(x.values.shape)
        indices = draw.indices(y.values.shape[0])
        added = draw.one((1, draw.array((*indices.values.shape, *y.values.shape[1:])), 2.5))
        return Call("ufunc", f"{name}.{method}", [y, indices, added])
    args: list[Any] = [x]
    if method == "reduceat":
        args.append(draw.indices(x.values.shape[0], low=0))
    ndim = x.values.ndim
    axis = draw.axis(ndim) if method == "reduce" else int(draw.rng.integers(-ndim, ndim))
    if draw.often(0.6):
        options["axis"] = axis
    if draw.often(0.25):
        options["dtype"] = draw.a_dtype()
    if method == "reduce":
        options |= draw.options(keepdims=(True, False), initial=(0, 1, 2.5))
        if draw.often(0.2):
            options["where"] = draw.mask(x.values.shape)
    return with_out(draw, Call("ufunc", f"{name}.{method}", args, options))


def with_out(draw: Draw, call: Call, probability: float = 0.3) -> Call:
    """The call with an ``out`` of the shape that NumPy's result has, mostly of its dtype."""
    if not draw.often(probability):
        return call
    try:
        with np.errstate(all="ignore"):
            result = called(call, lambda operand: operand.values.copy())
    except Exception:  # NumPy refuses the call with and without it
        return call
    if isinstance(result, (np.ndarray, np.generic)):
        dtype = result.dtype if draw.often(0.7) else np.dtype(draw.one(DTYPES))
        out = Operand(np.asarray(np.zeros(np.shape(result), dtype)), target=True)
        if call.kind == "ufunc" and draw.often(0.3):
            call.options["out"] = (out,)
        else:
            call.options["out"] = out
    return call


# --- functions and methods


def _reduction(draw: Draw) -> Call:
    name = draw.one(
        words(
            "sum prod max min mean std var any all argmax argmin count_nonzero median ptp nansum nanprod nanmax "
            "nanmin nanmean nanstd nanvar nanargmax nanmedian quantile percentile average cumsum cumprod nancumsum "
            "amax cumulative_sum"
        )
    )
    x = draw.array() if name in ("sum", "prod", "mean", "any", "all", "cumsum") else draw.real()
    shape, args, options = x.values.shape, [x], {}
    if name in ("quantile", "percentile"):
        args.append(draw.one((0.5, [0.0, 0.5], Operand(np.array([0.25, 1.0])))))
        options = draw.options(method=("linear", "lower", "nearest"))
    if draw.often(0.7):
        axis = draw.axis(len(shape))
        options["axis"] = axis[0] if isinstance(axis, tuple) and name in SINGLE_AXIS else axis
    if name not in ("average", "cumsum", "cumprod", "nancumsum", "cumulative_sum"):
        options |= draw.options(keepdims=(True, False))
    if name in ("sum", "prod", "mean", "std", "var", "nansum", "cumsum", "cumprod") and draw.often(0.25):
        options["dtype"] = draw.a_dtype()
    if name in ("std", "var", "nanstd"):
        options |= draw.options(ddof=(0, 1))
    if name in ("sum", "prod", "max", "min", "amax", "nansum"):
        options |= draw.options(initial=(0, 3, -2.5))
    if name in ("sum", "prod", "max", "min", "mean", "std", "var", "any", "all") and draw.often(0.2):
        options["where"] = draw.mask(shape)
    if name == "average":
        options |= draw.options(weights=(Operand(np.arange(1.0, x.values.size + 1).reshape(shape)),), returned=(True,))
    if name in ("median", "nanmedian", "quantile", "percentile"):
        options |= draw.options(overwrite_input=(False,))
    return Call("function", name, args, options)


SINGLE_AXIS = ("argmax", "argmin", "nanargmax", "cumsum", "cumprod", "nancumsum", "cumulative_sum")
ANY_OUT = ("count_nonzero", "average", "trapezoid")


def _shaping(draw: Draw) -> Call:
    x = draw.array()
    shape, ndim, size = x.values.shape, x.values.ndim, x.values.size
    axis = int(draw.rng.integers(-ndim, ndim)) if ndim else 0
    name = draw.one(
        words(
            "reshape ravel transpose moveaxis rollaxis swapaxes squeeze expand_dims tile repeat roll flip rot90 "
            "broadcast_to atleast_1d atleast_2d atleast_3d delete insert append resize pad copy split array_split "
            "hsplit fliplr flipud matrix_transpose unstack astype"
        )
    )
    rest: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "reshape": ([draw.one((-1, (size,), (-1, 1), (1, size), (2, -1), (7,)))], draw.options(order="CFA")),
        "ravel": ([], draw.options(order="CFKA")),
        "transpose": (draw.one(([], [None], [tuple(reversed(range(ndim)))])), {}),
        "moveaxis": ([axis, draw.one((0, -1))], {}),
        "rollaxis": ([axis], draw.options(start=(0, ndim))),
        "swapaxes": ([axis, draw.one((0, -1))], {}),
        "squeeze": ([], draw.options(axis=(0, 1, (0,), None))),
        "expand_dims": ([draw.one((0, -1, (0, 2), (0, -1)))], {}),
        "tile": ([draw.one((2, (2, 1), (1, 2, 1)))], {}),
        "repeat": ([draw.one((2, 0, np.int64(2), [1], draw.indices(3, (size,), low=0)))],
                   draw.options(axis=(axis, None))),
        "roll": ([draw.one((1, -2, (1, 1)))], draw.options(axis=(axis, None, (0, 0)))),
        "flip": ([], draw.options(axis=(axis, None, (0,)))),
        "rot90": ([], draw.options(k=(1, 2, -1), axes=((0, 1), (1, 0)))),
        "broadcast_to": ([draw.one((shape, (2, *shape), (5,)))], {}),
        "delete": ([draw.one((0, [0], slice(0, 2), -1))], draw.options(axis=(axis, None))),
        "insert": ([draw.one((0, [0, 1], -1)), draw.one((7, 1.5, draw.array((1,))))], draw.options(axis=(axis, None))),
        "append": ([draw.one((draw.array(shape), 5, [1, 2]))], draw.options(axis=(axis, None))),
        "resize": ([draw.one((3, (2, 2), (2, 0)))], {}),
        "pad": ([draw.one((1, (1, 2), ((0, 1),)))],
                draw.options(mode=("constant", "edge", "reflect", "wrap", "symmetric"))),
        "copy": ([], draw.options(order="CFKA")),
        "split": ([draw.one((1, 2, [1]))], draw.options(axis=(axis,))),
        "array_split": ([draw.one((1, 2, [1, 2]))], draw.options(axis=(axis,))),
        "hsplit": ([draw.one((1, 2, [1]))], {}),
        "unstack": ([], draw.options(axis=(axis,))),
        "astype": ([np.dtype(draw.one(DTYPES))], draw.options(copy=(True, False))),
    }  # fmt: skip
    args, options = rest.get(name, ([], {}))
    return Call("function", name, [x, *args], options)


def _joining(draw: Draw) -> Call:
    name = draw.one(words("concatenate stack hstack vstack dstack column_stack block broadcast_arrays meshgrid"))
    shape = draw.one(SHAPES[:-1])
    parts = [draw.array(shape) for _ in range(int(draw.rng.integers(1, 4)))]
    options: dict[str, Any] = {}
    if name in ("concatenate", "stack"):
        options = draw.options(axis=(0, -1, *([None] if name == "concatenate" else [])))
    if name in ("concatenate", "stack", "hstack", "vstack") and draw.often(0.3):
        options |= {"dtype": draw.a_dtype(), "casting": draw.one(("same_kind", "unsafe"))}
    if name == "meshgrid":
        parts = [draw.array((n,)) for n in (2, 3)]
        options = draw.options(indexing=("ij", "xy"), sparse=(True, False))
    several = name in ("broadcast_arrays", "meshgrid")
    return Call("function", name, parts if several else [draw.one((list, tuple))(parts)], options)


def _selecting(draw: Draw) -> Call:
    x = draw.array(draw.one(SHAPES[:-2]))
    shape, ndim = x.values.shape, x.values.ndim
    axis = int(draw.rng.integers(-ndim, ndim))
    n = shape[axis]
    name = draw.one(
        words(
            "take take_along_axis choose compress extract select where nonzero argwhere flatnonzero diag diagonal "
            "tril triu clip round nan_to_num real imag angle conj sort argsort partition argpartition unique isin "
            "union1d intersect1d setdiff1d searchsorted digitize bincount histogram interp lexsort"
        )
    )
    if name in ("partition", "argpartition", "searchsorted", "digitize", "histogram", "interp", "sort", "clip"):
        x = draw.real(shape)
    ordered = Operand(np.sort(draw.values((4,), "float64")))
    line = draw.real((3,))
    along = draw.indices(n, tuple(2 if k == axis % ndim else m for k, m in enumerate(shape)))
    rest: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "take": ([draw.one((draw.indices(n, draw.one(((3,), (2, 2), ()))), 0, [0, -1]))],
                 draw.options(axis=(axis, None), mode=("raise", "wrap", "clip"))),
        "take_along_axis": ([along, axis], {}),
        "select": ([[draw.mask(shape), draw.mask(shape)], [x, draw.array(shape)]], draw.options(default=(0, 7.5))),
        "where": (draw.one(([draw.array(shape), draw.array(shape)], [0, x], [])), {}),
        "diag": ([], draw.options(k=(0, 1, -1))),
        "diagonal": ([], draw.options(offset=(0, 1, -1), axis1=(0, 1), axis2=(1, -1))),
        "tril": ([], draw.options(k=(0, 1, -1))),
        "triu": ([], draw.options(k=(0, 1, -1))),
        "clip": ([draw.one((0, None, draw.real(shape[1:]))), draw.one((2, None, draw.real(shape)))],
                 draw.options(casting=("unsafe",))),
        "round": ([], draw.options(decimals=(0, 1, -1))),
        "nan_to_num": ([], draw.options(nan=(1.0,), copy=(True, False), posinf=(3.0,))),
        "angle": ([], draw.options(deg=(True, False))),
        "sort": ([], draw.options(axis=(axis, None, -1), kind=("stable", "quicksort", None))),
        "argsort": ([], draw.options(axis=(axis, None, -1)) | draw.one(({"stable": True}, {"kind": "stable"}))),
        "partition": ([draw.one((0, -1, [0, 1]))], draw.options(axis=(axis, None))),
        "argpartition": ([draw.one((0, -1))], draw.options(axis=(axis, None))),
        "unique": ([],
                   draw.options(return_index=(True,), return_inverse=(True,), return_counts=(True,), axis=(None, 0))),
        "isin": ([draw.one((draw.array((3,)), [1, 2], 0))], draw.options(invert=(True,), assume_unique=(False,))),
        "union1d": ([draw.array((3,))], {}),
        "intersect1d": ([draw.array((3,))], draw.options(return_indices=(True,))),
        "setdiff1d": ([draw.array((3,))], {}),
    }  # fmt: skip
    first: dict[str, list[Any]] = {
        "choose": [draw.indices(2, shape, low=0), [x, draw.array(shape)]],
        "compress": [draw.one((draw.mask((n,)), [True, False, True])), x],
        "extract": [draw.array(shape, "bool"), x],
        "select": [],
        "where": [draw.array(shape, "bool")],
        "searchsorted": [ordered, draw.one((x, line, 2, 1.5))],
        "digitize": [x, ordered],
        "bincount": [draw.indices(5, (6,), low=0)],
        "histogram": [x],
        "interp": [x, Operand(np.array([-3.0, 0.0, 1.0, 4.0])),
                   draw.array((4,), draw.one(("float64", "complex128", "int64")))],
        "lexsort": [[line, draw.real((3,))]],
    }  # fmt: skip
    extra: dict[str, dict[str, Any]] = {
        "choose": draw.options(mode=("raise", "wrap", "clip")),
        "compress": draw.options(axis=(axis, None)),
        "searchsorted": draw.options(side=("left", "right"), sorter=(Operand(np.arange(4)),)),
        "digitize": draw.options(right=(True, False)),
        "bincount": draw.options(weights=(draw.real((6,)),), minlength=(0, 9)),
        "histogram": draw.options(bins=(3, [0, 1, 2], Operand(np.array([-1.0, 0.0, 2.0]))), range=((-1, 3),),
                                  density=(True,)) | draw.options(weights=(draw.real(shape),)),
        "interp": draw.options(left=(-9.0,), right=(9.0,), period=(6.0,)),
    }  # fmt: skip
    args, options = rest.get(name, ([], {}))
    return Call("function", name, [*first.get(name, [x]), *args], options | extra.get(name, {}))


def _algebra(draw: Draw) -> Call:
    n = draw.one((2, 3))
    a, b, v = draw.array((n, n)), draw.array((n, n)), draw.array((n,))
    square = Operand(np.asarray(draw.values((n, n), "float64") * 0 + np.eye(n) * 9 + np.arange(n * n).reshape(n, n)))
    square.values[np.isnan(square.values)] = 1
    name = draw.one(
        words(
            "dot inner outer vdot tensordot einsum kron cross trace matmul linalg.norm linalg.det linalg.inv "
            "linalg.solve linalg.matrix_power linalg.multi_dot linalg.matrix_rank linalg.pinv linalg.eigvalsh "
            "linalg.cholesky fft.fft fft.ifft fft.rfft fft.fft2 fft.fftshift convolve correlate gradient diff "
            "ediff1d trapezoid polyval cov corrcoef isclose allclose array_equal array_equiv unwrap vander sinc "
            "apply_along_axis heaviside"
        )
    )
    transforms = draw.options(n=(2, 5), axis=(0, -1), norm=("ortho", "forward", None))
    rest: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "dot": ([a, draw.one((b, v, 2))], {}),
        "inner": ([a, draw.one((b, v))], {}),
        "outer": ([v, draw.one((b, v))], {}),
        "vdot": ([v, v], {}),
        "tensordot": ([a, b], draw.options(axes=(1, 2, 0, ((0,), (1,)), (0, 1)))),
        "einsum": ([draw.one(("ij,jk->ik", "ij,ij", "...j,jk", "ij,kj->ik")), a, b],
                   draw.options(optimize=(True, False), dtype=("float64", "complex128"), order=("C", "F"))),
        "kron": ([a, draw.one((b, v))], {}),
        "cross": ([draw.real((2, 3)), draw.one((draw.real((3,)), draw.real((2, 3))))], draw.options(axis=(-1,))),
        "trace": ([a], draw.options(offset=(0, 1), dtype=("float64", "int64"))),
        "matmul": ([a, draw.one((b, v))], {}),
        "linalg.norm": ([draw.real((2, 3))],
                        draw.options(ord=(None, 1, np.inf), axis=(0, (0, 1), -1), keepdims=(True,))),
        "linalg.solve": ([square, draw.one((Operand(np.ones((n, n))), Operand(np.arange(n, dtype=np.float32))))], {}),
        "linalg.matrix_power": ([square, draw.one((2, 0, -1))], {}),
        "linalg.multi_dot": ([[a, b, v]], {}),
        "linalg.cholesky": ([Operand(square.values + square.values.T)], draw.options(upper=(True,))),
        "linalg.eigvalsh": ([Operand(square.values + square.values.T)], draw.options(UPLO=("L", "U"))),
        "fft.fft": ([a], transforms),
        "fft.ifft": ([a], transforms),
        "fft.rfft": ([draw.real((n, n))], transforms),
        "fft.fft2": ([a], draw.options(s=((2, 2),), norm=("ortho",)) | draw.options(axes=((0, 1),))),
        "fft.fftshift": ([a], draw.options(axes=(0, (0, 1)))),
        "convolve": ([v, draw.array((4,))], draw.options(mode=("full", "same", "valid"))),
        "correlate": ([v, draw.array((4,))], draw.options(mode=("full", "same", "valid"))),
        "gradient": ([draw.array((3, 3), "float64"), *draw.one(([], [2.0], [draw.one((1.0, 2.0)), 3.0]))],
                     draw.options(edge_order=(1,))),
        "diff": ([a], draw.options(n=(1, 2), axis=(0, -1), prepend=(draw.array((n, 1)), 1.5), append=(2,))),
        "ediff1d": ([draw.real((3,))], draw.options(to_end=(Operand(np.array([1, 2])),), to_begin=(0,))),
        "trapezoid": ([a], draw.options(dx=(2.0,), axis=(0, -1)) | draw.options(x=(v,))),
        "polyval": ([v, a], {}),
        "cov": ([draw.real((2, 3))], draw.options(rowvar=(False, True), ddof=(0, 1), bias=(True,))),
        "corrcoef": ([draw.real((2, 3))], draw.options(rowvar=(False, True))),
        "isclose": ([a, draw.one((b, v, 1))], draw.options(equal_nan=(True,), rtol=(0.1,), atol=(1, v))),
        "allclose": ([a, draw.one((b, v))], draw.options(equal_nan=(True,), atol=(1,))),
        "array_equal": ([a, draw.one((b, v, a))], draw.options(equal_nan=(True,))),
        "array_equiv": ([a, draw.one((b, v, a))], {}),
        "unwrap": ([draw.real((4,))], draw.options(period=(4.0,))),
        "vander": ([draw.real((3,))], draw.options(N=(2, 4), increasing=(True,))),
        "sinc": ([draw.real((3,))], {}),
        "apply_along_axis": ([np.sum, draw.one((0, 1)), a], {}),
        "heaviside": ([draw.real((3,)), draw.one((0.5, draw.real((3,))))], {}),
    }  # fmt: skip
    args, options = rest.get(name, ([square], {}))
    return Call("function", name, args, options)


def _writing(draw: Draw) -> Call:
    y = draw.target(draw.one(SHAPES[:5]))
    shape, size = y.values.shape, y.values.size
    x = draw.array(shape)
    name = draw.one(words("copyto put place putmask fill_diagonal put_along_axis nan_to_num median"))
    rest: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "copyto": ([draw.one((x, 5, draw.array(shape[1:])))],
                   draw.options(casting=("same_kind", "unsafe"), where=(draw.mask(shape),))),
        "put": ([draw.indices(size), draw.one((draw.array((3,)), 1, [1, 2]))],
                draw.options(mode=("raise", "wrap", "clip"))),
        "place": ([draw.array(shape, "bool"), draw.one((draw.array((3,)), [1, 2]))], {}),
        "putmask": ([draw.array(shape, "bool"), draw.one((x, 3, draw.array((2,))))], {}),
        "fill_diagonal": ([draw.one((5, 1.5, draw.array((2,))))], draw.options(wrap=(True, False))),
        "put_along_axis": ([draw.indices(shape[-1], (*shape[:-1], 2)),
                            draw.one((7, draw.array((*shape[:-1], 2)))), -1], {}),
        "nan_to_num": ([], {"copy": False} | draw.options(nan=(2.5,))),
        "median": ([], {"overwrite_input": True} | draw.options(axis=(0, None))),
    }  # fmt: skip
    args, options = rest[name]
    undefined = "overwritten" if name == "median" else ""
    return Call("function", name, [y, *args], options, undefined)


def _like(draw: Draw) -> Call:
    name = draw.one(
        words(
            "full_like zeros_like ones_like empty_like shape size ndim iscomplexobj isrealobj result_type can_cast "
            "common_type min_scalar_type isscalar iscomplex isreal"
        )
    )
    x = draw.array()
    if name in ("full_like", "zeros_like", "ones_like", "empty_like"):
        options = draw.options(dtype=(draw.a_dtype(),), order="CFKA", shape=((2, 2), 3, ()), subok=(True, False))
        args = [x, draw.one((1, draw.array(()), True))] if name == "full_like" else [x]
        return Call("function", name, args, options, "empty" if name == "empty_like" else "")
    args = {"result_type": [x, draw.one((1.5, "float32", draw.array()))], "can_cast": [x.values.dtype, "int32"],
            "size": draw.one(([x], [x, 0]))}.get(name, [x])  # fmt: skip
    return Call("function", name, args)


def function(draw: Draw) -> Call:
    """A function of NumPy's."""
    family = draw.one((_reduction, _reduction, _shaping, _joining, _selecting, _selecting, _algebra, _writing, _like))
    call = family(draw)
    return with_out(draw, call, 0.25) if call.name in OUT else call


OUT = frozenset(
    words(
        "sum prod max min mean std var any all argmax argmin median ptp nansum nanprod nanmax nanmin nanmean "
        "nanstd nanvar cumsum cumprod nancumsum quantile percentile take choose compress clip round concatenate "
        "stack outer dot einsum trace matmul linalg.multi_dot fft.fft fft.ifft amax cumulative_sum"
    )
)
METHODS = words(
    "sum prod max min mean std var any all argmax argmin cumsum cumprod clip round conj conjugate reshape ravel "
    "flatten transpose squeeze swapaxes take repeat sort argsort partition argpartition searchsorted nonzero "
    "diagonal trace dot choose compress put fill astype copy tobytes tolist item"
)


def method(draw: Draw) -> Call:
    """A method of an array: those of a function of NumPy's with the same arguments, and a few of their own."""
    name = draw.one(METHODS)
    x = draw.target(draw.one(SHAPES[:-2]), draw.one(DTYPES[1:-1]))
    axis = draw.one((0, -1))
    own: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "sort": ([], draw.options(axis=(axis,), kind=("stable",))),
        "partition": ([0], draw.options(axis=(axis,))),
        "fill": ([draw.one((3, draw.array(())))], {}),
        "flatten": ([], draw.options(order="CFKA")),
        "tobytes": ([], draw.options(order=("C", "F", "A"))),
        "tolist": ([], {}),
        "item": (draw.one(([], [0], [-1], [(0,) * x.values.ndim])), {}),
        "put": ([draw.indices(x.values.size), draw.one((1, draw.array((3,))))], draw.options(mode=("wrap", "clip"))),
        "astype": ([draw.a_dtype()],
                   draw.options(copy=(True, False), casting=("unsafe", "same_kind"), order=("C", "F"))),
    }  # fmt: skip
    if name in own:
        return Call("method", name, [x, *own[name][0]], own[name][1])
    for _ in range(200):
        call = draw.one((_reduction, _shaping, _selecting, _algebra))(draw)
        if call.name == name and isinstance(call.args[0], Operand):
            break
    else:
        call = Call("method", name, [x])
    call.kind = "method"
    if name == "compress" and len(call.args) > 1 and isinstance(call.args[1], Operand):
        call.args[:2] = call.args[1::-1]
    return with_out(draw, call, 0.25) if name in OUT else call


KINDS: tuple[Callable[[Draw], Call], ...] = (ufunc, ufunc, method_of_ufunc, function, function, function, method)


def calls(rng: np.random.Generator) -> Call:
    """A random call."""
    draw = Draw(rng)
    return KINDS[int(rng.integers(len(KINDS)))](draw)


def replaced(value: Any, replace: Callable[[Operand], Any]) -> Any:
    """The same with something else in the place of each operand."""
    if isinstance(value, Operand):
        return replace(value)
    if isinstance(value, (list, tuple)):
        return type(value)([replaced(item, replace) for item in value])
    if isinstance(value, dict):
        return {name: replaced(item, replace) for name, item in value.items()}
    return value


def called(call: Call, replace: Callable[[Operand], Any]) -> Any:
    """What the call gives for these operands."""
    args, options = replaced(call.args, replace), replaced(call.options, replace)
    if call.kind == "method":
        return getattr(args[0], call.name)(*args[1:], **options)
    found: Any = np
    for part in call.name.split("."):
        found = getattr(found, part)
    return found(*args, **options)
