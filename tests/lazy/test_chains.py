"""Long chains of operations are built, planned, explained, computed and freed without recursion."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from support import assert_same

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

STACK = 256 << 10  # bytes
MANY, FEW = 5_000, 50  # links; FEW where the compiler takes long for a kernel of all links
A = np.arange(8, dtype=np.float32)


def in_a_small_stack(function: Callable[[], Any]) -> Any:
    """The result of a function in a thread in which a recursion over the links raises an error or ends the process."""
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(function())
        except BaseException as error:
            found.set_exception(error)

    before = threading.stack_size(STACK)
    thread = threading.Thread(target=run)
    try:
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found.result()


def added(m: Any, x: Any) -> Any:
    x += 1
    return x


Link = Callable[[Any, Any], Any]
# The links of a chain over a namespace, and how many.
LINKS: dict[str, tuple[Link, int]] = {
    "operator": (lambda m, x: x + 1, MANY),
    "operator in place": (added, MANY),
    "function of one operand": (lambda m, x: m.negative(x), MANY),
    "copy": (lambda m, x: +x, MANY),
    "shared operands": (lambda m, x: 0.5 * (x + x), MANY),
    "view": (lambda m, x: x[::-1], MANY),
    "reshape": (lambda m, x: m.reshape(x, (8,) if x.ndim == 2 else (2, 4)), MANY),
    "copy of a view": (lambda m, x: +x[::-1], MANY),
    "view of a roll": (lambda m, x: m.roll(x, 1)[::-1], FEW),
    "reduction": (lambda m, x: x - m.max(x, axis=0), FEW),
    "scan": (lambda m, x: m.cumulative_sum(x, axis=0) * 0, FEW),
    "sort": (lambda m, x: -m.sort(x), FEW),
}


def chain(m: Any, x: Any, link: Link, links: int) -> tuple[Any, Any]:
    """The middle and the end of a chain; garbage is collected between them."""
    middle = x
    for number in range(links):
        x = link(m, x)
        if number == links // 2:
            middle = x
            gc.collect()
    return middle, x


@pytest.mark.parametrize("fusion", [True, False])
@pytest.mark.parametrize("begin", ["pending", "from_host"])
@pytest.mark.parametrize("name", LINKS)
def test_chains_are_explained_and_computed(name: str, begin: str, fusion: bool) -> None:
    link, links = LINKS[name]
    if begin == "from_host" and name == "operator in place":  # host operands are read-only
        link = LINKS["operator"][0]

    def run() -> Any:
        with xp.config.set(fusion=fusion):
            x: Any = xp.asarray(A) + 0 if begin == "pending" else xp.from_host(A)
            middle, x = chain(xp, x, link, links)
            reduced = xp.max(x)
            xp.explain(reduced)
            return np.asarray(middle), np.asarray(reduced), np.asarray(x)

    middle, x = chain(np, A.copy(), link, links)
    for found, expected in zip(in_a_small_stack(run), (middle, np.max(x), x), strict=True):
        assert_same(found, np.asarray(expected))


def depth(function: Callable[[], Any]) -> int:
    """The largest number of calls of Python functions in each other in a thread that runs a function."""
    depths = [0]

    def note(frame: Any, event: str, argument: Any) -> None:
        depths.append(depths[-1] + (event == "call") - (event == "return"))

    def run() -> None:
        sys.setprofile(note)
        function()

    gc.disable()  # it calls destructors at any depth
    try:
        in_a_small_stack(run)
    finally:
        gc.enable()
    return max(depths)


def test_products_of_host_operands_take_no_calls_in_each_other() -> None:
    """Each product needs the one below it first."""
    host = np.eye(8, dtype=np.float32)

    def product(links: int) -> Any:
        return chain(xp, xp.from_host(A), lambda m, x: xp.asarray(host) @ x, links)[1]

    product(5)
    for use in (xp.explain, xp.compute):
        use(product(5))  # so that nothing is loaded or compiled below
        assert depth(lambda use=use: use(product(50))) == depth(lambda use=use: use(product(10)))  # type: ignore[misc]


def test_a_view_of_the_largest_expression_leaves_calls_to_the_program() -> None:
    """It is the deepest walk: a method and a cache of results for each operation. Python allows 1,000 calls in each
    other."""
    assert depth(lambda: xp.compute(chain(xp, xp.asarray(A) + 0, LINKS["operator"][0], 180)[1][::3])) < 450
