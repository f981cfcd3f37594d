"""Compiled kernels on disk, for all back ends.

The key of a binary is a digest of all that it depends on: the text, the options, compiler and device. Its file begins
with a digest of key and binary, so one that was cut off, changed, or put there under another name counts as absent.
Files appear whole, by a rename, so any number of processes may share the folder; two that compile the same text at once
write the same file twice.

Loaded files are run. So a file counts only if it belongs to this user or to root and no other user may write to it; a
folder in which others may write, such as one in /tmp, costs no more than binaries that vanish. There is no protection
against the user, nor against programs that run in the user's name, because the digests are no secret.

Folders of ``config.cache_dirs``, to which nothing is written, are looked into first: those of an image, say, which
`python -m arrayapi_gpu prepare` has filled. The folder is ``binaries`` in ``config.cache_dir``, otherwise in the user's
cache; `python -m arrayapi_gpu` names it. It may be deleted at any time, and is kept below `MAX_BYTES` bytes.
``config.set(cache=False)`` does not use it. A user without a home folder has no cache. The verdicts of trials
(`opencl_trial`) are kept here in the same way.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import itertools
import os
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

from ..config import config, log

DIGEST = 32  # bytes of a SHA-256
MAX_BYTES = 1 << 30  # bytes of all files; kernels are some 5 to 90 KiB, and those of SciPy's test suites 230 MB
TRIM_INTERVAL = 64  # files that a process writes between two looks at the size of the folder
DAY = 86400.0  # seconds; a file that is used is marked as used once in so long

# The lines of /proc/cpuinfo that do not change from one moment to the next, nor from one processor to its neighbour.
_PROCESSOR = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features")

_written = 0


def folder() -> Path | None:
    """Return the folder of the files; None where the user has no home folder and ``config`` names none."""
    if config.cache_dir is not None:
        return Path(config.cache_dir, "binaries")
    cache = user_cache()
    return None if cache is None else cache / "arrayapi_gpu" / "binaries"


def user_cache() -> Path | None:
    """Return the user's folder for caches of programs; None for a user without a home folder."""
    cache = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        return Path(cache) if cache else Path.home() / ".cache"
    except RuntimeError:  # HOME is not set, and the system does not know the user
        return None


def writable(place: Path) -> bool:
    """Return whether a folder can be written to, or made."""
    there = next(folder for folder in (place.absolute(), *place.absolute().parents) if os.path.exists(folder))
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


@functools.cache
def own_folder() -> Path | None:
    """Return a folder that this process deletes when it ends; None where none can be made.

    It is for compilers that do not work without a folder, where none can be kept.
    """
    try:
        folder = tempfile.mkdtemp(prefix="arrayapi_gpu-")
    except OSError:
        return None

    def remove(owner: int = os.getpid()) -> None:
        if os.getpid() == owner:  # a forked child does not own it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return Path(folder)


def file_of(key: bytes) -> Path | None:
    """Return the file of a key, whether it exists or not; None without the cache."""
    place = folder() if config.cache else None
    return None if place is None else place / f"{key.hex()}.bin"


def key_of(*facts: object) -> bytes:
    """Return the key of the binary that depends on these facts: texts, and others whose repr() is complete."""
    digest = hashlib.sha256()
    for fact in facts:
        text = fact if isinstance(fact, str) else repr(fact)  # a text may be long, so it is taken as it is
        content = text.encode()
        digest.update(f"{isinstance(fact, str)} {len(content)} ".encode())
        digest.update(content)
    return digest.digest()


def processor() -> str:
    """Return the system's description of the processor, with all its features; empty where there is none."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            first = itertools.takewhile(str.strip, file)  # lines of the first of several
            return "".join(line for line in first if line.startswith(_PROCESSOR))
    except OSError:
        return os.environ.get("PROCESSOR_IDENTIFIER", "")  # as Windows calls it


def load(key: bytes) -> bytes | None:
    """Return the binary of a key; None where there is none that can be trusted."""
    file = file_of(key)
    if file is None:
        return None
    return next((found for place in _places(file) if (found := _read(key, place)) is not None), None)


def is_kept(key: bytes) -> bool:
    """Return whether there is a file for a key."""
    file = file_of(key)
    return file is not None and any([place.exists() for place in _places(file)])


def _places(file: Path) -> list[Path]:
    """Return the files of a key in all folders, that of the user last."""
    folders = (config.cache_dirs or "").split(os.pathsep)
    return [*[Path(place, "binaries", file.name) for place in folders if place], file]


def _read(key: bytes, file: Path) -> bytes | None:
    """Return the binary in a file; None where it cannot be trusted."""
    try:
        with open(file, "rb", opener=_open) as opened:
            facts = os.fstat(opened.fileno())
            if not _trusted(facts):
                return None
            content = opened.read()
    except OSError:
        return None
    image = content[DIGEST:]
    if content[:DIGEST] != _digest(key, image):
        return None
    if time.time() - facts.st_mtime > DAY:
        with contextlib.suppress(OSError):
            os.utime(file)
    return image


def keep(key: bytes, image: bytes) -> None:
    """Write a binary; a folder that cannot be written to costs the cache, not the program."""
    global _written
    file = file_of(key)
    if file is None:
        return
    place = file.parent
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place)  # no other user may read or write it
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(_digest(key, image) + image)
            os.replace(name, file)
        except OSError:
            os.unlink(name)
            raise
        if _written % TRIM_INTERVAL == 0:
            _trim(place)
        _written += 1
    except OSError as error:
        if config.debug:
            log(f"{place} cannot be written to: {error}")


def sizes() -> list[int]:
    """Return the size of each file in bytes."""
    place = folder()
    return [] if place is None else [facts.st_size for _, facts in _files(place)]


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # so that a pipe of that name is not waited for


def _trusted(facts: os.stat_result) -> bool:
    if not stat.S_ISREG(facts.st_mode):
        return False
    return not hasattr(os, "getuid") or (facts.st_uid in (os.getuid(), 0) and not facts.st_mode & 0o022)


def _digest(key: bytes, image: bytes) -> bytes:
    return hashlib.sha256(key + image).digest()


def _files(place: Path) -> list[tuple[Path, os.stat_result]]:
    """Return the files of a folder, which other processes may delete meanwhile."""
    found = []
    with contextlib.suppress(OSError):
        for file in place.iterdir():
            with contextlib.suppress(OSError):
                found.append((file, file.lstat()))
    return found


def _trim(place: Path) -> None:
    """Delete the least recently used half of the files, once there is more than the limit.

    Files that a process left half-written when it was ended are deleted like others.
    """
    files = sorted(_files(place), key=lambda item: item[1].st_mtime)
    total = sum(facts.st_size for _, facts in files)
    if total <= MAX_BYTES:
        return
    for file, facts in files:
        if total <= MAX_BYTES // 2:
            return
        with contextlib.suppress(OSError):
            file.unlink()
            total -= facts.st_size
