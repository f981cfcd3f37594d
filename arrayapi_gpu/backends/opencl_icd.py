"""Finding OpenCL's drivers, among them those that pip installed.

The loader learns of drivers from .icd files, each of which names a library: those in the folder
OCL_ICD_VENDORS or, without that variable, in /etc/OpenCL/vendors. pyopencl's wheels add pip's PoCL
to these. Intel's package (intel-opencl-rt) has an .icd file in a place where no loader looks, with
a path that is not there. So while the loader looks, it is shown a folder with the system's files
and a right one for Intel. An OCL_ICD_VENDORS that the user has set stays as it is.
"""

from __future__ import annotations

import os
import shutil
import site
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyopencl as cl

from ..config import config

VENDORS = "OCL_ICD_VENDORS"

_SYSTEM = Path("/etc/OpenCL/vendors")


def platforms() -> list[Any]:
    """Return every cl.Platform, in the loader's order."""
    if config.cache_dir is not None:
        os.environ.setdefault("POCL_CACHE_DIR", os.path.join(config.cache_dir, "pocl"))
    if not config.cache:
        os.environ.setdefault("POCL_KERNEL_CACHE", "0")
    library = intel_library()
    if library is None or VENDORS in os.environ:
        return _platforms()
    with tempfile.TemporaryDirectory(prefix="arrayapi_gpu-") as folder:
        for file in _SYSTEM.glob("*.icd"):
            shutil.copy(file, folder)
        Path(folder, "intel-pip.icd").write_text(f"{library}\n", encoding="utf-8")
        os.environ[VENDORS] = folder
        try:
            return _platforms()
        finally:
            del os.environ[VENDORS]


def intel_library() -> Path | None:
    """Return the library of Intel's pip package, where that is installed."""
    if sys.platform.startswith("linux"):
        for root in (sys.prefix, site.getuserbase()):
            library = Path(root, "lib", "libintelocl.so")
            if library.exists():
                return library
    return None


def _platforms() -> list[Any]:
    try:
        return list(cl.get_platforms())
    except cl.Error:  # PLATFORM_NOT_FOUND_KHR: there is none
        return []
