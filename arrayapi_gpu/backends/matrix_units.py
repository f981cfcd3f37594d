"""Processors that multiply matrices themselves: which do, and the words for it, in `matrix_units.h`."""

from __future__ import annotations

import importlib.resources

from .templates import expanded, filled

NVIDIA_FROM = 80  # the first compute capability whose matrix units work as the words have it


def nvidia_fragments(capability: int) -> frozenset[str]:
    """Return `Device.fragments` of a processor of NVIDIA's with a compute capability, such as 90, in any driver.

    Signed integers are multiplied as unsigned ones, since both wrap.
    """
    return frozenset({"u8", "f16", "bf16", "f64", "c128"} if capability >= NVIDIA_FROM else ())


def fragment_words(short: str, wide: str) -> str:
    """Return the words for a processor's matrix units, which stand behind the dialect where they are used, for matrices
    of a dtype and sums of another one."""
    text = importlib.resources.files(__package__).joinpath("matrix_units.h").read_text("utf-8")
    return filled(expanded(text), {"T": short, "W": wide})
