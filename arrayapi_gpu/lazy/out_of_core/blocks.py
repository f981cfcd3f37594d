"""Blocks: boxes of values made of host operands, as ordinary expressions over blocks of these operands.

A box of a sum is the sum of its operands' boxes, and a box of a view is a view of a box of its root; each kind of node
has such a rule. Such an expression reads no host memory except for the blocks that it needs, so it is planned, fused
and computed like any other value. `Parts` writes it; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from ...kernels.core.operation import Kind
from ...memory.boxes import Box, cut, in_order, inside, leading, merged, moved, shape_of, whole
from ...memory.layout import Layout, c_order, composed, contiguous_strides, extent, indices, size
from ..build.build import apply, concatenation, cut_out, reshaped, roll, step, viewed
from ..graph.graph import Node, constant, leaf, new_node
from ..graph.host_operands import Block, HostMemory, Indexed, Strided, computed_first, host_operand_in, streaming
from ..graph.movements import as_strided
from ..graph.roll import rolled_by
from ..plan.pushdown import ALONE
from ..run.evaluate import is_computing

TWICE = 2  # elements that may be read for each one that a view shows, where fewer would suffice
AGAIN = 4  # reads of each element of a root that a view of it may take; otherwise the root is computed first


class Parts:
    """Boxes of the values below some values, ``tops``. The boxes of one such object share their common parts.

    First each value is asked which boxes of its operands it reads (`_ask`), which suffices to measure. Boxes that
    overlap are made as one, so a stencil of many steps takes one box of each step.

    ``known``: nodes that count as computed. ``entire``: whether the one block is the whole value. ``needs``: steps that
    have to be computed first, because each block would need them whole; none if ``entire``. ``flat``: whether operands
    of any shape that lie in the same host memory in C order share their reads.
    """

    def __init__(self, *tops: Node, known: Container[Node] = (), entire: bool = False, flat: bool = False):
        self.tops, self.known, self.entire, self.flat = tops, known, entire, flat
        self.needs: list[Node] = []
        self._pieces: list[tuple[Node, Box]] = []  # of concatenations that take memory
        self._new: list[Node] = []  # blocks whose reading has not begun
        self._made: dict[Node, dict[Box, Node]] = {}
        self._asked: dict[Node, list[Box]] = {}  # the boxes of values that are read
        self._order: list[Node] = []  # the same values, each before its operands
        self._asking = False  # whether these boxes are being found
        self._frames: dict[int, Node] = {}  # host operands that contain others, by the identity of their memory

    def part(self, node: Node, box: Box) -> Node:
        """The elements of a box."""
        return self.parts([(node, box)])[0]

    def parts(self, boxes: Sequence[tuple[Node, Box]]) -> list[Node]:
        """The elements of boxes of several values."""
        # Operands come before the values that are made of them, so that no long expression is a deep recursion. A box
        # is freed when all values that need it were made, because there may not be room for the boxes of many steps.
        order = self._ask(boxes)
        while self.needs:
            for needed in self.needs:
                streaming.settle(needed)
            self.needs = []
            order = self._ask(boxes)
        order.reverse()
        last = {operand: node for node in order for operand in node.args if type(operand) is Node}
        done: dict[Node, list[Node]] = {}
        for operand, node in last.items():
            if not operand.op.on_host and all(operand is not top for top, _ in boxes):
                done.setdefault(node, []).append(operand)
        for node in order:
            for box in self._asked.get(node, ()):
                self._box(node, box)
            for operand in done.get(node, ()):
                self._made.pop(operand, None)
        return [self._box(node, box) for node, box in boxes]

    def bytes(self, boxes: Sequence[tuple[Node, Box]]) -> int:
        """The number of bytes of host operands that boxes of values read, and of pieces that concatenations copy."""
        self._ask(boxes)
        read = [(node, box) for node, asked in self._asked.items() if node.op.on_host for box in asked]
        return sum([size(shape_of(box)) * node.dtype.itemsize for node, box in [*read, *self._pieces]])

    def steps(self) -> list[Node]:
        """The steps whose boxes were asked for, except for the values themselves, each after its operands."""
        below = [node for node in reversed(self._order) if node in self._asked and node not in self.tops]
        made = [node for node in below if node.array is None and node.streamed and node not in self.known]
        return [node for node in made if node.op.kind in ALONE and not node.op.on_host]

    def read(self, boxes: Sequence[tuple[Node, Box]]) -> dict[int, list[Box]]:
        """The boxes of host operands that boxes of values read, by the identity of the operand's memory. A box of
        leading places is given as one range of the elements in C order."""
        self._ask(boxes)
        frames = {node: key for key, node in self._frames.items()}
        return {
            frames.get(node, id(node)): [_in_line(node.shape, box) for box in asked]
            for node, asked in self._asked.items()
            if node.op.on_host
        }

    def _ask(self, asked: Sequence[tuple[Node, Box]]) -> list[Node]:
        """Find the boxes that are read of each value below some values. Return these values, each before its operands,
        which is the order in which they are asked."""
        self._asked, self._pieces, self._asking = {}, [], True
        self._order = order = _before_their_operands([node for node, _ in asked])
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
        """The elements of a box, cut out of the larger box that contains it."""
        memory: HostMemory | None = getattr(node.op, "memory", None) if node.op.on_host else None
        if isinstance(memory, Strided):
            frame, own = self._framed(node, memory, box)
            if len(own) != len(box):
                line = self._box(frame, own)
                return self._measured(node, (line,), shape_of(box)) or reshaped(line, shape_of(box))
            node, box = frame, own
        if self._asking:
            self._asked.setdefault(node, []).append(box)
            return _stand_in(node, box) if memory is None else _block(node, memory, box)
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
        """The operand in which boxes of several operands are read once, and the box there. It is the array that
        contains a host operand as a box, or, with ``flat``, its memory as one line; otherwise the host operand
        itself."""
        frame, key = memory, id(memory)
        if self.flat:
            if (ends := _ends(memory.layout, box)) is None:
                return node, box
            frame, key, box = memory.of_all((memory.span.size,)), id(memory.span), (ends,)
        elif memory.frame is not None:
            frame, origin = memory.frame
            key, box = id(frame), moved(box, origin)
        if key not in self._frames:
            itself = frame is memory
            self._frames[key] = node if itself else host_operand_in(frame, node.dtype, frame.layout.shape, node.device)
        return self._frames[key], box

    def begin(self) -> list[Block]:
        """The blocks that were made, after their reading began. Other boxes are freed, except for blocks that are whole
        operands, because the next blocks read them again. Where this thread holds the lock of computing, it asks
        sources itself, later."""
        begun = []
        for node in self._new:
            block = node.op
            if type(block) is Block and (isinstance(block.memory, Strided) or not is_computing()):  # not yet computed
                block.begin(node)
                begun.append(block)
        self._new = []
        operands = {node: made.get(whole(node.shape)) for node, made in self._made.items() if node.op.on_host}
        self._made = {node: {whole(node.shape): block} for node, block in operands.items() if block is not None}
        return begun

    def _part(self, node: Node, box: Box) -> Node:
        op: Any = node.op
        shape = shape_of(box)
        if not size(shape) or (self._asking and op.on_host):
            return _stand_in(node, box)
        if op.on_host:
            self._new.append(block := _block(node, op.memory.part(box), box))
            return block
        if node.array is not None or not node.streamed or node in self.known:
            if self._asking or shape == node.shape:
                return node
            return cut_out(node, box)
        if op.own is not None:
            return self._part(leaf(op.own), box)
        if node in computed_first and node not in self.tops and not self.entire:
            return self._needs(node, node, box)
        if node.rule is not None:
            args = tuple([self._operand(argument, node, box) for argument in node.args])
            return self._measured(node, args, shape) or apply(op, node.rule, args, shape, node.device)
        if op.layout is not None:
            return self._of_view(node, op.layout, box)
        if op.kind is Kind.MOVEMENT:
            return self._of_roll(node.args[0], op.shifts, box)
        if op.kind is Kind.PARTS:
            return self._of_concat(node, op.axis, box)
        return self._of_step(node, box)

    def _operand(self, argument: Any, node: Node, box: Box) -> Any:
        if type(argument) is not Node:
            return argument
        shape = argument.shape
        own = zip(shape, box[len(box) - len(shape) :], strict=True)
        return self._box(argument, tuple([(0, 1) if n == 1 else ends for n, ends in own]))

    def _of_view(self, node: Node, layout: Layout, box: Box) -> Node:
        """A box of a view: a view of the box of the root that contains all its elements."""
        root: Node = node.args[0]
        view, shape = cut(box, layout), shape_of(box)
        touched, within = _touched(view, root.shape)
        if size(shape_of(touched)) > TWICE * size(shape) and (pieces := _runs(view, root.shape)):
            return self._in_order(node, root, pieces, shape)
        again = size(shape_of(touched)) * size(node.shape) > AGAIN * size(root.shape) * size(shape)
        if again and not self.entire and root.streamed and not root.op.on_host:
            return self._needs(root, node, box)
        x = self._box(root, touched)
        return self._measured(node, (x,), shape) or viewed(x, as_strided(within))

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
        by = rolled_by(shifts)
        return roll(own, by) if by.moves and not self._asking else own

    def _of_concat(self, node: Node, axis: int, box: Box) -> Node:
        found = operands_between(node.args, axis, *box[axis])
        pieces = [self._piece(one, (*box[:axis], (first, last), *box[axis + 1 :])) for one, first, last in found]
        return self._joined(pieces, axis)

    def _piece(self, node: Node, box: Box) -> Node:
        """A box of an operand of a concatenation. It takes memory, so it is measured as if it were read."""
        if self._asking and not node.streamed:
            self._pieces.append((node, box))
            return _block(node, Indexed(None, node.dtype, box), box)
        return self._box(node, box)

    def _joined(self, pieces: list[Node], axis: int) -> Node:
        first = pieces[0]
        if len(pieces) == 1:
            return first
        total = sum([piece.shape[axis] for piece in pieces])
        shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
        if self._asking and first.op.kind is Kind.STEP:  # joined blocks take memory once more
            self._pieces.append((first, whole(shape)))
        return self._measured(first, tuple(pieces), shape) or step(
            concatenation(axis), tuple(pieces), first.dtype, shape
        )

    def _needs(self, needed: Node, node: Node, box: Box) -> Node:
        """A stand-in for a box of a node, because ``needed`` has to be computed first."""
        if needed not in self.needs:
            self.needs.append(needed)
        return _stand_in(node, box)

    def _measured(self, node: Node, args: tuple[Any, ...], shape: tuple[int, ...]) -> Node | None:
        """A stand-in while boxes are asked for; None while values are made."""
        return _stand_in(node, whole(shape)) if self._asking else None

    def _of_step(self, node: Node, box: Box) -> Node:
        """A step that computes a box from boxes of its operands, unless it needs them whole."""
        op = node.op
        found: list[Box] | None = None
        if self.entire and box != whole(node.shape):
            assert self._asking, "after all boxes are asked for, a box is cut out of the whole"
            return self._box(node, whole(node.shape))
        if not self.entire:
            if (box != whole(node.shape) or node in self.tops) and (node in self.tops or not _from_the_first(node)):
                found = op.boxes(node, box)
        elif op.boxes(node, box) is not None:
            found = [whole(operand.shape) for operand in node.args]
        if found is None:
            return self._needs(node, node, box)
        args = tuple([self._box(operand, one) for operand, one in zip(node.args, found, strict=True)])
        shape = shape_of(box)
        if (measured := self._measured(node, args, shape)) is not None:
            return measured
        part = op.part_of(node.args[0].shape, args[0].shape, node.device.target)
        return step(part, args, node.dtype, shape)


def _block(node: Node, memory: HostMemory, box: Box) -> Node:
    return new_node(Block(memory), (), None, node.dtype, shape_of(box), node.device, 1)


def operands_between(operands: Sequence[Node], axis: int, start: int, stop: int) -> Iterator[tuple[Node, int, int]]:
    """The operands of a concatenation along an axis that contain its places from ``start`` to ``stop``, each with the
    begin and the end of these places in it."""
    begin = 0
    for operand in operands:
        first, last = max(start - begin, 0), min(stop - begin, operand.shape[axis])
        if first < last:
            yield operand, first, last
        begin += operand.shape[axis]


def ahead(parts: Parts, items: Iterable[tuple[Any, list[tuple[Node, Box]]]]) -> Iterator[tuple[Any, list[Node]]]:
    """Each item with the expressions of its boxes of nodes. Meanwhile the blocks of the next item are read
    (`Block.begin`). Those of later items wait, so at most the blocks of two items take memory."""
    begun = ((item, parts.parts(boxes), parts.begin()) for item, boxes in items)
    following = next(begun, None)
    while following is not None:
        (item, found, blocks), following = following, next(begun, None)
        for block in blocks:  # before the lock of computing is taken, because a source may compute with this library
            block.ready()
        yield item, found
        found.clear()
        for block in blocks:
            block.wait()


def _from_the_first(node: Node) -> bool:
    """Whether the first axis is reduced. Then boxes of the results would need parts of all rows, which are not
    contiguous in the host's memory."""
    shape = node.args[0].shape if node.op.kind is Kind.REDUCTION else ()
    return next((axis for axis, n in enumerate(shape) if n > 1), -1) in getattr(node.op, "axes", ())


def _before_their_operands(tops: Sequence[Node]) -> list[Node]:
    """The values that are computed for some values, each before its operands."""
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
            if node.array is None and node.streamed:
                stack += [(operand, False) for operand in node.args if type(operand) is Node]
    return order[::-1]


def _stand_in(node: Node, box: Box) -> Node:
    """A value of a box's shape and a node's dtype, whose elements are never read."""
    return constant(node.dtype.type(0).item(), node.dtype, shape_of(box), node.device)


def _in_line(shape: tuple[int, ...], box: Box) -> Box:
    """A box of leading places as one range of the elements in C order; any other box itself."""
    ends = _ends(c_order(shape), box)
    return box if ends is None else (ends,)


def _ends(layout: Layout, box: Box) -> tuple[int, int] | None:
    """The begin and the end in memory of the elements of a box, if it has leading places of a layout in C order;
    otherwise None."""
    shape, strides, offset = layout
    if not shape or strides != contiguous_strides(shape) or box[1:] != whole(shape[1:]):
        return None
    return offset + box[0][0] * strides[0], offset + box[0][1] * strides[0]


# Views.


def _runs(view: Layout, shape: tuple[int, ...]) -> list[Box]:
    """Boxes of a root with the elements of a view, in C order. None of a view whose elements are not contiguous."""
    if view.strides != contiguous_strides(view.shape):
        return []
    return in_order(view.offset, view.offset + size(view.shape), shape)


def _touched(view: Layout, shape: tuple[int, ...]) -> tuple[Box, Layout]:
    """A box of a root with all elements of a view, and the layout of the view in that box, in C order. It is the
    smallest box if the indices grow evenly along the axes of the view; otherwise a box of leading axes, whose elements
    are contiguous."""
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
