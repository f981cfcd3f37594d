"""``numpy.polynomial`` of `arrayapi_gpu.numpy`: coefficients are NumPy's, values are on the device."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np

pytestmark = pytest.mark.usefixtures("device")

CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
POINTS = [-1.0, 0.0, 0.5, 2.0]


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name: str) -> None:
    ours, theirs = (getattr(module.polynomial, name)([1, 2, 3], domain=[-2, 2]) for module in (np, numpy))
    for points in (np.asarray(POINTS), POINTS):
        values: Any = ours(points)
        assert isinstance(values, xp.Array)
        numpy.testing.assert_allclose(values.to_numpy(), theirs(numpy.asarray(POINTS)), rtol=1e-12)
    assert float(ours(2)) == pytest.approx(theirs(2))
    assert isinstance(ours.roots(), xp.Array)
    numpy.testing.assert_allclose(ours.roots().to_numpy(), theirs.roots(), rtol=1e-12)
    x, y = ours.linspace(3)
    numpy.testing.assert_allclose(y.to_numpy(), theirs.linspace(3)[1], rtol=1e-12)
    assert isinstance(x, xp.Array)
    assert str(ours) == str(theirs) and type(ours.deriv()) is type(ours) and isinstance(ours, type(theirs))
    assert (ours * 2 + ours).coef.tolist() == (theirs * 2 + theirs).coef.tolist()


def test_fits() -> None:
    x = np.linspace(0, 1, 5)
    found = np.polynomial.Polynomial.fit(x, 1 + 2 * x, 1)
    assert isinstance(found, np.polynomial.Polynomial)
    numpy.testing.assert_allclose(found.convert().coef, [1, 2])


@pytest.mark.parametrize(
    "source",
    [
        "np.polynomial.polynomial.polyval(X, [1, 2, 3])",
        "np.polynomial.chebyshev.chebval(X, [1, 2, 3])",
        "np.polynomial.polynomial.polyadd([1, 2], [3, 4, 5])",
        "np.polynomial.polynomial.polyfit(X, X, 1)",
        "np.polynomial.legendre.leggauss(3)",
        "np.polynomial.polynomial.polydomain",
        "np.polynomial.hermite.hermvander(X, 2)",
    ],
)
def test_functions(source: str) -> None:
    got, expected = (eval(source, {"np": namespace, "X": namespace.asarray(POINTS)}) for namespace in (np, numpy))
    for one, other in zip(*[x if isinstance(x, tuple) else (x,) for x in (got, expected)], strict=True):
        assert isinstance(one, xp.Array) and one.shape == other.shape
        numpy.testing.assert_allclose(one.to_numpy(), other, rtol=1e-12, atol=1e-12)
