"""What the tests have in common: comparing with NumPy, samples of every dtype, memory layouts, counting launches.

`check_same` runs one function over NumPy and over this library and compares; `no_launch` and `launches` say what a
piece of code did to the device; `LAYOUTS` gives the same values with other strides.
"""

from conformance.twin import posing_as_gpu, scalar_twin

from .apart import apart_twin
from .compare import assert_same, check_refused, check_same, to_host, ulps_apart
from .launches import launches, no_launch
from .layouts import LAYOUTS, lay_out
from .libraries import skip_without_scipy
from .masked import LACKS, masked
from .nightly import in_part
from .processes import run_on
from .rows import needs_rows
from .samples import (
    BOOLEAN,
    COMPLEX,
    DTYPES,
    FLOATING,
    INTEGERS,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    few,
    in_turn,
    sample,
    specials,
)

__all__ = [
    "BOOLEAN",
    "COMPLEX",
    "DTYPES",
    "FLOATING",
    "INTEGERS",
    "LACKS",
    "LAYOUTS",
    "NUMERIC",
    "REAL",
    "REAL_FLOATING",
    "apart_twin",
    "assert_same",
    "check_refused",
    "check_same",
    "few",
    "in_part",
    "in_turn",
    "launches",
    "lay_out",
    "masked",
    "needs_rows",
    "no_launch",
    "posing_as_gpu",
    "run_on",
    "sample",
    "scalar_twin",
    "skip_without_scipy",
    "specials",
    "to_host",
    "ulps_apart",
]
