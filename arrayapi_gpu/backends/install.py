"""The commands that install drivers.

They name the packages themselves, so they work wherever this package came from: an index, a checkout or a wheel.
"""

from __future__ import annotations

from typing import Final

# By the names of the extras of this package, which bring the same packages.
INSTALL: Final = {
    "cpu": "pip install pyopencl intel-opencl-rt intel-cmplr-lib-rt",
    "cuda12": 'pip install "cupy-cuda12x[ctk]"',
    "cuda13": 'pip install "cupy-cuda13x[ctk]"',
    "opencl": "pip install pyopencl",
    "pocl": 'pip install "pyopencl[pocl]" pocl-binary-distribution',
}
