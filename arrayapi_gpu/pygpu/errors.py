"""pygpu's exceptions, and the conversion of this library's exceptions to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..backends.base import DeviceError

P = ParamSpec("P")
R = TypeVar("R")


class GpuArrayException(Exception):
    """An error of a driver or device. Source: pygpu, ``gpuarray.GpuArrayException``."""


class UnsupportedException(GpuArrayException):
    """An operation or dtype, such as float64, that the device does not support.
    Source: pygpu, ``gpuarray.UnsupportedException``."""


def translated(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which raises errors of drivers and of full memory as `GpuArrayException`, as in pygpu."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except (DeviceError, MemoryError) as error:
            raise GpuArrayException(str(error)) from error

    return call
