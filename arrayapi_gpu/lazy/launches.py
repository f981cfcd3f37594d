"""The launch cache: what was launched before is launched again, on other memory.

A launch depends on the rules and references of what it computes and on the signatures of its operands, not on their
memory. So the key of a group with the signatures of all its arrays finds kernel, work-items and parameters; only
buffers, offsets of views and scalars are new. A tree of operations on arrays in memory has a key of its own, of their
rules and signatures, for which no group is made (`evaluate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.base import Buffer
from ..kernels.launch import BoundLaunch
from ..kernels.store import Recent
from ..memory.gpuarray import GpuArray, Signature
from ..memory.layout import Layout

KNOWN = 2048  # launches that are remembered

# Launches, the signatures of their results, and whether they are to be told offsets.
known: Recent[tuple[Any, ...], tuple[BoundLaunch, Signature, bool]] = Recent(KNOWN)


def repeat(
    facts: Sequence[Any], items: Sequence[GpuArray | Layout], scalars: Sequence[Any]
) -> tuple[tuple[Any, ...] | None, list[Buffer], BoundLaunch | None]:
    """Launch for results, operands and gathered memory what was launched before, if it was.

    Gives the key by which it is remembered, of ``facts`` and signatures, the buffers, and what was launched. The key is
    None where an array has no signature.
    """
    buffers = []
    signatures: list[Signature | Layout | None] = []
    for item in items:
        if isinstance(item, GpuArray):
            signatures.append(item.signature or item.find_signature())
            buffers.append(item.storage.buffer)
        else:
            signatures.append(item)
    if None in signatures:
        return None, buffers, None
    key = (*facts, *signatures)
    found = known.young.get(key) or known.get(key)
    if found is None:
        return key, buffers, None
    launched, _, moved = found
    launched.run(buffers, scalars, [item.offset for item in items] if moved else None)
    return key, buffers, launched


def remember(key: tuple[Any, ...] | None, launched: BoundLaunch | None, out: GpuArray) -> BoundLaunch | None:
    """Remember a launch, and give it, unless it has no key, may not be made again, or is the first with a result of
    this signature, since many signatures are met once."""
    signature = out.signature
    if key is None or launched is None or signature is None:
        return None
    if not signature.met:
        signature.met = True
        return None
    known[key] = launched, signature, any([type(item) is Signature and item.moved for item in key])
    return launched
