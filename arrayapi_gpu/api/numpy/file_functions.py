"""Arrays in files of NumPy's formats npy and npz: extensions with NumPy's names."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.lib.format import open_memmap

from ...backends.base import Device
from ...lazy import settle
from ..core.arguments import by_name, refused
from ..core.array_object import Array
from ..standard.creation_functions import asarray

__all__ = ["load", "save"]

File = str | PathLike[str] | IO[bytes]


def save(file: File, x: Array | Mapping[str, Array], /) -> None:
    """Write an array to a file in NumPy's format npy, or a mapping of names to arrays in its format npz. Returns None.

    A file name without an extension gets one. An array that is computed block by block (`from_host`) may read from the
    same file, because it is written to a new file, which then replaces the old one. TypeError for bfloat16, which these
    formats do not support. Source: NumPy, ``save``.
    """
    if isinstance(file, Array):
        raise TypeError(
            f"save: got an array in place of the file, and {type(x).__name__} after it; write save(file, x)"
        )
    if isinstance(x, Mapping):
        np.savez(file, allow_pickle=False, **{name: _host(one) for name, one in x.items()})
    elif isinstance(file, (str, PathLike)) and _checked(x)._node.streamed and x.size:  # block by block
        name = os.fspath(file)
        _write_blocks(x, os.path.realpath(name if name.endswith(".npy") else f"{name}.npy"))
    else:
        np.save(file, _host(x), allow_pickle=False)


@by_name
def load(file: File, /, *, device: Device | str | None = None) -> Array | dict[str, Array]:
    """The array of an npy file, or a dict of the arrays of an npz file by name.

    ``device``: the device of the arrays. TypeError for dtypes that are not in the standard; ValueError for other files.
    Source: NumPy, ``load``.
    """
    found = np.load(file, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return asarray(found, device=device)
    with found:
        return {name: asarray(found[name], device=device) for name in found.files}


def _write_blocks(x: Array, name: str) -> None:
    """Write block by block to a new file, which then replaces the file ``name``, because ``x`` may read from that
    one."""
    part = f"{name}.{secrets.token_hex(4)}.part"
    try:
        out = open_memmap(part, "w+", x.dtype, x.shape)
        settle(x._node, out)
        out.flush()
        os.replace(part, name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _host(x: Any) -> np.ndarray[Any, Any]:
    return _checked(x).to_numpy()


def _checked(x: Any) -> Array:
    if not isinstance(x, Array):
        raise refused("save", x)
    if x.dtype.isbuiltin != 1:
        raise TypeError(f"save: got {x.dtype}; allowed: dtypes of NumPy's file formats; convert with astype(float32)")
    return x
