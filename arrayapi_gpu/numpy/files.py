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
    """The arrays of an .npz file by name.

    Each is read, and copied to the device, when it is asked for.

    Parameters
    ----------
    file : numpy.lib.npyio.NpzFile
        The open file.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, x=[1, 2])
    >>> position = file.seek(0)
    >>> print(np.load(file)["x"])
    [1 2]
    """

    def __init__(self, file: Any):
        self._file = file

    @property
    def files(self) -> list[str]:
        """The names of the arrays.

        Examples
        --------
        >>> import io
        >>> file = io.BytesIO()
        >>> np.savez(file, [1, 2], y=[3])
        >>> position = file.seek(0)
        >>> sorted(np.load(file).files)
        ['arr_0', 'y']
        """
        names: list[str] = self._file.files
        return names

    def __getitem__(self, name: str) -> Any:
        return uploaded(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)

    def close(self) -> None:
        """Close the file.

        Examples
        --------
        >>> import io
        >>> file = io.BytesIO()
        >>> np.savez(file, x=[1, 2])
        >>> position = file.seek(0)
        >>> np.load(file).close()
        """
        self._file.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def load(
    file: Any, mmap_mode: Any = None, allow_pickle: bool = False, fix_imports: bool = True, encoding: Any = "ASCII",
    *, max_header_size: int = 10000,
) -> Any:  # fmt: skip
    """Read the arrays of an .npy or .npz file, and copy them to the device.

    Parameters
    ----------
    file : file, str or path
        The file.
    mmap_mode : {'r+', 'r', 'w+', 'c'}, optional
        If it is given, the result is a `numpy.memmap` on the host; `arrayapi_gpu.from_host` reads that block by block.
    allow_pickle : bool, default: False
        Whether to load pickled objects, which can execute any code.
    fix_imports : bool, default: True
        Whether names of modules of Python 2 are replaced.
    encoding : {'ASCII', 'latin1', 'bytes'}, default: 'ASCII'
        The encoding of strings of Python 2.
    max_header_size : int, default: 10000
        The largest size of a header.

    Returns
    -------
    Array, NpzFile or numpy.memmap
        The array of an .npy file, or the arrays of an .npz file by name.

    See Also
    --------
    arrayapi_gpu.load : The same for arrays of the standard's dtypes alone.

    References
    ----------
    NumPy, ``load``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, [1, 2])
    >>> position = file.seek(0)
    >>> print(np.load(file))
    [1 2]
    """
    found = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if hasattr(found, "files"):
        return NpzFile(found)
    return found if mmap_mode is not None else uploaded(found)


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Write an array to an .npy file.

    Parameters
    ----------
    file : file, str or path
        The file; a name without an extension gets ".npy".
    arr : array_like
        The array.
    allow_pickle : bool, default: True
        Whether to pickle objects.

    References
    ----------
    NumPy, ``save``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.array([1, 2]))
    >>> position = file.seek(0)
    >>> print(np.load(file))
    [1 2]
    """
    np.save(file, _on_host(arr), allow_pickle)


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write several arrays to an .npz file.

    Parameters
    ----------
    file : file, str or path
        The file; a name without an extension gets ".npz".
    *args : array_like
        Arrays that are named arr_0, arr_1 and so on.
    allow_pickle : bool, default: True
        Whether to pickle objects.
    **kwds : array_like
        Arrays by name.

    References
    ----------
    NumPy, ``savez``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez(file, np.array([1, 2]), y=np.array([3]))
    >>> position = file.seek(0)
    >>> print(np.load(file)["arr_0"])
    [1 2]
    """
    named = {name: _on_host(value) for name, value in kwds.items()}
    np.savez(file, *map(_on_host, args), allow_pickle=allow_pickle, **named)


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write several arrays to a compressed .npz file.

    Parameters
    ----------
    file : file, str or path
        The file; a name without an extension gets ".npz".
    *args : array_like
        Arrays that are named arr_0, arr_1 and so on.
    allow_pickle : bool, default: True
        Whether to pickle objects.
    **kwds : array_like
        Arrays by name.

    References
    ----------
    NumPy, ``savez_compressed``.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.savez_compressed(file, x=np.array([1, 2]))
    >>> position = file.seek(0)
    >>> print(np.load(file)["x"])
    [1 2]
    """
    named = {name: _on_host(value) for name, value in kwds.items()}
    np.savez_compressed(file, *map(_on_host, args), allow_pickle=allow_pickle, **named)


def savetxt(
    fname: Any, X: Any, fmt: Any = "%.18e", delimiter: str = " ", newline: str = "\n", header: str = "",
    footer: str = "", comments: str = "# ", encoding: str | None = None,
) -> None:  # fmt: skip
    r"""Write an array to a text file.

    Parameters
    ----------
    fname : file, str or path
        The file; one whose name ends in ".gz" is compressed.
    X : array_like
        The array, of one or two axes.
    fmt : str or sequence of str, default: '%.18e'
        The format of an element, of each column, or of a line.
    delimiter : str, default: ' '
        The text between columns.
    newline : str, default: '\n'
        The text between lines.
    header : str, default: ''
        A text at the beginning.
    footer : str, default: ''
        A text at the end.
    comments : str, default: '# '
        The text before header and footer.
    encoding : str, optional
        The encoding of the file.

    References
    ----------
    NumPy, ``savetxt``.

    Examples
    --------
    >>> import io
    >>> file = io.StringIO()
    >>> np.savetxt(file, np.array([1, 2]), "%d")
    >>> file.getvalue().split()
    ['1', '2']
    """
    np.savetxt(fname, _on_host(X), fmt, delimiter, newline, header, footer, comments, encoding)
