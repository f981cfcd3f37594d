"""Run one program on NumPy and on arrayapi_gpu: picture, times, greatest difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arrayapi_gpu
from arrayapi_gpu.backends import default_device
from bench.measure import measure, once
from bench.png import to_bytes, write_png

PICTURES = Path("build/demo")

# Float32 accuracy for brightness of 0 to 1: eight units in the last place of 1. Devices that round
# + - * / sqrt as IEEE 754 says differ by nothing at all.
TOLERANCE = 8 * float(np.finfo(np.float32).eps)


def compare(name: str, program: Callable[[Any], Any]) -> bool:
    """Write NAME.png and NAME_numpy.png, print what was found, tell whether they are equal.

    `program(xp)` returns a float32 array of brightness 0..1, of shape (height, width) or
    (3, height, width).
    """
    print(f"{name}: NumPy ...", end=" ", flush=True)
    want = np.asarray(program(np))
    print("arrayapi_gpu ...", end=" ", flush=True)
    first, got = once(lambda: np.asarray(program(arrayapi_gpu)))
    print("both again, for the time ...", flush=True)
    arrayapi_gpu.config.set(wait_for_compiler=True)
    numpy = measure(lambda: program(np), _nothing)
    ours = measure(lambda: np.asarray(program(arrayapi_gpu)), _nothing)
    arrayapi_gpu.config.set(wait_for_compiler=False)
    assert isinstance(got, np.ndarray)
    difference = float(np.max(np.abs(got - want)))
    write_png(PICTURES / f"{name}.png", to_bytes(_rows_first(got)))
    write_png(PICTURES / f"{name}_numpy.png", to_bytes(_rows_first(want)))

    equal = got.dtype == want.dtype and difference <= TOLERANCE
    device = default_device()
    print(f"  device               {device.name}: {device.description}")
    print(f"  NumPy                {numpy * 1e3:10.2f} ms")
    print(f"  arrayapi_gpu         {ours * 1e3:10.2f} ms   first run {first * 1e3:.0f} ms")
    print(f"  speed-up             {numpy / ours:10.2f} times")
    print(f"  greatest difference  {difference:10.2g}   {'equal' if equal else 'NOT EQUAL'}")
    return equal


def _nothing() -> None:
    """What there is to wait for: the results are there when a call ends."""


def _rows_first(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Put the channels, if there are any, last."""
    return np.moveaxis(picture, 0, -1) if picture.ndim == 3 else picture
