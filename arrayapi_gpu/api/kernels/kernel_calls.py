"""Calls of user kernels: arguments are bound to parameters, and types, shapes and devices are checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends import get_device
from ...backends.base import Device
from ...kernels.user.user_functions import indexed
from ...kernels.user.user_parameters import OF_OPTIONS, PLACEHOLDER, Parameter, c_type, parameters
from ...lazy import Node, flat_index, index_along
from ...memory.dtypes import DTYPE_OF, FLOATING, INTEGRAL, as_dtype, defaults, fit
from ...memory.layout import broadcast_shapes, size as size_of
from ..core.arguments import integer, refused, supported
from ..core.array_object import Array
from ..core.host_values import PYTHON_SCALARS

INT64, FLOAT64 = DTYPE_OF["i64"], DTYPE_OF["f64"]


class Call(NamedTuple):
    """A call of a kernel: the values of its parameters by name, the dtypes of parameters and placeholders, the shape
    and the device."""

    values: dict[str, Any]  # nodes and numbers; results are only included if they were passed
    handles: dict[str, Array]
    types: dict[str, np.dtype[Any]]
    shape: tuple[int, ...]
    device: Device


def kernel_name(name: str) -> str:
    """The kernel's name as part of an identifier in C."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "kernel"


def with_options(preamble: str, options: Iterable[str]) -> str:
    """The preamble after the macros that compiler options define; other options have no effect."""
    options = options.split() if isinstance(options, str) else options
    defined = [option[2:].partition("=") for option in options if option.startswith("-D")]
    lines = "".join(f"#define {name} {value or 1}\n" for name, _, value in defined)
    return lines + OF_OPTIONS + preamble if lines else preamble


def number_for(kernel: str, name: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """The Python number to pass for a parameter of a dtype, from a Python or NumPy number.

    TypeError for a float if the parameter is an integer, and for a complex number if it is real. OverflowError for an
    integer out of the range of the dtype.
    """
    if not isinstance(value, (*PYTHON_SCALARS, np.generic)):
        hint = "; use x.item()" if hasattr(value, "item") else ""
        raise TypeError(f"{kernel}, argument {name!r}: got {type(value).__name__}; allowed: a number{hint}")
    is_float = value.dtype in FLOATING if isinstance(value, np.generic) else isinstance(value, float)
    if dtype in INTEGRAL and is_float and not isinstance(value, np.complexfloating):
        raise TypeError(
            f"{kernel}, argument {name!r}: got the float {value}; allowed: an integer, because the parameter is "
            f"{dtype}; use int(x)"
        )
    try:
        return fit(value.item() if isinstance(value, (np.integer, np.bool_)) else value, dtype)
    except (OverflowError, TypeError) as error:
        raise type(error)(f"{kernel}, argument {name!r}: {error}") from None


def count_for(kernel: str, name: str, value: Any, least: int = 0) -> int:
    """A number of elements, groups or work-items from an argument. TypeError unless it is an integer, ValueError if it
    is less than ``least``."""
    found = integer(kernel, name, value)
    if found < least:
        raise ValueError(f"{kernel}: got {found} for {name}; allowed: an integer of at least {least}")
    return found


def check_count(
    kernel: str, given: int, inputs: Sequence[str], results: Sequence[str] = (), both: bool = False
) -> None:
    """Raise TypeError unless a kernel is called with its number of arguments; ``both``: whether results are
    required."""
    few, many = len(inputs), len(inputs) + len(results)
    if given == many or (given == few and not both):
        return
    names = ", ".join([*inputs, *results] if both else inputs) or "none"
    allowed = f"{many if both else few} ({names})"
    if results and not both:
        allowed += f", or {many} with the results ({', '.join(results)})"
    raise TypeError(f"{kernel}: got {given} argument{'s' * (given != 1)}; allowed: {allowed}")


class Parameters:
    """The parameters of a kernel, and the binding of arguments to them."""

    def __init__(
        self, kernel: str, inputs: Sequence[Parameter], results: Sequence[Parameter], order: Sequence[Parameter]
    ):
        self.kernel = kernel
        self.inputs: tuple[Parameter, ...] = tuple(inputs)
        self.results: tuple[Parameter, ...] = tuple(results)
        self.order: tuple[Parameter, ...] = tuple(order)  # of the arguments of a call
        # In PyOpenCL's form, if all arrays are raw, the first array determines the number of elements.
        self.in_c: bool = any(parameter.pointer for parameter in order)

    def bind(self, args: Sequence[Any], size: int | None) -> Call:
        """The `Call` with these arguments. TypeError for arguments that do not fit the parameters, ValueError for
        shapes that do not broadcast and for different devices."""
        pointers = any(parameter.pointer for parameter in self.order)
        names = [parameter.name for parameter in self.order]
        few = len(self.order) if pointers else len(self.order) - len(self.results)
        check_count(self.kernel, len(args), names[:few], names[few:])
        handles = {p.name: x for p, x in zip(self.order, args, strict=False) if isinstance(x, Array)}
        values = {p.name: x for p, x in zip(self.order, args, strict=False)}
        for parameter in self.order[: len(args)]:
            self._check_kind(parameter, values[parameter.name])
        for parameter in self.results:
            if parameter.raw and parameter.name not in values:
                raise TypeError(
                    f"{self.kernel}: got no array for the raw result {parameter.name!r}, whose shape is unknown; pass "
                    f"an array for it: {self.kernel}({', '.join(names)})"
                )
        types = self._types(handles, values)
        for name, value in values.items():
            if name not in handles:
                number_for(self.kernel, name, value, types[name])
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
            is_array = is_result or parameter.raw or parameter.pointer
            allowed = "an arrayapi_gpu array" if is_array else "an arrayapi_gpu array or a number"
            raise refused(f"{self.kernel}, argument {parameter.name!r}", value, allowed)

    def _types(self, handles: dict[str, Array], values: dict[str, Any]) -> dict[str, np.dtype[Any]]:
        """The dtypes of all parameters and placeholders by name. TypeError for different or unknown ones."""
        found: dict[str, np.dtype[Any]] = {}
        for parameter in self.order:
            array, kind = handles.get(parameter.name), parameter.type
            if array is None:
                continue
            wanted = found.setdefault(kind, array.dtype) if isinstance(kind, str) else kind
            if array.dtype != wanted:
                hint = "convert with astype"
                if not isinstance(kind, str):
                    hint += f", or declare {array.dtype} {parameter.name}"
                    hint += " (float is NumPy's float64 here)" if wanted == FLOAT64 and not self.in_c else ""
                raise TypeError(
                    f"{self.kernel}: got {array.dtype} for {parameter.name!r}; allowed: {wanted}, as declared or as "
                    f"that of another array; {hint}"
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
                    f"{self.kernel}: the dtype {parameter.type!r} of {parameter.name!r} is unknown; pass an array for "
                    "the result, or declare its dtype"
                )
            found[parameter.name] = found[parameter.type] if isinstance(parameter.type, str) else parameter.type
        return found

    def _device(self, nodes: dict[str, Node]) -> Device:
        devices = {node.device for node in nodes.values()}
        if len(devices) > 1:
            raise ValueError(
                f"{self.kernel}: arrays are on different devices, {', '.join(sorted(map(str, devices)))}; copy them to "
                "one device with to_device"
            )
        return devices.pop() if devices else get_device(None)

    def _shape(self, nodes: dict[str, Node], size: int | None) -> tuple[int, ...]:
        shapes = {p.name: nodes[p.name].shape for p in self.order if not p.raw and p.name in nodes}
        if size is not None:
            if shapes:
                raise ValueError(f"{self.kernel}: got size={size} and arrays that are not raw; drop size=")
            return (count_for(self.kernel, "size", size),)
        if not shapes and any(p.raw for p in self.order):
            if not self.in_c:
                raise ValueError(f"{self.kernel}: all arrays are raw; pass the number of elements as size=")
            shapes = {name: node.shape for name, node in list(nodes.items())[:1]}
        shape: tuple[int, ...] = ()
        try:
            for other in shapes.values():
                shape = broadcast_shapes(shape, other)
        except ValueError as error:
            shown = ", ".join(f"{name!r} has shape {other}" for name, other in shapes.items())
            raise ValueError(f"{self.kernel}: {shown}; {error}") from None
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


def normal(text: str, raws: Iterable[str]) -> str:
    """A body with CuPy's methods replaced by names: ``_ind.size()`` by ind_size, ``_ind.get()[k]`` by ind_k."""
    text = re.sub(r"\b_ind\s*\.\s*size\s*\(\s*\)", "ind_size", text)
    text = re.sub(r"\b_ind\s*\.\s*get\s*\(\s*\)\s*\[\s*(\d+)\s*\]", r"ind_\1", text)
    text = re.sub(r"\b_ind\s*\.\s*shape\s*\(\s*\)\s*\[\s*(\d+)\s*\]", r"ind_shape_\1", text)
    for name in raws:
        text = re.sub(rf"(?<![\w.]){name}\s*\.\s*size\s*\(\s*\)", f"{name}_size", text)
        text = re.sub(rf"(?<![\w.]){name}\s*\.\s*shape\s*\(\s*\)\s*\[\s*(\d+)\s*\]", rf"{name}_shape_\1", text)
    return text


_IMPLICIT = re.compile(r"(?<![\w.])(ind_size|ind_\d+|ind_shape_\d+|\w+_size|\w+_shape_\d+|i|n)\b")


def implicit_inputs(text: str, call: Call, declared: Sequence[str]) -> dict[str, Any]:
    """The values, by name, that a body may use without a declaration: numbers of elements, coordinates, extents."""
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


def dtype_name(kind: Any, where: str) -> str:
    """The name of a type: a dtype, a type of C, or the letter of a placeholder. TypeError for others."""
    if isinstance(kind, str):
        if PLACEHOLDER.fullmatch(kind):
            return kind
        found = c_type(re.findall(r"\w+|<|>", kind))
        if found is not None:
            return found.name
    try:
        return as_dtype(kind).name
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None


def is_named(name: str, text: str) -> bool:
    """Whether a text contains a name, or a name that begins with it and an underscore, such as z_size."""
    return re.search(rf"(?<![\w.]){name}(?![^\W_])", text) is not None


def elements_only(arguments: str, expression: str, where: str) -> tuple[str, str]:
    """CuPy's declarations for the arguments (declared in C) that an expression reads, of elements and raw arrays, and
    the expression for them."""
    found = []
    for parameter, _ in by_use(parameters(arguments, where), expression):
        if is_named(parameter.name, expression):
            kind = parameter.type if isinstance(parameter.type, str) else parameter.type.name
            found.append(f"{'raw ' * parameter.raw}{kind} {parameter.name}")
            if parameter.pointer and not parameter.raw:
                expression = indexed(expression, parameter.name, lambda _, name=parameter.name: name)
    return ", ".join(found), expression


def by_use(declared: Sequence[Parameter], text: str) -> list[tuple[Parameter, bool]]:
    """Parameters declared in C as elements or raw arrays, according to whether a text uses only ``[i]``, and whether it
    writes to them."""
    found = []
    for parameter in declared:
        if not parameter.pointer:
            found.append((parameter, False))
            continue
        uses: list[str] = []
        rest = indexed(text, parameter.name, lambda index, uses=uses: uses.append(index.strip()) or "USED ")
        bare = re.search(rf"(?<![\w.]){parameter.name}\b", rest) is not None  # the pointer is used without an index
        is_raw = not uses or bare or any(use != "i" for use in uses)
        is_written = bare or re.search(rf"USED {_WRITES}|(?:\+\+|--|&)\s*USED ", rest) is not None
        is_written = is_written and not parameter.const
        found.append((parameter._replace(raw=is_raw), is_written))
    return found
