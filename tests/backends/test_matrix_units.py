"""The words for matrix units: which processors have them, and what stands in the text for which dtype."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends.matrix_units import NVIDIA_FROM, fragment_words, nvidia_fragments


def test_older_processors_have_none() -> None:
    assert nvidia_fragments(NVIDIA_FROM - 5) == frozenset()
    assert nvidia_fragments(NVIDIA_FROM) == {"u8", "f16", "bf16", "f64", "c128"}


@pytest.mark.parametrize(
    ("short", "wide"), [("u8", "u32"), ("f16", "f32"), ("bf16", "f32"), ("f64", "f64"), ("c128", "c128")]
)
def test_every_word_is_defined_for_a_dtype(short: str, wide: str) -> None:
    text = fragment_words(short, wide)
    for word in ("UNIT", "LENGTH", "PLACE", "COPY", "FRAGMENT_A", "FRAGMENT_B", "ADD_PRODUCT"):
        assert f"{word}_{short}(" in text or f"{word}_{short} " in text
    assert "$" not in text
