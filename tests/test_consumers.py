"""Libraries over the standard, with our arrays: SciPy and scikit-learn give what they give over NumPy's.

Each runs in a process of its own, since SciPy reads its switch when it is imported. The test of a library that is not
installed is skipped.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from arrayapi_gpu.backends.base import Device

PRELUDE = """
import numpy as np
import arrayapi_gpu as xp

rng = np.random.default_rng(0)
A, B, P = rng.normal(size=(60, 3)), rng.normal(size=60), rng.random(60) + 0.1

def check(function, *arrays, rtol=1e-9):
    expected = function(*arrays)
    got = function(*map(xp.asarray, arrays))
    assert isinstance(got, xp.Array), type(got)
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=rtol, atol=1e-12)
"""

SCIPY = """
from scipy import fft, integrate, signal, special, stats
from scipy.cluster import vq

check(lambda a: special.logsumexp(a, axis=0), A)
check(special.expit, A)
check(special.ndtr, A)
check(special.xlogy, P, P)
check(stats.zscore, A)
check(lambda a: stats.skew(a, axis=0), A)
check(stats.rankdata, B)
check(lambda a, b: stats.pearsonr(a, b).statistic, B, P)
check(lambda a: integrate.cumulative_trapezoid(a, dx=0.1), B)
check(signal.fftconvolve, B, P)
check(lambda b, x: signal.lfilter(b[:4], 1 + 0 * b[:1], x), P, B)
check(signal.detrend, B)
check(lambda a: fft.rfft(a, axis=0), A)
check(vq.whiten, A)
"""

SCIKIT_LEARN = """
import sklearn
from sklearn import decomposition, linear_model, metrics, pipeline, preprocessing

sklearn.set_config(array_api_dispatch=True)
y, labels = A @ np.array([1.0, -2.0, 0.5]) + 0.01 * B, (A[:, 0] > 0).astype("int64")
check(lambda a: preprocessing.StandardScaler().fit_transform(a), A)
check(lambda a: preprocessing.PolynomialFeatures().fit_transform(a), A)
check(lambda a: decomposition.PCA(2, svd_solver="full").fit_transform(a), A)
check(lambda a, b: linear_model.Ridge(solver="svd").fit(a, b).coef_, A, y)
check(lambda a, b: linear_model.LogisticRegression().fit(a, b).predict_proba(a), A, labels, rtol=1e-4)
model = pipeline.make_pipeline(preprocessing.MinMaxScaler(), linear_model.RidgeCV())
check(lambda a, b: model.fit(a, b).predict(a), A, y)
check(lambda a: metrics.pairwise.rbf_kernel(a), A)
check(lambda a, b: metrics.confusion_matrix(a, b), labels, labels[::-1].copy())
for score in (metrics.accuracy_score, metrics.f1_score, metrics.matthews_corrcoef):
    other = labels[::-1].copy()
    assert np.isclose(score(xp.asarray(labels), xp.asarray(other)), score(labels, other))
"""


def check_program(text: str, device: Device) -> None:
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "ARRAYAPI_GPU_DEVICE": str(device)}
    done = subprocess.run([sys.executable, "-c", PRELUDE + text], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="SciPy is not installed")
def test_scipy_computes_with_our_arrays(device: Device) -> None:
    check_program(SCIPY, device)


@pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed")
def test_scikit_learn_computes_with_our_arrays(device: Device) -> None:
    check_program(SCIKIT_LEARN, device)
