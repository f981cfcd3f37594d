"""T29: threads and tasks see the values of their own configuration blocks, and nobody sees them after the end."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device

from .row import Budget, Fault, Outcome

THREADS = 8
TASKS = 3  # of each second thread
DEPTH = 5  # blocks that one program has open
STEPS = 40  # of one program
PATIENCE = 60.0  # seconds after the end in which each thread must have ended
SWITCHES = 1e-5  # seconds after which another thread has its turn

CONTEXT = {
    "fusion": (False, True), "specialise": ("always", "by use", "never"), "small_on_host": (False, True),
    "host_transfers": ("allow", "log", "error"), "debug": (0, 1), "progress": (False, True),
}  # fmt: skip
PROCESS = {"trial": (False, True), "memory_limit": (1 << 50, 1 << 51, "1000 TiB"), "cache": (False, True)}


def values() -> dict[str, object]:
    """The values of all rows that hold here."""
    return xp.config.values()


class Program:
    """A random program of blocks, beside a model: the blocks that are open, in the order in which they were entered.

    ``model``: those in which the program starts.
    """

    def __init__(self, run: Run, seed: list[int], model: list[tuple[Any, dict[str, Any]]]):
        self.run, self.seed = run, seed
        self.rng = np.random.default_rng(seed)
        self.model = [(block, {**known}) for block, known in model]  # with the values that hold in each
        self.open: list[tuple[Any, dict[str, Any]]] = []
        self.said: list[str] = []

    def expected(self, name: str) -> Any:
        """The value that the program must see."""
        return next((known[name] for _, known in reversed(self.model) if name in known), self.run.before[name])

    def check(self) -> None:
        """Compare each row of the context, and a device, with the model."""
        for name in (*CONTEXT, "device"):
            if (got := getattr(xp.config, name)) != self.expected(name):
                raise self.fault(f"config.{name} is {got!r}; right is {self.expected(name)!r}")
        x = xp.zeros(2)
        if str(x.device) != self.expected("device"):
            raise self.fault(f"an array lies on {x.device}; right is {self.expected('device')}")
        if self.rng.random() < 0.05 and float((xp.asarray(self.run.host) + 1)[2]) != 3.0:
            raise self.fault("0, 1, 2, + 1, has other elements")

    def fault(self, what: str) -> Fault:
        """A fault with its reproducer."""
        return Fault(f"program {self.seed}: {'; '.join(self.said)}: {what}")

    def drawn(self) -> dict[str, Any]:
        """The values of a new block."""
        rows: dict[str, Any] = {**CONTEXT, "device": self.run.names}
        names = self.rng.choice(list(rows), self.rng.integers(1, 4), replace=False)
        found = {str(name): rows[name][self.rng.integers(len(rows[name]))] for name in names}
        if self.rng.random() < 0.3:
            name = str(self.rng.choice(list(PROCESS)))
            found[name] = PROCESS[name][self.rng.integers(len(PROCESS[name]))]
        return found

    def enter(self, block: Any, known: dict[str, Any]) -> None:
        """Open a block."""
        self.said.append(f"enter {known}")
        block.__enter__()
        self.open.append((block, known))
        self.model.append((block, {**known}))

    def leave(self, number: int, error: BaseException | None = None) -> None:
        """Close a block: most often the last one, else one below it, as a generator does that ends early. Of a block
        that was entered several times the innermost time ends."""
        block, known = self.open.pop(number)
        self.said.append(f"leave {known}")
        block.__exit__(type(error) if error else None, error, None)
        del self.model[max(place for place, (other, _) in enumerate(self.model) if other is block)]

    def step(self) -> None:
        """Do something, and look."""
        chance = self.rng.random()
        if self.open and (len(self.open) == DEPTH or chance < 0.35):
            last = len(self.open) - 1
            self.leave(last if self.rng.random() < 0.8 else int(self.rng.integers(last + 1)), ValueError())
        elif self.open and chance < 0.42:
            self.enter(*self.open[int(self.rng.integers(len(self.open)))])  # it is open already
        elif self.open and chance < 0.5:
            name = str(self.rng.choice([*CONTEXT]))
            inside = [known for _, known in self.model if name in known]
            if inside:  # else it would be set for all threads
                value = inside[-1][name] = CONTEXT[name][self.rng.integers(len(CONTEXT[name]))]
                self.said.append(f"set {name}={value!r}")
                xp.config.set(**{name: value})
        elif chance < 0.6:
            known = self.drawn()
            with suspended(known):
                self.model.append((None, known))
                self.check()
                self.model.pop()
        else:
            known = self.drawn()
            self.enter(xp.config.set(**known), known)
        self.check()

    def close(self) -> int:
        """Leave all blocks; the number of those that were entered is returned."""
        while self.open:
            self.leave(len(self.open) - 1)
            self.check()
        return sum(text.startswith("enter") for text in self.said)


@contextmanager
def suspended(known: dict[str, Any]) -> Iterator[None]:
    """A block in a generator, which is suspended inside of it."""
    with xp.config.set(**known):
        yield


class Run:
    """What all threads see."""

    def __init__(self, device: Device, seed: int, outcome: Outcome):
        others = [str(other) for other in devices() if other.rank < 2 and other is not device]
        self.names = [str(device), *others]
        self.host = np.arange(3, dtype=np.float32)
        self.seed, self.outcome = seed, outcome
        self.before = values()
        self.counts = [0] * THREADS
        self.left = 0  # programs to begin
        self.lock = threading.Lock()

    def more(self) -> bool:
        """Whether another program is to begin."""
        with self.lock:
            self.left -= 1
            return self.left >= 0 and len(self.outcome.faults) < 10

    def work(self, number: int, end: float) -> None:
        """What a thread does."""
        case = 0
        try:
            while time.monotonic() < end and self.more():
                case += 1
                seed = [self.seed, number, case]
                done = asyncio.run(self.tasks(seed)) if number % 2 else self.alone(seed)
                self.counts[number] += done
        except Fault as fault:
            self.outcome.fault(fault)
        except Exception as error:
            self.outcome.fault(f"thread {number}, program {case}: {type(error).__name__}: {error}")

    def alone(self, seed: list[int]) -> int:
        """A program in a thread, of which one step is done with a pool, and one in a copy of the context."""
        program = Program(self, seed, [])
        program.check()
        for step in range(STEPS):
            program.step()
            if step == STEPS // 2:
                contextvars.copy_context().run(self.inside, program)
            if step == STEPS // 3 and not getattr(sys.flags, "thread_inherit_context", False):
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(Program(self, [*seed, step], []).check).result()
        return program.close()

    def inside(self, program: Program) -> None:
        """A program that starts inside of the blocks of another one."""
        own = Program(self, [*program.seed, 0], program.model)
        for _ in range(STEPS // 8):
            own.step()
        own.close()

    async def tasks(self, seed: list[int]) -> int:
        """Programs in tasks, which are made inside of blocks."""
        outer = Program(self, seed, [])
        for _ in range(4):
            outer.step()
        programs = [Program(self, [*seed, number], outer.model) for number in range(TASKS)]
        running = [asyncio.ensure_future(self.task(program)) for program in programs]
        counts = [outer.close()]
        for task in running:
            await asyncio.sleep(0)
            outer.check()
            counts.append(await task)
        return sum(counts)

    async def task(self, program: Program) -> int:
        """What a task does."""
        for step in range(STEPS):
            program.step()
            await asyncio.sleep(0)
            program.check()
            if step == STEPS // 2:
                await asyncio.to_thread(program.check)
        return program.close()


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run programs in threads until there were ``budget.count`` of them."""
    outcome = Outcome()
    before, interval = xp.config.device, sys.getswitchinterval()
    xp.config.device = str(device)
    try:
        sys.setswitchinterval(SWITCHES)
        state = Run(device, seed + budget.first, outcome)
        state.left = budget.count
        end = time.monotonic() + budget.seconds
        threads = [threading.Thread(target=state.work, args=(n, end), daemon=True) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, end + PATIENCE - time.monotonic()))
        if stuck := sum(thread.is_alive() for thread in threads):
            outcome.fault(f"{stuck} of {THREADS} threads have not ended {PATIENCE:.0f} s after the end")
        if (after := values()) != state.before:
            changed = [f"{name} is {after[name]!r}, was {value!r}" for name, value in state.before.items()
                       if after[name] != value]  # fmt: skip
            outcome.fault(f"after the end of all blocks: {'; '.join(changed)}")
        outcome.done = sum(state.counts)
        outcome.notes.append(f"{len(state.names)} devices")
    finally:
        sys.setswitchinterval(interval)
        xp.config.device = before
    return outcome
