"""Legacy random functions of `arrayapi_gpu.numpy`: NumPy's names, arguments, shapes and dtypes; streams are this
package's."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy

np: Any = arrayapi_gpu.numpy
pytestmark = pytest.mark.usefixtures("device")

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "beta": (1, 2),
    "binomial": (10, 0.5),
    "chisquare": (3,),
    "dirichlet": ([1.0, 2],),
    "exponential": (),
    "f": (2, 3),
    "gamma": (2.0,),
    "geometric": (0.5,),
    "gumbel": (),
    "hypergeometric": (5, 6, 3),
    "laplace": (),
    "logistic": (),
    "lognormal": (),
    "logseries": (0.5,),
    "multinomial": (5, [0.5, 0.5]),
    "multivariate_normal": ([0, 0], [[1, 0], [0, 1]]),
    "negative_binomial": (3, 0.5),
    "noncentral_chisquare": (3, 1),
    "noncentral_f": (2, 3, 1),
    "normal": (),
    "pareto": (2,),
    "poisson": (3,),
    "power": (2,),
    "random": (),
    "random_sample": (),
    "ranf": (),
    "rayleigh": (),
    "sample": (),
    "standard_cauchy": (),
    "standard_exponential": (),
    "standard_gamma": (2,),
    "standard_normal": (),
    "standard_t": (3,),
    "triangular": (0, 1, 2),
    "uniform": (1, 2),
    "vonmises": (0, 1),
    "wald": (1, 1),
    "weibull": (2,),
    "zipf": (3,),
    "choice": (5,),
    "randint": (5,),
    "random_integers": (5,),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_samples(name: str) -> None:
    args = ARGUMENTS[name]
    for sizes in ({}, {"size": 3}, {"size": (2, 3)}):
        if name in ("ranf", "sample"):
            sizes = {}
        got, expected = (getattr(module.random, name)(*args, **sizes) for module in (np, numpy))
        assert isinstance(got, xp.Array)
        assert (got.shape, got.dtype) == (numpy.shape(expected), numpy.asarray(expected).dtype)
        state = getattr(np.random.RandomState(3), name)(*args, **sizes)
        assert (state.shape, state.dtype) == (got.shape, got.dtype)


def test_a_seed_repeats_the_stream() -> None:
    np.random.seed(5)
    first, state = np.random.rand(3).tolist(), np.random.get_state()
    after = np.random.randn(2).tolist()
    np.random.seed(5)
    assert np.random.rand(3).tolist() == first == np.random.RandomState(5).rand(3).tolist()
    np.random.set_state(state)
    assert np.random.randn(2).tolist() == after
    copied = pickle.loads(pickle.dumps(np.random.RandomState(5)))
    assert copied.rand(3).tolist() == first and "RandomState" in repr(copied)


def test_shapes_by_position() -> None:
    assert np.random.rand(2, 3).shape == np.random.randn(2, 3).shape == (2, 3)
    assert np.random.rand().shape == () and np.random.normal(0, 1, (4,)).shape == (4,)
    assert np.random.uniform(-1, 1, 3).shape == (3,) and np.random.randint(0, 10, (2, 2)).shape == (2, 2)


def test_integers() -> None:
    x = np.random.randint(2, 5, 1000, dtype="int8")
    assert (x.dtype, int(x.min()), int(x.max())) == ("int8", 2, 4)
    y = np.random.random_integers(2, 4, 1000)
    assert (int(y.min()), int(y.max())) == (2, 4) and int(np.random.random_integers(1)) == 1


def test_orders() -> None:
    assert (
        sorted(np.random.permutation(5).tolist())
        == sorted(np.random.permutation([4, 3, 2, 1, 0]).tolist())
        == [*range(5)]
    )
    for x in ([3, 1, 2], np.array([3, 1, 2]), numpy.array([3, 1, 2])):
        np.random.shuffle(x)
        assert sorted(int(k) for k in x) == [1, 2, 3]
    assert set(numpy.asarray(np.random.choice([5, 6], 20)).tolist()) <= {5, 6}
    assert set(np.random.choice(["a", "b"], 20).tolist()) <= {"a", "b"}
    assert np.random.choice(3, 3, replace=False, p=[0.2, 0.3, 0.5]).shape == (3,)
    assert len(np.random.bytes(5)) == 5


def test_generators() -> None:
    expected = numpy.random.Generator(numpy.random.Philox(1)).random(3)
    assert np.random.default_rng(1).random(3).tolist() == expected.tolist()
    assert np.random.Generator(np.random.Philox(1)).random(3).tolist() == expected.tolist()
    with pytest.raises(AttributeError, match="the one bit generator of devices is Philox"):
        np.random.PCG64  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'rnad'"):
        np.random.rnad  # noqa: B018


def parameters(function: Any) -> list[tuple[str, Any]] | None:
    """The names and defaults of parameters; None for a function in C without a signature."""
    try:
        return [(p.name, p.default) for p in inspect.signature(function).parameters.values()]
    except ValueError:
        return None


def methods(of: type) -> list[str]:
    return [name for name in dir(of) if not name.startswith("_") and callable(getattr(of, name))]


@pytest.mark.parametrize("name", methods(numpy.random.RandomState))
def test_signatures_of_the_legacy_generator_are_numpys(name: str) -> None:
    expected = parameters(getattr(numpy.random.RandomState, name))
    found = parameters(getattr(np.random.RandomState, name))
    assert expected is None or found == expected


@pytest.mark.parametrize("name", methods(numpy.random.Generator))
def test_signatures_of_the_generator_begin_as_numpys(name: str) -> None:
    """Afterwards they have the dtype and the device of samples. By default the device decides about the dtype."""
    expected = parameters(getattr(numpy.random.Generator, name))
    found = parameters(getattr(np.random.Generator, name)) or []
    if expected is not None:
        optional = [(parameter, default is not inspect.Parameter.empty) for parameter, default in found]
        assert optional[: len(expected)] == [(p, default is not inspect.Parameter.empty) for p, default in expected]
        assert {parameter for parameter, _ in found[len(expected) :]} <= {"dtype", "device"}


def test_integers_of_all_sizes() -> None:
    x = np.random.RandomState(3).tomaxint((4, 5))
    assert x.shape == (4, 5) and x.dtype == "int64" and int(x.min()) >= 0 and int(x.max()) > 2**60
