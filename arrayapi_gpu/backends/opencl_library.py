"""The library table of OpenCL's GPUs: VkFFT through pyvkfft, if it is installed, for transforms in which it is faster
than own kernels (`kernels.routines.fourier`).

A plan takes 0.2 to 3 seconds, one of complex128 up to 30, so there are plans for complex64 alone, and the last few of
them are kept. Where a plan or a launch fails, own kernels compute.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from .base import Library, Operand, Product, c_strides

if TYPE_CHECKING:
    from .opencl import OpenCLDevice

VKFFT_PLANS = 16  # that are kept
# Rows for which VkFFT takes one pass over memory and own kernels two, and elements from which on that decides.
LENGTHS_OF_VKFFT = range((1 << 13) + 1, (1 << 14) + 1)
ELEMENTS_FOR_VKFFT = 1 << 20


def installed() -> bool:
    """Whether VkFFT can be asked for."""
    return find_spec("pyvkfft") is not None


class OpenCLLibrary(Library):
    """VkFFT on one device."""

    products = frozenset[str]()

    def __init__(self, device: OpenCLDevice):
        self.names = {"fftn": "VkFFT", "ifftn": "VkFFT"}
        self._device = device
        self._plans: dict[tuple[int, int], Any] = {}  # by rows and their length, None where there can be none

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        raise NotImplementedError("there are no products")

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        if name not in self.names or not _is_served(operands[0], options):
            return None
        (x,) = operands
        n = x.shape[-1]
        key = (int(np.prod(x.shape)) // n, n)
        if key not in self._plans:
            while len(self._plans) >= VKFFT_PLANS:
                self._plans.pop(next(iter(self._plans)))
            self._plans[key] = self._planned(key)
        plan = self._plans[key]
        if plan is None:
            return None
        out = self._device.alloc(int(np.prod(x.shape)) * x.dtype.itemsize)
        transform = plan.fft if name == "fftn" else plan.ifft

        def work(queue: Any) -> None:
            arrays = importlib.import_module("pyopencl.array")
            transform(*[arrays.Array(queue, key, x.dtype, data=buffer.handle) for buffer in (x.buffer, out)])

        try:
            self._device.queue_work(work)
        except (RuntimeError, cl.Error):
            self._plans[key] = None
            return None
        return [Operand(out, 0, x.dtype, x.shape, x.strides)]

    def _planned(self, shape: tuple[int, int]) -> Any:
        """Return a plan for rows; None where it cannot be made, or the library not be loaded."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                app = importlib.import_module("pyvkfft.opencl").VkFFTApp
                made: list[Any] = []
                self._device.queue_work(
                    lambda queue: made.append(app(shape, np.complex64, queue, ndim=1, inplace=False, norm=1))
                )
            return made[0]
        except (ImportError, OSError, RuntimeError, cl.Error):
            return None

    def release(self) -> None:
        """Free the memory of plans."""
        self._plans.clear()


def _is_served(x: Operand, options: Mapping[str, Any]) -> bool:
    """Whether a transform is along whole contiguous rows of the right length, in complex64."""
    axes, lengths = options.get("axes"), options.get("s")
    elements = int(np.prod(x.shape))
    if axes is None or len(axes) != 1 or axes[0] % len(x.shape) != len(x.shape) - 1 or x.dtype != np.complex64:
        return False
    return (
        x.shape[-1] in LENGTHS_OF_VKFFT
        and elements >= ELEMENTS_FOR_VKFFT
        and (lengths is None or lengths[0] == x.shape[-1])
        and options.get("norm") in (None, "backward")
        and x.offset == 0
        and x.strides == c_strides(x.shape)
    )
