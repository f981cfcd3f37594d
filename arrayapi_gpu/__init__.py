"""The Python array API standard, revision 2025.12, on CUDA and OpenCL devices.

    import arrayapi_gpu as xp

The contents page: public names chapter by chapter, in the standard's order. Arrays are lazy: an expression is computed
when its values are needed, in as few kernels as possible. Importing the package touches no driver.
"""

from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType

from . import fft as fft
from . import linalg as linalg
from .api import array_object as _array_object
from .api import numpy_protocols as _numpy_protocols
from .api.array_object import Array as Array
from .api.constants import (
    e as e,
)
from .api.constants import (
    inf as inf,
)
from .api.constants import (
    nan as nan,
)
from .api.constants import (
    newaxis as newaxis,
)
from .api.constants import (
    pi as pi,
)
from .api.creation_functions import (
    arange as arange,
)
from .api.creation_functions import (
    asarray as asarray,
)
from .api.creation_functions import (
    empty as empty,
)
from .api.creation_functions import (
    empty_like as empty_like,
)
from .api.creation_functions import (
    eye as eye,
)
from .api.creation_functions import (
    full as full,
)
from .api.creation_functions import (
    full_like as full_like,
)
from .api.creation_functions import (
    linspace as linspace,
)
from .api.creation_functions import (
    meshgrid as meshgrid,
)
from .api.creation_functions import (
    ones as ones,
)
from .api.creation_functions import (
    ones_like as ones_like,
)
from .api.creation_functions import (
    tril as tril,
)
from .api.creation_functions import (
    triu as triu,
)
from .api.creation_functions import (
    zeros as zeros,
)
from .api.creation_functions import (
    zeros_like as zeros_like,
)
from .api.data_type_functions import (
    astype as astype,
)
from .api.data_type_functions import (
    bool as bool,
)
from .api.data_type_functions import (
    can_cast as can_cast,
)
from .api.data_type_functions import (
    complex64 as complex64,
)
from .api.data_type_functions import (
    complex128 as complex128,
)
from .api.data_type_functions import (
    finfo as finfo,
)
from .api.data_type_functions import (
    float16 as float16,
)
from .api.data_type_functions import (
    float32 as float32,
)
from .api.data_type_functions import (
    float64 as float64,
)
from .api.data_type_functions import (
    iinfo as iinfo,
)
from .api.data_type_functions import (
    int8 as int8,
)
from .api.data_type_functions import (
    int16 as int16,
)
from .api.data_type_functions import (
    int32 as int32,
)
from .api.data_type_functions import (
    int64 as int64,
)
from .api.data_type_functions import (
    isdtype as isdtype,
)
from .api.data_type_functions import (
    result_type as result_type,
)
from .api.data_type_functions import (
    uint8 as uint8,
)
from .api.data_type_functions import (
    uint16 as uint16,
)
from .api.data_type_functions import (
    uint32 as uint32,
)
from .api.data_type_functions import (
    uint64 as uint64,
)
from .api.devices import compute as compute
from .api.devices import sync as sync
from .api.devices import to_device as _to_device
from .api.dlpack_functions import (
    from_dlpack as from_dlpack,
)
from .api.elementwise_functions import (
    abs as abs,
)
from .api.elementwise_functions import (
    acos as acos,
)
from .api.elementwise_functions import (
    acosh as acosh,
)
from .api.elementwise_functions import (
    add as add,
)
from .api.elementwise_functions import (
    asin as asin,
)
from .api.elementwise_functions import (
    asinh as asinh,
)
from .api.elementwise_functions import (
    atan as atan,
)
from .api.elementwise_functions import (
    atan2 as atan2,
)
from .api.elementwise_functions import (
    atanh as atanh,
)
from .api.elementwise_functions import (
    bitwise_and as bitwise_and,
)
from .api.elementwise_functions import (
    bitwise_invert as bitwise_invert,
)
from .api.elementwise_functions import (
    bitwise_left_shift as bitwise_left_shift,
)
from .api.elementwise_functions import (
    bitwise_or as bitwise_or,
)
from .api.elementwise_functions import (
    bitwise_right_shift as bitwise_right_shift,
)
from .api.elementwise_functions import (
    bitwise_xor as bitwise_xor,
)
from .api.elementwise_functions import (
    ceil as ceil,
)
from .api.elementwise_functions import (
    clip as clip,
)
from .api.elementwise_functions import (
    conj as conj,
)
from .api.elementwise_functions import (
    copysign as copysign,
)
from .api.elementwise_functions import (
    cos as cos,
)
from .api.elementwise_functions import (
    cosh as cosh,
)
from .api.elementwise_functions import (
    divide as divide,
)
from .api.elementwise_functions import (
    equal as equal,
)
from .api.elementwise_functions import (
    exp as exp,
)
from .api.elementwise_functions import (
    expm1 as expm1,
)
from .api.elementwise_functions import (
    floor as floor,
)
from .api.elementwise_functions import (
    floor_divide as floor_divide,
)
from .api.elementwise_functions import (
    greater as greater,
)
from .api.elementwise_functions import (
    greater_equal as greater_equal,
)
from .api.elementwise_functions import (
    hypot as hypot,
)
from .api.elementwise_functions import (
    imag as imag,
)
from .api.elementwise_functions import (
    isfinite as isfinite,
)
from .api.elementwise_functions import (
    isinf as isinf,
)
from .api.elementwise_functions import (
    isnan as isnan,
)
from .api.elementwise_functions import (
    less as less,
)
from .api.elementwise_functions import (
    less_equal as less_equal,
)
from .api.elementwise_functions import (
    log as log,
)
from .api.elementwise_functions import (
    log1p as log1p,
)
from .api.elementwise_functions import (
    log2 as log2,
)
from .api.elementwise_functions import (
    log10 as log10,
)
from .api.elementwise_functions import (
    logaddexp as logaddexp,
)
from .api.elementwise_functions import (
    logical_and as logical_and,
)
from .api.elementwise_functions import (
    logical_not as logical_not,
)
from .api.elementwise_functions import (
    logical_or as logical_or,
)
from .api.elementwise_functions import (
    logical_xor as logical_xor,
)
from .api.elementwise_functions import (
    maximum as maximum,
)
from .api.elementwise_functions import (
    minimum as minimum,
)
from .api.elementwise_functions import (
    multiply as multiply,
)
from .api.elementwise_functions import (
    negative as negative,
)
from .api.elementwise_functions import (
    nextafter as nextafter,
)
from .api.elementwise_functions import (
    not_equal as not_equal,
)
from .api.elementwise_functions import (
    positive as positive,
)
from .api.elementwise_functions import (
    pow as pow,
)
from .api.elementwise_functions import (
    real as real,
)
from .api.elementwise_functions import (
    reciprocal as reciprocal,
)
from .api.elementwise_functions import (
    remainder as remainder,
)
from .api.elementwise_functions import (
    round as round,
)
from .api.elementwise_functions import (
    sign as sign,
)
from .api.elementwise_functions import (
    signbit as signbit,
)
from .api.elementwise_functions import (
    sin as sin,
)
from .api.elementwise_functions import (
    sinh as sinh,
)
from .api.elementwise_functions import (
    sqrt as sqrt,
)
from .api.elementwise_functions import (
    square as square,
)
from .api.elementwise_functions import (
    subtract as subtract,
)
from .api.elementwise_functions import (
    tan as tan,
)
from .api.elementwise_functions import (
    tanh as tanh,
)
from .api.elementwise_functions import (
    trunc as trunc,
)
from .api.indexing_functions import (
    take as take,
)
from .api.indexing_functions import (
    take_along_axis as take_along_axis,
)
from .api.inspection import (
    __array_namespace_info__ as __array_namespace_info__,
)
from .api.inspection import check_version as _check_version
from .api.linear_algebra_functions import (
    matmul as matmul,
)
from .api.linear_algebra_functions import (
    matrix_transpose as matrix_transpose,
)
from .api.linear_algebra_functions import (
    tensordot as tensordot,
)
from .api.linear_algebra_functions import (
    vecdot as vecdot,
)
from .api.manipulation_functions import (
    broadcast_arrays as broadcast_arrays,
)
from .api.manipulation_functions import (
    broadcast_shapes as broadcast_shapes,
)
from .api.manipulation_functions import (
    broadcast_to as broadcast_to,
)
from .api.manipulation_functions import (
    concat as concat,
)
from .api.manipulation_functions import (
    expand_dims as expand_dims,
)
from .api.manipulation_functions import (
    flip as flip,
)
from .api.manipulation_functions import (
    moveaxis as moveaxis,
)
from .api.manipulation_functions import (
    permute_dims as permute_dims,
)
from .api.manipulation_functions import (
    repeat as repeat,
)
from .api.manipulation_functions import (
    reshape as reshape,
)
from .api.manipulation_functions import (
    roll as roll,
)
from .api.manipulation_functions import (
    squeeze as squeeze,
)
from .api.manipulation_functions import (
    stack as stack,
)
from .api.manipulation_functions import (
    tile as tile,
)
from .api.manipulation_functions import (
    unstack as unstack,
)
from .api.searching_functions import (
    argmax as argmax,
)
from .api.searching_functions import (
    argmin as argmin,
)
from .api.searching_functions import (
    count_nonzero as count_nonzero,
)
from .api.searching_functions import (
    nonzero as nonzero,
)
from .api.searching_functions import (
    searchsorted as searchsorted,
)
from .api.searching_functions import (
    where as where,
)
from .api.set_functions import (
    isin as isin,
)
from .api.set_functions import (
    unique_all as unique_all,
)
from .api.set_functions import (
    unique_counts as unique_counts,
)
from .api.set_functions import (
    unique_inverse as unique_inverse,
)
from .api.set_functions import (
    unique_values as unique_values,
)
from .api.sorting_functions import (
    argsort as argsort,
)
from .api.sorting_functions import (
    sort as sort,
)
from .api.statistical_functions import (
    cumulative_prod as cumulative_prod,
)
from .api.statistical_functions import (
    cumulative_sum as cumulative_sum,
)
from .api.statistical_functions import (
    max as max,
)
from .api.statistical_functions import (
    mean as mean,
)
from .api.statistical_functions import (
    min as min,
)
from .api.statistical_functions import (
    prod as prod,
)
from .api.statistical_functions import (
    std as std,
)
from .api.statistical_functions import (
    sum as sum,
)
from .api.statistical_functions import (
    var as var,
)
from .api.utility_functions import (
    all as all,
)
from .api.utility_functions import (
    any as any,
)
from .api.utility_functions import (
    diff as diff,
)
from .config import config as config
from .debug import explain as explain
from .debug import record as record

__version__ = "0.1.0"
__array_api_version__ = "2025.12"


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
