"""Programs of scikit-learn and SciPy: estimators and statistics that compute in the namespace of their input.

They are no programs of the standard alone, so `python -m bench.programs --consumers` measures them apart. The programs
import both libraries, since not everybody has them; SciPy reads its switch when it is imported.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.programs.program import HostArray, Inputs, N, Program, drawn, floats, normals

os.environ.setdefault("SCIPY_ARRAY_API", "1")

COLUMNS = 100


def _sklearn(module: str) -> Any:
    """A module of scikit-learn, which dispatches to the namespace of its input."""
    importlib.import_module("sklearn").set_config(array_api_dispatch=True)
    return importlib.import_module(f"sklearn.{module}")


def scale(xp: Any, data: Any) -> Any:
    """Columns without their means, divided by their standard deviations."""
    return _sklearn("preprocessing").StandardScaler().fit_transform(data)


def components(xp: Any, data: Any) -> Any:
    """The first ten principal components, from the eigenvectors of the covariance."""
    return _sklearn("decomposition").PCA(n_components=10, svd_solver="covariance_eigh").fit_transform(data)


def ridge(xp: Any, data: Any, target: Any) -> Any:
    """The coefficients of a linear model with a penalty."""
    return _sklearn("linear_model").Ridge(alpha=1.0, solver="svd").fit(data, target).coef_


def discriminant(xp: Any, data: Any, labels: Any) -> Any:
    """Linear discriminant analysis: which class each row belongs to."""
    model = _sklearn("discriminant_analysis").LinearDiscriminantAnalysis(solver="svd")
    return model.fit(data, labels).predict(data)


def pipeline(xp: Any, data: Any, target: Any) -> Any:
    """Scaling, principal components, and a linear model on these, fitted and asked again."""
    steps = (
        _sklearn("preprocessing").StandardScaler(),
        _sklearn("decomposition").PCA(n_components=20, svd_solver="covariance_eigh"),
        _sklearn("linear_model").Ridge(alpha=1.0, solver="svd"),
    )
    return _sklearn("pipeline").make_pipeline(*steps).fit(data, target).predict(data)


def moments(xp: Any, data: Any) -> tuple[Any, Any, Any]:
    """Scores, skewness and kurtosis of columns."""
    stats = importlib.import_module("scipy.stats")
    scores = stats.zscore(data, axis=0)
    return scores, stats.skew(scores, axis=0), stats.kurtosis(scores, axis=0)


def tests(xp: Any, first: Any, second: Any) -> tuple[Any, Any, Any]:
    """Welch's t, standard errors and Pearson's r, column by column."""
    stats = importlib.import_module("scipy.stats")
    welch = stats.ttest_ind(first, second, axis=0, equal_var=False).statistic
    errors = stats.sem(first, axis=0)
    return welch, errors, stats.pearsonr(first, second, axis=0).statistic


def means(xp: Any, data: Any) -> tuple[Any, Any, Any]:
    """Geometric, harmonic and power means of columns."""
    stats = importlib.import_module("scipy.stats")
    return stats.gmean(data, axis=0), stats.hmean(data, axis=0), stats.pmean(data, 3, axis=0)


def _fitted(label: Callable[[np.random.Generator, HostArray], HostArray]) -> Callable[..., Inputs]:
    """Rows, and a label for each."""

    def inputs(rng: np.random.Generator, n: int) -> Inputs:
        data = normals(rng, n, COLUMNS)
        return data, label(rng, data)

    return inputs


def _line(rng: np.random.Generator, data: HostArray) -> HostArray:
    target: HostArray = data @ floats(rng, COLUMNS) + normals(rng, len(data))
    return target


def _classes(rng: np.random.Generator, data: HostArray) -> HostArray:
    classes: HostArray = np.argmax(data[:, :3] @ normals(rng, 3, 5), axis=1)
    return classes


_ONE = drawn(normals, (N, COLUMNS))
_TWO = drawn(normals, (N, COLUMNS), (N, COLUMNS))
_POSITIVE = drawn(floats, (N, COLUMNS))
_SIZES = 200, 20_000, 10**6

CONSUMERS: tuple[Program, ...] = (
    Program("StandardScaler", "scikit-learn", scale, _ONE, *_SIZES),
    Program("PCA, 10 components", "scikit-learn", components, _ONE, *_SIZES),
    Program("Ridge by SVD", "scikit-learn", ridge, _fitted(_line), *_SIZES),
    Program("LDA, 5 classes", "scikit-learn", discriminant, _fitted(_classes), *_SIZES),
    Program("scaler, PCA and Ridge", "scikit-learn", pipeline, _fitted(_line), *_SIZES),
    Program("zscore, skew, kurtosis", "SciPy", moments, _ONE, *_SIZES),
    Program("Welch's t, sem, Pearson's r", "SciPy", tests, _TWO, *_SIZES),
    Program("means of three kinds", "SciPy", means, _POSITIVE, *_SIZES),
)
