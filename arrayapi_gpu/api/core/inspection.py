"""Inspection (standard, chapter "Inspection"), and the choice of the standard's revision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends import default_device, devices, get_device
from ...backends.base import Device
from ...memory.dtypes import KINDS, PROPERTIES, SHORT, defaults

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class Info:
    """Answer questions about the namespace on this machine.

    References
    ----------
    Array API standard, chapter "Inspection".

    Examples
    --------
    >>> info = xp.__array_namespace_info__()
    >>> info.capabilities()["boolean indexing"]
    True
    """

    def capabilities(self) -> dict[str, Any]:
        """Return the capabilities that the standard names.

        Returns
        -------
        dict of str
            "boolean indexing" and "data-dependent shapes" are True; "max dimensions" is None, because the number of
            axes is not limited.

        Examples
        --------
        >>> xp.__array_namespace_info__().capabilities()["max dimensions"] is None
        True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """Return the device on which arrays are made if no device is given.

        Returns
        -------
        Device
            The device; ``config.device`` chooses another one.

        Examples
        --------
        >>> xp.__array_namespace_info__().default_device() == xp.zeros(2).device
        True
        """
        return default_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """Return the default dtype of each kind.

        Parameters
        ----------
        device : Device, str or None
            The device. None is the default device.

        Returns
        -------
        dict of str
            The dtypes by "real floating", "complex floating", "integral" and "indexing".

        Examples
        --------
        >>> xp.__array_namespace_info__().default_dtypes()["integral"]
        dtype('int64')
        """
        kinds = defaults("f64" in get_device(device).dtypes)
        return {kind: kinds[kind] for kind in ("real floating", "complex floating", "integral", "indexing")}

    def devices(self) -> tuple[Device, ...]:
        """Return all devices of this machine.

        Returns
        -------
        tuple of Device
            The devices. The first is the default device, unless ``config.device`` chooses another one.

        Examples
        --------
        >>> info = xp.__array_namespace_info__()
        >>> info.default_device() in info.devices()
        True
        """
        return devices()

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the standard's dtypes that a device supports.

        Parameters
        ----------
        device : Device, str or None
            The device. None is the default device.
        kind : str, tuple of str or None
            A kind, such as "integral", or several, as in `isdtype`. None takes all dtypes.

        Returns
        -------
        dict of str
            The dtypes by their names.

        Raises
        ------
        ValueError
            For an unknown kind.

        Examples
        --------
        >>> list(xp.__array_namespace_info__().dtypes(kind="signed integer"))
        ['int8', 'int16', 'int32', 'int64']
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
