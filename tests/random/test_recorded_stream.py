"""What a seed gives is frozen: samples of every method have the bits of the record, on every device.

``pytest tests/random/test_recorded_stream.py --update-golden`` writes the record anew. Samples change in a new version
of the stream only: raise `philox.STREAM_VERSION` in the same commit, and say so in CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random.philox import STREAM_VERSION
from conformance.randomness.rows import DISCRETE, EVERY, draw

RECORD = Path(__file__).with_name("stream.json")
SEED, SIZE = 20261124, 12


def bits(samples: Any) -> list[str]:
    """The bits of each sample, in hexadecimal."""
    host = np.ascontiguousarray(to_host(samples)).ravel()
    return [f"{word:0{2 * host.itemsize}x}" for word in host.view(f"u{host.itemsize}").tolist()]


def samples_of(device: Device) -> dict[str, list[str]]:
    """The samples of every method, by the call that draws them."""
    found = {}
    real = ["float32", "float64"] if "f64" in device.dtypes else ["float32"]
    for name, arguments in EVERY:
        if "f64" not in device.dtypes and name in (*DISCRETE, "multinomial") and name != "integers":
            continue  # in float32 there
        probe = draw(xp.random.default_rng(1), name, arguments, 1, device=device)
        for dtype in real if probe.dtype.kind == "f" else ["int64"]:
            rng = xp.random.default_rng(SEED)
            x = draw(rng, name, arguments, SIZE, dtype=dtype, device=device)
            found[f"{name}{arguments} {dtype}"] = bits(x)
    rng = xp.random.default_rng(SEED)
    found["permutation(12)"] = bits(rng.permutation(12, device=device))
    found["choice(100, 12, replace=False)"] = bits(rng.choice(100, 12, replace=False, device=device))
    found["bytes(12)"] = [rng.bytes(12).hex()]
    return found


def test_samples_are_those_of_the_record(twin: Device, pytestconfig: pytest.Config) -> None:
    found = samples_of(twin)
    if pytestconfig.getoption("--update-golden"):
        text = json.dumps({"version": STREAM_VERSION, "samples": found}, indent=0)
        RECORD.write_text(text + "\n", encoding="utf-8")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert record["version"] == STREAM_VERSION
    assert [call for call, values in found.items() if record["samples"][call] != values] == []
