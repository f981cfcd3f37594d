"""Names that differ between NumPy and the standard, and the error for an unknown name of a module.

`RENAMED` is the one table of NumPy's names: errors are made from it, and `numpy_protocols` finds functions by it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np

from ...backends import BACKEND_NAMES

# NumPy's names, including removed ones, and the standard's names for the same functions and dtypes.
RENAMED: Final[Mapping[str, str]] = {
    "absolute": "abs",
    "alltrue": "all",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "array": "asarray",
    "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "bool_": "bool",
    "concatenate": "concat",
    "conjugate": "conj",
    "fix": "trunc",
    "half": "float16",
    "in1d": "isin",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "product": "prod",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "around": "round",
    "single": "float32",
    "double": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
    "sometrue": "any",
    "true_divide": "divide",
}

# NumPy's names without an equivalent in the standard, and the code to use instead.
INSTEAD: Final[Mapping[str, str]] = {
    "allclose": "xp.all(xp.abs(a - b) <= atol + rtol * xp.abs(b))",
    "argwhere": "nonzero",
    "bfloat16": "float32, or install ml_dtypes, which brings bfloat16",
    "array_equal": "xp.all(a == b) and a.shape == b.shape",
    "ascontiguousarray": "asarray with copy=True",
    "column_stack": "stack with axis=1",
    "diagonal": "linalg.diagonal",
    "dot": "matmul, vecdot or tensordot",
    "flatnonzero": "nonzero of reshape(x, (-1,))",
    "hstack": "concat",
    "inner": "vecdot or tensordot",
    "isclose": "xp.abs(a - b) <= atol + rtol * xp.abs(b)",
    "matvec": "matmul",
    "norm": "linalg.norm",
    "outer": "linalg.outer",
    "ptp": "max and min",
    "ravel": "reshape(x, (-1,))",
    "swapaxes": "permute_dims or moveaxis",
    "trace": "linalg.trace",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "vdot": "vecdot",
    "vstack": "concat",
}


# Names of other libraries' modules, and the code to use instead.
FOREIGN: Final[Mapping[str, str]] = {
    "as_tensor": "asarray",
    "asnumpy": "x.to_numpy()",
    "autograd": "JAX or PyTorch: there are no gradients here",
    "bmm": "matmul",
    "cat": "concat",
    "chunk": "array_split",
    "clamp": "clip",
    "clone": "x.copy()",
    "compile": "plain expressions, which are fused without a decorator",
    "default_device": "config.device",
    "default_rng": "random.default_rng",
    "device": "its name, such as device='gpu'; `python -m arrayapi_gpu` lists all",
    "device_get": "x.to_numpy()",
    "device_put": "x.to_device(device), or asarray(x, device=device)",
    "diag_embed": "eye(n) * x[..., None]",
    "empty_pinned": "from_host(array) of a NumPy array, whose pages it locks",
    "flatten": "reshape(x, (-1,))",
    "float": "float32 or float64",
    "fori_loop": "a Python loop, whose operations are fused",
    "from_numpy": "asarray",
    "fuse": "plain expressions, which are fused without a decorator",
    "gather": "take_along_axis",
    "get_array_module": "x.__array_namespace__()",
    "get_default_memory_pool": "memory()",
    "grad": "JAX or PyTorch: there are no gradients here",
    "histc": "histogram",
    "index_add": "add_at",
    "index_put": "x[key] = values, or add_at(x, key, values) to add",
    "index_select": "take",
    "int_": "int64",
    "inverse": "linalg.inv",
    "jit": "plain expressions, which are fused without a decorator",
    "lax": "plain expressions, which are fused without a decorator",
    "lgamma": "special.gammaln",
    "long": "int64",
    "manual_seed": "random.default_rng(seed)",
    "masked_select": "x[mask]",
    "mm": "matmul",
    "nn": "JAX or PyTorch: there are no neural networks here",
    "no_grad": "no such block: there are no gradients here",
    "one_hot": "astype(x[..., None] == arange(n), float32)",
    "permute": "permute_dims",
    "pmap": "one array for each device, or Dask (arrayapi_gpu.dask)",
    "rand": "random.default_rng(seed).random(shape)",
    "randint": "random.default_rng(seed).integers(low, high, size=shape)",
    "randn": "random.default_rng(seed).standard_normal(shape)",
    "randperm": "random.default_rng(seed).permutation(n)",
    "RawModule": "RawKernel(text, name) for each kernel of the text",
    "relu": "maximum(x, 0)",
    "scan": "a Python loop, whose operations are fused",
    "scatter": "put_along_axis",
    "scatter_add": "add_at",
    "segment_sum": "add_at",
    "sigmoid": "special.expit",
    "sparse": "SciPy's sparse arrays, in host memory",
    "stop_gradient": "no such function: there are no gradients here",
    "synchronize": "sync",
    "tensor": "asarray",
    "to_device": "x.to_device(device)",
    "to_numpy": "x.to_numpy()",
    "unfold": "numpy.lib.stride_tricks.sliding_window_view",
    "unsqueeze": "expand_dims(x, axis=...)",
    "value_and_grad": "JAX or PyTorch: there are no gradients here",
    "vmap": "broadcasting: give an array one more axis",
    "while_loop": "a Python loop, whose operations are fused",
    "zeros_pinned": "from_host(array) of a NumPy array, whose pages it locks",
}

# Names of other libraries in modules of random numbers, and the code to use instead.
OF_RANDOM: Final[Mapping[str, str]] = {
    "bernoulli": "default_rng(seed).random(shape) < p",
    "categorical": "default_rng(seed).choice(n, size, p=p)",
    "fold_in": "default_rng([seed, n])",
    "key": "default_rng(seed)",
    "PRNGKey": "default_rng(seed)",
    "split": "default_rng(seed).spawn(n)",
}

# Names of other libraries' arrays, and the code to use instead.
OF_ARRAYS: Final[Mapping[str, str]] = {
    "append": "xp.concat([x, y])",
    "at": "x[key] = value, or x[key] += value",
    "backward": "JAX or PyTorch: there are no gradients here",
    "block_until_ready": "xp.sync(x)",
    "bmm": "x @ y",
    "chunk": "xp.array_split(x, parts, axis=...)",
    "clamp": "xp.clip(x, low, high)",
    "clone": "x.copy()",
    "compute": "xp.compute(x)",
    "contiguous": "x.copy()",
    "copy_": "x[...] = y",
    "cpu": 'x.to_device("cpu"), or numpy.asarray(x)',
    "cupy": "x itself, or cupy.from_dlpack(x)",
    "data": "x.gpudata, or x.to_numpy() for a copy in host memory",
    "detach": "x itself: there are no gradients here",
    "dim": "x.ndim",
    "div": "x / y, or x /= y",
    "double": "x.astype(xp.float64)",
    "expand": "xp.broadcast_to(x, shape)",
    "fill_": "x[...] = value",
    "float": "x.astype(xp.float32)",
    "gather": "xp.take_along_axis(x, index, axis=...)",
    "get": "x.to_numpy()",
    "grad": "JAX or PyTorch: there are no gradients here",
    "half": "x.astype(xp.float16)",
    "iloc": "x[...]",
    "index_add": "xp.add_at(x, key, values)",
    "index_put": "x[key] = values, or xp.add_at(x, key, values) to add",
    "index_select": "xp.take(x, index, axis=...)",
    "int": "x.astype(xp.int32)",
    "length": "x.size, or len(x)",
    "long": "x.astype(xp.int64)",
    "masked_fill": "xp.where(mask, value, x)",
    "masked_scatter": "x[mask] = values",
    "masked_select": "x[mask]",
    "mm": "x @ y",
    "mul": "x * y, or x *= y",
    "nelement": "x.size",
    "norm": "xp.linalg.vector_norm(x)",
    "normal": "x[...] = xp.random.default_rng(seed).standard_normal(x.shape)",
    "numel": "x.size",
    "numpy": "x.to_numpy()",
    "permute": "xp.permute_dims(x, axes)",
    "relu": "xp.maximum(x, 0)",
    "repeat_interleave": "xp.repeat(x, n, axis=...)",
    "requires_grad": "JAX or PyTorch: there are no gradients here",
    "scatter": "xp.put_along_axis(x, index, values, axis=...)",
    "scatter_add": "xp.add_at(x, key, values)",
    "set": "x[...] = array",
    "sigmoid": "xp.special.expit(x)",
    "softmax": "xp.special.softmax(x, axis=...)",
    "stride": "x.strides",
    "sub": "x - y, or x -= y",
    "t": "x.T",
    "to": "x.to_device(device), or x.astype(dtype)",
    "type": "x.dtype, or x.astype(dtype)",
    "unfold": "numpy.lib.stride_tricks.sliding_window_view(x, n, axis=...)",
    "uniform": "x[...] = xp.random.default_rng(seed).random(x.shape)",
    "unsqueeze": "xp.expand_dims(x, axis=...)",
    "values": "numpy.asarray(x)",
    "zero": "x[...] = 0",
}

# Names of other libraries' arguments, and NumPy's and the standard's.
OF_ARGUMENTS: Final[Mapping[str, str]] = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "other": "x2"}

# Arguments of NumPy's functions that another function of this package has.
ELSEWHERE: Final[Mapping[str, str]] = {"load.mmap_mode": "from_host(numpy.load(file, mmap_mode='r'))"}


def missing(module: str, name: str, public: Collection[str]) -> str:
    """The message of the AttributeError for a name that a module does not have; ``public``: the names that it has."""
    found = f"module {module!r} has no attribute {name!r}"
    if RENAMED.get(name) in public:
        return f"{found}: NumPy's {name} is called {RENAMED[name]} in the standard"
    if name in INSTEAD:
        return f"{found}: the standard has no {name}; use {INSTEAD[name]}"
    package, _, chapter = module.partition(".")
    if chapter.endswith("random") and name in OF_RANDOM:
        return f"{found}: use {OF_RANDOM[name]}"
    for home in _homes(package):
        if name in vars(sys.modules[home]).get("__all__", ()):
            return f"{found}: use {home}.{name}"
    if chapter in ("", "numpy") and name in BACKEND_NAMES:
        ways = f'device="{name}", or config.set(device="{name}")'
        return f"{found}: use {ways}; `python -m arrayapi_gpu` lists the devices of this machine"
    if chapter == "random" and hasattr(np.random.Generator, name):
        return f"{found}: use default_rng(seed).{name}"
    if chapter in ("", "numpy", "random") and name in FOREIGN:
        return f"{found}: use {_from_package(package, FOREIGN[name]) if chapter else FOREIGN[name]}"
    if hasattr(np if not chapter else getattr(np, chapter, None), name):
        return f"{found}: the standard has no {name}; {'.'.join(filter(None, (package, 'numpy', chapter)))} has NumPy's"
    return found


def _from_package(package: str, hint: str) -> str:
    """A hint for a module with NumPy's names: with the package, if it begins with a name that NumPy does not have."""
    first = hint.partition("(")[0].partition(".")[0]
    return f"{package}.{hint}" if first in vars(sys.modules[package])["__all__"] and not hasattr(np, first) else hint


def _homes(package: str) -> list[str]:
    """The package, and those of its public modules that are imported."""
    chapters = [f"{package}.{chapter}" for chapter in ("linalg", "fft", "special", "random")]
    return [home for home in (package, *chapters) if home in sys.modules]


def missing_of_array(name: str, functions: Collection[str]) -> str:
    """The message of the AttributeError for a name that arrays do not have. ``functions``: those of the namespace."""
    instead = f'x.to_device("{name}")' if name in BACKEND_NAMES else OF_ARRAYS.get(name)
    if name.startswith("is_") and name[3:] in BACKEND_NAMES:
        instead = "x.device"
    elif instead is None and name in functions:
        instead = f"the function xp.{name}"
    elif instead is None and name.endswith("_") and name[:-1] in OF_ARRAYS:
        instead = OF_ARRAYS[name[:-1]]
    elif instead is None and name.endswith("_") and name[:-1] in functions:
        instead = f"x[...] = xp.{name[:-1]}(...), or an operator such as x += y"
    hint = f": use {instead}" if instead else ""
    return f"'Array' object has no attribute {name!r}{hint}"


def optional(library: str, user: str) -> ModuleType:
    """A module of a library that only ``user`` needs, imported at its first use. ImportError says how to install it."""
    try:
        return import_module(library)
    except ImportError:
        name = library.partition(".")[0]
        raise ImportError(f"{user}: {name} is not installed; run: pip install {name}") from None


def attributes(
    module: str, public: Sequence[str], later: Sequence[str] = ()
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module with these public names (PEP 562). Submodules among them that take
    long to import (``later``) are imported at their first use.

    The AttributeError carries the name and the module, so Python's traceback suggests similar names.
    """
    names = frozenset(public)

    def __getattr__(name: str) -> ModuleType:
        if name in later:
            return import_module(f"{module}.{name}")
        raise AttributeError(missing(module, name, names), name=name, obj=sys.modules[module])

    def __dir__() -> list[str]:
        return list(public)

    return __getattr__, __dir__
