"""Pending values, and the memory that they read.

Before memory changes, every pending value that reads it is computed. So a value that a user holds is noted when it is
made, and the first write after that finds the memory that it reads. This takes one walk through each value, so the time
of a write grows with the number of new values and of readers of its memory, not with the number of all values.

A value is registered with each storage that it reads. The walk ends at a pending value that a user holds: that value is
computed first, and then its storage takes over its readers (`graph.settle`). The same holds for a root that a user
holds only through views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from weakref import ref

from ...backends.locks import module_lock
from ...backends.state import after_fork
from ...kernels.core.operation import Kind
from ...memory.gpuarray import Storage
from .graph import Handle, Node, Source

MIN_NOTED = 1024  # length of the list of noted values at which computed and dropped ones are first removed
MAX_RECENT = 32  # noted values that one launch may compute in addition to another one
MANY_READERS = 64  # length of the list of readers of one storage at which computed ones are first removed

try:
    from ...backends.c_objects import reference
except ImportError:  # in the Python form
    reference = ref

_lock = module_lock(globals(), "_lock")
noted: list[ref[Handle]] = []  # holders of values that no write has searched yet
_noted = noted
_limit = MIN_NOTED
_searching = False  # whether a thread refers to noted values by their places
_asked = 0  # length of the list at the last call of `recent`
_given: list[ref[Handle]] = []  # the values that were still pending then


def note(holder: Handle) -> ref[Handle]:
    """Note the holder of a new value; return a weak reference to it."""
    weak = reference(holder)
    _noted.append(weak)
    if len(_noted) > _limit:
        sweep()
    return weak


def forget(node: Node) -> None:
    """Remove the holder of a computed value, if it is the last noted one and has no other value by now. So a program
    that computes each value soon leaves no list behind."""
    global _asked
    weak = node.handle
    holder = None if weak is None else weak()
    # No call from here to the removal, so no other thread notes a value meanwhile.
    if not _searching and _noted and _noted[-1] is weak and (holder is None or holder._node is node):
        del _noted[-1]
        _asked = min(_asked, len(_noted))


def sweep() -> None:
    """Remove the values without handles and the computed values from the list.

    Other threads may append meanwhile. A sweep that a destructor begins during another one does nothing. Values that
    are new since the last call of `recent` count as given, because the shortened list does not show any more which
    values are new.
    """
    global _asked, _given, _limit, _searching
    with _lock:
        if _searching:
            return
        _searching = True
        try:
            n = len(noted)
            old, new = _still_pending(noted[:_asked]), _still_pending(noted[_asked:n])
            _given = (_given + new)[-MAX_RECENT:]
            noted[:n] = old + new
            _asked = len(old) + len(new)
            _limit = max(MIN_NOTED, 2 * len(noted))
        finally:
            _searching = False


@after_fork
def _end_search() -> None:
    """Let the child of a fork sweep, even if a search of the parent was under way."""
    global _searching
    _searching = False


def rebind(holder: Handle, node: Node) -> None:
    """Give a handle another value, which is noted before another thread can read it."""
    with _lock:
        if node.array is None:
            node.handle = weak = reference(holder)
            holder._node = node
            _noted.append(weak)  # no call since the line before, so no other thread reads the value before
        else:
            holder._node = node
    if len(_noted) > _limit:
        sweep()


def recent(own: int) -> list[Node]:
    """Up to `MAX_RECENT` pending values held by users that are new since the last call, plus those returned then.

    ``own``: the number of operations that the caller knows. If no more values than these were noted, there are no
    others, and the list is not searched.
    """
    global _asked, _given
    count, _asked = _asked, len(noted)
    if _given:
        _given = _still_pending(_given)
    if not _given and _asked - count <= own:
        return []
    _given = (_given + _still_pending(noted[count:]))[-MAX_RECENT:]
    return [handle._node for holder in _given if (handle := holder()) is not None]


def _still_pending(holders: list[ref[Handle]]) -> list[ref[Handle]]:
    return [holder for holder in holders if (handle := holder()) is not None and handle._node.array is None]


def readers(storage: Storage) -> list[Node]:
    """The pending values that users hold and that read a storage."""
    if not noted and storage.readers is None:
        return []
    with _lock:
        _register_noted()
        if storage.readers is None:
            return []
        found: dict[Node, None] = {}
        visited: set[Node] = set()
        rest = [storage.readers or []]
        for references in rest:
            for reference in references:
                node = reference()
                if node is None or node.array is not None or node in visited:
                    continue
                visited.add(node)
                if node.held:
                    found[node] = None
                elif node.readers:  # the user dropped it, and other values depend on it
                    rest.append(node.readers)
        _prune(storage)
    return list(found)


def _below(node: Node, ends: Callable[[Node], bool]) -> Iterator[Node]:
    """The computed values below a node, and the pending ones for which ``ends`` holds; the walk does not go below
    these. Pending values with views are among the results, because programs may write to the views when they are
    computed."""
    stack, visited = [node], {node}
    while stack:
        for argument in stack.pop().args:
            child = argument.node if type(argument) is Source else argument
            if type(child) is not Node or child in visited:
                continue
            visited.add(child)
            if child.array is not None or ends(child):
                yield child
                continue
            if child.views is not None:
                yield child
            stack.append(child)


def all_below(nodes: Iterable[Node]) -> set[Node]:
    """The pending ones of some nodes, and the pending values below them."""
    stack = [*nodes]
    visited: set[Node] = set()
    while stack:
        node = stack.pop()
        if node.array is None and node not in visited:
            visited.add(node)
            for child in node.args:
                if type(child) is Node:
                    stack.append(child)
                elif type(child) is Source:
                    stack.append(child.node)
    return visited


def unfused(node: Node) -> list[tuple[Node, str]]:
    """The pending operations and reductions below a node in the order of their launches, and the reason. Each has a
    launch of its own if fusion is off."""
    below = [other for other in all_below([node]) if other.rule is not None or other.op.kind is Kind.REDUCTION]
    own = sorted([other for other in below if other is not node], key=lambda other: other.weight)
    return [(other, "fusion is off") for other in own]


def _register_noted() -> None:
    """Register the noted values with the storages that they read. The caller holds the lock."""
    global _asked, _given, _searching
    before, _searching = _searching, True
    try:
        n = len(noted)
        for holder in noted[:n]:
            handle = holder()
            if handle is not None and handle._node.array is None and handle._node.handle is not None:
                _register(handle._node)
        _given = [*_given, *noted[_asked:n]][-MAX_RECENT:]
        _asked = 0
        del noted[:n]
    finally:
        _searching = before


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
    if len(references) >= MANY_READERS and not len(references) & (len(references) - 1):  # a power of two
        _prune(owner)


def _prune(owner: Storage | Node) -> None:
    if owner.readers:
        owner.readers = [r for r in owner.readers if (node := r()) is not None and node.array is None]


def reads_exposed(node: Node) -> bool:
    """Whether a new value reads memory that other libraries can reach.

    The walk ends at values that users have held, because pending ones of these read no such memory (`build.handle`).
    """
    below = _below(node, lambda child: child.handle is not None)
    return any(child.array is not None and child.array.storage.buffer.exposed for child in below)


def only_reader(storage: Storage, node: Node) -> bool:
    """Whether ``node`` is the only value held by users that will read a storage."""
    return not storage.shared and all(reader is node for reader in readers(storage))
