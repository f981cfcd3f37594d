"""Users' bodies that write into raw arrays: a kernel of their own, which runs the body once for each element.

With checks, a launch records an index outside its array, as the number of the array, counted from 1, and the index, in
memory of its own, and takes element 0 instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty
from ..core import tuning
from ..core.dialect import Parameters, arguments
from ..core.launch import FixedKernel
from ..core.store import stored
from .number_functions import number_type
from .user_functions import UserBody, element_function, lane_function

INT64 = DTYPE_OF["i64"]
CHECK = """\
FN M_i64 checked_place(M_i64 i, M_i64 n, M_i64 number, GLOBAL M_i64 *found) {
    if (i >= 0 && i < n) return i;
    found[0] = number + 1;
    found[1] = i;
    return 0;
}
"""


class Along(NamedTuple):
    """A coordinate of the element: its number divided by ``below``, modulo ``extent``."""

    below: int
    extent: int


def incoming_of(body: UserBody) -> tuple[str, ...]:
    """Return the results whose old values a body reads."""
    return _lane(body, False)[1]


_lane = lru_cache(maxsize=1024)(lane_function)


def launch_body(
    device: Device,
    body: UserBody,
    count: int,
    inputs: Sequence[Any],
    old: Sequence[GpuArray | None],
    results: Sequence[GpuArray],
    raws: Sequence[GpuArray],
    checked: bool,
) -> None:
    """Run a body for ``count`` elements.

    ``inputs``: arrays in C order of so many elements, or of one element for all; numbers; or `Along`. ``old``: the old
    values of each result, if the body needs them, or None. Arrays are in C order. With ``checked``, IndexError if an
    index was outside its array.
    """
    kinds = tuple("array" if isinstance(x, GpuArray) else "along" if isinstance(x, Along) else "number" for x in inputs)
    has_old = tuple(array is not None for array in old)
    span = 1 if device.is_gpu else tuning.USERS_SPAN
    kernel, name = _kernel(device, body, kinds, has_old, span, checked)
    values: list[Any] = [count]
    arrays = [*results, *[x for x in inputs if isinstance(x, GpuArray)], *[x for x in old if x is not None], *raws]
    values += [array.offset for array in arrays]
    for x in inputs:
        values += [*x] if isinstance(x, Along) else [int(x.size > 1) if isinstance(x, GpuArray) else x]
    if not count:
        return
    if checked:
        values += [array.size for array in raws]
        found = empty(device, INT64, (2,))
        device.upload(found.storage.buffer, 0, np.zeros(2, np.int64))
        arrays.append(found)
    kernel.run(name, -(-count // span), arrays, values)
    if checked:
        noted = np.zeros(2, np.int64)
        device.download(found.storage.buffer, 0, noted)
        if noted[0]:
            array, (name, _) = raws[noted[0] - 1], body.raws[noted[0] - 1]
            raise IndexError(
                f"{body.name}: index {noted[1]} of {name!r}, which has {array.size} elements; config.check found it"
            )


def _kernel(
    device: Device, body: UserBody, kinds: tuple[str, ...], old: tuple[bool, ...], span: int, checked: bool
) -> tuple[FixedKernel, str]:
    name = f"{body.name}_kernel"

    def make() -> FixedKernel:
        text, parameters = _text(body, kinds, old, span, checked, name)
        return FixedKernel(device, name, parameters, text)

    return stored((FixedKernel, device, body, kinds, old, span, checked), make), name


def _text(
    body: UserBody, kinds: tuple[str, ...], old: tuple[bool, ...], span: int, checked: bool, name: str
) -> tuple[str, Parameters]:
    """The text of a kernel, and its parameters in the order of `launch_body`."""
    shared, _ = _lane(body, checked)
    results, inputs, raws = body.results, body.inputs, body.raws
    pointers = [(SHORT[dtype], f"o{k}") for k, (_, dtype) in enumerate(results)]
    pointers += [(SHORT[inputs[k][1]], f"x{k}") for k, kind in enumerate(kinds) if kind == "array"]
    pointers += [(SHORT[results[k][1]], f"y{k}") for k, there in enumerate(old) if there]
    pointers += [(SHORT[dtype], f"m{k}") for k, (_, dtype) in enumerate(raws)]
    fields = [("n", "i64"), *[(f"{pointer}_0", "i64") for _, pointer in pointers]]
    lines, words, after = [], [], []
    for k, (kind, (_, dtype)) in enumerate(zip(kinds, inputs, strict=True)):
        if kind == "array":
            fields.append((f"x{k}_s", "i64"))
            words.append(_element(f"x{k}", f"p.x{k}_0 + e * p.x{k}_s", dtype))
        elif kind == "along":
            fields += [(f"x{k}_below", "i64"), (f"x{k}_extent", "i64")]
            words.append(f"(e / p.x{k}_below) % p.x{k}_extent")
        else:
            fields.append((f"x{k}", SHORT[dtype]))
            words.append(f"p.x{k} != 0" if dtype in BOOLEAN else f"p.x{k}")
    for k, (_, dtype) in enumerate(results):
        zero = "{0, 0}" if dtype in COMPLEX_FLOATING else "0"
        lines.append(f"{number_type(dtype)} r{k} = {_element(f'y{k}', f'p.y{k}_0 + e', dtype) if old[k] else zero};")
        words.append(f"&r{k}")
        after.append(_stored(f"o{k}", f"p.o{k}_0 + e", f"r{k}", dtype))
    words += [f"m{k} + p.m{k}_0" for k in range(len(raws))]
    if checked:
        fields += [(f"m{k}_n", "i64") for k in range(len(raws))]
        words += [*[f"p.m{k}_n" for k in range(len(raws))], "found"]
        pointers.append(("i64", "found"))
    call = f"lane_{body.digest}({', '.join(words)});"
    own = [inputs[k][1] for k, kind in enumerate(kinds) if kind == "array"] + [
        results[k][1] for k, is_ in enumerate(old) if is_
    ]
    helpers = [element_function(SHORT[dtype]) for dtype in own if number_type(dtype) != f"M_{SHORT[dtype]}"]
    text = [
        CHECK if checked else "",
        *dict.fromkeys([*shared[:-1], *helpers, shared[-1]]),
        f"KERNEL void {name}({arguments(pointers)}) {{",
    ]
    text += [f"S_i64 first = (S_i64)GID * {span}, last = first + {span} < p.n ? first + {span} : p.n;"]
    text += ["for (S_i64 e = first; e < last; e++) {", *lines, call, *after, "}", "}\n"]
    return "\n".join(text), Parameters(fields)


def _element(pointer: str, place: str, dtype: np.dtype[Any]) -> str:
    """An element as a number."""
    kind = number_type(dtype)
    return f"{pointer}[{place}]" if kind == f"M_{SHORT[dtype]}" else f"element_{SHORT[dtype]}({pointer}, {place})"


def _stored(pointer: str, place: str, value: str, dtype: np.dtype[Any]) -> str:
    if dtype in BOOLEAN or number_type(dtype) == f"M_{SHORT[dtype]}":
        return f"{pointer}[{place}] = {value};"
    return f"STOREN_{SHORT[dtype]}({pointer}, {place}, 1, 1, ROUND_{SHORT[dtype]}(SPLAT_f32({value})));"
