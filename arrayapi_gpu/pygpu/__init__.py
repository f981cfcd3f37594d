"""The API of pygpu 0.7 on arrays of this package: `import arrayapi_gpu.pygpu as pygpu`.

Names, arguments, defaults and exceptions are those of libgpuarray's Python module. A `GpuArray` wraps an `Array` and
shares its memory, so both APIs can be mixed. docs/how-to/from-pygpu.md lists the differences and their reasons.
"""

from __future__ import annotations

from .. import __version__ as __version__
from . import (
    basic as basic,
    blas as blas,
    collectives as collectives,
    gpuarray as gpuarray,
    operations as operations,
    tools as tools,
)
from ._array import ndgpuarray as ndgpuarray
from .gpuarray import (
    array as array,
    asarray as asarray,
    ascontiguousarray as ascontiguousarray,
    asfortranarray as asfortranarray,
    empty as empty,
    get_default_context as get_default_context,
    init as init,
    register_dtype as register_dtype,
    set_default_context as set_default_context,
    zeros as zeros,
)
from .operations import (
    array_split as array_split,
    concatenate as concatenate,
    dsplit as dsplit,
    dstack as dstack,
    hsplit as hsplit,
    hstack as hstack,
    split as split,
    vsplit as vsplit,
    vstack as vstack,
)
