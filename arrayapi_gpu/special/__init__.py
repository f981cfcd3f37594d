"""Special functions, by SciPy's names and with SciPy's signatures: ``xp.special.erf(x)``.

This module is not part of the standard. SciPy uses it automatically: with ``SCIPY_ARRAY_API=1`` set,
`scipy.special.erf` of arrayapi_gpu arrays calls `erf` of this module. The functions are element-wise, lazy and fused
like those of the standard, with the same bits on every device. Errors are at most 4 ulps in float32, 10 in float64 and
1 in float16, or twice SciPy's error if that is larger; ``conformance/ACCURACY.md`` lists the measurements.

    >>> print(xp.special.erf(xp.asarray([0.0, 0.5, 2.0])))
    [0.         0.52049988 0.99532227]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..api.core.names import attributes
from . import (
    bessel_functions,
    distribution_functions,
    error_functions,
    gamma_functions,
    incomplete_functions,
    integral_functions,
    logistic_functions,
    softmax_functions,
    through_scipy,
    zeta_functions,
)
from .bessel_functions import *
from .distribution_functions import *
from .error_functions import *
from .gamma_functions import *
from .incomplete_functions import *
from .integral_functions import *
from .logistic_functions import *
from .softmax_functions import *
from .through_scipy import *
from .zeta_functions import *

__all__ = [
    *bessel_functions.__all__,
    *distribution_functions.__all__,
    *error_functions.__all__,
    *gamma_functions.__all__,
    *incomplete_functions.__all__,
    *integral_functions.__all__,
    *logistic_functions.__all__,
    *softmax_functions.__all__,
    *through_scipy.__all__,
    *zeta_functions.__all__,
]
if not TYPE_CHECKING:  # with ``__getattr__`` mypy would accept every name
    __getattr__, __dir__ = attributes(__name__, __all__)
