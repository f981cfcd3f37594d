"""The state of NumPy on the host: handling of floating-point errors."""

from __future__ import annotations

from typing import Any

import numpy as np


class errstate(np.errstate):
    """A context manager and decorator that sets how NumPy handles floating-point errors.

    It acts on functions that NumPy computes on the host. Devices raise no floating-point errors: they return NaN or
    infinity, without a warning.

    Parameters
    ----------
    call : callable, optional
        The function for errors whose handling is "call".
    all : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of all errors.
    divide : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of divisions by zero.
    over : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of overflows.
    under : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of underflows.
    invalid : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of invalid operations.

    References
    ----------
    NumPy, ``errstate``.

    Examples
    --------
    >>> with np.errstate(divide="ignore"):
    ...     print(np.divide([1.0], 0))
    [inf]
    """


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """Set how NumPy handles floating-point errors on the host.

    Devices raise no floating-point errors: they return NaN or infinity, without a warning.

    Parameters
    ----------
    all : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of all errors.
    divide : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of divisions by zero.
    over : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of overflows.
    under : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of underflows.
    invalid : {'ignore', 'warn', 'raise', 'call', 'print', 'log'}, optional
        The handling of invalid operations.

    Returns
    -------
    dict of str to str
        The handling of each error before the call.

    References
    ----------
    NumPy, ``seterr``.

    Examples
    --------
    >>> old = np.seterr(over="ignore")
    >>> new = np.seterr(**old)
    >>> new["over"]
    'ignore'
    """
    found: dict[str, Any] = dict(np.seterr(all, divide, over, under, invalid))
    return found


def geterr() -> dict[str, Any]:
    """Read how NumPy handles floating-point errors on the host.

    Devices raise no floating-point errors: they return NaN or infinity, without a warning.

    Returns
    -------
    dict of str to str
        The handling of each error.

    References
    ----------
    NumPy, ``geterr``.

    Examples
    --------
    >>> sorted(np.geterr())
    ['divide', 'invalid', 'over', 'under']
    """
    return dict(np.geterr())
