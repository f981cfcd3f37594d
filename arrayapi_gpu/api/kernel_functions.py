"""Kernels of users: element-wise ones, reductions and scans over texts in C, on every device.

They take arrays of this namespace, and are lazy and fused like its own functions. docs/user-kernels.md says what the
texts may have. Sources: CuPy's ElementwiseKernel, ReductionKernel and RawKernel, PyOpenCL's and pygpu's
ElementwiseKernel, ReductionKernel and GenericScanKernel, whose arguments are taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends import get_device
from ..backends.base import Device
from ..config import config
from ..kernels.user_functions import UserBody, functions_of, indexed
from ..kernels.user_parameters import Parameter, parameters
from ..lazy.build import handle
from ..lazy.graph import Node, constant, flat_index, index_along
from ..lazy.user_kernels import UserOp, launched, results_of
from ..memory.dtypes import DTYPE_OF, SHORT, STORED_AS, defaults
from ..memory.layout import broadcast_shapes, size as size_of
from .arguments import refused, supported
from .array_object import Array
from .host_values import PYTHON_SCALARS

__all__ = ["ElementwiseKernel"]

INT64 = DTYPE_OF["i64"]


class Call(NamedTuple):
    """What a kernel was called with: values of all its parameters by name, what placeholders stand for, the shape."""

    values: dict[str, Any]  # nodes and numbers; results that are not given are not there
    handles: dict[str, Array]
    types: dict[str, np.dtype[Any]]
    shape: tuple[int, ...]
    device: Device


def kernel_name(name: str) -> str:
    """A kernel's name as part of C's names."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "kernel"


def with_options(preamble: str, options: Iterable[str]) -> str:
    """The preamble, with what compilers' options define in front of it; other options change nothing here."""
    options = options.split() if isinstance(options, str) else options
    defined = [option[2:].partition("=") for option in options if option.startswith("-D")]
    return "".join(f"#define {name} {value or 1}\n" for name, _, value in defined) + preamble


class Parameters:
    """The parameters of a kernel, and how what it is called with is bound to them."""

    def __init__(
        self, kernel: str, inputs: Sequence[Parameter], results: Sequence[Parameter], order: Sequence[Parameter]
    ):
        self.kernel = kernel
        self.inputs, self.results = tuple(inputs), tuple(results)
        self.order = tuple(order)  # in which they are given

    def bind(self, args: Sequence[Any], size: int | None) -> Call:
        """The call. TypeError for other arguments than the kernel takes, ValueError for shapes and devices that do not
        go together."""
        few, many = len(self.order) - len(self.results), len(self.order)
        pointers = any(parameter.pointer for parameter in self.order)
        if len(args) != many and (pointers or len(args) != few):
            allowed = str(many) if pointers else f"{few}, or {many} with the results"
            raise TypeError(f"{self.kernel}: got {len(args)} arguments; allowed: {allowed}")
        handles = {p.name: x for p, x in zip(self.order, args, strict=False) if isinstance(x, Array)}
        values = {p.name: x for p, x in zip(self.order, args, strict=False)}
        for parameter in self.order[: len(args)]:
            self._check_kind(parameter, values[parameter.name])
        types = self._types(handles, values)
        nodes = {name: array._node for name, array in handles.items()}
        device = self._device(nodes)
        for parameter in self.results:
            supported(types[parameter.name], device)
        return Call({**values, **nodes}, handles, types, self._shape(nodes, size), device)

    def _check_kind(self, parameter: Parameter, value: Any) -> None:
        if isinstance(value, Array):
            if parameter.pointer or not any(other.pointer for other in self.order):
                return
            raise TypeError(f"{self.kernel}: got an array for {parameter.name!r}; allowed: a number; declare it with *")
        is_result = parameter in self.results
        if is_result or parameter.raw or parameter.pointer or not isinstance(value, (*PYTHON_SCALARS, np.generic)):
            what = "an array" if is_result or parameter.raw or parameter.pointer else "an array or a number"
            raise refused(f"{self.kernel}, argument {parameter.name!r}", value, what)

    def _types(self, handles: dict[str, Array], values: dict[str, Any]) -> dict[str, np.dtype[Any]]:
        """The dtypes of all parameters, and of placeholders."""
        found: dict[str, np.dtype[Any]] = {}
        for parameter in self.order:
            array, kind = handles.get(parameter.name), parameter.type
            if array is None:
                continue
            wanted = found.setdefault(kind, array.dtype) if isinstance(kind, str) else kind
            if array.dtype != wanted:
                raise TypeError(
                    f"{self.kernel}: got {array.dtype} for {parameter.name!r}; allowed: {wanted}, as the kernel or "
                    "another array says; convert with astype"
                )
        device = next((array._node.device for array in handles.values()), None)
        usual = defaults("f64" in (get_device(None) if device is None else device).dtypes)
        for parameter in self.order:
            value, kind = values.get(parameter.name), parameter.type
            if value is None or parameter.name in handles or not isinstance(kind, str) or kind in found:
                continue
            found[kind] = value.dtype if isinstance(value, np.generic) else _usual(value, usual)
        for parameter in (*self.order, *self.results):
            if isinstance(parameter.type, str) and parameter.type not in found:
                raise TypeError(
                    f"{self.kernel}: nothing says which dtype {parameter.type!r} of {parameter.name!r} is; give an "
                    "array for the result, or declare its dtype"
                )
            found[parameter.name] = found[parameter.type] if isinstance(parameter.type, str) else parameter.type
        for parameter in self.results:
            if parameter.raw and found[parameter.name] in STORED_AS:
                raise TypeError(
                    f"{self.kernel}: got {found[parameter.name]} for {parameter.name!r}, into which the kernel writes "
                    "anywhere; allowed: other dtypes; take float32, and astype"
                )
        return found

    def _device(self, nodes: dict[str, Node]) -> Device:
        devices = {node.device for node in nodes.values()}
        if len(devices) > 1:
            raise ValueError(
                f"{self.kernel}: arrays are on different devices, {', '.join(sorted(map(str, devices)))}; bring them "
                "together with to_device"
            )
        return devices.pop() if devices else get_device(None)

    def _shape(self, nodes: dict[str, Node], size: int | None) -> tuple[int, ...]:
        shapes = [nodes[p.name].shape for p in self.order if not p.raw and p.name in nodes]
        if size is not None:
            if shapes:
                raise ValueError(f"{self.kernel}: got size={size} beside arrays that are not raw; leave it out")
            return (int(size),)
        if not shapes and any(p.raw for p in self.order):
            raise ValueError(f"{self.kernel}: all arrays are raw; say with size= how many elements are computed")
        shape: tuple[int, ...] = ()
        for other in shapes:
            shape = broadcast_shapes(shape, other)
        for parameter in self.results:
            if parameter.name in nodes and not parameter.raw and nodes[parameter.name].shape != shape:
                raise ValueError(
                    f"{self.kernel}: {parameter.name!r} has shape {nodes[parameter.name].shape}; allowed: {shape}, to "
                    "which all arrays broadcast"
                )
        return shape


def _usual(value: Any, usual: Any) -> np.dtype[Any]:
    if isinstance(value, bool):
        return DTYPE_OF["b8"]
    kind = "integral" if isinstance(value, int) else "real floating" if isinstance(value, float) else "complex floating"
    found: np.dtype[Any] = usual[kind]
    return found


def _normal(text: str, raws: Iterable[str]) -> str:
    """A body in which what CuPy writes as methods has names: ``_ind.size()`` is ind_size, ``_ind.get()[k]`` ind_k."""
    text = re.sub(r"\b_ind\s*\.\s*size\s*\(\s*\)", "ind_size", text)
    text = re.sub(r"\b_ind\s*\.\s*get\s*\(\s*\)\s*\[\s*(\d+)\s*\]", r"ind_\1", text)
    text = re.sub(r"\b_ind\s*\.\s*shape\s*\(\s*\)\s*\[\s*(\d+)\s*\]", r"ind_shape_\1", text)
    for name in raws:
        text = re.sub(rf"(?<![\w.]){name}\s*\.\s*size\s*\(\s*\)", f"{name}_size", text)
        text = re.sub(rf"(?<![\w.]){name}\s*\.\s*shape\s*\(\s*\)\s*\[\s*(\d+)\s*\]", rf"{name}_shape_\1", text)
    return text


_IMPLICIT = re.compile(r"(?<![\w.])(ind_size|ind_\d+|ind_shape_\d+|\w+_size|\w+_shape_\d+|i|n)\b")


class ElementwiseKernel:
    """A function of elements, whose text is C; it is called with arrays and numbers, which broadcast.

    In CuPy's form, ``in_params`` and ``out_params`` declare what the kernel takes and gives: "float32 x, T y, raw T z".
    A letter stands for any dtype, the same wherever it stands; of a ``raw`` array any element may be read or written,
    ``z[index]``. ``operation`` is an expression's assignment, or any statements. Called with the inputs, the kernel
    gives the result, or a tuple of them; called with arrays for the results, too, it writes into these.

    In PyOpenCL's and pygpu's form, a first text with pointers declares all arguments, "float *a, float b", the second
    one is the operation, "a[i] += b", and arrays are changed in place.

    ``i`` is the number of the element, ``n`` or ``_ind.size()`` how many there are, ``_ind.get()[k]`` its k-th
    coordinate; ``z.size()`` and ``z.shape()[k]`` are of a raw array. ``preamble`` has functions and macros of the
    user's; ``options`` that define macros (-DNAME=VALUE) do so, others and ``reduce_dims`` change nothing.
    ``loop_prep`` and ``after_loop`` stand before and behind the operation.

    Raises ValueError and TypeError for what is no declaration, and when it is called for arguments that do not fit.
    KernelBuildError where a compiler refuses the text. Source: CuPy, PyOpenCL.

    >>> import arrayapi_gpu as xp
    >>> squared_difference = xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    >>> squared_difference(xp.asarray([1.0, 2.0]), 5.0)
    Array([16., 9.], dtype=float64)
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str | None = None,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Iterable[str] = (),
    ):
        del reduce_dims
        in_c = "*" in in_params
        if in_c:
            name = operation or name
            operation = out_params
        elif operation is None:
            raise TypeError("ElementwiseKernel: no operation; give in_params, out_params and operation")
        self.name = kernel_name(name)
        self._shown = f"xp.ElementwiseKernel({in_params!r}, {out_params!r}, {operation!r})"
        self._preamble = with_options(preamble, options)
        self._in_c, self._tuple = in_c, return_tuple
        self._nothing = no_return or in_c
        text = ";\n".join(part for part in (loop_prep, operation, after_loop) if part)
        if in_c:
            declared = _by_use(parameters(in_params, "ElementwiseKernel: arguments"), text)
            results = [parameter for parameter, is_written in declared if is_written]
            inputs = [parameter for parameter, is_written in declared if not is_written]
            self._parameters = Parameters(self.name, inputs, results, [parameter for parameter, _ in declared])
            for parameter in self._parameters.order:
                if parameter.pointer and not parameter.raw:
                    text = indexed(text, parameter.name, lambda _, name=parameter.name: name)
        else:
            inputs = list(parameters(in_params, "ElementwiseKernel: in_params"))
            results = list(parameters(out_params, "ElementwiseKernel: out_params"))
            parameters(f"{in_params},{out_params}", "ElementwiseKernel")
            self._parameters = Parameters(self.name, inputs, results, [*inputs, *results])
        self._text = _normal(text, [parameter.name for parameter in self._parameters.order if parameter.raw])

    def __repr__(self) -> str:
        return self._shown

    def __call__(self, *args: Any, size: int | None = None) -> Any:
        """Compute, or write into the results that are given."""
        call = self._parameters.bind(args, size)
        results = self._parameters.results
        made = [handle(Array, node) for node in self._nodes(call)]
        arrays = dict(zip([p.name for p in results if not p.raw], made, strict=True))
        for name in arrays:
            if (given := call.handles.get(name)) is not None:
                given[...] = arrays[name]
                arrays[name] = given
        if self._nothing:
            return None
        given_or_made = [arrays.get(p.name, call.handles.get(p.name)) for p in results]
        return given_or_made[0] if len(given_or_made) == 1 and not self._tuple else tuple(given_or_made)

    def _nodes(self, call: Call) -> list[Node]:
        inputs = [p for p in self._parameters.inputs if not p.raw]
        raws = [p for p in self._parameters.order if p.raw]
        results = [p for p in self._parameters.results if not p.raw]
        operands: dict[str, Any] = {p.name: call.values[p.name] for p in inputs}
        implicit = implicit_inputs(self._text, call, [p.name for p in self._parameters.order])
        if not any(type(value) is Node for value in operands.values()):
            implicit.setdefault("i", flat_index(call.shape, call.device))
        types = call.types
        body = UserBody(
            self.name,
            self._text,
            self._preamble,
            tuple((p.name, types[p.name]) for p in inputs) + tuple((name, INT64) for name in implicit),
            tuple((p.name, types[p.name]) for p in raws),
            tuple((p.name, types[p.name]) for p in results),
            tuple((p.type, types[p.type]) for p in self._parameters.order if isinstance(p.type, str)),
            "f64" in call.device.dtypes,
            tuple(p.name for p in self._parameters.results if p.raw),
        )
        raw = [call.values[p.name] for p in raws]
        if body.written or (raws and config.check):
            before = {p.name: call.values[p.name] for p in results if p.name in call.values}
            return launched(body, [*operands.values(), *implicit.values()], before, raw, call.shape, call.device)
        functions = functions_of(body)
        old = [call.values.get(name, 0) for name in functions.incoming]
        values = [_as_node(value, call.device) for value in (*operands.values(), *implicit.values(), *old)]
        ops = _ops(self.name, self._shown, len(inputs), len(values), len(raws), len(functions.rules))
        return results_of(ops, functions, values, raw, call.shape, call.device)


@lru_cache(maxsize=4096)
def _ops(name: str, shown: str, inputs: int, values: int, raws: int, results: int) -> list[UserOp]:
    given = [*range(inputs), *range(values, values + raws)]
    return [UserOp(name, shown, given, number if results > 1 else None) for number in range(results)]


def _as_node(value: Any, device: Device) -> Any:
    if isinstance(value, np.generic) and value.dtype in SHORT:
        return constant(value.item(), value.dtype, (), device)
    return value


def implicit_inputs(text: str, call: Call, declared: Sequence[str]) -> dict[str, Any]:
    """What a body has without declaring it, by name: numbers of elements, coordinates, extents."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(_IMPLICIT.findall(text)):
        if name in declared:
            continue
        shape = call.shape
        if name == "i":
            found[name] = flat_index(call.shape, call.device)
        elif name in ("n", "ind_size"):
            found[name] = size_of(call.shape)
        elif re.fullmatch(r"ind_\d+", name):
            found[name] = index_along(_axis(name, call.shape), call.shape, call.device)
        elif (owner := re.fullmatch(r"(\w+)_(?:size|shape_\d+)", name)) is not None:
            if owner[1] != "ind":
                if not isinstance(call.values.get(owner[1]), Node):
                    continue
                shape = call.values[owner[1]].shape
            found[name] = size_of(shape) if name.endswith("_size") else shape[_axis(name, shape)]
    return found


def _axis(name: str, shape: tuple[int, ...]) -> int:
    axis = int(name.rsplit("_", 1)[1])
    if axis >= len(shape):
        raise ValueError(f"{name}: axis {axis} of shape {shape}; allowed: 0 to {len(shape) - 1}")
    return axis


_WRITES = r"\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"


def _by_use(declared: Sequence[Parameter], text: str) -> list[tuple[Parameter, bool]]:
    """Parameters in C with what their use says: whether only the element ``[i]`` is used, and whether it is written."""
    found = []
    for parameter in declared:
        if not parameter.pointer:
            found.append((parameter, False))
            continue
        uses: list[str] = []
        rest = indexed(text, parameter.name, lambda index, uses=uses: uses.append(index.strip()) or "USED ")
        is_raw = any(use != "i" for use in uses) or re.search(rf"(?<![\w.]){parameter.name}\b", rest) is not None
        is_written = re.search(rf"USED {_WRITES}|(?:\+\+|--)\s*USED ", rest) is not None
        found.append((parameter._replace(raw=is_raw), is_written))
    return found
