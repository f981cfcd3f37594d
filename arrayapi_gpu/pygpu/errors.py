"""pygpu's exceptions, and how ours become these."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ..backends.base import DeviceError

P = ParamSpec("P")
R = TypeVar("R")


class GpuArrayException(Exception):
    """A driver or a device refused. Source: pygpu, ``gpuarray.GpuArrayException``."""


class UnsupportedException(GpuArrayException):
    """The device lacks what was asked for, such as float64. Source: pygpu, ``gpuarray.UnsupportedException``."""


def translated(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors of drivers and of full memory are `GpuArrayException`, as pygpu has them."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except (DeviceError, MemoryError) as error:
            raise GpuArrayException(str(error)) from error

    return call
