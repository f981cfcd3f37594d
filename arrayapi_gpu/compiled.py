"""The compiled form of the hot path.

Cython compiles the modules that have a .pxd file when the package is built (``hatch_build.py``). The extensions lie in
``_compiled``, and `install` lets them be imported in place of the modules, all or none, because types of one are known
to the others. The modules are imported as they are where a source has changed since, where the extensions are those of
another Python, and with ARRAYAPI_GPU_COMPILED=0. Both forms behave the same.

This module is imported before all others of the package, so it imports nothing of them. It refuses subinterpreters.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from types import ModuleType

PACKAGE = __name__.partition(".")[0]
SWITCH = "ARRAYAPI_GPU_COMPILED"

_root = os.path.dirname(os.path.abspath(__file__))
_folder = os.path.join(_root, "_compiled")


def require_main_interpreter() -> None:
    """ImportError in a subinterpreter, because NumPy and the extensions have one state for all of a process."""
    current, main = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main
    current.restype = main.restype = ctypes.c_void_p
    if current() != main():
        raise ImportError(f"{PACKAGE} cannot be imported in a subinterpreter: use threads or processes instead")


class Extensions:
    """A finder of the compiled modules, for ``sys.meta_path``. ``files``: the extension of each module, by its name."""

    def __init__(self, files: dict[str, str]):
        self.files = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self.files.get(fullname)
        if file is None:
            return None
        spec = ModuleSpec(fullname, ExtensionFileLoader(fullname, file), origin=file)
        spec.has_location = True
        return spec


def _extensions() -> dict[str, str] | str:
    """The extensions by the names of their modules, or why they are not used."""
    if os.environ.get(SWITCH) == "0":
        return f"{SWITCH} is 0"
    suffix = EXTENSION_SUFFIXES[0]
    try:
        with open(os.path.join(_folder, f"manifest{suffix}.json"), encoding="utf-8") as file:
            sources = json.load(file)
    except (OSError, ValueError):
        return "the package was built without a C compiler, or for another Python"
    files = {}
    for source, digest in sources.items():
        try:
            with open(os.path.join(_root, *source.split("/")), "rb") as file:
                current = hashlib.blake2b(file.read(), digest_size=16).hexdigest()
        except OSError:
            current = ""
        if current != digest:
            return f"{source} has changed since; python hatch_build.py compiles it again"
        stem, extension = os.path.splitext(source)
        if extension != ".pxd":
            name = f"{PACKAGE}.{stem.replace('/', '.')}"
            files[name] = os.path.join(_folder, f"{name}{suffix}")
    return files


def install() -> str:
    """Let the compiled modules be imported; return why they cannot be, or nothing."""
    found = _extensions()
    if isinstance(found, str):
        return found
    sys.meta_path.insert(0, Extensions(found))
    return ""


require_main_interpreter()
missing: str = install()  # why the Python form is used; empty in the compiled form
form: str = f"Python, because {missing}" if missing else "compiled"
