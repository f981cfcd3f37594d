"""Raw user kernels: whole kernels in this library's dialect, in libgpuarray's dialect, in CUDA C or in OpenCL C.

docs/guide/kernels.md describes the texts. Sources: CuPy's RawKernel, pygpu's GpuKernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from ...backends import get_device
from ...backends.base import Device
from ...kernels.core import tuning
from ...kernels.user.raw_text import RawParameter, RawText, raw_text
from ...lazy import launch_raw
from ..core.arguments import refused
from ..core.array_object import Array
from .kernel_calls import check_count, count_for, number_for, with_options
from .record_functions import Records

__all__ = ["GpuKernel", "RawKernel"]

INT32_LIMIT = 2**31 - 1
VECTOR = re.compile(r"(u?(char|short|int|long)|float|double|half)([2-4]|8|16)")  # vector types that drivers define


class _Whole:
    """A kernel given by its whole text, for any device. ``LOCAL``: the calls' option for the bytes of local memory."""

    LOCAL = "shared_mem"

    def __init__(self, source: str, name: str, strided: bool, options: Iterable[str] = ()):
        for what, given in (("text", source), ("name", name)):
            if not isinstance(given, str):
                hint = "; use decode()" if isinstance(given, bytes) else ""
                raise TypeError(f"{type(self).__name__}: got {type(given).__name__} as the {what}; allowed: str{hint}")
        self.name, source = name, with_options(source, options)
        self._source, self._strided = source, strided
        self._text(0, True)  # raises the errors of the text at once

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def _text(
        self, local_bytes: int, float64: bool, flat: bool = True, structures: tuple[tuple[str, str], ...] = ()
    ) -> RawText:
        return raw_text(self._source, self.name, structures, local_bytes, float64, flat)

    def _launch(
        self, args: Sequence[Any], groups: Sequence[int] | None, group: Sequence[int] | None, n: int | None, local: int
    ) -> None:
        device = self._device(args)
        usual = (tuning.GPU_GROUP if device.is_gpu else tuning.DEFAULT_GROUP,)
        ls = self._extents(usual if group is None else group, "work-items of a group", 1)
        if n is not None:
            groups = (-(-count_for(self.name, "n", n) // ls[0]),)
        gs = self._extents((1,) if groups is None else groups, "groups")
        local = count_for(self.name, "bytes of local memory", local)
        flat = all(prod(extents) == extents[0] for extents in (gs, ls))
        text = self._text(local, "f64" in device.dtypes, flat)
        structures = {
            one.kind: x.definition(one.kind)
            for one, x in zip(text.given, args, strict=False)
            if _is_of_records(one, x) and not self._is_defined(one.kind)
        }
        if structures:
            text = self._text(local, "f64" in device.dtypes, flat, tuple(structures.items()))
        check_count(self.name, len(args), [one.name for one in text.given])
        values = [self._value(one, x) for one, x in zip(text.given, args, strict=True)]
        for memory, least in text.sized:
            if local < least:
                raise ValueError(
                    f"{self.name}: got {local} bytes of local memory for {memory!r}, whose size the text leaves open; "
                    f"allowed: at least {least}; pass the bytes as {self.LOCAL}="
                )
        if local > device.local_memory:
            raise ValueError(
                f"{self.name}: {local} bytes of local memory; allowed: at most {device.local_memory} on {device}"
            )
        if prod(ls) > device.max_group:
            raise ValueError(
                f"{self.name}: groups of {prod(ls)} work-items; allowed: at most {device.max_group} on {device}"
            )
        if prod(gs):
            launch_raw(text, device, gs, ls, values, self._strided)

    def _is_defined(self, kind: str) -> bool:
        """Whether a type is defined by the text or by the driver's language."""
        own = rf"\}}\s*{re.escape(kind)}\s*;|#\s*define\s+{re.escape(kind)}\b|\bstruct\s+{re.escape(kind)}\s*\{{"
        return " " in kind or VECTOR.fullmatch(kind) is not None or re.search(own, self._source) is not None

    def _extents(self, given: Sequence[int], what: str, least: int = 0) -> tuple[int, int, int]:
        if not isinstance(given, Sequence) or isinstance(given, str):
            raise TypeError(f"{self.name}: got {given!r} {what}; allowed: a tuple of 1 to 3 integers")
        extents = [count_for(self.name, what, extent, least) for extent in given]
        if not 1 <= len(extents) <= 3 or min(extents) < least or prod(extents) > INT32_LIMIT:
            raise ValueError(
                f"{self.name}: got {tuple(given)} {what}; allowed: 1 to 3 numbers >= {least} with a "
                f"product of at most {INT32_LIMIT}"
            )
        x, y, z = (*extents, 1, 1)[:3]
        return x, y, z

    def _device(self, args: Sequence[Any]) -> Device:
        devices = {x.device for x in args if isinstance(x, (Array, Records))}
        if len(devices) > 1:
            raise ValueError(
                f"{self.name}: arrays are on different devices, {', '.join(sorted(map(str, devices)))}; copy them to "
                "one device with to_device"
            )
        return devices.pop() if devices else get_device(None)

    def _value(self, one: RawParameter, x: Any) -> Any:
        if _is_of_records(one, x):
            return x.words()._node
        if one.pointer:
            if not isinstance(x, Array):
                raise refused(f"{self.name}, argument {one.name!r}", x)
            if one.dtype is not None and x.dtype != one.dtype:
                raise TypeError(
                    f"{self.name}: got {x.dtype} for {one.name!r}; allowed: {one.dtype}; convert with astype"
                )
            return x._node
        assert one.dtype is not None, "only pointers may have an unknown type"
        return number_for(self.name, one.name, x, one.dtype)


def _is_of_records(one: RawParameter, x: Any) -> bool:
    return one.pointer and one.dtype is None and isinstance(x, Records)


class RawKernel(_Whole):
    """A kernel given by its whole text, launched in groups of work-items.

    It is called with the numbers of groups along at most 3 axes, the numbers of work-items of a group, and a tuple of
    the arguments: arrays for pointers, and numbers.

    Parameters
    ----------
    code : str
        The text in CUDA C, OpenCL C, or the words of the documentation's page "The language of kernels". Plain C with
        the words for indices and groups of any of these runs on every device.
    name : str
        The name of the kernel in the text.
    options : iterable of str, default: ()
        Compiler options: -DNAME=VALUE defines a macro; others have no effect.
    backend : str, default: ''
        No effect.
    strided : bool, default: False
        Whether pointers refer to the first elements of arrays as they are; otherwise arrays that are not C-contiguous
        are copied, and copied back.

    Raises
    ------
    ValueError
        For a text without that kernel, and in a call for numbers of groups or work-items that the device does not
        support, or for local memory without a size.
    TypeError
        For a text that is no str, and in a call for arguments that do not fit.
    KernelBuildError
        In a call, if the compiler rejects the text.

    See Also
    --------
    ElementwiseKernel : A kernel of one element's text, lazy and fused.

    References
    ----------
    CuPy, ``RawKernel``.

    Examples
    --------
    >>> add = xp.RawKernel('''extern "C" __global__ void add(const float *x, float *y, int n) {
    ...     int k = blockDim.x * blockIdx.x + threadIdx.x;
    ...     if (k < n) y[k] += x[k];
    ... }''', "add")
    >>> x, y = xp.ones(100, dtype=xp.float32), xp.ones(100, dtype=xp.float32)
    >>> add((2,), (64,), (x, y, 100))
    >>> print(xp.sum(y))
    200.0
    """

    def __init__(self, code: str, name: str, options: Iterable[str] = (), backend: str = "", *, strided: bool = False):
        del backend
        super().__init__(code, name, strided, options)

    def __call__(self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : sequence of int
            The numbers of groups along 1 to 3 axes.
        block : sequence of int
            The numbers of work-items of a group along these axes.
        args : tuple
            The arguments: arrays for pointers, and numbers.
        shared_mem : int, default: 0
            The bytes of ``extern __shared__`` arrays, or of arguments in local memory.
        """
        if not isinstance(args, (tuple, list)):
            raise TypeError(f"{self.name}: got {type(args).__name__} for args; allowed: a tuple of all arguments")
        self._launch(args, grid, block, None, shared_mem)


class GpuKernel(_Whole):
    """A kernel given by its whole text, launched for a number of work-items or in groups.

    Parameters
    ----------
    source : str
        The text in libgpuarray's words (KERNEL, GLOBAL_MEM, LOCAL_MEM, WITHIN_KERNEL, LID_0, LDIM_0, GID_0, GDIM_0,
        local_barrier(), ga_float and other types), or in a language of `RawKernel`.
    name : str
        The name of the kernel in the text.
    strided : bool, default: False
        Whether pointers refer to the first elements of arrays as they are; otherwise arrays that are not C-contiguous
        are copied, and copied back.

    Raises
    ------
    ValueError
        For a text without that kernel, and in a call for numbers of groups or work-items that the device does not
        support, or for local memory without a size.
    TypeError
        For a text that is no str, and in a call for arguments that do not fit.
    KernelBuildError
        In a call, if the compiler rejects the text.

    See Also
    --------
    RawKernel : The same with CuPy's way of calling.

    References
    ----------
    pygpu, ``GpuKernel``.

    Examples
    --------
    >>> scale = xp.GpuKernel('''KERNEL void scale(GLOBAL_MEM ga_float *x, ga_float a, ga_size n) {
    ...     ga_size k = GID_0 * LDIM_0 + LID_0;
    ...     if (k < n) x[k] *= a;
    ... }''', "scale")
    >>> x = xp.ones(3, dtype=xp.float32)
    >>> scale(x, 2.5, 3, n=3)
    >>> print(x)
    [2.5 2.5 2.5]
    """

    LOCAL = "shared"

    def __init__(self, source: str, name: str, *, strided: bool = False):
        super().__init__(source, name, strided)

    def __call__(
        self,
        *args: Any,
        n: int | None = None,
        gs: int | Sequence[int] | None = None,
        ls: int | Sequence[int] | None = None,
        shared: int = 0,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        *args : Array or scalar
            The arguments: arrays for pointers, and numbers.
        n : int, optional
            The least number of work-items; either this or ``gs``.
        gs : int or sequence of int, optional
            The numbers of groups along 1 to 3 axes.
        ls : int or sequence of int, optional
            The numbers of work-items of a group; by default chosen for the device.
        shared : int, default: 0
            The bytes of arguments in local memory, which are not passed.
        """
        if (n is None) == (gs is None):
            raise ValueError(
                f"{self.name}: got n={n}, gs={gs}; allowed: one of them; pass the number of work-items "
                "as n=, or of groups as gs="
            )
        one, other = ((extents,) if isinstance(extents, (int, float)) else extents for extents in (gs, ls))
        self._launch(args, one, other, n, shared)
