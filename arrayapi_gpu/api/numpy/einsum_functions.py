"""Einstein summation: products of arrays, summed over labelled axes. An extension with NumPy's name and arguments.

Two operands at a time are multiplied as stacks of matrices: labels of both operands that are needed later are the
stack, labels of both that are not needed later are summed. `numpy.einsum_path` determines the order of the products.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters
from typing import Any

import numpy as np

from ...lazy import Movement, handle, view
from ...memory.dtypes import DTYPE_OF, DType, as_dtype
from ...memory.layout import size
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.data_type_functions import astype
from ..standard.linear_algebra_functions import matmul
from ..standard.manipulation_functions import permute_dims, reshape
from ..standard.statistical_functions import sum

__all__ = ["einsum"]

BOOL = DTYPE_OF["b8"]


@of_arrays
def einsum(subscripts: str, /, *operands: Array, dtype: Any = None, optimize: Any = True) -> Array:
    """Sum products of arrays over labelled axes (Einstein summation).

    Parameters
    ----------
    subscripts : str
        A letter for each axis of each array, then those of the result, such as "ij,jk->ik". Without "->" the result has
        the letters that occur once, in alphabetical order. An ellipsis stands for the axes without a letter, which
        broadcast, and come first in the result by default.
    *operands : Array
        The arrays, one for each group of letters. Booleans count as numbers if another array has numbers.
    dtype : dtype, optional
        The dtype in which to compute; the cast must be safe.
    optimize : bool, default: True
        No effect, because the order of the products is always optimized.

    Returns
    -------
    Array
        The result; a view if nothing is multiplied or summed.

    Raises
    ------
    ValueError
        For invalid subscripts, and for different lengths of a label.
    TypeError
        For a cast that is not safe.

    See Also
    --------
    tensordot, matmul : Products over given axes.

    References
    ----------
    NumPy, ``einsum``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> print(xp.einsum("ij,jk->ik", x, x))
    [[ 7 10]
     [15 22]]
    >>> print(xp.einsum("ii", x))
    5
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: got {type(subscripts).__name__}; allowed: a string such as 'ij,jk->ik', then arrays")
    if "..." in subscripts:
        subscripts, *kept = _without_ellipsis(subscripts, tuple([operand.shape for operand in operands]))
        operands = tuple([reshape(x, shape) for x, shape in zip(operands, kept, strict=True)])
    inputs, output = _labels(subscripts, tuple([operand.ndim for operand in operands]))
    if dtype is not None and (len(inputs) > 1 or set(inputs[0]) != set(output)):
        operands = tuple([_safely(x, as_dtype(dtype)) for x in operands])
    number = next((x.dtype for x in operands if x.dtype != BOOL), BOOL)
    operands = tuple([x if x.dtype != BOOL else astype(x, number) for x in operands])
    sizes: dict[str, int] = {}
    for labels, operand in zip(inputs, operands, strict=True):
        for label, n in zip(labels, operand.shape, strict=True):
            if sizes.setdefault(label, n) != n:
                raise ValueError(f"einsum: axis {label} has lengths {sizes[label]} and {n}; allowed: one length")
    terms = [_plain(labels, operand) for labels, operand in zip(inputs, operands, strict=True)]
    for first, second in _path(subscripts, tuple([operand.shape for operand in operands])):
        (one, a), (other, b) = terms[first], terms[second]
        terms = [term for k, term in enumerate(terms) if k not in (first, second)]
        needed = set(output).union(*[labels for labels, _ in terms])
        terms.append(_product(one, a, other, b, needed, sizes))
    labels, found = terms[0]
    lost = tuple(k for k, label in enumerate(labels) if label not in output)
    if lost:
        found = sum(found, axis=lost, dtype=found.dtype)
        labels = "".join(label for label in labels if label in output)
    return permute_dims(found, tuple(labels.index(label) for label in output))


def _safely(x: Array, dtype: DType) -> Array:
    """The operand in a dtype. TypeError unless the cast is safe."""
    if not np.can_cast(x.dtype, dtype, "safe"):
        raise TypeError(f"einsum: got dtype={dtype} for an operand of {x.dtype}; allowed: safe casts; use astype first")
    return astype(x, dtype, copy=False)


@lru_cache(maxsize=256)
def _without_ellipsis(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
    """The subscripts with letters in place of each ellipsis, and the shapes of the operands without axes of length 1
    that are broadcast."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    parts = inputs.split(",")
    counts = [len(shape) - len(part.replace("...", "", 1)) for part, shape in zip(parts, shapes, strict=False)]
    longest = max((count for part, count in zip(parts, counts, strict=False) if "..." in part), default=0)
    free = [letter for letter in ascii_letters if letter not in subscripts]
    lost = longest > 0 and bool(arrow) and "..." not in output
    if len(parts) != len(shapes) or min(counts) < 0 or longest > len(free) or lost:
        return subscripts, *shapes  # `_labels` raises the error
    letters = "".join(free[:longest])
    widest = _lengths_of_ellipses(parts, shapes, counts, letters)
    spelt, kept = [], []
    for part, shape, count in zip(parts, shapes, counts, strict=True):
        labels = part.replace("...", letters[longest - count :] if count else "", 1)
        fits = len(labels) == len(shape)
        dropped = {k for k, label in enumerate(labels) if fits and shape[k] == 1 and widest.get(label, 1) != 1}
        spelt.append("".join(label for k, label in enumerate(labels) if k not in dropped))
        kept.append(tuple(n for k, n in enumerate(shape) if k not in dropped))
    if not arrow:
        named = inputs.replace(".", "").replace(",", "")
        output = "..." + "".join(sorted(label for label in set(named) if named.count(label) == 1))
    return f"{','.join(spelt)}->{output.replace('...', letters, 1)}", *kept


def _lengths_of_ellipses(
    parts: list[str], shapes: tuple[tuple[int, ...], ...], counts: list[int], letters: str
) -> dict[str, int]:
    """The broadcast length of each axis that ellipses stand for, by its letter. ``counts``: these axes of operands."""
    widest = dict.fromkeys(letters, 1)
    for part, shape, count in zip(parts, shapes, counts, strict=True):
        before, ellipsis, _ = part.partition("...")
        if ellipsis:
            own = zip(letters[len(letters) - count :], shape[len(before) : len(before) + count], strict=True)
            widest |= {letter: n for letter, n in own if n != 1}
    return widest


@lru_cache(maxsize=256)
def _labels(subscripts: str, ndims: tuple[int, ...]) -> tuple[list[str], str]:
    """The labels of the operands and of the result."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if not arrow:
        output = "".join(sorted(label for label in set(inputs) - {","} if inputs.count(label) == 1))
    if (
        not re.fullmatch(r"[A-Za-z,]*", inputs)
        or tuple(map(len, parts)) != ndims
        or len(set(output)) != len(output)
        or not set(output) <= set(inputs) - {","}
    ):
        raise ValueError(
            f"einsum: got {subscripts!r} for operands of {ndims} dimensions; allowed: a letter for each axis of each "
            "operand, separated by commas, then '->' and distinct letters of the operands"
        )
    return parts, output


def _plain(labels: str, x: Array) -> tuple[str, Array]:
    """An operand with distinct labels: the diagonal, as a view, of the axes of a repeated label."""
    for label in sorted(set(labels)):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            axes = [k for k in range(x.ndim) if k not in (first, second)]
            rows = permute_dims(x, (*axes, first, second))
            x = handle(Array, view(rows._node, Movement("linalg.diagonal", {"offset": 0})))
            labels = "".join(labels[k] for k in axes) + label
    return labels, x


@lru_cache(maxsize=256)
def _path(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> Sequence[tuple[int, int]]:
    """The pairs of terms to multiply, in order; a product is appended as the last term."""
    count = len(shapes)
    if count < 3:
        return [(0, 1)] * (count - 1)
    without_memory = [np.broadcast_to(0.0, shape) for shape in shapes]
    steps = np.einsum_path(subscripts, *without_memory, optimize="optimal" if count < 6 else "greedy")[0][1:]
    if all(len(step) == 2 for step in steps):
        return [(step[0], step[1]) for step in steps]
    return [(0, 1)] + [(0, left - 1) for left in range(count - 1, 1, -1)]


def _product(one: str, a: Array, other: str, b: Array, needed: set[str], sizes: dict[str, int]) -> tuple[str, Array]:
    """The product of two terms, summed over the labels that are not needed later."""
    one, a = _summed(one, a, needed | set(other))
    other, b = _summed(other, b, needed | set(one))
    stack = [label for label in one if label in other and label in needed]
    inner = [label for label in one if label in other and label not in needed]
    left = [label for label in one if label not in other]
    right = [label for label in other if label not in one]

    def shaped(labels: str, x: Array, *groups: list[str]) -> Array:
        order = [label for group in groups for label in group]
        shape = [sizes[label] for label in stack]
        shape += [size(tuple(sizes[label] for label in group)) for group in groups[1:]]
        return reshape(permute_dims(x, tuple(labels.index(label) for label in order)), tuple(shape))

    found = matmul(shaped(one, a, stack, left, inner), shaped(other, b, stack, inner, right))
    labels = "".join([*stack, *left, *right])
    return labels, reshape(found, tuple(sizes[label] for label in labels))


def _summed(labels: str, x: Array, needed: set[str]) -> tuple[str, Array]:
    """A term summed over the labels that are not needed."""
    lost = tuple(k for k, label in enumerate(labels) if label not in needed)
    if lost:
        x = sum(x, axis=lost, dtype=x.dtype)
    return "".join(label for label in labels if label in needed), x
