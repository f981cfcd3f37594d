"""NumPy's ``numpy.polynomial``: coefficients are NumPy arrays on the host, values are computed on the device of the
points.

`families` makes the classes and the functions; each of the other modules has one family.
"""

from __future__ import annotations

import numpy as np

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

_FAMILIES = (polynomial, chebyshev, legendre, hermite, hermite_e, laguerre)

Polynomial = polynomial.Polynomial
Chebyshev = chebyshev.Chebyshev
Legendre = legendre.Legendre
Hermite = hermite.Hermite
HermiteE = hermite_e.HermiteE
Laguerre = laguerre.Laguerre
set_default_printstyle = np.polynomial.set_default_printstyle

__all__ = list(np.polynomial.__all__)
