"""The native back end's library, compiled ahead of time when the package was built: one file for each level of the
processor's instructions (`kernels.native.build_loops`)."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import platform
import re
from array import array
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..config import unusual
from .base import Buffer, HostArray, dialect
from .binaries import processor
from .c_functions import address_of
from .events import Report

try:
    from .launching import NativeLaunch
except ImportError:  # in the Python form
    NativeLaunch = None  # type: ignore[assignment,misc]

PLACE_OF_FILES = "_compiled"
_REGISTER_LANES = re.compile(r"^#define REGISTER_LANES (\d+)$", re.MULTILINE)

# The levels of x86-64 (its psABI) and features that Linux lists for them, the highest first.
PROCESSOR_LEVELS: dict[str, frozenset[str]] = {
    "x86-64-v4": frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    "x86-64-v3": frozenset({"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}),
    "x86-64-v2": frozenset({"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
}


# Rooms with sources of the library, and the ends of the sources' names.
_SOURCES = (
    ("backends", ("dialect.h", "native_prelude.h", "native_runtime.c", "native_compiler.py")),
    ("kernels/functions", (".c",)),
    ("kernels/loops", (".c", "loops.py")),
    ("kernels/native", ("build_loops.py", "ready_kernels.py")),
    ("kernels/core", ("ops.py", "monoid.py", "library.py", "tuning.py")),
    ("kernels/maps", ("scatter_add.c", "scatter_add.py")),
    ("kernels/ordering", ("scan.c", "scan.py")),
    ("kernels/reductions", ("matmul.c", "matmul.py", "pieces.py")),
    ("kernels/routines", (".c", "matrices.py")),
)


# A scalar of a program: its word, its kind (one of float, complex and int, which holds integers and booleans; None for
# any other), and the bytes of one.
Number = tuple[int, type | None, int]


class Program(Protocol):
    """A program of loops. It runs on buffers, with scalars, and with the offsets of its arrays (None: those in its
    words)."""

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None: ...


class NativeLoops:
    """The library. ``launch`` launches kernels."""

    def __init__(self, file: Path):
        self._library = ctypes.CDLL(str(file))
        self._found: dict[str, int | None] = {}
        self.launch: Any = launcher(self._library)
        self._blocks = address_of(self._library.native_blocks)

    def find(self, name: str) -> int | None:
        """Return the address of a loop; None where the library lacks it."""
        if name not in self._found:
            function = getattr(self._library, name, None)
            self._found[name] = None if function is None else address_of(function)
        return self._found[name]

    def kernel(self, source: str, name: str) -> tuple[int, int, int] | None:
        """Return the address of a kernel that was compiled from this text, the number of its buffers and the bytes of
        its parameters; None where the library lacks it."""
        symbol = symbol_of(source, name)
        address = self.find(f"run_{symbol}")
        if address is None:
            return None
        buffers, parameters = (ctypes.c_int * 2).in_dll(self._library, f"takes_{symbol}")
        return address, buffers, parameters

    def cast(self, source: HostArray, name: str, dtype: np.dtype[Any]) -> HostArray:
        """Return the elements in another dtype. ``name``: of the device function."""
        address = self.find(f"loop_{name}")
        assert address is not None, "there is a loop for each cast"
        source, result = np.ascontiguousarray(source), np.empty(source.shape, dtype)
        operands = (ctypes.c_void_p * 1)(source.ctypes.data)
        _LOOP(address)(result.ctypes.data, operands, source.size)
        return result

    def program(
        self,
        words: bytes,
        places: list[tuple[int, int]],
        numbers: list[Number],
        packed: Callable[[int, Any], bytes],
        groups: int,
        threads: int,
        alone: bool,
        listeners: dict[int, Any],
        report: Report,
    ) -> Program:
        """Return a program of loops, given its words (blocks.c) and the number of its groups.

        ``places``: the word of each offset, and the bytes of an element; ``packed``: a function that gives the bytes of
        a scalar, by its number, in two words; ``threads``: at most so many; ``alone``: the program is so short that
        other threads of Python may wait; ``report``: it is called before and after each run, except where there are
        neither ``listeners`` nor unusual settings.
        """
        if NativeLaunch is None:
            return PythonProgram(self.launch, self._blocks, words, places, numbers, packed, groups, threads, report)
        launched: Program = NativeLaunch(
            address_of(self.launch), self._blocks, words, places, numbers, packed, groups, threads, alone, listeners,
            unusual, report,
        )  # fmt: skip
        return launched


class PythonProgram:
    """`NativeLoops.program` in the Python form."""

    def __init__(
        self,
        launch: Any,
        blocks: int,
        words: bytes,
        places: list[tuple[int, int]],
        numbers: list[Number],
        packed: Callable[[int, Any], bytes],
        groups: int,
        threads: int,
        report: Report,
    ):
        self._launch, self._blocks, self._groups, self._threads = launch, blocks, groups, threads
        self._words, self._places, self._numbers, self._packed = words, places, numbers, packed
        self._report = report

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        words = array("q", self._words)
        for number, ((place, _, _), scalar) in enumerate(zip(self._numbers, scalars, strict=True)):
            words[place : place + 2] = array("q", self._packed(number, scalar))
        if offsets is not None:
            for (place, itemsize), offset in zip(self._places, offsets, strict=True):
                words[place] = offset * itemsize
        pointers = (ctypes.c_void_p * len(buffers))(*[buffer.handle for buffer in buffers])
        started = self._report.start()
        if self._launch(self._blocks, pointers, words.tobytes(), self._groups, 1, 0, self._threads):
            raise MemoryError("native: no memory for the values of a block; free some of the host's memory")
        if started is not None:
            self._report.note(started)


_LOOP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


def prelude(lanes: int) -> str:
    """Return the dialect's text before each kernel, for registers of so many lanes."""
    return f"#define LANES {lanes}\n{dialect('native_prelude.h')}"


def before(source: str, prelude: str) -> str:
    """Return the prelude of a kernel, for registers of as many lanes as its text defines as REGISTER_LANES, if any."""
    own = _REGISTER_LANES.search(source)
    return prelude if own is None else f"#define LANES {own[1]}\n{prelude.partition(chr(10))[2]}"


def symbol_of(source: str, name: str) -> str:
    """Return the symbol of a kernel that is compiled ahead of time."""
    return hashlib.blake2b(f"{name} {source}".encode(), digest_size=12).hexdigest()


def levels() -> list[str]:
    """Return the levels that this processor has, the highest first; on other processors their kind."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return [platform.machine().lower()]
    features = set(processor().replace("\n", " ").split())
    names = list(PROCESSOR_LEVELS)
    return [name for k, name in enumerate(names) if all(features >= PROCESSOR_LEVELS[lower] for lower in names[k:])]


def sources() -> str:
    """Return the digest of the sources of the library."""
    root = files(__package__.partition(".")[0])
    digest = hashlib.blake2b(digest_size=16)
    for folder, ends in _SOURCES:
        room = root.joinpath(*folder.split("/"))
        for file in sorted(room.iterdir(), key=lambda file: file.name):
            if file.name.endswith(ends):
                digest.update(file.read_bytes())
    return digest.hexdigest()


def file_name(level: str) -> str:
    """Return the name of the library of a level."""
    return f"native-{level}.so"


def mark_of(file: Path) -> Path:
    """Return the file with the digest of the sources of a library."""
    return file.with_suffix(".digest")


@functools.cache
def loops() -> NativeLoops | None:
    """Return the library of the highest level that this processor has; None where none was built, or where a source has
    changed since."""
    folder = Path(str(files(__package__.partition(".")[0]))) / PLACE_OF_FILES
    for level in levels():
        file = folder / file_name(level)
        with contextlib.suppress(OSError, AttributeError):
            if file.exists() and mark_of(file).read_text(encoding="ascii") == sources():
                return NativeLoops(file)
    return None


def launcher(library: Any) -> Any:
    """Return the function of a library that launches kernels (native_runtime.c)."""
    function = library.native_launch
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    function.argtypes = (pointer, pointer, pointer, ctypes.c_int64, integer, integer, integer)
    function.restype = integer  # whether memory was lacking
    return function
