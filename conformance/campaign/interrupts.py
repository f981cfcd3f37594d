"""T22: an exception that arrives at a random moment leaves no wrong value and no lock held, and is never swallowed.

Programs of programs.py run in the main thread, where a timer's signal raises, and in another thread, into which
PyThreadState_SetAsyncExc raises. After each interrupt all variables are read: the interrupted statement was done or
not, alike for all of them. Meanwhile other threads compute; if one of them stands still, a lock is held.
"""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .faults import Faulty
from .programs import STEPS, upload
from .row import Budget, Fault, Outcome, difference, in_context, same

WORKERS = 2
PATIENCE = 30.0  # seconds in which each thread does something
DELAY = 2e-4  # seconds until an interrupt, on average
SWITCH = 2e-4  # seconds until another thread runs: less than a statement takes, or few interrupts would find one


class Interrupt(BaseException):
    """What arrives at a random moment. No ``except Exception`` catches it."""


class Stuck(BaseException):
    """The main thread stands still."""


class Timer:
    """Interrupts the main thread once after ``start``, unless ``stop`` comes first."""

    def __init__(self) -> None:
        self.open = False
        self.sent = 0
        signal.signal(signal.SIGALRM, self._handle)

    def _handle(self, *_: Any) -> None:
        if self.open:
            self.open = False
            self.sent += 1
            raise Interrupt

    def start(self, delay: float) -> None:
        """Open the window."""
        self.open = True
        signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))

    def stop(self) -> None:
        """Close the window. Interrupt may still be raised in here."""
        self.open = False
        signal.setitimer(signal.ITIMER_REAL, 0)


class Sender:
    """Interrupts a thread once after ``start``, which the thread calls, unless ``stop`` comes first."""

    def __init__(self) -> None:
        self.sent = 0
        self._thread = 0
        self._due = 0.0
        self._waits = False
        self._guard = threading.Lock()

    def poll(self) -> None:
        """Send an interrupt if one is due. Another thread calls this."""
        with self._guard:
            if self._thread and time.perf_counter() > self._due:
                identity = ctypes.c_ulong(self._thread)
                self._thread, self._waits = 0, True
                self.sent += 1
                ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(Interrupt))

    def start(self, delay: float) -> None:
        """Open the window."""
        with self._guard:
            self._due = time.perf_counter() + delay
            self._thread = threading.get_ident()

    def stop(self) -> None:
        """Close the window. Interrupt may still be raised in here."""
        with self._guard:
            self._thread = 0
        if self._waits:
            self._waits = False
            for _ in range(100):  # what was sent arrives now
                time.sleep(0)


class Interrupted(Faulty):
    """A program whose statements are interrupted."""

    def interrupt(self, text: str, source: Timer | Sender) -> None:
        """Run a statement, which an interrupt may end, and look at all values then. Fault."""
        code = compile(text, text, "exec")
        delay = float(self.rng.exponential(DELAY))
        self.text.append(text)
        self.before = self.snapshot()
        refusal = self.run_theirs(text)
        interrupted = False
        sent = source.sent
        error: Exception | None = None
        try:
            source.start(delay)
            exec(code, self.ours)
        except Interrupt:
            interrupted = True
        except Exception as raised:
            error = raised
        try:
            source.stop()
        except Interrupt:
            interrupted = True
            source.stop()
        if source.sent > sent and not interrupted:
            raise Fault(f"{text}: swallowed an interrupt; it raised {error!r}")
        if error is not None and not (refusal and isinstance(error, (TypeError, ValueError, OverflowError))):
            raise Fault(f"{text}: {type(error).__name__}: {error}")
        if interrupted:
            self.text.append("# interrupted")
            self._seen.clear()
            self._expected.clear()
            self.look("an interrupt")
            self.take_over()
        else:
            self.check_host()

    def take_over(self) -> None:
        """Let NumPy's side have what is there now: the statement was done, or not."""
        for name in self.names("vhw"):
            if name not in self.ours:
                del self.theirs[name]
        for name in self.names():
            self.theirs[name][...] = self.ours[name].to_numpy()
        for name in self.names("hw"):
            self.theirs[name][...] = self.ours[name]
        for name in [name for name in self.ours if name[0] in "vhw" and name[1:].isdigit()]:
            if name not in self.theirs:
                del self.ours[name]


def programs(
    device: Device, source: Timer | Sender, budget: Budget, seed: int, outcome: Outcome, beat: list[int]
) -> None:
    """Run interrupted programs until as many interrupts were sent as the budget says, or its time is over."""
    end = time.monotonic() + budget.seconds
    number = budget.first
    while time.monotonic() < end and source.sent < budget.count and len(outcome.faults) < 100:
        program = Interrupted(device, np.random.default_rng([seed, number]))
        try:
            for text in upload(program):
                program.interrupt(text, source)
            while len(program.text) < STEPS:
                for text in program.statements():
                    if all(name in program.theirs for name in _names(text)):
                        program.interrupt(text, source)
            program.check()
        except Fault as fault:
            outcome.fault("\n".join([f"case {number}: {fault}", *program.text]))
        except Exception as error:
            outcome.fault("\n".join([f"case {number}: {type(error).__name__}: {error}", *program.text]))
        number += 1
        beat[0] += 1


def _names(text: str) -> list[str]:
    """The variables that a statement reads: an interrupt may have kept one of them from being made."""
    made = text.split(" = ")[0] if " = " in text else ""
    code = compile(text, text, "exec")
    return [name for name in code.co_names if name[0] in "vhw" and name[1:].isdigit() and name != made]


def work(number: int, beats: list[list[int]], stop: threading.Event, outcome: Outcome) -> None:
    """Compute, and compare, until the event is set."""
    host = np.arange(300, dtype=np.int32) + number
    x = xp.asarray(host)
    expected = (host * 2)[::-1] + np.cumsum(host, dtype=np.int32)
    while not stop.is_set():
        try:
            got = ((x * 2)[::-1] + xp.cumulative_sum(x, dtype=xp.int32)).to_numpy()
            if not same(got, expected):
                outcome.fault(f"thread {number}, which nobody interrupts: {difference('x', got, expected)}")
        except Exception as error:
            outcome.fault(f"thread {number}, which nobody interrupts: {type(error).__name__}: {error}")
        beats[number][0] += 1
        time.sleep(0.001)


def watch(beats: list[list[int]], stop: threading.Event, outcome: Outcome) -> None:
    """Find out whether a thread stands still; then end the main thread's waiting."""
    seen = [(-1, time.monotonic())] * len(beats)
    while not stop.wait(0.5):
        for number, (beat, then) in enumerate(zip(beats, list(seen), strict=True)):
            if beat[0] != then[0]:
                seen[number] = (beat[0], time.monotonic())
            elif time.monotonic() - then[1] > PATIENCE:
                outcome.fault(f"thread {number} has done nothing for {PATIENCE:.0f} s: a lock is held")
                faulthandler.dump_traceback(all_threads=True)
                stop.set()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
                return


def _stuck(*_: Any) -> None:
    raise Stuck


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Interrupt the main thread for one half of the interrupts, another thread for the other half."""
    outcome = Outcome()
    if not hasattr(signal, "setitimer"):
        outcome.notes.append("this system has no timers that send signals")
        return outcome
    swallowed: list[str] = []
    hook = sys.unraisablehook

    def unraisable(event: Any) -> None:
        if issubclass(event.exc_type, Interrupt):
            swallowed.append(f"in {event.object!r}")
        else:
            hook(event)

    half = Budget((budget.count + 1) // 2, budget.seconds / 2, budget.first)
    stop = threading.Event()
    beats = [[0] for _ in range(WORKERS + 1)]
    sys.unraisablehook = unraisable
    signal.signal(signal.SIGUSR1, _stuck)
    timer, sender = Timer(), Sender()
    switch = sys.getswitchinterval()
    with xp.config.set(device=str(device), specialise="never"):
        xp.sync(xp.asarray([1.0]) + 1)
        threads = [in_context(work, n, beats, stop, outcome) for n in range(WORKERS)]
        threads.append(in_context(watch, beats, stop, outcome))
        for thread in threads:
            thread.start()
        try:
            programs(device, timer, half, seed, outcome, beats[-1])
            sys.setswitchinterval(SWITCH)
            victim = in_context(programs, device, sender, half, seed + 1, outcome, beats[-1])
            victim.start()
            while victim.is_alive() and not stop.is_set():
                sender.poll()
                time.sleep(5e-5)
        except Stuck:
            pass
        stop.set()
        for thread in threads:
            thread.join(5)
    sys.setswitchinterval(switch)
    sys.unraisablehook = hook
    outcome.done = timer.sent + sender.sent
    if swallowed:
        where = ", ".join(sorted(set(swallowed))[:3])
        outcome.fault(f"{len(swallowed)} of {outcome.done} interrupts were swallowed {where}")
    outcome.notes.append(f"{timer.sent} by signals in the main thread, {sender.sent} in another thread")
    return outcome
