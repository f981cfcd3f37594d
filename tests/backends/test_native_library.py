"""The levels of the processor, and the library that was built for one."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from arrayapi_gpu.backends import native_library

V2 = "cx16 popcnt sse4_1 sse4_2 ssse3 "
V3 = V2 + "avx2 bmi1 bmi2 f16c fma movbe "


@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        ("sse2", []),
        (V2, ["x86-64-v2"]),
        (V3, ["x86-64-v3", "x86-64-v2"]),
        (V3 + "avx512f", ["x86-64-v3", "x86-64-v2"]),
        (V3 + "avx512f avx512bw avx512cd avx512dq avx512vl", ["x86-64-v4", "x86-64-v3", "x86-64-v2"]),
        ("avx2 fma", []),  # a level needs those below
    ],
)
def test_levels(flags: str, levels: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(native_library, "processor", lambda: f"flags : {flags}\n")
    assert native_library.levels() == levels


def test_other_processors_have_one_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert native_library.levels() == ["aarch64"]


def test_a_library_of_other_sources_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = native_library.loops()
    if found is None:
        pytest.skip("the package was built without loops")
    monkeypatch.setattr(native_library, "sources", lambda: "others")
    assert native_library.loops.__wrapped__() is None
