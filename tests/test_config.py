"""The table of knobs: defaults, the environment, and what `set` promises."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.config import ROWS, Config, config, limit_of, log, logger

ROOT = Path(__file__).parents[1]


def test_defaults() -> None:
    """Fusing is on, everything else is quiet."""
    own = Config()
    assert (own.device, own.fusion, own.debug, own.dump) == (None, True, 0, None)
    assert (own.check, own.pool, own.host_transfers, own.cache_dir) == (False, True, "allow", None)
    assert own.trial and own.cache


def test_environment() -> None:
    """Each knob has its variable, and text becomes the knob's type."""
    own = Config()
    own.read_environment({
        "ARRAYAPI_GPU_DEVICE": "opencl:1:0", "ARRAYAPI_GPU_FUSION": "0", "ARRAYAPI_GPU_DEBUG": "3",
        "ARRAYAPI_GPU_DUMP": "folder", "ARRAYAPI_GPU_CHECK": "on", "ARRAYAPI_GPU_CACHE_DIR": "",
        "ARRAYAPI_GPU_HOST_TRANSFERS": "error", "OTHER": "ignored",
    })  # fmt: skip
    assert (own.device, own.fusion, own.debug, own.dump) == ("opencl:1:0", False, 3, "folder")
    assert (own.check, own.host_transfers, own.cache_dir) == (True, "error", None)


def test_unknown_variables_warn() -> None:
    """A variable that begins as ours but belongs to no knob is probably misspelt."""
    own = Config()
    with pytest.warns(UserWarning, match="got ARRAYAPI_GPU_FUSON; allowed: ARRAYAPI_GPU_FUSION"):
        own.read_environment({"ARRAYAPI_GPU_FUSON": "0"})
    with pytest.warns(UserWarning, match="got ARRAYAPI_GPU_X; allowed: .*ARRAYAPI_GPU_DEVICE.*ARRAYAPI_GPU_CACHE_DIR"):
        own.read_environment({"ARRAYAPI_GPU_X": "0", "OTHER_X": "0"})
    assert own.values() == Config().values()


def test_set_stays_and_with_restores() -> None:
    """`set` alone changes for good; its ``with`` block ends in the former values, errors too."""
    own = Config()
    own.set(fusion=False, dump=Path("folder"))
    assert (own.fusion, own.dump) == (False, "folder")
    with pytest.raises(KeyError), own.set(fusion=True, debug=2) as inside:
        assert inside is own
        assert (own.fusion, own.debug) == (True, 2)
        raise KeyError
    assert (own.fusion, own.debug) == (False, 0)
    with own.set(debug=1):
        with own.set(debug=2):
            own.check = True
        assert own.debug == 1
    assert (own.debug, own.check) == (0, True)


class Named:
    """What has the name of a device, as `devices` lists it."""

    def __init__(self, name: str):
        self.name = name


FOLDERS = ("dump", "cache_dir", "cache_dirs", "spill_folder")
FLAGS = tuple(name for name, row in ROWS.items() if isinstance(row.default, bool))
NO_FLAG: list[Any] = [2, -1, "maybe", None, 1.0, [], ["on"], b"1"]
NO_AMOUNT: list[Any] = [-1, 0.0, 1.5, True, "much", "1 XB", "MiB", ".", [1], {"a": None}, "a=b", float("nan")]
BAD: dict[str, list[Any]] = {
    "device": ["cdua", "CPU", "cpu:0", "gpu0", "opencl:", "opencl:0:0:0", "opencl:-1", "cuda:x", "opencl 0", "own:",
               "owns", "own:own", "own:cdua", "nowhere:0", " cpu",
               0, 1.5, True, ["cpu"], b"cpu", Named("cdua"), Path("cpu/0")],
    "threads": [-1, "", None, "many", 1.5],
    "background": [-1, "", None, "much", 0.5, [1]],
    "specialise": ["sometimes", "", None, True, 1, ["never"]], "host_transfers": ["no", "", None, False, ["log"]],
    "nan": ["error", "raise,warn", "invalid=loud", "under=raise", {"under": "raise"}, {"invalid": 1}, True, 0.5,
            b"raise", ["raise"]],
    "debug": [6, -1, "", "12", 1.5, True, None, "on", [1], 1.0],
    "memory_limit": [0, *NO_AMOUNT], "spill_limit": NO_AMOUNT,
    **{name: [3, True, [], b"folder", 1.5] for name in FOLDERS}, **{name: NO_FLAG for name in FLAGS},
}  # fmt: skip
GOOD: dict[str, list[tuple[Any, Any]]] = {
    "device": [(None, None), ("", None), (Named("cuda:1"), "cuda:1"), *[(name, name) for name in (
        "cpu", "gpu", "cuda", "opencl", "own", "own:cpu", "own:gpu", "own:cuda", "own:opencl:1", "cuda:0", "cuda0",
        "opencl:1", "opencl:1:0", "opencl1:0", "own:opencl:0:0")]],
    "specialise": [(text, text) for text in ("always", "by use", "never")],
    "host_transfers": [(text, text) for text in ("allow", "log", "error")],
    "nan": [(None, None), ("", None), ("ignore", None), ("raise", "raise"), ("warn", "warn"),
            ({"invalid": "ignore"}, None), ({"divide": "raise", "over": None}, {"divide": "raise"}),
            ("invalid=raise, over=warn", {"invalid": "raise", "over": "warn"})],
    "threads": [(0, 0), ("2", 2)], "background": [(0, 0), ("1000", 1000), (np.int64(2), 2)],
    "debug": [(0, 0), (5, 5), ("3", 3), (np.int64(2), 2)], "memory_limit": [(1, 1)],
    "spill_limit": [(0, 0), (None, None)],
    **{name: [(None, None), ("", None), ("a", "a"), (Path("a/b"), str(Path("a/b")))] for name in FOLDERS},
    **{name: [(True, True), (0, False), ("on", True), ("No", False), ("", False), (np.True_, True)] for name in FLAGS},
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "near"), [
    ("cdua", "cuda"), ("CPU", "cpu"), ("gpu1", "gpu"), ("open_cl", "opencl"), ("nativ", "native"), ("cuda:x", "cuda"),
])  # fmt: skip
def test_a_misspelt_device_names_the_closest(wrong: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"config.device: got '{wrong}'; allowed: .*; the closest name is '{near}'"):
        Config().set(device=wrong)


def test_the_tables_have_every_row() -> None:
    assert {*BAD} == {*GOOD} == {*ROWS}


@pytest.mark.parametrize("knob", ROWS)
def test_bad_values(knob: str) -> None:
    """A ValueError says which knob, what came and what is allowed; no knob is changed."""
    own = Config()
    plain = own.values()
    for value in BAD[knob]:
        message = rf"^config\.{knob}: got {re.escape(repr(value))}; allowed: "
        with pytest.raises(ValueError, match=message):
            own.set(**{"check" if knob != "check" else "pool": True, knob: value})
        with pytest.raises(ValueError, match=message), own.set(fusion=False), own.set(**{knob: value}):
            raise AssertionError(f"{value!r} was taken")
        with pytest.raises(ValueError, match=message):
            setattr(own, knob, value)
        assert own.values() == plain and type(own) is Config


@pytest.mark.parametrize("knob", ROWS)
def test_bad_values_in_the_environment(knob: str) -> None:
    """The variable is named when the knob is read first. Other knobs work, and so does this one when it is set."""
    variable = f"ARRAYAPI_GPU_{knob.upper()}"
    for value in BAD[knob]:
        if not isinstance(value, str) or (value == "" and knob in ("memory_limit", "spill_limit")):
            continue
        own = Config()
        own.read_environment({variable: value})
        advice = rf"unset {variable}, or call config\.set\({knob}="
        message = rf"^environment: {variable}: got {re.escape(repr(value))}; allowed: .*; {advice}"
        for _ in range(2):
            with pytest.raises(ValueError, match=message):
                getattr(own, knob)
        other = "check" if knob != "check" else "pool"
        assert getattr(own, other) == ROWS[other].default
        good, expected = GOOD[knob][-1]
        with own.set(**{knob: good}):
            assert getattr(own, knob) == expected
        with pytest.raises(ValueError, match=message):
            getattr(own, knob)
        own.set(**{knob: good})
        assert getattr(own, knob) == expected and type(own) is Config


@pytest.mark.parametrize("knob", ROWS)
def test_good_values(knob: str) -> None:
    own = Config()
    for value, expected in GOOD[knob]:
        own.set(**{knob: value})
        assert getattr(own, knob) == expected and type(getattr(own, knob)) is type(expected)
        if isinstance(value, str):
            own.read_environment({f"ARRAYAPI_GPU_{knob.upper()}": value})
            assert getattr(own, knob) == expected


def test_an_import_does_not_fail_for_a_bad_environment() -> None:
    """The first use of the row does."""
    code = (
        "import arrayapi_gpu as xp\n"
        "try: xp.zeros(3)\n"
        "except ValueError as error: print(error)\n"
        "print(xp.config.fusion)\n"
    )
    environment = {**os.environ, "ARRAYAPI_GPU_DEVICE": "cdua"}
    run = partial(subprocess.run, capture_output=True, text=True, cwd=ROOT, env=environment)
    done = run([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert (
        first.startswith("environment: ARRAYAPI_GPU_DEVICE: got 'cdua'; allowed: 'cpu', 'gpu', ") and second == "True"
    )
    done = run([sys.executable, "-m", "arrayapi_gpu"])
    assert done.returncode == 1 and "ARRAYAPI_GPU_DEVICE: got 'cdua'" in done.stdout, done.stderr


def test_a_row_cannot_be_deleted() -> None:
    """It was: after that nothing could be computed."""
    own = Config()
    with pytest.raises(AttributeError, match=r"config\.fusion cannot be deleted"):
        del own.fusion
    assert own.fusion


def test_unknown_knob() -> None:
    """A misspelt knob raises AttributeError with the right ones, however it is set."""
    own = Config()
    with pytest.raises(AttributeError, match="'fuse'; allowed: device, fusion,"):
        own.set(check=True, fuse=True)
    with pytest.raises(AttributeError, match="'fuse'"):
        own.fuse = True  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'fuse'"), own.set(fuse=True):
        pass
    assert own.values() == Config().values()


@pytest.mark.parametrize(
    "value, expected",
    [(None, None), ("", None), (1000, 1000), (np.int64(1000), 1000), (np.float32(0.5), 0.5), ("1000", 1000), (0.5, 0.5),
     ("0.5", 0.5), (".5", 0.5), ("256 MiB", 2**28),
     ("256MiB", 2**28), ("1.5 GB", 1_500_000_000), ("2kB", 2000), ({"cuda:0": "0.5", "a": 7}, {"cuda:0": 0.5, "a": 7}),
     (" cuda:0=0.5, opencl:0:0 = 256 MiB", {"cuda:0": 0.5, "opencl:0:0": 2**28})],
)  # fmt: skip
def test_a_memory_limit_is_bytes_or_a_share_for_all_devices_or_some(value: object, expected: object) -> None:
    own = Config()
    own.memory_limit = value  # type: ignore[assignment]
    assert own.memory_limit == expected


def test_the_limit_of_a_device_is_that_of_the_longest_name() -> None:
    limits: dict[str, int | float] = {"opencl": 0.5, "opencl:1": 70, "cuda:0": 0.25}
    found = [limit_of(limits, name, 1000) for name in ("opencl:0:0", "opencl:1:0", "opencl:10:0", "cuda:0", "cuda:1")]
    assert found == [500, 70, 500, 250, 1000]
    assert [limit_of(limit, "cuda:0", 1000) for limit in (None, 2000, 10, 0.1, 1.0, 1e-9)] == [
        1000,
        1000,
        10,
        100,
        1000,
        1,
    ]


def test_what_is_logged_goes_to_the_loggers_handlers_or_to_standard_error(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log("first")
    assert "first" in caplog.text and not capsys.readouterr().err
    monkeypatch.setattr(logger, "hasHandlers", lambda: False)
    log("second")
    assert "second" not in caplog.text and capsys.readouterr().err == "[arrayapi_gpu] second\n"


def test_the_settings_print_and_copies_of_them_are_the_same() -> None:
    with config.set(host_transfers="log"):
        assert repr(config).startswith("config(device=") and "host_transfers='log'" in repr(config)
        for copied in (copy.copy(config), copy.deepcopy({"c": config})["c"], pickle.loads(pickle.dumps(config))):
            assert copied is config
