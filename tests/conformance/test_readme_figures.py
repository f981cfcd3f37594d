"""The figures of README that a machine can measure again are those that it states."""

from __future__ import annotations

from importlib import metadata
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.readme_figures import closure, installed, main, stated

EXTRAS = ("cpu", "pocl")


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_size_on_disk_is_the_stated_one(extra: str) -> None:
    """To 15 %, because releases differ."""
    try:
        found = installed(extra)
    except metadata.PackageNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed")
    assert stated(extra) == pytest.approx(found, rel=0.15)


def test_the_closure_follows_requirements_and_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    needs: dict[str, list[str]] = {
        "top": ["Middle_one>=1", "absent; sys_platform == 'none'", "more[x]; extra == 'all'"], "middle-one": ["top"],
        "more": ["deep; extra == 'x'", "other; extra == 'y'"], "deep": [], "other": [],
    }  # fmt: skip

    def distribution(name: str) -> Any:
        key = name.lower().replace("_", "-")
        if key not in needs:
            raise metadata.PackageNotFoundError(name)
        return SimpleNamespace(requires=needs[key])

    monkeypatch.setattr(metadata, "distribution", distribution)
    assert closure("top").keys() == {"top", "middle-one"}
    assert closure("top[all]").keys() == {"top", "middle-one", "more", "deep"}
    with pytest.raises(metadata.PackageNotFoundError):
        closure("absent")


def test_the_command_prints_both(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f'".[{extra}]" on disk' for extra in EXTRAS]
