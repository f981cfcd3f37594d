"""T19: every call of a driver fails once, and no value is wrong after it.

A program of programs.py runs, and at one random moment a call of the driver raises an error instead of being made.
Then the statement raises a typed error or is done; whoever reads a value gets the right one or a typed error; a write
that raised left the old values or the new ones, in all variables alike; once the fault is over the device computes.

The errors are raised in the back end's own names for its driver (`DRIVERS`), so nothing below them is replaced.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import compiled
from arrayapi_gpu.backends.base import Device, DeviceError

from .graphs import FLOAT
from .programs import STEPS, Program, upload
from .row import Budget, Fault, HostArray, Outcome, difference, same

KINDS = ("alloc", "build", "launch", "copy", "wait")
TYPED = (DeviceError, MemoryError)
CALLS = 40  # a fault happens at one of so many calls of its kind
OUT_OF_MEMORY, UNKNOWN = 2, 999  # cudaError_t and CUresult: memory allocation, unknown


class Injector:
    """Lets one call of a driver fail: of the kind ``kind``, after ``left`` others; and ``lasting`` ones behind it."""

    def __init__(self) -> None:
        self.kind = ""
        self.left = self.lasting = self.fired = 0
        self.raises: Callable[[], BaseException] | None = None  # else the errors of the driver
        self.calls = dict.fromkeys(KINDS, 0)

    def arm(self, kind: str, left: int, lasting: int) -> None:
        """Let a call fail."""
        self.kind, self.left, self.lasting, self.fired = kind, left, lasting, 0

    def disarm(self) -> None:
        """Let no call fail."""
        self.kind = ""

    def call(self, kind: str, errors: tuple[Callable[[], Exception], ...]) -> None:
        """Count a call, and raise if it is the one."""
        self.calls[kind] += 1
        if kind != self.kind:
            return
        if self.left:
            self.left -= 1
        elif self.fired < self.lasting:
            self.fired += 1
            raise (self.raises or errors[(self.calls[kind] - 1) % len(errors)])()

    def wrap(self, function: Any, kind: str, *errors: Callable[[], Exception]) -> Any:
        """A driver's function that may fail."""

        def wrapped(*args: Any, **options: Any) -> Any:
            self.call(kind, errors)
            return function(*args, **options)

        return wrapped


class Module(types.ModuleType):
    """A driver's module with some names replaced."""

    def __init__(self, original: types.ModuleType, **replaced: Any):
        super().__init__(original.__name__)
        self._original = original
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


Replace = Callable[[Any, str, Any], None]


def modules(*names: str) -> list[Any]:
    """Modules of a back end, by their names."""
    return [importlib.import_module(f"arrayapi_gpu.backends.{name}") for name in names]


def inject_opencl(injector: Injector, replace: Replace) -> None:
    """Replace what the back end of OpenCL calls of pyopencl; a queue that is open already is not replaced."""
    back_end, own, compiler = modules("opencl", "opencl_memory", "opencl_compiler")
    cl = back_end.cl

    def memory() -> Exception:
        error: Exception = cl.MemoryError("injected: MEM_OBJECT_ALLOCATION_FAILURE")
        return error

    def resources() -> Exception:
        error: Exception = cl.RuntimeError("injected: OUT_OF_RESOURCES")
        return error

    class Queue(cl.CommandQueue):  # type: ignore[misc, name-defined]
        def finish(self) -> None:
            injector.call("wait", (resources,))
            super().finish()

    replaced = Module(
        cl,
        Buffer=injector.wrap(cl.Buffer, "alloc", memory),
        CommandQueue=Queue,
        Program=injector.wrap(cl.Program, "build", resources),
        enqueue_copy=injector.wrap(cl.enqueue_copy, "copy", resources),
        enqueue_nd_range_kernel=injector.wrap(cl.enqueue_nd_range_kernel, "launch", resources, memory),
    )
    for module in (back_end, own, compiler):
        replace(module, "cl", replaced)
    replace(back_end, "_enqueue", injector.wrap(back_end._enqueue, "launch", resources, memory))
    allocator = own.ImmediateAllocator
    replace(own, "ImmediateAllocator", lambda queue: injector.wrap(allocator(queue), "alloc", memory))


def inject_cuda(injector: Injector, replace: Replace) -> None:
    """Replace what the back end of CUDA calls of the driver and the runtime."""
    back_end, own, side_queue, compiler = modules("cuda", "cuda_memory", "cuda_side_queue", "cuda_compiler")

    def runtime(status: int) -> Callable[[], Exception]:
        return lambda: back_end.CUDARuntimeError(status)

    def driver(status: int) -> Callable[[], Exception]:
        return lambda: back_end.CUDADriverError(status)

    own_runtime = Module(
        back_end.runtime,
        malloc=injector.wrap(back_end.runtime.malloc, "alloc", runtime(OUT_OF_MEMORY)),
        memcpyAsync=injector.wrap(back_end.runtime.memcpyAsync, "copy", runtime(UNKNOWN)),
        streamSynchronize=injector.wrap(back_end.runtime.streamSynchronize, "wait", runtime(UNKNOWN)),
    )
    own_driver = Module(
        back_end.driver, moduleLoadData=injector.wrap(back_end.driver.moduleLoadData, "build", driver(UNKNOWN))
    )
    for module in (back_end, own, side_queue, compiler):
        replace(module, "runtime", own_runtime)
    for module in (back_end, compiler):
        replace(module, "driver", own_driver)
    replace(back_end, "_launch", injector.wrap(back_end._launch, "launch", driver(UNKNOWN), driver(OUT_OF_MEMORY)))


def inject_native(injector: Injector, replace: Replace) -> None:
    """Replace what the native back end asks of the system: memory, also that of a launch, and the compiler."""
    back_end, library, compiler = modules("native", "native_library", "native_compiler")

    def memory() -> Exception:
        return MemoryError("injected: no memory")

    def refused() -> Exception:
        return DeviceError("injected: the compiler fails")

    def failing(made: Any) -> Any:
        """A function that makes a function of launches."""
        return lambda *args: injector.wrap(made(*args), "launch", memory)

    replace(back_end, "aligned_memory", injector.wrap(back_end.aligned_memory, "alloc", memory))
    replace(compiler, "build", injector.wrap(compiler.build, "build", refused))
    replace(compiler, "runtime", failing(compiler.runtime))
    made = library.NativeLoops.program

    def failing_program(*args: Any) -> Any:
        """The program of a launch, whose runs may fail."""
        return SimpleNamespace(run=injector.wrap(made(*args).run, "launch", memory))

    replace(library.NativeLoops, "program", failing_program)


DRIVERS: dict[str, Callable[[Injector, Replace], None]] = {
    "opencl": inject_opencl,
    "cuda": inject_cuda,
    "native": inject_native,
}


def inject(device: Device, injector: Injector, replace: Replace = setattr) -> None:
    """Put an injector between a device and its driver; ``replace`` is setattr, or something that can be undone."""
    if not compiled.missing:  # in the compiled form, where launches need no Python
        (launching,) = modules("launching")
        replace(launching, "direct", False)
    DRIVERS[device.name.split(":")[0]](injector, replace)


# --- a program whose driver fails


class Faulty(Program):
    """A program that goes on until a statement raises a typed error, and is then looked at."""

    before: dict[str, HostArray]

    def step(self, text: str) -> str | None:
        """Run a statement on both sides. Return the typed error that it raised here, if any. Fault."""
        self.text.append(text)
        self.before = self.snapshot()
        refusal = self.run_theirs(text)
        try:
            exec(text, self.ours)
        except TYPED as error:
            return f"{type(error).__name__}: {error}"
        except Exception as error:
            if refusal is None:
                raise Fault(f"{text}: {type(error).__name__}: {error}") from error
        return None

    def snapshot(self) -> dict[str, HostArray]:
        """NumPy's values of all variables."""
        return {name: self.theirs[name].copy() for name in self.names("vhw")}

    def look(self, raised: str | None) -> None:
        """Each variable that can be read is as before the last statement, or as after it, alike in all. Fault."""
        after = self.snapshot()
        before = self.before if raised else after
        sides = set()
        for name in self.names() + self.names("hw"):  # who reads an array waits for what the host sees of it
            if name not in self.ours or name not in before:
                continue  # the statement that should have made it raised
            try:
                got = self.ours[name].to_numpy() if name[0] == "v" else self.ours[name]
            except TYPED:
                continue
            old, new = same(got, before[name]), same(got, after[name])
            if not old and not new:
                raise Fault(f"after {raised or 'no error'}: {difference(name, got, after[name])}")
            if old != new:
                sides.add(old)
        if len(sides) > 1:
            raise Fault(f"after {raised}: some variables are as before the statement, others as after it")

    def look_twice(self, raised: str | None) -> None:
        """Look, and look again; then compute something of each variable. Fault."""
        self._seen.clear()
        self._expected.clear()
        self.look(raised)
        self.look(raised)
        after = self.snapshot()
        before = self.before if raised else after
        for name in self.names():
            if name in self.ours and name in before:
                try:
                    got = (self.ours[name] + 1).to_numpy()
                except TYPED:
                    continue
                with np.errstate(all="ignore"):
                    if not same(got, before[name] + 1) and not same(got, after[name] + 1):
                        raise Fault(f"after {raised or 'no error'}: {name} + 1 is wrong")


def usable(device: Device) -> None:
    """Compute something. Fault."""
    host = np.arange(100, dtype=np.int32)
    try:
        got = (xp.asarray(host) * 3 + xp.sort(xp.asarray(host))).to_numpy()
    except Exception as error:
        raise Fault(f"the device is not usable after it: {type(error).__name__}: {error}") from error
    if not same(got, host * 4):
        raise Fault("the device computes wrong values after it")


def new_expression(rng: np.random.Generator, program: Faulty) -> str | None:
    """A statement with an expression that most probably needs a new kernel."""
    a = program.array(lambda a: a.dtype == np.float32 and a.ndim == 2)
    if a is None:
        return None
    text = a
    for _ in range(4):
        forms = [form for form in FLOAT[:5] if "index" not in form]
        text = "(" + forms[int(rng.integers(len(forms)))].format(a=text, b=a) + ")"
    return f"{program.new()} = {text}"


def attempt(device: Device, rng: np.random.Generator, injector: Injector, kind: str) -> tuple[int, list[str]]:
    """Run one program with one fault. Return how many calls failed, and the program. Fault."""
    program = Faulty(device, rng)
    raised: str | None = None
    try:
        for text in upload(program):
            program.step(text)
        injector.arm(kind, int(rng.integers(CALLS if kind != "build" else 2)), int(rng.integers(1, 4)))
        while raised is None and len(program.text) < STEPS and not injector.fired:
            statements = program.statements()
            if kind == "build" and (text_of := new_expression(rng, program)):
                statements = [text_of, f"compute({text_of.split()[0]})"]
            for text in statements:
                raised = program.step(text)
                if raised:
                    break
        if injector.fired and raised is None:
            program.before = program.snapshot()
        program.look_twice(raised)
        injector.disarm()
        usable(device)
        program.look_twice(raised)
    except Fault as fault:
        raise Fault("\n".join([f"{kind} fails: {fault}", *program.text])) from None
    finally:
        injector.disarm()
    return injector.fired, program.text


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Let a call of each kind fail in turn; a case counts when its call was reached."""
    outcome = Outcome()
    injector = Injector()
    reached = dict.fromkeys(KINDS, 0)
    with xp.config.set(device=str(device), small_on_host=False):  # NumPy calls no driver
        inject(device, injector)
        for number in budget:
            kind = KINDS[number % len(KINDS)]
            rng = np.random.default_rng([seed, number])
            with xp.config.set(fusion=bool(number % 3), specialise="never", cache=kind != "build"):
                try:
                    fired, _ = attempt(device, rng, injector, kind)
                except Fault as fault:
                    outcome.fault(f"case {number}: {fault}")
                    fired = 1
            reached[kind] += fired > 0
            outcome.done += fired > 0
            if kind == "alloc":
                device.trim()  # so that the next arrays need new blocks
    outcome.notes.append("; ".join(f"{kind} {count}" for kind, count in reached.items()))
    return outcome
