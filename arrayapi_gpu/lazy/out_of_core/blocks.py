"""Blocks: boxes of values made of host operands, as ordinary expressions over blocks of these operands.

A box of a sum is the sum of its operands' boxes, a box of a view is a view of a box of its root, and so on for each
kind of node. What comes out reads no host memory but the blocks that it needs, so it is planned, fused and computed
like any other value. `Parts` writes it; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from ...memory.boxes import Box, cut, in_order, inside, leading, merged, moved, shape_of, whole
from ...memory.layout import Layout, composed, contiguous_strides, extent, indices, size
from ..build.build import apply, concatenation, cut_out, reshaped, roll, seen, step
from ..build.scans import Scan
from ..graph.concat import Concat
from ..graph.graph import Node, Source, constant, leaf, new_node
from ..graph.host_operands import (
    HOST,
    Block,
    HostMemory,
    Indexed,
    OnHost,
    Strided,
    computed_first,
    host_operand_in,
    streaming,
)
from ..graph.movements import as_strided
from ..graph.reduction import Reduce
from ..graph.roll import Roll
from ..graph.views import View
from ..run.evaluate import is_computing

TWICE = 2  # times as many elements as a view shows may be read for it, if fewer can be
AGAIN = 4  # times that each element of a root may be read for a view of it, at most: else the root is computed first


class Parts:
    """Boxes of the values below some values, ``tops``. Those of one object share what they have in common.

    First it is found out which boxes of each value are read (`_ask`). Those that overlap are made as one, so a stencil
    of many steps takes one box of each step.

    ``known``: nodes that count as computed. ``needs``: steps that are to be computed first, since each block would need
    them whole, unless a block is ``entire``. ``dry``: the expressions are to be measured, not computed (`bytes_of`).
    ``flat``: operands that lie in the same memory of the host, in C order, share it whatever their shapes are.
    """

    def __init__(
        self, *tops: Node, known: Container[Node] = (), entire: bool = False, dry: bool = False, flat: bool = False
    ):
        self.tops, self.known, self.entire, self.dry, self.flat = tops, known, entire, dry, flat
        self.needs: list[Node] = []
        self.met: list[Node] = []  # steps of which a box was taken
        self._made: dict[Node, dict[Box, Node]] = {}
        self._asked: dict[Node, list[Box]] = {}  # the boxes of values that are read
        self._asking = False  # whether these boxes are being found
        self._frames: dict[int, Node] = {}  # host operands of which others are boxes, by the identity of their memory

    def part(self, node: Node, box: Box) -> Node:
        """The elements of a box."""
        return self.parts([(node, box)])[0]

    def parts(self, boxes: Sequence[tuple[Node, Box]]) -> list[Node]:
        """The elements of boxes of several values."""
        # Operands before what is made of them, so that no long expression is a deep recursion. A box is let go of when
        # all that is made of it has been: it may have been computed, and of many steps there may not be room for all.
        order = self._ask(boxes)[::-1]
        last = {operand: node for node in order for operand in node.args if type(operand) is Node}
        done: dict[Node, list[Node]] = {}
        for operand, node in last.items():
            if type(operand.op) is not OnHost and all(operand is not top for top, _ in boxes):
                done.setdefault(node, []).append(operand)
        for node in order:
            for box in self._asked.get(node, ()):
                self._box(node, box)
            for operand in done.get(node, ()):
                self._made.pop(operand, None)
        return [self._box(node, box) for node, box in boxes]

    def read(self, boxes: Sequence[tuple[Node, Box]]) -> dict[int, list[Box]]:
        """The boxes of host operands that boxes of values read, by the identity of what they are boxes of. Those that
        are leading places are told as places of the elements in C order."""
        self._ask(boxes)
        frames = {node: key for key, node in self._frames.items()}
        return {
            frames.get(node, id(node)): [_in_line(node.shape, box) for box in asked]
            for node, asked in self._asked.items()
            if type(node.op) is OnHost
        }

    def _ask(self, asked: Sequence[tuple[Node, Box]]) -> list[Node]:
        """Find the boxes that are read of each value below some. These values are returned, each before its operands,
        as they are asked."""
        self._asked, self._asking = {}, True
        order = _before_their_operands([node for node, _ in asked])
        try:
            for node, box in asked:
                self._box(node, box)
            for node in order:
                done: list[Box] = []
                while (boxes := merged(self._asked.get(node, ()))) != done:  # a value may ask for more of itself
                    self._asked[node], done = [*boxes], boxes
                    for one in boxes:
                        self._part(node, one)
            for frame in self._frames.values():
                self._asked[frame] = merged(self._asked.get(frame, ()))
        finally:
            self._asking = False
        return order

    def _box(self, node: Node, box: Box) -> Node:
        """The elements of a box, cut out of the larger one that holds it."""
        if type(node.op) is OnHost and isinstance(node.op.memory, Strided):
            memory = node.op.memory
            if not self.flat:
                node, box = self._framed(node, memory, box)
            elif node is not self._frames.get(id(memory.span)) and (ends := _ends(memory.layout, box)) is not None:
                return self._of_flat(node, memory, ends, shape_of(box))
        if self._asking:
            self._asked.setdefault(node, []).append(box)
            return _stand_in(node, box)
        larger = next((one for one in self._asked.get(node, ()) if inside(box, one)), box)
        made = self._made.setdefault(node, {})
        found = made.get(larger)
        if found is None:
            found = made[larger] = self._part(node, larger)
        if larger == box:
            return found
        own = moved(box, larger, -1)
        return self._measured(node, (found,), shape_of(box)) or cut_out(found, own)

    def _framed(self, node: Node, memory: Strided, box: Box) -> tuple[Node, Box]:
        """The operand of which a host operand is a box, if it is one, and the box as one of that."""
        frame, own = (memory, None) if memory.frame is None else memory.frame
        whole_operand = self._frames.get(id(frame))
        if whole_operand is None:
            whole_operand = node
            if own is not None:
                whole_operand = host_operand_in(frame, node.dtype, frame.layout.shape, node.device)
            self._frames[id(frame)] = whole_operand
        return whole_operand, box if own is None else moved(box, own)

    def _of_flat(self, node: Node, memory: Strided, ends: tuple[int, int], shape: tuple[int, ...]) -> Node:
        """The elements from one place of the memory behind a host operand to another, in a shape."""
        flat = self._frames.get(id(memory.span))
        if flat is None:
            line = (memory.span.size,)
            flat = host_operand_in(memory.of_all(line), node.dtype, line, node.device)
            self._frames[id(memory.span)] = flat
        found = self._box(flat, (ends,))
        if len(shape) == 1:
            return found
        return self._measured(node, (found,), shape) or reshaped(found, shape)

    def forget(self) -> None:
        """Let go of what was made, but for blocks that are whole operands: the next blocks read them again."""
        operands = {node: made.get(whole(node.shape)) for node, made in self._made.items() if type(node.op) is OnHost}
        self._made = {node: {whole(node.shape): block} for node, block in operands.items() if block is not None}

    def _part(self, node: Node, box: Box) -> Node:
        op = node.op
        shape = shape_of(box)
        if not size(shape):
            return _stand_in(node, box)
        if type(op) is OnHost:
            return _block(node, op.memory.part(box), shape)
        if node.array is not None or node.weight < HOST or node in self.known:
            if self._unmade or shape == node.shape:
                return node
            return cut_out(node, box)
        if type(op) is View and op.own is not None:
            return self._part(leaf(op.own), box)
        if node in computed_first and node not in self.tops and not self.entire:
            return self._needs(node, node, box)
        if node.rule is not None:
            args = tuple([self._operand(argument, node, box) for argument in node.args])
            return self._measured(node, args, shape) or apply(op, node.rule, args, shape, node.device)  # type: ignore[arg-type]
        if type(op) is View:
            return self._of_view(node, op, box)
        if isinstance(op, Roll):
            return self._of_roll(node.args[0], op.shifts, box)
        if type(op) is Concat:
            return self._of_concat(node, op.axis, box)
        return self._of_step(node, box)

    def _operand(self, argument: Any, node: Node, box: Box) -> Any:
        if type(argument) is not Node:
            return argument
        shape = argument.shape
        own = zip(shape, box[len(box) - len(shape) :], strict=True)
        return self._box(argument, tuple([(0, 1) if n == 1 else ends for n, ends in own]))

    def _of_view(self, node: Node, op: View, box: Box) -> Node:
        """A view of that box of the root which holds all elements that are seen."""
        root: Node = node.args[0]
        view, shape = cut(box, op.layout), shape_of(box)
        touched, within = _touched(view, root.shape)
        if size(shape_of(touched)) > TWICE * size(shape) and (pieces := _runs(view, root.shape)):
            return self._in_order(node, root, pieces, shape)
        again = size(shape_of(touched)) * size(node.shape) > AGAIN * size(root.shape) * size(shape)
        if again and not self.entire and root.weight >= HOST and type(root.op) is not OnHost:
            return self._needs(root, node, box)
        x = self._box(root, touched)
        return self._measured(node, (x,), shape) or seen(x, as_strided(within))

    def _in_order(self, node: Node, root: Node, pieces: list[Box], shape: tuple[int, ...]) -> Node:
        """The elements of boxes of a root, one after the other, in a shape."""
        found = [self._box(root, piece) for piece in pieces]
        if (measured := self._measured(node, tuple(found), shape)) is not None:
            return measured
        flat = self._joined([reshaped(x, (size(x.shape),)) for x in found], 0)
        return reshaped(flat, shape)

    def _of_roll(self, x: Node, shifts: tuple[int, ...], box: Box) -> Node:
        for axis, (shift, n, (start, stop)) in enumerate(zip(shifts, x.shape, box, strict=True)):
            if shift and stop - start < n:
                rest = (*shifts[:axis], 0, *shifts[axis + 1 :])
                first, length = (start - shift) % n, stop - start
                ends = [(first, min(first + length, n)), (0, first + length - n)]
                pieces = [
                    self._of_roll(x, rest, (*box[:axis], one, *box[axis + 1 :])) for one in ends if one[0] < one[1]
                ]
                return self._joined(pieces, axis)
        own = self._box(x, box)
        return roll(own, shifts) if any(shifts) and not self._unmade else own

    def _of_concat(self, node: Node, axis: int, box: Box) -> Node:
        found = operands_between(node.args, axis, *box[axis])
        pieces = [self._piece(one, (*box[:axis], (first, last), *box[axis + 1 :])) for one, first, last in found]
        return self._joined(pieces, axis)

    def _piece(self, node: Node, box: Box) -> Node:
        """A box of an operand of a concatenation. It takes memory as if it were read, whatever it is made of."""
        if self.dry and node.weight < HOST:
            return _block(node, Indexed(None, node.dtype, box), shape_of(box))
        return self._box(node, box)

    def _joined(self, pieces: list[Node], axis: int) -> Node:
        first = pieces[0]
        if len(pieces) == 1:
            return first
        total = sum([piece.shape[axis] for piece in pieces])
        shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
        return self._measured(first, tuple(pieces), shape) or step(
            concatenation(axis), tuple(pieces), first.dtype, shape
        )

    def _needs(self, needed: Node, node: Node, box: Box) -> Node:
        """What stands for a box of a node, since something is to be computed first; where nothing is only measured, it
        is computed now."""
        if not self.dry:
            streaming.settle(needed)
            return self._part(node, box)
        if needed not in self.needs:
            self.needs.append(needed)
        return _stand_in(node, box)

    def _measured(self, node: Node, args: tuple[Any, ...], shape: tuple[int, ...]) -> Node | None:
        """What stands for a value of which only the blocks are asked for; None where it is to be computed."""
        return new_node(node.op, args, None, node.dtype, shape, node.device, 1) if self._unmade else None

    @property
    def _unmade(self) -> bool:
        """Whether expressions stand for values that are not computed from them."""
        return self.dry or self._asking

    def _of_step(self, node: Node, box: Box) -> Node:
        """A step that makes a box out of boxes of its operands, unless it needs them whole."""
        op = node.op
        found: list[Box] | None = None
        if self.entire and not _is_whole(node, box):
            assert self._asking, "a box that is asked for is cut out of the whole, which is asked for here"
            return self._box(node, whole(node.shape))
        if not self.entire:
            if (not _is_whole(node, box) or node in self.tops) and (node in self.tops or not _from_the_first(node)):
                found = op.boxes(node, box)
        elif op.boxes(node, box) is not None:
            found = [whole(operand.shape) for operand in node.args]
        if found is None:
            return self._needs(node, node, box)
        if not self._asking:
            self.met.append(node)
        args = tuple([self._box(operand, one) for operand, one in zip(node.args, found, strict=True)])
        shape = shape_of(box)
        if (measured := self._measured(node, args, shape)) is not None:
            return measured
        if isinstance(op, (Reduce, Scan)):
            op = op.part_of(node.args[0].shape, args[0].shape, node.device.target)
        return step(op, args, node.dtype, shape)


def _block(node: Node, memory: HostMemory, shape: tuple[int, ...]) -> Node:
    return new_node(Block(memory), (), None, node.dtype, shape, node.device, 1)


def operands_between(operands: Sequence[Node], axis: int, start: int, stop: int) -> Iterator[tuple[Node, int, int]]:
    """Which values that lie one after the other along an axis have its places from ``start`` to ``stop``, and which of
    their own places these are."""
    begin = 0
    for operand in operands:
        first, last = max(start - begin, 0), min(stop - begin, operand.shape[axis])
        if first < last:
            yield operand, first, last
        begin += operand.shape[axis]


def bytes_of(node: Node) -> int:
    """The bytes of the blocks that an expression reads."""
    return sum([size(block.shape) * block.dtype.itemsize for block in _blocks(node)])


def ahead(parts: Parts, items: Iterable[tuple[Any, list[tuple[Node, Box]]]]) -> Iterator[tuple[Any, list[Node]]]:
    """Each item with the expressions of its boxes of nodes. What the next item reads is on its way meanwhile
    (`Block.begin`), and not what comes after it: so no more than the blocks of two items take memory."""
    waiting: list[tuple[Any, list[Node], list[Block]]] = []
    for item, boxes in items:
        expressions = parts.parts(boxes)
        waiting.append((item, expressions, [block for one in expressions for block in _begun(one)]))
        parts.forget()
        del expressions
        if len(waiting) > 1:
            first, found, blocks = waiting.pop(0)
            _read(blocks)
            yield first, found
            found.clear()
            for block in blocks:
                block.wait()
    for first, found, blocks in waiting:
        _read(blocks)
        yield first, found


def _read(blocks: list[Block]) -> None:
    """Wait for what is read, before the lock of computing is taken: a source may compute with arrays of ours."""
    for block in blocks:
        block.ready()


def _begun(node: Node) -> list[Block]:
    """The blocks that an expression reads, which are on their way from now on. Where this thread holds the lock of
    computing, sources are asked by this thread."""
    begun = []
    for block in _blocks(node):
        assert isinstance(block.op, Block)
        if isinstance(block.op.memory, Strided) or not is_computing():
            block.op.begin(block)
            begun.append(block.op)
    return begun


def _blocks(node: Node) -> Iterator[Node]:
    """The blocks that an expression reads, and that are not read yet."""
    stack, met = [node], {node}
    while stack:
        value = stack.pop()
        if type(value.op) is Block and value.array is None:
            yield value
        for argument in value.args:
            child = argument.node if type(argument) is Source else argument
            if type(child) is Node and child not in met:
                met.add(child)
                stack.append(child)


def _from_the_first(node: Node) -> bool:
    """Whether the first axis is reduced: then boxes of the results would need parts of all rows, which lie apart in the
    host's memory."""
    shape = node.args[0].shape if isinstance(node.op, Reduce) else ()
    return next((axis for axis, n in enumerate(shape) if n > 1), -1) in getattr(node.op, "axes", ())


def _before_their_operands(tops: Sequence[Node]) -> list[Node]:
    """The values that are computed for some, each before its operands."""
    order: list[Node] = []
    met: set[Node] = set()
    stack = [(top, False) for top in tops]
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
        elif node not in met:
            met.add(node)
            stack.append((node, True))
            if node.array is None and node.weight >= HOST:
                stack += [(operand, False) for operand in node.args if type(operand) is Node]
    return order[::-1]


def _stand_in(node: Node, box: Box) -> Node:
    """A value of a box's shape and a node's dtype, whose elements nobody reads."""
    return constant(node.dtype.type(0).item(), node.dtype, shape_of(box), node.device)


def _is_whole(node: Node, box: Box) -> bool:
    return box == whole(node.shape)


def _in_line(shape: tuple[int, ...], box: Box) -> Box:
    """A box as one of the elements in C order, if it is some leading places; else itself."""
    ends = _ends(Layout(shape, contiguous_strides(shape), 0), box)
    return box if ends is None else (ends,)


def _ends(layout: Layout, box: Box) -> tuple[int, int] | None:
    """Where the elements of a box begin and end in memory, if they are some leading places of a layout in C order."""
    shape, strides, offset = layout
    if not shape or strides != contiguous_strides(shape) or box[1:] != whole(shape[1:]):
        return None
    return offset + box[0][0] * strides[0], offset + box[0][1] * strides[0]


# Views.


def _runs(view: Layout, shape: tuple[int, ...]) -> list[Box]:
    """Boxes of a root with the elements of a view, if these lie one after the other in C order; in this order."""
    if view.strides != contiguous_strides(view.shape):
        return []
    return in_order(view.offset, view.offset + size(view.shape), shape)


def _touched(view: Layout, shape: tuple[int, ...]) -> tuple[Box, Layout]:
    """A box of a root with all elements of a view, and the layout of the view in that box, in C order. It is the
    smallest box if the indices grow evenly along the axes of the view; if not, a box of leading axes, whose elements
    lie one after the other."""
    found = indices(shape, view)
    if found is None:
        low, high = extent(view) or (0, -1)
        touched = leading(low, high + 1, shape)
    else:
        first, steps = found
        places = [Layout(view.shape, tuple([step[k] for step in steps]), start) for k, start in enumerate(first)]
        touched = tuple([(low, high + 1) for low, high in map(extent, places)])  # type: ignore[misc]
    strides = contiguous_strides(shape_of(touched))
    start = sum([start * step for (start, _), step in zip(touched, strides, strict=True)])
    within = composed(Layout(shape, strides, -start), view)
    assert within is not None, "the elements are evenly spaced in the box"
    return touched, within
