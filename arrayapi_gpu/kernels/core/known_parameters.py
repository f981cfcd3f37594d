"""Parameters of a kernel as numbers in its text, so that a compiler knows them.

It computes fewer addresses then, but there is a kernel for each shape. Nothing does that by itself: `tuning.NUMBERS`
asks for it, to measure what it gains.
"""

from __future__ import annotations

from . import tuning
from .dialect import Parameters
from .schedule import Schedule


def with_constants(text: str, parameters: Parameters, schedule: Schedule, span: int, strip: int, scalars: int) -> str:
    """The text of a generic kernel with the extents of a schedule, or its strides as well, as numbers.

    ``span``, ``strip``: the elements of a row, and the rows, that a work-item takes; ``scalars``: how many there are.
    The parameters are passed as before, and those that are numbers are not looked at.
    """
    head = head_of(schedule, span, strip)
    names = [name for name, _ in parameters.fields]
    known = dict(zip(names, head, strict=False))
    if tuning.NUMBERS == "strides":
        end = len(names) - scalars
        known |= zip(names[end - len(schedule.strides) : end], schedule.strides, strict=True)
    numbers = " ".join(f"p.{name} = {number};" for name, number in known.items())
    return text.replace("const Parameters p) {", f"const Parameters given) {{\n  Parameters p = given; {numbers}", 1)


def head_of(schedule: Schedule, span: int, strip: int) -> tuple[int, ...]:
    """The sizes that an element-wise kernel is given first.

    They are the elements of a row, and of several rows how many spans of them there are in a row, how many strips of
    rows, and the extents of the rows.
    """
    if schedule.rank == 1:
        return (schedule.inner,)
    shape = schedule.shape
    strips = schedule.rows // shape[-1] * -(-shape[-1] // strip)
    return (schedule.inner, -(-schedule.inner // span), strips, *shape)
