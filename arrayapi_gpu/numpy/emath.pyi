# Written by `python -m conformance.numpy_stubs` from NumPy 2.4.6.
# ruff: noqa
import builtins
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal, SupportsIndex, overload

import numpy
from numpy.typing import DTypeLike as _DType
from arrayapi_gpu import Array
from arrayapi_gpu.api.standard.set_functions import (
    UniqueAll as _UniqueAll, UniqueCounts as _UniqueCounts, UniqueInverse as _UniqueInverse,
)
from arrayapi_gpu.linalg import (
    EigenResult as _EigenResult, QRResult as _QRResult, SlogdetResult as _SlogdetResult, SVDResult as _SVDResult,
)

from . import stub_types as _types
from .stub_types import Axis as _Axis, Number as _Number, Out as _Out, Shape as _Shape, Values as _Values
from .grids import Indexed as _Indexed

__all__: builtins.list[builtins.str]
def arccos(x: _Values) -> Array: ...
def arcsin(x: _Values) -> Array: ...
def arctanh(x: _Values) -> Array: ...
def log(x: _Values) -> Array: ...
def log10(x: _Values) -> Array: ...
def log2(x: _Values) -> Array: ...
def logn(n: Any, x: _Values) -> Array: ...
def power(x: _Values, p: _Values) -> Array: ...
def sqrt(x: _Values) -> Array: ...
