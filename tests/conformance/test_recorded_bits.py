"""The same bits on every device, and since the record was written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from conformance import bits


@pytest.mark.parametrize(
    ("share", "pattern"), [(24, ""), (1, "special.* float32")], ids=["a share", "special functions"]
)
def test_bits_are_those_of_the_record(device: Device, share: int, pattern: str) -> None:
    record = json.loads(bits.RECORD.read_text(encoding="utf-8"))
    found = bits.hashes(device, share, pattern)
    assert bits.differences(found, record) == []
    assert {name for name in found if "lanes" not in name} <= record.keys()


def test_a_difference_is_found() -> None:
    assert bits.differences({"a": "1", "b": "2", "new": "3"}, {"a": "1", "b": "9", "old": "4"}) == ["b"]


def test_the_last_bit_the_sign_of_zero_and_the_dtype_count() -> None:
    one = np.array([1.0, 0.0, np.nan])
    others = [np.nextafter(one, 2), one * [1, -1, 1], one.astype(np.float32), one.reshape(3, 1)]
    assert bits.digest(one) not in map(bits.digest, others)


def test_nans_are_alike() -> None:
    nan = np.array([np.nan, 1.0])
    assert bits.digest(nan) == bits.digest(np.copysign(nan, [-1, 1]))
    assert bits.digest(nan + 0j) == bits.digest(np.copysign(nan, [-1, 1]) + 0j)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex128"])
def test_operands_are_the_same_everywhere(dtype: str) -> None:
    """They come from integer arithmetic alone: these hashes hold on any machine."""
    known = {
        "bool": "3e88429954390604",
        "uint8": "bcefaf1de50e673d",
        "int64": "6181abd699cfe9e8",
        "float16": "b0108060dbf08c31",
        "float32": "2091de58c391f119",
        "complex128": "d82e4ae327fd745a",
    }
    assert bits.digest(bits.operand(np.dtype(dtype), 1)) == known[dtype]
