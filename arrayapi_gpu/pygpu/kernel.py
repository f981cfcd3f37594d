"""`GpuKernel`: a whole kernel in libgpuarray's dialect, with pygpu's calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..api.core.array_object import Array
from ..api.kernels.raw_kernel_functions import GpuKernel as StandardKernel
from ..api.kernels.record_functions import Records, of_memory
from ..backends import present
from ..backends.base import WARP, KernelBuildError
from ..kernels.user.raw_text import RawParameter, raw_text
from ..memory.dtypes import DTYPE_OF, is_numeric
from ..memory.gpuarray import GpuArray as Strided
from .array_object import GpuArray
from .context import GpuContext, ensure_context
from .errors import GpuArrayException, UnsupportedException, translated
from .types import as_dtype

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]cluda\.h[">][ \t]*$', re.MULTILINE)
BYTE = DTYPE_OF["u8"]
Extents = int | Sequence[int] | None


class GpuKernel:
    """The kernel ``name`` of a text in libgpuarray's dialect (KERNEL, GLOBAL_MEM, LID_0, ga_float ...).

    ``types``: the types of the arguments, GpuArray or a dtype; by default those that the text declares. A pointer
    refers to the start of an array's memory; the kernel must add the array's offset. ``have_double``: whether float64
    is required; ``cuda``, ``opencl``: whether the text is in the language of this driver. ``cluda``, ``have_small``,
    ``have_complex``, ``have_half``: have no effect, because devices have these types, and the words of the dialect are
    always defined.

    GpuArrayException for a text without that kernel, and at the first call if the compiler rejects the text;
    UnsupportedException for types that the device does not support, and for another driver's language.
    Source: pygpu, ``gpuarray.GpuKernel``.

    >>> k = GpuKernel('''#include "cluda.h"
    ... KERNEL void twice(GLOBAL_MEM ga_float *x, ga_size offset, ga_size n) {
    ...     ga_size i = GID_0 * LDIM_0 + LID_0;
    ...     GLOBAL_MEM ga_float *start = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)x + offset);
    ...     if (i < n) start[i] *= 2;
    ... }''', "twice", [GpuArray, SIZE, SIZE], context=ctx)
    >>> x = array([1, 2, 3], dtype="float32", context=ctx)[1:]
    >>> k(x, x.offset, x.size, n=x.size)
    >>> numpy.asarray(x)
    array([4., 6.], dtype=float32)
    """

    def __init__(
        self,
        source: str | bytes,
        name: str | bytes,
        types: Sequence[Any] | None = None,
        context: GpuContext | None = None,
        have_double: bool = False,
        have_small: bool = False,
        have_complex: bool = False,
        have_half: bool = False,
        cuda: bool = False,
        opencl: bool = False,
        cluda: bool = True,
    ):
        del have_small, have_complex, have_half, cluda
        self.context: GpuContext = ensure_context(context)
        device = self.context._device
        if have_double and "f64" not in device.dtypes:
            raise UnsupportedException(f"This device does not support double precision: {self.context}; use float")
        kind = self.context.kind
        if (cuda and kind != b"cuda") or (opencl and kind != b"opencl"):
            raise UnsupportedException(
                f"the kernel is in the language of another driver than that of {self.context}; use the dialect"
            )
        text, word = (x.decode() if isinstance(x, bytes) else x for x in (source, name))
        text = _INCLUDE.sub("", text)
        try:
            self._given = raw_text(text, word, (), 0, True).given
            self._kernel = StandardKernel(text, word, strided=True)
        except (ValueError, TypeError) as error:
            raise GpuArrayException(f"GpuKernel: {error}") from error
        self._types = None if types is None else [None if kind is GpuArray else as_dtype(kind) for kind in types]
        self._set: dict[int, Any] = {}

    def __reduce__(self) -> NoReturn:
        raise RuntimeError("Cannot pickle GpuKernel object; pickle its source")

    @property
    def numargs(self) -> int:
        """The number of arguments."""
        return len(self._given if self._types is None else self._types)

    @property
    def maxlsize(self) -> int:
        """The number of work-items of the largest group."""
        return self.context.maxlsize

    @property
    def preflsize(self) -> int:
        """The preferred factor of group sizes: they should be multiples of it."""
        device = self.context._device
        return WARP if device.is_gpu else device.lanes

    @property
    def maxgsize(self) -> int:
        """The largest number of groups."""
        return self.context._device.facts().grid[0]

    maxls, prefls, maxgs = maxlsize, preflsize, maxgsize  # their names in the first pygpu

    @translated
    def __call__(
        self, *args: Any, n: int | None = None, gs: Extents = None, ls: Extents = None, shared: int = 0
    ) -> None:
        """Launch the kernel for at least ``n`` work-items, or in ``gs`` groups of ``ls`` work-items along at most 3
        axes. Returns None.

        ``gs`` or ``ls`` may be given together with ``n``. ``shared``: the bytes of arguments in local memory, which are
        not passed. TypeError for arguments that do not fit the kernel, ValueError for invalid extents.
        """
        if n is None and (ls is None or gs is None):
            raise ValueError("Must specify size (n) or both gs and ls")
        groups, group = self._extents("gs", gs), self._extents("ls", ls)
        if groups and group and len(groups) != len(group):
            raise ValueError(f"nd mismatch: got gs={gs}, ls={ls}; allowed: equally many numbers in both")
        if n is not None:
            if len(groups or (1,)) > 1 or len(group or (1,)) > 1:
                raise ValueError(f"n is specified and nd != 1: got gs={gs}, ls={ls}")
            if n < 0:
                raise ValueError(f"n: got {n}; allowed: 0 or more")
            if groups and not group:
                group = (-(-n // groups[0]) or 1,)
        values = self._values(args)
        sizes: dict[str, Any] = {"n": n} if n is not None and not groups else {"gs": groups}
        try:
            self._kernel(*values, **sizes, ls=group, shared=shared)
        except KernelBuildError as error:
            raise GpuArrayException(f"GpuKernel: {error}") from error

    def _extents(self, name: str, given: Extents) -> tuple[int, ...] | None:
        if given is None:
            return None
        if not isinstance(given, int | np.integer | list | tuple):
            raise TypeError(f"{name} is not int or list: got {type(given).__name__}")
        extents = tuple(map(int, given)) if isinstance(given, list | tuple) else (int(given),)
        if not 1 <= len(extents) <= 3:
            raise ValueError(f"{name} is not of length 3 or less: got {given}")
        return extents

    def _values(self, args: Sequence[Any]) -> list[Any]:
        if len(args) != self.numargs or len(args) != len(self._given):
            names = ", ".join(one.name for one in self._given)
            raise TypeError(
                f"Expected {len(self._given)} arguments, {names}; got {len(args)}, and {self.numargs} types"
            )
        types = [None] * len(args) if self._types is None else self._types
        return [self._value(*each) for each in zip(self._given, types, args, strict=True)]

    def _value(self, one: RawParameter, dtype: np.dtype[Any] | None, value: Any) -> Any:
        if one.pointer:
            if not isinstance(value, GpuArray):
                raise TypeError(f"expected a GpuArray for {one.name}: got {type(value).__name__}")
            if value.context._device is not self.context._device:
                raise ValueError(
                    f"{one.name}: got an array of {value.context}; allowed: arrays of {self.context}; use transfer"
                )
            return _memory_of(value, one.dtype)
        host = None if isinstance(value, GpuArray) else np.asarray(value)
        if host is None or host.size != 1 or not is_numeric(host.dtype):
            raise TypeError(f"{one.name}: got {type(value).__name__}; allowed: a number")
        number = host.reshape(()) if dtype is None else host.reshape(()).astype(dtype)
        return number[()] if one.dtype is None else number.astype(one.dtype)[()]

    # --- the calls of the first pygpu

    def setarg(self, index: int, o: Any) -> None:
        """Set an argument for `call`: an array, or a number in a NumPy array. IndexError for an index out of bounds."""
        if not 0 <= index < self.numargs:
            raise IndexError(f"setarg: got {index}; allowed: 0 to {self.numargs - 1}")
        self._set[index] = o

    def setargs(self, args: Sequence[Any]) -> None:
        """Set all arguments for `call`."""
        self._set = dict(enumerate(args))

    def call(self, n: int, ls: int, gs: int) -> None:
        """Launch with the arguments that were set; parameters that are 0 are chosen. TypeError unless all arguments
        were set."""
        if sorted(self._set) != list(range(self.numargs)):
            raise TypeError(
                f"call: arguments {sorted(self._set)} are set; allowed: all {self.numargs}; use setarg for the others"
            )
        args = [self._set[index] for index in range(self.numargs)]
        self(*args, n=n or None, ls=ls or None, gs=gs or None)


def _memory_of(x: GpuArray, dtype: np.dtype[Any] | None) -> Array | Records:
    """The whole memory of an array, as elements of the kernel's type; ``dtype``: None for structures."""
    memory = x._array._memory()
    kind = dtype if dtype is not None else BYTE if memory.dtype.fields is None else memory.dtype
    memory.storage.shared = True
    length = memory.storage.buffer.nbytes // kind.itemsize
    return of_memory(Strided(memory.storage, kind, (length,), (1,)))


def set_cuda_compiler_fn(fn: Callable[[bytes], bytes] | None) -> None:
    """Set the function that compiles kernels for CUDA from now on, from source to a cubin or PTX; None restores the
    default compiler.

    Kernels that are already compiled are kept. An exception of the function is the cause of a GpuArrayException.
    RuntimeError if there is no CUDA device. Source: pygpu, ``gpuarray.set_cuda_compiler_fn``.
    """
    if not any([device.use_compiler(fn) for device in present()]):
        raise RuntimeError("set_cuda_compiler_fn: there is no CUDA device; use it only on CUDA")
