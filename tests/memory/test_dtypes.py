"""`memory/dtypes.py` against the standard's tables and against NumPy."""

from __future__ import annotations

import dataclasses
import itertools
from http import HTTPStatus
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arrayapi_gpu.memory.dtypes import (
    ACCUMULATOR,
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPONENT,
    DEFAULTS,
    DTYPE_OF,
    DTYPES,
    INTEGRAL,
    KINDS,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    SHORT,
    SIGNED,
    UNSIGNED,
    as_dtype,
    can_cast,
    defaults,
    finfo,
    iinfo,
    isdtype,
    promote,
    result_type,
)

DType = np.dtype[Any]
# NumPy's own, with which it compares.
NUMPYS = tuple(dtype for dtype in DTYPES if dtype.isbuiltin == 1)

NAMES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]

# The tables of the chapter "Type promotion rules": rows and columns share the heading.
STANDARD = """
i8 i16 i32 i64
i8 i16 i32 i64
i16 i16 i32 i64
i32 i32 i32 i64
i64 i64 i64 i64

u8 u16 u32 u64
u8 u16 u32 u64
u16 u16 u32 u64
u32 u32 u32 u64
u64 u64 u64 u64

f32 f64 c64 c128
f32 f64 c64 c128
f64 f64 c128 c128
c64 c128 c64 c128
c128 c128 c128 c128
"""

# The mixed table: signed rows, unsigned columns.
STANDARD_MIXED = {
    "i8": {"u8": "i16", "u16": "i32", "u32": "i64"},
    "i16": {"u8": "i16", "u16": "i32", "u32": "i64"},
    "i32": {"u8": "i32", "u16": "i32", "u32": "i64"},
    "i64": {"u8": "i64", "u16": "i64", "u32": "i64"},
}


def standard_promotions() -> dict[tuple[str, str], str]:
    """Every pair that the standard defines, both ways round."""
    pairs = {("b8", "b8"): "b8"}
    for table in STANDARD.strip().split("\n\n"):
        heading, *rows = (line.split() for line in table.splitlines())
        for left, row in zip(heading, rows, strict=True):
            for right, result in zip(heading, row, strict=True):
                pairs[left, right] = result
    for signed, row_of in STANDARD_MIXED.items():
        for unsigned, result in row_of.items():
            pairs[signed, unsigned] = pairs[unsigned, signed] = result
    return pairs


STANDARD_PROMOTIONS = standard_promotions()
EVERY_PAIR = list(itertools.product(NUMPYS, repeat=2))


def test_the_fourteen_dtypes_are_native_numpy_dtypes() -> None:
    assert [dtype.name for dtype in NUMPYS] == NAMES
    assert all(dtype.isnative for dtype in NUMPYS)


def test_short_names_tell_kind_and_bits() -> None:
    for dtype in NUMPYS:
        assert SHORT[dtype] == f"{dtype.kind}{8 * dtype.itemsize}"


def test_short_names_lead_back() -> None:
    assert {short: dtype for dtype, short in SHORT.items()} == DTYPE_OF


@pytest.mark.parametrize("name", NAMES)
def test_as_dtype_knows_a_dtype_its_name_and_its_scalar_type(name: str) -> None:
    dtype = np.dtype(name)
    assert as_dtype(dtype) == as_dtype(name) == as_dtype(dtype.type) == dtype


@pytest.mark.parametrize("code", "?bhilqpBHILQPefdFD")
def test_as_dtype_gives_one_object_for_all_spellings(code: str) -> None:
    spellings = [np.dtype(code), code, np.dtype(code).type, np.dtype(code).name]
    assert len({id(as_dtype(spelling)) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("python", "name"), [(bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")]
)
def test_as_dtype_reads_a_python_type_as_the_default_of_its_kind(python: type, name: str) -> None:
    assert as_dtype(python).name == name


@pytest.mark.parametrize("dtype", NUMPYS, ids=str)
@pytest.mark.parametrize("order", "<>=")
def test_as_dtype_makes_byte_order_native(dtype: DType, order: str) -> None:
    assert as_dtype(dtype.newbyteorder(order)) is dtype  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spec",
    [
        None,
        1,
        1.0,
        "",
        "float128",
        "f32",
        "no such type",
        "S3",
        "f4,f4",
        "(2,)f4",
        str,
        object,
        type(None),
        np.integer,
        np.floating,
        np.generic,
        np.longdouble,
        np.datetime64,
        np.dtype("M8[s]"),
        np.dtype([("a", "f4")]),
        np.float32(1),
        np.zeros(2, "f4"),
        [],
        {},
        ["f4"],
        (np.float32,),
    ],
    ids=repr,
)
def test_as_dtype_refuses_anything_else_and_says_what_is_allowed(spec: object) -> None:
    with pytest.raises(TypeError, match="allowed are bool, int8") as error:
        as_dtype(spec)
    assert repr(spec) in str(error.value)


@pytest.mark.parametrize(("pair", "result"), STANDARD_PROMOTIONS.items(), ids=str)
def test_promote_follows_the_standard(pair: tuple[str, str], result: str) -> None:
    assert promote(DTYPE_OF[pair[0]], DTYPE_OF[pair[1]]) is DTYPE_OF[result]


def test_promote_follows_numpy_for_every_pair() -> None:
    for a, b in EVERY_PAIR:
        assert promote(a, b) == np.promote_types(a, b)


def test_promote_is_commutative() -> None:
    assert all(promote(a, b) is promote(b, a) for a, b in EVERY_PAIR)


@pytest.mark.parametrize(
    ("operands", "name"),
    [
        (("float32", float), "float32"),
        (("float32", int), "float32"),
        (("float32", True), "float32"),
        (("float32", complex), "complex64"),
        (("float16", 1j), "complex64"),
        (("float64", 1j), "complex128"),
        (("int8", 1000), "int8"),
        (("uint8", -1), "uint8"),
        (("int8", 1.5), "float64"),
        (("int8", 1j), "complex128"),
        (("bool", True), "bool"),
        (("bool", 1), "int64"),
        (("bool", 1.0), "float64"),
        ((int,), "int64"),
        ((True, False), "bool"),
        ((1, 2.0), "float64"),
        ((1, 2.0, 3j), "complex128"),
        ((2**200, "uint8"), "uint8"),
        (("int16", "uint16", "float32"), "float32"),
    ],
    ids=str,
)
def test_result_type_with_python_scalars(operands: tuple[Any, ...], name: str) -> None:
    arguments = [np.dtype(each) if isinstance(each, str) else each for each in operands]
    assert result_type(*arguments).name == name


weak_scalars = st.sampled_from([True, 3, 2.5, 1j])


@given(st.lists(st.sampled_from(NUMPYS) | weak_scalars, min_size=1, max_size=5))
def test_result_type_follows_numpy(operands: list[Any]) -> None:
    assert result_type(*operands) == np.result_type(*operands)


@given(st.lists(st.sampled_from(NUMPYS) | weak_scalars, min_size=1, max_size=4), st.randoms())
def test_result_type_does_not_depend_on_order(operands: list[Any], random: Any) -> None:
    shuffled = random.sample(operands, len(operands))
    assert result_type(*operands) is result_type(*shuffled)


@given(st.lists(st.sampled_from(NUMPYS) | weak_scalars, min_size=1, max_size=4))
def test_result_type_reads_a_scalar_as_its_type(operands: list[Any]) -> None:
    types = [each if isinstance(each, np.dtype) else type(each) for each in operands]
    assert result_type(*operands) is result_type(*types)


def test_result_type_counts_a_numpy_scalar_as_its_dtype() -> None:
    assert result_type(np.dtype("float32"), np.float64(1)) == np.dtype("float64")


def test_result_type_takes_the_scalar_types_of_the_namespace() -> None:
    assert result_type(np.float32, np.int8, float) == np.dtype("float32")


def test_result_type_makes_byte_order_native() -> None:
    assert result_type(np.dtype(">f4")) is as_dtype("float32")


def test_result_type_counts_an_int_of_a_subclass_as_int() -> None:
    assert result_type(np.dtype("int8"), HTTPStatus.OK) == np.dtype("int8")


def test_result_type_needs_an_operand() -> None:
    with pytest.raises(TypeError, match="at least one"):
        result_type()


@pytest.mark.parametrize("operand", [None, [1], "S3", np.dtype("S3"), np.dtype("M8[s]")], ids=repr)
def test_result_type_refuses_what_has_no_dtype(operand: object) -> None:
    with pytest.raises(TypeError, match="allowed are"):
        result_type(np.dtype("int8"), operand)


def test_can_cast_where_the_standard_promotes() -> None:
    for (left, _), result in STANDARD_PROMOTIONS.items():
        assert can_cast(DTYPE_OF[left], DTYPE_OF[result])


def test_can_cast_follows_numpys_safe_casts() -> None:
    for a, b in EVERY_PAIR:
        assert can_cast(a, b) is np.can_cast(a, b)


def test_kinds_partition_the_dtypes() -> None:
    parts = [BOOLEAN, SIGNED, UNSIGNED, REAL_FLOATING, COMPLEX_FLOATING]
    assert sorted(map(str, itertools.chain(*parts))) == sorted(map(str, DTYPES))


def test_kinds_that_are_unions() -> None:
    assert INTEGRAL == SIGNED | UNSIGNED
    assert REAL == INTEGRAL | REAL_FLOATING
    assert NUMERIC == REAL | COMPLEX_FLOATING


@pytest.mark.parametrize("kind", KINDS)
def test_isdtype_follows_numpy(kind: str) -> None:
    for dtype in NUMPYS:
        assert isdtype(dtype, kind) is np.isdtype(dtype, kind)


def test_isdtype_with_a_dtype_asks_for_that_dtype() -> None:
    for a, b in EVERY_PAIR:
        assert isdtype(a, b) is isdtype(a, b.type) is (a == b)


def test_isdtype_with_a_tuple_asks_for_any() -> None:
    kinds = ("bool", np.float32, ("unsigned integer",))
    expected = BOOLEAN | UNSIGNED | {np.dtype("float32")}
    assert {dtype for dtype in NUMPYS if isdtype(dtype, kinds)} == expected


def test_isdtype_with_an_empty_tuple_is_false() -> None:
    assert isdtype(np.dtype("int8"), ()) is False


@pytest.mark.parametrize("kind", ["float", "int8", "", ("bool", "wrong")], ids=repr)
def test_isdtype_refuses_an_unknown_name(kind: object) -> None:
    with pytest.raises(ValueError, match="allowed are 'bool', 'signed integer'"):
        isdtype(np.dtype("bool"), kind)


@pytest.mark.parametrize("kind", [None, 1, ["bool"], ("bool", None)], ids=repr)
def test_isdtype_refuses_what_is_neither_name_nor_dtype(kind: object) -> None:
    with pytest.raises(TypeError, match="not a dtype"):
        isdtype(np.dtype("bool"), kind)


@pytest.mark.parametrize("dtype", [dtype for dtype in NUMPYS if dtype in REAL_FLOATING], ids=str)
def test_finfo_has_numpys_values(dtype: DType) -> None:
    info, expected = finfo(dtype), np.finfo(dtype)
    for name in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(info, name) == getattr(expected, name)


@pytest.mark.parametrize("dtype", sorted(REAL_FLOATING | COMPLEX_FLOATING, key=str), ids=str)
def test_finfo_values_are_python_numbers(dtype: DType) -> None:
    info = finfo(dtype)
    assert type(info.bits) is int
    assert {type(x) for x in (info.eps, info.max, info.min, info.smallest_normal)} == {float}


@pytest.mark.parametrize(("dtype", "component"), COMPONENT.items(), ids=str)
def test_finfo_of_complex_is_that_of_its_component(dtype: DType, component: DType) -> None:
    assert finfo(dtype) == finfo(component)
    assert finfo(dtype).dtype is component


@pytest.mark.parametrize("dtype", sorted(INTEGRAL, key=str), ids=str)
def test_iinfo_has_numpys_values_as_python_ints(dtype: DType) -> None:
    info, expected = iinfo(dtype), np.iinfo(dtype)
    assert (info.bits, info.max, info.min) == (expected.bits, expected.max, expected.min)
    assert {type(x) for x in (info.bits, info.max, info.min)} == {int}
    assert info.dtype is dtype


@pytest.mark.parametrize("dtype", sorted(BOOLEAN | INTEGRAL, key=str), ids=str)
def test_finfo_refuses_what_is_not_floating(dtype: DType) -> None:
    with pytest.raises(ValueError, match=f"finfo: {dtype}"):
        finfo(dtype)


@pytest.mark.parametrize("dtype", sorted(set(NUMPYS) - INTEGRAL, key=str), ids=str)
def test_iinfo_refuses_what_is_not_an_integer(dtype: DType) -> None:
    with pytest.raises(ValueError, match=f"iinfo: {dtype}"):
        iinfo(dtype)


def test_info_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        finfo(np.dtype("float32")).eps = 0.0  # type: ignore[misc]


@pytest.mark.parametrize("dtype", sorted(COMPLEX_FLOATING, key=str), ids=str)
def test_component_is_the_dtype_of_the_real_part(dtype: DType) -> None:
    assert COMPONENT[dtype] == np.zeros(1, dtype).real.dtype


@pytest.mark.parametrize("dtype", NUMPYS, ids=str)
def test_accumulator_is_the_dtype_of_numpys_sum(dtype: DType) -> None:
    assert ACCUMULATOR[dtype] == np.sum(np.ones(1, dtype)).dtype


@pytest.mark.parametrize(
    ("has_float64", "real", "pair"), [(True, "float64", "complex128"), (False, "float32", "complex64")]
)
def test_defaults_keep_to_what_the_device_has(has_float64: bool, real: str, pair: str) -> None:
    assert {kind: dtype.name for kind, dtype in defaults(has_float64).items()} == {
        "real floating": real,
        "complex floating": pair,
        "integral": "int64",
        "indexing": "int64",
    }


def test_the_plain_defaults_are_those_with_float64() -> None:
    assert defaults(True) == DEFAULTS
