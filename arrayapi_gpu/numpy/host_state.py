"""Floating-point errors as NumPy's programs handle them: on the host by NumPy, on devices by `config.nan`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ..config import NONFINITE, config, modes_of

F = TypeVar("F", bound=Callable[..., Any])


class errstate(np.errstate):
    """NumPy's `errstate`, also for results of devices.

    With "raise" for ``invalid``, ``divide`` or ``over``, an operation that makes NaN or an infinity raises
    FloatingPointError. Nothing is lazy then (`config.nan`).

    Other modes act on functions that NumPy computes on the host. Devices return NaN or infinity without a warning."""

    def __init__(self, **modes: Any) -> None:
        super().__init__(**modes)
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
    """Set the handling of floating-point errors; return the old one. Devices respect "raise" alone (`errstate`)."""
    found: dict[str, Any] = dict(np.seterr(all, divide, over, under, invalid))
    wanted = _on_devices({"all": all, "divide": divide, "over": over, "invalid": invalid})
    if wanted != modes_of(config.nan):
        config.nan = wanted
    return found


def geterr() -> dict[str, Any]:
    """How floating-point errors are handled. Devices respect "raise" alone (`errstate`)."""
    return dict(np.geterr())


def _on_devices(modes: Mapping[str, Any]) -> dict[str, str]:
    """The modes of devices, after NumPy's modes were set: "raise" where NumPy raises, "ignore" where it does otherwise,
    and those in force for what is not given."""
    wanted = modes_of(config.nan)
    for kind in NONFINITE:
        given = modes.get(kind) or modes.get("all")
        if given is not None:
            wanted[kind] = "raise" if given == "raise" else "ignore"
    return wanted
