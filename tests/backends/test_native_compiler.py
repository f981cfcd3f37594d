"""The system's compiler as the native back end calls it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import scalar_twin

from arrayapi_gpu.backends import binaries, native_compiler
from arrayapi_gpu.backends.base import Device, DeviceError


@pytest.fixture
def native(native: Device) -> Device:
    if native_compiler.compiler() is None:
        pytest.skip("there is no C compiler")
    return native


def test_arguments_may_stand_in_a_definition(native: Device) -> None:
    text = (
        "#define BOTH GLOBAL M_i32* x, GLOBAL M_i32* y\n"
        "typedef struct { S_i64 n; } Parameters;\n"
        "KERNEL void f(BOTH, const Parameters p) { if (GID < p.n) y[GID] = x[GID] + 1; }\n"
    )
    kernel = native.compile(text, "f")
    buffers = [native.alloc(64 * 4) for _ in range(2)]
    native.upload(buffers[0], 0, np.arange(64, dtype=np.int32))
    native.launch(kernel, 1, 64, buffers, (64).to_bytes(8, "little"))
    host = np.empty(64, np.int32)
    native.download(buffers[1], 0, host)
    assert host.tolist() == list(range(1, 65))


@pytest.mark.parametrize("group", [2, 64, 500])
def test_work_items_wait_for_each_other(native: Device, group: int) -> None:
    twin = scalar_twin(native)
    text = (
        "KERNEL void f(GLOBAL M_i32* out) {\n"
        "    LOCAL M_i32 all[500];\n"
        "    all[LID] = LID;\n"
        "    BARRIER;\n"
        "    out[GID] = all[GROUP_SIZE - 1 - LID];\n"
        "    BARRIER;\n"
        "    all[LID] = out[GID] * 2;\n"
        "    BARRIER;\n"
        "    out[GID] = all[LID] + all[0];\n}\n"
    )
    kernel = twin.compile(text, "f")
    buffer = twin.alloc(3 * group * 4)
    twin.launch(kernel, 3, group, [buffer], b"")
    host = np.empty(3 * group, np.int32)
    twin.download(buffer, 0, host)
    own = 2 * (group - 1 - np.arange(group)) + 2 * (group - 1)
    assert np.array_equal(host, np.tile(own, 3))


def test_two_kernels_of_one_name_are_two(native: Device) -> None:
    """A loader takes a file for a library that it has where the system gave its number again."""
    found = []
    for number in range(20):
        kernel = native.compile(f"KERNEL void same(GLOBAL M_i32* out) {{ out[0] = {number}; }}\n", "same")
        buffer = native.alloc(4)
        native.launch(kernel, 1, 1, [buffer], b"")
        host = np.empty(1, np.int32)
        native.download(buffer, 0, host)
        found.append(int(host[0]))
    assert found == list(range(20))


def test_without_a_compiler_the_error_says_what_to_install(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_compiler, "compiler", lambda: None)
    with pytest.raises(DeviceError, match="no C compiler"):
        native.compile("KERNEL void none(GLOBAL M_i32* out) { out[0] = 41; }\n", "none")


def test_a_folder_that_a_cleaner_deleted_is_made_anew(native: Device) -> None:
    folder = binaries.own_folder()
    assert folder is not None
    shutil.rmtree(folder, ignore_errors=True)
    kernel = native.compile("KERNEL void again(GLOBAL M_i32* out) { out[0] = 42; }\n", "again")
    buffer, host = native.alloc(4), np.empty(1, np.int32)
    native.launch(kernel, 1, 1, [buffer], b"")
    native.download(buffer, 0, host)
    assert host.tolist() == [42]


COMPILER = """#!/bin/sh
echo "$@" >> "$0.calls"
case "$*" in
    *{good}*) exit 0 ;;
esac
echo "{said}" >&2
exit 1
"""


@pytest.mark.skipif(os.name == "nt", reason="a script of the shell")
@pytest.mark.parametrize(
    ("said", "good", "calls", "complaint"),
    [
        ("<stdin>:3331:51: internal compiler error: Segmentation fault", "-fno-tree-vectorize", 2, ""),
        ("PLEASE submit a bug report to the maintainers", "-fno-tree-vectorize", 2, ""),
        ("internal compiler error: again", "never", 2, "internal compiler error: again\n"),
        ("error: expected ';'", "-fno-tree-vectorize", 1, "error: expected ';'\n"),
    ],
)
def test_a_compiler_that_crashes_runs_again_without_its_vectorizer(
    tmp_path: Path, said: str, good: str, calls: int, complaint: str
) -> None:
    script = tmp_path / "cc"
    script.write_text(COMPILER.format(said=said, good=good))
    script.chmod(0o755)
    assert native_compiler.complaint_of([str(script), "-O3"], "") == complaint
    assert len(Path(f"{script}.calls").read_text().splitlines()) == calls
