"""Users' kernels as nodes: operations whose rules are made of the user's text, and which are fused like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...backends.base import Device
from ...config import config
from ...kernels.core.launch import FixedKernel
from ...kernels.core.monoid import UserMonoid
from ...kernels.core.ops import Op
from ...kernels.core.store import stored
from ...kernels.user.raw_text import RawText
from ...kernels.user.user_functions import UserBody, UserFunctions, combining, functions_of
from ...kernels.user.user_launch import Along, incoming_of, launch_body
from ...memory.dtypes import SHORT, fit
from ...memory.layout import size
from ..build.build import apply, astype, broadcast
from ..graph.graph import IOTA, Node, Source, flat_index, leaf
from ..run.evaluate import contiguous, copy, evaluate, fresh
from ..run.nonfinite import check_results
from .writes import assign, settle_readers, writable


class UserOp(Op):
    """A result of a user's kernel. ``shown``: the kernel in Python. ``given``: the indices of the node's operands with
    which it is called. ``number``: the index of the result, if there are several."""

    __slots__ = ("given", "number", "shown")

    def __init__(self, name: str, shown: str, given: Sequence[int], number: int | None):
        super().__init__(name, len(given), "any")
        self.shown, self.given, self.number = shown, given, number

    def expression(self, node: Node, *operands: str) -> str:
        text = f"{self.shown}({', '.join(operands[k] for k in self.given)})"
        return text if self.number is None else f"{text}[{self.number}]"


def results_of(
    ops: Sequence[UserOp],
    functions: UserFunctions,
    operands: Sequence[Any],
    raws: Sequence[Node],
    shape: tuple[int, ...],
    device: Device,
) -> list[Node]:
    """The results of a kernel. ``operands``: the inputs and the old values of results: nodes and numbers, at least one
    node. ``raws``: arrays that the text indexes, which are computed now."""
    sources = [Source(leaf(contiguous(node))) for node in raws]
    nodes = []
    for op, rule in zip(ops, functions.rules, strict=True):
        given = [x if type(x) is Node else fit(x, dtype) for x, dtype in zip(operands, rule.args, strict=False)]
        nodes.append(apply(op, rule, (*given, *sources), shape, device))
    return nodes


def launched(
    body: UserBody,
    operands: Sequence[Any],
    old: Mapping[str, Node],
    raws: Sequence[Node],
    shape: tuple[int, ...],
    device: Device,
) -> list[Node]:
    """The results of a kernel that writes into raw arrays, or whose indices are checked. It is launched now.

    ``operands``: the inputs. ``old``: the old values of results, by name.
    """
    count = size(shape)
    inputs = [_input(x, dtype, shape) for x, (_, dtype) in zip(operands, body.inputs, strict=True)]
    incoming = incoming_of(body)
    before = [contiguous(old[name]) if name in incoming and name in old else None for name, _ in body.results]
    targets = {}
    arrays = []
    for (name, _), node in zip(body.raws, raws, strict=True):
        if name in body.written:
            targets[name] = writable(node)
            settle_readers(targets[name].storage)
        array = targets.get(name) or evaluate(node)
        arrays.append(array if array.contiguous else copy(leaf(array)))
    results = [fresh(device, dtype, shape) for _, dtype in body.results]
    launch_body(device, body, count, inputs, before, results, arrays, config.check)
    for (name, _), array in zip(body.raws, arrays, strict=True):
        if name in targets and targets[name] is not array:
            assign(targets[name], leaf(array))
    nodes = [leaf(array) for array in results]
    if config.nan:
        check_results(body.name, [x for x in (*operands, *old.values(), *raws) if type(x) is Node], nodes)
    return nodes


def _input(x: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    """An input in the form that the kernel takes: a number, an index along an axis, or an array."""
    if type(x) is not Node:
        return fit(x, dtype)
    if x.array is None and x.op is IOTA and x.shape == shape:
        layout = x.args[0]
        axes = [axis for axis, stride in enumerate(layout.strides) if stride]
        if not axes:
            return 0
        below = size(shape[axes[-1] + 1 :])
        return Along(below, size(shape) if len(axes) > 1 or not below else shape[axes[0]])
    x = astype(x, dtype)
    return contiguous(x if size(x.shape) == 1 else broadcast(x, shape))


@lru_cache(maxsize=1024)
def monoid_of(body: UserBody, identity: str, shown: str, device: Device, commutes: bool) -> UserMonoid:
    """The monoid of a user's text, which combines two values of the dtype of its result: the body's first two inputs. A
    third input says whether a segment begins with the second value. ``identity``: an expression."""
    dtype = body.results[0][1]
    function, texts = combining(body)
    nothing = replace(body, text=f"combined = {identity}", inputs=(("i", np.dtype("int64")),))
    functions = functions_of(nothing)
    (node,) = results_of([UserOp(body.name, "", (), None)], functions, [flat_index((), device)], [], (), device)
    value = evaluate(node).download().item()
    name = f"{function}_nothing"
    short = SHORT[dtype]
    rule = functions.rules[0]
    constant = f"FN R_{short} {name}(void) {{ return {rule.function}(LANES, SPLAT_i64(0)); }}"
    texts = tuple(dict.fromkeys((*texts, *rule.texts, constant)))
    return UserMonoid(
        body.name, function, 0, rounded=True, texts=texts, commutes=commutes, crosses=len(body.inputs) > 2,
        literal=f"{name}()", value=value, shown=shown,
    )  # fmt: skip


def _raw_kernel(device: Device, text: RawText) -> FixedKernel:
    return FixedKernel(device, text.name, text.parameters, text.text)


def launch_raw(
    text: RawText,
    device: Device,
    groups: tuple[int, int, int],
    group: tuple[int, int, int],
    args: Sequence[Any],
    strided: bool,
) -> None:
    """Launch a user's whole kernel. ``args``: nodes for pointers, and numbers.

    Pointers refer to arrays in C order. Other arrays are copied, and copied back if the kernel writes to them. With
    ``strided``, pointers refer to the first elements of arrays in their layouts.
    """
    pairs = [*zip(text.given, args, strict=True)]
    for one, node in pairs:
        if one.pointer and not one.const:
            array = writable(node)
            settle_readers(array.storage)
    arrays, back, values = [], [], []
    for one, node in pairs:
        if one.pointer:
            own = array = evaluate(node)
            if not (strided or array.contiguous):
                array = copy(leaf(own))
                back += [(own, array)] if not one.const else []
            arrays.append(array)
            values.append(array.offset * array.dtype.itemsize)
    values += [node for one, node in pairs if not one.pointer]
    extents = (group[0], group[1], groups[0], groups[1])
    size_of_group, count = prod(group), prod(groups)
    kernel = stored((RawText, device, text.text), lambda: _raw_kernel(device, text))
    kernel.run(text.name, count * size_of_group, arrays, [*values, *extents], size_of_group)
    for target, array in back:
        assign(target, leaf(array))
