"""Programs of machine learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, drawn, floats, normals


def logistic_regression(xp: Any, data: Any, labels: Any) -> Any:
    """20 steps of gradient descent."""
    weights = xp.zeros_like(data[0, :])
    for _ in range(20):
        guess = 1.0 / (1.0 + xp.exp(-(data @ weights)))
        weights = weights - 0.1 / data.shape[0] * (data.T @ (guess - labels))
    return weights


def norm_and_gelu(xp: Any, x: Any, scale: Any, shift: Any) -> Any:
    """Layer normalisation and the tanh form of gelu."""
    mean = xp.mean(x, axis=-1, keepdims=True)
    std = xp.sqrt(xp.var(x, axis=-1, keepdims=True) + 1e-5)
    y = (x - mean) / std * scale + shift
    return 0.5 * y * (1.0 + xp.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))


def attention(xp: Any, query: Any, key: Any, value: Any) -> Any:
    """Softmax of the products of queries and keys, times values."""
    scores = query @ xp.matrix_transpose(key) / query.shape[-1] ** 0.5
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True) @ value


def middle_softmax(xp: Any, x: Any) -> Any:
    """Softmax along the middle of three axes."""
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def adam(xp: Any, weight: Any, gradient: Any, first: Any, second: Any) -> tuple[Any, Any, Any]:
    """One step of the optimiser, with three results."""
    first = 0.9 * first + 0.1 * gradient
    second = 0.999 * second + 0.001 * gradient * gradient
    return weight - 0.001 * (first / 0.1) / (xp.sqrt(second / 0.001) + 1e-8), first, second


def mixture(xp: Any, points: Any, means: Any, scales: Any) -> tuple[Any, Any]:
    """To which Gaussian of a mixture each point belongs, by logarithms, and how likely all of it is."""
    z = (points[:, None, :] - means[None, :, :]) / scales[None, :, :]
    logs = -0.5 * xp.sum(z * z, axis=2) - xp.sum(xp.log(scales), axis=1)[None, :]
    top = xp.max(logs, axis=1, keepdims=True)
    whole = top + xp.log(xp.sum(xp.exp(logs - top), axis=1, keepdims=True))
    return xp.exp(logs - whole), xp.mean(whole)


def perceptron(xp: Any, x: Any, w1: Any, w2: Any) -> Any:
    """Two layers with batch normalisation between them, and the loss of their softmax."""
    h = x @ w1
    h = (h - xp.mean(h, axis=0)) / xp.sqrt(xp.var(h, axis=0) + 1e-5)
    y = xp.maximum(h, 0.0 * h) @ w2
    y = y - xp.max(y, axis=1, keepdims=True)
    return xp.mean(xp.log(xp.sum(xp.exp(y), axis=1)) - y[:, 0])


def _labelled(rng: np.random.Generator, n: int) -> Inputs:
    return normals(rng, n, 64), (floats(rng, n) < 0.5).astype(np.float32)


def _heads(rng: np.random.Generator, n: int) -> Inputs:
    return normals(rng, 8, n, 64), normals(rng, 8, n, 64), normals(rng, 8, n, 64)


PROGRAMS = (
    Program("logistic regression, 20 steps", "learning", logistic_regression, _labelled, 50, 2**14, 2**18),
    Program(
        "layer norm and gelu", "learning", norm_and_gelu,
        drawn(normals, (N, 1024), (1024,), (1024,)), 4, 1024, 8192,
    ),
    Program("attention, 8 heads", "learning", attention, _heads, 8, 256, 2048),
    Program("softmax, middle axis", "learning", middle_softmax, drawn(normals, (N, 1000, 49)), 2, 16, 256),
    Program(
        "Adam, one step", "learning", adam,
        lambda rng, n: (normals(rng, n), normals(rng, n), normals(rng, n), floats(rng, n)), 100, 10**6, 2**24,
    ),
    Program(
        "Gaussian mixture, 16 of 8", "learning", mixture,
        lambda rng, n: (normals(rng, n, 8), normals(rng, 16, 8), 0.5 + floats(rng, 16, 8)), 50, 2**14, 2**20,
    ),
    Program(
        "perceptron with loss", "learning", perceptron,
        drawn(normals, (N, 64), (64, 128), (128, 10)), 20, 2**12, 2**16,
    ),
)  # fmt: skip
