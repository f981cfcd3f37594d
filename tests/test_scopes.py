"""Whose values hold: tables of each row's scope, and of the ways in which blocks meet threads, tasks and generators."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arrayapi_gpu.config import ROWS, Config
from arrayapi_gpu.scopes import Scoped

CONTEXT = (
    "device", "fusion", "specialise", "small_on_host", "background", "wait_for_compiler", "host_transfers", "debug",
    "nan", "progress",
)  # fmt: skip
ROOT = Path(__file__).parents[1]

# Of each row three values: the process's, and those of two blocks.
VALUES: dict[str, tuple[Any, Any, Any]] = {
    "device": ("cpu", "opencl:0:0", "cuda:0"), "fusion": (True, False, True),
    "specialise": ("by use", "never", "always"), "small_on_host": (True, False, True),
    "background": (0, 1, 2), "wait_for_compiler": (False, True, False), "progress": (False, True, False),
    "host_transfers": ("allow", "log", "error"), "debug": (0, 1, 2), "nan": (None, "raise", {"over": "warn"}),
    "dump": (None, "a", "b"), "check": (False, True, False), "pool": (True, False, True),
    "cache": (True, False, True), "cache_dir": (None, "a", "b"), "cache_dirs": (None, "a", "b"),
    "memory_limit": (1000, 2000, 3000),
    "spill_limit": (1000, 2000, 3000), "spill_folder": (None, "a", "b"), "trial": (True, False, True),
    "threads": (0, 1, 2),
}  # fmt: skip

inherits = bool(getattr(sys.flags, "thread_inherit_context", False))  # Python 3.14, as its free-threaded build does


def fresh() -> Config:
    """A configuration of its own with the values of the process."""
    own = Config()
    for name, (first, *_) in VALUES.items():
        own.set(**{name: first})
    return own


def in_thread(function: Callable[[], Any]) -> Any:
    """What a function returns in a thread that is started here."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def together(*functions: Callable[[], None]) -> None:
    """Run functions in threads of their own, at once."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_pool(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def in_copy(function: Callable[[], Any]) -> Any:
    return in_thread(partial(contextvars.copy_context().run, function))


def in_task(function: Callable[[], Any]) -> Any:
    async def work() -> Any:
        async def task() -> Any:
            await asyncio.sleep(0)
            return function()

        return await asyncio.ensure_future(task())

    return asyncio.run(work())


def in_to_thread(function: Callable[[], Any]) -> Any:
    async def work() -> Any:
        return await asyncio.to_thread(function)

    return asyncio.run(work())


# Where something runs, and whether it is in the blocks of who starts it.
PLACES: dict[str, tuple[Callable[[Callable[[], Any]], Any], bool]] = {
    "here": (lambda function: function(), True), "thread": (in_thread, inherits), "pool": (in_pool, inherits),
    "thread in a copied context": (in_copy, True), "task": (in_task, True), "to_thread": (in_to_thread, True),
}  # fmt: skip


def test_every_row_has_its_scope_and_values_here() -> None:
    assert [*VALUES] and {*VALUES} == {*ROWS}
    assert {name for name, row in ROWS.items() if row.metadata["scope"] == "context"} == {*CONTEXT}
    assert Config.context_rows == {*CONTEXT}


def column(number: int, names: Iterable[str] = tuple(VALUES)) -> dict[str, Any]:
    """One of the three values of each of these rows."""
    return {name: VALUES[name][number] for name in names}


@pytest.mark.parametrize("place", PLACES)
def test_who_sees_the_values_of_a_block(place: str) -> None:
    """Of a row of the context: its thread, its tasks, and copies of its context. Of a row of the process: everyone."""
    run, inside = PLACES[place]
    own = fresh()
    for number, more in ((1, 2), (2, 1)):
        with own.set(**column(number)):
            assert run(own.values) == {**column(number), **({} if inside else column(0, CONTEXT))}
            with own.set(**column(more)):
                assert run(own.values) == {**column(more), **({} if inside else column(0, CONTEXT))}
            assert own.values() == column(number)
        assert run(own.values) == own.values() == column(0)


@pytest.mark.parametrize("way", ["set", "attribute"])
@pytest.mark.parametrize("place", PLACES)
def test_set_alone_is_for_the_process_and_inside_of_a_block_for_that(place: str, way: str) -> None:
    own = fresh()
    run = PLACES[place][0]

    def change(number: int) -> None:
        if way == "set":
            own.set(**column(number))
        else:
            for name, value in column(number).items():
                setattr(own, name, value)

    run(lambda: change(1))
    assert own.values() == in_thread(own.values) == column(1)
    for name in VALUES:
        with own.set(**column(0, [name])):
            change(2)
            assert own.values() == column(2)
            with own.set(**column(1, [other for other in VALUES if other != name])):
                own.set(**column(0, [name]))
                assert getattr(own, name) == VALUES[name][0]
            assert own.values() == {**column(2), **column(0, [name])}
        assert own.values() == in_thread(own.values) == {**column(2), **column(1, [name])}
        change(1)


def test_what_a_task_sets_in_a_block_stays_in_the_task() -> None:
    own = fresh()

    async def work() -> None:
        with own.set(**column(1, CONTEXT)):
            await asyncio.ensure_future(task())
            assert own.values() == {**column(0), **column(1, CONTEXT)}
        late = asyncio.ensure_future(later())
        with own.set(**column(2, CONTEXT)):
            await late
        assert own.values() == column(0)

    async def task() -> None:
        own.set(**column(2, CONTEXT))
        assert own.values() == {**column(0), **column(2, CONTEXT)}

    async def later() -> None:
        await asyncio.sleep(0)
        assert own.values() == column(0)

    asyncio.run(work())
    assert own.values() == column(0)


def test_a_task_keeps_the_block_in_which_it_was_made() -> None:
    own = fresh()

    async def work() -> None:
        with own.set(**column(1)):
            task = asyncio.ensure_future(look())
        assert own.values() == column(0)
        assert await task == {**column(0), **column(1, CONTEXT)}

    async def look() -> Any:
        await asyncio.sleep(0)
        return own.values()

    asyncio.run(work())
    gc.collect()
    assert own.values() == column(0)


@pytest.mark.parametrize("order", ["first ends first", "last ends first"])
@pytest.mark.parametrize("name", VALUES)
def test_blocks_that_overlap_in_two_threads_leave_nothing(name: str, order: str) -> None:
    """With barriers. Of a row of the process the block that was entered last, and has not ended, holds."""
    own = fresh()
    first, second, third = VALUES[name]
    meet = threading.Barrier(2, timeout=30)
    seen: dict[str, list[Any]] = {"a": [], "b": []}

    def a() -> None:
        with own.set(**{name: second}):
            meet.wait()  # a is in its block
            meet.wait()  # b is, too
            seen["a"].append(getattr(own, name))
            meet.wait()
            if order == "last ends first":
                meet.wait()  # b has ended
                seen["a"].append(getattr(own, name))
        if order == "first ends first":
            seen["a"].append(getattr(own, name))
            meet.wait()  # a has ended
            meet.wait()

    def b() -> None:
        meet.wait()
        with own.set(**{name: third}):
            meet.wait()
            seen["b"].append(getattr(own, name))
            meet.wait()
            if order == "first ends first":
                meet.wait()
                seen["b"].append(getattr(own, name))
                meet.wait()
        if order == "last ends first":
            seen["b"].append(getattr(own, name))
            meet.wait()

    together(a, b)
    if name in CONTEXT:
        expected = {"a": [second, first], "b": [third, third]}
        if order == "last ends first":
            expected = {"a": [second, second], "b": [third, first]}
    else:
        expected = {"a": [third, third], "b": [third, third]}
        if order == "last ends first":
            expected = {"a": [third, second], "b": [third, second]}
    assert seen == expected
    assert getattr(own, name) == first and own.values() == fresh().values()


@pytest.mark.parametrize("name", VALUES)
def test_a_generator_that_is_suspended_in_a_block(name: str) -> None:
    """Its block is its caller's meanwhile, as `numpy.errstate` has it; whichever ends first, nothing is left."""
    own = fresh()
    first, second, third = VALUES[name]

    def suspended() -> Iterator[Any]:
        with own.set(**{name: second}):
            yield getattr(own, name)

    one = suspended()
    assert next(one) == second == getattr(own, name)
    with own.set(**{name: third}):
        assert getattr(own, name) == third
        one.close()  # type: ignore[attr-defined]
        assert getattr(own, name) == third
    assert getattr(own, name) == first
    one = suspended()
    with own.set(**{name: third}):
        next(one)
        assert getattr(own, name) == second
    assert getattr(own, name) == second
    del one
    assert getattr(own, name) == first


def test_an_asynchronous_generator_that_is_suspended_in_a_block() -> None:
    own = fresh()

    async def suspended() -> AsyncIterator[Any]:
        with own.set(**column(1)):
            yield own.values()

    async def work() -> None:
        one = suspended()
        assert await anext(one) == column(1)
        await asyncio.ensure_future(one.aclose())  # type: ignore[attr-defined]  # in another context than it began
        assert own.values() == {**column(0), **column(1, CONTEXT)}

    asyncio.run(work())
    assert own.values() == column(0)


@pytest.mark.parametrize("name", VALUES)
def test_a_block_ends_by_an_exception_and_may_be_entered_again(name: str) -> None:
    own = fresh()
    first, second, third = VALUES[name]
    block = own.set(**{name: second})
    for _ in range(3):
        with pytest.raises(KeyError), block as inside:
            assert inside is own and getattr(own, name) == second
            with own.set(**{name: third}):
                with block:
                    assert getattr(own, name) == second
                    with block:
                        pass
                    assert getattr(own, name) == second
                assert getattr(own, name) == third
                raise KeyError
        assert getattr(own, name) == first


@pytest.mark.parametrize("name", VALUES)
def test_one_block_in_two_threads(name: str) -> None:
    own = fresh()
    first, second, third = VALUES[name]
    block = own.set(**{name: second})
    meet = threading.Barrier(2, timeout=30)
    seen: list[Any] = []

    def one() -> None:
        with block:
            meet.wait()
            meet.wait()
            seen.append(getattr(own, name))

    def other() -> None:
        meet.wait()
        with own.set(**{name: third}):
            with block:
                pass
            seen.append(getattr(own, name))
        meet.wait()

    together(one, other)
    assert seen == [third, second]
    assert getattr(own, name) == first and in_thread(lambda: getattr(own, name)) == first


@pytest.mark.parametrize("name", VALUES)
def test_what_set_returns_is_a_block_until_it_is_dropped_or_shown(name: str) -> None:
    """So a block that begins in the next moment is seen by nobody else; and a statement sets the process."""
    own = fresh()
    first, second, third = VALUES[name]
    kept = own.set(**{name: second})
    assert getattr(own, name) == in_thread(lambda: getattr(own, name)) == first
    del kept
    assert getattr(own, name) == in_thread(lambda: getattr(own, name)) == second
    shown = own.set(**{name: third})
    assert repr(shown) == f"config.set({name}={third!r})"  # as an interactive Python does
    assert in_thread(lambda: getattr(own, name)) == third
    own.set(**{name: second})
    del shown
    assert getattr(own, name) == second
    with contextlib.ExitStack() as stack:
        stack.enter_context(own.set(**{name: third}))
        assert getattr(own, name) == third
    assert getattr(own, name) == second


def test_a_block_that_is_made_in_one_thread_and_entered_in_another() -> None:
    own = fresh()
    block = own.set(fusion=False, check=True)

    def enter() -> tuple[bool, bool]:
        with block:
            return own.fusion, own.check

    assert in_thread(enter) == (False, True)
    assert (own.fusion, own.check) == (True, False)
    assert in_thread(lambda: (own.fusion, own.check)) == (True, False)


def test_an_interrupt_while_a_block_begins_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    own = fresh()
    put, calls = Scoped._put_top, 0

    def interrupted(self: Scoped, name: str) -> None:
        nonlocal calls
        calls += 1
        put(self, name)
        if calls == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Scoped, "_put_top", interrupted)
    with pytest.raises(KeyboardInterrupt), own.set(check=True, memory_limit=2000, fusion=False):
        pass
    assert own.values() == fresh().values()


def test_several_rows_of_both_scopes_in_one_block() -> None:
    own = fresh()
    with own.set(fusion=False, check=True, debug=2):
        with own.set(debug=3, memory_limit="1 MiB"):
            own.set(check=False, fusion=True, debug=1)
            assert (own.fusion, own.check, own.debug, own.memory_limit) == (True, False, 1, 1 << 20)
        assert (own.fusion, own.check, own.debug, own.memory_limit) == (True, False, 2, 1000)
    assert own.values() == fresh().values()


def test_rows_are_plain_attributes_while_no_context_has_its_own_value() -> None:
    own = fresh()
    plain = type(own)
    assert plain is Config and isinstance(own, Scoped)
    with own.set(check=True):
        assert type(own) is plain  # which is the process's
    with own.set(fusion=False):
        assert type(own) is not plain and "fusion" in vars(type(own)) and "debug" not in vars(type(own))
        copy = contextvars.copy_context()
    assert type(own) is not plain and own.fusion
    assert not copy.run(lambda: own.fusion)
    del copy
    assert own.fusion and type(own) is plain
    own.set(fusion=False)
    assert not own.fusion and type(own) is plain


def test_the_values_of_the_process_are_a_childs_own() -> None:
    if not hasattr(os, "fork"):
        return
    code = (
        "import os, threading\n"
        "from arrayapi_gpu.config import config\n"
        "def blocks():\n"
        "    while True:\n"
        "        with config.set(fusion=False, check=True): pass\n"
        "for _ in range(3): threading.Thread(target=blocks, daemon=True).start()\n"
        "for _ in range(20):\n"
        "    with config.set(debug=1):\n"
        "        if not (child := os.fork()):\n"
        "            config.set(specialise='never')\n"
        "            with config.set(debug=2): pass\n"
        "            os._exit(10 + config.debug if config.fusion and config.specialise == 'never' else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 11\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_end_of_the_interpreter_inside_of_a_block() -> None:
    code = "from arrayapi_gpu.config import config\nblock = config.set(fusion=False, check=True)\nblock.__enter__()\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", sorted(Config.hot_rows))
def test_a_hot_row_is_unusual_while_any_context_has_another_value(name: str) -> None:
    own = fresh()
    usual, other, _ = VALUES[name]
    assert name not in own.unusual
    with own.set(**{name: other}):
        assert name in own.unusual
        assert in_thread(lambda: name in own.unusual)
    assert getattr(own, name) == usual  # the first reading after the block finds that nothing sets the row any more
    assert name not in own.unusual
    own.set(**{name: other})
    assert name in own.unusual
    own.set(**{name: usual})
    assert name not in own.unusual


def test_the_set_of_unusual_rows_is_always_the_same_object() -> None:
    own = fresh()
    found = own.unusual
    with own.set(fusion=False), own.set(debug=2):
        assert own.unusual is found and found == {"fusion", "debug"}
