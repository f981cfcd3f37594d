"""The axes and lengths of transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard.transform_arguments import checked_norm, numeric_input, places_and_lengths

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    ("lengths", "axes", "halved", "expected"),
    [
        (None, None, False, ((0, 1), (3, 5))),
        (None, (-1,), False, ((1,), (5,))),
        ((-1, 7), (1, 0), False, ((1, 0), (5, 7))),
        (None, (1,), True, ((1,), (8,))),
        ((None,), (0,), False, ((0,), (3,))),
    ],
)
def test_places_and_lengths(lengths: Any, axes: Any, halved: bool, expected: Any) -> None:
    assert places_and_lengths("fftn", xp.ones((3, 5)), lengths, axes, halved) == expected


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("n", [-1, -2, 0])
def test_lengths_of_one_axis_are_positive(name: str, n: int) -> None:
    """Only transforms of several axes take -1 for a whole axis."""
    with pytest.raises(ValueError, match=rf"^{name}: length {n} along axis 0 of shape \(4,\)"):
        getattr(xp.fft, name)(xp.ones(4), n=n)


@pytest.mark.parametrize(
    ("lengths", "axes", "words"),
    [((2,), None, "without axes"), ((2,), (0, 1), "1 lengths for 2 axes"), ((0,), (0,), "length 0 along axis 0")],
)
def test_wrong_lengths(lengths: Any, axes: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^f: .*{words}"):
        places_and_lengths("f", xp.ones((3, 5)), lengths, axes)


def test_input_and_norm() -> None:
    assert numeric_input("f", xp.ones(2, dtype=xp.int8), real=True).dtype in (np.float64, np.float32)
    with pytest.raises(TypeError, match="f: got bool"):
        numeric_input("f", xp.ones(2, dtype=xp.bool), real=False)
    assert checked_norm("f", "ortho") == "ortho"
    with pytest.raises(ValueError, match="f: norm is None"):
        checked_norm("f", None)
