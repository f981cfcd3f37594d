"""User kernels: element-wise kernels, reductions and scans with texts in C, on every device.

They accept arrays of this namespace, and are lazy and fused like its functions. docs/guide/kernels.md describes the
texts. Sources: CuPy's ElementwiseKernel and ReductionKernel; PyOpenCL's and pygpu's ElementwiseKernel and
ReductionKernel, and PyOpenCL's GenericScanKernel, whose arguments are also accepted.
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
from ...lazy import Node, UserOp, constant, cumulative, flat_index, handle, launched, monoid_of, reduction, results_of
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
CROSSES = "across_seg_boundary"  # a name in scan texts: whether a segment begins with the second value
BETWEEN = " ; "  # the separator of the two expressions of a scan


class ElementwiseKernel:
    """An element-wise function whose text is C.

    It is called with arrays and numbers, which broadcast, and is lazy and fused like the functions of this namespace.
    Called with arrays for the results, too, it writes to these.

    Parameters
    ----------
    in_params : str
        The inputs, such as "float32 x, T y, raw T z". A letter stands for any dtype, the same one everywhere. Any
        element of a ``raw`` array may be used, as ``z[index]``. In PyOpenCL's form all arguments, with pointers, such
        as `float *a, float b`: the second text is then the operation, and arrays are changed in place.
    out_params : str
        The results, declared in the same way.
    operation : str, optional
        An assignment, such as "z = x + y", or any statements.
    name : str, default: 'kernel'
        The name of the kernel in logs and errors.
    reduce_dims : bool, default: True
        No effect.
    preamble : str, default: ''
        Functions and macros.
    no_return : bool, default: False
        Whether calls return None.
    return_tuple : bool, default: False
        Whether a single result is returned as a tuple.
    loop_prep : str, default: ''
        Statements before the operation.
    after_loop : str, default: ''
        Statements after the operation.
    options : iterable of str, default: ()
        Compiler options: -DNAME=VALUE defines a macro; others have no effect.

    Raises
    ------
    ValueError, TypeError
        For invalid declarations, and in a call for arguments that do not fit.
    KernelBuildError
        In a call, if the compiler rejects the text.

    See Also
    --------
    ReductionKernel, ScanKernel, RawKernel : Other kernels.

    Notes
    -----
    In the text, ``i`` is the index of the element and ``n`` or ``_ind.size()`` the number of elements;
    ``_ind.get()[k]`` is a coordinate of the element; ``z.size()`` and ``z.shape()[k]`` are those of a raw array.

    References
    ----------
    CuPy, ``ElementwiseKernel``; PyOpenCL and pygpu, ``ElementwiseKernel``.

    Examples
    --------
    >>> squared_difference = xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    >>> print(squared_difference(xp.asarray([1.0, 2.0]), 5.0))
    [16.  9.]
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
            raise TypeError("ElementwiseKernel: got no operation; allowed: in_params, out_params and operation; add it")
        self.name: str = kernel_name(name)
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
        # By the dtypes and types of inputs: the bound functions of calls with only inputs, if none is raw.
        self._known: dict[tuple[Any, ...], tuple[UserFunctions, list[UserOp]]] = {}

    def __repr__(self) -> str:
        return self._shown

    def __call__(self, *args: Any, size: int | None = None) -> Any:
        """Compute the results for some arguments.

        Parameters
        ----------
        *args : Array or scalar
            The inputs; or the inputs and arrays to write the results to.
        size : int, optional
            The number of elements if all arrays are raw.

        Returns
        -------
        Array or tuple of Array
            The result, or a tuple of results: new arrays, or the arrays that were passed for them. None in PyOpenCL's
            form.
        """
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
        """The results of a call with the same dtypes as an earlier one, whose checks apply; None if there was none."""
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
                        return None  # `bind` raises the error
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
            return None  # `bind` raises the error

    def _all(self, nodes: Sequence[Node]) -> tuple[Array, ...]:
        return tuple([handle(Array, node) for node in nodes])

    def part_of(self, kernel: str, in_c: bool = False) -> ElementwiseKernel:
        """Make this kernel a part of another one.

        `ReductionKernel` and `ScanKernel` use it.

        Parameters
        ----------
        kernel : str
            The name of the other kernel, for errors.
        in_c : bool, default: False
            Whether the first array determines the number of elements if all arrays are raw.

        Returns
        -------
        ElementwiseKernel
            This kernel.

        Examples
        --------
        >>> xp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice").part_of("other")
        xp.ElementwiseKernel('T x', 'T y', 'y = 2 * x')
        """
        self._parameters.kernel = kernel
        self._parameters.in_c |= in_c
        return self

    def bind(self, args: Sequence[Any], size: int | None = None) -> Call:
        """Bind arguments to the parameters, and check them.

        `ReductionKernel` and `ScanKernel` use it.

        Parameters
        ----------
        args : sequence
            The arguments of a call.
        size : int, optional
            The number of elements if all arrays are raw.

        Returns
        -------
        Call
            Values, dtypes, shape and device of the call.

        Examples
        --------
        >>> twice = xp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")
        >>> twice.bind([xp.asarray([1.0, 2.0])]).shape
        (2,)
        """
        return self._parameters.bind(args, size)

    def nodes(self, call: Call) -> list[Node]:
        """Make the pending results of a bound call, in new memory.

        `ReductionKernel` and `ScanKernel` use it.

        Parameters
        ----------
        call : Call
            The result of `bind`.

        Returns
        -------
        list of Node
            The pending results.

        Examples
        --------
        >>> twice = xp.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")
        >>> len(twice.nodes(twice.bind([xp.asarray([1.0, 2.0])])))
        1
        """
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
    """A reduction whose texts are C.

    It is called with arrays and numbers, which broadcast. The map is computed in the same launch. Values are combined
    in the order of `sum`, so sums are as accurate.

    Parameters
    ----------
    in_params : str
        The inputs, declared as for `ElementwiseKernel`. In PyOpenCL's form a dtype comes first:
        ``ReductionKernel(dtype_out, neutral, reduce_expr, map_expr, arguments)``, such as ``ReductionKernel(xp.float32,
        "0", "a + b", "x[i] * y[i]", "float *x, float *y")``.
    out_params : str
        The result.
    map_expr : str
        The expression of an element to reduce.
    reduce_expr : str
        The expression that combines two values ``a`` and ``b``, in any order.
    post_map_expr : str
        An assignment of the reduced value ``a`` to the result, such as "y = sqrt(a)".
    identity : str
        The neutral element of the combination.
    name : str, default: 'reduce_kernel'
        The name of the kernel in logs and errors.
    reduce_type : str or dtype, optional
        The type of ``a`` and ``b``; by default that of the result.
    reduce_dims : bool, default: True
        No effect.
    preamble : str, default: ''
        Functions and macros.
    options : iterable of str, default: ()
        Compiler options: -DNAME=VALUE defines a macro; others have no effect.

    Raises
    ------
    ValueError, TypeError
        For invalid declarations, and in a call for arguments that do not fit.
    KernelBuildError
        In a call, if the compiler rejects the text.

    See Also
    --------
    ElementwiseKernel : The names that texts may use.

    Notes
    -----
    In the texts, ``_in_ind.size()`` and ``_out_ind.size()`` are the numbers of elements of inputs and result.

    References
    ----------
    CuPy, ``ReductionKernel``; PyOpenCL and pygpu, ``ReductionKernel``.

    Examples
    --------
    >>> norm = xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> print(norm(xp.asarray([[3.0, 4.0], [5.0, 12.0]]), axis=1))
    [ 5. 13.]
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
        if len(declared) != 1 or declared[0].raw or reduce_expr is None:
            raise ValueError(f"ReductionKernel: got out_params={out_params!r}; allowed: one result that is not raw")
        self.name: str = kernel_name(name)
        self._identity = _identity("ReductionKernel", identity)
        self._result = declared[0]
        kind = dtype_name(self._result.type if reduce_type is None else reduce_type, "reduce_type")
        self._preamble, self._reduce = with_options(preamble, options), reduce_expr
        self._post = _sizes(post_map_expr)
        self._names = [parameter.name for parameter in parameters(in_params, "ReductionKernel: in_params")]
        self._order = [*range(len(self._names))]  # the positions of the map's arguments
        if in_c:
            in_params, map_expr = elements_only(in_params, map_expr, "ReductionKernel: arguments")
            self._order = [self._names.index(p.name) for p in parameters(in_params, "ReductionKernel: arguments")]
        self._map = ElementwiseKernel(
            in_params, f"{kind} mapped", f"mapped = {map_expr}", self.name, preamble=self._preamble
        ).part_of(self.name, in_c)

    def __call__(
        self, *args: Any, axis: Any = None, keepdims: bool = False, out: Array | None = None, size: int | None = None
    ) -> Array:
        """Reduce along axes.

        Parameters
        ----------
        *args : Array or scalar
            The inputs.
        axis : int or tuple of int, optional
            The axes; by default all.
        keepdims : bool, default: False
            Whether the axes are kept, with length 1.
        out : Array, optional
            An array to write the result to, which is returned.
        size : int, optional
            The number of elements if all arrays are raw.

        Returns
        -------
        Array
            The result.
        """
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


def _identity(kernel: str, identity: Any) -> str:
    """The text of an identity. ValueError if it is absent."""
    text = "" if identity is None else str(identity).strip()
    if not text:
        raise ValueError(
            f"{kernel}: got identity={identity!r}; allowed: a str as the identity, such as '0' for a + b; it is "
            "required, because every element is combined with it"
        )
    return text


def _monoid(
    name: str, text: str, identity: str, preamble: str, mapped: Node, shown: str, commutes: bool = True,
    crosses: bool = False,
) -> UserMonoid:  # fmt: skip
    """The monoid of a text that combines elements of a node; ``shown``: the Python expression of its kernel;
    ``crosses``: whether the text reads `CROSSES`."""
    dtype = COMPUTES_IN[mapped.dtype]
    inputs = [("a", dtype), ("b", dtype), *[(CROSSES, BOOL)] * crosses]
    body = UserBody(
        name, f"combined = {text}", preamble, tuple(inputs), (), (("combined", dtype),), (("T", dtype),),
        "f64" in mapped.device.dtypes,
    )  # fmt: skip
    return monoid_of(body, identity, shown, mapped.device, commutes)


class ScanKernel:
    """A scan along an axis whose texts are C.

    A result may depend on the combination of all elements up to its own. The kernel is called as an
    `ElementwiseKernel`, with ``axis``, by default the last one.

    Parameters
    ----------
    in_params : str
        The inputs, declared as for `ElementwiseKernel`. In PyOpenCL's form a dtype comes first, and arguments are
        pointers, to which the kernel writes: ``ScanKernel(dtype, arguments, input_expr, scan_expr, neutral,
        output_statement)``.
    out_params : str
        The results.
    input_expr : str
        The expression of an element to scan.
    scan_expr : str
        The expression that combines two values, ``a`` before ``b``.
    identity : str
        The neutral element of the combination.
    output_statement : str
        Assignments to the results. They may use ``item``, the combination of the elements up to this one,
        ``prev_item``, that of the elements before it, ``last_item``, that of all elements, and all names of an
        `ElementwiseKernel`.
    name : str, default: 'scan_kernel'
        The name of the kernel in logs and errors.
    scan_type : str or dtype, optional
        The type of items; by default that of the first result.
    preamble : str, default: ''
        Functions and macros.
    options : iterable of str, default: ()
        Compiler options: -DNAME=VALUE defines a macro; others have no effect.
    is_segment_start_expr : str, optional
        An expression: the scan restarts at each element for which it is true. It may use the names of ``input_expr``,
        and ``a``, the element to scan. If ``scan_expr`` reads ``across_seg_boundary``, it must handle the start itself.
    input_fetch_exprs : iterable of tuple, default: ()
        Tuples (name, array, 0 or -1) of names that ``input_expr`` and ``is_segment_start_expr`` may use: this element
        of an array, or the previous one, which is 0 at the first element.

    Raises
    ------
    ValueError, TypeError
        For invalid declarations, and in a call for arguments that do not fit.
    KernelBuildError
        In a call, if the compiler rejects the text.

    References
    ----------
    PyOpenCL, ``GenericScanKernel``.

    Examples
    --------
    >>> running_max = xp.ScanKernel("T x", "T y", "x", "max(a, b)", "-INFINITY", "y = item", "running_max")
    >>> print(running_max(xp.asarray([1.0, 3.0, 2.0, 5.0])))
    [1. 3. 3. 5.]
    >>> since = xp.ScanKernel("bool new", "int32 n", "1", "a + b", "0", "n = item", is_segment_start_expr="new")
    >>> print(since(xp.asarray([False, False, True, False, True])))
    [1 2 1 2 1]
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
        self.name: str = kernel_name(name)
        self._preamble, self._identity = with_options(preamble, options), _identity("ScanKernel", identity)
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
        """The C expression of the element that a name of ``input_fetch_exprs`` stands for."""
        if offset not in (0, -1):
            raise ValueError(f"{self.name}: got the offset {offset} of {word!r}; allowed: 0 and -1")
        return f"({array}[i])" if offset == 0 else f"(i > 0 ? {array}[i - 1] : 0)"

    def __call__(self, *args: Any, axis: int = -1, size: int | None = None) -> Any:
        """Scan along an axis.

        Parameters
        ----------
        *args : Array or scalar
            The inputs; or the inputs and arrays to write the results to.
        axis : int, default: -1
            The axis.
        size : int, optional
            The number of elements if all arrays are raw.

        Returns
        -------
        Array or tuple of Array
            The result, or a tuple of results: new arrays, or the arrays that were passed for them. None in PyOpenCL's
            form.
        """
        check_count(self.name, len(args), *self._names)
        few = [args[k] for k in self._order]
        mapped, *starts = self._map.nodes(self._map.bind(few, size))
        if not mapped.shape:
            inputs = ", ".join(self._names[0]) if self._order else "no inputs"
            raise ValueError(
                f"{self.name}: got no array of one dimension or more among its inputs ({inputs}); pass the number of "
                "elements as size=, or use reshape"
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
