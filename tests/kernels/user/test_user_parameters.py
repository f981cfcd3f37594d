"""Declarations of users' kernels, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.kernels.user.user_parameters import Parameter, c_type, parameters

FLOAT32, INT64 = np.dtype("float32"), np.dtype("int64")


def test_cupys_form() -> None:
    assert parameters("float32 x, raw T y,int64 n", "here") == (
        Parameter("x", FLOAT32),
        Parameter("y", "T", raw=True),
        Parameter("n", INT64),
    )


def test_cs_form() -> None:
    assert parameters("const float *x, unsigned long long n, int16_t* y", "here") == (
        Parameter("x", FLOAT32, pointer=True, const=True),
        Parameter("n", np.dtype("uint64")),
        Parameter("y", np.dtype("int16"), pointer=True),
    )


def test_nothing_is_declared_by_an_empty_text() -> None:
    assert parameters(" ", "here") == ()


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("unsigned int", "uint32"),
        ("long long int", "int64"),
        ("complex<float>", "complex64"),
        ("const double", "float64"),
        ("signed char", "int8"),
        ("ptrdiff_t", "int64"),
        ("ga_half", "float16"),
        ("bool", "bool"),
    ],
)
def test_types_of_c(text: str, dtype: str) -> None:
    words = text.replace("<", " < ").replace(">", " > ").split()
    assert c_type(words) == np.dtype(dtype)


@pytest.mark.parametrize("text", ["x", "float32 x y", "float32 1x", "float **x", "*x", "raw float32"])
def test_what_is_no_declaration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"here: got .*; allowed: "):
        parameters(text, "here")


@pytest.mark.parametrize("text", ["float33 x", "struct *x, float y"])
def test_unknown_types_are_refused(text: str) -> None:
    with pytest.raises(TypeError, match=r"here: .*allowed"):
        parameters(text, "here")


def test_names_are_given_once() -> None:
    with pytest.raises(ValueError, match="'x' comes twice"):
        parameters("T x, T x", "here")


def test_names_of_kernels_own_are_refused() -> None:
    with pytest.raises(ValueError, match="'_ind' is not free"):
        parameters("T _ind", "here")
