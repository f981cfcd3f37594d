"""Inspection (standard, chapter "Inspection"), and the choice of the standard's revision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends import default_device, devices, get_device
from ...backends.base import Device
from ...memory.dtypes import KINDS, PROPERTIES, SHORT, defaults

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Info:
    """Facts about the namespace on this machine (standard, ``__array_namespace_info__``)."""

    def capabilities(self) -> dict[str, Any]:
        """A dict of the standard's capabilities: boolean indexing and data-dependent shapes are supported, and the
        number of axes is not limited."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """The device on which arrays are created if ``device=`` is not given."""
        return default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """The default dtype of each kind: "real floating", "complex floating", "integral", "indexing"."""
        kinds = defaults("f64" in get_device(device).dtypes)
        return {kind: kinds[kind] for kind in ("real floating", "complex floating", "integral", "indexing")}

    def devices(self) -> tuple[Device, ...]:
        """All devices of this machine, the default first."""
        return devices()

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes that a device supports, by name; ``kind``: a kind or a tuple of kinds, as in `isdtype`.

        ValueError for an unknown kind.
        """
        have = get_device(device).dtypes
        kinds = tuple(KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for word in kinds:
            if word not in KINDS:
                raise ValueError(f"dtypes: kind {word!r}; allowed: {', '.join(KINDS)} and tuples of them")
        return {
            dtype.name: dtype
            for dtype, short in SHORT.items()
            if short in have and PROPERTIES[dtype].standard and any(dtype in KINDS[word] for word in kinds)
        }


def __array_namespace_info__() -> Info:
    """Facts about the namespace: capabilities, devices, dtypes. Source: standard, chapter "Inspection"."""
    return Info()


def check_version(api_version: str | None) -> None:
    """Raise ValueError for a revision of the standard that the namespace does not implement."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(f"api_version {api_version!r}; allowed: None, {', '.join(VERSIONS)}")
