"""The table of knobs: defaults, the environment, and what `set` promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayapi_gpu.config import Config, log, logger


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
     ("debug", "12"), ("debug", 1.5), ("host_transfers", "no"), ("host_transfers", None)],
)  # fmt: skip
def test_bad_values(knob: str, value: object) -> None:
    """A ValueError says which knob, what came and what is allowed; no knob is changed."""
    own = Config()
    with pytest.raises(ValueError, match=rf"config.{knob}: got {value!r}; .* allowed"):
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


def test_what_is_logged_goes_to_the_loggers_handlers_or_to_standard_error(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log("first")
    assert "first" in caplog.text and not capsys.readouterr().err
    monkeypatch.setattr(logger, "hasHandlers", lambda: False)
    log("second")
    assert "second" not in caplog.text and capsys.readouterr().err == "[arrayapi_gpu] second\n"
