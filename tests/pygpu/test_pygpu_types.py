"""Numbers and C names of dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.pygpu import types


@pytest.mark.parametrize(
    "dtype, code, name",
    [("bool", 0, "ga_bool"), ("int8", 1, "ga_byte"), ("uint64", 8, "ga_ulong"), ("float32", 11, "ga_float"),
     ("complex128", 15, "ga_cdouble"), ("float16", 23, "ga_half")],
)  # fmt: skip
def test_numbers_and_names_are_libgpuarrays(dtype: str, code: int, name: str) -> None:
    assert types.dtype_to_typecode(dtype) == code == types.dtype_to_typecode(np.dtype(dtype))
    assert types.typecode_to_dtype(code) == np.dtype(dtype)
    assert types.dtype_to_ctype(dtype) == name == types.dtype_to_ctype(code)


def test_a_number_stays_what_it_is() -> None:
    assert types.dtype_to_typecode(12) == 12 and types.as_dtype(12) == np.float64
    assert types.as_dtype(types.SIZE) == np.uintp and types.dtype_to_ctype(types.SSIZE) == "ga_ssize"


def test_a_registered_dtype_is_known_by_its_name() -> None:
    pair = np.dtype([("left", "f4"), ("number", "i4")])
    code = types.register_dtype(pair, "pair_of_types")
    assert code > types.SSIZE
    assert types.dtype_to_typecode(pair) == code and types.typecode_to_dtype(code) == pair
    assert types.dtype_to_ctype(pair) == "pair_of_types"
    assert types.register_dtype(pair, "pair_of_types") == code
    with pytest.raises(RuntimeError, match="pair_of_types already"):
        types.register_dtype(pair, "another")


@pytest.mark.parametrize("dtype", ["U4", None, "no dtype", object])
def test_other_dtypes_have_no_number(dtype: object) -> None:
    with pytest.raises(ValueError, match="allowed: bool, int8"):
        types.dtype_to_typecode(dtype)


def test_other_numbers_mean_no_dtype() -> None:
    with pytest.raises(NotImplementedError, match="typecode 99"):
        types.typecode_to_dtype(99)
    with pytest.raises(ValueError, match="No mapping for 99"):
        types.dtype_to_ctype(99)
