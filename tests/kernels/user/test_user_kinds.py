"""Kinds of values in texts of C."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.kernels.user.user_kinds import (
    ANY_NUMBER,
    OTHER,
    Pointer,
    common,
    computed_kind,
    element,
    is_no_number,
    literal,
    promoted,
)

NUMBERS = {
    "1": "int32", "2147483648": "int64", "0x80000000": "uint32", "1u": "uint32", "1UL": "uint64", "1L": "int64",
    "017": "int32", "18446744073709551615": "uint64", "1.5": "float64", "1e3f": "float32", "0x1p3": "float64",
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_have_the_types_of_c(text: str) -> None:
    assert literal(text) == np.dtype(NUMBERS[text])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("int8", "uint16", "int32"), ("int32", "uint32", "uint32"), ("uint32", "int64", "int64"),
        ("int64", "uint64", "uint64"), ("int64", "float32", "float32"), ("float32", "float64", "float64"),
    ],
)  # fmt: skip
def test_operators_compute_in_the_types_of_c(one: str, other: str, expected: str) -> None:
    assert common(np.dtype(one), np.dtype(other)) == common(np.dtype(other), np.dtype(one)) == np.dtype(expected)


def test_kinds_without_a_dtype() -> None:
    int32, pointer = np.dtype("int32"), Pointer(np.dtype("int8"))
    assert common(int32, ANY_NUMBER) == ANY_NUMBER
    assert common(OTHER, ANY_NUMBER) == common(int32, OTHER) == OTHER
    assert common(pointer, int32) == pointer
    assert element(pointer) == np.dtype("int8")
    assert promoted(np.dtype("bool")) == int32
    assert [is_no_number(kind) for kind in (int32, ANY_NUMBER, OTHER, pointer, np.dtype("complex64"))] == [
        False, False, True, True, True,
    ]  # fmt: skip
    assert computed_kind(np.dtype("float16")) == np.dtype("float32")
