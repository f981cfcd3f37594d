"""Choices that the library makes by itself, forced for a measurement. Results stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import schedule as schedules, store, tuning
from arrayapi_gpu.kernels.core.dialect import Parameters
from arrayapi_gpu.kernels.core.schedule import Schedule
from arrayapi_gpu.kernels.maps.elementwise import Expression, Text, Variant, head_of
from arrayapi_gpu.lazy.run import launchers
from arrayapi_gpu.memory.layout import collapse


@contextmanager
def forced(specialise: str = "always", merged: bool = True, known: str = "", **numbers: Any) -> Iterator[None]:
    """Inside the block `config.specialise` and numbers of `kernels.core.tuning` have the given values.

    ``merged``: whether neighbouring dimensions are merged where strides allow it. ``known``: the parameters of generic
    kernels that are numbers in their text: "", "extents", or "strides" as well; then each schedule has a kernel of its
    own. Kernels and launches that were made before are not used inside the block, nor are those of the block after it.
    """
    with ExitStack() as stack:
        stack.callback(store.clear)  # after everything else is as before
        stack.enter_context(config.set(specialise=specialise, wait_for_compiler=True))
        if numbers:
            stack.enter_context(patch.multiple(tuning, **numbers))
        if not merged:
            stack.enter_context(patch.multiple(schedules, collapse=_not_collapsed, _packed=_not_packed))
            stack.enter_context(patch.object(launchers, "side_by_side", lambda operands, shape: False))
        if known:
            stack.enter_context(patch.object(Expression, "generic", _for_each_schedule(known)))
        store.clear()
        yield


def _not_collapsed(shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...]) -> Any:
    """`collapse`, which leaves dimensions as they are, if there are any."""
    return (shape, strides) if shape else collapse(shape, strides)


def _not_packed(unpacked: Schedule, *_: Any) -> Schedule:
    return unpacked


def _for_each_schedule(known: str) -> Callable[[Expression, Schedule, int], Variant | None]:
    """`Expression.generic`, with a kernel for each schedule, in which parameters are numbers, in place of each rank."""
    generic, write = Expression.generic, Text.write
    made: dict[tuple[Any, ...], Variant | None] = {}

    def found(expression: Expression, schedule: Schedule, elements: int) -> Variant | None:
        def written(text: Text) -> str:
            head = head_of(schedule, expression.device.lanes * text.tiling.width, 1)
            strides = schedule.strides if known == "strides" else ()
            return with_constants(write(text), text.parameters, head, strides, len(text.body.scalars))

        key = (expression, schedule.shape, schedule.inner, schedule.strides)
        if key not in made:
            expression._generic.clear()
            with patch.object(Text, "write", written):
                made[key] = generic(expression, schedule, elements)
        return made[key]

    return found


def with_constants(text: str, parameters: Parameters, head: Sequence[int], strides: Sequence[int], scalars: int) -> str:
    """The text of a generic kernel with its first parameters, and its strides if there are any, as numbers.

    A compiler computes fewer addresses then. ``scalars``: the parameters that follow the strides. All parameters are
    passed as before, and those that are numbers are not read.
    """
    names = [name for name, _ in parameters.fields]
    end = len(names) - scalars
    known = dict(zip(names, head, strict=False)) | dict(zip(names[end - len(strides) : end], strides, strict=True))
    numbers = " ".join(f"p.{name} = {number};" for name, number in known.items())
    return text.replace("const Parameters p) {", f"const Parameters given) {{\n    Parameters p = given; {numbers}", 1)
