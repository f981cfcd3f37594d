"""Seeing what will happen: `explain` shows an expression, and the launches that computing it would take."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from .api.core.arguments import of_arrays
from .api.core.array_object import Array
from .backends.events import ON_COPIES
from .kernels.core.operation import Kind
from .lazy import (
    Blocks,
    Node,
    Planner,
    Source,
    Work,
    blocks_of,
    call,
    fits,
    handle,
    inner_of,
    interpreted,
    is_awaited,
    lacking,
    leaf,
    literal,
    root_of,
)
from .memory.gpuarray import GpuArray
from .memory.layout import Layout, extent, size
from .slowness import SMALL_BYTES
from .tables import Table, amount


class Explanation(str):
    """A text of Python statements, as `explain` returns it.

    ``exec(text, {"xp": arrayapi_gpu, **text.arrays})`` binds the last name to the value that was explained.

    Parameters
    ----------
    text : str
        The statements.
    arrays : dict of str to Array
        The arrays in memory that the statements read, by their names.
    launches : Table
        The launches: number, kind, device, values, and why a value has a separate launch.

    Examples
    --------
    >>> text = xp.explain(xp.asarray([1, 2]) + 1)
    >>> type(text).__name__, list(text.arrays)
    ('Explanation', ['v0'])
    """

    arrays: dict[str, Array]
    launches: Table

    def __new__(cls, text: str, arrays: dict[str, Array], launches: Table) -> Explanation:
        new = super().__new__(cls, text)
        new.arrays, new.launches = arrays, launches
        return new

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return f"{self.launches.html()}<pre>{escape(self)}</pre>"


class Program:
    """The plans of some values, and the lines that say what their launches compute. ``why``: there are also lines that
    say what makes them slow."""

    def __init__(self, why: bool = False) -> None:
        self._why = why
        self.launches: list[tuple[str, str, str, str, str]] = []
        self.lines: list[str] = []
        self.arrays: dict[str, Array] = {}
        self._launches = 0
        self._names: dict[Node, str] = {}
        self._memory: dict[Node, Node] = {}  # of arrays that are gathered from, in one dimension
        self._views: dict[Node, GpuArray] = {}  # the views over that memory
        self._planner = Planner(first=interpreted)
        self._done: set[Node] = set()  # values that the launches until here compute

    def plan(self, node: Node) -> None:
        """Write down the launches that make a node, unless they are there already."""
        stack = [node]
        while stack:
            one = stack[-1]
            if one.array is None and one not in self._done and not one.op.on_host:
                if not one.streamed:
                    self._plan_launches(one)
                else:
                    found = blocks_of(one, self._planner.planned)
                    if found.needs:
                        stack += reversed(found.needs)
                        continue
                    self._plan_blocks(one, found)
            stack.pop()

    def _plan_launches(self, node: Node) -> None:
        first = len(self._planner.launches)
        inner = inner_of(node)
        self._planner.compute(node)
        self._planner.merge(inner, first)
        new = self._planner.launches[first:]
        parts: dict[Node, list[int]] = {}  # the numbers of the launches of values in parts
        for launch in new:
            if (work := launch.work) is None:
                continue
            self._launches += 1
            numbers = [self._launches]
            if work.whole is not None:
                numbers = parts.setdefault(work.whole, [])
                numbers.append(self._launches)
            if work.nodes:
                self._write(numbers, Kind.PARTS if work.nodes[-1] is work.whole else launch.kind, work, launch.reason)

    def _write(self, numbers: list[int], kind: Kind, work: Work, reason: str) -> None:
        """Write down the launches that compute the values of some nodes. ``reason``: why they are separate."""
        start, named = len(self.lines), set[Node]()
        nodes = [work.nodes[-1], *work.nodes[:-1]]
        names = [self.name(one, named) for one in nodes]
        self._done.update(nodes)
        by, group = "", work.group
        if group and lacking(group, work.node) == []:
            by = ", by NumPy while the device rests"
        elif group and is_awaited(group, work.node):
            by = ", its kernel is being compiled"
        which = f"launch {numbers[0]}" if len(numbers) == 1 else f"launches {_listed(numbers)}"
        causes = [*self._causes(which, work, reason)] if self._why else []
        self.lines[start:start] = [f"# {which} ({kind.value}, {work.node.device}{by}): {', '.join(names)}", *causes]
        self.launches.append((which, kind.value, str(work.node.device) + by, ", ".join(names), reason))

    @staticmethod
    def _causes(which: str, work: Work, reason: str) -> Iterator[str]:
        """The lines that say why a launch may be slow."""
        if reason:
            yield f"# {which}: separate, because {reason}"
        items = [*work.results, *(work.operands if work.group is None else [*work.group.leaves, *work.group.memory])]
        nbytes = sum([size(item.layout.shape) * item.dtype.itemsize for item in items if not isinstance(item, Layout)])
        if nbytes < SMALL_BYTES:
            yield f"# {which}: small, as it moves {amount(nbytes)}; it takes as long as for {amount(SMALL_BYTES)}"

    def _plan_blocks(self, node: Node, found: Blocks) -> None:
        """The same of a value made of host operands, which is computed block by block."""
        nbytes = size(node.shape) * node.dtype.itemsize
        to = "on the device" if fits(node.device, nbytes) else "in host memory"
        start, count = len(self.lines), found.number
        name = self.name(node, set())
        blocks = "1 block" if count == 1 else f"{count} blocks"
        self.lines.insert(
            start, f"# {blocks} of {found.nbytes} bytes ({node.device}): {name}, whose {nbytes} bytes will be {to}"
        )
        self._planner.promise(node)
        self._done.add(node)

    def name(self, node: Node, seen: set[Node]) -> str:
        """The name of a node, after the lines that say what it is. ``seen``: nodes that this launch has lines of."""
        stack = [(node, False)]
        while stack:
            one, operands_named = stack.pop()
            if operands_named:
                self._write_line(one)
            elif one not in self._names or not (one in seen or one in self._done or one.array is not None):
                seen.add(one)
                stack.append((one, True))
                operands = [self._read(argument) for argument in one.args]
                stack += [(operand, False) for operand in reversed(operands) if operand is not None]
        return self._names[node]

    def _write_line(self, node: Node) -> None:
        """Name a node, whose operands have names, and write down what it is."""
        name = self._names.setdefault(node, f"v{len(self._names)}")
        if node.op.on_host:
            nbytes = size(node.shape) * node.dtype.itemsize
            self.lines.append(f"# {name}: {node.dtype} {node.shape}, {nbytes} bytes in host memory")
            self.arrays[name] = handle(Array, node)
        elif node.array is None:
            operands = [self._text(argument) for argument in node.args]
            self.lines.append(f"{name} = {node.op.expression(node, *operands)}  # {node.dtype} {node.shape}")
            if root_of(node) is not node and root_of(node) in self._done:
                self._done.add(node)  # it is memory, too
        else:
            if (view := self._views.get(node)) is not None:
                self.lines.append(f"# the memory under a view of shape {view.shape}, strides {view.strides}:")
            origin = node.array.storage.origin
            self.lines.append(f"# {name}: {node.dtype} {node.shape}, in memory{f', {origin}' if origin else ''}")
            if self._why and origin and origin.endswith(ON_COPIES):
                self.lines.append(f"# {name} went through the host: functions of arrayapi_gpu compute on the device")
            self.arrays[name] = handle(Array, node)

    def _read(self, argument: Any) -> Node | None:
        """The node under whose name an operand is read; None for a scalar."""
        if not isinstance(argument, Source):
            return argument if isinstance(argument, Node) else None
        node = argument.node
        if node.array is None or node.array.contiguous:
            return node
        if node not in self._memory:
            self._memory[node] = memory = _flat(node.array)
            self._views[memory] = node.array
        return self._memory[node]

    def _text(self, argument: Any) -> str:
        """The expression of an operand, which has a name."""
        node = self._read(argument)
        if node is None:
            return literal(argument)
        flat = isinstance(argument, Node) or len(node.shape) == 1
        return self._names[node] if flat else call("reshape", self._names[node], "(-1,)")


def _listed(numbers: list[int]) -> str:
    """Numbers in words: as a range, where they are neighbours."""
    first, *_, last = numbers
    if last - first == len(numbers) - 1:
        return f"{first} to {last}"
    return f"{', '.join(map(str, numbers[:-1]))} and {last}"


def _flat(array: GpuArray) -> Node:
    """All memory from the lowest element of a view to the highest, in one dimension."""
    low, high = extent(array.layout) or (0, -1)
    return leaf(array.view(Layout((high - low + 1,), (1,), low)))


@of_arrays
def explain(x: Array, why: bool = False) -> Explanation:
    """The expression of an array as Python, one statement a value, cut into the launches that computing it would take.

    ``v2 = xp.add(v0, v1)  # float32 (3, 4)``; arrays in memory are names without a statement, which the attribute
    ``arrays`` of the text has. Some of these have no expression because a library computed them, or because it had
    become too large for one kernel: the text says so. A reduction of many elements and other kernels of their own may
    take several passes, which count as one launch here. Of values made of host operands (`from_host`) it says in how
    many blocks of how many bytes they are computed, instead of launches. Nothing is launched and nothing is computed.

    Parameters
    ----------
    x : Array
        The array.
    why : bool, optional
        Whether to say of each launch why it is separate from the next one, whether it is small, and which operands
        came through the host.

    Returns
    -------
    Explanation
        A text, which also has a table of the launches.

    Raises
    ------
    TypeError
        ``x`` is no array.

    See Also
    --------
    record : The launches that were made, with their times.

    Examples
    --------
    >>> x = xp.asarray([1.0, 2.0])
    >>> held = x * 2
    >>> print(xp.explain(held + 1).splitlines()[2])
    v1 = xp.multiply(v0, 2.0)  # float64 (2,)
    """
    program = Program(why)
    program.plan(x._node)
    program.name(x._node, set())
    columns = dict.fromkeys(("launch", "kind", "device", "values", "why"), str)
    return Explanation("\n".join(program.lines), program.arrays, Table(columns, program.launches))
