"""Mistakes that mypy and pyright report, because an unused ``type: ignore`` is an error for both (`make lint`)."""

from __future__ import annotations

from typing import Any

import numpy

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np

x = xp.arange(6.0)
y = xp.reshape(x, (2, 3))


def after_a_mistake() -> int:
    """Code after a misspelt name is reachable, so its mistakes are found."""
    xp.sun(x)  # type: ignore[attr-defined]
    return "text"  # type: ignore[return-value]


# The standard's namespace
xp.percentle(x, 90)  # type: ignore[attr-defined]
x.sume()  # type: ignore[attr-defined]
print(x.shap)  # type: ignore[attr-defined]
x.cuda()  # type: ignore[attr-defined]
xp.sum()  # type: ignore[call-arg]
xp.sum(x, dim=0)  # type: ignore[call-arg]
xp.sum(x, 0)  # type: ignore[call-arg]
xp.exp(x, x)  # type: ignore[call-arg]
xp.exp("text")  # type: ignore[arg-type]
xp.reshape(x)  # type: ignore[call-arg]
xp.zeros("text")  # type: ignore[arg-type]
xp.linalg.slove(y, y)  # type: ignore[attr-defined]
xp.fft.fff(x)  # type: ignore[attr-defined]
x.sum(axis="0")  # type: ignore[arg-type]
x.round("2")  # type: ignore[arg-type]
x.device = "cpu"  # type: ignore[assignment]
x.shape = "text"  # type: ignore[assignment]
xp.concat(x)  # type: ignore[arg-type]
wrong: int = x.sum()  # type: ignore[assignment]
text: str = x + 1  # type: ignore[assignment]
numbers: numpy.ndarray[Any, Any] = xp.exp(x)  # type: ignore[assignment]
xp.config.fusoin = True  # type: ignore[attr-defined]
print(x + "text")  # type: ignore[operator]
print(x @ "text")  # type: ignore[operator]
xp.add(x, "text")  # type: ignore[arg-type]
xp.special.gama(x)  # type: ignore[attr-defined]
xp.random.default_rng(1).nromal()  # type: ignore[attr-defined]
print(x.flags.contigous)  # type: ignore[attr-defined]
x.resize(3, refchek=False)  # type: ignore[call-arg]

# NumPy's namespace


def after_a_mistake_in_numpys_namespace() -> int:
    """Code after a misspelt name is reachable here, too."""
    np.sun([1])  # type: ignore[attr-defined]
    return "text"  # type: ignore[return-value]


np.linalg.imv([1])  # type: ignore[attr-defined]
np.random.rnad(3)  # type: ignore[attr-defined]
np.fft.fff([1])  # type: ignore[attr-defined]
np.sum([1], frobnicate=2)  # type: ignore[call-arg]
np.sum("text")  # type: ignore[arg-type]
np.sum([1], axis="0")  # type: ignore[arg-type]
np.mean([1], keepdims="yes")  # type: ignore[arg-type]
np.zeros("text")  # type: ignore[arg-type]
np.exp("text")  # type: ignore[arg-type]
np.exp()  # type: ignore[call-arg]
np.add([1])  # type: ignore[call-arg]
np.add([1], 2, dtpye="f4")  # type: ignore[call-arg]
np.add.reducee([1])  # type: ignore[attr-defined]
np.add.reduce([1], axes=0)  # type: ignore[call-arg]
np.concatenate(3)  # type: ignore[arg-type]
np.reshape([1])  # type: ignore[call-arg]
count: int = np.sum([1])  # type: ignore[assignment]
name: str = np.array([1])  # type: ignore[assignment]
parts: list[Any] = np.nonzero([1])  # type: ignore[assignment]
np.where([1], 2)  # type: ignore[call-overload]
