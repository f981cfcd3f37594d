"""Pending values, and the memory that they read.

Before memory changes, every pending value that reads it is computed. So a value that a user holds is noted when it is
made, and the first write after that finds out which memory it reads. This takes one walk through each value, so a
write costs time by the values that are new and by those that read its memory, not by all.

A value is noted with each storage that it reads. A pending value on which it depends and which a user holds stands for
what lies below that value: it is computed first, and then its storage takes its readers over (`evaluate.settle`). So
does the storage of a root, which a user sees through views alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from weakref import ref

from ...backends.locks import module_lock
from ...backends.state import after_fork
from ...kernels.core.operation import Kind
from ...memory.gpuarray import Storage
from .graph import Handle, Node, Source

MIN_NOTED = 1024  # noted values from which on the list is looked through for those that are of no more interest
RECENT = 32  # noted values that may be computed beside another one
READERS = 64  # the same for the readers of one storage

_lock = module_lock(globals(), "_lock")
noted: list[ref[Handle]] = []  # holders of values that no write has looked at yet
_limit = MIN_NOTED
_sweeping = False
_asked = 0  # how long the list was when recent values were last asked for
_given: list[ref[Handle]] = []  # those that were still pending then


def tidy() -> None:
    """Sweep if the list has become long."""
    if len(noted) > _limit:
        sweep()


def sweep() -> None:
    """Take out of the list the values that nobody holds, and those that are computed.

    Other threads may append meanwhile. A sweep that a destructor begins during another one does nothing. What nobody
    has asked for yet counts as given, since the list does not tell any more what is new (`recent`).
    """
    global _asked, _given, _limit, _sweeping
    with _lock:
        if _sweeping:
            return
        _sweeping = True
        try:
            n = len(noted)
            old, new = _still_pending(noted[:_asked]), _still_pending(noted[_asked:n])
            _given = (_given + new)[-RECENT:]
            noted[:n] = old + new
            _asked = len(old) + len(new)
            _limit = max(MIN_NOTED, 2 * len(noted))
        finally:
            _sweeping = False


@after_fork
def _end_sweep() -> None:
    """Let the child of a fork sweep, although the parent was in the middle of it."""
    global _sweeping
    _sweeping = False


def rebind(holder: Handle, node: Node) -> None:
    """Let a handle stand for another value, which is noted before anybody can see it."""
    with _lock:
        if node.array is None:
            node.handle = reference = ref(holder)
            noted.append(reference)
        holder._node = node
    tidy()


def recent(own: int) -> list[Node]:
    """The last pending values that users hold, at most `RECENT`, each of which was noted since values were last asked
    for, or given then.

    ``own``: operations of which the caller knows. Where no more values were noted, there are no others, and nothing is
    looked through.
    """
    global _asked, _given
    count, _asked = _asked, len(noted)
    if _given:
        _given = _still_pending(_given)
    if not _given and _asked - count <= own:
        return []
    _given = (_given + _still_pending(noted[count:]))[-RECENT:]
    return [handle._node for holder in _given if (handle := holder()) is not None]


def _still_pending(holders: list[ref[Handle]]) -> list[ref[Handle]]:
    return [holder for holder in holders if (handle := holder()) is not None and handle._node.array is None]


def readers(storage: Storage) -> list[Node]:
    """The pending values that users hold and that read a storage."""
    global _asked, _given
    with _lock:
        n = len(noted)
        for holder in noted[:n]:
            handle = holder()
            if handle is not None and handle._node.array is None and handle._node.handle is not None:
                _register(handle._node)
        _given = [*_given, *noted[_asked:n]][-RECENT:]
        _asked = 0
        del noted[:n]
        if storage.readers is None:
            return []
        found: dict[Node, None] = {}
        seen: set[Node] = set()
        rest = [storage.readers or []]
        for references in rest:
            for reference in references:
                node = reference()
                if node is None or node.array is not None or node in seen:
                    continue
                seen.add(node)
                if node.held:
                    found[node] = None
                elif node.readers:  # a user has let it go, and others depend on it
                    rest.append(node.readers)
        _prune(storage)
    return list(found)


def _below(node: Node, ends: Callable[[Node], bool]) -> Iterator[Node]:
    """The values below a node that are computed, or pending ones for which ``ends`` holds; what lies below these is not
    looked at. And pending ones that have views, because these may be written when they are computed."""
    stack, seen = [node], {node}
    while stack:
        for argument in stack.pop().args:
            child = argument.node if type(argument) is Source else argument
            if type(child) is not Node or child in seen:
                continue
            seen.add(child)
            if child.array is not None or ends(child):
                yield child
                continue
            if child.views is not None:
                yield child
            stack.append(child)


def all_below(nodes: Iterable[Node]) -> set[Node]:
    """The pending values below some, and these themselves."""
    stack = [*nodes]
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if node.array is None and node not in seen:
            seen.add(node)
            for child in node.args:
                if type(child) is Node:
                    stack.append(child)
                elif type(child) is Source:
                    stack.append(child.node)
    return seen


def unfused(node: Node) -> list[tuple[Node, str]]:
    """The pending operations and reductions below a node, which have launches of their own where fusion is off, in
    their order; with the reason."""
    below = [other for other in all_below([node]) if other.rule is not None or other.op.kind is Kind.REDUCTION]
    own = sorted([other for other in below if other is not node], key=lambda other: other.weight)
    return [(other, "fusion is off") for other in own]


def _register(node: Node) -> None:
    own = ref(node)
    for child in _below(node, lambda child: child.held):
        _add(child if child.array is None else child.array.storage, own)


def _add(owner: Storage | Node, reader: ref[Node]) -> None:
    references = owner.readers
    if references is None:
        owner.readers = [reader]
        return
    references.append(reader)
    if len(references) >= READERS and not len(references) & (len(references) - 1):  # a power of two
        _prune(owner)


def _prune(owner: Storage | Node) -> None:
    if owner.readers:
        owner.readers = [r for r in owner.readers if (node := r()) is not None and node.array is None]


def reads_exposed(node: Node) -> bool:
    """Whether a new value reads memory that others can see.

    The walk ends at values that users have held: those do not (`build.handle`).
    """
    below = _below(node, lambda child: child.handle is not None)
    return any(child.array is not None and child.array.storage.buffer.exposed for child in below)


def only_reader(storage: Storage, node: Node) -> bool:
    """Whether ``node`` is the only value of a user's that will read a storage."""
    return not storage.shared and all(reader is node for reader in readers(storage))
