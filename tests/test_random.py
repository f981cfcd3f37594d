"""What a seed gives is frozen: samples of every method have the bits of the record, on every device.

``pytest tests/test_random.py --update-golden -n0`` writes the record anew. Samples change in a new
version of the stream only: raise `philox.STREAM_VERSION` in the same commit, and say so in CHANGELOG.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random.philox import STREAM_VERSION
from conformance.randomness.rows import CONTINUOUS, DISCRETE, VECTORS, draw

RECORD = Path(__file__).parent / "random" / "stream.json"
SEED, SIZE = 20261124, 12

METHODS = {**CONTINUOUS, **DISCRETE, **VECTORS}
ORDERS: dict[str, Any] = {
    "permutation": lambda rng, **where: rng.permutation(SIZE, **where),
    "permuted": lambda rng, **where: rng.permuted(xp.reshape(xp.arange(SIZE, **where), (3, 4)), axis=1),
    "choice": lambda rng, **where: rng.choice(100, SIZE, replace=False, **where),
    "bytes": lambda rng, **where: np.frombuffer(rng.bytes(SIZE), np.uint8),
}
NAMES = [*METHODS, *ORDERS]


def bits(samples: Any) -> list[str]:
    """The bits of each sample, in hexadecimal."""
    host = np.ascontiguousarray(samples).ravel()
    return [f"{word:0{2 * host.itemsize}x}" for word in host.view(f"u{host.itemsize}").tolist()]


def samples_of(name: str, device: Device) -> dict[str, list[str]]:
    """The samples of a method, by the call that draws them."""
    rng = xp.random.default_rng(SEED)
    if name in ORDERS:
        return {name: bits(ORDERS[name](rng, device=device))}
    if name in CONTINUOUS or name == "dirichlet":
        dtypes = ["float32", "float64"] if "f64" in device.dtypes else ["float32"]
    else:  # without float64 counts are other ones
        dtypes = ["int64"] if "f64" in device.dtypes or name == "integers" else []
    found = {}
    for arguments in METHODS[name]:
        for dtype in dtypes:
            rng = xp.random.default_rng(SEED)
            found[f"{name}{arguments} {dtype}"] = bits(draw(rng, name, arguments, SIZE, dtype=dtype, device=device))
    return found


def recorded() -> dict[str, list[str]]:
    """The record, of this version of the stream."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert record["version"] == STREAM_VERSION
    samples: dict[str, list[str]] = record["samples"]
    return samples


def check(name: str, device: Device) -> None:
    found, record = samples_of(name, device), recorded()
    assert found == {call: record[call] for call in found}


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_those_recorded(device: Device, name: str) -> None:
    check(name, device)


@pytest.mark.parametrize("name", NAMES)
def test_registers_of_one_lane_give_the_same(device: Device, name: str) -> None:
    """As GPUs have them."""
    check(name, scalar_twin(device))


def test_every_call_is_recorded(device: Device, pytestconfig: pytest.Config) -> None:
    found = {call: values for name in NAMES for call, values in samples_of(name, device).items()}
    if pytestconfig.getoption("--update-golden"):
        text = json.dumps({"version": STREAM_VERSION, "samples": found}, indent=0)
        RECORD.write_text(text + "\n", encoding="utf-8")
    assert found.keys() <= recorded().keys()
    assert "f64" not in device.dtypes or found.keys() == recorded().keys()


def test_default_rng_takes_numpys_seeds(device: Device) -> None:
    rng = xp.random.default_rng(5)
    assert isinstance(rng, xp.random.Generator)
    expected = np.random.Generator(np.random.Philox(5)).random(4, dtype=np.float32)
    assert to_host(rng.random(4, dtype=xp.float32)).tolist() == expected.tolist()


def test_normal_vectors_are_made_of_normal_samples(device: Device) -> None:
    mean, cov = [1.0, -2.0], [[2.0, 1.0], [1.0, 3.0]]
    z = to_host(xp.random.default_rng(1).standard_normal((5, 2), dtype=xp.float32))
    got = xp.random.default_rng(1).multivariate_normal(mean, cov, 5, method="cholesky", dtype=xp.float32)
    np.testing.assert_allclose(to_host(got), z @ np.linalg.cholesky(cov).T + mean, rtol=1e-4, atol=1e-5)
