"""Finding OpenCL's drivers, among them those that pip installed.

The loader reads .icd files, each of which names a driver's library, from /etc/OpenCL/vendors or, if that is set, from the
folder OCL_ICD_VENDORS. pyopencl's wheels add pip's PoCL by themselves. Intel's package (`intel-opencl-rt`) brings an .icd
file with the path of another machine; so, while the loader looks for drivers, it is shown a folder with the system's
.icd files and a right one for Intel. A user's own OCL_ICD_VENDORS is left as it is.
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

_VARIABLE = "OCL_ICD_VENDORS"
_SYSTEM = Path("/etc/OpenCL/vendors")


def intel_library() -> Path | None:
    """The library of Intel's pip package, where that is installed."""
    for root in (sys.prefix, site.getuserbase()):
        library = Path(root, "lib", "libintelocl.so")
        if library.exists():
            return library
    return None


def platforms() -> list[Any]:
    """Every cl.Platform; none is an empty list."""
    if config.cache_dir is not None:
        os.environ.setdefault("POCL_CACHE_DIR", str(Path(config.cache_dir, "pocl")))
    library = intel_library() if sys.platform.startswith("linux") else None
    if library is None or _VARIABLE in os.environ:
        return _platforms()
    with tempfile.TemporaryDirectory(prefix="arrayapi_gpu-") as folder:
        for known in _SYSTEM.glob("*.icd"):
            shutil.copy(known, folder)
        Path(folder, "intel-pip.icd").write_text(f"{library}\n")
        os.environ[_VARIABLE] = folder
        try:
            return _platforms()
        finally:
            del os.environ[_VARIABLE]


def _platforms() -> list[Any]:
    try:
        return list(cl.get_platforms())
    except cl.Error:  # PLATFORM_NOT_FOUND_KHR: no driver at all
        return []
