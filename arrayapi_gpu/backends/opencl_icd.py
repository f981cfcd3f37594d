"""Finding OpenCL's drivers, among them those that pip installed.

The loader reads .icd files, and each names a library: those in the folder OCL_ICD_VENDORS or, without that variable, in
/etc/OpenCL/vendors. pyopencl's wheels add pip's PoCL to these. Intel's package (intel-opencl-rt) has an .icd file in a
place that no loader reads, with a path that does not exist. So while the loader runs, the variable names a folder with
the system's files and a correct one for Intel. An OCL_ICD_VENDORS in which the user names drivers stays as it is. One
that names none takes the place of the system's folder, and pip's drivers, PoCL and Intel's, are found in addition. On
Windows the loader reads the registry, and then OCL_ICD_FILENAMES for more libraries; this was never run.

PoCL reads its environment when it is first asked for devices, and only then. So its cache is put next to this library's
cache meanwhile, unless the user has placed it. Several PoCLs may share that folder, because the name of an entry is a
digest of PoCL's version, LLVM's version and the processor's name.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import site
import struct
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyopencl as cl

from ..config import config, log
from . import binaries
from .c_functions import addresses_of, function_of

VENDORS = "OCL_ICD_VENDORS"
LIBRARIES = "OCL_ICD_FILENAMES"  # Windows
POCL_VARIABLE = "POCL_CACHE_DIR"
POCL_CACHE = "POCL_KERNEL_CACHE"

_SYSTEM = Path("/etc/OpenCL/vendors")
_FUNCTIONS = 16  # entries of a driver's table that are read


def platforms() -> list[tuple[Any, list[Any]]]:
    """Return every cl.Platform with its devices, in the loader's order."""
    library = intel_library()
    with contextlib.ExitStack() as stack:
        wanted = {}
        if library is not None and sys.platform == "win32":
            wanted[LIBRARIES] = str(library)
            stack.enter_context(os.add_dll_directory(str(library.parent)))
        elif library is not None:
            try:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arrayapi_gpu-")))
                for file in Path(os.environ.get(VENDORS, _SYSTEM)).glob("*.icd"):
                    shutil.copy(file, folder)
                (folder / "intel-pip.icd").write_text(f"{library}\n", encoding="utf-8")
                wanted[VENDORS] = str(folder)
            except OSError as error:
                if config.debug:
                    log(f"{library}: the loader does not find this driver: {error}")
        pocl = pocl_folder()
        if pocl is not None:
            wanted[POCL_VARIABLE] = str(pocl)
        if not config.cache and POCL_CACHE not in os.environ:
            wanted[POCL_CACHE] = "0"
        stack.enter_context(_environment(wanted))
        return _platforms()


def pocl_folder() -> Path | None:
    """Return the folder of this library in which PoCL keeps its binaries; None where the user has chosen one.

    PoCL has no devices without such a folder. So where nothing can be kept, the folder is one of this process alone.
    """
    if POCL_VARIABLE in os.environ:
        return None
    place = binaries.folder()
    if place is not None and binaries.writable(place.parent):
        return place.with_name("pocl")
    own = binaries.own_folder()
    return None if own is None else own / "pocl"


def intel_library() -> Path | None:
    """Return the library of Intel's pip package; None where it is not installed or the user has named other drivers."""
    places = {"linux": (VENDORS, "lib/libintelocl.so"), "win32": (LIBRARIES, "Library/bin/intelocl64.dll")}
    variable, place = places.get(sys.platform, (None, ""))
    if variable is not None and not _names_drivers(os.environ.get(variable)):
        # Debian's pip has another prefix than its Python.
        for root in (sys.prefix, sysconfig.get_path("data"), site.getuserbase()):
            library = Path(root, place)
            if library.exists():
                return library
    return None


def _names_drivers(place: str | None) -> bool:
    """Return whether the value of a loader's variable names drivers; a folder may hold none."""
    return place is not None and not (os.path.isdir(place) and not any(Path(place).glob("*.icd")))


def library_of(platform: Any) -> Path | None:
    """Return the file of the driver behind a cl.Platform; None where the system does not report it.

    OpenCL does not report it. But by the extension cl_khr_icd, which loaders use, each object of a driver begins with a
    pointer to the table of the driver's functions, and Linux lists the file at each address. Memory is read through
    /proc/self/mem, where a wild pointer gives an error and no crash.
    """
    try:
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            (table,) = _words(memory.fileno(), platform.int_ptr, 1)
            functions = _words(memory.fileno(), table, _FUNCTIONS)
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                extent, _, _, _, _, *path = line.rstrip("\n").split(maxsplit=5)
                first, end = (int(address, 16) for address in extent.split("-"))
                if path and path[0].startswith("/") and any(first <= function < end for function in functions):
                    return Path(path[0])
    except (OSError, OverflowError, ValueError, struct.error):
        pass
    return None


@cache
def launch_functions() -> tuple[int, ...] | None:
    """Return the addresses of clSetKernelArg and clEnqueueNDRangeKernel; None where they are not found.

    They are those of the loader that pyopencl uses, because its extension is linked with it: a name that is looked up
    in an extension is also found in the libraries with which it is linked, except on Windows.
    """
    names = "clSetKernelArg", "clEnqueueNDRangeKernel"
    return addresses_of([function_of(cl._cl.__file__, name) for name in names])


def _words(memory: int, address: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"={count}Q", os.pread(memory, 8 * count, address))


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Set variables inside the block, and restore the former values after it."""
    before = {name: os.environ[name] for name in wanted if name in os.environ}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            os.environ.pop(name, None)
        os.environ.update(before)


def _platforms() -> list[tuple[Any, list[Any]]]:
    found: list[tuple[Any, list[Any]]] = []
    with contextlib.suppress(cl.Error):  # PLATFORM_NOT_FOUND_KHR: there is none
        for platform in cl.get_platforms():
            with contextlib.suppress(cl.Error):  # a platform without devices
                found.append((platform, []))
                found[-1][1].extend(platform.get_devices())
    return found
