"""The launch cache: a launch runs again on other memory.

A launch depends on the rules and references of the values that it computes and on the signatures of its operands, not
on their memory. So the key of a group with the signatures of all its arrays finds kernel, work-items and parameters;
only buffers, offsets of views and scalars are new. One operation on arrays in memory has a separate key, for which no
group is made (`evaluate`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backends.base import Buffer
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.store import Recent
from ...kernels.host.host_launch import HostLaunch
from ...kernels.host.on_host import KernelNeeded
from ...memory.gpuarray import GpuArray, Signature
from ...memory.layout import Layout
from ..plan.plan import Bound

KNOWN = 2048  # launches that are remembered

known: Recent[tuple[Any, ...], Bound] = Recent(KNOWN)


def launch(
    facts: Sequence[Any],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    scalars: Sequence[Any],
    make: Callable[[list[Buffer]], BoundLaunch | None],
    on_host: Callable[[], BoundLaunch | None],
) -> Bound | None:
    """Run the launch that is remembered for ``facts`` and these signatures; otherwise ``make`` one, and remember it.
    Return the launch if it may run again.

    ``operands``: the arrays and layouts that are read, gathered arrays included. ``make``: a function that takes the
    buffers and launches a kernel. ``on_host``: a function that makes the launch that the host's loops or NumPy compute.
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
    bound = on_host() if found is None else found.kernel
    stands_in = False
    if bound is None:
        bound = make(buffers)
    else:
        try:
            bound.run(buffers, scalars, [item.offset for item in items] if found is None or found.moved else None)
        except KernelNeeded:
            assert isinstance(bound, HostLaunch)
            bound.kernel = make(buffers)
            stands_in = bound.kernel is None
    if found is None:
        found = remember(key, bound, results[0])
    return None if stands_in else found  # a launch without a kernel would end a kept plan before its last launch


def remember(key: tuple[Any, ...] | None, launched: BoundLaunch | None, out: GpuArray) -> Bound | None:
    """Remember a launch and return it. Return None if it has no key or may not run again, and for the first result of a
    signature, because many signatures are met once."""
    signature = out.signature
    if key is None or launched is None or signature is None:
        return None
    if not signature.met:
        signature.met = True
        return None
    found = known[key] = Bound(launched, signature, any([type(item) is Signature and item.moved for item in key]))
    return found
