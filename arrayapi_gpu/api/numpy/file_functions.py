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
    """Write an array, or several, to a file in one of NumPy's formats.

    Parameters
    ----------
    file : str, path or binary file
        The file. A name without an extension gets ".npy" or ".npz".
    x : Array or mapping of str to Array
        An array, for the format npy; or arrays by name, for the format npz.

    Raises
    ------
    TypeError
        For bfloat16, which these formats do not support.

    See Also
    --------
    load : Read the file.

    Notes
    -----
    An array that is computed block by block (`from_host`) may read from the same file: it is written to a new file,
    which then replaces the old one.

    References
    ----------
    NumPy, ``save`` and ``savez``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> xp.save(file, xp.asarray([1.0, 2.0]))
    >>> position = file.seek(0)
    >>> print(xp.load(file))
    [1. 2.]
    """
    if isinstance(x, Mapping):
        np.savez(file, allow_pickle=False, **{name: _host(one) for name, one in x.items()})
    elif isinstance(file, (str, PathLike)) and _checked(x)._node.streamed and x.size:  # block by block
        name = os.fspath(file)
        _write_blocks(x, os.path.realpath(name if name.endswith(".npy") else f"{name}.npy"))
    else:
        np.save(file, _host(x), allow_pickle=False)


@by_name
def load(file: File, /, *, device: Device | str | None = None) -> Array | dict[str, Array]:
    """Read the arrays of a file in one of NumPy's formats.

    Parameters
    ----------
    file : str, path or binary file
        A file in the format npy or npz.
    device : Device or str, optional
        The device of the arrays; by default the default device.

    Returns
    -------
    Array or dict of str to Array
        The array of an npy file, or the arrays of an npz file by name.

    Raises
    ------
    TypeError
        For dtypes that are not in the standard.
    ValueError
        For other files.

    See Also
    --------
    save : Write such a file.
    from_host : Read a larger file block by block.

    References
    ----------
    NumPy, ``load``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> xp.save(file, {"x": xp.asarray([1, 2]), "y": xp.asarray([0.5])})
    >>> position = file.seek(0)
    >>> {name: x.tolist() for name, x in xp.load(file).items()}
    {'x': [1, 2], 'y': [0.5]}
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
