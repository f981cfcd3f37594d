"""The Python array API standard, revision 2025.12, on CUDA and OpenCL devices.

    import arrayapi_gpu as xp

The contents page: public names chapter by chapter, in the standard's order. Arrays are lazy: an expression is computed
when its values are needed, in as few kernels as possible. Importing the package touches no driver.
"""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import fft as fft, linalg as linalg
from .api import (
    array_object as _array_object,
    data_type_functions as _data_type_functions,
    names as _names,
    numpy_protocols as _numpy_protocols,
)
from .api.array_object import Array as Array
from .api.constants import (
    e as e,
    inf as inf,
    nan as nan,
    newaxis as newaxis,
    pi as pi,
)
from .api.creation_functions import (
    arange as arange,
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    full as full,
    full_like as full_like,
    linspace as linspace,
    meshgrid as meshgrid,
    ones as ones,
    ones_like as ones_like,
    tril as tril,
    triu as triu,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .api.data_type_functions import (
    astype as astype,
    bool as bool,
    can_cast as can_cast,
    complex64 as complex64,
    complex128 as complex128,
    finfo as finfo,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    iinfo as iinfo,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    isdtype as isdtype,
    result_type as result_type,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from .api.devices import compute as compute, sync as sync, to_device as _to_device
from .api.dlpack_functions import (
    from_dlpack as from_dlpack,
)
from .api.elementwise_functions import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bitwise_and as bitwise_and,
    bitwise_invert as bitwise_invert,
    bitwise_left_shift as bitwise_left_shift,
    bitwise_or as bitwise_or,
    bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor,
    ceil as ceil,
    clip as clip,
    conj as conj,
    copysign as copysign,
    cos as cos,
    cosh as cosh,
    divide as divide,
    equal as equal,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    floor_divide as floor_divide,
    greater as greater,
    greater_equal as greater_equal,
    hypot as hypot,
    imag as imag,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    less as less,
    less_equal as less_equal,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
    logaddexp as logaddexp,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    nextafter as nextafter,
    not_equal as not_equal,
    positive as positive,
    pow as pow,
    real as real,
    reciprocal as reciprocal,
    remainder as remainder,
    round as round,
    sign as sign,
    signbit as signbit,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    trunc as trunc,
)
from .api.indexing_functions import (
    take as take,
    take_along_axis as take_along_axis,
)
from .api.inspection import (
    __array_namespace_info__ as __array_namespace_info__,
    check_version as _check_version,
)
from .api.linear_algebra_functions import (
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    tensordot as tensordot,
    vecdot as vecdot,
)
from .api.manipulation_functions import (
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to,
    concat as concat,
    expand_dims as expand_dims,
    flip as flip,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    repeat as repeat,
    reshape as reshape,
    roll as roll,
    squeeze as squeeze,
    stack as stack,
    tile as tile,
    unstack as unstack,
)
from .api.searching_functions import (
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    nonzero as nonzero,
    searchsorted as searchsorted,
    where as where,
)
from .api.set_functions import (
    isin as isin,
    unique_all as unique_all,
    unique_counts as unique_counts,
    unique_inverse as unique_inverse,
    unique_values as unique_values,
)
from .api.sorting_functions import (
    argsort as argsort,
    sort as sort,
)
from .api.statistical_functions import (
    cumulative_prod as cumulative_prod,
    cumulative_sum as cumulative_sum,
    max as max,
    mean as mean,
    min as min,
    prod as prod,
    std as std,
    sum as sum,
    var as var,
)
from .api.utility_functions import (
    all as all,
    any as any,
    diff as diff,
)
from .config import config as config
from .debug import explain as explain, record as record

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

globals().update(_data_type_functions.OPTIONAL)

# What was imported above under its own name; the folders of the package are none of the public names.
__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "fft",
    "linalg",
    *(
        name
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, _ModuleType) and name != "annotations"
    ),
]
if not _TYPE_CHECKING:  # mypy would take it that every name exists
    __getattr__, __dir__ = _names.attributes(__name__, __all__)


def _this_namespace(api_version: str | None) -> _ModuleType:
    _check_version(api_version)
    return _sys.modules[__name__]


_array_object.fill_namespace(
    {
        **globals(),
        "to_device": _to_device,
        "__array_namespace__": _this_namespace,
        "__array_ufunc__": _numpy_protocols.ufunc_handler(globals()),
        "__array_function__": _numpy_protocols.function_handler(globals()),
    }
)
