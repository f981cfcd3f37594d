"""Registers: functions that clear, and functions that renew. The table of all state is in test_mutable_state.py."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arrayapi_gpu.backends import state


def test_functions_that_are_registered_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_clearing", [])
    called: list[int] = []
    assert state.clears(first := lambda: called.append(1)) is first
    state.clears(lambda: called.append(2))
    state.clear()
    assert called == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_calls_what_is_registered_and_its_parent_does_not() -> None:
    code = """if True:
        import os
        from arrayapi_gpu.backends import state
        called = []
        state.after_fork(lambda: called.append(1))
        child = os.fork()
        if child == 0:
            os._exit(len(called))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), called)
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("1 []\n", "")
