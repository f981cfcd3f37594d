"""What users' kernels are called with: names in texts, and how parameters are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.kernels.kernel_calls import (
    by_use,
    check_count,
    count_for,
    dtype_name,
    elements_only,
    is_named,
    kernel_name,
    normal,
    number_for,
    with_options,
)
from arrayapi_gpu.kernels.user.user_parameters import parameters


def test_methods_of_cupys_get_names() -> None:
    text = "_ind.size() + _ind.get()[1] + x.size() - x.shape()[0] + y.size() + _ind.shape() [2]"
    assert normal(text, ["x"]) == "ind_size + ind_1 + x_size - x_shape_0 + y.size() + ind_shape_2"


@pytest.mark.parametrize(
    ("text", "raw", "written"),
    [
        ("x[i] + 1", False, False),
        ("x[i] = 1", False, True),
        ("x[i] == 1", False, False),
        ("x[ i ] <<= 1", False, True),
        ("x[i]++", False, True),
        ("--x[i]", False, True),
        ("x[i + 1]", True, False),
        ("x[i] = x[n - 1]", True, True),
        ("f(x)", True, True),
        ("*x = 1", True, True),
        ("f(&x[i])", False, True),
        ("1", True, False),
    ],
)
def test_how_a_pointer_is_used(text: str, raw: bool, written: bool) -> None:
    ((parameter, found),) = by_use(parameters("float *x", "here"), text)
    assert (parameter.raw, found) == (raw, written)


def test_what_is_const_is_not_written() -> None:
    ((_, written),) = by_use(parameters("const float *x", "here"), "f(x)")
    assert not written


def test_only_what_an_expression_reads_is_declared() -> None:
    text = "const float *x, float *out, int k, double *y"
    assert elements_only(text, "x[i] * k + y[k]", "here") == ("float32 x, int32 k, raw float64 y", "x * k + y[k]")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("double", "float64"), (np.int8, "int8"), ("T", "T"), ("float32", "float32"), ("unsigned int", "uint32")],
)
def test_names_of_types(kind: object, name: str) -> None:
    assert dtype_name(kind, "here") == name


def test_unknown_types_are_refused() -> None:
    with pytest.raises(TypeError, match="here: not a dtype"):
        dtype_name("struct", "here")


def test_names_in_texts() -> None:
    assert [is_named("x", text) for text in ("x", "x_size", "xy", "a.x", "y[x]")] == [True, True, False, False, True]


def test_names_of_kernels_are_cs() -> None:
    assert [kernel_name(name) for name in ("My Kernel!", "", "a_b2")] == ["my_kernel", "kernel", "a_b2"]


def test_options_that_define_macros() -> None:
    assert with_options("int x;", ["-DN=3", "-O3", "-DFLAG"]) == "#define N 3\n#define FLAG 1\n#line 1\nint x;"


# --- numbers ----------------------------------------------------------------------------------------------------------

FLOATS = [2.5, 2.0, float("nan"), float("inf"), np.float64(2.5), np.float32(2), np.float16(2)]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_an_integer_parameter_takes_integers_that_it_holds(dtype: str) -> None:
    limits = np.iinfo(dtype)
    for value in (0, 1, int(limits.min), int(limits.max)):
        assert number_for("f", "k", value, np.dtype(dtype)) == value
        assert number_for("f", "k", np.asarray(value, dtype)[()], np.dtype(dtype)) == value
    for one in (True, np.bool_(True), np.int8(1), np.uint64(1)):
        assert number_for("f", "k", one, np.dtype(dtype)) == 1
    for float_ in FLOATS:
        with pytest.raises(TypeError, match=rf"^f, argument 'k': got the float .*{dtype}; use int\(x\)"):
            number_for("f", "k", float_, np.dtype(dtype))
    for beyond in (int(limits.min) - 1, int(limits.max) + 1, 2**70):
        with pytest.raises(OverflowError, match=r"^f, argument 'k': .*out of bounds"):
            number_for("f", "k", beyond, np.dtype(dtype))
    if dtype not in ("int64", "uint64"):
        with pytest.raises(OverflowError, match=r"^f, argument 'k': .*out of bounds"):
            number_for("f", "k", np.int64(2**40), np.dtype(dtype))
    for other in (1j, np.complex64(1), "1", None, [1], np.ones(2)):
        with pytest.raises(TypeError, match=r"^f, argument 'k': "):
            number_for("f", "k", other, np.dtype(dtype))


def test_other_parameters_take_what_casts_to_them() -> None:
    assert number_for("f", "x", 3, np.dtype("float32")) == 3.0
    assert number_for("f", "x", np.int64(3), np.dtype("complex64")) == 3
    assert number_for("f", "x", 0.5, np.dtype("bool")) is True
    with pytest.raises(TypeError, match=r"^f, argument 'x': .*complex"):
        number_for("f", "x", 1j, np.dtype("float64"))
    with pytest.raises(OverflowError, match=r"^f, argument 'x': "):
        number_for("f", "x", 10**400, np.dtype("float32"))


def test_counts_are_integers() -> None:
    assert count_for("f", "size", np.int64(3)) == 3
    for value in (2.5, 2.0, "3", None):
        with pytest.raises(TypeError, match=r"^f: got .* for size; allowed: an integer"):
            count_for("f", "size", value)
    with pytest.raises(ValueError, match=r"^f: got 0 for groups; allowed: an integer of at least 1"):
        count_for("f", "groups", 0, 1)


def test_the_number_of_arguments() -> None:
    check_count("f", 2, ["x", "y"], ["z"])
    check_count("f", 3, ["x", "y"], ["z"])
    with pytest.raises(TypeError, match=r"^f: got 1 argument; allowed: 2 \(x, y\), or 3 with the results \(z\)$"):
        check_count("f", 1, ["x", "y"], ["z"])


# --- calls that are refused: every class, every kind of argument that is missing or misplaced -------------------------

ARGUMENTS: dict[str, Callable[[], Any]] = {
    "x": lambda: xp.asarray([1.0, 2.0, 3.0]),
    "two": lambda: xp.ones(2),
    "single": lambda: xp.ones(3, dtype=xp.float32),
    "scalar": lambda: xp.asarray(2.0),
    "host": lambda: np.ones(3),
}
E, R, S = xp.ElementwiseKernel, xp.ReductionKernel, xp.ScanKernel
SOURCE = "KERNEL void k(GLOBAL_MEM ga_double *x, ga_int n) { if (GID < n) x[GID] *= 2; }"
KERNELS: dict[str, Any] = {
    "e": E("T x, int32 n", "T y", "y = x * n", "k"),
    "raw_in": E("raw T x", "T y", "y = x[i]", "k"),
    "raw_out": E("T x", "raw T out", "out[i] = x", "k"),
    "raw_both": E("raw T x", "raw T out", "out[i] = x[i]", "k"),
    "unknown": E("float64 x", "U y", "y = x", "k"),
    "c": E("double *y, double *x, int n", "y[i] += n * x[i]", "k"),
    "r": R("T x, int32 n", "T y", "x * n", "a + b", "y = a", "0", "k"),
    "rc": R(xp.float64, "0", "a + b", "x[i] * n", "double *x, int n, double *unused", "k"),
    "s": S("T x, int32 n", "T y", "x * n", "a + b", "0", "y = item", "k"),
    "alone": S("", "int64 y", "i", "a + b", "0", "y = item", "k"),
    "sc": S(xp.float64, "double *x, int n, double *y", "x[i] * n", "a + b", "0", "y[i] = item", "k"),
    "raw": xp.RawKernel(SOURCE, "k"),
    "gpu": xp.GpuKernel(SOURCE, "k"),
}
ARRAY, SHAPE, INTEGER = "allowed: an array", "has shape", r"argument 'n': got the float .*use int\(x\)"
REFUSED: list[tuple[str, type[Exception], str]] = [
    # missing
    ("e()", TypeError, r"got 0 arguments; allowed: 2 \(x, n\), or 3 with the results \(y\)"),
    ("e(x)", TypeError, "got 1 argument;"),
    ("raw_in()", TypeError, r"allowed: 1 \(x\)"),
    ("raw_in(x)", ValueError, "size="),
    ("raw_out(x)", TypeError, r"got no array for the raw result 'out', .*: k\(x, out\)"),
    ("raw_out(x, size=3)", TypeError, "got no array for the raw result 'out'"),
    ("raw_both(x)", TypeError, "got no array for the raw result 'out'"),
    ("raw_both(x, size=3)", TypeError, "got no array for the raw result 'out'"),
    ("raw_both(x, x)", ValueError, "size="),
    ("raw_out(2.0, x)", ValueError, "size="),
    ("unknown(x)", TypeError, "'U' of 'y'"),
    ("c(x, x)", TypeError, r"allowed: 3 \(y, x, n\)"),
    ("r()", TypeError, r"allowed: 2 \(x, n\)$"),
    ("r(x)", TypeError, "got 1 argument;"),
    ("rc(x, 2)", TypeError, r"allowed: 3 \(x, n, unused\)"),
    ("s(x)", TypeError, r"allowed: 2 \(x, n\), or 3 with the results \(y\)"),
    ("s(2.0, 2)", ValueError, r"among its inputs \(x, n\); pass the number of elements as size="),
    ("alone()", ValueError, "among its inputs .*size="),
    ("alone(xp.zeros(3, dtype=xp.int64))", ValueError, "among its inputs .*size="),
    ("sc(x, 2)", TypeError, r"allowed: 3 \(x, n, y\)"),
    ("raw((1,), (4,), (x,))", TypeError, r"allowed: 2 \(x, n\)"),
    ("raw((1,), (4,), x)", TypeError, "got Array for args; allowed: a tuple"),
    ("gpu(x, 3)", ValueError, "got n=None, gs=None"),
    ("gpu(x, n=3)", TypeError, r"allowed: 2 \(x, n\)"),
    # too many
    ("e(x, 2, x, x)", TypeError, "got 4 arguments"),
    ("r(x, 2, x)", TypeError, "got 3 arguments"),
    ("s(x, 2, x, x)", TypeError, "got 4 arguments"),
    ("e(x, 2, size=3)", ValueError, "got size=3 and arrays"),
    # other numbers than integers for n
    *[(f"{call}", TypeError, INTEGER) for value in ("2.5", "2.0", "float('nan')", "np.float32(2)") for call in (
        f"e(x, {value})", f"c(x, x, {value})", f"r(x, {value})", f"rc(x, {value}, x)", f"s(x, {value})",
        f"sc(x, {value}, x)", f"raw((1,), (4,), (x, {value}))", f"gpu(x, {value}, n=3)",
    )],
    *[(f"{call}", OverflowError, "argument 'n': .*int32") for value in ("2**40", "np.int64(2**40)") for call in (
        f"e(x, {value})", f"c(x, x, {value})", f"r(x, {value})", f"s(x, {value})", f"raw((1,), (4,), (x, {value}))",
    )],
    # what is no array, or no number
    ("e(host, 2)", TypeError, f"argument 'x': got ndarray; {ARRAY}"),
    ("e(x, None)", TypeError, f"argument 'n': got NoneType; {ARRAY}"),
    ("e(x, 2, 3.0)", TypeError, f"argument 'y': got float; {ARRAY}"),
    ("raw_in(2.0, size=2)", TypeError, f"argument 'x': got float; {ARRAY}"),
    ("raw_out(x, 3)", TypeError, f"argument 'out': got int; {ARRAY}"),
    ("c(x, x, x)", TypeError, "got an array for 'n'; allowed: a number"),
    ("c(2.0, x, 2)", TypeError, f"argument 'y': got float; {ARRAY}"),
    ("r(host, 2)", TypeError, f"argument 'x': got ndarray; {ARRAY}"),
    ("r(x, 2, out=3)", TypeError, "got int for out"),
    ("s(x, 2, 3)", TypeError, f"argument 'y': got int; {ARRAY}"),
    ("raw((1,), (4,), (3.0, 3))", TypeError, f"argument 'x': got float; {ARRAY}"),
    ("raw((1,), (4,), (x, x))", TypeError, "argument 'n': got Array; allowed: a number"),
    # other dtypes, shapes and counts
    ("e(x, single)", TypeError, "got float32 for 'n'; allowed: int32"),
    ("e(x, 2, single)", TypeError, "got float32 for 'y'; allowed: float64"),
    ("c(single, x, 2)", TypeError, "got float32 for 'y'; allowed: float64"),
    ("r(x, 2, out=single)", TypeError, "got float32 of shape .* for out; allowed: an array of float64"),
    ("s(x, 2, single)", TypeError, "got float32 for 'y'; allowed: float64"),
    ("raw((1,), (4,), (single, 3))", TypeError, "got float32 for 'x'; allowed: float64"),
    ("e(x, 2, two)", ValueError, rf"'x' {SHAPE} \(3,\), 'y' {SHAPE} \(2,\)"),
    ("c(x, two, 2)", ValueError, rf"'y' {SHAPE} \(3,\), 'x' {SHAPE} \(2,\)"),
    ("r(x, 2, out=two)", ValueError, r"of shape \(2,\) for out; allowed: .* shape \(\)"),
    ("s(x, 2, two)", ValueError, rf"'y' {SHAPE} \(2,\)"),
    ("s(scalar, 2)", ValueError, "size="),
    ("raw_in(x, size=2.5)", TypeError, "got 2.5 for size"),
    ("raw_in(x, size=-1)", ValueError, "got -1 for size"),
    ("raw((1.5,), (4,), (x, 3))", TypeError, "got 1.5 for groups"),
    ("raw(1, (4,), (x, 3))", TypeError, "got 1 groups; allowed: a tuple"),
    ("raw((1,), (4,), (x, 3), shared_mem=2.5)", TypeError, "got 2.5 for bytes of local memory"),
    ("gpu(x, 3, n=2.5)", TypeError, "got 2.5 for n"),
    ("gpu(x, 3, n=-1)", ValueError, "got -1 for n"),
    ("gpu(x, 3, n=3, ls=2.5)", TypeError, "got 2.5 for work-items"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[call for call, *_ in REFUSED])
def test_calls_that_are_refused(call: str, error: type[Exception], words: str) -> None:
    """The error names the kernel, which is k, and the parameter."""
    arguments = {name: make() for name, make in ARGUMENTS.items()}
    with pytest.raises(error, match=f"^k[:,] .*{words}"):
        eval(call, {**KERNELS, **arguments, "xp": xp, "np": np})


def test_a_call_like_one_before_is_refused_with_the_same_words() -> None:
    kernel, x = E("T x, int32 n", "T y", "y = x * n", "k"), xp.ones(3)
    assert kernel(x, 2).tolist() == kernel(x, 2).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(OverflowError, match=r"^k, argument 'n': "):
        kernel(x, 2**40)
    both = E("T x, T y", "T z", "z = x * y", "k")
    assert both(x, x).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match=r"^k: 'x' has shape"):
        both(x, xp.ones(2))


def test_calls_that_are_taken() -> None:
    """Numbers alone give an array without dimensions; what a reduction's texts do not read is given all the same."""
    x = xp.asarray([1.0, 2.0, 3.0])
    assert KERNELS["e"](3.0, 2).tolist() == 6.0
    assert KERNELS["r"](3.0, True).tolist() == 3.0
    assert KERNELS["rc"](x, np.int64(2), x).tolist() == 12.0
    assert KERNELS["alone"](size=3).tolist() == [0, 1, 3]
