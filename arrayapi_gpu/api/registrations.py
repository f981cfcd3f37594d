"""Registrations of the array class with other libraries, by entry points in pyproject.toml or when they are imported.

dask is never imported here: registrations with dask wait until the program imports it. Clusters of workers are in
`arrayapi_gpu.dask`, which imports dask.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from ..backends import unpickled
from ..backends.base import DeviceError, HostArray
from ..lazy import CONSTANT, handle, leaf
from ..memory.dtypes import as_dtype
from ..memory.gpuarray import adopt
from .core.array_object import Array, unpickle
from .core.exports import to_read
from .core.inspection import __array_namespace_info__
from .exchange.devices import sync
from .numpy.autoray_functions import autoray_functions
from .numpy.einsum_functions import einsum
from .standard.creation_functions import asarray, empty, full
from .standard.data_type_functions import astype

try:
    from .exchange.dlpack_table import table
except ImportError:  # in the Python form
    table = None

DASK = "dask.array.backends"  # the module in which dask registers the functions of the libraries that it knows
SIZES = "dask.sizeof"
DISTRIBUTED = "distributed.protocol.serialize"  # where distributed registers how objects travel between processes
AUTORAY = "autoray.autoray"  # where autoray registers functions


class _Awaited(MetaPathFinder):
    """An import hook that calls ``then`` with a module once the program has imported it completely."""

    def __init__(self, name: str, then: Callable[[Any], None]):
        self.name = name
        self.then = then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """The module's specification from the other finders; None for any other module."""
        if name != self.name:
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :]
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                sys.meta_path.remove(self)
                self.then(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def when_imported(name: str, then: Callable[[Any], None]) -> None:
    """Call ``then`` with the module, now or when the program imports it."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Awaited(name, then))


# --- dask ------------------------------------------------------------------------------------------------------------


def dask_sizeof(sizeof: Any) -> None:
    """Register the size of an array in bytes with dask (entry point ``dask.sizeof``).

    dask calls this for the result of each task. A pending result keeps its operands alive, so it is computed, and the
    device is waited for: then dask's counts and times of finished tasks include the device's work. A constant is not
    computed, because it has no operands and takes no memory yet.
    """

    @sizeof.register(Array)  # type: ignore[untyped-decorator]
    def nbytes(x: Array) -> int:
        if x._node.op is not CONSTANT:
            with contextlib.suppress(MemoryError, DeviceError):  # the error is raised when the array is used
                sync(x)
        return x.nbytes


def dask_lookups(backends: Any) -> None:
    """Register functions for chunks that are arrays of this package with dask (its module ``dask.array.backends``).

    For unknown arrays dask's tables have NumPy's functions. These dispatch to this package, so they are registered as
    they are where they suffice.
    """
    for lookup in ("concatenate_lookup", "take_lookup", "tensordot_lookup", "divide_lookup", "nannumel_lookup"):
        table = getattr(backends, lookup)
        table.register(Array, table.dispatch(object))
    backends.percentile_lookup.register(Array, backends.percentile_lookup.dispatch(np.ndarray))
    backends.einsum_lookup.register(Array, _einsum)
    backends.empty_lookup.register(Array, empty)
    backends.numel_lookup.register(Array, _numel)
    backends.to_numpy_dispatch.register(Array, _to_numpy)


def _einsum(subscripts: str, *operands: Any, dtype: Any = None, **_: Any) -> Array:
    """`einsum` with a dtype; options for the order of the products are ignored."""
    device = next(x.device for x in operands if isinstance(x, Array))
    arrays = [asarray(x, dtype=dtype, device=device) for x in operands]
    return einsum(subscripts, *arrays)


def _numel(x: Array, *, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64, **_: Any) -> Array:
    """The number of elements along the axes, in the shape of a sum along them."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = {a % x.ndim for a in axes}
    kept = [1 if a in gone else n for a, n in enumerate(x.shape) if keepdims or a not in gone]
    return astype(full(tuple(kept), math.prod(x.shape[a] for a in gone), device=x.device), np.dtype(dtype))


def _to_numpy(x: Array, **_: Any) -> np.ndarray[Any, Any]:
    return x.to_numpy()


def _brought(chunk: Any, device: str) -> Array:
    """A chunk as an array, on the device to which arrays pickled on ``device`` are unpickled."""
    return asarray(chunk, device=unpickled(device))


def _is_ours(collection: Any) -> bool:
    """Whether the chunks of a dask array are arrays of this package."""
    return isinstance(collection._meta, Array)


def dask_backend() -> Any:
    """The back end with which dask creates arrays over chunks of this package (entry point ``dask.array.backends``).

    dask calls it when an array is created while ``dask.config.set({"array.backend": "arrayapi_gpu"})`` is in effect.
    """
    dask = sys.modules["dask.array"]
    config = sys.modules["dask.config"]

    def made(name: str, like: str = "meta") -> Callable[..., Any]:
        def function(*args: Any, **options: Any) -> Any:
            if options.get(like) is None:
                options[like] = empty(())
            if name in ("ones", "zeros", "empty") and options.get("dtype") is None:
                options["dtype"] = __array_namespace_info__().default_dtypes()["real floating"]
            with config.set({"array.backend": "numpy"}):  # dask's function, whose chunks are like ``options[like]``
                return getattr(dask, name)(*args, **options)

        function.__name__ = function.__qualname__ = name
        return function

    class Backend(sys.modules[DASK].ArrayBackendEntrypoint):  # type: ignore[misc]
        """dask's creation functions, with chunks of this package."""

        ones, zeros, empty, full = (staticmethod(made(name)) for name in ("ones", "zeros", "empty", "full"))
        arange = staticmethod(made("arange", "like"))

        @staticmethod
        def to_backend_dispatch() -> Any:
            """The function that converts one chunk to an array on the current default device. The device is fixed here,
            because dask's threads have another context, and its workers another default device."""
            return functools.partial(_brought, device=empty(()).device.name)

        @staticmethod
        def to_backend(data: Any, **options: Any) -> Any:
            """The dask array with chunks of this package; the same dask array if it has such chunks already."""
            return data if _is_ours(data) else data.map_blocks(Backend.to_backend_dispatch(), **options)

        RandomState = property(_refuse_random_state)

        @property
        def default_bit_generator(self) -> Any:
            """The bit generator of `da.random.default_rng`; dask spawns one for each chunk."""
            return empty(()).__array_namespace__().random.Philox

    return Backend()


def _refuse_random_state(backend: Any) -> Any:
    raise NotImplementedError(
        "dask.array.random.RandomState: arrayapi_gpu has no such class; use da.random.default_rng"
    )


# --- distributed ---------------------------------------------------------------------------------------------------


def distributed_serialization(protocol: Any) -> None:
    """Register the serialization of arrays with distributed (its module ``distributed.protocol.serialize``)."""
    protocol.dask_serialize.register(Array)(_serialized)
    protocol.dask_deserialize.register(Array)(_deserialized)


def _serialized(x: Array, context: Any = None) -> tuple[dict[str, Any], list[memoryview]]:
    """A header with dtype, shape and device, and the bytes: the memory itself if the host can read it, a copy
    otherwise."""
    host = np.ascontiguousarray(to_read(x._node))
    header = {"dtype": x.dtype.name, "shape": x.shape, "device": x.device.name}
    return header, [host.reshape(-1).view(np.uint8).data]


def _deserialized(header: dict[str, Any], frames: list[Any]) -> Array:
    """The array, on the device of unpickled arrays; in the received memory if the device can use it."""
    frame = frames[0] if frames else b""
    host: HostArray = np.ndarray(tuple(header["shape"]), as_dtype(header["dtype"]), buffer=frame)
    device = unpickled(header["device"])
    adopted = None
    if host.ndim and host.flags.writeable:  # no other object uses this memory
        with contextlib.suppress(DeviceError):  # the error is raised when the array is used
            adopted = adopt(device, host, private=True)
    return unpickle(host, device) if adopted is None else handle(Array, leaf(adopted))


def register(namespace: dict[str, Any]) -> None:
    """Register this namespace with the libraries that the program has imported or will import."""
    if table is not None:
        Array.__dlpack_c_exchange_api__ = table  # libraries read it from the class
    when_imported(SIZES, lambda module: dask_sizeof(module.sizeof))  # also where the package is not installed
    when_imported(DASK, dask_lookups)
    when_imported(DISTRIBUTED, distributed_serialization)
    when_imported(AUTORAY, autoray_functions(namespace))
