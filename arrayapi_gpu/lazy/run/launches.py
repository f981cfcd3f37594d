"""The launch cache: what was launched before is launched again, on other memory.

A launch depends on the rules and references of what it computes and on the signatures of its operands, not on their
memory. So the key of a group with the signatures of all its arrays finds kernel, work-items and parameters; only
buffers, offsets of views and scalars are new. One operation on arrays in memory has a key of its own, for which no
group is made (`evaluate`).

While a graph is computed for the first time, its launches are recorded, to be made again (`lazy.run.replay`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple
from weakref import ref

from ...backends.base import Buffer
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.store import Recent
from ...kernels.host.host_launch import HostLaunch, KernelNeeded
from ...memory.gpuarray import GpuArray, Signature, Storage
from ...memory.layout import Layout
from ..graph.graph import Node, settle, show_own

KNOWN = 2048  # launches that are remembered

Launched = tuple[BoundLaunch, Signature, bool]  # with the signature of the result, and whether it is to be told offsets
known: Recent[tuple[Any, ...], Launched] = Recent(KNOWN)


class Part(NamedTuple):
    """What a launch reads or writes: a part of the memory of some number."""

    memory: int
    offset: int
    signature: Signature | None


class Made(NamedTuple):
    """A launch that was made. ``items``: its results, operands and memory; of index variables the offsets."""

    launched: Launched
    results: int
    items: list[Part | int]
    scalars: Sequence[Any]


class Computed(NamedTuple):
    """A node that was computed by the launches before, or None, if it belongs to no graph of a user's; a view which
    they computed without its root has elements of its ``own``."""

    node: ref[Node] | None
    part: Part
    own: bool


class Recording:
    """What is launched while a graph is computed. It keeps neither nodes nor memory.

    ``events``: in their order; None for a launch that cannot be made again as it was.
    """

    def __init__(self) -> None:
        self.events: list[Made | Computed | None] = []
        self._numbers: dict[ref[Storage], int] = {}

    def part(self, array: GpuArray) -> Part:
        """An array, by the number of its memory."""
        numbers = self._numbers
        number = numbers.setdefault(ref(array.storage), len(numbers))
        return Part(number, array.offset, array.signature or array.find_signature())

    def made(self, launched: Launched | None, results: int, items: Sequence[Any], scalars: Sequence[Any]) -> None:
        """A launch was made."""
        if launched is None:
            self.events.append(None)
            return
        parts = [item.offset if type(item) is Layout else self.part(item) for item in items]
        self.events.append(Made(launched, results, parts, list(scalars)))


# A context variable, since it ends with the call that began it, wherever that is interrupted.
recording: ContextVar[Recording | None] = ContextVar("recording", default=None)


def computed(node: Node, array: GpuArray, own: bool = False) -> GpuArray:
    """A node was computed into fresh memory: make it a leaf; or, if a view has elements of its ``own``, note these."""
    record = recording.get()
    if record is not None:
        reference = ref(node)
        hash(reference)  # which asks the node: it may be gone when the reference is looked up (`lazy.run.replay`)
        record.events.append(Computed(reference, record.part(array), own))
    return show_own(node, array) if own else settle(node, array)


def unknown() -> None:
    """Something was launched that cannot be made again from here."""
    record = recording.get()
    if record is not None:
        record.events.append(None)


def launch(
    facts: Sequence[Any],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    scalars: Sequence[Any],
    make: Callable[[list[Buffer]], BoundLaunch | None],
    on_host: Callable[[], HostLaunch | None],
) -> BoundLaunch | None:
    """Launch what was launched before for ``facts`` and these signatures, or else ``make`` a launch.

    ``operands``: gathered memory, too. ``make`` is given the buffers, and launches a kernel. ``on_host``: what NumPy
    can make in its place. What was launched is returned if it is remembered.
    """
    items = [*results, *operands]
    buffers = []
    signatures: list[Signature | Layout | None] = []
    for item in items:
        if isinstance(item, GpuArray):
            signatures.append(item.signature or item.find_signature())
            buffers.append(item.storage.buffer)
        else:
            signatures.append(item)
    key = None if None in signatures else (*facts, *signatures)
    found = None if key is None else known.young.get(key) or known.get(key)
    bound = on_host() if found is None else found[0]
    stands_in = False
    if bound is None:
        bound = make(buffers)
    else:
        try:
            bound.run(buffers, scalars, [item.offset for item in items] if found is None or found[2] else None)
        except KernelNeeded:
            assert isinstance(bound, HostLaunch)
            bound.kernel = make(buffers)
            stands_in = bound.kernel is None
    if found is None:
        found = remember(key, bound, results[0])
    record = recording.get()
    if record is not None:  # a launch without a kernel would end a replay in the midst of it
        record.made(None if stands_in else found, len(results), items, scalars)
    return None if found is None else found[0]


def remember(key: tuple[Any, ...] | None, launched: BoundLaunch | None, out: GpuArray) -> Launched | None:
    """Remember a launch, unless it has no key, may not be made again, or is the first with a result of this signature,
    since many signatures are met once. What is remembered is returned."""
    signature = out.signature
    if key is None or launched is None or signature is None:
        return None
    if not signature.met:
        signature.met = True
        return None
    found = known[key] = launched, signature, any([type(item) is Signature and item.moved for item in key])
    return found
