"""The recorded stream: what a seed, a method and its arguments give, as bits, on every device.

random/stream.json has the version of the streams, and of each call the first samples and a hash of all. Whoever changes
what a seed gives raises `arrayapi_gpu.random.philox.STREAM_VERSION`, and writes the file anew with
`python tests/test_random.py`. Not recorded is what depends on the device's sums in last bits: `dirichlet`,
`multivariate_normal`, and `choice` with probabilities.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random.philox import STREAM_VERSION

RECORD = Path(__file__).parent / "random" / "stream.json"
SEED = 20261124
COUNT = 200

REAL = {
    "random": "", "uniform": "-1, 3", "normal": "1, 2", "standard_normal": "", "lognormal": "0.5, 0.25",
    "exponential": "2", "standard_exponential": "", "standard_gamma": "0.3", "gamma": "2.5, 3", "beta": "0.2, 3",
    "chisquare": "3", "noncentral_chisquare": "3, 2", "f": "3, 7", "noncentral_f": "3, 7, 1.5", "standard_t": "4",
    "standard_cauchy": "", "laplace": "1, 2", "logistic": "1, 2", "gumbel": "1, 2", "rayleigh": "2", "weibull": "1.5",
    "pareto": "3", "power": "3", "triangular": "-1, 0, 3", "vonmises": "0, 2", "wald": "2, 3",
}  # fmt: skip
WHOLE = {
    "integers": ("-3, 10", "0, 2**40"), "poisson": ("3", "50"), "binomial": ("20, 0.25", "1000, 0.75"),
    "geometric": ("0.25",), "negative_binomial": ("3.5, 0.25",), "multinomial": ("20, [0.25, 0.25, 0.5]",),
}  # fmt: skip
OTHERS = {
    "permutation": "rng.permutation(200)",
    "permuted": "rng.permuted(np.arange(60).reshape(6, 10), axis=1)",
    "choice": "rng.choice(100, 50, replace=False)",
    "bytes": "np.frombuffer(rng.bytes(101), np.uint8)",
}


def calls() -> dict[str, tuple[str, str]]:
    """Method and dtype of the arithmetic, by the text of a call."""
    found = {}
    for name, text in REAL.items():
        for dtype in ("float32", "float64"):
            found[f"rng.{name}({text}{', ' * bool(text)}size={COUNT}, dtype=xp.{dtype})"] = (name, dtype)
    found[f"rng.normal(size={COUNT}, dtype=xp.float16)"] = ("normal", "float16")
    for name, texts in WHOLE.items():
        for text in texts:
            found[f"rng.{name}({text}, size={COUNT})"] = (name, "int64" if name == "integers" else "float64")
    return found | {text: (name, "int64") for name, text in OTHERS.items()}


CALLS = calls()
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "i64"}


def sampled(text: str, device: Device | None = None) -> str:
    """The first three samples of a call as hexadecimal digits, the highest first, and a hash of all."""
    result = eval(text, {"xp": xp, "np": np, "device": device, "rng": xp.random.default_rng(SEED)})
    host = np.ascontiguousarray(np.asarray(result))
    bits = host.reshape(-1).view(f"u{host.dtype.itemsize}")
    words = " ".join(f"{word:0{2 * host.dtype.itemsize}x}" for word in bits[:3].tolist())
    return f"{words} {hashlib.sha256(bits.astype(bits.dtype.newbyteorder('<')).tobytes()).hexdigest()[:16]}"


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(("name", "text"), [(name, text) for text, (name, _) in CALLS.items()])
def test_samples_are_those_recorded(device: Device, name: str, text: str) -> None:
    if SHORT[CALLS[text][1]] not in device.dtypes:
        pytest.skip(f"needs {CALLS[text][1]}")
    assert sampled(text) == recorded()["samples"][text], name


def test_default_rng_takes_numpys_seeds(device: Device) -> None:
    rng = xp.random.default_rng(5)
    assert isinstance(rng, xp.random.Generator)
    expected = np.random.Generator(np.random.Philox(5)).random(4, dtype=np.float32)
    assert np.asarray(rng.random(4, dtype=xp.float32)).tolist() == expected.tolist()


def test_dirichlet_is_made_of_gamma_samples(device: Device) -> None:
    alpha = np.array([0.5, 2.0, 3.5], np.float32)
    parts = np.asarray(xp.random.default_rng(1).gamma(xp.asarray(alpha), size=(5, 3), dtype=xp.float32))
    got = xp.random.default_rng(1).dirichlet(alpha, 5, dtype=xp.float32)
    np.testing.assert_allclose(np.asarray(got), parts / parts.sum(axis=1, keepdims=True), rtol=1e-5)


def test_multivariate_normal_is_made_of_normal_samples(device: Device) -> None:
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    z = np.asarray(xp.random.default_rng(1).standard_normal((5, 2), dtype=xp.float32))
    got = xp.random.default_rng(1).multivariate_normal(
        [1.0, -2.0], cov.tolist(), 5, method="cholesky", dtype=xp.float32
    )
    np.testing.assert_allclose(np.asarray(got), z @ np.linalg.cholesky(cov).T + [1, -2], rtol=1e-4, atol=1e-5)


def test_the_record_is_of_this_version() -> None:
    record = recorded()
    assert record["version"] == STREAM_VERSION
    assert record["samples"].keys() == CALLS.keys()


ONE_LANE = ("random", "normal", "standard_gamma", "vonmises", "poisson", "binomial", "integers")


@pytest.mark.parametrize("text", [text for text, (name, _) in CALLS.items() if name in ONE_LANE])
def test_registers_of_one_lane_give_the_same(twin: Device, text: str) -> None:
    """As GPUs have them."""
    if SHORT[CALLS[text][1]] not in twin.dtypes:
        pytest.skip(f"needs {CALLS[text][1]}")
    assert sampled(text.replace("size=", "device=device, size="), twin) == recorded()["samples"][text]


if __name__ == "__main__":
    samples = {text: sampled(text) for text in CALLS}
    RECORD.write_text(json.dumps({"version": STREAM_VERSION, "samples": samples}, indent=1) + "\n", encoding="utf-8")
