"""The table of knobs: defaults, the environment, and what `set` promises."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from arrayapi_gpu.config import Config, limit_of, log, logger


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
    assert own == Config()


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


@pytest.mark.parametrize(
    "knob, value",
    [("fusion", 2), ("fusion", "maybe"), ("debug", 6), ("debug", -1), ("debug", ""),
     ("debug", "12"), ("debug", 1.5), ("host_transfers", "no"), ("host_transfers", None),
     *[("memory_limit", value) for value in (0, -1, 0.0, 1.5, True, "much", "1 XB", "MiB", ".", [1], {"a": None})]],
)  # fmt: skip
def test_bad_values(knob: str, value: object) -> None:
    """A ValueError says which knob, what came and what is allowed; no knob is changed."""
    own = Config()
    with pytest.raises(ValueError, match=rf"config.{knob}: got {re.escape(repr(value))}; .* allowed"):
        own.set(check=True, **{knob: value})
    assert own == Config()


def test_unknown_knob() -> None:
    """A misspelt knob raises AttributeError with the right ones, however it is set."""
    own = Config()
    with pytest.raises(AttributeError, match="'fuse'; there are device, fusion,"):
        own.set(check=True, fuse=True)
    with pytest.raises(AttributeError, match="'fuse'"):
        own.fuse = True
    assert own == Config()


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
