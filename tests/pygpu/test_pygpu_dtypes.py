"""Names of C, and dtypes of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import dtypes
from arrayapi_gpu.pygpu.gpuarray import GpuContext


@pytest.mark.parametrize(
    "text, expected",
    [("float *a", ("array", "float32", "a")), ("const unsigned int n", ("scalar", "uint32", "n")),
     ("ga_double x[]", ("array", "float64", "x")), ("volatile long int* _k", ("array", "int64", "_k")),
     ("short b[ 3 ][4]", ("array", "int16", "b")), ("size_t n", ("scalar", "uint64", "n"))],
)  # fmt: skip
def test_declarations_of_c_are_read(text: str, expected: Any) -> None:
    kind, dtype, name = dtypes.parse_c_arg_backend(
        text, lambda *args: ("scalar", *args), lambda *args: ("array", *args)
    )
    assert (kind, dtype.name, name) == expected


@pytest.mark.parametrize(
    "text, match", [("float", "unknown type ''"), ("quad x", "unknown type 'quad'"), ("", "parse")]
)
def test_what_is_no_declaration_is_refused(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        dtypes.parse_c_arg_backend(text, tuple, tuple)


def test_a_dtype_has_several_names() -> None:
    pair = np.dtype([("x", "f4"), ("y", "f4")])
    dtypes.register_dtype(pair, ["pair_of_dtypes", "struct pair"])
    assert dtypes.dtype_to_ctype(pair) == "pair_of_dtypes" and dtypes.NAME_TO_DTYPE["struct pair"] == pair
    dtypes.register_dtype("float32", "real")
    assert dtypes.NAME_TO_DTYPE["real"] == np.float32 and dtypes.dtype_to_ctype("float32") == "ga_float"
    with pytest.raises(RuntimeError, match="'real' already registered, for float32"):
        dtypes.register_dtype("float64", "real")
    with pytest.raises(ValueError, match="may not be None"):
        dtypes.dtype_to_ctype(None)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    "other", [2, 0.5, 1j, True, np.float32(1), np.asarray(3, "int8"), np.zeros(2, "uint8")], ids=repr
)
def test_a_common_dtype_is_numpys(ctx: GpuContext, dtype: str, other: Any) -> None:
    x = pygpu.zeros((1,), dtype, context=ctx)
    expected = (np.ones(1, dtype) + other).dtype
    assert dtypes.get_common_dtype(x, other, True) == expected
    narrow = {"float64": "float32", "complex128": "complex64"}.get(expected.name, expected.name)
    assert dtypes.get_common_dtype(x, other, False) == narrow


def test_a_dtype_holds_several() -> None:
    assert dtypes.upcast("int8", "uint8") == np.int16 and dtypes.upcast(np.float32) == np.float32
