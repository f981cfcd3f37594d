"""Floating-point errors as NumPy's programs handle them: on the host by NumPy, on devices by `config.nan`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ..config import NONFINITE, config, modes_of

F = TypeVar("F", bound=Callable[..., Any])


_UNSET: Any = object()


class errstate(np.errstate):
    """A context manager and decorator that sets how NumPy handles floating-point errors.

    With "raise" for ``invalid``, ``divide`` or ``over``, an operation of a device that makes NaN or an infinity raises
    FloatingPointError. Nothing is lazy then (`config.nan`). The other modes act on functions that NumPy computes on the
    host: devices return NaN or infinity without a warning.

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

    def __init__(
        self,
        *,
        call: Any = _UNSET,
        all: Any = None,
        divide: Any = None,
        over: Any = None,
        under: Any = None,
        invalid: Any = None,
    ) -> None:
        modes = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        super().__init__(**modes, **({} if call is _UNSET else {"call": call}))
        self._modes = modes
        self._block: Any = None

    def __enter__(self) -> None:
        super().__enter__()
        wanted = _on_devices(self._modes)
        if wanted != modes_of(config.nan):
            self._block = config.set(nan=wanted)
            self._block.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._block is not None:
            self._block.__exit__(*error)
        super().__exit__(*error)

    def __call__(self, func: F) -> F:
        """Decorate a function, which runs in this state."""

        @wraps(func)
        def inner(*args: Any, **options: Any) -> Any:
            with type(self)(**self._modes):
                return func(*args, **options)

        return inner  # type: ignore[return-value]


def seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> dict[str, Any]:
    """Set how NumPy handles floating-point errors.

    Devices respect "raise" alone, see `errstate`.

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
    wanted = _on_devices({"all": all, "divide": divide, "over": over, "invalid": invalid})
    if wanted != modes_of(config.nan):
        config.nan = wanted
    return found


def geterr() -> dict[str, Any]:
    """Read how NumPy handles floating-point errors.

    Devices respect "raise" alone, see `errstate`.

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


def _on_devices(modes: Mapping[str, Any]) -> dict[str, str]:
    """The modes of devices after some of NumPy's modes were set: "raise" where NumPy raises, otherwise "ignore". Modes
    that were not set stay."""
    wanted = modes_of(config.nan)
    for kind in NONFINITE:
        given = modes.get(kind) or modes.get("all")
        if given is not None:
            wanted[kind] = "raise" if given == "raise" else "ignore"
    return wanted
