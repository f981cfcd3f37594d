"""Kernels of users: element-wise ones, reductions and scans over texts in C, on every device.

They take arrays of this namespace, and are lazy and fused like its own functions. docs/user-kernels.md says what the
texts may have. Sources: CuPy's ElementwiseKernel, ReductionKernel and RawKernel, PyOpenCL's and pygpu's
ElementwiseKernel, ReductionKernel and GenericScanKernel, whose arguments are taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...backends.base import Device
from ...config import config
from ...kernels.core.monoid import UserMonoid
from ...kernels.user.user_functions import UserBody, UserFunctions, functions_of, indexed
from ...kernels.user.user_parameters import parameters
from ...lazy.build.build import handle
from ...lazy.build.reductions import reduction
from ...lazy.build.scans import cumulative
from ...lazy.graph.graph import Node, constant, flat_index
from ...lazy.mutation.user_kernels import UserOp, launched, monoid_of, results_of
from ...memory.dtypes import COMPUTES_IN, DTYPE_OF, SHORT
from ...memory.layout import broadcast_shapes, normalize_axis, size as size_of
from ..core.array_object import Array
from ..standard.statistical_functions import axes_of
from .kernel_calls import (
    Call,
    Parameters,
    by_use,
    check_count,
    dtype_name,
    elements_only,
    implicit_inputs,
    is_named,
    kernel_name,
    normal,
    with_options,
)

__all__ = ["ElementwiseKernel", "ReductionKernel", "ScanKernel"]

INT64, BOOL = DTYPE_OF["i64"], DTYPE_OF["b8"]
CROSSES = "across_seg_boundary"  # in the text of a scan: whether a segment begins with the second value
BETWEEN = " ; "  # what stands between the two expressions of a scan


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
            declared = by_use(parameters(in_params, "ElementwiseKernel: arguments"), text)
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
        self._text = normal(text, [parameter.name for parameter in self._parameters.order if parameter.raw])
        # By the kinds of inputs: what was found for a call that gives nothing but inputs, none of them raw.
        self._known: dict[tuple[Any, ...], tuple[UserFunctions, list[UserOp]]] = {}

    def __repr__(self) -> str:
        return self._shown

    def __call__(self, *args: Any, size: int | None = None) -> Any:
        """Compute, or write into the results that are given."""
        if self._known and size is None and (again := self._again(args)) is not None:
            return handle(Array, again[0]) if len(again) == 1 and not self._tuple else self._all(again)
        call = self.bind(args, size)
        results = self._parameters.results
        made = [handle(Array, node) for node in self.nodes(call)]
        arrays = dict(zip([p.name for p in results if not p.raw], made, strict=True))
        for name in arrays:
            if (given := call.handles.get(name)) is not None:
                given[...] = arrays[name]
                arrays[name] = given
        if self._nothing:
            return None
        given_or_made = [arrays.get(p.name, call.handles.get(p.name)) for p in results]
        return given_or_made[0] if len(given_or_made) == 1 and not self._tuple else tuple(given_or_made)

    def _again(self, args: Sequence[Any]) -> list[Node] | None:
        """The results of a call like one before; None where there was none. All is checked by what that was."""
        kinds: list[Any] = []
        values: list[Any] = []
        device: Device | None = None
        shape: tuple[int, ...] = ()
        for x in args:
            if type(x) is Array:
                node = x._node
                if device is None:
                    device, shape = node.device, node.shape
                elif node.device is not device:
                    return None
                elif node.shape != shape:
                    try:
                        shape = broadcast_shapes(shape, node.shape)
                    except ValueError:
                        return None  # `bind` says for which arrays
                kinds.append(node.dtype)
                values.append(node)
            else:
                kinds.append(type(x))
                values.append(x)
        if device is None:
            return None
        found = self._known.get((*kinds, "f64" in device.dtypes))
        try:
            return None if found is None else results_of(found[1], found[0], values, [], shape, device)
        except OverflowError:
            return None  # `bind` says for which parameter

    def _all(self, nodes: Sequence[Node]) -> tuple[Array, ...]:
        return tuple([handle(Array, node) for node in nodes])

    def part_of(self, kernel: str, in_c: bool = False) -> ElementwiseKernel:
        """The kernel itself, as part of another one, which errors name. ``in_c``: where all arrays are raw, the first
        one says how many elements there are."""
        self._parameters.kernel = kernel
        self._parameters.in_c |= in_c
        return self

    def bind(self, args: Sequence[Any], size: int | None = None) -> Call:
        """What the kernel is called with."""
        return self._parameters.bind(args, size)

    def nodes(self, call: Call) -> list[Node]:
        """The results, in new memory."""
        inputs = [p for p in self._parameters.inputs if not p.raw]
        raws = [p for p in self._parameters.order if p.raw and is_named(p.name, self._text)]
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
        if len(values) == len(call.values) == len(inputs) and not self._nothing:
            given = [node.dtype if type(node) is Node else type(node) for node in values]
            if not any(isinstance(value, np.generic) for value in call.values.values()):
                self._known[(*given, "f64" in call.device.dtypes)] = functions, ops
        return results_of(ops, functions, values, raw, call.shape, call.device)


@lru_cache(maxsize=4096)
def _ops(name: str, shown: str, inputs: int, values: int, raws: int, results: int) -> list[UserOp]:
    given = [*range(inputs), *range(values, values + raws)]
    return [UserOp(name, shown, given, number if results > 1 else None) for number in range(results)]


def _as_node(value: Any, device: Device) -> Any:
    if isinstance(value, np.generic) and value.dtype in SHORT:
        return constant(value.item(), value.dtype, (), device)
    return value


class ReductionKernel:
    """A reduction, whose texts are C; it is called with arrays and numbers, which broadcast.

    In CuPy's form ``map_expr`` computes an element of what is reduced from the inputs, ``reduce_expr`` combines two of
    these, ``a`` and ``b``, in any order, ``identity`` is what changes nothing, and ``post_map_expr`` assigns to the
    result what has become of all, ``a``. ``reduce_type``, a type, is that of ``a`` and ``b``; without it, the result's.
    ``_in_ind.size()`` and ``_out_ind.size()`` count the elements of inputs and result. The kernel is called with the
    inputs, ``axis`` (all axes if None) and ``keepdims``; the result is written into ``out``, if that is given.

    In PyOpenCL's form a dtype comes first: ``ReductionKernel(dtype_out, neutral, reduce_expr, map_expr, arguments)``,
    such as ``ReductionKernel(xp.float32, "0", "a + b", "x[i] * y[i]", "float *x, float *y")``.

    Sums are combined as those of `sum`, so they are as accurate, and the map is part of the same launch.

    Raises ValueError and TypeError for what is no declaration, when it is called for arguments that do not fit, and
    where nothing is reduced without an identity. Source: CuPy, PyOpenCL.

    >>> import arrayapi_gpu as xp
    >>> norm = xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(xp.asarray([[3.0, 4.0], [5.0, 12.0]]), axis=1)
    Array([ 5., 13.], dtype=float64)
    """

    def __init__(
        self,
        in_params: Any,
        out_params: str,
        map_expr: str,
        reduce_expr: str | None,
        post_map_expr: str,
        identity: Any = None,
        name: str = "reduce_kernel",
        reduce_type: Any = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Iterable[str] = (),
    ):
        del reduce_dims
        in_c = not isinstance(in_params, str)
        if in_c:  # dtype_out, neutral, reduce_expr, map_expr, arguments[, name]
            reduce_type, neutral, in_params = dtype_name(in_params, "dtype_out"), out_params, post_map_expr
            reduce_expr, map_expr = map_expr, reduce_expr or ""
            name, identity = identity or name, neutral
            out_params, post_map_expr = f"{reduce_type} reduced", "reduced = a"
        declared = parameters(out_params, "ReductionKernel: out_params")
        if len(declared) != 1 or declared[0].raw or identity is None or reduce_expr is None:
            raise ValueError(
                f"ReductionKernel: got out_params={out_params!r}, identity={identity!r}; allowed: one result, and a "
                "text for the identity"
            )
        self.name = kernel_name(name)
        self._result = declared[0]
        kind = dtype_name(self._result.type if reduce_type is None else reduce_type, "reduce_type")
        self._preamble, self._reduce, self._identity = with_options(preamble, options), reduce_expr, str(identity)
        self._post = _sizes(post_map_expr)
        self._names = [parameter.name for parameter in parameters(in_params, "ReductionKernel: in_params")]
        self._order = [*range(len(self._names))]  # of the arguments that the map takes
        if in_c:
            in_params, map_expr = elements_only(in_params, map_expr, "ReductionKernel: arguments")
            self._order = [self._names.index(p.name) for p in parameters(in_params, "ReductionKernel: arguments")]
        self._map = ElementwiseKernel(
            in_params, f"{kind} mapped", f"mapped = {map_expr}", self.name, preamble=self._preamble
        ).part_of(self.name, in_c)

    def __call__(
        self, *args: Any, axis: Any = None, keepdims: bool = False, out: Array | None = None, size: int | None = None
    ) -> Array:
        """Reduce along the axes."""
        check_count(self.name, len(args), self._names)
        call = self._map.bind([args[k] for k in self._order], size)
        (mapped,) = self._map.nodes(call)
        axes = axes_of(axis, len(mapped.shape), self.name)
        shown = f"xp.ReductionKernel('T x', 'T y', 'x', {self._reduce!r}, 'y = a', {self._identity!r}"
        shown += f", preamble={self._preamble!r})" if self._preamble else ")"
        monoid = _monoid(self.name, self._reduce, self._identity, self._preamble, mapped, shown)
        reduced = handle(Array, reduction(monoid, mapped, axes, keepdims, mapped.dtype))
        kind = call.types.get(self._result.type) if isinstance(self._result.type, str) else self._result.type
        result = dtype_name(kind or mapped.dtype, "out_params")
        post = _post_map(self.name, mapped.dtype.name, f"{result} {self._result.name}", self._post, self._preamble)
        counts = size_of(mapped.shape), reduced.size
        if out is not None and (type(out) is not Array or (out.shape, out.dtype.name) != (reduced.shape, result)):
            got = f"{out.dtype} of shape {out.shape}" if type(out) is Array else type(out).__name__
            error = TypeError if type(out) is not Array or out.dtype.name != result else ValueError
            raise error(f"{self.name}: got {got} for out; allowed: an array of {result} and shape {reduced.shape}")
        found: Array = post(reduced, *counts) if out is None else post(reduced, *counts, out)
        return found


@lru_cache(maxsize=1024)
def _post_map(name: str, kind: str, result: str, text: str, preamble: str) -> ElementwiseKernel:
    in_params = f"{kind} a, int64 in_ind_size, int64 out_ind_size"
    return ElementwiseKernel(in_params, result, text, f"{name}_end", preamble=preamble)


def _sizes(text: str) -> str:
    return re.sub(r"\b_(in|out)_ind\s*\.\s*size\s*\(\s*\)", r"\1_ind_size", text)


def _monoid(
    name: str, text: str, identity: str, preamble: str, mapped: Node, shown: str, commutes: bool = True,
    crosses: bool = False,
) -> UserMonoid:  # fmt: skip
    """How a text combines the elements of a node. ``shown``: the kernel of it in Python; ``crosses``: it asks whether a
    segment begins between two."""
    dtype = COMPUTES_IN[mapped.dtype]
    inputs = [("a", dtype), ("b", dtype), *[(CROSSES, BOOL)] * crosses]
    body = UserBody(
        name, f"combined = {text}", preamble, tuple(inputs), (), (("combined", dtype),), (("T", dtype),),
        "f64" in mapped.device.dtypes,
    )  # fmt: skip
    return monoid_of(body, identity, shown, mapped.device, commutes)


class ScanKernel:
    """A scan along an axis, whose texts are C: what becomes of all elements up to each one.

    ``input_expr`` computes an element from the inputs; ``scan_expr`` combines two, ``a`` and ``b``, of which ``a``
    comes first, and nothing changes what is combined with ``identity``; ``output_statement`` assigns to the results. It
    has ``item``, what has become of the elements up to this one, ``prev_item``, the same without it, ``last_item``, of
    the last one, and all that the operation of an `ElementwiseKernel` has. ``scan_type``, a type, is that of the items;
    without it, the first result's. The kernel is called as an `ElementwiseKernel`, with the axis, the last one if it is
    left out.

    With ``is_segment_start_expr`` the scan begins anew at each element for which that holds, and ``prev_item`` is the
    identity there. It has what ``input_expr`` has, and as ``a`` what that gives. Where ``scan_expr`` says itself what
    happens then, by ``across_seg_boundary``, it is left to do so. ``input_fetch_exprs`` are names for elements of
    arrays in these two, each (name, array, 0 or -1): of this element or the one before it, which is 0 at the first.

    In PyOpenCL's form a dtype comes first, and arguments are pointers, which are written into:
    ``ScanKernel(dtype, arguments, input_expr, scan_expr, neutral, output_statement)``.

    Raises ValueError and TypeError for what is no declaration, and when it is called for arguments that do not fit.
    Source: PyOpenCL, GenericScanKernel.

    >>> import arrayapi_gpu as xp
    >>> running_max = xp.ScanKernel("T x", "T y", "x", "max(a, b)", "-INFINITY", "y = item", "running_max")
    >>> running_max(xp.asarray([1.0, 3.0, 2.0, 5.0]))
    Array([1., 3., 3., 5.], dtype=float64)
    >>> since = xp.ScanKernel("bool new", "int32 n", "1", "a + b", "0", "n = item", is_segment_start_expr="new")
    >>> since(xp.asarray([False, False, True, False, True])).tolist()
    [1, 2, 1, 2, 1]
    """

    def __init__(
        self,
        in_params: Any,
        out_params: str,
        input_expr: str,
        scan_expr: str,
        identity: Any,
        output_statement: str,
        name: str = "scan_kernel",
        scan_type: Any = None,
        preamble: str = "",
        options: Iterable[str] = (),
        *,
        is_segment_start_expr: str | None = None,
        input_fetch_exprs: Iterable[tuple[str, str, int]] = (),
    ):
        self.name = kernel_name(name)
        self._preamble, self._identity = with_options(preamble, options), str(identity)
        self._in_c = not isinstance(in_params, str)
        self._segmented = is_segment_start_expr is not None
        self._crosses = self._segmented and is_named(CROSSES, scan_expr)
        self._scan = scan_expr if self._crosses else re.sub(rf"\b{CROSSES}\b", "false", scan_expr)
        fetched = [(word, self._fetched(word, array, offset)) for word, array, offset in input_fetch_exprs]
        declared = out_params if self._in_c else f"{in_params}, {out_params}"
        if is_segment_start_expr is not None and "a" not in re.findall(r"\w+", declared):
            fetched.append(("a", "mapped"))
        begins = is_segment_start_expr or "false"
        for word, text in fetched:
            begins = re.sub(rf"(?<![\w.]){word}\b", text, begins)
            input_expr = input_expr if word == "a" else re.sub(rf"(?<![\w.]){word}\b", text, input_expr)
        if self._in_c:
            kind, arguments = dtype_name(in_params, "dtype"), out_params
            in_params, texts = elements_only(arguments, f"{input_expr}{BETWEEN}{begins}", "ScanKernel: arguments")
            input_expr, begins = texts.split(BETWEEN)
            order = [parameter.name for parameter in parameters(arguments, "ScanKernel: arguments")]
            self._order = [order.index(p.name) for p in parameters(in_params, "ScanKernel: arguments")]
            self._names: tuple[list[str], list[str]] = (order, [])
            text, out_params = arguments, ""
        else:
            results = parameters(out_params, "ScanKernel: out_params")
            kind = dtype_name(scan_type if scan_type is not None or not results else results[0].type, "scan_type")
            inputs = parameters(in_params, "ScanKernel: in_params")
            self._order = [*range(len(inputs))]
            self._names = [p.name for p in inputs], [p.name for p in results]
            text = in_params
        self._items = [word for word in ("item", "prev_item", "last_item") if is_named(word, output_statement)]
        mapped, operation = f"{kind} mapped", f"mapped = {input_expr}"
        if self._segmented:
            mapped, operation = f"{mapped}, bool begins", f"{operation}; begins = ({begins}) ? true : false"
        self._map = ElementwiseKernel(in_params, mapped, operation, self.name, preamble=self._preamble)
        self._map.part_of(self.name, self._in_c)
        self._text, self._out, self._statement = text, out_params, output_statement

    def _fetched(self, word: str, array: str, offset: int) -> str:
        """The element of an array that a name stands for."""
        if offset not in (0, -1):
            raise ValueError(f"{self.name}: got the offset {offset} of {word!r}; allowed: 0 and -1")
        return f"({array}[i])" if offset == 0 else f"(i > 0 ? {array}[i - 1] : 0)"

    def __call__(self, *args: Any, axis: int = -1, size: int | None = None) -> Any:
        """Scan, and assign."""
        check_count(self.name, len(args), *self._names)
        few = [args[k] for k in self._order]
        mapped, *starts = self._map.nodes(self._map.bind(few, size))
        if not mapped.shape:
            inputs = ", ".join(self._names[0]) if self._order else "no inputs"
            raise ValueError(
                f"{self.name}: got no array of one dimension or more among its inputs ({inputs}); say with size= how "
                "many elements are scanned, or use reshape"
            )
        axis = normalize_axis(axis, len(mapped.shape), self.name)
        inputs, options = ("T x, bool s", "is_segment_start_expr='s'") if starts else ("T x", f"name={self.name!r}")
        shown = f"xp.ScanKernel({inputs!r}, 'T y', 'x', {self._scan!r}, {self._identity!r}, 'y = item', {options}"
        shown += f", preamble={self._preamble!r})" if self._preamble else ")"
        monoid = _monoid(
            self.name, self._scan, self._identity, self._preamble, mapped, shown, commutes=False, crosses=self._crosses
        )
        whole = handle(Array, cumulative(monoid, mapped, axis, mapped.dtype, True, *starts))
        n = mapped.shape[axis]
        places = {"item": slice(1, None), "prev_item": slice(n), "last_item": slice(n, None)}
        items = [whole[(slice(None),) * axis + (places[word],)] for word in self._items]
        if starts and "prev_item" in self._items:
            items.append(handle(Array, starts[0]))
        return self._assigning(mapped.dtype)(*items, *args)

    def _assigning(self, dtype: np.dtype[Any]) -> ElementwiseKernel:
        statement, items = self._statement, [(dtype.name, word) for word in self._items]
        if self._segmented and "prev_item" in self._items:
            items.append(("bool", "begins"))
            before = f"(begins ? ({dtype.name})({self._identity}) : prev_item)"
            statement = re.sub(r"\bprev_item\b", before, statement)
        if self._in_c:
            text = "".join(f"{kind} *{word}, " for kind, word in items) + self._text
            statement = re.sub(r"\b((?:prev_|last_)?item|begins)\b", r"\1[i]", statement)
            end = ElementwiseKernel(text, statement, f"{self.name}_end", preamble=self._preamble)
            return end.part_of(self.name)
        text = ", ".join([*[f"{kind} {word}" for kind, word in items], *[self._text][: bool(self._text)]])
        end = ElementwiseKernel(text, self._out, statement, f"{self.name}_end", preamble=self._preamble)
        return end.part_of(self.name)
