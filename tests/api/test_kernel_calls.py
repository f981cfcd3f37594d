"""What users' kernels are called with: names in texts, and how parameters are used."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.api.kernel_calls import by_use, dtype_name, elements_only, is_named, kernel_name, normal, with_options
from arrayapi_gpu.kernels.user_parameters import parameters


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
    assert with_options("int x;", ["-DN=3", "-O3", "-DFLAG"]) == "#define N 3\n#define FLAG 1\nint x;"
