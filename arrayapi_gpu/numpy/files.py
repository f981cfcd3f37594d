"""NumPy's functions of files: arrays are copied to the host to be saved, and to the device when they are loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import Array
from .functions import uploaded


def _on_host(value: Any) -> Any:
    return value.to_numpy() if isinstance(value, Array) else value


class NpzFile(Mapping[str, Any]):
    """The arrays of an .npz file by name; each is read, and copied to the device, when it is asked for."""

    def __init__(self, file: Any):
        self._file = file

    @property
    def files(self) -> list[str]:
        """The names of the arrays."""
        names: list[str] = self._file.files
        return names

    def __getitem__(self, name: str) -> Any:
        return uploaded(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def load(
    file: Any, mmap_mode: Any = None, allow_pickle: bool = False, fix_imports: bool = True, encoding: Any = "ASCII",
    *, max_header_size: int = 10000,
) -> Any:  # fmt: skip
    """The array of an .npy file, or the arrays of an .npz file by name, copied to the device.

    With ``mmap_mode``, a `numpy.memmap` on the host; `arrayapi_gpu.from_host` reads it in blocks.
    """
    found = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if hasattr(found, "files"):
        return NpzFile(found)
    return found if mmap_mode is not None else uploaded(found)


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Save an array to an .npy file."""
    np.save(file, _on_host(arr), allow_pickle)


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Save several arrays to an .npz file: those by position as arr_0, arr_1 ..., the others by name."""
    named = {name: _on_host(value) for name, value in kwds.items()}
    np.savez(file, *map(_on_host, args), allow_pickle=allow_pickle, **named)


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Save several arrays to a compressed .npz file, as `savez` does."""
    named = {name: _on_host(value) for name, value in kwds.items()}
    np.savez_compressed(file, *map(_on_host, args), allow_pickle=allow_pickle, **named)


def savetxt(
    fname: Any, X: Any, fmt: Any = "%.18e", delimiter: str = " ", newline: str = "\n", header: str = "",
    footer: str = "", comments: str = "# ", encoding: str | None = None,
) -> None:  # fmt: skip
    """Save an array to a text file."""
    np.savetxt(fname, _on_host(X), fmt, delimiter, newline, header, footer, comments, encoding)
