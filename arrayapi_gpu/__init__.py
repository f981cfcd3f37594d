"""The Python array API standard, revision 2025.12, on CPUs, NVIDIA GPUs and OpenCL devices.

    import arrayapi_gpu as xp

Arrays are lazy: an expression is computed when its values are needed, in as few kernels as possible. The module
`arrayapi_gpu.numpy` has NumPy's names and signatures. Examples in docstrings assume the import above. ``help(xp.sum)``
describes one function.

Creation functions
    arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones, ones_like,
    tril, triu, zeros, zeros_like
Data type functions
    astype, can_cast, finfo, iinfo, isdtype, result_type
Element-wise functions
    abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert, bitwise_left_shift,
    bitwise_or, bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign, cos, cosh, divide, equal, exp, expm1,
    floor, floor_divide, greater, greater_equal, hypot, imag, isfinite, isinf, isnan, less, less_equal, log, log1p,
    log2, log10, logaddexp, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative,
    nextafter, not_equal, positive, pow, real, reciprocal, remainder, round, sign, signbit, sin, sinh, sqrt, square,
    subtract, tan, tanh, trunc
Indexing functions
    take, take_along_axis
Linear algebra functions
    matmul, matrix_transpose, tensordot, vecdot
Manipulation functions
    broadcast_arrays, broadcast_shapes, broadcast_to, concat, expand_dims, flip, moveaxis, permute_dims, repeat,
    reshape, roll, squeeze, stack, tile, unstack
Searching functions
    argmax, argmin, count_nonzero, nonzero, searchsorted, where
Set functions
    isin, unique_all, unique_counts, unique_inverse, unique_values
Sorting functions
    argsort, sort
Statistical functions
    cumulative_prod, cumulative_sum, max, mean, min, prod, std, sum, var
Utility functions
    all, any, diff
NumPy's functions that the standard does not have
    add_at, argpartition, array_split, atleast_1d, atleast_2d, atleast_3d, average, bincount, convolve, corrcoef, cov,
    cross, cumprod, cumsum, delete, diag, dsplit, einsum, fliplr, flipud, gcd, gradient, histogram, hsplit, insert,
    interp, kron, lcm, load, logspace, median, nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmean, nanmedian,
    nanmin, nanprod, nanquantile, nanstd, nansum, nanvar, pad, partition, put_along_axis, quantile, resize, rollaxis,
    rot90, save, split, topk, transpose, trapezoid, vsplit
Evaluation and memory
    benchmark, compute, explain, memory, record, sync, from_gpudata, from_host
Kernels of your own
    ElementwiseKernel, GpuKernel, RawKernel, ReductionKernel, ScanKernel
Data types
    bool, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32,
    uint64, bfloat16 (with ml_dtypes)
Constants
    e, inf, nan, newaxis, pi
Other classes and objects
    Array, Memory, Records, config
Modules
    fft, lib, linalg, random, special

This module imports one module for each chapter of the standard. Importing it does not load a driver.
"""

from __future__ import annotations

import sys as _sys
import typing as _typing
from types import ModuleType as _ModuleType

from . import compiled as compiled  # isort: skip  # first, because it decides where the others come from

from . import fft as fft, lib as lib, linalg as linalg, special as special
from .api import registrations as _registrations
from .api.core import array_object as _array_object, names as _names
from .api.core.array_object import Array as Array
from .api.core.inspection import __array_namespace_info__ as __array_namespace_info__, check_version as _check_version
from .api.exchange import devices as _devices
from .api.exchange.devices import *
from .api.exchange.dlpack_functions import *
from .api.exchange.gpudata_functions import *
from .api.kernels.kernel_functions import *
from .api.kernels.raw_kernel_functions import *
from .api.kernels.record_functions import *
from .api.numpy import (
    array_attributes as _array_attributes,
    numpy_methods as _numpy_methods,
    numpy_protocols as _numpy_protocols,
    numpy_ufuncs as _numpy_ufuncs,
)
from .api.numpy.einsum_functions import *
from .api.numpy.extra_functions import *
from .api.numpy.file_functions import *
from .api.numpy.histogram_functions import *
from .api.numpy.host_functions import *
from .api.numpy.nan_functions import *
from .api.numpy.padding_functions import *
from .api.numpy.resizing_functions import *
from .api.numpy.scatter_functions import *
from .api.numpy.view_functions import *
from .api.standard import data_type_functions as _data_type_functions
from .api.standard.constants import *
from .api.standard.creation_functions import *
from .api.standard.data_type_functions import *
from .api.standard.elementwise_functions import *
from .api.standard.indexing_functions import *
from .api.standard.linear_algebra_functions import *
from .api.standard.manipulation_functions import *
from .api.standard.searching_functions import *
from .api.standard.set_functions import *
from .api.standard.sorting_functions import *
from .api.standard.statistical_functions import *
from .api.standard.utility_functions import *
from .benchmarking import benchmark as benchmark
from .config import config as config
from .debug import explain as explain
from .notebook import load_ipython_extension as load_ipython_extension
from .recordings import record as record

try:
    from ._version import VERSION as __version__
except ImportError:  # a copy of the sources that was never built
    __version__ = "0.0.0.dev0"
__array_api_version__ = "2025.12"

_PRIVATE = "annotations", "load_ipython_extension"  # which is IPython's to call

globals().update(_data_type_functions.OPTIONAL)

# All names imported above, except for submodules that are not part of the public API.
__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "fft",
    "lib",
    "linalg",
    "random",
    "special",
    *(
        name
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, _ModuleType) and name not in _PRIVATE
    ),
]
if _typing.TYPE_CHECKING:  # with ``__getattr__`` mypy would accept every name
    import numpy as _np

    from . import random as random

    bfloat16: _np.dtype[_typing.Any]  # with ml_dtypes
else:
    __getattr__, __dir__ = _names.attributes(__name__, __all__, later=["random"])


def _this_namespace(api_version: str | None) -> _ModuleType:
    _check_version(api_version)
    return _sys.modules[__name__]


_array_object.fill_namespace(
    {
        **globals(),
        "to_device": _devices.to_device,
        "__array_namespace__": _this_namespace,
        "__array_ufunc__": _numpy_ufuncs.ufunc_handler(globals()),
        "__array_function__": _numpy_protocols.function_handler(globals()),
    }
)
_numpy_methods.add_methods(globals())
_array_attributes.add_attributes()
_registrations.register(globals())
