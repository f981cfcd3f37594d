"""scikit-learn's estimators and metrics for arrays of any library give with ours what they give with NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program

sklearn = pytest.importorskip("sklearn")
base = pytest.importorskip("sklearn.base")
decomposition = pytest.importorskip("sklearn.decomposition")
calibration = pytest.importorskip("sklearn.calibration")
discriminant_analysis = pytest.importorskip("sklearn.discriminant_analysis")
kernel_approximation = pytest.importorskip("sklearn.kernel_approximation")
linear_model = pytest.importorskip("sklearn.linear_model")
metrics = pytest.importorskip("sklearn.metrics")
mixture = pytest.importorskip("sklearn.mixture")
model_selection = pytest.importorskip("sklearn.model_selection")
naive_bayes = pytest.importorskip("sklearn.naive_bayes")
pairwise = pytest.importorskip("sklearn.metrics.pairwise")
pipeline = pytest.importorskip("sklearn.pipeline")
preprocessing = pytest.importorskip("sklearn.preprocessing")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(60, 3))
B = rng.normal(size=60)
Y = A @ np.array([1.0, -2.0, 0.5]) + 0.01 * B
L = (A[:, 0] + 0.3 * B > 0).astype("int64")
G = (A[:, 0] > 0).astype("int64")  # a guess of L
S = 1 / (1 + np.exp(-A[:, 0]))  # its probability

METRICS: dict[str, Program] = {
    "accuracy": lambda of: metrics.accuracy_score(of(L), of(G)),
    "balanced_accuracy": lambda of: metrics.balanced_accuracy_score(of(L), of(G)),
    "f1": lambda of: metrics.f1_score(of(L), of(G)),
    "fbeta": lambda of: metrics.fbeta_score(of(L), of(G), beta=0.5),
    "precision": lambda of: metrics.precision_score(of(L), of(G)),
    "recall": lambda of: metrics.recall_score(of(L), of(G)),
    "jaccard": lambda of: metrics.jaccard_score(of(L), of(G)),
    "hamming": lambda of: metrics.hamming_loss(of(L), of(G)),
    "zero_one": lambda of: metrics.zero_one_loss(of(L), of(G)),
    "matthews": lambda of: metrics.matthews_corrcoef(of(L), of(G)),
    "cohen_kappa": lambda of: metrics.cohen_kappa_score(of(L), of(G)),
    "confusion_matrix": lambda of: metrics.confusion_matrix(of(L), of(G)),
    "multilabel_confusion_matrix": lambda of: metrics.multilabel_confusion_matrix(of(L), of(G)),
    "log_loss": lambda of: metrics.log_loss(of(L), of(S)),
    "brier": lambda of: metrics.brier_score_loss(of(L), of(S)),
    "roc_curve": lambda of: metrics.roc_curve(of(L), of(S)),
    "roc_auc": lambda of: metrics.roc_auc_score(of(L), of(S)),
    "precision_recall_curve": lambda of: metrics.precision_recall_curve(of(L), of(S)),
    "average_precision": lambda of: metrics.average_precision_score(of(L), of(S)),
    "r2": lambda of: metrics.r2_score(of(Y), of(A[:, 1])),
    "explained_variance": lambda of: metrics.explained_variance_score(of(Y), of(A[:, 1])),
    "mean_squared_error": lambda of: metrics.mean_squared_error(of(Y), of(B)),
    "mean_absolute_error": lambda of: metrics.mean_absolute_error(of(Y), of(B)),
    "median_absolute_error": lambda of: metrics.median_absolute_error(of(Y), of(B)),
    "max_error": lambda of: metrics.max_error(of(Y), of(B)),
    "mean_pinball_loss": lambda of: metrics.mean_pinball_loss(of(Y), of(B)),
    "mean_poisson_deviance": lambda of: metrics.mean_poisson_deviance(of(abs(Y)), of(S)),
    "entropy": lambda of: metrics.cluster.entropy(of(L)),
}
PAIRWISE: dict[str, Program] = {
    "euclidean": lambda of: pairwise.euclidean_distances(of(A), of(A[:9] + 0.1)),
    "euclidean, alone": lambda of: pairwise.euclidean_distances(of(A[:9])),
    "manhattan": lambda of: pairwise.manhattan_distances(of(A), of(A[:9])),
    "cosine": lambda of: pairwise.cosine_similarity(of(A)),
    "paired": lambda of: pairwise.paired_euclidean_distances(of(A), of(A[::-1])),
    "linear": lambda of: pairwise.linear_kernel(of(A)),
    "polynomial": lambda of: pairwise.polynomial_kernel(of(A)),
    "rbf": lambda of: pairwise.rbf_kernel(of(A)),
    "laplacian": lambda of: pairwise.laplacian_kernel(of(A)),
    "sigmoid": lambda of: pairwise.sigmoid_kernel(of(A)),
    "chi2": lambda of: pairwise.additive_chi2_kernel(of(abs(A[:9]))),
}
PREPROCESSING: dict[str, Program] = {
    "StandardScaler": lambda of: preprocessing.StandardScaler().fit_transform(of(A)),
    "MinMaxScaler": lambda of: preprocessing.MinMaxScaler().fit_transform(of(A)),
    "MaxAbsScaler": lambda of: preprocessing.MaxAbsScaler().fit_transform(of(A)),
    "Normalizer": lambda of: preprocessing.Normalizer().fit_transform(of(A)),
    "PolynomialFeatures": lambda of: preprocessing.PolynomialFeatures().fit_transform(of(A)),
    "LabelEncoder": lambda of: preprocessing.LabelEncoder().fit_transform(of(L + 3)),
    "LabelBinarizer": lambda of: preprocessing.LabelBinarizer().fit_transform(of(L)),
    "Binarizer": lambda of: preprocessing.Binarizer().fit_transform(of(A)),
    "KernelCenterer": lambda of: preprocessing.KernelCenterer().fit_transform(of(A @ A.T)),
    "train_test_split": lambda of: model_selection.train_test_split(of(A), of(Y), random_state=0),
}


def fitted(estimator: Any, y: Any = None, method: str = "predict") -> Program:
    """An estimator that learns from A and ``y``, and what its method then says of A."""

    def program(of: Of) -> Any:
        model = base.clone(estimator).fit(of(A), None if y is None else of(y))
        result = getattr(model, method)(of(A))
        return abs(result) if method == "transform" else result

    return program


ESTIMATORS: dict[str, Program] = {
    "PCA, full": fitted(decomposition.PCA(2, svd_solver="full"), method="transform"),
    "PCA, covariances": fitted(decomposition.PCA(2, svd_solver="covariance_eigh"), method="transform"),
    "PCA, randomized": fitted(
        decomposition.PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
        method="transform",
    ),
    "Ridge": fitted(linear_model.Ridge(solver="svd"), Y),
    "RidgeCV": fitted(linear_model.RidgeCV(), Y),
    "RidgeClassifier": fitted(linear_model.RidgeClassifier(solver="svd"), L),
    "LogisticRegression": fitted(linear_model.LogisticRegression(), L, "predict_proba"),
    "PoissonRegressor": fitted(linear_model.PoissonRegressor(), abs(Y)),
    "LinearDiscriminantAnalysis": fitted(discriminant_analysis.LinearDiscriminantAnalysis(), L),
    "GaussianNB": fitted(naive_bayes.GaussianNB(), L, "predict_proba"),
    "GaussianMixture": fitted(mixture.GaussianMixture(2, init_params="random", random_state=0, max_iter=5)),
    "Nystroem": fitted(kernel_approximation.Nystroem(n_components=9, random_state=0), method="transform"),
    "Pipeline": fitted(pipeline.make_pipeline(preprocessing.MinMaxScaler(), linear_model.RidgeCV()), Y),
    "calibration": fitted(
        calibration.CalibratedClassifierCV(linear_model.RidgeClassifier(solver="svd"), method="temperature"), L
    ),
}
SELECTION: dict[str, Program] = {
    "cross_val_score": lambda of: list(
        model_selection.cross_val_score(linear_model.Ridge(solver="svd"), of(A), of(Y), cv=3)
    ),
    "GridSearchCV": lambda of: model_selection.GridSearchCV(
        linear_model.Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, cv=3
    ).fit(of(A), of(Y)).best_params_,
}  # fmt: skip
LOOSE = {"LogisticRegression": 1e-3, "PoissonRegressor": 1e-3, "calibration": 1e-3}
WITH_DISPATCH = METRICS | PAIRWISE | PREPROCESSING | ESTIMATORS | SELECTION
WITHOUT_DISPATCH = METRICS | PREPROCESSING | ESTIMATORS


@pytest.mark.parametrize("name", WITH_DISPATCH)
def test_dispatch(name: str) -> None:
    with sklearn.config_context(array_api_dispatch=True):
        check_program(WITH_DISPATCH[name], rtol=LOOSE.get(name, 1e-7), atol=1e-9)


@pytest.mark.parametrize("name", WITHOUT_DISPATCH)
def test_without_dispatch_the_values_are_right(name: str) -> None:
    check_program(WITHOUT_DISPATCH[name], rtol=LOOSE.get(name, 1e-7), atol=1e-9, on_device=False)
