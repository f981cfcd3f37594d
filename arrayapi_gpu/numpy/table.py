"""The table of NumPy's names: the arguments that are arrays, the names taken from NumPy itself, and those refused.

Every other name is a function or ufunc of NumPy, whose signature the installed NumPy has; `functions` and `ufuncs` make
this package's from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# The parameters that are arrays in NumPy's functions, and those that are sequences of arrays. Lists, tuples, numbers
# and NumPy arrays become arrays on the device there.
ARRAY_PARAMETERS: Final = frozenset((
    "a", "a1", "a2", "a_max", "a_min", "append", "ar", "ar1", "ar2", "arr", "array", "ary", "arys", "aweights", "b",
    "bins", "choices", "condition", "element", "f", "filt", "fp", "fweights", "ind", "indices", "m", "mask", "max",
    "mean", "min", "p", "prepend", "prototype", "q", "sample", "seq_of_zeros", "sorter", "src", "start", "stop",
    "test_elements", "u", "v", "val", "vals", "values", "varargs", "w", "weights", "where", "x", "x1", "x2", "xi",
    "xp", "y", "z", "A", "X",
))  # fmt: skip
SEQUENCE_PARAMETERS: Final = frozenset(("arrays", "tup", "choicelist", "condlist", "keys"))

# Parameters that are indices: a list without elements has integers there, as in NumPy.
INDICES: Final[Mapping[str, str]] = {"bincount": "x", "ix_": "args", "put": "ind", "take": "indices"}

# Parameters with such a name that are something else in a function, and functions in which no argument is converted.
OTHERWISE: Final[Mapping[str, frozenset[str]]] = {
    "numpy.arange": frozenset(("start", "stop")),
    "numpy.astype": frozenset(),
    "numpy.block": frozenset(("arrays",)),
    "numpy.histogram": frozenset(("bins",)),
    "numpy.histogram2d": frozenset(("bins",)),
    "numpy.histogram_bin_edges": frozenset(("bins",)),
    "numpy.histogramdd": frozenset(("bins", "sample")),
    "numpy.linalg.cond": frozenset(("p",)),
    "numpy.linspace": frozenset(("start", "stop")),
    "numpy.logspace": frozenset(("start", "stop")),
    "numpy.geomspace": frozenset(("start", "stop")),
    "numpy.rollaxis": frozenset(("start",)),
    "numpy.trim_zeros": frozenset(),
}

# Functions with Python numbers whose dtype follows from the arrays with them (NEP 50); elsewhere they become arrays.
WEAK: Final = frozenset((
    "allclose", "clip", "copyto", "fill_diagonal", "full_like", "isclose", "max", "min", "nan_to_num",
    "nanpercentile", "nanquantile", "percentile", "place", "put", "put_along_axis", "putmask", "quantile", "select",
    "where",
))  # fmt: skip

# NumPy's own objects: they hold no elements, or they are values of the host: dtypes, strings, masked
# arrays, coefficients of polynomials.
AS_THEY_ARE: Final = frozenset((
    "ScalarType", "base_repr", "binary_repr", "broadcast", "broadcast_shapes", "busday_count", "busday_offset",
    "busdaycalendar", "datetime_as_string", "datetime_data", "dtype", "dtypes", "e", "euler_gamma", "exceptions",
    "False_", "finfo", "format_float_positional", "format_float_scientific", "get_include", "get_printoptions",
    "getbufsize", "iinfo", "index_exp", "inf", "info", "is_busday", "isdtype", "isscalar", "issubdtype", "iterable",
    "little_endian", "mintypecode", "nan", "ndenumerate", "ndindex", "nditer", "nested_iters", "newaxis", "pi",
    "poly1d", "promote_types", "s_", "sctypeDict", "set_printoptions", "printoptions", "setbufsize", "show_config",
    "show_runtime", "testing", "True_", "typecodes", "typename", "typing", "__version__", "char", "strings", "bool",
    "geterrcall", "ma", "seterrcall",
))  # fmt: skip

_HOLDS_HOST_MEMORY = "it is a class of arrays in host memory"
_OLD = "NumPy advises against it"
_OF_NUMPY = "it is a part of NumPy that works on NumPy itself"

# Names of NumPy that are not taken, and why.
NOT_TAKEN: Final[Mapping[str, str]] = {
    "asmatrix": f"{_OLD} (see matrix); use array(x, ndmin=2), and @ for products",
    "bmat": f"{_OLD} (see matrix); use block",
    "matrix": f"{_OLD}; use two-dimensional arrays, and @ for products",
    "chararray": f"{_HOLDS_HOST_MEMORY}; use numpy.strings on NumPy arrays",
    "core": f"{_OF_NUMPY}; import numpy.core",
    "ctypeslib": f"{_HOLDS_HOST_MEMORY}; use numpy.ctypeslib, and asarray",
    "f2py": f"{_OF_NUMPY}; import numpy.f2py",
    "flatiter": "it is a class of iterators over host memory; x.flat of an array works",
    "memmap": f"{_HOLDS_HOST_MEMORY}; use numpy.memmap with arrayapi_gpu.from_host, which reads it in blocks",
    "rec": "devices have no records; use numpy.rec, and asarray of each field",
    "recarray": "devices have no records; use numpy.recarray, and asarray of each field",
    "record": "devices have no records; use numpy.record, and asarray of each field",
    "test": f"{_OF_NUMPY}; call numpy.test()",
}
NOT_IN_RANDOM: Final[Mapping[str, str]] = dict.fromkeys(
    ("MT19937", "PCG64", "PCG64DXSM", "SFC64"), "the one bit generator of devices is Philox; use default_rng(seed)"
)
