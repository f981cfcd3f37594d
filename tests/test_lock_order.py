"""Locks are taken in one order, whatever threads do: else two of them may wait for each other for ever.

A program of its own notes which locks of ours a thread has when it takes another one. Each lock is known by the line
that makes it.
"""

from __future__ import annotations

import pytest
from support import run_on

from arrayapi_gpu.backends.base import Device

BEGIN = """
import os, sys, threading
os.environ["ARRAYAPI_GPU_COMPILED"] = "0"  # whose locks are Python's
before = set()  # pairs of locks: the second one was taken by a thread that had the first one
own = threading.local()
make = threading.RLock

class Noted:
    def __init__(self, lock, line):
        self.lock, self.line = lock, line
    def __enter__(self):
        held = vars(own).setdefault("held", [])
        if self not in held:
            before.update((other.line, self.line) for other in held)
        self.lock.acquire()
        held.append(self)
    def __exit__(self, *error):
        own.held.remove(self)
        self.lock.release()
    def _is_owned(self):
        return self.lock._is_owned()

def noted():
    frame = sys._getframe(1)
    while "locks.py" in frame.f_code.co_filename and "page_locks" not in frame.f_code.co_filename:
        frame = frame.f_back
    lock, file = make(), frame.f_code.co_filename
    return Noted(lock, (file, frame.f_lineno)) if "arrayapi_gpu" in file else lock

threading.RLock = noted

import numpy as np
import arrayapi_gpu as xp
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph import host_operands
from arrayapi_gpu.memory import page_locks
from conformance.campaign.spills import all_moves
from support import apart_twin

class Source:
    shape, dtype = (400, 33), np.dtype("float32")
    def __getitem__(self, key):
        rows = np.arange(400, dtype=np.float32)[key[0], None] + np.zeros(33, np.float32)[key[1]]
        return np.asarray(xp.asarray(rows) * 2)

device = apart_twin(xp.asarray(1).device)
xp.config.device = str(device)
tuning.HOST_BLOCK, tuning.HOST_RESULTS, host_operands.READ_BY_THREAD = 1 << 12, 1 << 60, 1
host = np.ones((400, 33), np.float32)
faults = []

def work(operand):
    try:
        kept = [xp.asarray(host + k, copy=True) for k in range(3)]
        for k in range(3):
            y = xp.from_host(operand) * 2 + kept[k]
            assert np.asarray(y).shape == (400, 33) and float(xp.max(kept[k])) == k + 1
            assert np.asarray(xp.sum(y - xp.mean(y, axis=0), axis=0)).shape == (33,)
    except BaseException as error:
        faults.append(error)
"""
PROGRAMS = {
    "one thread": "work(host); work(Source())\n",
    "several threads": """
threads = [threading.Thread(target=work, args=(operand,)) for operand in (host, Source(), host)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""",
    "a full device": "page_locks.LEAST = 1 << 60\nwith all_moves(device): work(host); work(Source())\n",
}
END = """
def after(line, seen=()):
    for first, second in before:
        if first == line and second not in seen:
            yield second
            yield from after(second, (*seen, second))
print(faults, sorted({line for line, _ in before if line in after(line)}), len(before) > 3)
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_no_two_locks_are_taken_in_both_orders(device: Device, program: str) -> None:
    if not (device.host_shared and str(device).startswith("opencl")):
        pytest.skip("a device on the CPU stands for one with memory of its own")
    done = run_on(device, BEGIN + program + END)
    assert (done.stdout, done.stderr) == ("[] [] True\n", "")
