"""bench/forced.py: choices that are forced for a measurement are made, and change no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import schedule as schedules, tuning
from arrayapi_gpu.kernels.core.dialect import Parameters
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule, generic_schedule
from arrayapi_gpu.kernels.maps.elementwise import head_of
from bench.forced import forced, with_constants
from bench.thesis import LEVELS

TEXT = "KERNEL void k(GLOBAL M_f32* o0, const Parameters p) {\n  body;\n}\n"


def schedule() -> Any:
    """Rows of 6 in 5, every other one, of rank 4 as generic kernels take it."""
    return generic_schedule(elementwise_schedule((5, 6), (((5, 6), (6, 1)), ((5, 6), (24, 2)))))


def names() -> Parameters:
    fields = ["n", "spans", "strips", "d0", "d1", "d2", "o0_0", "x0_0"]
    fields += [f"{name}_s{axis}" for name in ("o0", "x0") for axis in range(4)]
    return Parameters([(name, "i64") for name in (*fields, "s0")])


@pytest.mark.parametrize("known", ["extents", "strides"])
def test_numbers_take_the_place_of_parameters(known: str) -> None:
    strides = schedule().strides if known == "strides" else ()
    text = with_constants(TEXT, names(), head_of(schedule(), 4, 1), strides, scalars=1)
    assert "const Parameters given) {\n    Parameters p = given; p.n = 6; p.spans = 2; p.strips = 5; p.d0 = 1;" in text
    assert ("p.x0_s2 = 24; p.x0_s3 = 2;" in text) == (known == "strides")
    assert "p.o0_0" not in text
    assert "p.s0" not in text


def test_the_head_of_one_dimension_is_its_length() -> None:
    assert head_of(elementwise_schedule((7,), (((7,), (1,)),)), 4, 1) == (7,)
    assert head_of(schedule(), 4, 2) == (6, 2, 1 * 1 * 3, 1, 1, 5)


SWITCHES: dict[str, dict[str, Any]] = {
    **LEVELS,
    "known strides, merged": {"specialise": "never", "known": "strides"},
    "small groups": {"SPAN_GROUP": 1, "SPAN": 1, "GPU_GROUP": 32, "ROWS_PER_ITEM": 1},
    "large groups": {"SPAN_GROUP": 64, "SPAN": 4, "GPU_GROUP": 512, "ROWS_PER_ITEM": 8},
}


@pytest.mark.parametrize("switches", SWITCHES)
def test_values_are_the_same_whatever_is_forced(twin: Device, switches: str) -> None:
    whole = sample("float32", (6, 8, 4, 10))
    views: list[Callable[[Any], Any]] = [
        lambda x: x, lambda x: x[::2, ::-1, 1:3, ::3], lambda x: x[1:3], lambda x: x[:, :, :1], lambda x: x[0, 0, 0, 0],
        lambda x: x[:0],
    ]  # fmt: skip
    with forced(**SWITCHES[switches]), np.errstate(all="ignore"):
        for view in views:
            host, x = view(whole), view(xp.asarray(whole, copy=True, device=twin))
            for _ in range(2):
                np.testing.assert_array_equal(np.asarray(x * 2 - x), host * np.float32(2) - host)
                np.testing.assert_array_equal(np.asarray(x[..., :1] + x if x.ndim else x + x),
                                              host[..., :1] + host if host.ndim else host + host)  # fmt: skip
        rolled = xp.roll(xp.asarray(whole, device=twin), (1, 2), axis=(0, 3)) + 1
        np.testing.assert_array_equal(np.asarray(rolled), np.roll(whole, (1, 2), (0, 3)) + 1)


def test_numbers_and_knobs_are_as_before_after_a_block_that_raises() -> None:
    before = tuning.GENERIC, config.specialise, vars(schedules)["collapse"]
    with pytest.raises(KeyError), forced("never", merged=False, GENERIC=1):
        assert (tuning.GENERIC, config.specialise) == (1, "never") and vars(schedules)["collapse"] is not before[2]
        raise KeyError
    assert (tuning.GENERIC, config.specialise, vars(schedules)["collapse"]) == before


def texts_of(shape: tuple[int, ...], **choices: Any) -> list[str]:
    """The kernels that `x + 1` takes, for contiguous arrays of a shape."""
    device = RecordingDevice(f"recording:{shape}:{choices}", host_shared=False)
    x = xp.asarray(np.ones(shape, np.float32), device=device)
    with forced(**choices):
        xp.compute(x + 1)
    return [arguments[0] for verb, arguments in device.calls if verb == "compile"]


def test_dimensions_stay_as_they_are_unless_merged() -> None:
    (merged,), (apart,) = texts_of((2, 3, 4)), texts_of((2, 3, 4), merged=False)
    assert "elementwise_add_1d_f32" in merged and "elementwise_add_3d_f32" in apart


def test_generic_kernels_know_what_they_are_told() -> None:
    basic, extents, strides = (texts_of((2, 3, 4), **LEVELS[name])[0] for name in ("basic", "dimspec", "specialized"))
    assert "given" not in basic
    assert "Parameters p = given; p.n = 4; p.spans = 4; p.strips = 6; p.d0 = 2; p.d1 = 3;" in extents
    assert "p.x0_s0" not in extents.partition("given; ")[2].partition("\n")[0]
    assert "p.x0_s0 = 12; p.x0_s1 = 4; p.x0_s2 = 1;" in strides
