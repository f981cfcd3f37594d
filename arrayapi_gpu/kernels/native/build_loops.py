"""The build of the loops: `build` compiles them into one library for each level of the processor's instructions."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

from ...backends import native, native_compiler, native_library
from ..loops import loops
from . import ready_kernels

_OWN = (*native_compiler.HERE, "-shared")  # options of a kernel that is compiled where it runs
UNITS = 16  # of translation: of numbers, and of registers


def build(folder: Path, levels: Iterable[str], objects: Path) -> list[Path]:
    """Compile into ``folder`` the libraries that it lacks; return the files of the levels.

    ``objects``: the folder of translation units that were compiled before. OSError: there is no C compiler, or it
    fails.
    """
    found = native_compiler.compiler()
    if found is None:
        raise OSError("there is no C compiler")
    command, version = found
    # gcc takes ten times as long as clang for registers of many lanes, so it gets loops over numbers alone.
    fixed = [_fixed("backends", "native_runtime.c"), _fixed("kernels/loops", "blocks.c")]
    fixed += loops.texts(UNITS, registers="clang" in version)
    made, digest = [], native_library.sources()
    for level in levels:
        options = [option for option in native_compiler.options_of(version) if option not in _OWN]
        options += [f"-march={level}"] if re.match("x86", level) else []
        file = folder / native_library.file_name(level)
        mark = native_library.mark_of(file)
        if not (file.exists() and mark.exists() and mark.read_text(encoding="ascii") == digest):
            _compile([command, *options], version, [*fixed, *_kernels(level)], objects, file)
            mark.write_text(digest, encoding="ascii")
        made += [file, mark]
    return made


def _kernels(level: str) -> list[str]:
    prelude = native_library.prelude(native.LANES_16)
    return [
        native_library.before(source, prelude)
        + source
        + native_compiler.entry(source, name, native_library.symbol_of(source, name))
        for source, name in ready_kernels.texts(level)
    ]


def _fixed(room: str, name: str) -> str:
    folder = files(__package__.partition(".")[0])
    return folder.joinpath(*room.split("/"), name).read_text(encoding="utf-8")


def _compile(command: list[str], version: str, texts: list[str], objects: Path, file: Path) -> None:
    objects.mkdir(parents=True, exist_ok=True)

    def one(text: str) -> str:
        key = "\n".join([version, *command, text])
        target = objects / f"{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}.o"
        if not target.exists():
            with tempfile.TemporaryDirectory(dir=objects) as place:
                new = Path(place, "unit.o")
                _run([*command, "-c", "-x", "c", "-", "-o", str(new)], text)
                os.replace(new, target)
        return str(target)

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        made = list(threads.map(one, texts))
    file.parent.mkdir(exist_ok=True)
    new = file.with_suffix(".new")
    _run([*command, "-shared", "-s", *made, "-o", str(new), "-lm", "-lpthread"], "")
    os.replace(new, file)


def _run(command: list[str], text: str) -> None:
    complaint = native_compiler.complaint_of(command, text)
    if complaint:
        raise OSError(f"{command[0]} fails: {complaint[:2000]}")
